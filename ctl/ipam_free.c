// SPDX-License-Identifier: Apache-2.0
/*
 * rocectl ipam gc and release. Both look without a lock first, which is all that a dry run does; what
 * is to be freed is looked at again under the pool's lock, so that an ADD meanwhile keeps its address.
 */
#include "ctl/ipam.h"

#include "ipam/evict.h"
#include "ipam/record.h"

#include <errno.h>

enum { LOCK_MS = 10000 };

/* One record that is to be freed. */
struct victim {
	struct home home;
	char network[CNI_NAME_MAX + 1];
	struct inet_addr addr;
	bool is_damaged;
	struct stat st;
	struct lease lease;
	char why[128];
	const char *reason;
};

/**
 * struct freeing - one run
 * @options:	what was asked
 * @addr:	the address to release
 * @victims, @n: what is to be freed
 * @status:	exit status so far
 */
struct freeing {
	const struct ipam_options *options;
	struct inet_addr addr;
	struct victim *victims;
	size_t n;
	int status;
};

static int by_place(const void *a, const void *b)
{
	const struct victim *x = a, *y = b;
	int r = strcmp(x->home.path, y->home.path);

	if (r == 0)
		r = strcmp(x->network, y->network);
	if (r == 0)
		r = x->addr.family - y->addr.family;
	if (r == 0)
		r = x->addr.num < y->addr.num ? -1 : x->addr.num > y->addr.num;
	return r;
}

static void mark(struct freeing *freeing, const struct ipam_seen *seen, const char *reason)
{
	struct victim *grown = base_grow(freeing->victims, freeing->n, sizeof(*grown));
	struct victim *victim;

	if (!grown) {
		fprintf(stderr, "rocectl: out of memory\n");
		freeing->status = CTL_ERRORS;
		return;
	}
	freeing->victims = grown;
	victim = &grown[freeing->n++];
	*victim = (struct victim){ .home = *seen->home, .addr = seen->addr, .st = *seen->st,
				   .is_damaged = !seen->lease, .reason = reason };
	snprintf(victim->network, sizeof(victim->network), "%s", seen->network);
	snprintf(victim->why, sizeof(victim->why), "%s", seen->why);
	if (seen->lease)
		victim->lease = *seen->lease;
}

static void print_victim(const struct victim *victim)
{
	struct ipam_seen seen = { &victim->home, victim->network, victim->addr, &victim->st,
				  victim->is_damaged ? NULL : &victim->lease, victim->why };

	ipam_print_holder(&seen, victim->reason);
}

/* ---- freeing ---- */

/* Under the lock: a file that was replaced since is another lease. */
static int evict(const struct victim *victim, struct err *err)
{
	char name[INET_TEXT_SIZE];
	struct pool pool;
	int r = pool_open(&victim->home, victim->network, HOME_EXISTING, file_deadline(LOCK_MS),
			  &pool, err);

	if (r < 0)
		return r == -ENOENT && !err_is_set(err) ? 0 : r;
	if (record_same_file(pool.folder.dir, inet_format(victim->addr, name), &victim->st)) {
		r = evict_address(&pool, victim->addr, err);
		r = r < 0 ? r : 1;
	}
	pool_close(&pool);
	return r;
}

static size_t free_all(struct freeing *freeing)
{
	size_t n = 0;

	if (freeing->n > 1)
		qsort(freeing->victims, freeing->n, sizeof(*freeing->victims), by_place);
	for (size_t i = 0; i < freeing->n; i++) {
		struct err err = { 0 };
		int r = freeing->options->dry_run ? 1 : evict(&freeing->victims[i], &err);

		if (r < 0)
			freeing->status = ctl_print_error("rocectl", &err);
		if (r <= 0)
			continue;
		print_victim(&freeing->victims[i]);
		n++;
	}
	free(freeing->victims);
	return n;
}

/* ---- gc ---- */

static void see_for_gc(const struct ipam_seen *seen, void *arg)
{
	struct freeing *freeing = arg;
	enum holder_state state;
	const char *reason;

	if (!seen->lease) /* what is damaged may be alive */
		return;
	state = holder_state(seen->home, seen->lease, &reason);
	if (state == HOLDER_STALE || (state == HOLDER_ORPHAN && freeing->options->dead))
		mark(freeing, seen, reason);
}

int ipam_gc(const struct ipam_options *options)
{
	struct freeing freeing = { .options = options };
	struct ipam_stores stores;

	freeing.status = ipam_stores_find(&stores);
	if (ipam_each(&stores, options->network, see_for_gc, &freeing) != CTL_OK ||
	    stores.status != CTL_OK)
		freeing.status = CTL_ERRORS;
	printf("leases: %zu\n", free_all(&freeing));
	ipam_stores_free(&stores);
	return freeing.status;
}

/* ---- release ---- */

static void see_for_release(const struct ipam_seen *seen, void *arg)
{
	struct freeing *freeing = arg;
	const char *id = freeing->options->container;

	if (id ? seen->lease && streq(seen->lease->id, id) : inet_equal(seen->addr, freeing->addr))
		mark(freeing, seen, "");
}

/* Why the lease must stay; NULL if nothing speaks against. */
static const char *objection(const struct victim *victim)
{
	const char *reason;

	if (victim->is_damaged)
		return "nothing tells whether its container is alive";
	switch (holder_state(&victim->home, &victim->lease, &reason)) {
	case HOLDER_OK:
		return "its network namespace exists";
	case HOLDER_UNKNOWN:
		return reason;
	case HOLDER_STALE:
	case HOLDER_ORPHAN:
		break;
	}
	return NULL;
}

/* Says on stderr what speaks against it. Return: true if nothing does. */
static bool may_free(const struct freeing *freeing)
{
	bool may = true;

	for (size_t i = 0; i < freeing->n && !freeing->options->force; i++) {
		const struct victim *victim = &freeing->victims[i];
		const char *why = objection(victim);
		char text[INET_TEXT_SIZE];

		if (!why)
			continue;
		fprintf(stderr, "rocectl: %s of network %s is not released: %s; --force releases it "
			"all the same\n", inet_format(victim->addr, text), victim->network, why);
		may = false;
	}
	return may;
}

/* One address in several networks: which is meant? */
static bool is_clear(const struct freeing *freeing)
{
	if (freeing->options->container || freeing->n < 2)
		return true;
	fprintf(stderr, "rocectl: %zu networks have %s, say which by --network:", freeing->n,
		freeing->options->operand);
	for (size_t i = 0; i < freeing->n; i++)
		fprintf(stderr, " %s", freeing->victims[i].network);
	fputc('\n', stderr);
	return false;
}

static bool is_question(const struct ipam_options *options, struct inet_addr *ret_addr)
{
	if (!options->operand == !options->container) {
		fprintf(stderr, "rocectl ipam release: needs an ADDRESS or --container, one of the two\n");
		return false;
	}
	if (options->operand && inet_parse(options->operand, ret_addr) < 0) {
		fprintf(stderr, "rocectl ipam release: \"%s\" is no IP address\n", options->operand);
		return false;
	}
	return true;
}

static int release(struct freeing *freeing)
{
	if (freeing->n == 0)
		fprintf(stderr, "rocectl: nothing is leased: %s\n",
			freeing->options->operand ? freeing->options->operand
						  : freeing->options->container);
	if (freeing->n == 0 || !is_clear(freeing) || !may_free(freeing)) {
		free(freeing->victims);
		return CTL_ERRORS;
	}
	free_all(freeing);
	return freeing->status;
}

int ipam_release(const struct ipam_options *options)
{
	struct freeing freeing = { .options = options };
	struct ipam_stores stores;
	int status;

	if (!is_question(options, &freeing.addr))
		return CTL_USAGE;
	freeing.status = ipam_stores_find(&stores);
	if (ipam_each(&stores, options->network, see_for_release, &freeing) != CTL_OK ||
	    stores.status != CTL_OK)
		freeing.status = CTL_ERRORS;
	status = release(&freeing);
	ipam_stores_free(&stores);
	return status;
}
