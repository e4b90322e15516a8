// SPDX-License-Identifier: Apache-2.0
/*
 * Mending one finding, under the lock of its folder. Killed anywhere, what is left is found and mended
 * again: a name is only removed when nothing depends on it, or when what replaces it is there.
 */
#include "ipam/audit_run.h"

#include "ipam/evict.h"
#include "ipam/holder.h"
#include "ipam/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- what became of it ---- */

static void note(struct audit_finding *finding, enum audit_outcome outcome, const char *fmt, va_list ap)
{
	finding->outcome = outcome;
	vsnprintf(finding->did, sizeof(finding->did), fmt, ap);
}

void audit_mended(struct audit_finding *finding, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	note(finding, AUDIT_MENDED, fmt, ap);
	va_end(ap);
}

void audit_kept(struct audit_finding *finding, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	note(finding, AUDIT_KEPT, fmt, ap);
	va_end(ap);
}

static void failed(struct audit_finding *finding, const char *what, int r)
{
	audit_kept(finding, "cannot %s: %s", what, strerror(-r));
}

/* ---- out of the way ---- */

/* A name that is free in there: "FOLDER.NAME", then with a number. */
static int free_name(int aside, const struct audit_finding *finding, char buf[NAME_MAX + 1])
{
	for (int i = 0; i < 1000; i++) {
		char number[16] = "";
		struct stat st;

		if (i > 0)
			snprintf(number, sizeof(number), ".%d", i);
		snprintf(buf, NAME_MAX + 1, "%.100s%s%.100s%s", finding->folder,
			 *finding->folder ? "." : "", finding->name, number);
		for (char *p = buf; *p; p++)
			if (*p == '/')
				*p = '.';
		if (fstatat(aside, buf, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return errno == ENOENT ? 0 : -errno;
	}
	return -EEXIST;
}

int audit_set_aside(int home, int dir, struct audit_finding *finding, bool keep)
{
	_cleanup_close_ int aside = -1;
	char name[NAME_MAX + 1];
	int r;

	if (mkdirat(home, AUDIT_ASIDE, 0700) < 0 && errno != EEXIST)
		return -errno;
	aside = audit_open_dir(home, AUDIT_ASIDE);
	r = aside < 0 ? aside : free_name(aside, finding, name);
	if (r < 0)
		return r;
	if (keep)
		return linkat(dir, finding->name, aside, name, 0) < 0 ? -errno : 0;
	return renameat(dir, finding->name, aside, name) < 0 ? -errno : 0;
}

static void move_aside(int home, int dir, struct audit_finding *finding)
{
	int r = audit_set_aside(home, dir, finding, false);

	if (r < 0)
		failed(finding, "move it to " AUDIT_ASIDE, r);
	else
		audit_mended(finding, "moved to the folder " AUDIT_ASIDE " of the store");
}

static void remove_file(int dir, struct audit_finding *finding)
{
	int r = record_unlink(dir, finding->name);

	if (r < 0)
		failed(finding, "remove it", r);
	else
		audit_mended(finding, "removed");
}

/* ---- by-id ---- */

static const char *key_of(const struct audit_finding *finding)
{
	return finding->name + sizeof(POOL_BY_ID "/") - 1;
}

/* A by-id name that is no file cannot be unlinked. */
static int clear_key(struct pool *pool, int home, const char *key)
{
	struct audit_finding name = { .kind = AUDIT_FOREIGN };
	int r = record_unlink(pool->by_id, key);

	if (r != -EISDIR && r != -EPERM)
		return r;
	snprintf(name.folder, sizeof(name.folder), "%s", pool->network);
	snprintf(name.name, sizeof(name.name), POOL_BY_ID "/%.*s", LEASE_KEY_SIZE - 1, key);
	return audit_set_aside(home, pool->folder.dir, &name, false);
}

/* True if the name leads to its holder's lease: what was mended before may have changed it. */
static bool is_right(struct pool *pool, const char *key)
{
	struct lease holder = { 0 }, lease;

	return audit_key_parse(key, &holder) &&
	       pool_find(pool, holder.id, holder.ifname, holder.range, &lease,
			 &(struct err){ 0 }) == 1;
}

/* The address is gone: what a DEL that was killed, or somebody by hand, left of the lease. */
static void mend_stray(struct pool *pool, int home, struct audit_finding *finding)
{
	struct err err = { 0 };
	struct lease lease;
	struct stat st;
	int r = record_read(pool->by_id, key_of(finding), &lease, &st, &err);

	if (r == 0 && audit_is_domain(lease.domain) &&
	    pool_use_domain(pool, lease.domain, HOME_EXISTING, &err) == 0)
		domain_leave(&pool->domain, &st, &lease);
	r = clear_key(pool, home, key_of(finding));
	if (r < 0)
		failed(finding, "remove it", r);
	else
		audit_mended(finding, "removed: without its address it is no lease");
}

static void mend_wrong(struct pool *pool, int home, struct audit_finding *finding)
{
	int r = clear_key(pool, home, key_of(finding));

	if (r < 0)
		failed(finding, "remove it", r);
	else
		audit_mended(finding, "removed: the record keeps its address and its own name");
}

static void mend_missing(struct pool *pool, int home, struct audit_finding *finding,
			 const struct lease *lease)
{
	char key[LEASE_KEY_SIZE];
	int r;

	lease_key(lease->id, lease->ifname, lease->range, key);
	if (is_right(pool, key)) {
		audit_kept(finding, "its holder has got another address meanwhile");
		return;
	}
	r = clear_key(pool, home, key);
	if (r == 0 && linkat(pool->folder.dir, finding->name, pool->by_id, key, 0) < 0)
		r = -errno;
	if (r < 0)
		failed(finding, "restore " POOL_BY_ID, r);
	else
		audit_mended(finding, "name restored: " POOL_BY_ID "/%.200s", key);
}

/* ---- two that want one thing ---- */

static bool is_dead(const struct pool *pool, const struct lease *lease)
{
	const char *ignored;
	enum holder_state state = holder_state(pool->home, lease, &ignored);

	return state == HOLDER_STALE || state == HOLDER_ORPHAN;
}

/* Return: true if this record's holder is gone, and the finding with it. */
static bool mend_by_evicting(struct pool *pool, struct audit_finding *finding,
			     const struct lease *lease)
{
	struct err err = { 0 };

	if (!is_dead(pool, lease))
		return false;
	if (evict_address(pool, lease->address.addr, &err) < 0)
		audit_kept(finding, "%s", err.msg);
	else
		audit_mended(finding, "freed: the network namespace of container %.64s is gone",
			     lease->id);
	return true;
}

static void mend_holder_twice(struct pool *pool, struct audit_finding *finding,
			      const struct lease *lease)
{
	if (!mend_by_evicting(pool, finding, lease))
		audit_kept(finding, "both stay taken, only container %.64s can tell which it uses: "
				    "rocectl ipam release --force frees one", lease->id);
}

/* In the place of a damaged file that no network has: what a rebuilding that was killed left. */
static int enter_over(struct pool *pool, int home, const char *name, struct inet_addr addr)
{
	int dir = pool->domain.folder.dir, r;
	struct err ignored = { 0 };
	struct lease lease;
	struct stat st;

	if (record_read(dir, name, &lease, &st, &ignored) != -EBADMSG ||
	    audit_has_damaged(home, name, &st))
		return -EEXIST;
	addrmap_load(&pool->domain.map, pool->home->boot);
	r = audit_replace_name(pool, name, dir, name);
	addrmap_set(&pool->domain.map, addr);
	return r;
}

static void mend_domain_name(struct pool *pool, int home, struct audit_finding *finding,
			     const struct lease *lease)
{
	struct inet_addr addr = lease->address.addr;
	struct err err = { 0 };
	int r = pool_use_domain(pool, lease->domain, HOME_CREATE, &err);

	if (r == 0)
		r = domain_enter(&pool->domain, pool->folder.dir, finding->name, addr);
	if (r == -EEXIST && domain_sweep(&pool->domain, &addr, &err) > 0)
		r = domain_enter(&pool->domain, pool->folder.dir, finding->name, addr);
	if (r == -EEXIST)
		r = enter_over(pool, home, finding->name, addr);
	if (r == 0)
		audit_mended(finding, "entered into %.200s", lease->domain);
	else if (r == -EEXIST)
		audit_kept(finding, "what is there may be a lease: rocectl ipam release --force, or "
				    "gc --dead, frees one of the two");
	else if (err_is_set(&err))
		audit_kept(finding, "%s", err.msg);
	else
		failed(finding, "enter it", r);
}

/* Its own lease may be over. The other network's is mended by a look at that network. */
static void mend_address_twice(struct pool *pool, int home, struct audit_finding *finding,
			       const struct lease *lease)
{
	struct stat st;

	if (mend_by_evicting(pool, finding, lease))
		return;
	mend_domain_name(pool, home, finding, lease);
	if (finding->outcome == AUDIT_MENDED ||
	    pool_use_domain(pool, lease->domain, HOME_EXISTING, &(struct err){ 0 }) < 0 ||
	    fstatat(pool->domain.folder.dir, finding->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	audit_kept(finding, "both leases may be alive, and stay: rocectl ipam release --force, or gc "
			    "--dead, frees one");
}

/* ---- misplaced ---- */

static void mend_misplaced(struct pool *pool, int home, struct audit_finding *finding,
			   const struct lease *lease)
{
	int dir = pool->folder.dir;
	char name[INET_TEXT_SIZE];

	inet_format(lease->address.addr, name);
	if (!streq(lease->network, pool->network) || streq(name, finding->name)) {
		audit_kept(finding, "the address stays taken: rocectl ipam release --force frees it");
		return;
	}
	if (linkat(dir, finding->name, dir, name, 0) < 0 && errno != EEXIST) {
		failed(finding, "move it", -errno);
		return;
	}
	move_aside(home, dir, finding); /* no lease of this address ever said another one */
}

/* ---- one finding ---- */

/* The map is dropped; whoever needs it makes it from the names. */
static void drop_map(struct addrmap *map, struct audit_finding *finding)
{
	int dir = map->dir;

	addrmap_close(map);
	addrmap_init(map, dir);
	remove_file(dir, finding);
	if (finding->outcome == AUDIT_MENDED)
		audit_mended(finding, "made anew");
}

/* What is wrong with a record that can be read. */
static void mend_record(struct pool *pool, int home, struct audit_finding *finding)
{
	struct err err = { 0 };
	struct lease lease;
	struct stat st;
	int r = record_read(pool->folder.dir, finding->name, &lease, &st, &err);

	if (r < 0)
		failed(finding, "read it", r);
	else if (finding->kind == AUDIT_BY_ID_MISSING)
		mend_missing(pool, home, finding, &lease);
	else if (finding->kind == AUDIT_HOLDER_TWICE)
		mend_holder_twice(pool, finding, &lease);
	else if (finding->kind == AUDIT_DOMAIN_MISSING)
		mend_domain_name(pool, home, finding, &lease);
	else if (finding->kind == AUDIT_ADDRESS_TWICE)
		mend_address_twice(pool, home, finding, &lease);
	else
		mend_misplaced(pool, home, finding, &lease);
}

/* What is the same in every folder. */
static void mend_file(int home, int dir, struct addrmap *map, struct audit_finding *finding)
{
	if (finding->kind == AUDIT_FOREIGN)
		move_aside(home, dir, finding);
	else if (finding->kind == AUDIT_LEFTOVER)
		remove_file(dir, finding);
	else if (finding->kind == AUDIT_MAP_WRONG && map)
		drop_map(map, finding);
	else
		audit_kept(finding, "nothing was changed");
}

void audit_mend_pool(struct pool *pool, int home, struct audit_finding *finding)
{
	enum audit_kind kind = finding->kind;

	if ((kind == AUDIT_BY_ID_STRAY || kind == AUDIT_BY_ID_WRONG) &&
	    is_right(pool, key_of(finding)))
		audit_kept(finding, "it is right by now");
	else if (kind == AUDIT_BY_ID_STRAY)
		mend_stray(pool, home, finding);
	else if (kind == AUDIT_BY_ID_WRONG)
		mend_wrong(pool, home, finding);
	else if (kind == AUDIT_RECORD_DAMAGED)
		audit_rebuild(pool, home, finding);
	else if (kind == AUDIT_RECORD_FUTURE)
		audit_kept(finding, "the address stays taken; a later version can read the record");
	else if (kind == AUDIT_BY_ID_MISSING || kind == AUDIT_HOLDER_TWICE ||
		 kind == AUDIT_DOMAIN_MISSING || kind == AUDIT_ADDRESS_TWICE ||
		 kind == AUDIT_RECORD_MISPLACED)
		mend_record(pool, home, finding);
	else
		mend_file(home, pool->folder.dir, &pool->map, finding);
}

void audit_mend_domain(struct domain *domain, int home, struct audit_finding *finding)
{
	struct inet_addr addr;
	int r;

	if (finding->kind != AUDIT_DOMAIN_ORPHAN || inet_parse(finding->name, &addr) < 0) {
		mend_file(home, domain->folder.dir, &domain->map, finding);
		return;
	}
	r = domain_remove(domain, finding->name, addr);
	if (r < 0)
		failed(finding, "remove it", r);
	else
		audit_mended(finding, "removed: no lease stands behind it");
}

void audit_mend_home(int home, struct audit_finding *finding)
{
	mend_file(home, home, NULL, finding);
}
