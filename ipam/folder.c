// SPDX-License-Identifier: Apache-2.0
#include "ipam/folder.h"

#include "ipam/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#define LOCK "lock"

enum { FOLDER_PATH_SIZE = HOME_PATH_SIZE + CNI_NAME_MAX + 16 };

static int open_below(int home, const char *path, const char *name, enum home_mode mode,
		      struct err *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
	int fd = openat(home, name, flags);

	if (fd < 0 && errno == ENOENT && mode == HOME_CREATE &&
	    (mkdirat(home, name, 0700) == 0 || errno == EEXIST))
		fd = openat(home, name, flags);
	if (fd >= 0 || errno == ENOENT)
		return fd >= 0 ? fd : -ENOENT;
	return err_set(err, CNI_IO_FAILURE, -errno, "cannot open %s: %s", path, strerror(errno));
}

static bool is_current(int dir, const char *path)
{
	struct stat st;

	return fstat(dir, &st) == 0 && record_same_file(AT_FDCWD, path, &st);
}

/* Return: 1 with the lock, 0 when the folder is no longer there by that name, or a negative errno. */
static int lock_current(struct folder *folder, const char *path, int64_t deadline, struct err *err)
{
	struct err why = { 0 };

	folder->lock = file_lock(folder->dir, LOCK, deadline, &why);
	if (folder->lock >= 0 && is_current(folder->dir, path))
		return 1;
	if (folder->lock >= 0 || folder->lock == -ENOENT)
		return 0;
	*err = why;
	return err_wrap(err, "address pool %s", path);
}

static int open_dir(const struct home *home, const char *path, const char *name,
		    enum home_mode mode, struct err *err)
{
	_cleanup_close_ int fd = -1;

	if (!home->chosen) { /* all of the path but @name is the administrator's: one call will do */
		int dir = open_below(AT_FDCWD, path, path, HOME_EXISTING, err);

		if (dir != -ENOENT)
			return dir;
	}
	fd = home_open(home, mode, err);
	return fd < 0 ? fd : open_below(fd, path, name, mode, err);
}

int folder_open(const struct home *home, const char *name, enum home_mode mode, int64_t deadline,
		struct folder *ret_folder, struct err *err)
{
	char path[FOLDER_PATH_SIZE];

	snprintf(path, sizeof(path), "%s/%s", home->path, name);
	*ret_folder = FOLDER_CLOSED;
	do {
		int r = open_dir(home, path, name, mode, err);

		if (r == -ENOENT && mode == HOME_CREATE)
			continue; /* the home was removed between two calls */
		if (r < 0)
			return r;
		ret_folder->dir = r;
		r = lock_current(ret_folder, path, deadline, err);
		if (r > 0)
			return 0;
		folder_close(ret_folder);
		if (r < 0)
			return r;
	} while (file_time_left(deadline) > 0);
	return err_set(err, CNI_TRY_AGAIN, -ETIMEDOUT,
		       "address pool %s is being removed all the time; try again", path);
}

void folder_close(struct folder *folder)
{
	base_closep(&folder->lock);
	base_closep(&folder->dir);
	*folder = FOLDER_CLOSED;
}
