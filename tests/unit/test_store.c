// SPDX-License-Identifier: Apache-2.0
/* The state folder: names, locks, claims, and what is listed. */
#include "cni/store.h"

#include "tests/unit/row.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char folder[] = "/tmp/test_store.XXXXXX";
static struct profile profile = { .state_dir = folder, .durability = FILE_DURABLE };
static struct store store = STORE_CLOSED;

static const struct attachment a1 = { "n1", "c1", "net1" };
static const struct attachment a2 = { "n1", "c2", "net1" };
static const struct attachment b1 = { "n2", "c1", "net2" };

static int make_folder(void **state)
{
	struct err err = { 0 };

	(void)state;
	return mkdtemp(folder) ? store_open(&profile, &store, &err) : -1;
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	store_close(&store);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

/* ---- the folder ---- */

static void folder_is_created(void **state)
{
	static const char *const names[] = { ".", "attachments", "devices" };
	struct store again = STORE_CLOSED;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(store.durability, FILE_DURABLE);
	for_each_row(name, names)
	{
		struct stat st;

		row_int(*name, "there", fstatat(store.dir, *name, &st, 0), 0);
		row_int(*name, "mode", st.st_mode & 07777, 0700);
	}
	assert_int_equal(store_open(&profile, &again, &err), 0);
	store_close(&again);
	assert_int_equal(again.dir, -1);
	store_close(&again); /* again */
}

static void folder_that_cannot_be(void **state)
{
	const struct profile none = { .state_dir = "/proc/self/no/such" };
	struct store other = STORE_CLOSED;
	struct err err = { 0 };

	(void)state;
	assert_true(store_open(&none, &other, &err) < 0);
	assert_int_equal(err.code, CNI_IO_FAILURE);
	row_part("below /proc", "message", err.msg, "/proc/self/no");
	assert_int_equal(other.dir, -1);
}

static void peeking_creates_nothing(void **state)
{
	char path[64];
	const struct profile other = { .state_dir = path };
	struct store peeked = STORE_CLOSED;

	(void)state;
	snprintf(path, sizeof(path), "%s/peek", folder);
	assert_int_equal(store_peek(&other, &peeked), -ENOENT);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(peeked.dir, -1);
	assert_int_equal(store_peek(&profile, &peeked), 0);
	store_close(&peeked);
}

/* ---- names ---- */

#define TEN "abcdefghij"
#define LONGEST TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static const struct {
	struct attachment attachment;
	const char *name;
} names[] = {
	{ { "n1", "c1", "net1" }, "attachments/n1/c1:net1" },
	{ { "a.b-c_d", "0123", "eth0.5" }, "attachments/a.b-c_d/0123:eth0.5" },
	{ { LONGEST, LONGEST, "abcdefghijklmno" },
	  "attachments/" LONGEST "/" LONGEST ":abcdefghijklmno" },
};

static void names_say_whose(void **state)
{
	(void)state;
	for_each_row(row, names)
	{
		char buf[STORE_NAME_SIZE];

		row_text(row->name, "store_name()", store_name(&row->attachment, buf), row->name);
	}
}

/* The longest names that are legal still make files: journal, temporary file, lock and claim. */
static void longest_names_are_files(void **state)
{
	const struct attachment *longest = &names[2].attachment;
	struct store_lock lock = STORE_UNLOCKED;
	struct err err = { 0 };
	char buf[STORE_NAME_SIZE];

	(void)state;
	assert_int_equal(store_lock_attachment(&store, longest, &lock, &err), 0);
	assert_int_equal(
		file_write_atomic(store.dir, store_name(longest, buf), "x", 1, FILE_VOLATILE), 0);
	assert_int_equal(store_claim(&store, "0000:3b:00.7", longest, &err), 0);
	assert_true(store_owner(&store, "0000:3b:00.7", buf));
	assert_string_equal(buf, names[2].name);
	assert_int_equal(unlinkat(store.dir, names[2].name, 0), 0);
	store_unclaim(&store, "0000:3b:00.7");
	store_unlock(&lock);
	assert_int_equal(unlinkat(store.dir, "attachments/" LONGEST, AT_REMOVEDIR), 0);
}

/* ---- locks ---- */

static void locks_come_and_go(void **state)
{
	struct store_lock attachment = STORE_UNLOCKED, device = STORE_UNLOCKED;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(store_lock_attachment(&store, &a1, &attachment, &err), 0);
	assert_int_equal(store_lock_device(&store, "0000:3b:00.2", &device, &err), 0);
	assert_int_equal(faccessat(store.dir, "attachments/n1/.c1:net1.lock", F_OK, 0), 0);
	assert_int_equal(faccessat(store.dir, "devices/.0000:3b:00.2.lock", F_OK, 0), 0);
	store_unlock(&device);
	store_unlock(&attachment);
	assert_int_equal(faccessat(store.dir, "attachments/n1/.c1:net1.lock", F_OK, 0), -1);
	assert_int_equal(faccessat(store.dir, "devices/.0000:3b:00.2.lock", F_OK, 0), -1);
	store_unlock(&attachment); /* not held any more */
}

/* Different attachments and devices do not wait for each other: all of this is at once. */
static void locks_are_apart(void **state)
{
	struct store_lock locks[5] = { STORE_UNLOCKED, STORE_UNLOCKED, STORE_UNLOCKED,
				       STORE_UNLOCKED, STORE_UNLOCKED };
	int64_t soon = file_deadline(2000);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(store_lock_attachment(&store, &a1, &locks[0], &err), 0);
	assert_int_equal(store_lock_attachment(&store, &a2, &locks[1], &err), 0);
	assert_int_equal(store_lock_attachment(&store, &b1, &locks[2], &err), 0);
	assert_int_equal(store_lock_device(&store, "0000:3b:00.2", &locks[3], &err), 0);
	assert_int_equal(store_lock_device(&store, "0000:3b:00.3", &locks[4], &err), 0);
	assert_true(file_time_left(soon) > 0);
	for_each_row(lock, locks) store_unlock(lock);
}

static void a_lock_is_waited_for(void **state)
{
	struct store_lock lock = STORE_UNLOCKED;
	struct err err = { 0 };
	int ready[2], status;
	char byte;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		if (store_lock_attachment(&store, &a1, &lock, &err) < 0 ||
		    write(ready[1], "x", 1) != 1)
			_exit(1);
		usleep(50000);
		store_unlock(&lock);
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(store_lock_attachment(&store, &a1, &lock, &err), 0);
	store_unlock(&lock);
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	close(ready[0]);
	close(ready[1]);
}

/* Who only tries does not wait; who only asks creates nothing, and is nobody's obstacle. */
static void a_lock_may_be_tried(void **state)
{
	struct store_lock lock = STORE_UNLOCKED, other = STORE_UNLOCKED;
	int64_t soon = file_deadline(2000);
	struct err err = { 0 };

	(void)state;
	assert_false(store_is_locked(&store, "0000:3b:00.2"));
	assert_int_equal(faccessat(store.dir, "devices/.0000:3b:00.2.lock", F_OK, 0), -1);
	assert_int_equal(store_try_device(&store, "0000:3b:00.2", &lock, &err), 0);
	assert_true(store_is_locked(&store, "0000:3b:00.2"));
	assert_false(store_is_locked(&store, "0000:3b:00.3"));
	assert_true(store_try_device(&store, "0000:3b:00.2", &other, &err) < 0);
	assert_true(file_time_left(soon) > 0);
	store_unlock(&other); /* it holds nothing */
	assert_true(store_is_locked(&store, "0000:3b:00.2"));
	store_unlock(&lock);
	assert_false(store_is_locked(&store, "0000:3b:00.2"));
}

/* A killed process leaves the file, and that stands for nothing. */
static void a_file_is_no_lock(void **state)
{
	const char *name = "devices/.0000:3b:00.2.lock";

	(void)state;
	assert_int_equal(file_write_atomic(store.dir, name, "1\n", 2, FILE_VOLATILE), 0);
	assert_false(store_is_locked(&store, "0000:3b:00.2"));
	assert_int_equal(unlinkat(store.dir, name, 0), 0);
}

/* Another process has both locks: whoever only tries is told so at once, without a message. */
static void a_lock_is_tried(void **state)
{
	struct store_lock locks[2] = { STORE_UNLOCKED, STORE_UNLOCKED };
	int64_t soon = file_deadline(5000);
	struct err err = { 0 };
	int ready[2], end[2], status;
	char byte;
	pid_t child;

	(void)state;
	assert_false(store_is_busy(&store, &a1));
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(end), 0);
	child = fork();
	if (child == 0) {
		close(end[1]);
		_exit(store_lock_attachment(&store, &a1, &locks[0], &err) < 0 ||
		      store_lock_device(&store, "0000:3b:00.2", &locks[1], &err) < 0 ||
		      write(ready[1], "x", 1) != 1 || read(end[0], &byte, 1) != 0);
	}
	close(end[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_true(store_is_busy(&store, &a1));
	assert_false(store_is_busy(&store, &a2));
	assert_int_equal(store_try_attachment(&store, &a1, &locks[0], &err), -ETIMEDOUT);
	assert_int_equal(store_try_device(&store, "0000:3b:00.2", &locks[1], &err), -ETIMEDOUT);
	assert_false(err_is_set(&err));
	assert_int_equal(store_try_device(&store, "no/such", &locks[1], &err), -ENOENT);
	assert_int_equal(err.code, CNI_IO_FAILURE);
	assert_true(file_time_left(soon) > 0);
	close(end[1]);
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);

	/* It has died without removing its lock files, which stand for nothing. */
	assert_int_equal(faccessat(store.dir, "attachments/n1/.c1:net1.lock", F_OK, 0), 0);
	assert_false(store_is_busy(&store, &a1));
	assert_int_equal(store_try_attachment(&store, &a1, &locks[0], &err), 0);
	assert_int_equal(store_try_device(&store, "0000:3b:00.2", &locks[1], &err), 0);
	for_each_row(lock, locks) store_unlock(lock);
	assert_int_equal(faccessat(store.dir, "attachments/n1/.c1:net1.lock", F_OK, 0), -1);
	close(ready[0]);
	close(ready[1]);
}

/* ---- claims ---- */

static void claims_name_the_owner(void **state)
{
	char owner[STORE_NAME_SIZE] = "untouched";
	struct err err = { 0 };

	(void)state;
	assert_false(store_owner(&store, "0000:3b:00.2", owner));
	assert_string_equal(owner, "untouched");
	assert_int_equal(store_claim(&store, "0000:3b:00.2", &a1, &err), 0);
	assert_true(store_owner(&store, "0000:3b:00.2", owner));
	assert_string_equal(owner, "attachments/n1/c1:net1");
	assert_int_equal(store_claim(&store, "0000:3b:00.2", &b1, &err), 0); /* replaces */
	assert_true(store_owner(&store, "0000:3b:00.2", owner));
	assert_string_equal(owner, "attachments/n2/c1:net2");
	assert_false(store_owner(&store, "0000:3b:00.3", owner));
	store_unclaim(&store, "0000:3b:00.2");
	assert_false(store_owner(&store, "0000:3b:00.2", owner));
	store_unclaim(&store, "0000:3b:00.2"); /* again */
}

/* The claim leads to the journal, as a link that a person can follow. */
static void claims_lead_to_the_journal(void **state)
{
	struct err err = { 0 };
	char *text, buf[STORE_NAME_SIZE];

	(void)state;
	mkdirat(store.dir, "attachments/n1", 0700);
	assert_int_equal(
		file_write_atomic(store.dir, store_name(&a1, buf), "journal", 7, FILE_VOLATILE), 0);
	assert_int_equal(store_claim(&store, "21-02:00:5e:00:53:05", &a1, &err), 0);
	assert_int_equal(file_read(store.dir, "devices/21-02:00:5e:00:53:05", 100, &text, NULL), 0);
	assert_string_equal(text, "journal");
	free(text);
	store_unclaim(&store, "21-02:00:5e:00:53:05");
	assert_int_equal(unlinkat(store.dir, buf, 0), 0);
}

/* What is no claim of ours is no owner, and no crash. */
static void odd_claims_have_no_owner(void **state)
{
	char owner[STORE_NAME_SIZE];

	(void)state;
	assert_int_equal(file_write_atomic(store.dir, "devices/odd", "x", 1, FILE_VOLATILE), 0);
	assert_false(store_owner(&store, "odd", owner));
	assert_int_equal(unlinkat(store.dir, "devices/odd", 0), 0);
	assert_int_equal(symlinkat("x", store.dir, "devices/odd"), 0);
	assert_false(store_owner(&store, "odd", owner));
	assert_int_equal(unlinkat(store.dir, "devices/odd", 0), 0);
}

static void collect_key(const char *key, void *arg)
{
	char *text = arg;

	snprintf(text + strlen(text), 256 - strlen(text), "%s;", key);
}

static void claims_are_listed(void **state)
{
	struct err err = { 0 };
	char text[256] = "";

	(void)state;
	store_each_claim(&store, collect_key, text);
	assert_string_equal(text, "");
	assert_int_equal(store_claim(&store, "0000:3b:00.2", &a1, &err), 0);
	assert_int_equal(file_write_atomic(store.dir, "devices/.0000:3b:00.3.lock", "", 0,
					   FILE_VOLATILE), 0);
	store_each_claim(&store, collect_key, text);
	assert_string_equal(text, "0000:3b:00.2;");
	assert_true(store_owns(&store, &a1, "0000:3b:00.2"));
	assert_false(store_owns(&store, &a2, "0000:3b:00.2"));
	assert_false(store_owns(&store, &a1, "0000:3b:00.3"));
	store_unclaim(&store, "0000:3b:00.2");
	assert_false(store_owns(&store, &a1, "0000:3b:00.2"));
	assert_int_equal(unlinkat(store.dir, "devices/.0000:3b:00.3.lock", 0), 0);
}

/* ---- the list ---- */

static void collect(const struct attachment *attachment, void *arg)
{
	char *text = arg;

	snprintf(text + strlen(text), 256 - strlen(text), "%s %s %s;", attachment->network,
		 attachment->container_id, attachment->ifname);
}

static void journals_are_listed(void **state)
{
	static const char *const files[] = { "n1/c1:net1",  "n1/.c1:net1.lock", "n1/.c1:net2.tmp",
					     "n1/no-colon", "n2/c1:net2",      "n2/.c9:net2.lock" };
	char text[256] = "", path[64];

	(void)state;
	mkdirat(store.dir, "attachments/n1", 0700);
	mkdirat(store.dir, "attachments/n2", 0700);
	for_each_row(file, files)
	{
		snprintf(path, sizeof(path), "attachments/%s", *file);
		row_int(*file, "written", file_write_atomic(store.dir, path, "", 0, FILE_VOLATILE),
			0);
	}
	store_each(&store, "n1", collect, text);
	assert_string_equal(text, "n1 c1 net1;");
	store_each(&store, "n9", collect, text);
	assert_string_equal(text, "n1 c1 net1;");
	text[0] = '\0';
	store_each(&store, NULL, collect, text);
	assert_int_equal(strlen(text), strlen("n1 c1 net1;n2 c1 net2;")); /* in any order */
	row_part("all", "list", text, "n1 c1 net1;");
	row_part("all", "list", text, "n2 c1 net2;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folder_is_created),
		cmocka_unit_test(folder_that_cannot_be),
		cmocka_unit_test(peeking_creates_nothing),
		cmocka_unit_test(names_say_whose),
		cmocka_unit_test(longest_names_are_files),
		cmocka_unit_test(locks_come_and_go),
		cmocka_unit_test(locks_are_apart),
		cmocka_unit_test(a_lock_is_waited_for),
		cmocka_unit_test(a_lock_may_be_tried),
		cmocka_unit_test(a_file_is_no_lock),
		cmocka_unit_test(a_lock_is_tried),
		cmocka_unit_test(claims_name_the_owner),
		cmocka_unit_test(claims_lead_to_the_journal),
		cmocka_unit_test(odd_claims_have_no_owner),
		cmocka_unit_test(claims_are_listed),
		cmocka_unit_test(journals_are_listed),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
