// SPDX-License-Identifier: Apache-2.0
/*
 * A folder is looked at twice: without its lock, which costs those at work nothing; and, if something
 * is wrong, under it. A call at work holds the lock from its first change to its last, so what is
 * wrong under the lock is wrong. In a pool no lock of a domain is needed for that: the name of a
 * record in its domain is only ever removed by those who hold the pool, unless it is of an earlier
 * boot, where its absence is no finding.
 *
 * Mending goes on until nothing more can be mended: a wrong name that is removed leaves a record
 * without one. Pools come before domains, for what they leave in those.
 */
#include "ipam/audit.h"

#include "ipam/audit_run.h"
#include "ipam/record.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/time.h>

enum { LOCK_MS = 10000, TICK_US = 100000, ROUNDS_MAX = 8 };

static const char *const kind_names[] = {
	[AUDIT_BY_ID_STRAY] = "by-id-without-record",
	[AUDIT_BY_ID_MISSING] = "record-without-by-id",
	[AUDIT_BY_ID_WRONG] = "by-id-of-another",
	[AUDIT_RECORD_DAMAGED] = "damaged-record",
	[AUDIT_RECORD_FUTURE] = "future-record",
	[AUDIT_RECORD_MISPLACED] = "misplaced-record",
	[AUDIT_HOLDER_TWICE] = "holder-twice",
	[AUDIT_DOMAIN_MISSING] = "record-without-domain-name",
	[AUDIT_DOMAIN_ORPHAN] = "domain-name-without-record",
	[AUDIT_ADDRESS_TWICE] = "address-twice",
	[AUDIT_MAP_WRONG] = "wrong-map",
	[AUDIT_LEFTOVER] = "leftover",
	[AUDIT_FOREIGN] = "foreign-file",
	[AUDIT_UNREADABLE] = "unreadable",
};

const char *audit_kind_name(enum audit_kind kind)
{
	return kind_names[kind];
}

/* ---- the list ---- */

static struct audit_finding *append(struct audit_list *list)
{
	struct audit_finding *grown =
		base_grow(list->items, list->n, sizeof(*list->items));

	if (!grown)
		return NULL;
	list->items = grown;
	grown[list->n] = (struct audit_finding){ 0 };
	return &grown[list->n++];
}

void audit_say(struct audit_look *look, enum audit_kind kind, const char *name, const char *fmt, ...)
{
	struct audit_finding *finding = append(look->list);
	va_list ap;

	if (!finding) {
		look->failed = true;
		return;
	}
	finding->kind = kind;
	snprintf(finding->folder, sizeof(finding->folder), "%s", look->folder);
	snprintf(finding->name, sizeof(finding->name), "%s", name);
	va_start(ap, fmt);
	vsnprintf(finding->why, sizeof(finding->why), fmt, ap);
	va_end(ap);
}

void audit_free(struct audit_list *list)
{
	free(list->items);
	*list = (struct audit_list){ .n = 0 };
}

static bool is_same(const struct audit_finding *a, const struct audit_finding *b)
{
	return a->kind == b->kind && streq(a->folder, b->folder) && streq(a->name, b->name);
}

static bool has(const struct audit_list *list, const struct audit_finding *finding)
{
	for (size_t i = 0; i < list->n; i++)
		if (is_same(&list->items[i], finding))
			return true;
	return false;
}

static int copy(struct audit_list *to, const struct audit_finding *finding)
{
	struct audit_finding *added = append(to);

	if (!added)
		return -ENOMEM;
	*added = *finding;
	return 0;
}

/* ---- a lock that is only looked at ---- */

static void interrupt(int signal)
{
	(void)signal; /* that flock() returns is all */
}

/* Waits in the kernel: who polls is starved by those who wait there. Return: 0 or a negative errno. */
static int lock_shared(int fd)
{
	const struct sigaction action = { .sa_handler = interrupt }; /* no SA_RESTART */
	const struct itimerval tick = { { 0, TICK_US }, { 0, TICK_US } }, off = { 0 };
	int64_t deadline = file_deadline(LOCK_MS);
	struct sigaction old;
	int r;

	sigaction(SIGALRM, &action, &old);
	setitimer(ITIMER_REAL, &tick, NULL);
	do
		r = flock(fd, LOCK_SH) < 0 ? -errno : 0;
	while (r == -EINTR && file_time_left(deadline) > 0);
	setitimer(ITIMER_REAL, &off, NULL);
	sigaction(SIGALRM, &old, NULL);
	return r == -EINTR ? -ETIMEDOUT : r;
}

/* Return: the lock, -ENOENT without a lock file or after the folder was replaced, or another -errno. */
static int watch(const struct audit_look *look)
{
	_cleanup_close_ int fd = openat(look->dir, "lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st, dir;
	int r = fd < 0 ? -errno : lock_shared(fd);

	if (r < 0)
		return r;
	if (fstat(fd, &st) < 0 || fstat(look->dir, &dir) < 0 ||
	    !record_same_file(look->dir, "lock", &st) ||
	    !record_same_file(look->home_fd, look->folder, &dir))
		return -ENOENT;
	return steal_fd(&fd);
}

/* ---- one folder ---- */

/**
 * struct place - a folder, and how it is looked at
 * @home, @home_fd: the store, open
 * @folder:	its name, a network or a collision domain
 * @find:	what finds
 */
struct place {
	const struct home *home;
	int home_fd;
	const char *folder;
	void (*find)(struct audit_look *look);
};

/* Look at @dir. Return: 0 or -ENOMEM. */
static int look_at(const struct place *place, int dir, struct audit_list *list)
{
	struct audit_look look = { place->home, place->home_fd, place->folder, dir, -1, list, false };

	place->find(&look);
	return look.failed ? -ENOMEM : 0;
}

static int say_unreadable(const struct place *place, const char *why, struct audit_list *list)
{
	struct audit_look look = { place->home, place->home_fd, place->folder, -1, -1, list, false };

	audit_say(&look, AUDIT_UNREADABLE, "", "%s", why);
	return look.failed ? -ENOMEM : 0;
}

/* What is wrong under the lock. Return: 0, -EAGAIN when the folder was replaced, or -ENOMEM. */
static int look_locked(const struct place *place, int dir, struct audit_list *list)
{
	struct audit_look look = { .home_fd = place->home_fd, .folder = place->folder, .dir = dir };
	_cleanup_close_ int lock = watch(&look);
	struct stat st;

	if (lock == -ENOENT && (fstat(dir, &st) < 0 ||
				!record_same_file(place->home_fd, place->folder, &st) ||
				faccessat(dir, "lock", F_OK, AT_SYMLINK_NOFOLLOW) == 0))
		return -EAGAIN;
	if (lock < 0 && lock != -ENOENT)
		return say_unreadable(place, lock == -ETIMEDOUT ? "its lock is still held by a call"
								: strerror(-lock), list);
	return look_at(place, dir, list);
}

/* Return: 0, -EAGAIN when the folder was replaced meanwhile, or -ENOMEM. */
static int look_twice(const struct place *place, struct audit_list *ret_list)
{
	_cleanup_close_ int dir = audit_open_dir(place->home_fd, place->folder);
	int r;

	if (dir < 0)
		return dir == -ENOENT ? 0 : say_unreadable(place, strerror(-dir), ret_list);
	r = look_at(place, dir, ret_list);
	if (r < 0 || ret_list->n == 0)
		return r;
	audit_free(ret_list);
	return look_locked(place, dir, ret_list);
}

/* ---- mending ---- */

/**
 * struct repair - a folder under repair
 * @place:	the folder
 * @pool:	it, if it is a network's
 * @domain:	it, if it is a collision domain's
 */
struct repair {
	const struct place *place;
	struct pool *pool;
	struct domain *domain;
};

static void mend(const struct repair *repair, struct audit_finding *finding)
{
	if (repair->pool)
		audit_mend_pool(repair->pool, repair->place->home_fd, finding);
	else
		audit_mend_domain(repair->domain, repair->place->home_fd, finding);
}

/* One look and what comes of it. Return: 1 if something was mended, 0, or -ENOMEM. */
static int mend_round(const struct repair *repair, struct audit_list *done,
		      struct audit_list *ret_left)
{
	int dir = repair->pool ? repair->pool->folder.dir : repair->domain->folder.dir;
	int r = look_at(repair->place, dir, ret_left), n = 0;

	for (size_t i = 0; i < ret_left->n && r == 0; i++) {
		struct audit_finding *finding = &ret_left->items[i];

		if (has(done, finding))
			audit_kept(finding, "it is back after it was mended");
		else
			mend(repair, finding);
		if (finding->outcome != AUDIT_MENDED)
			continue;
		r = copy(done, finding);
		n = 1;
	}
	return r < 0 ? r : n;
}

/* Rounds until nothing more is mended; what is left then is among @done, too. */
static int mend_all(const struct repair *repair, struct audit_list *done)
{
	struct audit_list left = { .n = 0 };
	int r = 1;

	for (int round = 0; round < ROUNDS_MAX && r > 0; round++) {
		audit_free(&left);
		r = mend_round(repair, done, &left);
	}
	for (size_t i = 0; i < left.n && r >= 0; i++)
		if (left.items[i].outcome != AUDIT_MENDED)
			r = copy(done, &left.items[i]);
	audit_free(&left);
	return r < 0 ? r : 0;
}

static int mend_pool(const struct place *place, struct audit_list *done, struct err *err)
{
	struct pool pool;
	struct repair repair = { place, &pool, NULL };
	int r = pool_open(place->home, place->folder, HOME_EXISTING, file_deadline(LOCK_MS), &pool,
			  err);

	if (r < 0)
		return r == -ENOENT && !err_is_set(err) ? 0 : r;
	r = mend_all(&repair, done);
	if (r == 0 && done->n > 0)
		pool_rescan(&pool, err); /* a map that cannot be made is made by who needs it */
	pool_close(&pool);
	return r;
}

static int mend_domain(const struct place *place, struct audit_list *done, struct err *err)
{
	struct domain domain;
	struct repair repair = { place, NULL, &domain };
	int r;

	domain_init(&domain, place->home);
	r = domain_switch(&domain, place->folder, HOME_EXISTING, file_deadline(LOCK_MS), err);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	r = mend_all(&repair, done);
	if (r == 0 && done->n > 0)
		addrmap_rebuild(&domain.map, place->home->boot);
	domain_close(&domain);
	return r;
}

/* What was there before and is not among what was seen after opening the folder: opening mended it. */
static int note_opened(struct audit_list *found, struct audit_list *done)
{
	int r = 0;

	for (size_t i = 0; i < found->n && r == 0; i++) {
		if (found->items[i].kind == AUDIT_UNREADABLE || has(done, &found->items[i]))
			continue;
		audit_mended(&found->items[i], "finished or taken back, as the next call would");
		r = copy(done, &found->items[i]);
	}
	return r;
}

static int repair_place(const struct place *place, struct audit_list *found,
			struct audit_list *list)
{
	struct audit_list done = { .n = 0 };
	struct err err = { 0 };
	int r = place->find == audit_find_pool ? mend_pool(place, &done, &err)
					       : mend_domain(place, &done, &err);

	if (r < 0 && err_is_set(&err)) { /* nothing can be done here */
		audit_free(&done);
		r = 0;
		for (size_t i = 0; i < found->n && r == 0; i++) {
			audit_kept(&found->items[i], "%s", err.msg);
			r = copy(list, &found->items[i]);
		}
		return r;
	}
	if (r == 0)
		r = note_opened(found, &done);
	for (size_t i = 0; i < done.n && r == 0; i++)
		r = copy(list, &done.items[i]);
	audit_free(&done);
	return r;
}

static int audit_place(const struct place *place, bool repair, struct audit_list *list)
{
	struct audit_list found = { .n = 0 };
	int64_t deadline = file_deadline(LOCK_MS);
	int r;

	do {
		audit_free(&found);
		r = look_twice(place, &found);
	} while (r == -EAGAIN && file_time_left(deadline) > 0);
	if (r == -EAGAIN)
		r = say_unreadable(place, "it is being removed all the time", &found);
	if (r == 0 && repair && found.n > 0)
		r = repair_place(place, &found, list);
	else
		for (size_t i = 0; i < found.n && r == 0; i++)
			r = copy(list, &found.items[i]);
	audit_free(&found);
	return r;
}

/* ---- the store ---- */

static int audit_own_folder(const struct home *home, int fd, bool repair, struct audit_list *list)
{
	struct audit_look look = { home, fd, "", fd, -1, list, false };
	size_t first = list->n;

	audit_find_home(&look);
	for (size_t i = first; repair && i < list->n; i++)
		audit_mend_home(fd, &list->items[i]);
	return look.failed ? -ENOMEM : 0;
}

static int audit_folders(const struct home *home, int fd, bool domains, bool repair,
			 struct audit_list *list)
{
	_cleanup_names_ DIR *names = record_list(fd);
	const struct dirent *entry;
	int r = 0;

	while (names && r == 0 && (entry = readdir(names))) {
		struct place place = { home, fd, entry->d_name,
				       domains ? audit_find_domain : audit_find_pool };
		struct stat st;

		if (domains ? !audit_is_domain(entry->d_name) : !cniargs_name_ok(entry->d_name))
			continue;
		if (fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
			r = audit_place(&place, repair, list);
	}
	return r;
}

int audit_home(const struct home *home, bool repair, struct audit_list *list)
{
	struct err err = { 0 };
	_cleanup_close_ int fd = home_open(home, HOME_EXISTING, &err);
	struct place own = { home, -1, "", NULL };
	int r;

	if (fd < 0)
		return fd == -ENOENT ? 0 : say_unreadable(&own, strerror(-fd), list);
	r = audit_own_folder(home, fd, repair, list);
	if (r == 0)
		r = audit_folders(home, fd, false, repair, list);
	return r < 0 ? r : audit_folders(home, fd, true, repair, list);
}
