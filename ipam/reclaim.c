// SPDX-License-Identifier: Apache-2.0
#include "ipam/reclaim.h"

#include "base/log.h"

#include <errno.h>

/* One walk: what went, and the first thing that did not. */
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
	if (home_is_earlier_boot(pool->home, lease->node, lease->boot) &&
	    pool_release(pool, lease->id, lease->ifname, lease->range, &reclaim->err) == 0)
		reclaim->n++;
}

int reclaim_pool(struct pool *pool, struct err *err)
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

int reclaim_domain(struct pool *pool, struct err *err)
{
	return *pool->shared ? domain_sweep(&pool->domain, NULL, err) : 0;
}

int reclaim_address(struct pool *pool, struct inet_addr addr, struct err *err)
{
	struct lease lease;
	int r = pool_holder(pool, addr, &lease, err);

	if (r == -EBADMSG && *pool->shared) /* perhaps what a DEL left of a damaged record */
		return domain_sweep(&pool->domain, &addr, err);
	if (r <= 0)
		return r;
	if (streq(lease.network, pool->network)) {
		if (!home_is_earlier_boot(pool->home, lease.node, lease.boot))
			return *pool->shared ? domain_sweep(&pool->domain, &addr, err) : 0;
		r = pool_release(pool, lease.id, lease.ifname, lease.range, err);
		return r < 0 ? r : 1;
	}
	return domain_sweep(&pool->domain, &addr, err);
}
