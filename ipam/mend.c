// SPDX-License-Identifier: Apache-2.0
#include "ipam/mend.h"

#include "base/log.h"
#include "ipam/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

/* Give an address its by-id name again. */
static void mend_by_id(struct pool *pool, const char *name, const struct lease *lease)
{
	struct err why = { 0 };
	char key[LEASE_KEY_SIZE];
	struct lease other;
	struct stat st;
	int r;

	lease_key(lease->id, lease->ifname, lease->range, key);
	if (fstatat(pool->folder.dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    record_same_file(pool->by_id, key, &st))
		return;
	r = pool_find(pool, lease->id, lease->ifname, lease->range, &other, &why);
	if (r == 1 && inet_equal(other.address.addr, lease->address.addr))
		return; /* a copy has no hard links */
	if (r != 0 && r != -ESTALE) {
		log_warn("%s/%s: its holder has another address of this range too; remove the file "
			 "to free it",
			 pool->path, name);
		return;
	}
	record_unlink(pool->by_id, key);
	if (linkat(pool->folder.dir, name, pool->by_id, key, 0) < 0)
		log_warn("%s/%s: cannot restore " POOL_BY_ID "/%s: %m", pool->path, name, key);
}

/* Give an address its name in the domain again. */
static void mend_domain(struct pool *pool, const char *name, const struct lease *lease)
{
	struct err err = { 0 };
	int r = pool_use_domain(pool, lease->domain, HOME_CREATE, &err);
	struct stat st;

	if (r == 0 && fstatat(pool->folder.dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    !record_is_lease(pool->domain.folder.dir, name, &st, lease))
		r = domain_enter(&pool->domain, pool->folder.dir, name, lease->address.addr);
	if (r < 0)
		log_warn("%s/%s: cannot enter it into %s: %s", pool->path, name, lease->domain,
			 r == -EEXIST	    ? "another network has the address, too"
			 : err_is_set(&err) ? err.msg
					    : strerror(-r));
}

static void mend_record(struct pool *pool, const char *name, const struct lease *lease,
			const char *why, void *arg)
{
	(void)arg;
	if (!lease) {
		log_warn("%s/%s: %s; its address stays taken, remove the file to free it",
			 pool->path, name, why);
		return;
	}
	mend_by_id(pool, name, lease);
	if (*lease->domain && !home_is_earlier_boot(pool->home, lease->node, lease->boot))
		mend_domain(pool, name, lease);
}

/* A by-id name whose address is gone: a DEL was killed, or somebody removed the address. */
static void drop_stale(struct pool *pool, const char *key)
{
	char name[INET_TEXT_SIZE];
	struct err err = { 0 };
	struct lease lease;
	struct stat st;
	int r = record_read(pool->by_id, key, &lease, &st, &err);

	if (r == -EBADMSG && st.st_nlink == 1)
		record_unlink(pool->by_id, key);
	if (r < 0 ||
	    record_is_lease(pool->folder.dir, inet_format(lease.address.addr, name), &st, &lease))
		return;
	if (*lease.domain && pool_use_domain(pool, lease.domain, HOME_EXISTING, &err) == 0)
		domain_leave(&pool->domain, &st, &lease);
	record_unlink(pool->by_id, key);
}

int mend_pool(struct pool *pool, struct err *err)
{
	_cleanup_names_ DIR *names = NULL;
	const struct dirent *entry;
	int r = pool_walk(pool, mend_record, NULL, err);

	if (r < 0)
		return r;
	names = record_list(pool->by_id);
	if (!names)
		return pool_failure(pool, "read", POOL_BY_ID, -errno, err);
	while ((entry = readdir(names)))
		if (entry->d_name[0] != '.')
			drop_stale(pool, entry->d_name);
	return 0;
}
