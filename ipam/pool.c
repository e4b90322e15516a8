// SPDX-License-Identifier: Apache-2.0
/*
 * Theory of operation
 * ===================
 *
 * Layout. One folder a network:
 *
 *	10.56.0.2		the record of a lease, named by its address
 *	by-id/ID:IFNAME:0	the same file (a hard link), named by its holder and the range
 *	lock			flock(2): one process at a time works here
 *	pending			a record on its way in, only while a process publishes one
 *	map			bitmap of the address names, a cache (addrmap.c)
 *
 * and, unless the network opted out, the same file in the folder of its collision domain
 * (domain.c), so that no other network gives the address.
 *
 * The address names are the truth: an address is taken if and only if its name is there. The by-id
 * name makes "what does this container hold" one open(2), so that a repeated ADD is answered from
 * the store and DEL needs no ranges. Nothing is ever looked up by reading all records.
 *
 * Publishing (publish.c). The record is written whole to "pending", linked into the domain, to the
 * address (link(2) fails when the name exists: two processes cannot both succeed, whatever the map
 * says) and to by-id, then "pending" is unlinked. No reader ever sees half a record. A process
 * killed on the way leaves "pending", and its link count says how far it came: with all names there
 * only the unlink is missing, and the lease stands; the retried ADD finds it, or DEL removes it.
 * With fewer, the caller got no answer: what there is is taken back. Not completed, because
 * unlink(2) works on a full disk. Whoever gets the lock does this before anything else.
 *
 * Releasing. First the address, then the domain, then by-id: killed in between, a by-id name without
 * an address is left, which counts as no lease, and which leads the next DEL to the name in the
 * domain. The reverse order would leave an address that nobody can name. A name is removed only if it
 * is the same file as by-id, or a record with the same holder (a store restored by a copy has no hard
 * links): after a repair by hand it may belong to somebody else.
 *
 * Lowest free first, at any fill. The maps answer "lowest address without a name" from one read of a
 * bit for each address in use, so the number of system calls does not depend on the leases. Bits are
 * set after link(2) and cleared before unlink(2): killed in between, a bit says "free" for a taken
 * address, and link(2) finds that out. A map's stamp finds changes by others; then, and before a
 * range is called full, the map is rebuilt from the names. With n leases and e excluded addresses the
 * answer lies within the first n + e + 1 candidates, so a /8 or a /64 costs what its leases cost;
 * excluded spans are jumped over whole.
 *
 * Locks. The pool's, then the domain's; nobody holds two pools or two domains.
 *
 * Durability. Volatile: no fsync at all, the page cache survives a killed process. Durable: fsync of
 * "pending" before the first link, of both folders before the answer; none of the domain (see there),
 * and none for DEL, since a record that power loss brings back is stale by its boot ID and never a
 * duplicate.
 *
 * Damage. A record that cannot be read still takes its address (its name is there) until its holder's
 * DEL releases it: the by-id name says whose it is, and the inode number finds the address name.
 */
#include "ipam/pool.h"

#include "base/log.h"
#include "ipam/mend.h"
#include "ipam/publish.h"
#include "ipam/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

int pool_failure(const struct pool *pool, const char *what, const char *name, int r,
		 struct err *err)
{
	return err_set(err, CNI_IO_FAILURE, r, "cannot %s %s/%s: %s", what, pool->path, name,
		       strerror(-r));
}

static int by_id_failure(const struct pool *pool, const char *what, const char *key, int r,
			 struct err *err)
{
	char name[LEASE_KEY_SIZE + sizeof(POOL_BY_ID)];

	snprintf(name, sizeof(name), POOL_BY_ID "/%s", key);
	return pool_failure(pool, what, name, r, err);
}

bool pool_find_file(const struct pool *pool, const struct stat *st, struct inet_addr *ret_addr)
{
	_cleanup_names_ DIR *names = record_list(pool->folder.dir);
	const char *name;

	while (names && (name = record_next(names, ret_addr)))
		if (record_same_file(pool->folder.dir, name, st))
			return true;
	return false;
}

/* ---- opening ---- */

static int open_by_id(struct pool *pool, struct err *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;

	pool->by_id = openat(pool->folder.dir, POOL_BY_ID, flags);
	if (pool->by_id >= 0)
		return 0;
	if (errno == ENOENT && mkdirat(pool->folder.dir, POOL_BY_ID, 0700) == 0) {
		pool->by_id = openat(pool->folder.dir, POOL_BY_ID, flags);
		if (pool->by_id >= 0)
			return mend_pool(pool, err); /* in a new pool there is nothing to mend */
	}
	return pool_failure(pool, "open", POOL_BY_ID, -errno, err);
}

/* Nothing in it is a lease or could lead to one: what a first ADD leaves that found the disk full. */
static bool is_blank(const char *path)
{
	_cleanup_close_ int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	_cleanup_names_ DIR *names = dir < 0 ? NULL : record_list(dir);
	struct inet_addr addr;

	return names && faccessat(dir, POOL_BY_ID, F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
	       errno == ENOENT && !record_next(names, &addr);
}

int pool_open(const struct home *home, const char *network, enum home_mode mode, int64_t deadline,
	      struct pool *ret_pool, struct err *err)
{
	struct pool *pool = ret_pool;
	int r;

	*pool = (struct pool){
		.home = home, .folder = FOLDER_CLOSED, .by_id = -1, .deadline = deadline
	};
	domain_init(&pool->domain, home);
	lease_copy_text(pool->network, sizeof(pool->network), network);
	snprintf(pool->path, sizeof(pool->path), "%s/%s", home->path, network);
	r = folder_open(home, network, mode, deadline, &pool->folder, err);
	addrmap_init(&pool->map, pool->folder.dir);
	if (r == 0)
		r = publish_sweep(pool, err);
	if (r == 0)
		r = open_by_id(pool, err);
	if (r < 0)
		pool_close(pool);
	if (r == -ENOSPC && mode == HOME_EXISTING && is_blank(pool->path)) {
		*err = (struct err){ 0 };
		return -ENOENT;
	}
	return r;
}

void pool_close(struct pool *pool)
{
	domain_close(&pool->domain);
	if (pool->folder.dir >= 0)
		addrmap_close(&pool->map);
	base_closep(&pool->by_id);
	pool->by_id = -1;
	folder_close(&pool->folder);
}

void pool_share(struct pool *pool, const char *domain)
{
	snprintf(pool->shared, sizeof(pool->shared), "%s", domain);
}

int pool_use_domain(struct pool *pool, const char *domain, enum home_mode mode, struct err *err)
{
	return domain_switch(&pool->domain, domain, mode, pool->deadline, err);
}

/* ---- one lease ---- */

int pool_find(const struct pool *pool, const char *id, const char *ifname, int range,
	      struct lease *ret_lease, struct err *err)
{
	char key[LEASE_KEY_SIZE], name[INET_TEXT_SIZE];
	struct lease lease;
	struct stat st;
	int r = record_read(pool->by_id, lease_key(id, ifname, range, key), &lease, &st, err);

	if (r == -ENOENT)
		return 0;
	if (r == 0 && !lease_is_of(&lease, id, ifname, range))
		r = err_set(err, ROCE_STATE_BROKEN, -EBADMSG,
			    "damaged lease record: it names another holder, %s %s", lease.id,
			    lease.ifname);
	if (r == -EBADMSG)
		return err_wrap(err, "%s/" POOL_BY_ID "/%s", pool->path, key);
	if (r < 0)
		return by_id_failure(pool, "read", key, r, err);
	if (!record_is_lease(pool->folder.dir, inet_format(lease.address.addr, name), &st, &lease))
		return -ESTALE;
	*ret_lease = lease;
	return 1;
}

int pool_holder(struct pool *pool, struct inet_addr addr, struct lease *ret_lease, struct err *err)
{
	char name[INET_TEXT_SIZE];
	struct stat st;
	int r = record_read(pool->folder.dir, inet_format(addr, name), ret_lease, &st, err);

	if (r == -EBADMSG)
		return err_wrap(err, "%s/%s", pool->path, name);
	if (r != -ENOENT)
		return r < 0 ? pool_failure(pool, "read", name, r, err) : 1;
	return *pool->domain.name ? domain_find(&pool->domain, addr, ret_lease, err) : 0;
}

/* Remove an address name, the map's bit first. */
static int remove_address(struct pool *pool, struct inet_addr addr, struct err *err)
{
	char name[INET_TEXT_SIZE];
	int r;

	addrmap_load(&pool->map, pool->home->boot);
	addrmap_clear(&pool->map, addr);
	r = record_unlink(pool->folder.dir, inet_format(addr, name));
	return r < 0 ? pool_failure(pool, "remove", name, r, err) : 0;
}

/* The record is whole: remove the address, then its name in the domain. */
static int release_names(struct pool *pool, const struct lease *lease, const struct stat *st,
			 struct err *err)
{
	struct inet_addr addr = lease->address.addr;
	char name[INET_TEXT_SIZE];
	int r = 0, domain = 0;

	if (*lease->domain)
		domain = pool_use_domain(pool, lease->domain, HOME_EXISTING, err);
	if (domain < 0 && domain != -ENOENT)
		return domain;
	if (record_is_lease(pool->folder.dir, inet_format(addr, name), st, lease))
		r = remove_address(pool, addr, err);
	if (r < 0 || !*lease->domain || domain < 0)
		return r;
	r = domain_leave(&pool->domain, st, lease);
	return r < 0 ? pool_failure(pool, "release in the domain", name, r, err) : 0;
}

/* The record says nothing of use; its address in a domain is an orphan from then on. */
static int release_file(struct pool *pool, const char *key, const char *why, const struct stat *st,
			struct err *err)
{
	struct inet_addr addr;

	log_warn("%s/" POOL_BY_ID "/%s: %s; releasing what it is linked to", pool->path, key, why);
	return pool_find_file(pool, st, &addr) ? remove_address(pool, addr, err) : 0;
}

int pool_release(struct pool *pool, const char *id, const char *ifname, int range, struct err *err)
{
	char key[LEASE_KEY_SIZE];
	struct err why = { 0 };
	struct lease lease;
	struct stat st;
	int r = record_read(pool->by_id, lease_key(id, ifname, range, key), &lease, &st, &why);

	if (r == -ENOENT)
		return 0;
	if (r == 0 && lease_is_of(&lease, id, ifname, range))
		r = release_names(pool, &lease, &st, err);
	else if (r == 0 || r == -EBADMSG)
		r = release_file(pool, key, r == 0 ? "it names another holder" : why.msg, &st, err);
	else
		return by_id_failure(pool, "read", key, r, err);
	if (r < 0)
		return r;
	r = record_unlink(pool->by_id, key);
	return r < 0 ? by_id_failure(pool, "remove", key, r, err) : 0;
}

int pool_sync(const struct pool *pool, struct err *err)
{
	if (pool->home->durability == FILE_VOLATILE)
		return 0;
	if (fsync(pool->folder.dir) < 0 || fsync(pool->by_id) < 0)
		return pool_failure(pool, "sync", "", -errno, err);
	return 0;
}

/* ---- what is free ---- */

static int rebuild(struct pool *pool, struct addrmap *map, struct err *err)
{
	int r = addrmap_rebuild(map, pool->home->boot);

	return r < 0 ? pool_failure(pool, "read", "", r, err) : 0;
}

int pool_rescan(struct pool *pool, struct err *err)
{
	struct addrmap *maps[] = { &pool->map, *pool->domain.name ? &pool->domain.map : NULL };
	int n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		if (!maps[i] || maps[i]->rebuilt)
			continue;
		if (rebuild(pool, maps[i], err) < 0)
			return -err->eno;
		n = 1;
	}
	return n;
}

void pool_mark_taken(struct pool *pool, struct inet_addr addr)
{
	addrmap_set(&pool->map, addr);
}

static int first_in(struct pool *pool, struct addrmap *map, int family, inet_num lo, inet_num hi,
		    inet_num *ret_num, struct err *err)
{
	int r = addrmap_load(map, pool->home->boot) ? 0 : rebuild(pool, map, err);

	return r < 0 ? r : addrmap_first_free(map, family, lo, hi, ret_num);
}

int pool_first_free(struct pool *pool, int family, inet_num lo, inet_num hi,
		    struct inet_addr *ret_addr, struct err *err)
{
	int r = *pool->shared ? pool_use_domain(pool, pool->shared, HOME_CREATE, err) : 0;

	if (r < 0)
		return r;
	ret_addr->family = family;
	for (;;) {
		r = first_in(pool, &pool->map, family, lo, hi, &ret_addr->num, err);
		if (r <= 0 || !*pool->shared)
			return r;
		lo = ret_addr->num;
		r = first_in(pool, &pool->domain.map, family, lo, hi, &ret_addr->num, err);
		if (r <= 0 || ret_addr->num == lo)
			return r;
		lo = ret_addr->num;
	}
}

/* ---- all leases ---- */

int pool_walk(struct pool *pool, pool_visitor visit, void *arg, struct err *err)
{
	_cleanup_names_ DIR *names = record_list(pool->folder.dir);
	struct inet_addr addr;
	const char *name;

	if (!names)
		return pool_failure(pool, "read", "", -errno, err);
	while ((name = record_next(names, &addr))) {
		struct err why = { 0 };
		struct lease lease;
		struct stat st;
		int r = record_read(pool->folder.dir, name, &lease, &st, &why);

		if (r == 0 && !inet_equal(lease.address.addr, addr))
			r = err_set(&why, ROCE_STATE_BROKEN, -EBADMSG,
				    "damaged lease record: it names another address");
		if (r == 0 || r == -EBADMSG)
			visit(pool, name, r == 0 ? &lease : NULL, why.msg, arg);
	}
	return 0;
}
