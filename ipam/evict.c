// SPDX-License-Identifier: Apache-2.0
#include "ipam/evict.h"

#include "ipam/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

static int remove_address(struct pool *pool, const char *name, struct inet_addr addr,
			  struct err *err)
{
	int r;

	addrmap_load(&pool->map, pool->home->boot);
	addrmap_clear(&pool->map, addr);
	r = record_unlink(pool->folder.dir, name);
	return r < 0 ? pool_failure(pool, "remove", name, r, err) : 0;
}

/* ---- a whole record ---- */

/* True if the by-id name of the lease leads to this address, so that a DEL would release it. */
static bool is_by_id(const struct pool *pool, const struct lease *lease)
{
	struct err ignored = { 0 };
	struct lease other;

	return pool_find(pool, lease->id, lease->ifname, lease->range, &other, &ignored) == 1 &&
	       inet_equal(other.address.addr, lease->address.addr);
}

static int evict_whole(struct pool *pool, const char *name, const struct lease *lease,
		       const struct stat *st, struct err *err)
{
	int domain = 0, r;

	if (is_by_id(pool, lease))
		return pool_release(pool, lease->id, lease->ifname, lease->range, err);
	if (*lease->domain)
		domain = pool_use_domain(pool, lease->domain, HOME_EXISTING, err);
	if (domain < 0 && domain != -ENOENT)
		return domain;
	r = remove_address(pool, name, lease->address.addr, err);
	if (r < 0 || !*lease->domain || domain < 0)
		return r;
	r = domain_leave(&pool->domain, st, lease);
	return r < 0 ? pool_failure(pool, "release in the domain", name, r, err) : 0;
}

/* ---- a damaged one ---- */

static void leave_by_id(struct pool *pool, const struct stat *st)
{
	_cleanup_names_ DIR *names = record_list(pool->by_id);
	const struct dirent *entry;

	while (names && (entry = readdir(names)))
		if (record_same_file(pool->by_id, entry->d_name, st))
			record_unlink(pool->by_id, entry->d_name);
}

/* Nobody knows which domain it was leased in. */
static int leave_domains(struct pool *pool, const char *name, const struct stat *st,
			 struct inet_addr addr, struct err *err)
{
	_cleanup_close_ int home = home_open(pool->home, HOME_EXISTING, err);
	_cleanup_names_ DIR *names = home < 0 ? NULL : record_list(home);
	const struct dirent *entry;
	char path[NAME_MAX + INET_TEXT_SIZE + 2];

	while (names && (entry = readdir(names))) {
		int r;

		snprintf(path, sizeof(path), "%s/%s", entry->d_name, name);
		if (strncmp(entry->d_name, ".domain", 7) != 0 || !record_same_file(home, path, st))
			continue;
		r = pool_use_domain(pool, entry->d_name, HOME_EXISTING, err);
		if (r == 0)
			r = domain_remove(&pool->domain, name, addr);
		if (r < 0)
			return pool_failure(pool, "release in the domain", name, r, err);
	}
	return 0;
}

int evict_address(struct pool *pool, struct inet_addr addr, struct err *err)
{
	char name[INET_TEXT_SIZE];
	struct err why = { 0 };
	struct lease lease;
	struct stat st;
	int r = record_read(pool->folder.dir, inet_format(addr, name), &lease, &st, &why);

	if (r == -ENOENT)
		return 0;
	if (r == 0 && inet_equal(lease.address.addr, addr))
		return evict_whole(pool, name, &lease, &st, err);
	if (r < 0 && r != -EBADMSG)
		return pool_failure(pool, "read", name, r, err);
	r = remove_address(pool, name, addr, err);
	if (r < 0)
		return r;
	leave_by_id(pool, &st);
	return leave_domains(pool, name, &st, addr, err);
}
