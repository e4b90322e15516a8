// SPDX-License-Identifier: Apache-2.0
#include "ipam/alloc.h"

#include "ipam/mend.h"
#include "ipam/publish.h"
#include "ipam/reclaim.h"

#include <errno.h>
#include <stdio.h>

/* ---- the lowest free address ---- */

/* True if this pool's own leases do not fill the range: other networks have the rest. */
static bool others_hold(struct pool *pool, const struct range *range)
{
	inet_num num;

	for (size_t i = 0; *pool->shared && i < range->n_spans; i++)
		if (addrmap_first_free(&pool->map, range->subnet.addr.family, range->spans[i].lo,
				       range->spans[i].hi, &num))
			return true;
	return false;
}

static int exhausted(struct pool *pool, const struct want *want, struct err *err)
{
	const struct range *range = want->ranges;
	char cidr[INET_PREFIX_TEXT_SIZE], text[RANGE_TEXT_SIZE], more[64] = "";
	char excluded[RANGE_NUM_TEXT_SIZE], total[RANGE_NUM_TEXT_SIZE];
	const char *taken = range_num_format(range->total, total);
	char others[HOME_PATH_SIZE + LEASE_DOMAIN_SIZE + 64] = "";

	if (want->n_ranges > 1)
		snprintf(more, sizeof(more), " and the %zu others of its set", want->n_ranges - 1);
	if (others_hold(pool, range))
		snprintf(others, sizeof(others), "; some are held by other networks: ls %s/%s",
			 pool->home->path, pool->shared);
	return err_set(err, ROCE_IPAM_EXHAUSTED, -EADDRNOTAVAIL,
		       "no address is free in range %s (%s, %s excluded)%s: %s of %s taken; widen "
		       "the range or delete unused pods; who holds them: ls %s/by-id%s",
		       inet_format_prefix(range->subnet, cidr), range_format(range, text),
		       range_num_format(range->last - range->first + 1 - range->total, excluded),
		       more, taken, taken, pool->path, others);
}

static int first_in_range(struct pool *pool, const struct range *range,
			  struct inet_prefix *ret_address, struct err *err)
{
	ret_address->len = range->subnet.len;
	for (size_t i = 0; i < range->n_spans; i++) {
		int r = pool_first_free(pool, range->subnet.addr.family, range->spans[i].lo,
					range->spans[i].hi, &ret_address->addr, err);

		if (r != 0)
			return r;
	}
	return 0;
}

/* Lowest free address of the first range that has one. Return: 1, 0 for none, or a negative errno.
 */
static int first_free(struct pool *pool, const struct want *want, struct inet_prefix *ret_address,
		      struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < want->n_ranges && r == 0; i++)
		r = first_in_range(pool, &want->ranges[i], ret_address, err);
	return r;
}

/* As first_free(), but "none" is the truth: seen in the folders, and after all leftovers went. */
static int choose(struct pool *pool, const struct want *want, struct inet_prefix *ret_address,
		  struct err *err)
{
	static int (*const remedies[])(struct pool *, struct err *) = { pool_rescan, reclaim_pool,
									reclaim_domain };
	int r = first_free(pool, want, ret_address, err);

	for (size_t i = 0; i < ARRAY_SIZE(remedies) && r == 0; i++) {
		r = remedies[i](pool, err);
		if (r > 0)
			r = first_free(pool, want, ret_address, err);
	}
	return r == 0 ? exhausted(pool, want, err) : r;
}

/* Lease the lowest free address; the names in the folders decide, not the maps. */
static int lease_lowest(struct pool *pool, struct lease *lease, const struct want *want,
			struct err *err)
{
	for (;;) {
		int r = choose(pool, want, &lease->address, err);

		if (r < 0)
			return r;
		r = publish_lease(pool, lease, err);
		if (r != -EEXIST)
			return r;
		r = pool_rescan(pool, err);
		if (r < 0)
			return r;
		if (r == 0) /* somebody works here without the lock: believe link(2) */
			pool_mark_taken(pool, lease->address.addr);
	}
}

/* ---- an address that is asked for ---- */

static int taken(struct pool *pool, const struct want *want, struct err *err)
{
	char text[INET_TEXT_SIZE], pod[sizeof(((struct lease *)0)->pod) + 8] = "";
	struct err why = { 0 };
	struct lease holder;
	int r = pool_holder(pool, want->exact.addr, &holder, &why);

	inet_format(want->exact.addr, text);
	if (r <= 0)
		return err_set(err, ROCE_IPAM_EXHAUSTED, -EADDRINUSE, "%s: %s is taken: %s",
			       want->path, text, r < 0 ? why.msg : "by an unknown holder");
	if (*holder.pod)
		snprintf(pod, sizeof(pod), ", pod %s", holder.pod);
	return err_set(err, ROCE_IPAM_EXHAUSTED, -EADDRINUSE,
		       "%s: %s is taken by container %s, interface %s%s, of network %s on node %s",
		       want->path, text, holder.id, holder.ifname, pod, holder.network,
		       holder.node);
}

static int lease_exact(struct pool *pool, struct lease *lease, const struct want *want,
		       struct err *err)
{
	int r;

	lease->address = want->exact;
	r = publish_lease(pool, lease, err);
	if (r != -EEXIST)
		return r;
	r = reclaim_address(pool, want->exact.addr, &(struct err){ 0 });
	if (r > 0)
		r = publish_lease(pool, lease, err);
	else
		r = -EEXIST;
	return r == -EEXIST ? taken(pool, want, err) : r;
}

static int lease_new(struct pool *pool, struct lease *lease, const struct want *want,
		     struct err *err)
{
	return want->exact.addr.family == AF_UNSPEC ? lease_lowest(pool, lease, want, err)
						    : lease_exact(pool, lease, want, err);
}

/* ---- ADD ---- */

static int holds_another(const struct lease *old, const struct want *want, struct err *err)
{
	char has[INET_TEXT_SIZE], asked[INET_TEXT_SIZE];

	return jx_value_error(err, want->path,
			      "%s is asked for, but container %s, interface %s has %s already: "
			      "delete it first",
			      inet_format(want->exact.addr, asked), old->id, old->ifname,
			      inet_format(old->address.addr, has));
}

/* Its record may name another boot or namespace: the same container was started again. Return: as
 * add_one().
 */
static int renew(struct pool *pool, const struct lease *old, struct lease *lease,
		 const struct want *want, struct err *err)
{
	int r;

	lease->address = old->address;
	if (streq(old->boot, pool->home->boot) && streq(old->node, pool->home->node) &&
	    streq(old->netns, lease->netns))
		return 0;
	r = pool_release(pool, old->id, old->ifname, old->range, err);
	if (r == 0)
		r = publish_lease(pool, lease, err);
	if (r != -EEXIST)
		return r;
	r = lease_new(pool, lease, want, err); /* another network took it after the boot */
	return r < 0 ? r : 1;
}

/* Return: 1 when the lease is new, 0 when the holder had it, or a negative errno. */
static int add_one(struct pool *pool, struct lease *lease, const struct want *want, struct err *err)
{
	struct err why = { 0 };
	struct lease old;
	int r = pool_find(pool, lease->id, lease->ifname, want->slot, &old, &why);

	lease->range = want->slot;
	if (r == 1 && want->exact.addr.family != AF_UNSPEC &&
	    !inet_equal(want->exact.addr, old.address.addr))
		return holds_another(&old, want, err);
	if (r == 1)
		return renew(pool, &old, lease, want, err);
	if (r == -EBADMSG || r == -ESTALE) /* our own record: we may replace it */
		r = pool_release(pool, lease->id, lease->ifname, lease->range, err);
	else if (r < 0)
		*err = why;
	if (r == 0)
		r = lease_new(pool, lease, want, err);
	return r < 0 ? r : 1;
}

int alloc_add(struct pool *pool, const struct lease *owner, const struct want *wants, size_t n,
	      struct inet_prefix *ret_addresses, unsigned *ret_new, struct err *err)
{
	struct lease lease = *owner;
	unsigned new = 0;
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++) {
		r = add_one(pool, &lease, &wants[i], err);
		if (r > 0)
			new |= 1u << wants[i].slot;
		ret_addresses[i] = lease.address;
	}
	if (r >= 0)
		r = pool_sync(pool, err);
	if (r < 0) {
		struct err undo = { 0 };

		if (alloc_release(pool, owner->id, owner->ifname, new, &undo) < 0)
			err_detail(err, "undo: %s", undo.msg);
		return r;
	}
	*ret_new = new;
	return 0;
}

int alloc_release(struct pool *pool, const char *id, const char *ifname, unsigned slots,
		  struct err *err)
{
	int first = 0;

	for (int i = 0; i < LEASE_SLOTS_MAX; i++) {
		int r = slots & 1u << i ? pool_release(pool, id, ifname, i, err) : 0;

		if (first == 0)
			first = r;
	}
	return first;
}

/* ---- collection ---- */

struct collection {
	alloc_keep keep;
	const void *arg;
	struct err *err;
	int first;
};

static void collect_one(struct pool *pool, const char *name, const struct lease *lease,
			const char *why, void *arg)
{
	struct collection *c = arg;
	int r;

	(void)name;
	(void)why; /* mend_pool() has reported it */
	if (!lease || !streq(lease->node, pool->home->node) ||
	    c->keep(lease->id, lease->ifname, c->arg))
		return;
	r = pool_release(pool, lease->id, lease->ifname, lease->range, c->err);
	if (c->first == 0)
		c->first = r;
}

static int collect_domain(struct pool *pool, struct err *err)
{
	int r = *pool->shared ? pool_use_domain(pool, pool->shared, HOME_EXISTING, err) : -ENOENT;

	if (r == 0)
		r = domain_sweep(&pool->domain, NULL, err);
	return r == -ENOENT ? 0 : r;
}

int alloc_collect(struct pool *pool, alloc_keep keep, const void *arg, struct err *err)
{
	struct collection collection = { .keep = keep, .arg = arg, .err = err };
	int r = mend_pool(pool, err);

	if (r == 0)
		r = pool_walk(pool, collect_one, &collection, err);
	if (r == 0)
		r = collect_domain(pool, err);
	return r < 0 ? r : collection.first;
}
