// SPDX-License-Identifier: Apache-2.0
/* What is wrong in a folder. Only reads; who calls knows whether a call may be at work there. */
#include "ipam/audit_run.h"

#include "ipam/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>

enum { KEY_PATH_SIZE = LEASE_KEY_SIZE + 8, PATH_SIZE = 2 * NAME_MAX + 2, STATUS_SECONDS = 60 };

static const char *key_path(const char *key, char buf[KEY_PATH_SIZE])
{
	snprintf(buf, KEY_PATH_SIZE, POOL_BY_ID "/%.*s", LEASE_KEY_SIZE - 1, key);
	return buf;
}

int audit_open_dir(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	return fd < 0 ? -errno : fd;
}

bool audit_key_parse(const char *key, struct lease *lease)
{
	const char *first = strchr(key, ':'), *last = strrchr(key, ':');
	size_t digits = last ? strspn(last + 1, "0123456789") : 0;
	char again[LEASE_KEY_SIZE];

	if (!first || first == last || digits < 1 || digits > 2 || last[1 + digits])
		return false;
	if ((size_t)(first - key) >= sizeof(lease->id) ||
	    (size_t)(last - first - 1) >= sizeof(lease->ifname))
		return false;
	snprintf(lease->id, sizeof(lease->id), "%.*s", (int)(first - key), key);
	snprintf(lease->ifname, sizeof(lease->ifname), "%.*s", (int)(last - first - 1), first + 1);
	lease->range = atoi(last + 1);
	return cniargs_name_ok(lease->id) && cniargs_ifname_ok(lease->ifname) &&
	       lease->range < LEASE_SLOTS_MAX &&
	       streq(lease_key(lease->id, lease->ifname, lease->range, again), key);
}

bool audit_is_future(int dir, const char *name)
{
	static const char magic[] = "roce-ipam ", ours[] = "roce-ipam 1\n";
	_cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char text[sizeof(ours)] = "";

	return fd >= 0 && read(fd, text, sizeof(text) - 1) == sizeof(text) - 1 &&
	       strncmp(text, magic, sizeof(magic) - 1) == 0 && !streq(text, ours);
}

/* "damaged lease record: " is said by the finding's kind. */
static const char *reason(const struct err *err)
{
	static const char prefix[] = "damaged lease record: ";
	const char *at = strstr(err->msg, prefix);

	return at ? at + sizeof(prefix) - 1 : err->msg;
}

static bool is_temporary(const char *name)
{
	size_t len = strlen(name);

	return name[0] == '.' && len > 5 && streq(name + len - 4, ".tmp");
}

static const char *kind_of_file(int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return NULL;
	return S_ISREG(st.st_mode)   ? "a file"
	       : S_ISDIR(st.st_mode) ? "a folder"
	       : S_ISLNK(st.st_mode) ? "a symbolic link"
				     : "a special file";
}

static void say_foreign(struct audit_look *look, int dir, const char *name, const char *path)
{
	const char *kind = kind_of_file(dir, name);

	if (kind && is_temporary(name))
		audit_say(look, AUDIT_LEFTOVER, path, "left by a process that was killed");
	else if (kind)
		audit_say(look, AUDIT_FOREIGN, path, "%s that roce-ipam did not make", kind);
}

static bool is_address(const char *name, struct inet_addr *ret_addr)
{
	char text[INET_TEXT_SIZE];

	return inet_parse(name, ret_addr) == 0 && streq(inet_format(*ret_addr, text), name);
}

/* ---- one record of a pool ---- */

static void check_by_id(struct audit_look *look, const char *name, const struct stat *st,
			const struct lease *lease)
{
	char key[LEASE_KEY_SIZE], other_name[INET_TEXT_SIZE];
	struct err why = { 0 };
	struct stat other_st;
	struct lease other;
	int r;

	lease_key(lease->id, lease->ifname, lease->range, key);
	if (look->by_id >= 0 && record_same_file(look->by_id, key, st))
		return;
	r = look->by_id < 0 ? -ENOENT : record_read(look->by_id, key, &other, &other_st, &why);
	if (r == 0 && lease_is_of(&other, lease->id, lease->ifname, lease->range)) {
		inet_format(other.address.addr, other_name);
		if (streq(other_name, name))
			return; /* a copy has no hard links */
		if (record_is_lease(look->dir, other_name, &other_st, &other)) {
			audit_say(look, AUDIT_HOLDER_TWICE, name,
				  POOL_BY_ID "/%s is %s: its holder has both for one slot", key,
				  other_name);
			return;
		}
	}
	if (r != 0 && r != -ENOENT && r != -EBADMSG)
		audit_say(look, AUDIT_UNREADABLE, POOL_BY_ID, "%s", strerror(-r));
	else
		audit_say(look, AUDIT_BY_ID_MISSING, name, POOL_BY_ID "/%s is %s", key,
			  r == -ENOENT	  ? "missing"
			  : r == -EBADMSG ? "damaged"
					  : "another record");
}

/* True if another network's record is a lease of this address in that domain; who in @ret_network. */
static bool is_held_by(struct audit_look *look, const char *network, const char *name,
		       const char *domain)
{
	char path[PATH_SIZE];
	struct err ignored = { 0 };
	struct lease lease;
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", network, name);
	return !streq(network, look->folder) && cniargs_name_ok(network) &&
	       record_read(look->home_fd, path, &lease, &st, &ignored) == 0 &&
	       streq(lease.domain, domain) && streq(lease.network, network) &&
	       !home_is_earlier_boot(look->home, lease.node, lease.boot);
}

static bool find_other_holder(struct audit_look *look, const char *name, const char *domain,
			      char ret_network[CNI_NAME_MAX + 1])
{
	_cleanup_names_ DIR *names = record_list(look->home_fd);
	const struct dirent *entry;

	while (names && (entry = readdir(names))) {
		if (!is_held_by(look, entry->d_name, name, domain))
			continue;
		snprintf(ret_network, CNI_NAME_MAX + 1, "%.*s", CNI_NAME_MAX, entry->d_name);
		return true;
	}
	return false;
}

static void check_domain_name(struct audit_look *look, const char *name, const struct stat *st,
			      const struct lease *lease)
{
	char path[PATH_SIZE], network[CNI_NAME_MAX + 1];

	if (!audit_is_domain(lease->domain) || strchr(lease->domain, '/')) {
		audit_say(look, AUDIT_RECORD_MISPLACED, name, "\"%.64s\" is no collision domain",
			  lease->domain);
		return;
	}
	snprintf(path, sizeof(path), "%s/%s", lease->domain, name);
	if (record_is_lease(look->home_fd, path, st, lease))
		return;
	if (find_other_holder(look, name, lease->domain, network))
		audit_say(look, AUDIT_ADDRESS_TWICE, name,
			  "network %.64s of the domain %.64s has it, too", network, lease->domain);
	else
		audit_say(look, AUDIT_DOMAIN_MISSING, name, "%.200s/%s is %s", lease->domain, name,
			  kind_of_file(look->home_fd, path) ? "not this record" : "missing");
}

static void check_record(struct audit_look *look, const char *name, struct inet_addr addr)
{
	char text[INET_TEXT_SIZE];
	struct err why = { 0 };
	struct lease lease;
	struct stat st;
	int r = record_read(look->dir, name, &lease, &st, &why);

	if (r == -ENOENT)
		return;
	if (r == -EBADMSG)
		audit_say(look,
			  audit_is_future(look->dir, name) ? AUDIT_RECORD_FUTURE
							   : AUDIT_RECORD_DAMAGED,
			  name, "%s", reason(&why));
	else if (r < 0)
		audit_say(look, AUDIT_UNREADABLE, name, "%s", strerror(-r));
	else if (!inet_equal(lease.address.addr, addr))
		audit_say(look, AUDIT_RECORD_MISPLACED, name, "it is the record of %s",
			  inet_format(lease.address.addr, text));
	else if (!streq(lease.network, look->folder))
		audit_say(look, AUDIT_RECORD_MISPLACED, name, "it is of network \"%.64s\"",
			  lease.network);
	else {
		check_by_id(look, name, &st, &lease);
		if (*lease.domain && !home_is_earlier_boot(look->home, lease.node, lease.boot))
			check_domain_name(look, name, &st, &lease);
	}
}

/* ---- by-id ---- */

static bool has_address(struct audit_look *look, const struct stat *st)
{
	_cleanup_names_ DIR *names = record_list(look->dir);
	struct inet_addr addr;
	const char *name;

	while (names && (name = record_next(names, &addr)))
		if (record_same_file(look->dir, name, st))
			return true;
	return false;
}

static void check_key(struct audit_look *look, const char *key)
{
	char path[KEY_PATH_SIZE], name[INET_TEXT_SIZE];
	struct lease lease, holder = { 0 };
	struct err why = { 0 };
	struct stat st;
	int r = record_read(look->by_id, key, &lease, &st, &why);

	key_path(key, path);
	if (r == -ENOENT)
		return;
	if (r < 0 && r != -EBADMSG)
		audit_say(look, AUDIT_UNREADABLE, path, "%s", strerror(-r));
	else if (!audit_key_parse(key, &holder))
		say_foreign(look, look->by_id, key, path);
	else if (r == -EBADMSG && !has_address(look, &st))
		audit_say(look, AUDIT_BY_ID_STRAY, path, "no address is this file, and it is damaged");
	else if (r == 0 && !lease_is_of(&lease, holder.id, holder.ifname, holder.range))
		audit_say(look, AUDIT_BY_ID_WRONG, path, "it is %s of container %.64s, interface %s",
			  inet_format(lease.address.addr, name), lease.id, lease.ifname);
	else if (r == 0 && !record_is_lease(look->dir, inet_format(lease.address.addr, name), &st,
					    &lease))
		audit_say(look, AUDIT_BY_ID_STRAY, path, "there is no record of %s for it", name);
}

/* ---- one name of a domain ---- */

bool audit_has_damaged(int home, const char *name, const struct stat *st)
{
	_cleanup_names_ DIR *names = record_list(home);
	const struct dirent *entry;

	while (names && (entry = readdir(names))) {
		char path[PATH_SIZE];
		struct err ignored = { 0 };
		struct lease lease;
		struct stat other;

		snprintf(path, sizeof(path), "%s/%s", entry->d_name, name);
		if (cniargs_name_ok(entry->d_name) &&
		    (record_same_file(home, path, st) ||
		     record_read(home, path, &lease, &other, &ignored) == -EBADMSG))
			return true;
	}
	return false;
}

static void check_entered(struct audit_look *look, const char *name, struct inet_addr addr)
{
	char path[PATH_SIZE];
	struct err why = { 0 };
	struct lease lease;
	struct stat st;
	int r = record_read(look->dir, name, &lease, &st, &why);

	if (r == -ENOENT)
		return;
	if (r < 0 && r != -EBADMSG) {
		audit_say(look, AUDIT_UNREADABLE, name, "%s", strerror(-r));
		return;
	}
	if (r == -EBADMSG) {
		if (!audit_has_damaged(look->home_fd, name, &st))
			audit_say(look, AUDIT_DOMAIN_ORPHAN, name,
				  "no network has it, and the record is damaged");
		return;
	}
	snprintf(path, sizeof(path), "%s/%s", lease.network, name);
	if (!cniargs_name_ok(lease.network) || !inet_equal(lease.address.addr, addr) ||
	    !record_is_lease(look->home_fd, path, &st, &lease))
		audit_say(look, AUDIT_DOMAIN_ORPHAN, name, "network %.64s has no such record",
			  lease.network);
	else if (!streq(lease.domain, look->folder))
		audit_say(look, AUDIT_DOMAIN_ORPHAN, name, "its record is of the domain \"%.64s\"",
			  lease.domain);
}

/* ---- whole folders ---- */

static DIR *list(struct audit_look *look, int dir, const char *name)
{
	DIR *names = record_list(dir);

	if (!names)
		audit_say(look, AUDIT_UNREADABLE, name, "%s", strerror(errno));
	return names;
}

static bool is_dot(const char *name)
{
	return streq(name, ".") || streq(name, "..");
}

static void check_names(struct audit_look *look,
			void (*check)(struct audit_look *, const char *, struct inet_addr))
{
	_cleanup_names_ DIR *names = list(look, look->dir, "");
	const struct dirent *entry;
	struct inet_addr addr;

	while (names && (entry = readdir(names))) {
		const char *name = entry->d_name;

		if (is_address(name, &addr))
			check(look, name, addr);
		else if (check == check_record && streq(name, POOL_PENDING))
			audit_say(look, AUDIT_LEFTOVER, name, "an ADD was killed, or is at work");
		else if (!is_dot(name) && !streq(name, "lock") && !streq(name, ADDRMAP_NAME) &&
			 (check != check_record || !streq(name, POOL_BY_ID)))
			say_foreign(look, look->dir, name, name);
	}
	if (names && !addrmap_agrees(look->dir, look->home->boot))
		audit_say(look, AUDIT_MAP_WRONG, ADDRMAP_NAME,
			  "it is of this state of the folder, and shows other addresses");
}

void audit_find_pool(struct audit_look *look)
{
	_cleanup_names_ DIR *names = NULL;
	const struct dirent *entry;

	look->by_id = audit_open_dir(look->dir, POOL_BY_ID);
	if (look->by_id == -EACCES)
		audit_say(look, AUDIT_UNREADABLE, POOL_BY_ID, "%s", strerror(EACCES));
	else if (look->by_id < 0 && look->by_id != -ENOENT)
		audit_say(look, AUDIT_FOREIGN, POOL_BY_ID, "it is no folder");
	check_names(look, check_record);
	names = look->by_id < 0 ? NULL : list(look, look->by_id, POOL_BY_ID);
	while (names && (entry = readdir(names)))
		if (!is_dot(entry->d_name))
			check_key(look, entry->d_name);
	base_closep(&look->by_id);
	look->by_id = -1;
}

void audit_find_domain(struct audit_look *look)
{
	check_names(look, check_entered);
}

/* STATUS writes a file and removes it, without a lock. */
static void check_status_file(struct audit_look *look, const char *name)
{
	struct stat st;

	if (fstatat(look->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    time(NULL) - st.st_mtime > STATUS_SECONDS)
		audit_say(look, AUDIT_LEFTOVER, name, "left by a STATUS that was killed");
}

void audit_find_home(struct audit_look *look)
{
	_cleanup_names_ DIR *names = list(look, look->dir, "");
	const struct dirent *entry;

	while (names && (entry = readdir(names))) {
		const char *name = entry->d_name, *kind = kind_of_file(look->dir, name);
		bool is_folder = kind && streq(kind, "a folder");

		if (streq(name, ".status") || streq(name, "..status.tmp"))
			check_status_file(look, name);
		else if (kind && !is_dot(name) &&
			 !(is_folder && (cniargs_name_ok(name) || audit_is_domain(name) ||
					 streq(name, AUDIT_ASIDE))))
			say_foreign(look, look->dir, name, name);
	}
}
