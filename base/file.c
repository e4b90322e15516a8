// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include "base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

enum { LOCK_TICK_MS = 100 };

int file_read_fd(int fd, size_t max, char **ret_buf, size_t *ret_len)
{
	size_t size = 4096, len = 0;
	_cleanup_free_ char *buf = malloc(size + 1);

	for (;;) {
		ssize_t n;

		if (!buf)
			return -ENOMEM;
		n = read(fd, buf + len, size - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += n;
		if (len > max)
			return -EFBIG;
		if (len == size) {
			char *bigger = realloc(buf, 2 * size + 1);

			if (!bigger)
				return -ENOMEM;
			buf = bigger;
			size *= 2;
		}
	}
	buf[len] = '\0';
	if (ret_len)
		*ret_len = len;
	*ret_buf = steal_ptr(buf);
	return 0;
}

int file_read(int dirfd, const char *path, size_t max, char **ret_buf, size_t *ret_len)
{
	_cleanup_close_ int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return file_read_fd(fd, max, ret_buf, ret_len);
}

int file_read_line(const char *path, char *buf, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	if (n < 0)
		return -errno;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

int file_write_fd(int fd, const void *buf, size_t len)
{
	const char *p = buf;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= n;
	}
	return 0;
}

static int write_new(int dirfd, const char *path, const void *buf, size_t len,
		     enum file_durability dur)
{
	_cleanup_close_ int fd =
		openat(dirfd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	int r;

	if (fd < 0)
		return -errno;
	r = file_write_fd(fd, buf, len);
	if (r == 0 && dur == FILE_DURABLE && fsync(fd) < 0)
		r = -errno;
	return r;
}

static int sync_dir_of(int dirfd, const char *path)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *dir = slash ? strndup(path, slash - path + 1) : strdup(".");
	_cleanup_close_ int fd = -1;

	if (!dir)
		return -ENOMEM;
	fd = openat(dirfd, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fsync(fd) < 0)
		return -errno;
	return 0;
}

int file_temporary(const char *path, char *buf, size_t size)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	if (snprintf(buf, size, "%.*s.%s.tmp", (int)(base - path), path, base) >= (int)size)
		return -ENAMETOOLONG;
	return 0;
}

int file_write_atomic(int dirfd, const char *path, const void *buf, size_t len,
		      enum file_durability dur)
{
	char tmp[4096];
	int r = file_temporary(path, tmp, sizeof(tmp));

	if (r < 0)
		return r;
	r = write_new(dirfd, tmp, buf, len, dur);
	if (r == 0 && renameat(dirfd, tmp, dirfd, path) < 0)
		r = -errno;
	if (r < 0) {
		unlinkat(dirfd, tmp, 0);
		return r;
	}
	return dur == FILE_DURABLE ? sync_dir_of(dirfd, path) : 0;
}

int file_mkdirs(const char *path, struct err *err)
{
	char dir[4096];

	if (snprintf(dir, sizeof(dir), "%s/", path) >= (int)sizeof(dir))
		return err_set(err, CNI_IO_FAILURE, -ENAMETOOLONG, "folder name too long: %s", path);
	for (char *p = strchr(dir + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(dir, 0700) < 0 && errno != EEXIST)
			return err_set(err, CNI_IO_FAILURE, -errno,
				       "cannot create the state folder %s: %m; check that its file system is writable",
				       dir);
		*p = '/';
	}
	return 0;
}

int file_opendir(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r;

	if (fd >= 0)
		return fd;
	r = file_mkdirs(path, err);
	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, CNI_IO_FAILURE, -errno, "cannot open the folder %s: %m", path);
	return fd;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t file_deadline(int ms)
{
	return now_ms() + ms;
}

int file_time_left(int64_t deadline)
{
	int64_t left = deadline - now_ms();

	return left > 0 ? (int)left : 0;
}

/* The holder's process ID is diagnosis only; the lock itself is the kernel's. */
static void note_holder(int fd)
{
	char pid[16];
	int n = snprintf(pid, sizeof(pid), "%d\n", getpid());

	if (pwrite(fd, pid, n, 0) == n && ftruncate(fd, n) < 0)
		return; /* a stale digit behind the line does no harm */
}

/* The deadline passed, or a signal ended the wait. */
static int not_locked(int fd, const char *name, struct err *err)
{
	char pid[16] = "?";
	ssize_t n = pread(fd, pid, sizeof(pid) - 1, 0);

	if (n > 0) {
		pid[n] = '\0';
		pid[strcspn(pid, "\n")] = '\0';
	}
	if (stop_check(err) < 0)
		return err_wrap(err, "waiting for lock %s, held by process %s", name, pid);
	return err_set(err, CNI_TRY_AGAIN, -ETIMEDOUT,
		       "lock %s is still held by process %s; try again, or see what that process waits for",
		       name, pid);
}

/* True if @name still is the file behind @fd: nobody removed or replaced the lock file. */
static bool lock_is_current(int fd, int dirfd, const char *name)
{
	struct stat held, named;

	return fstat(fd, &held) == 0 && fstatat(dirfd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

static void interrupt(int signal)
{
	(void)signal; /* that flock() returns is all */
}

/*
 * flock() with a time-out: a timer interrupts it, again and again, as the first signal may come before
 * flock() waits. Waiting in the kernel is first come, first served, and nobody sleeps while the lock is
 * free; polling with 64 callers took three times as long. The timer also lets a signal end the wait that
 * base/stop.h holds back.
 */
static int lock_until(int fd, int64_t deadline)
{
	const struct sigaction action = { .sa_handler = interrupt }; /* no SA_RESTART */
	const struct itimerval tick = { { 0, LOCK_TICK_MS * 1000 }, { 0, LOCK_TICK_MS * 1000 } };
	struct itimerval before;
	sigset_t alarm_only, mask;
	struct sigaction old;
	int r;

	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	sigaction(SIGALRM, &action, &old);
	sigprocmask(SIG_UNBLOCK, &alarm_only, &mask); /* a caller may have left it blocked */
	setitimer(ITIMER_REAL, &tick, &before);
	do
		r = flock(fd, LOCK_EX) < 0 ? -errno : 0;
	while (r == -EINTR && file_time_left(deadline) > 0 && stop_signal() == 0);
	setitimer(ITIMER_REAL, &before, NULL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGALRM, &old, NULL);
	return r == -EINTR ? -EWOULDBLOCK : r;
}

int file_lock(int dirfd, const char *name, int64_t deadline, struct err *err)
{
	_cleanup_close_ int fd = -1;
	int r;

	for (;;) {
		if (fd < 0)
			fd = openat(dirfd, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0)
			return err_set(err, CNI_IO_FAILURE, -errno, "cannot open lock file %s: %m",
				       name);
		r = flock(fd, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
		if (r == -EWOULDBLOCK && file_time_left(deadline) > 0)
			r = lock_until(fd, deadline);
		if (r == -EWOULDBLOCK)
			return not_locked(fd, name, err);
		if (r < 0)
			return err_set(err, CNI_IO_FAILURE, r, "cannot lock %s: %s", name,
				       strerror(-r));
		if (lock_is_current(fd, dirfd, name))
			break;
		close(steal_fd(&fd));
	}
	note_holder(fd);
	return steal_fd(&fd);
}

bool file_is_locked(int dirfd, const char *name)
{
	_cleanup_close_ int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

void file_unlock_remove(int dirfd, const char *name, int *fd)
{
	if (*fd < 0)
		return;
	unlinkat(dirfd, name, 0);
	close(steal_fd(fd));
}
