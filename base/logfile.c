// SPDX-License-Identifier: Apache-2.0
#include "base/logfile.h"

#include "base/file.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#define HEADER "# Log of roce-cni; roce writes to no file that begins otherwise.\n"

enum {
	TAIL_SIZE = 2 * LOG_LINE_SIZE, /* has the last line, and what a full disk left of another */
	TRIES = 8,		       /* somebody makes and moves the file at the same time */
};

/* A file below a root; @name shrinks to its last part as folders are entered. */
struct place {
	const char *root, *name;
	int dir;
};

/* What is wrong with the disk and not with the name. */
static bool is_disk_fault(int eno)
{
	static const int faults[] = { ENOSPC, EDQUOT, EROFS, EIO, ENOMEM, EMFILE, ENFILE };

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		if (faults[i] == eno)
			return true;
	return false;
}

static int cannot_open(const char *what, int eno, struct err *err)
{
	return err_set(err, is_disk_fault(eno) ? CNI_IO_FAILURE : CNI_CONFIG_INVALID, -eno,
		       "%s cannot be opened: %s", what, strerror(eno));
}

static bool is_link(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

/* ---- the way there ---- */

static int no_folder(int dir, const char *part, int eno, struct err *err)
{
	if (is_link(dir, part))
		return err_set(err, CNI_CONFIG_INVALID, -ELOOP,
			       "folder \"%s\" on the way is a symbolic link, which is not followed",
			       part);
	if (eno == ENOENT)
		return err_set(err, CNI_CONFIG_INVALID, -ENOENT,
			       "there is no folder \"%s\", and a network makes none; have the "
			       "node's administrator make it",
			       part);
	return cannot_open(part, eno, err);
}

/* One folder further down. Return: 0, 1 when @place->name has no folder any more, or a negative errno. */
static int descend(struct place *place, struct err *err)
{
	size_t len = strcspn(place->name, "/");
	char part[NAME_MAX + 1];
	int next;

	if (!place->name[len])
		return 1;
	if (len >= sizeof(part))
		return cannot_open(place->name, ENAMETOOLONG, err);
	memcpy(part, place->name, len);
	part[len] = '\0';
	next = openat(place->dir, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0)
		return no_folder(place->dir, part, errno, err);
	close(place->dir);
	place->dir = next;
	place->name += len + 1;
	return 0;
}

static int open_folder(struct place *place, struct err *err)
{
	int r = 0;

	place->dir = open(place->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (place->dir < 0)
		return cannot_open(place->root, errno, err);
	while (r == 0)
		r = descend(place, err);
	return r < 0 ? r : 0;
}

/* ---- whose file ---- */

static bool has_header(int fd)
{
	char start[sizeof(HEADER)] = "";

	return pread(fd, start, sizeof(start) - 1, 0) == sizeof(start) - 1 && streq(start, HEADER);
}

/* The last line that is complete must be ours. What may follow it is torn. */
static bool ends_as_ours(int fd, off_t size, bool *ret_torn)
{
	size_t len = size < TAIL_SIZE ? (size_t)size : TAIL_SIZE;
	char tail[TAIL_SIZE + 1];
	const char *end, *before, *line;

	if (pread(fd, tail, len, size - (off_t)len) != (ssize_t)len)
		return false;
	tail[len] = '\0';
	end = memrchr(tail, '\n', len);
	if (!end)
		return false;
	before = memrchr(tail, '\n', end - tail);
	line = before ? before + 1 : tail;
	*ret_torn = tail[len - 1] != '\n';
	return log_is_line(line) || strncmp(line, HEADER, strlen(HEADER)) == 0;
}

static const char *objection(int fd, const struct stat *st, bool *ret_torn)
{
	if (S_ISDIR(st->st_mode))
		return "it is a folder";
	if (!S_ISREG(st->st_mode))
		return "it is not a regular file";
	if (st->st_uid != 0)
		return "it does not belong to root";
	if (st->st_nlink != 1)
		return "it has another name as well (a hard link)";
	if (st->st_size == 0)
		return NULL;
	if (!has_header(fd))
		return "it is somebody else's: roce has not begun it";
	if (!ends_as_ours(fd, st->st_size, ret_torn))
		return "somebody else writes to it: its last line is not roce's";
	return NULL;
}

/* ---- the file ---- */

static int not_opened(const struct place *place, int eno, struct err *err)
{
	if (is_link(place->dir, place->name))
		return err_set(err, CNI_CONFIG_INVALID, -ELOOP,
			       "it is a symbolic link, which is not followed");
	if (eno == EISDIR)
		return err_set(err, CNI_CONFIG_INVALID, -EISDIR, "it is a folder");
	return cannot_open("it", eno, err);
}

/* O_NONBLOCK: nobody need read from a pipe; it makes no difference to a file. */
static int open_it(const struct place *place, enum logfile_mode mode)
{
	const int flags = O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int access = mode == LOGFILE_APPEND ? O_RDWR : O_RDONLY, fd = -1;

	for (int i = 0; i < TRIES; i++) {
		fd = openat(place->dir, place->name, access | flags);
		if (fd >= 0 || errno != ENOENT || mode == LOGFILE_LOOK)
			break;
		fd = openat(place->dir, place->name, access | flags | O_CREAT | O_EXCL, 0600);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd < 0 ? -errno : fd;
}

static int check_it(int fd, enum logfile_mode mode, bool *ret_torn, struct err *err)
{
	const char *why;
	struct stat st;
	int r = 0;

	if (fstat(fd, &st) < 0)
		return cannot_open("it", errno, err);
	why = objection(fd, &st, ret_torn);
	if (why)
		return err_set(
			err, CNI_CONFIG_INVALID, -EPERM,
			"%s; write another name, or have the node's administrator move it away",
			why);
	if (st.st_size == 0 && mode == LOGFILE_APPEND)
		r = file_write_fd(fd, HEADER, strlen(HEADER));
	return r < 0 ? err_set(err, CNI_IO_FAILURE, r, "it cannot be written: %s", strerror(-r))
		     : 0;
}

static int open_and_check(const struct place *place, enum logfile_mode mode, bool *ret_torn,
			  struct err *err)
{
	_cleanup_close_ int fd = open_it(place, mode);
	int r;

	if (fd == -ENOENT && mode == LOGFILE_LOOK)
		return fd;
	if (fd < 0)
		return not_opened(place, -fd, err);
	r = check_it(fd, mode, ret_torn, err);
	return r < 0 ? r : steal_fd(&fd);
}

int logfile_open(const char *root, const char *name, enum logfile_mode mode, bool *ret_torn,
		 struct err *err)
{
	struct place place = { root, name, -1 };
	bool torn = false;
	int r = open_folder(&place, err), fd = r;

	if (r == 0)
		fd = open_and_check(&place, mode, &torn, err);
	if (place.dir >= 0)
		close(place.dir);
	if (ret_torn)
		*ret_torn = torn;
	return fd;
}
