// SPDX-License-Identifier: Apache-2.0
#include "ipam/publish.h"

#include "ipam/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>

/* The number of names of a record, "pending" among them, once all are there. */
static nlink_t names_of(const struct lease *lease)
{
	return *lease->domain ? 4 : 3;
}

/* ---- after a kill ---- */

/* Under the domain's lock: somebody else may sweep there, and give the address away. */
static int leave_domain(struct pool *pool, const struct stat *st, const struct lease *lease,
			struct err *err)
{
	int r = pool_use_domain(pool, lease->domain, HOME_EXISTING, err);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	r = domain_leave(&pool->domain, st, lease);
	return r < 0 ? pool_failure(pool, "release in the domain", POOL_PENDING, r, err) : 0;
}

/* The address first: without its name there the one in the domain counts for nothing. */
static int take_back(struct pool *pool, const struct stat *st, const struct lease *lease,
		     struct err *err)
{
	char name[INET_TEXT_SIZE];
	struct inet_addr addr;
	int r = 0;

	bool found = lease ? record_same_file(pool->folder.dir,
					      inet_format(lease->address.addr, name), st)
			   : st->st_nlink > 1 && pool_find_file(pool, st, &addr);

	if (found)
		r = record_unlink(pool->folder.dir, lease ? name : inet_format(addr, name));
	if (r < 0)
		return pool_failure(pool, "remove", name, r, err);
	return lease && *lease->domain ? leave_domain(pool, st, lease, err) : 0;
}

int publish_sweep(struct pool *pool, struct err *err)
{
	struct err why = { 0 };
	struct lease lease;
	struct stat st;
	int r = record_read(pool->folder.dir, POOL_PENDING, &lease, &st, &why);
	bool readable;

	if (r == 0 && *lease.domain) {
		r = pool_use_domain(pool, lease.domain, HOME_EXISTING, err);
		if (r < 0 && r != -ENOENT)
			return r;
		r = record_read(pool->folder.dir, POOL_PENDING, &lease, &st, &why);
	}
	readable = r == 0;
	if (r == -ENOENT)
		return 0;
	if (r < 0 && r != -EBADMSG)
		return pool_failure(pool, "read", POOL_PENDING, r, err);
	r = 0;
	if (readable ? st.st_nlink < names_of(&lease) : st.st_nlink < 3)
		r = take_back(pool, &st, readable ? &lease : NULL, err);
	if (r < 0)
		return r;
	r = record_unlink(pool->folder.dir, POOL_PENDING);
	return r < 0 ? pool_failure(pool, "remove", POOL_PENDING, r, err) : 0;
}

/* ---- publishing ---- */

static int write_pending(const struct pool *pool, const char *text, size_t len)
{
	_cleanup_close_ int fd = openat(pool->folder.dir, POOL_PENDING,
					O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	int r;

	if (fd < 0)
		return errno == EEXIST ? -EBUSY : -errno; /* EEXIST means the address, here */
	r = file_write_fd(fd, text, len);
	if (r == 0 && pool->home->durability == FILE_DURABLE && fsync(fd) < 0)
		r = -errno;
	return r;
}

/* A by-id name that is there already belongs to no lease, or pool_find() would have found it. */
static int link_by_id(const struct pool *pool, const char *key)
{
	int dir = pool->folder.dir;

	if (linkat(dir, POOL_PENDING, pool->by_id, key, 0) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	if (unlinkat(pool->by_id, key, 0) < 0 || linkat(dir, POOL_PENDING, pool->by_id, key, 0) < 0)
		return errno == EEXIST ? -EIO : -errno; /* only the address may be "taken" */
	return 0;
}

static int link_pool(struct pool *pool, const struct lease *lease, const struct stat *st)
{
	char name[INET_TEXT_SIZE], key[LEASE_KEY_SIZE];
	int dir = pool->folder.dir, r;

	inet_format(lease->address.addr, name);
	if (linkat(dir, POOL_PENDING, dir, name, 0) < 0)
		return -errno;
	r = link_by_id(pool, lease_key(lease->id, lease->ifname, lease->range, key));
	if (r < 0 && record_same_file(dir, name, st))
		unlinkat(dir, name, 0);
	return r;
}

/* Give "pending" its names: in the domain, then in the pool. */
static int link_pending(struct pool *pool, const struct lease *lease)
{
	int dir = pool->folder.dir, r;
	struct stat st;

	if (fstatat(dir, POOL_PENDING, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (!*lease->domain)
		return link_pool(pool, lease, &st);
	r = domain_enter(&pool->domain, dir, POOL_PENDING, lease->address.addr);
	if (r < 0)
		return r;
	r = link_pool(pool, lease, &st);
	if (r < 0)
		domain_leave(&pool->domain, &st, lease);
	return r;
}

static struct lease complete(const struct pool *pool, const struct lease *wanted)
{
	struct lease lease = *wanted;

	memcpy(lease.network, pool->network, sizeof(lease.network));
	memcpy(lease.domain, pool->shared, sizeof(lease.domain));
	memcpy(lease.node, pool->home->node, sizeof(lease.node));
	memcpy(lease.boot, pool->home->boot, sizeof(lease.boot));
	lease.time = time(NULL);
	return lease;
}

int publish_lease(struct pool *pool, const struct lease *wanted, struct err *err)
{
	struct lease lease = complete(pool, wanted);
	char name[INET_TEXT_SIZE], text[LEASE_TEXT_MAX];
	int r = 0;

	if (*lease.domain)
		r = pool_use_domain(pool, lease.domain, HOME_CREATE, err);
	if (r < 0)
		return r;
	addrmap_load(&pool->map, pool->home->boot); /* before the folder changes */
	pool->map.touched = true;
	r = write_pending(pool, text, lease_format(&lease, text));
	if (r == 0)
		r = link_pending(pool, &lease);
	if (r != -EBUSY)
		unlinkat(pool->folder.dir, POOL_PENDING, 0);
	if (r == -EEXIST)
		return r;
	if (r < 0)
		return pool_failure(pool, "record the lease of",
				    inet_format(lease.address.addr, name), r, err);
	addrmap_set(&pool->map, lease.address.addr);
	return 0;
}
