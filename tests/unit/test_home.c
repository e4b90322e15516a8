// SPDX-License-Identifier: Apache-2.0
/* Where pools may be: what a network's author can reach by "dataDir", and what not. */
#include "ipam/home.h"

#include "ipam/folder.h"

#include "tests/unit/folder.h"
#include "tests/unit/row.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/file.h>

static char root[64];

static int make_folder(void **state)
{
	(void)state;
	return folder_make(root);
}

static int remove_folder(void **state)
{
	(void)state;
	return folder_remove(root);
}

static const char *at(const char *name)
{
	static char path[2][256];
	static int turn;

	turn = (turn + 1) % 2;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", root, name);
	return path[turn];
}

/* ---- which folder ---- */

static const struct {
	const char *name, *data_dir;
	const char *path; /* NULL: refused */
} rows[] = {
	{ "none", NULL, "/run/roce-ipam" },
	{ "below the first root", "/srv/a/team", "/srv/a/team" },
	{ "below the second root", "/srv/b/team.1", "/srv/b/team.1" },
	{ "the root itself", "/srv/a", NULL },
	{ "the root and a slash", "/srv/a/", NULL },
	{ "two deep", "/srv/a/team/sub", NULL },
	{ "a slash too many", "/srv/a//team", NULL },
	{ "a slash behind", "/srv/a/team/", NULL },
	{ "up", "/srv/a/..", NULL },
	{ "up and down", "/srv/a/../b", NULL },
	{ "up in the name", "/srv/a/team/..", NULL },
	{ "here", "/srv/a/.", NULL },
	{ "hidden", "/srv/a/.domain", NULL },
	{ "a neighbour by prefix", "/srv/ab/team", NULL },
	{ "relative", "srv/a/team", NULL },
	{ "elsewhere", "/etc/team", NULL },
	{ "the standard folder", "/run/roce-ipam", NULL },
	{ "a pool of the standard folder", "/run/roce-ipam/n1", NULL },
	{ "empty", "", NULL },
};

static void finds(void **state)
{
	const struct profile profile = {
		.state_dir = "/run",
		.data_roots = { "/srv/a", "/srv/b" },
		.n_data_roots = 2,
	};

	(void)state;
	for_each_row(row, rows)
	{
		struct err err = { 0 };
		struct home home;
		int r = home_find(&profile, row->data_dir, &home, &err);

		row_int(row->name, "refused", r < 0, row->path == NULL);
		if (row->path)
			row_text(row->name, "the folder", home.path, row->path);
		else
			row_part(row->name, "the message", err.msg,
				 "is not one folder directly below one of the node profile's "
				 "ipam.dataRoots (/srv/a, /srv/b)");
	}
}

static void without_roots(void **state)
{
	const struct profile profile = { .state_dir = "/run" };
	struct err err = { 0 };
	struct home home;

	(void)state;
	assert_int_equal(home_find(&profile, "/var/lib/cni/networks", &home, &err), -EINVAL);
	assert_string_equal(err.msg,
			    "ipam.dataDir: \"/var/lib/cni/networks\" is not one folder directly below one "
			    "of the node profile's ipam.dataRoots (there are none); leave it out, or have "
			    "the node's administrator add a root");
	assert_int_equal(err.code, CNI_CONFIG_INVALID);
}

/* ---- the profile's keys ---- */

static const struct {
	const char *name, *profile;
	const char *message; /* NULL: accepted */
} profiles[] = {
	{ "none", "\"ipam\":{}", NULL },
	{ "two", "\"ipam\":{\"dataRoots\":[\"/srv/a\",\"/srv/ab\"]}", NULL },
	{ "the standard folder of another stateDir", "\"ipam\":{\"dataRoots\":[\"/var/lib/roce-ipam\"]}", NULL },
	{ "index", "\"nodeIndex\":65535", NULL },
	{ "no such index", "\"nodeIndex\":65536",
	  "nodeIndex: 65536 is not the number of a node: it must be 0 to 65535" },
	{ "no number", "\"nodeIndex\":\"1\"", "nodeIndex: must be an integer, is a string" },
	{ "unknown key", "\"ipam\":{\"dataRoot\":[]}",
	  "unknown key \"ipam.dataRoot\"; did you mean \"dataRoots\"?" },
	{ "no list", "\"ipam\":{\"dataRoots\":\"/srv\"}", "ipam.dataRoots: must be an array, is a string" },
	{ "relative", "\"ipam\":{\"dataRoots\":[\"srv\"]}",
	  "ipam.dataRoots[0]: \"srv\" must be an absolute path, without \"//\", a part that begins with \".\" or a \"/\" at its end" },
	{ "slash", "\"ipam\":{\"dataRoots\":[\"/srv/\"]}",
	  "ipam.dataRoots[0]: \"/srv/\" must be an absolute path, without \"//\", a part that begins with \".\" or a \"/\" at its end" },
	{ "nested", "\"ipam\":{\"dataRoots\":[\"/srv/a/b\",\"/srv/a\"]}",
	  "ipam.dataRoots[1]: \"/srv/a\" and \"/srv/a/b\": one lies in the other" },
	{ "our own state", "\"stateDir\":\"/var/lib\",\"ipam\":{\"dataRoots\":[\"/var/lib/roce-ipam\"]}",
	  "ipam.dataRoots[0]: \"/var/lib/roce-ipam\" overlaps /var/lib/roce-ipam, which is not for networks to choose" },
	{ "above our own state", "\"ipam\":{\"dataRoots\":[\"/run\"]}",
	  "ipam.dataRoots[0]: \"/run\" overlaps /run/roce-ipam, which is not for networks to choose" },
	{ "the other plugin's", "\"ipam\":{\"dataRoots\":[\"/run/roce-cni/devices\"]}",
	  "ipam.dataRoots[0]: \"/run/roce-cni/devices\" overlaps /run/roce-cni, which is not for networks to choose" },
};

static void profile_keys(void **state)
{
	(void)state;
	for_each_row(row, profiles)
	{
		struct profile profile;
		struct err err = { 0 };
		char text[256];
		json_t *json = NULL;
		int len = snprintf(text, sizeof(text), "{\"version\":1,%s}", row->profile);

		row_int(row->name, "jx_parse()", jx_parse(text, (size_t)len, "the test", &json, &err), 0);
		row_int(row->name, "refused", profile_read(json, &profile, &err) < 0, row->message != NULL);
		if (row->message)
			row_text(row->name, "the message", err.msg, row->message);
		json_decref(json);
	}
	assert_int_equal(profile_durability("/run"), FILE_VOLATILE);
	assert_int_equal(profile_durability("/run/x"), FILE_VOLATILE);
	assert_int_equal(profile_durability("/running"), FILE_DURABLE);
}

/* ---- opening it ---- */

static int open_network(const char *data_dir, const char *network, struct err *err)
{
	const struct profile profile = { .state_dir = "/run", .data_roots = { root }, .n_data_roots = 1 };
	struct folder folder;
	struct home home;
	int r = home_find(&profile, data_dir, &home, err);

	if (r == 0)
		r = folder_open(&home, network, HOME_CREATE, file_deadline(1000), &folder, err);
	if (r == 0)
		folder_close(&folder);
	return r;
}

static void makes_folders(void **state)
{
	struct err err = { 0 };
	struct stat st;

	(void)state;
	assert_int_equal(open_network(at("team"), "n1", &err), 0);
	assert_int_equal(stat(at("team/n1/lock"), &st), 0);
	assert_int_equal(stat(at("team"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(open_network(at("team"), "n1", &err), 0);
}

/* Neither the folder nor the network below it may be a link to somebody else's. */
static void follows_no_link(void **state)
{
	struct err err = { 0 }, err2 = { 0 };
	char want[256];

	(void)state;
	assert_int_equal(open_network(at("team"), "n1", &err), 0);
	assert_int_equal(symlink("team", at("link")), 0);
	assert_int_equal(open_network(at("link"), "n1", &err), -ENOTDIR);
	snprintf(want, sizeof(want), "cannot open the folder %s/link: Not a directory", root);
	assert_string_equal(err.msg, want);
	assert_int_equal(symlink("n1", at("team/n2")), 0);
	assert_int_equal(open_network(at("team"), "n2", &err2), -ENOTDIR);
	snprintf(want, sizeof(want), "cannot open %s/team/n2: Not a directory", root);
	assert_string_equal(err2.msg, want);
}

/* ---- locks, as docs/ipam.md says ---- */

/* Run in another process, which has its own descriptors. */
static bool other_process_can(bool (*lock)(int fd), const char *path)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0) {
		int fd = open(path, O_RDWR);

		_exit(fd >= 0 && lock(fd) ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status == 0;
}

static bool by_flock(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static bool by_ofd(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/* Each kind excludes itself; on a local file system neither sees the other, so both sides must use one. */
static void locks_of_one_kind_exclude_each_other(void **state)
{
	static bool (*const kinds[])(int) = { by_flock, by_ofd };
	const char *path = at("lock");

	(void)state;
	for (size_t held = 0; held < ARRAY_SIZE(kinds); held++) {
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

		assert_true(kinds[held](fd));
		for (size_t asked = 0; asked < ARRAY_SIZE(kinds); asked++)
			assert_int_equal(other_process_can(kinds[asked], path), held != asked);
		close(fd);
		assert_true(other_process_can(kinds[held], path));
	}
}

/* What folder_open() holds is the first kind, and it ends with the descriptor. */
static void a_folder_is_locked_by_flock(void **state)
{
	struct err err = { 0 };
	struct folder folder;
	struct home home;

	(void)state;
	assert_int_equal(home_at(root, FILE_VOLATILE, &home, &err), 0);
	assert_int_equal(folder_open(&home, "n1", HOME_CREATE, file_deadline(1000), &folder, &err), 0);
	assert_false(other_process_can(by_flock, at("n1/lock")));
	assert_true(other_process_can(by_ofd, at("n1/lock")));
	folder_close(&folder);
	assert_true(other_process_can(by_flock, at("n1/lock")));
}

#define folder_test(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds),
		cmocka_unit_test(without_roots),
		cmocka_unit_test(profile_keys),
		folder_test(makes_folders),
		folder_test(follows_no_link),
		folder_test(locks_of_one_kind_exclude_each_other),
		folder_test(a_folder_is_locked_by_flock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
