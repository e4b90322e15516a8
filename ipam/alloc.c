// SPDX-License-Identifier: Apache-2.0
#include "ipam/alloc.h"

#include "base/log.h"

#include <errno.h>
#include <stdio.h>

static bool this_node(const struct pool *pool, const struct lease *lease)
{
	return streq(lease->node, pool->node);
}

/* ---- leases of an earlier boot ---- */

struct reclaim {
	size_t n;
	struct err err;
};

static void reclaim_one(struct pool *pool, const char *name, const struct lease *lease,
			const char *why, void *arg)
{
	struct reclaim *reclaim = arg;

	if (!lease) {
		log_warn("%s/%s: %s; its address stays taken, remove the file to free it",
			 pool->path, name, why);
		return;
	}
	if (!this_node(pool, lease) || !*lease->boot || !*pool->boot ||
	    streq(lease->boot, pool->boot))
		return;
	if (pool_release(pool, lease->id, lease->ifname, lease->range, &reclaim->err) == 0)
		reclaim->n++;
}

/* Take back what did not survive the last boot; once a boot is enough. Return: number, or negative.
 */
static int reclaim_old_boots(struct pool *pool, struct err *err)
{
	struct reclaim reclaim = { 0 };
	int r;

	if (addrmap_swept(&pool->map))
		return 0;
	r = pool_walk(pool, reclaim_one, &reclaim, err);
	if (r < 0)
		return r;
	addrmap_set_swept(&pool->map);
	if (reclaim.n > 0)
		log_info("%s: %zu leases of an earlier boot taken back", pool->path, reclaim.n);
	return reclaim.n > 0;
}

/* ---- allocation ---- */

static int exhausted(const struct pool *pool, const struct range *range, struct err *err)
{
	char cidr[INET_PREFIX_TEXT_SIZE], text[RANGE_TEXT_SIZE];
	char excluded[RANGE_NUM_TEXT_SIZE], total[RANGE_NUM_TEXT_SIZE];
	const char *taken = range_num_format(range->total, total);

	return err_set(err, ROCE_IPAM_EXHAUSTED, -EADDRNOTAVAIL,
		       "no address is free in range %s (%s, %s excluded): %s of %s taken; widen "
		       "the range or delete unused pods; who holds them: ls %s/by-id",
		       inet_format_prefix(range->subnet, cidr), range_format(range, text),
		       range_num_format(range->last - range->first + 1 - range->total, excluded),
		       taken, taken, pool->path);
}

/* Lowest free address of the spans. Return: 1, 0 when there is none, or a negative errno. */
static int first_free(struct pool *pool, const struct range *range, struct inet_addr *ret_addr,
		      struct err *err)
{
	for (size_t i = 0; i < range->n_spans; i++) {
		int r = pool_first_free(pool, range->subnet.addr.family, range->spans[i].lo,
					range->spans[i].hi, ret_addr, err);

		if (r != 0)
			return r;
	}
	return 0;
}

/* As first_free(), but "none" is the truth: seen in the folder, and after a boot's leftovers went.
 */
static int choose(struct pool *pool, const struct range *range, struct inet_addr *ret_addr,
		  struct err *err)
{
	int r = first_free(pool, range, ret_addr, err);

	if (r == 0 && !pool->map.rebuilt) {
		r = pool_rescan(pool, err);
		if (r == 0)
			r = first_free(pool, range, ret_addr, err);
	}
	if (r == 0) {
		r = reclaim_old_boots(pool, err);
		if (r > 0)
			r = first_free(pool, range, ret_addr, err);
	}
	return r == 0 ? exhausted(pool, range, err) : r;
}

/* Lease the lowest free address of a range; the name in the folder decides, not the map. */
static int lease_lowest(struct pool *pool, struct lease *lease, const struct range *range,
			struct err *err)
{
	for (;;) {
		int r = choose(pool, range, &lease->address.addr, err);

		if (r < 0)
			return r;
		lease->address.len = range->subnet.len;
		r = pool_publish(pool, lease, err);
		if (r != -EEXIST)
			return r;
		if (pool->map.rebuilt) /* somebody works here without the lock: believe link(2) */
			addrmap_set(&pool->map, lease->address.addr);
		else
			r = pool_rescan(pool, err);
		if (r < 0 && r != -EEXIST)
			return r;
	}
}

/* Its record names another boot or namespace: the same container was started again. */
static int renew(struct pool *pool, const struct lease *old, struct lease *lease, struct err *err)
{
	int r = 0;

	lease->address = old->address;
	if (streq(old->boot, pool->boot) && streq(old->node, pool->node) &&
	    streq(old->netns, lease->netns))
		return 0;
	r = pool_release(pool, old->id, old->ifname, old->range, err);
	if (r == 0)
		r = pool_publish(pool, lease, err);
	return r == -EEXIST
		       ? err_set(err, CNI_TRY_AGAIN, -EEXIST, "the address was taken meanwhile")
		       : r;
}

/* Return: 1 when the lease is new, 0 when the holder had it, or a negative errno. */
static int add_one(struct pool *pool, struct lease *lease, const struct range *range,
		   struct err *err)
{
	struct err why = { 0 };
	struct lease old;
	int r = pool_find(pool, lease->id, lease->ifname, lease->range, &old, &why);

	if (r == 1)
		return renew(pool, &old, lease, err);
	if (r == -EBADMSG) /* our own record: we may replace it */
		r = pool_release(pool, lease->id, lease->ifname, lease->range, err);
	else if (r < 0)
		*err = why;
	if (r == 0)
		r = lease_lowest(pool, lease, range, err);
	return r < 0 ? r : 1;
}

int alloc_add(struct pool *pool, const struct lease *owner, const struct range *ranges, size_t n,
	      struct inet_prefix *ret_addresses, unsigned *ret_new, struct err *err)
{
	struct lease lease = *owner;
	unsigned new = 0;
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++) {
		lease.range = (int)i;
		r = add_one(pool, &lease, &ranges[i], err);
		if (r > 0)
			new |= 1u << i;
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

int alloc_release(struct pool *pool, const char *id, const char *ifname, unsigned ranges,
		  struct err *err)
{
	int first = 0;

	for (int i = 0; i < LEASE_RANGES_MAX; i++) {
		int r = ranges & 1u << i ? pool_release(pool, id, ifname, i, err) : 0;

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
	(void)why; /* pool_mend() has reported it */
	if (!lease || !this_node(pool, lease) || c->keep(lease->id, lease->ifname, c->arg))
		return;
	r = pool_release(pool, lease->id, lease->ifname, lease->range, c->err);
	if (c->first == 0)
		c->first = r;
}

int alloc_collect(struct pool *pool, alloc_keep keep, const void *arg, struct err *err)
{
	struct collection collection = { .keep = keep, .arg = arg, .err = err };
	int r = pool_mend(pool, err);

	if (r == 0)
		r = pool_walk(pool, collect_one, &collection, err);
	return r == 0 ? collection.first : r;
}
