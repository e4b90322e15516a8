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
 * The address names are the truth: an address is taken if and only if its name is there. The second
 * name makes "what does this container hold" one open(2), so that a repeated ADD is answered from
 *the store and DEL needs no ranges. Nothing is ever looked up by reading all records.
 *
 * Publishing. The record is written whole to "pending", linked to the address (link(2) fails when
 *the name exists: two processes cannot both succeed, whatever the map says), linked to by-id, then
 * "pending" is unlinked. No reader ever sees half a record. A process killed on the way leaves
 * "pending", and its link count says how far it came:
 *
 *	1	nothing was published: remove it
 *	2	the address, not yet by-id: the caller got no answer, so take the address back
 *	3	all of it: only the unlink is missing. The lease stands; the retried ADD finds it,
 *		or DEL removes it
 *
 * Taking back, not completing, because unlink(2) works on a full disk. Whoever gets the lock does
 * this before anything else.
 *
 * Releasing. First the address, then by-id: killed in between, a by-id name without an address is
 * left, which counts as no lease. The reverse order would leave an address that nobody can name.
 *The address is removed only if it is the same file as by-id, or a record with the same holder (a
 *store restored by a copy has no hard links): after a repair by hand it may belong to somebody
 *else.
 *
 * Lowest free first, at any fill. The map answers "lowest address without a name" from one read of
 *a bit for each address in use, so the number of system calls does not depend on the leases. Bits
 *are set after link(2) and cleared before unlink(2): killed in between, a bit says "free" for a
 *taken address, and link(2) finds that out. The map's stamp finds changes by others; then, and
 *before a range is called full, the map is rebuilt from the names. With n leases and e excluded
 *addresses the answer lies within the first n + e + 1 candidates, so a /8 or a /64 costs what its
 *leases cost; excluded spans are jumped over whole.
 *
 * Durability. Volatile: no fsync at all, the page cache survives a killed process. Durable: fsync
 *of "pending" before the first link, of both folders before the answer; none for DEL, since a
 *record that power loss brings back is stale by its boot ID and never a duplicate.
 *
 * Damage. A record that cannot be read still takes its address (its name is there) until its
 *holder's DEL releases it: the by-id name says whose it is, and the inode number finds the address
 *name.
 */
#include "ipam/pool.h"

#include "base/log.h"
#include "ipam/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>

#define PENDING "pending"
#define BY_ID "by-id"
#define LOCK "lock"

static int io_failure(const struct pool *pool, const char *what, const char *name, int r,
		      struct err *err)
{
	return err_set(err, CNI_IO_FAILURE, r, "cannot %s %s/%s: %s", what, pool->path, name,
		       strerror(-r));
}

/* True if the address @name is held by the lease whose by-id file is @st. */
static bool held_by(const struct pool *pool, const char *name, const struct stat *st,
		    const struct lease *lease)
{
	struct err ignored = { 0 };
	struct lease other;
	struct stat other_st;

	if (record_same_file(pool->dir, name, st))
		return true;
	return record_read(pool->dir, name, &other, &other_st, &ignored) == 0 &&
	       lease_is_of(&other, lease->id, lease->ifname, lease->range);
}

/* The address of a file whose text is of no use. */
static bool find_by_inode(const struct pool *pool, const struct stat *st,
			  struct inet_addr *ret_addr)
{
	_cleanup_names_ DIR *names = record_list(pool->dir);
	const char *name;

	while (names && (name = record_next(names, ret_addr)))
		if (record_same_file(pool->dir, name, st))
			return true;
	return false;
}

static int unlink_gone(int dir, const char *name)
{
	return unlinkat(dir, name, 0) < 0 && errno != ENOENT ? -errno : 0;
}

/* ---- opening ---- */

/* The address that "pending" is linked to. */
static bool find_pending(const struct pool *pool, const struct stat *st, const struct lease *lease,
			 struct inet_addr *ret_addr)
{
	char name[INET_TEXT_SIZE];

	if (lease && record_same_file(pool->dir, inet_format(lease->address.addr, name), st)) {
		*ret_addr = lease->address.addr;
		return true;
	}
	return find_by_inode(pool, st, ret_addr);
}

/* Remove what a killed process left of a lease that nobody was told of; see the top of the file. */
static int sweep_pending(struct pool *pool, struct err *err)
{
	struct err why = { 0 };
	char name[INET_TEXT_SIZE];
	struct inet_addr addr;
	struct lease lease;
	struct stat st;
	int r = record_read(pool->dir, PENDING, &lease, &st, &why);

	if (r == -ENOENT)
		return 0;
	if (r < 0 && r != -EBADMSG)
		return io_failure(pool, "read", PENDING, r, err);
	if (st.st_nlink == 2 && find_pending(pool, &st, r == 0 ? &lease : NULL, &addr)) {
		r = unlink_gone(pool->dir, inet_format(addr, name));
		if (r < 0)
			return io_failure(pool, "remove", name, r, err);
	}
	r = unlink_gone(pool->dir, PENDING);
	return r < 0 ? io_failure(pool, "remove", PENDING, r, err) : 0;
}

static int open_by_id(struct pool *pool, struct err *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;

	pool->by_id = openat(pool->dir, BY_ID, flags);
	if (pool->by_id >= 0)
		return 0;
	if (errno == ENOENT && mkdirat(pool->dir, BY_ID, 0700) == 0) {
		pool->by_id = openat(pool->dir, BY_ID, flags);
		if (pool->by_id >= 0)
			return pool_mend(pool, err); /* in a new pool there is nothing to mend */
	}
	return io_failure(pool, "open", BY_ID, -errno, err);
}

static bool folder_is_current(const struct pool *pool)
{
	struct stat st;

	return fstat(pool->dir, &st) == 0 && record_same_file(AT_FDCWD, pool->path, &st);
}

/* Open the folder and lock it, again if somebody removed the folder before we had the lock. */
static int lock_folder(struct pool *pool, enum pool_mode mode, int64_t deadline, struct err *err)
{
	do {
		struct err why = { 0 };

		if (mode == POOL_CREATE)
			pool->dir = file_opendir(pool->path, err);
		else
			pool->dir = open(pool->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (pool->dir < 0 && mode == POOL_CREATE)
			return -err->eno;
		if (pool->dir < 0)
			return errno == ENOENT ? -ENOENT
					       : io_failure(pool, "open", "", -errno, err);
		pool->lock = file_lock(pool->dir, LOCK, deadline, &why);
		if (pool->lock >= 0 && folder_is_current(pool))
			return 0;
		if (pool->lock < 0 && pool->lock != -ENOENT) {
			*err = why;
			return err_wrap(err, "address pool %s", pool->path);
		}
		if (pool->lock >= 0)
			close(steal_fd(&pool->lock));
		close(steal_fd(&pool->dir));
	} while (file_time_left(deadline) > 0);
	return err_set(err, CNI_TRY_AGAIN, -ETIMEDOUT,
		       "address pool %s is being removed all the time; try again", pool->path);
}

static void identify_host(struct pool *pool)
{
	struct utsname host;

	if (uname(&host) == 0)
		lease_copy_text(pool->node, sizeof(pool->node), host.nodename);
	if (file_read_line("/proc/sys/kernel/random/boot_id", pool->boot, sizeof(pool->boot)) < 0)
		pool->boot[0] = '\0';
}

int pool_open(const char *path, const char *network, enum pool_mode mode,
	      enum file_durability durability, int64_t deadline, struct pool *ret_pool,
	      struct err *err)
{
	struct pool *pool = ret_pool;
	int r;

	*pool = (struct pool){ .dir = -1, .by_id = -1, .lock = -1, .durability = durability };
	if (snprintf(pool->path, sizeof(pool->path), "%s", path) >= (int)sizeof(pool->path))
		return err_set(err, CNI_IO_FAILURE, -ENAMETOOLONG, "folder name too long: %s",
			       path);
	lease_copy_text(pool->network, sizeof(pool->network), network);
	identify_host(pool);
	r = lock_folder(pool, mode, deadline, err);
	if (r < 0) {
		addrmap_init(&pool->map, -1);
		pool_close(pool);
		return r;
	}
	addrmap_init(&pool->map, pool->dir);
	r = sweep_pending(pool, err);
	if (r == 0)
		r = open_by_id(pool, err);
	if (r < 0)
		pool_close(pool);
	return r;
}

void pool_close(struct pool *pool)
{
	if (pool->dir >= 0)
		addrmap_close(&pool->map);
	base_closep(&pool->by_id);
	base_closep(&pool->lock);
	base_closep(&pool->dir);
	pool->by_id = pool->lock = pool->dir = -1;
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
		return err_wrap(err, "%s/" BY_ID "/%s", pool->path, key);
	if (r < 0)
		return io_failure(pool, "read", key, r, err);
	if (!held_by(pool, inet_format(lease.address.addr, name), &st, &lease))
		return 0; /* a DEL was killed half-way */
	*ret_lease = lease;
	return 1;
}

int pool_rescan(struct pool *pool, struct err *err)
{
	int r = addrmap_rebuild(&pool->map, pool->boot);

	return r < 0 ? io_failure(pool, "read", "", r, err) : 0;
}

int pool_first_free(struct pool *pool, int family, inet_num lo, inet_num hi,
		    struct inet_addr *ret_addr, struct err *err)
{
	int r = addrmap_load(&pool->map, pool->boot) ? 0 : pool_rescan(pool, err);

	if (r < 0)
		return r;
	ret_addr->family = family;
	return addrmap_first_free(&pool->map, family, lo, hi, &ret_addr->num);
}

static int write_pending(const struct pool *pool, const char *text, size_t len)
{
	_cleanup_close_ int fd = openat(pool->dir, PENDING,
					O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	int r;

	if (fd < 0)
		return errno == EEXIST ? -EBUSY : -errno; /* EEXIST means the address, here */
	r = file_write_fd(fd, text, len);
	if (r == 0 && pool->durability == FILE_DURABLE && fsync(fd) < 0)
		r = -errno;
	return r;
}

/* A by-id name that is there already belongs to no lease, or pool_find() would have found it. */
static int link_by_id(const struct pool *pool, const char *from, const char *key)
{
	if (linkat(pool->dir, from, pool->by_id, key, 0) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	if (unlinkat(pool->by_id, key, 0) < 0 || linkat(pool->dir, from, pool->by_id, key, 0) < 0)
		return -errno;
	return 0;
}

/* Give "pending" its two names. */
static int link_pending(const struct pool *pool, const char *name, const char *key)
{
	int r;

	if (linkat(pool->dir, PENDING, pool->dir, name, 0) < 0)
		return -errno;
	r = link_by_id(pool, PENDING, key);
	if (r < 0)
		unlinkat(pool->dir, name, 0);
	return r == -EEXIST ? -EIO : r; /* only the address may be "taken" */
}

int pool_publish(struct pool *pool, const struct lease *wanted, struct err *err)
{
	char name[INET_TEXT_SIZE], key[LEASE_KEY_SIZE], text[LEASE_TEXT_MAX];
	struct lease lease = *wanted;
	int r;

	memcpy(lease.network, pool->network, sizeof(lease.network));
	memcpy(lease.node, pool->node, sizeof(lease.node));
	memcpy(lease.boot, pool->boot, sizeof(lease.boot));
	lease.time = time(NULL);
	inet_format(lease.address.addr, name);
	lease_key(lease.id, lease.ifname, lease.range, key);

	addrmap_load(&pool->map, pool->boot); /* before the folder changes */
	pool->map.touched = true;
	r = write_pending(pool, text, lease_format(&lease, text));
	if (r == 0)
		r = link_pending(pool, name, key);
	if (r != -EBUSY)
		unlinkat(pool->dir, PENDING, 0);
	if (r == -EEXIST)
		return r;
	if (r < 0)
		return io_failure(pool, "record the lease of", name, r, err);
	addrmap_set(&pool->map, lease.address.addr);
	return 0;
}

int pool_sync(const struct pool *pool, struct err *err)
{
	if (pool->durability == FILE_VOLATILE)
		return 0;
	if (fsync(pool->dir) < 0 || fsync(pool->by_id) < 0)
		return io_failure(pool, "sync", "", -errno, err);
	return 0;
}

/* Remove an address name, the map's bit first. */
static int remove_address(struct pool *pool, struct inet_addr addr, struct err *err)
{
	char name[INET_TEXT_SIZE];
	int r;

	addrmap_load(&pool->map, pool->boot);
	addrmap_clear(&pool->map, addr);
	r = unlink_gone(pool->dir, inet_format(addr, name));
	return r < 0 ? io_failure(pool, "remove", name, r, err) : 0;
}

int pool_release(struct pool *pool, const char *id, const char *ifname, int range, struct err *err)
{
	char key[LEASE_KEY_SIZE], name[INET_TEXT_SIZE];
	struct err why = { 0 };
	struct lease lease;
	struct inet_addr addr;
	struct stat st;
	bool ours;
	int r = record_read(pool->by_id, lease_key(id, ifname, range, key), &lease, &st, &why);

	if (r == -ENOENT)
		return 0;
	if (r == 0 && lease_is_of(&lease, id, ifname, range)) {
		addr = lease.address.addr;
		ours = held_by(pool, inet_format(addr, name), &st, &lease);
	} else if (r == 0 || r == -EBADMSG) {
		log_warn("%s/" BY_ID "/%s: %s; releasing what it is linked to", pool->path, key,
			 r == 0 ? "it names another holder" : why.msg);
		ours = find_by_inode(pool, &st, &addr);
	} else {
		return io_failure(pool, "read", key, r, err);
	}
	r = ours ? remove_address(pool, addr, err) : 0;
	if (r < 0)
		return r;
	r = unlink_gone(pool->by_id, key);
	return r < 0 ? io_failure(pool, "remove", key, r, err) : 0;
}

/* ---- all leases ---- */

int pool_walk(struct pool *pool, pool_visitor visit, void *arg, struct err *err)
{
	_cleanup_names_ DIR *names = record_list(pool->dir);
	struct inet_addr addr;
	const char *name;

	if (!names)
		return io_failure(pool, "read", "", -errno, err);
	while ((name = record_next(names, &addr))) {
		struct err why = { 0 };
		struct lease lease;
		struct stat st;
		int r = record_read(pool->dir, name, &lease, &st, &why);

		if (r == 0 && !inet_equal(lease.address.addr, addr))
			r = err_set(&why, ROCE_STATE_BROKEN, -EBADMSG,
				    "damaged lease record: it names another address");
		if (r == 0 || r == -EBADMSG)
			visit(pool, name, r == 0 ? &lease : NULL, why.msg, arg);
	}
	return 0;
}

static void mend_record(struct pool *pool, const char *name, const struct lease *lease,
			const char *why, void *arg)
{
	char key[LEASE_KEY_SIZE];
	struct stat st;
	int r;

	(void)arg;
	if (!lease) {
		log_warn("%s/%s: %s; its address stays taken, remove the file to free it",
			 pool->path, name, why);
		return;
	}
	if (fstatat(pool->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_nlink != 1)
		return;
	lease_key(lease->id, lease->ifname, lease->range, key);
	if (fstatat(pool->by_id, key, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_nlink > 1) {
		log_warn("%s/%s: its holder has another address of this range too; remove the file "
			 "to free it",
			 pool->path, name);
		return;
	}
	r = link_by_id(pool, name, key);
	if (r < 0)
		log_warn("%s/%s: cannot restore " BY_ID "/%s: %s", pool->path, name, key,
			 strerror(-r));
}

int pool_mend(struct pool *pool, struct err *err)
{
	_cleanup_names_ DIR *names = NULL;
	const struct dirent *entry;
	int r = pool_walk(pool, mend_record, NULL, err);

	if (r < 0)
		return r;
	names = record_list(pool->by_id);
	if (!names)
		return io_failure(pool, "read", BY_ID, -errno, err);
	while ((entry = readdir(names))) {
		struct stat st;

		if (fstatat(pool->by_id, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && st.st_nlink == 1)
			unlinkat(pool->by_id, entry->d_name, 0);
	}
	return 0;
}
