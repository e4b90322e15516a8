// SPDX-License-Identifier: Apache-2.0
/*
 * A damaged record takes its address, and nobody but its holder's DEL frees it. When the holder is
 * known, by the by-id name or by what is left of the text, a whole record takes its place: the same
 * address, of the same holder, of this boot unless it says otherwise. So nothing is freed, and DEL,
 * GC and the next boot know what to do with it again. The damaged text is kept in the store's ".aside".
 *
 * Order: the old file gets its name there, so that its further names are never its last one, for that
 * would make a name in a domain look like an orphan; then the record is replaced, then the names in
 * the domain and by-id, each by rename(2).
 */
#include "ipam/audit_run.h"

#include "ipam/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

enum { PATH_SIZE = 2 * NAME_MAX + 64 };

/* ---- what is known ---- */

/* The by-id name that is this file, if there is one: it names the holder better than the text. */
static void read_key(const struct pool *pool, const struct stat *st, struct lease *lease)
{
	_cleanup_names_ DIR *names = record_list(pool->by_id);
	const struct dirent *entry;

	while (names && (entry = readdir(names))) {
		struct lease holder = { 0 };

		if (!record_same_file(pool->by_id, entry->d_name, st) ||
		    !audit_key_parse(entry->d_name, &holder))
			continue;
		memcpy(lease->id, holder.id, sizeof(lease->id));
		memcpy(lease->ifname, holder.ifname, sizeof(lease->ifname));
		lease->range = holder.range;
		return;
	}
}

/* The collision domain that has the same file. */
static void find_domain(int home, const char *name, const struct stat *st, struct lease *lease)
{
	_cleanup_names_ DIR *names = record_list(home);
	const struct dirent *entry;
	char path[PATH_SIZE];

	while (names && (entry = readdir(names))) {
		snprintf(path, sizeof(path), "%s/%s", entry->d_name, name);
		if (audit_is_domain(entry->d_name) && strlen(entry->d_name) < LEASE_DOMAIN_SIZE &&
		    record_same_file(home, path, st))
			memcpy(lease->domain, entry->d_name, strlen(entry->d_name) + 1);
	}
}

/**
 * struct neighbour - a walk for the prefix length that addresses near this one have
 * @addr:	the address
 * @slot:	of its holder
 * @len:	the prefix length, -1 while none is found
 */
struct neighbour {
	struct inet_addr addr;
	int slot;
	int len;
};

static void see_neighbour(struct pool *pool, const char *name, const struct lease *lease,
			  const char *why, void *arg)
{
	struct neighbour *wanted = arg;

	(void)pool;
	(void)name;
	(void)why;
	if (lease && lease->range == wanted->slot && inet_contains(lease->address, wanted->addr))
		wanted->len = lease->address.len;
}

/* Return: true if the address has a prefix length now. */
static bool settle_prefix(struct pool *pool, struct inet_addr addr, struct lease *lease)
{
	struct neighbour wanted = { addr, lease->range, -1 };
	struct err ignored = { 0 };

	if (inet_equal(lease->address.addr, addr))
		return true;
	pool_walk(pool, see_neighbour, &wanted, &ignored);
	lease->address = (struct inet_prefix){ addr, wanted.len };
	return wanted.len >= 0;
}

static bool is_holder_known(const struct lease *lease)
{
	return cniargs_name_ok(lease->id) && cniargs_ifname_ok(lease->ifname) && lease->range >= 0;
}

static void read_text(const struct pool *pool, const char *name, struct lease *lease)
{
	_cleanup_close_ int fd = openat(pool->folder.dir, name,
					O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char text[LEASE_TEXT_MAX];
	ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	text[len > 0 ? len : 0] = '\0';
	lease_salvage(text, len > 0 ? (size_t)len : 0, lease);
}

/* What the record would say, as far as anything tells. @lease->range is -1 when nothing does. */
static void guess(const struct pool *pool, int home, const char *name, const struct stat *st,
		  struct lease *lease)
{
	*lease = (struct lease){ .range = -1, .time = st->st_mtime };
	memcpy(lease->node, pool->home->node, sizeof(lease->node));
	memcpy(lease->boot, pool->home->boot, sizeof(lease->boot));
	read_text(pool, name, lease);
	read_key(pool, st, lease);
	find_domain(home, name, st, lease);
	memcpy(lease->network, pool->network, sizeof(lease->network));
	if (*lease->domain && (!audit_is_domain(lease->domain) || strchr(lease->domain, '/')))
		lease->domain[0] = '\0';
}

/* ---- the new record ---- */

int audit_replace_name(const struct pool *pool, const char *from, int dir, const char *to)
{
	static const char tmp[] = ".audit.tmp";

	if (record_unlink(dir, tmp) < 0 || linkat(pool->folder.dir, from, dir, tmp, 0) < 0)
		return -errno;
	return renameat(dir, tmp, dir, to) < 0 ? -errno : 0;
}

static int replace(struct pool *pool, const char *name, const struct lease *lease,
		   const struct stat *old, struct err *err)
{
	char text[LEASE_TEXT_MAX], key[LEASE_KEY_SIZE];
	int r = *lease->domain ? pool_use_domain(pool, lease->domain, HOME_EXISTING, err) : 0;
	bool in_domain = r == 0 && *lease->domain &&
			 record_same_file(pool->domain.folder.dir, name, old);

	if (r < 0 && r != -ENOENT)
		return r;
	if (in_domain)
		addrmap_load(&pool->domain.map, pool->home->boot);
	r = file_write_atomic(pool->folder.dir, name, text, lease_format(lease, text),
			      pool->home->durability);
	if (r == 0 && in_domain) {
		r = audit_replace_name(pool, name, pool->domain.folder.dir, name);
		addrmap_set(&pool->domain.map, lease->address.addr);
	}
	lease_key(lease->id, lease->ifname, lease->range, key);
	if (r == 0 && record_same_file(pool->by_id, key, old))
		r = audit_replace_name(pool, name, pool->by_id, key);
	return r;
}

static void write_anew(struct pool *pool, int home, struct audit_finding *finding,
		       const struct lease *lease, const struct stat *old)
{
	struct err err = { 0 };
	int r = audit_set_aside(home, pool->folder.dir, finding, true);

	if (r == 0)
		r = replace(pool, finding->name, lease, old, &err);
	if (r < 0)
		audit_kept(finding, "the address stays taken; its record cannot be written anew: %s",
			   err_is_set(&err) ? err.msg : strerror(-r));
	else
		audit_mended(finding, "written anew for container %.64s, interface %s; the address "
				      "stays taken, the damaged text is in " AUDIT_ASIDE,
			     lease->id, lease->ifname);
}

void audit_rebuild(struct pool *pool, int home, struct audit_finding *finding)
{
	struct inet_addr addr;
	struct lease lease;
	struct stat st;

	if (inet_parse(finding->name, &addr) < 0 ||
	    fstatat(pool->folder.dir, finding->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	guess(pool, home, finding->name, &st, &lease);
	if (!S_ISREG(st.st_mode))
		audit_kept(finding, "the address stays taken: move it away by hand");
	else if (!is_holder_known(&lease))
		audit_kept(finding, "the address stays taken, nothing tells by whom: rocectl ipam "
				    "release %s --force frees it", finding->name);
	else if (!settle_prefix(pool, addr, &lease))
		audit_kept(finding, "the address stays taken, of container %.64s: its prefix length is "
				    "not known; its DEL frees it", lease.id);
	else
		write_anew(pool, home, finding, &lease, &st);
}
