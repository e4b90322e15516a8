/* SPDX-License-Identifier: Apache-2.0 */
/* Files and folders: read whole, publish whole, lock with a deadline. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

/* How well what was written must survive. */
enum file_durability {
	FILE_VOLATILE, /* survives a killed process: enough under /run, which a boot empties */
	FILE_DURABLE,  /* survives power loss: fsync of the file and of its folder */
};

/**
 * file_read_fd() - read everything up to end of file
 * @fd:		open descriptor
 * @max:	most bytes accepted
 * @ret_buf:	the bytes, NUL-terminated; the caller frees
 * @ret_len:	their number, may be NULL
 *
 * Return: 0, -EFBIG when there is more than @max, or another negative errno. Sets no struct err:
 * only the caller knows what the file is for.
 */
int file_read_fd(int fd, size_t max, char **ret_buf, size_t *ret_len);

/* file_read() - file_read_fd() on @path relative to @dirfd (AT_FDCWD: the working folder). */
int file_read(int dirfd, const char *path, size_t max, char **ret_buf, size_t *ret_len);

/**
 * file_read_line() - first line of a small file such as a sysfs attribute
 * @path:	file
 * @buf:	receives the line without its newline
 * @size:	of @buf
 *
 * Return: 0 or a negative errno.
 */
int file_read_line(const char *path, char *buf, size_t size);

/* file_write_fd() - write all of @buf. Return: 0 or a negative errno. */
int file_write_fd(int fd, const void *buf, size_t len);

/* file_temporary() - where file_write_atomic() writes first: ".NAME.tmp" beside the file. */
int file_temporary(const char *path, char *buf, size_t size);

/**
 * file_write_atomic() - replace or create a file so that no reader ever sees half of it
 * @dirfd:	folder (AT_FDCWD: the working folder)
 * @path:	file below it
 * @buf:	new content
 * @len:	its length in bytes
 * @dur:	whether it must survive power loss
 *
 * Writes a temporary file beside @path (mode 0600) and renames it. Two must not do so at once for
 * one @path: callers hold a lock. What a killed one left is overwritten by the next.
 *
 * Return: 0 or a negative errno; after an error @path is as it was.
 */
int file_write_atomic(int dirfd, const char *path, const void *buf, size_t len,
		      enum file_durability dur);

/**
 * file_mkdirs() - create a folder and its parents, mode 0700
 * @path:	absolute path
 * @err:	set on failure (CNI_IO_FAILURE)
 *
 * Return: 0 or a negative errno.
 */
int file_mkdirs(const char *path, struct err *err);

/**
 * file_opendir() - file_mkdirs() and open the folder
 * @path:	absolute path
 * @err:	set on failure (CNI_IO_FAILURE)
 *
 * Return: a descriptor the caller closes, or a negative errno.
 */
int file_opendir(const char *path, struct err *err);

/* file_deadline() - the CLOCK_MONOTONIC time, in ms, @ms from now; what file_lock() takes. */
int64_t file_deadline(int ms);

/* file_time_left() - ms until @deadline, 0 if it has passed. */
int file_time_left(int64_t deadline);

/**
 * file_lock() - take the exclusive lock that a file stands for
 * @dirfd:	folder of the lock file
 * @name:	lock file, created (mode 0600) if it is missing
 * @deadline:	from file_deadline()
 * @err:	set on failure: CNI_TRY_AGAIN with the holder's process ID once the deadline passed, or a
 *		signal came that is held and heeded (base/stop.h)
 *
 * flock(2) on a descriptor that is closed on exec: a killed holder never leaves it locked. After
 * waiting, the descriptor is compared with the name, so that a lock file that somebody removed or
 * replaced meanwhile cannot be "held" by two.
 *
 * Return: a descriptor whose close() releases the lock, or a negative errno.
 */
int file_lock(int dirfd, const char *name, int64_t deadline, struct err *err);

/**
 * file_is_locked() - does somebody hold the lock that a file stands for
 * @dirfd, @name: as for file_lock()
 *
 * Creates nothing, and two who ask at once do not take each other for a holder.
 *
 * Return: true if so; false also where nobody can say.
 */
bool file_is_locked(int dirfd, const char *name);

/* file_unlock_remove() - remove the lock file while still holding it, then release the lock. */
void file_unlock_remove(int dirfd, const char *name, int *fd);

#endif
