// SPDX-License-Identifier: Apache-2.0
#include "cni/store.h"

#include "base/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

int store_open(const struct profile *profile, struct store *ret_store, struct err *err)
{
	char path[4096];
	int dir;

	snprintf(path, sizeof(path), "%s/roce-cni", profile->state_dir);
	dir = file_opendir(path, err);
	if (dir < 0)
		return dir;
	if ((mkdirat(dir, "attachments", 0700) < 0 && errno != EEXIST) ||
	    (mkdirat(dir, "devices", 0700) < 0 && errno != EEXIST)) {
		err_set(err, CNI_IO_FAILURE, -errno, "cannot write to the state folder %s: %m", path);
		close(dir);
		return -err->eno;
	}
	*ret_store = (struct store){ .dir = dir, .durability = profile->durability };
	return 0;
}

int store_peek(const struct profile *profile, struct store *ret_store)
{
	char path[4096];
	int dir;

	snprintf(path, sizeof(path), "%s/roce-cni", profile->state_dir);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	*ret_store = (struct store){ .dir = dir, .durability = profile->durability };
	return 0;
}

void store_close(struct store *store)
{
	if (store->dir >= 0)
		close(steal_fd(&store->dir));
}

const char *store_name(const struct attachment *a, char buf[STORE_NAME_SIZE])
{
	snprintf(buf, STORE_NAME_SIZE, "attachments/%s/%s:%s", a->network, a->container_id, a->ifname);
	return buf;
}

static DIR *open_folder(const struct store *store, const char *name)
{
	int fd = openat(store->dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? NULL : fdopendir(fd);
}

/* "CONTAINER:IFNAME" into its parts; false for others: lock and temporary files begin with a dot. */
static bool split_name(char *name, struct attachment *ret)
{
	char *colon = strchr(name, ':');

	if (!colon || name[0] == '.')
		return false;
	*colon = '\0';
	ret->container_id = name;
	ret->ifname = colon + 1;
	return true;
}

static void each_of_network(const struct store *store, const char *network, store_visitor visit,
			    void *arg)
{
	char folder[STORE_NAME_SIZE];
	struct dirent *entry;
	DIR *dir;

	snprintf(folder, sizeof(folder), "attachments/%s", network);
	dir = open_folder(store, folder);
	while (dir && (entry = readdir(dir))) {
		struct attachment attachment = { .network = network };

		if (split_name(entry->d_name, &attachment))
			visit(&attachment, arg);
	}
	if (dir)
		closedir(dir);
}

void store_each(const struct store *store, const char *network, store_visitor visit, void *arg)
{
	DIR *dir = network ? NULL : open_folder(store, "attachments");
	struct dirent *entry;

	if (network)
		each_of_network(store, network, visit, arg);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			each_of_network(store, entry->d_name, visit, arg);
	if (dir)
		closedir(dir);
}

static int take(const struct store *store, int wait_ms, struct store_lock *lock, struct err *err)
{
	int64_t begin = log_clock();
	struct err why = { 0 };

	lock->dir = store->dir;
	lock->fd = file_lock(store->dir, lock->name, file_deadline(wait_ms), &why);
	log_debug("lock %s: waited %.1f ms", lock->name, log_ms(begin));
	if (lock->fd >= 0)
		return 0;
	if (!err_is_set(err) && (wait_ms > 0 || lock->fd != -ETIMEDOUT))
		*err = why;
	return lock->fd;
}

static void attachment_lock_name(const struct attachment *a, char buf[STORE_NAME_SIZE])
{
	snprintf(buf, STORE_NAME_SIZE, "attachments/%s/.%s:%s.lock", a->network, a->container_id,
		 a->ifname);
}

static int lock_attachment(const struct store *store, const struct attachment *attachment,
			   int wait_ms, struct store_lock *ret_lock, struct err *err)
{
	char name[STORE_NAME_SIZE];

	snprintf(name, sizeof(name), "attachments/%s", attachment->network);
	if (mkdirat(store->dir, name, 0700) < 0 && errno != EEXIST)
		return err_set(err, CNI_IO_FAILURE, -errno, "cannot create the state folder %s: %m",
			       name);
	attachment_lock_name(attachment, ret_lock->name);
	return take(store, wait_ms, ret_lock, err);
}

static const char *device_lock(const char *key, char buf[STORE_NAME_SIZE])
{
	snprintf(buf, STORE_NAME_SIZE, "devices/.%s.lock", key);
	return buf;
}

static int lock_device(const struct store *store, const char *key, int wait_ms,
		       struct store_lock *ret_lock, struct err *err)
{
	device_lock(key, ret_lock->name);
	return take(store, wait_ms, ret_lock, err);
}

int store_lock_attachment(const struct store *store, const struct attachment *attachment,
			  struct store_lock *ret_lock, struct err *err)
{
	return lock_attachment(store, attachment, STORE_LOCK_MS, ret_lock, err);
}

int store_lock_device(const struct store *store, const char *key, struct store_lock *ret_lock,
		      struct err *err)
{
	return lock_device(store, key, STORE_LOCK_MS, ret_lock, err);
}

int store_try_attachment(const struct store *store, const struct attachment *attachment,
			 struct store_lock *ret_lock, struct err *err)
{
	return lock_attachment(store, attachment, 0, ret_lock, err);
}

int store_try_device(const struct store *store, const char *key, struct store_lock *ret_lock,
		     struct err *err)
{
	return lock_device(store, key, 0, ret_lock, err);
}

bool store_is_busy(const struct store *store, const struct attachment *attachment)
{
	char name[STORE_NAME_SIZE];

	attachment_lock_name(attachment, name);
	return file_is_locked(store->dir, name);
}

bool store_is_locked(const struct store *store, const char *key)
{
	char name[STORE_NAME_SIZE];

	return file_is_locked(store->dir, device_lock(key, name));
}

void store_unlock(struct store_lock *lock)
{
	file_unlock_remove(lock->dir, lock->name, &lock->fd);
}

static bool is_lock_file(const char *name)
{
	size_t len = strlen(name);

	return name[0] == '.' && len > 5 && streq(name + len - 5, ".lock");
}

/* A lock file that nobody holds, and the half-written journal of whoever died with it. */
static void sweep_one(const struct store *store, const char *folder, const char *name)
{
	struct store_lock lock = { .dir = store->dir, .fd = -1 };
	char tmp[sizeof(lock.name)];
	struct err held = { 0 };

	snprintf(lock.name, sizeof(lock.name), "%s/%s", folder, name);
	lock.fd = file_lock(store->dir, lock.name, file_deadline(0), &held);
	if (lock.fd < 0)
		return;
	snprintf(tmp, sizeof(tmp), "%.*s.tmp", (int)(strlen(lock.name) - strlen(".lock")), lock.name);
	unlinkat(store->dir, tmp, 0);
	store_unlock(&lock);
}

static void sweep_folder(const struct store *store, const char *folder)
{
	DIR *dir = open_folder(store, folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (is_lock_file(entry->d_name))
			sweep_one(store, folder, entry->d_name);
	if (dir)
		closedir(dir);
}

void store_sweep(const struct store *store)
{
	sweep_folder(store, "devices");
}

void store_sweep_network(const struct store *store, const char *network)
{
	char folder[STORE_NAME_SIZE];

	snprintf(folder, sizeof(folder), "attachments/%s", network);
	sweep_folder(store, folder);
}

int store_claim(const struct store *store, const char *key, const struct attachment *attachment,
		struct err *err)
{
	char link[128], journal[STORE_NAME_SIZE], target[STORE_NAME_SIZE + 4];

	snprintf(link, sizeof(link), "devices/%s", key);
	snprintf(target, sizeof(target), "../%s", store_name(attachment, journal));
	unlinkat(store->dir, link, 0);
	if (symlinkat(target, store->dir, link) < 0)
		return err_set(err, CNI_IO_FAILURE, -errno, "cannot write the claim %s: %m", link);
	return 0;
}

bool store_owner(const struct store *store, const char *key, char buf[STORE_NAME_SIZE])
{
	char link[128], target[STORE_NAME_SIZE];
	ssize_t n;

	snprintf(link, sizeof(link), "devices/%s", key);
	n = readlinkat(store->dir, link, target, sizeof(target) - 1);
	if (n < 3)
		return false;
	target[n] = '\0';
	strcpy(buf, target + 3); /* without "../" */
	return true;
}

bool store_owns(const struct store *store, const struct attachment *attachment, const char *key)
{
	char owner[STORE_NAME_SIZE], name[STORE_NAME_SIZE];

	return store_owner(store, key, owner) && streq(owner, store_name(attachment, name));
}

void store_each_claim(const struct store *store, store_claim_visitor visit, void *arg)
{
	DIR *dir = open_folder(store, "devices");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			visit(entry->d_name, arg);
	if (dir)
		closedir(dir);
}

void store_unclaim(const struct store *store, const char *key)
{
	char link[128];

	snprintf(link, sizeof(link), "devices/%s", key);
	unlinkat(store->dir, link, 0);
}
