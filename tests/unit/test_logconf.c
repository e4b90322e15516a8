// SPDX-License-Identifier: Apache-2.0
/* "logLevel" and "logFile": what is read, and which files which profile allows. */
#include "conf/logconf.h"

#include "tests/unit/row.h"

static const struct {
	const char *text;
	bool set;
	enum log_level level;
	const char *part; /* of the message; NULL: it is read */
} levels[] = {
	{ "panic", true, LOG_LEVEL_PANIC, NULL },
	{ "error", true, LOG_LEVEL_ERROR, NULL },
	{ "warning", true, LOG_LEVEL_WARNING, NULL },
	{ "info", true, LOG_LEVEL_INFO, NULL },
	{ "debug", true, LOG_LEVEL_DEBUG, NULL },
	{ "verbose", true, LOG_LEVEL_DEBUG, NULL },
	{ "Debug", true, LOG_LEVEL_DEBUG, NULL },
	{ "ERROR", true, LOG_LEVEL_ERROR, NULL },
	{ "", false, LOG_LEVEL_PANIC, NULL },
	{ "debugg", false, LOG_LEVEL_PANIC, "logLevel: \"debugg\" is not known; it must be \"panic\"" },
	{ "waring", false, LOG_LEVEL_PANIC, "did you mean \"warning\"?" },
	{ "trace", false, LOG_LEVEL_PANIC, "\"info\" or \"debug\"" },
	{ "3", false, LOG_LEVEL_PANIC, "is not known" },
};

static void levels_are_read(void **state)
{
	(void)state;
	for_each_row(row, levels)
	{
		_cleanup_json_ json_t *json = json_string(row->text);
		struct logconf conf = { .has_level = false };
		struct err err = { 0 };
		int r = logconf_read_level(json, "logLevel", &conf, &err);

		row_int(row->text, "refused", r < 0, row->part != NULL);
		row_int(row->text, "code", err.code, row->part ? CNI_CONFIG_INVALID : CNI_OK);
		row_text(row->text, "path", err.path, row->part ? "logLevel" : "");
		row_part(row->text, "message", err.msg, row->part);
		row_int(row->text, "set", conf.has_level, row->set);
		row_int(row->text, "level", conf.level, row->level);
	}
}

#define PLAIN "must be an absolute path"
#define SUFFIX "must end in \".log\""

static const struct {
	const char *text;
	const char *part; /* of the message; NULL: it is read */
} files[] = {
	{ "/var/log/roce.log", NULL },
	{ "/a.log", NULL },
	{ "/var/log/a b/Gr\xc3\xbc.log", NULL },
	{ "/var/log/roce..log", NULL },
	{ "/var/log/a/.../b.log", PLAIN },
	{ "var/log/roce.log", PLAIN },
	{ "roce.log", PLAIN },
	{ "./roce.log", PLAIN },
	{ "/var/log/../etc/x.log", PLAIN },
	{ "/var/log/./x.log", PLAIN },
	{ "/var/log/.hidden.log", PLAIN },
	{ "/var/log/.log", PLAIN },
	{ "/var/log//x.log", PLAIN },
	{ "//var/log/x.log", PLAIN },
	{ "/var/log/a\nb.log", PLAIN },
	{ "/var/log/a\x1b[2J.log", PLAIN },
	{ "/var/log/roce", SUFFIX },
	{ "/var/log/wtmp", SUFFIX },
	{ "/var/log/roce.log/", SUFFIX },
	{ "/var/log/roce.LOG", SUFFIX },
	{ "/var/log", SUFFIX },
	{ "/", SUFFIX },
};

static void files_are_read(void **state)
{
	(void)state;
	for_each_row(row, files)
	{
		_cleanup_json_ json_t *json = json_string(row->text);
		struct logconf conf = { .file = NULL };
		struct err err = { 0 };
		int r = logconf_read_file(json, "logFile", &conf, &err);

		row_int(row->text, "refused", r < 0, row->part != NULL);
		row_int(row->text, "code", err.code, row->part ? CNI_CONFIG_INVALID : CNI_OK);
		row_text(row->text, "path", err.path, row->part ? "logFile" : "");
		row_part(row->text, "message", err.msg, row->part);
		row_text(row->text, "file", conf.file, row->part ? NULL : row->text);
	}
}

static void empty_file_is_none(void **state)
{
	_cleanup_json_ json_t *json = json_string("");
	struct logconf conf = { .file = NULL };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(logconf_read_file(json, "logFile", &conf, &err), 0);
	assert_null(conf.file);
}

static void length_is_limited(void **state)
{
	(void)state;
	for (size_t len = 255; len <= 256; len++) {
		_cleanup_json_ json_t *json = NULL;
		struct logconf conf = { .file = NULL };
		struct err err = { 0 };
		char text[300] = "";

		memset(text, 'x', len);
		memcpy(text, "/var/log/", 9);
		memcpy(text + len - 4, ".log", 4);
		json = json_string(text);
		assert_int_equal(logconf_read_file(json, "logFile", &conf, &err) < 0, len > 255);
	}
}

static void types_are_checked(void **state)
{
	_cleanup_json_ json_t *number = json_integer(5);
	struct logconf conf = { .file = NULL };
	struct err err = { 0 };

	(void)state;
	assert_true(logconf_read_level(number, "logLevel", &conf, &err) < 0);
	assert_string_equal(err.msg, "logLevel: must be a string, is an integer");
	err = (struct err){ 0 };
	assert_true(logconf_read_file(number, "logFile", &conf, &err) < 0);
	assert_string_equal(err.msg, "logFile: must be a string, is an integer");
	assert_int_equal(err.code, CNI_DECODING_FAILURE);
}

/* ---- roots ---- */

#define USUAL "{\"version\":1}"
#define ROOTS(list) "{\"version\":1,\"logRoots\":[" list "]}"
#define NONE "logRoots in /etc/cni/net.d/roce.d/profile.json"

static const struct {
	const char *file, *profile;
	const char *root;    /* NULL: refused */
	const char *part[2]; /* of the message */
} roots[] = {
	{ "/var/log/x.log", USUAL, "/var/log", { NULL } },
	{ "/var/log/a/b/x.log", USUAL, "/var/log", { NULL } },
	{ "/var/log/podsy/x.log", USUAL, "/var/log", { NULL } },
	{ "/var/logs/x.log", USUAL, NULL, { "\"/var/logs/x.log\" is not below", "(/var/log)" } },
	{ "/var/log.log", USUAL, NULL, { NONE } },
	{ "/tmp/x.log", USUAL, NULL, { "have the node's administrator add a root", NONE } },
	{ "/x.log", USUAL, NULL, { NONE } },
	{ "/var/log/pods/a/0.log", USUAL, NULL, { "lies among files that are the kubelet's" } },
	{ "/var/log/containers/a.log", USUAL, NULL, { "the kubelet's" } },
	{ "/var/log/journal/a.log", USUAL, NULL, { "journald's" } },
	{ "/var/log/audit/audit.log", USUAL, NULL, { "auditd's" } },
	{ "/var/log/x.log", ROOTS(""), NULL, { "(there are none)", NONE } },
	{ "/var/log/x.log", ROOTS("\"/srv/log\""), NULL, { "(/srv/log)" } },
	{ "/srv/log/x.log", ROOTS("\"/srv/log\""), "/srv/log", { NULL } },
	{ "/b/x.log", ROOTS("\"/a\",\"/b\""), "/b", { NULL } },
	{ "/c/x.log", ROOTS("\"/a\",\"/b\""), NULL, { "(/a, /b)" } },
	{ "/var/log/pods/x.log", ROOTS("\"/var/log/pods\""), NULL, { "the kubelet's" } },
	{ "/var/log/roce/x.log", ROOTS("\"/var/log/roce\""), "/var/log/roce", { NULL } },
};

static void profile_decides(void **state)
{
	(void)state;
	for_each_row(row, roots)
	{
		_cleanup_json_ json_t *json = json_loads(row->profile, 0, NULL);
		struct err err = { 0 };
		struct profile profile;
		const char *root = NULL;
		int r;

		assert_int_equal(profile_read(json, &profile, &err), 0);
		r = logconf_allowed(&profile, row->file, &root, &err);
		row_int(row->file, "refused", r < 0, row->root == NULL);
		row_text(row->file, "root", root, row->root);
		row_int(row->file, "code", err.code, row->root ? CNI_OK : CNI_CONFIG_INVALID);
		row_text(row->file, "path", err.path, row->root ? "" : "logFile");
		for (size_t i = 0; i < ARRAY_SIZE(row->part); i++)
			row_part(row->file, "message", err.msg, row->part[i]);
		if (streq(row->profile, USUAL))
			row_int(row->file, "usual", logconf_is_usual(row->file), row->root != NULL);
	}
}

/* The longest names leave the end of the message, which says what to do. */
static void message_is_whole(void **state)
{
	char file[256] = "/", text[2400] = "{\"version\":1,\"logRoots\":[", name[201] = "";
	_cleanup_json_ json_t *json = NULL;
	struct err err = { 0 };
	struct profile profile;

	(void)state;
	memset(file + 1, 'x', sizeof(file) - 2);
	memset(name, 'r', sizeof(name) - 1);
	for (int i = 0; i < PROFILE_LOG_ROOTS_MAX; i++)
		sprintf(text + strlen(text), "%s\"/%d%s\"", i ? "," : "", i, name);
	strcat(text, "]}");
	json = json_loads(text, 0, NULL);
	assert_int_equal(profile_read(json, &profile, &err), 0);
	assert_true(logconf_allowed(&profile, file, NULL, &err) < 0);
	row_part("long names", "message", err.msg, NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_are_read),   cmocka_unit_test(files_are_read),
		cmocka_unit_test(empty_file_is_none), cmocka_unit_test(length_is_limited),
		cmocka_unit_test(types_are_checked), cmocka_unit_test(profile_decides),
		cmocka_unit_test(message_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
