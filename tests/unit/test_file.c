// SPDX-License-Identifier: Apache-2.0
/* Files: read whole, publish whole, and the lock with its deadline between two processes. */
#include "base/file.h"

#include "base/stop.h"

#include "tests/unit/row.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char folder[] = "/tmp/test_file.XXXXXX";
static int dir = -1;

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return dir < 0 ? -1 : 0;
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	close(dir);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static void put(const char *name, const char *text)
{
	assert_int_equal(file_write_atomic(dir, name, text, strlen(text), FILE_VOLATILE), 0);
}

static int count_entries(void)
{
	DIR *d = opendir(folder);
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

/* ---- reading ---- */

/* Sizes around the first buffer and its doubling, each read with a limit that is just enough. */
static void whole_files_are_read(void **state)
{
	static const size_t sizes[] = { 0, 1, 4095, 4096, 4097, 8191, 8192, 8193, 100000 };
	static char content[100000];

	(void)state;
	memset(content, 'x', sizeof(content));
	for_each_row(size, sizes)
	{
		char name[24], *buf = NULL;
		size_t len = 0;

		snprintf(name, sizeof(name), "%zu bytes", *size);
		assert_int_equal(file_write_atomic(dir, "f", content, *size, FILE_VOLATILE), 0);
		row_int(name, "file_read()", file_read(dir, "f", *size, &buf, &len), 0);
		row_int(name, "length", (long long)len, (long long)*size);
		row_true(name, "content", memcmp(buf, content, len) == 0 && buf[len] == '\0');
		free(buf);
		if (*size == 0)
			continue;
		buf = NULL;
		row_int(name, "one byte too many", file_read(dir, "f", *size - 1, &buf, &len),
			-EFBIG);
		row_true(name, "nothing returned", buf == NULL);
	}
}

static void reading_fails_with_errno(void **state)
{
	char *buf, line[8];

	(void)state;
	assert_int_equal(file_read(dir, "no such file", 10, &buf, NULL), -ENOENT);
	assert_int_equal(file_read(AT_FDCWD, folder, 10, &buf, NULL), -EISDIR);
	assert_int_equal(file_read_fd(-1, 10, &buf, NULL), -EBADF);
	assert_int_equal(file_read_line("/no/such/file", line, sizeof(line)), -ENOENT);
	assert_int_equal(file_read_line(folder, line, sizeof(line)), -EISDIR);
}

/* What a pipe delivers in pieces is put together. */
static void a_pipe_is_read_to_its_end(void **state)
{
	int fds[2], status;
	char *buf;
	size_t len;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	child = fork();
	if (child == 0) {
		for (int i = 0; i < 50; i++)
			if (write(fds[1], "0123456789", 10) != 10)
				_exit(1);
		_exit(0);
	}
	close(fds[1]);
	assert_int_equal(file_read_fd(fds[0], 1000, &buf, &len), 0);
	close(fds[0]);
	waitpid(child, &status, 0);
	assert_int_equal(len, 500);
	assert_int_equal(strlen(buf), 500);
	free(buf);
}

static const struct {
	const char *content, *line;
} lines[] = {
	{ "", "" },
	{ "\n", "" },
	{ "1500\n", "1500" },
	{ "1500", "1500" },
	{ "a\nb\n", "a" },
	{ "1234567\n", "1234567" },
	{ "12345678", "1234567" },
	{ "123456789\n", "1234567" },
};

static void first_line_is_read(void **state)
{
	(void)state;
	for_each_row(row, lines)
	{
		char path[64], line[8];

		put("line", row->content);
		snprintf(path, sizeof(path), "%s/line", folder);
		row_int(row->content, "file_read_line()", file_read_line(path, line, sizeof(line)),
			0);
		row_text(row->content, "line", line, row->line);
	}
}

/* ---- writing ---- */

static void writing_replaces_whole_files(void **state)
{
	static const enum file_durability durabilities[] = { FILE_VOLATILE, FILE_DURABLE };

	(void)state;
	for_each_row(dur, durabilities)
	{
		struct stat st;
		char *buf;
		int before;

		put("w", "a long first content");
		before = count_entries();
		assert_int_equal(file_write_atomic(dir, "w", "new", 3, *dur), 0);
		assert_int_equal(file_read(dir, "w", 100, &buf, NULL), 0);
		assert_string_equal(buf, "new");
		free(buf);
		assert_int_equal(fstatat(dir, "w", &st, 0), 0);
		assert_int_equal(st.st_mode & 0777, 0600);
		assert_int_equal(count_entries(), before); /* no temporary file is left */
	}
}

static void durable_files_below_a_folder(void **state)
{
	char path[64];

	(void)state;
	assert_int_equal(mkdirat(dir, "sub", 0700), 0);
	assert_int_equal(file_write_atomic(dir, "sub/f", "x", 1, FILE_DURABLE), 0);
	snprintf(path, sizeof(path), "%s/sub/g", folder);
	assert_int_equal(file_write_atomic(AT_FDCWD, path, "x", 1, FILE_DURABLE), 0);
	assert_int_equal(faccessat(dir, "sub/f", F_OK, 0), 0);
	assert_int_equal(faccessat(dir, "sub/g", F_OK, 0), 0);
}

static void failed_writes_leave_nothing(void **state)
{
	char long_name[5000];
	int before = count_entries();

	(void)state;
	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(file_write_atomic(dir, "no/such/folder", "x", 1, FILE_VOLATILE), -ENOENT);
	assert_int_equal(file_write_atomic(dir, long_name, "x", 1, FILE_VOLATILE), -ENAMETOOLONG);
	assert_int_equal(mkdirat(dir, "occupied", 0700), 0);
	assert_int_equal(file_write_atomic(dir, "occupied", "x", 1, FILE_VOLATILE), -EISDIR);
	assert_int_equal(unlinkat(dir, "occupied", AT_REMOVEDIR), 0);
	assert_int_equal(count_entries(), before);
}

/* A full disk: the old content stays. */
static void a_full_disk_keeps_the_old_file(void **state)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(file_write_fd(fd, "x", 1), -ENOSPC);
	close(fd);
}

/* A reader beside a writer sees one content or the other, never half of one. */
static void readers_never_see_half(void **state)
{
	enum { SIZE = 20000, ROUNDS = 300 };
	static char a[SIZE], b[SIZE];
	int status;
	pid_t writer;

	(void)state;
	memset(a, 'a', SIZE);
	memset(b, 'b', SIZE);
	assert_int_equal(file_write_atomic(dir, "half", a, SIZE, FILE_VOLATILE), 0);
	writer = fork();
	if (writer == 0) {
		for (int i = 0; i < ROUNDS; i++)
			if (file_write_atomic(dir, "half", i % 2 ? a : b, SIZE, FILE_VOLATILE) < 0)
				_exit(1);
		_exit(0);
	}
	while (waitpid(writer, &status, WNOHANG) == 0) {
		char *buf;
		size_t len;

		assert_int_equal(file_read(dir, "half", SIZE, &buf, &len), 0);
		assert_int_equal(len, SIZE);
		assert_int_equal(buf[0], buf[SIZE - 1]);
		free(buf);
	}
	assert_int_equal(status, 0);
}

/* ---- folders ---- */

static void folders_are_created(void **state)
{
	struct err err = { 0 };
	struct stat st;
	char path[128];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/d1/d2/d3", folder);
	assert_int_equal(file_mkdirs(path, &err), 0);
	assert_int_equal(file_mkdirs(path, &err), 0); /* again */
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0700);
	snprintf(path, sizeof(path), "%s/d4//d5/", folder);
	assert_int_equal(file_mkdirs(path, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	snprintf(path, sizeof(path), "%s/d6/d7", folder);
	fd = file_opendir(path, &err);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	assert_false(err_is_set(&err));
}

static void folders_that_cannot_be(void **state)
{
	static char path[6000];
	struct err err = { 0 };

	(void)state;
	put("plain", "x");
	snprintf(path, sizeof(path), "%s/plain/below", folder);
	assert_int_equal(file_mkdirs(path, &err), -ENOTDIR);
	assert_int_equal(err.code, CNI_IO_FAILURE);
	row_part("below a file", "message", err.msg, path);

	err = (struct err){ 0 };
	snprintf(path, sizeof(path), "%s/plain", folder);
	assert_true(file_opendir(path, &err) < 0);
	assert_int_equal(err.code, CNI_IO_FAILURE);
	row_part("a file", "message", err.msg, path);

	err = (struct err){ 0 };
	memset(path, '/', sizeof(path) - 1);
	assert_int_equal(file_mkdirs(path, &err), -ENAMETOOLONG);
	assert_int_equal(err.code, CNI_IO_FAILURE);
}

/* ---- locks ---- */

static void time_runs_out(void **state)
{
	int64_t deadline = file_deadline(1000);
	int left = file_time_left(deadline);

	(void)state;
	assert_true(left > 900 && left <= 1000);
	assert_int_equal(file_time_left(file_deadline(0)), 0);
	assert_int_equal(file_time_left(file_deadline(-5)), 0);
}

static void lock_is_a_file_with_our_pid(void **state)
{
	struct err err = { 0 };
	char *text, pid[16];
	struct stat st;
	int fd;

	(void)state;
	put("l1", "123456789012345\nmore"); /* left over by a holder that died */
	fd = file_lock(dir, "l1", file_deadline(0), &err);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(file_read(dir, "l1", 100, &text, NULL), 0);
	snprintf(pid, sizeof(pid), "%d\n", getpid());
	assert_string_equal(text, pid);
	free(text);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	close(fd);
	fd = file_lock(dir, "l1", file_deadline(0), &err);
	assert_true(fd >= 0);
	file_unlock_remove(dir, "l1", &fd);
	assert_int_equal(fd, -1);
	assert_int_equal(faccessat(dir, "l1", F_OK, 0), -1);
	file_unlock_remove(dir, "l1", &fd); /* nothing held: nothing happens */
}

/* Another process that holds a lock until its stdin, the returned descriptor, is closed. */
static pid_t start_holder(const char *name, int *ret_fd)
{
	int hold[2], ready[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe2(hold, O_CLOEXEC), 0);
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		struct err err = { 0 };
		int fd = file_lock(dir, name, file_deadline(1000), &err);

		close(hold[1]);
		if (fd < 0 || write(ready[1], "x", 1) != 1 || read(hold[0], &byte, 1) < 0)
			_exit(1);
		file_unlock_remove(dir, name, &fd);
		_exit(0);
	}
	close(hold[0]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	*ret_fd = hold[1];
	return child;
}

static void deadline_names_the_holder(void **state)
{
	struct err err = { 0 };
	int64_t start = file_deadline(0);
	int hold, status, waited;
	char part[64];
	pid_t holder = start_holder("l2", &hold);

	(void)state;
	assert_int_equal(file_lock(dir, "l2", file_deadline(60), &err), -ETIMEDOUT);
	waited = (int)(file_deadline(0) - start);
	assert_true(waited >= 60 && waited < 2000);
	assert_int_equal(err.code, CNI_TRY_AGAIN);
	assert_int_equal(err.eno, ETIMEDOUT);
	snprintf(part, sizeof(part), "lock l2 is still held by process %d;", holder);
	row_part("deadline", "message", err.msg, part);
	close(hold);
	assert_int_equal(waitpid(holder, &status, 0), holder);
	assert_int_equal(status, 0);
}

/* A signal that is held ends the wait where it is heeded, and only there. */
static void signal_ends_the_wait(void **state)
{
	struct err err = { 0 }, late = { 0 };
	int64_t start = file_deadline(0);
	int hold, status;
	sigset_t set;
	pid_t holder = start_holder("l8", &hold);

	(void)state;
	stop_hold();
	stop_heed(true);
	kill(getpid(), SIGTERM);
	assert_int_equal(file_lock(dir, "l8", file_deadline(10000), &err), -EINTR);
	assert_true(file_deadline(0) - start < 5000);
	assert_int_equal(err.code, CNI_TRY_AGAIN);
	row_part("signal", "message", err.msg, "waiting for lock l8, held by process ");
	row_part("signal", "message", err.msg, ": stopped by SIGTERM; try again");
	stop_heed(false);
	assert_int_equal(file_lock(dir, "l8", file_deadline(250), &late), -ETIMEDOUT);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	assert_int_equal(sigwait(&set, &status), 0);
	close(hold);
	assert_int_equal(waitpid(holder, &status, 0), holder);
}

/* The lock comes free while somebody waits; the file he waited at is removed with it. */
static void lock_is_taken_when_released(void **state)
{
	struct err err = { 0 };
	struct stat held, named;
	int hold, fd, status;
	pid_t holder = start_holder("l3", &hold), closer = fork();

	(void)state;
	if (closer == 0) {
		usleep(50000);
		_exit(0); /* closes the last copy of the holder's pipe */
	}
	close(hold);
	fd = file_lock(dir, "l3", file_deadline(5000), &err);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &held), 0);
	assert_int_equal(fstatat(dir, "l3", &named, 0), 0);
	assert_true(held.st_ino == named.st_ino);
	file_unlock_remove(dir, "l3", &fd);
	assert_int_equal(waitpid(holder, &status, 0), holder);
	assert_int_equal(status, 0);
	assert_int_equal(waitpid(closer, &status, 0), closer);
}

/* A killed holder leaves its file, not its lock. */
static void killed_holder_leaves_no_lock(void **state)
{
	struct err err = { 0 };
	int hold, fd, status;
	pid_t holder = start_holder("l4", &hold);

	(void)state;
	kill(holder, SIGKILL);
	assert_int_equal(waitpid(holder, &status, 0), holder);
	close(hold);
	assert_int_equal(faccessat(dir, "l4", F_OK, 0), 0);
	fd = file_lock(dir, "l4", file_deadline(0), &err);
	assert_true(fd >= 0);
	close(fd);
}

/* Somebody removes the file of a lock that is held: a new one is taken, the old is of no use. */
static void removed_lock_file_is_noticed(void **state)
{
	struct err err = { 0 };
	struct stat old, new;
	int first, second;

	(void)state;
	first = file_lock(dir, "l5", file_deadline(0), &err);
	assert_true(first >= 0);
	assert_int_equal(unlinkat(dir, "l5", 0), 0);
	second = file_lock(dir, "l5", file_deadline(0), &err);
	assert_true(second >= 0);
	assert_int_equal(fstat(first, &old), 0);
	assert_int_equal(fstat(second, &new), 0);
	assert_true(old.st_ino != new.st_ino);
	assert_int_equal(old.st_nlink, 0);
	close(first);
	assert_int_equal(file_lock(dir, "l5", file_deadline(0), &err), -ETIMEDOUT);
	file_unlock_remove(dir, "l5", &second);
}

/* A waiter whose file is replaced while it waits must go for the new one. */
static void replaced_lock_file_is_noticed(void **state)
{
	struct err err = { 0 };
	int first, fd, status;
	pid_t waiter;

	(void)state;
	first = file_lock(dir, "l6", file_deadline(0), &err);
	waiter = fork();
	if (waiter == 0) {
		struct stat held, named;

		close(first);
		fd = file_lock(dir, "l6", file_deadline(5000), &err);
		_exit(fd < 0 || fstat(fd, &held) < 0 || fstatat(dir, "l6", &named, 0) < 0 ||
		      held.st_ino != named.st_ino);
	}
	usleep(30000); /* it waits at the old file, or comes later: both are right */
	assert_int_equal(unlinkat(dir, "l6", 0), 0);
	put("l6", "new\n");
	close(first);
	assert_int_equal(waitpid(waiter, &status, 0), waiter);
	assert_int_equal(status, 0);
}

static void lock_file_is_no_symlink(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(symlinkat("/tmp/elsewhere", dir, "l7"), 0);
	assert_int_equal(file_lock(dir, "l7", file_deadline(0), &err), -ELOOP);
	assert_int_equal(err.code, CNI_IO_FAILURE);
	err = (struct err){ 0 };
	assert_int_equal(file_lock(dir, "no/folder", file_deadline(0), &err), -ENOENT);
	assert_int_equal(err.code, CNI_IO_FAILURE);
}

/* Many processes, a counter without any other protection: no increment is lost. */
static void lock_excludes(void **state)
{
	enum { PROCESSES = 8, ROUNDS = 20 };
	pid_t children[PROCESSES];
	char *text;

	(void)state;
	put("counter", "0");
	for (int i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		if (children[i] > 0)
			continue;
		for (int round = 0; round < ROUNDS; round++) {
			struct err err = { 0 };
			char next[16], *old;
			int fd = file_lock(dir, "l8", file_deadline(20000), &err);

			if (fd < 0 || file_read(dir, "counter", 16, &old, NULL) < 0)
				_exit(1);
			snprintf(next, sizeof(next), "%d", atoi(old) + 1);
			free(old);
			file_write_atomic(dir, "counter", next, strlen(next), FILE_VOLATILE);
			file_unlock_remove(dir, "l8", &fd);
		}
		_exit(0);
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		waitpid(children[i], &status, 0);
		assert_int_equal(status, 0);
	}
	assert_int_equal(file_read(dir, "counter", 16, &text, NULL), 0);
	assert_int_equal(atoi(text), PROCESSES * ROUNDS);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_files_are_read),
		cmocka_unit_test(reading_fails_with_errno),
		cmocka_unit_test(a_pipe_is_read_to_its_end),
		cmocka_unit_test(first_line_is_read),
		cmocka_unit_test(writing_replaces_whole_files),
		cmocka_unit_test(durable_files_below_a_folder),
		cmocka_unit_test(failed_writes_leave_nothing),
		cmocka_unit_test(a_full_disk_keeps_the_old_file),
		cmocka_unit_test(readers_never_see_half),
		cmocka_unit_test(folders_are_created),
		cmocka_unit_test(folders_that_cannot_be),
		cmocka_unit_test(time_runs_out),
		cmocka_unit_test(lock_is_a_file_with_our_pid),
		cmocka_unit_test(deadline_names_the_holder),
		cmocka_unit_test(signal_ends_the_wait),
		cmocka_unit_test(lock_is_taken_when_released),
		cmocka_unit_test(killed_holder_leaves_no_lock),
		cmocka_unit_test(removed_lock_file_is_noticed),
		cmocka_unit_test(replaced_lock_file_is_noticed),
		cmocka_unit_test(lock_file_is_no_symlink),
		cmocka_unit_test(lock_excludes),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
