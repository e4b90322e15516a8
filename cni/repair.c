// SPDX-License-Identifier: Apache-2.0
/*
 * Theory of operation
 *
 * First every claim is looked at without a lock, cheaply: a PCI device or subfunction that has come back is
 * in a list of the host's links; one that is not there, but has a netdev, is in some namespace. Of what
 * remains, virtual netdevs and devices on userspace drivers, the namespace's path tells. Only what passes here
 * is judged in full, once without locks and once more under those of the attachment and the device, which
 * nobody waits for: who has one is an ADD, a DEL or another repair.
 */
#include "cni/repair.h"

#include "base/log.h"
#include "cni/detach.h"
#include "cni/leftover.h"

#include <errno.h>
#include <stdio.h>

/* A device that has a claim. */
struct claim {
	char key[DEVICE_KEY_SIZE];
	bool on_host; /* or something with its ifindex is */
};

struct claims {
	struct claim *items;
	size_t n;
};

/* ---- the cheap look ---- */

static void note_claim(const char *key, void *arg)
{
	struct claims *claims = arg;
	struct claim *grown;

	if (strlen(key) >= DEVICE_KEY_SIZE)
		return;
	grown = base_grow(claims->items, claims->n, sizeof(*grown));
	if (!grown)
		return; /* the next repair will see it */
	claims->items = grown;
	grown[claims->n] = (struct claim){ .on_host = false };
	strcpy(grown[claims->n++].key, key);
}

/* A PCI function or a subfunction: not "netdev-7". */
static bool is_hardware(const struct claim *claim)
{
	char id[DEVICE_ID_SIZE];

	return device_id_parse(claim->key, id) == 0;
}

static bool note_link(const struct link *link, void *arg)
{
	struct claims *claims = arg;
	char key[DEVICE_KEY_SIZE];

	if (link_is_representor(link)) /* it has its PF's PCI address */
		return false;
	snprintf(key, sizeof(key), "netdev-%d", link->ifindex);
	for (size_t i = 0; i < claims->n; i++)
		if (streq(claims->items[i].key, link->parent) || streq(claims->items[i].key, key))
			claims->items[i].on_host = true;
	return false;
}

/* The journal of a device's owner; @journal stays empty if there is none. */
static int read_owner(const struct store *store, const char *key, struct journal *journal,
		      struct err *err)
{
	char owner[STORE_NAME_SIZE];

	return store_owner(store, key, owner) ? journal_read(store, owner, journal, err) : -ENOENT;
}

static bool may_be_left(const struct store *store, const struct claim *claim)
{
	_cleanup_journal_ struct journal journal = { 0 };
	struct err ignored = { 0 };

	if (claim->on_host)
		return true;
	if (is_hardware(claim) && pci_has_netdev(claim->key))
		return false;
	return read_owner(store, claim->key, &journal, &ignored) == 0 &&
	       !leftover_comes_back(&journal.device) &&
	       netns_at(journal.netns, journal.netns_id) == -ENOENT;
}

/* ---- the full one, and the repair ---- */

/* Return: 0, or a negative errno; -ENOENT: there is nothing to repair. */
static int look(const struct store *store, const struct side *host, const char *key,
		struct journal *journal, struct err *err)
{
	enum leftover left = LEFTOVER_NONE;
	int r = read_owner(store, key, journal, err);

	if (r == 0)
		r = leftover_judge(store, host, journal, &left, err);
	if (r < 0)
		return r;
	if (left == LEFTOVER_RETURNED ||
	    (left == LEFTOVER_DEAD && !leftover_comes_back(&journal->device)))
		return 0;
	return -ENOENT;
}

static int repair_locked(const struct store *store, const struct side *host, const char *key,
			 struct err *err)
{
	_cleanup_journal_ struct journal journal = { 0 };
	int r = look(store, host, key, &journal, err);

	if (r == 0)
		r = detach_device(store, host, &journal, err);
	if (r == 0)
		log_info("device %s of container %s (network %s) is restored without a DEL; the addresses stay until DEL or GC",
			 key, journal.attachment.container_id, journal.attachment.network);
	return r;
}

static int repair(const struct store *store, const struct side *host, const char *key,
		  struct err *err)
{
	_cleanup_lock_ struct store_lock device = STORE_UNLOCKED, attachment = STORE_UNLOCKED;
	_cleanup_journal_ struct journal journal = { 0 };
	int r = look(store, host, key, &journal, err);

	if (r == 0)
		r = store_try_attachment(store, &journal.attachment, &attachment, err);
	if (r == 0)
		r = store_try_device(store, key, &device, err);
	if (r == 0)
		r = repair_locked(store, host, key, err);
	return r;
}

void repair_all(const struct store *store)
{
	_cleanup_side_ struct side host = SIDE_CLOSED;
	struct claims claims = { .n = 0 };
	struct err ignored = { 0 };

	store_each_claim(store, note_claim, &claims);
	if (claims.n > 0 && side_open_host(&host, &ignored) == 0 &&
	    link_list(host.rt, note_link, &claims) == 0) {
		for (size_t i = 0; i < claims.n; i++) {
			struct err err = { 0 };

			if (may_be_left(store, &claims.items[i]) &&
			    repair(store, &host, claims.items[i].key, &err) < 0 && err_is_set(&err))
				log_warn("device %s cannot be repaired: %s%s%s",
					 claims.items[i].key, err.msg, *err.details ? "; " : "",
					 err.details);
		}
	}
	free(claims.items);
}
