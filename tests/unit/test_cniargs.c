// SPDX-License-Identifier: Apache-2.0
/* The CNI_* environment: the rules of the specification and of the Go library's skeleton. */
#include "conf/cniargs.h"

#include "tests/unit/row.h"

#include <errno.h>
#include <stdio.h>

#define BASE "CNI_CONTAINERID=c1", "CNI_NETNS=/run/netns/x", "CNI_IFNAME=net1"

enum { VARIABLES_MAX = 8 };

static void set_environment(const char *const variables[VARIABLES_MAX])
{
	const char *output = getenv("CMOCKA_MESSAGE_OUTPUT"); /* the runner's own */
	char keep[32];

	snprintf(keep, sizeof(keep), "%s", output ? output : "STDOUT");
	clearenv();
	setenv("CMOCKA_MESSAGE_OUTPUT", keep, 1);
	for (size_t i = 0; i < VARIABLES_MAX && variables[i]; i++) {
		char name[64];
		const char *equals = strchr(variables[i], '=');

		snprintf(name, sizeof(name), "%.*s", (int)(equals - variables[i]), variables[i]);
		setenv(name, equals + 1, 1);
	}
}

/* ---- what is accepted ---- */

static const struct {
	const char *name;
	const char *env[VARIABLES_MAX];
	enum cni_verb verb;
	const char *id, *netns, *ifname, *args, *path;
	bool override;
} accepted[] = {
	{ "ADD",
	  { "CNI_COMMAND=ADD", BASE },
	  CNI_ADD,
	  "c1",
	  "/run/netns/x",
	  "net1",
	  "",
	  NULL,
	  false },
	{ "ADD with everything",
	  { "CNI_COMMAND=ADD", BASE, "CNI_PATH=/opt/cni/bin", "CNI_ARGS=A=b",
	    "CNI_NETNS_OVERRIDE=1" },
	  CNI_ADD,
	  "c1",
	  "/run/netns/x",
	  "net1",
	  "A=b",
	  "/opt/cni/bin",
	  true },
	{ "CHECK",
	  { "CNI_COMMAND=CHECK", BASE },
	  CNI_CHECK,
	  "c1",
	  "/run/netns/x",
	  "net1",
	  "",
	  NULL,
	  false },
	{ "DEL",
	  { "CNI_COMMAND=DEL", BASE },
	  CNI_DEL,
	  "c1",
	  "/run/netns/x",
	  "net1",
	  "",
	  NULL,
	  false },
	{ "DEL without CNI_NETNS",
	  { "CNI_COMMAND=DEL", "CNI_CONTAINERID=c1", "CNI_IFNAME=net1" },
	  CNI_DEL,
	  "c1",
	  NULL,
	  "net1",
	  "",
	  NULL,
	  false },
	{ "DEL with empty CNI_NETNS",
	  { "CNI_COMMAND=DEL", "CNI_CONTAINERID=c1", "CNI_IFNAME=net1", "CNI_NETNS=" },
	  CNI_DEL,
	  "c1",
	  NULL,
	  "net1",
	  "",
	  NULL,
	  false },
	{ "empty CNI_PATH is none",
	  { "CNI_COMMAND=ADD", BASE, "CNI_PATH=" },
	  CNI_ADD,
	  "c1",
	  "/run/netns/x",
	  "net1",
	  "",
	  NULL,
	  false },
	{ "GC needs nothing",
	  { "CNI_COMMAND=GC", "CNI_PATH=/p" },
	  CNI_GC,
	  NULL,
	  NULL,
	  NULL,
	  "",
	  "/p",
	  false },
	{ "GC with an empty ID",
	  { "CNI_COMMAND=GC", "CNI_CONTAINERID=", "CNI_IFNAME=" },
	  CNI_GC,
	  NULL,
	  NULL,
	  NULL,
	  "",
	  NULL,
	  false },
	{ "STATUS needs nothing",
	  { "CNI_COMMAND=STATUS" },
	  CNI_STATUS,
	  NULL,
	  NULL,
	  NULL,
	  "",
	  NULL,
	  false },
	{ "STATUS ignores bad values",
	  { "CNI_COMMAND=STATUS", "CNI_CONTAINERID=../x", "CNI_IFNAME=a/b" },
	  CNI_STATUS,
	  NULL,
	  NULL,
	  NULL,
	  "",
	  NULL,
	  false },
	{ "VERSION as libcni calls it",
	  { "CNI_COMMAND=VERSION", "CNI_CONTAINERID=", "CNI_NETNS=dummy", "CNI_IFNAME=dummy",
	    "CNI_PATH=dummy" },
	  CNI_VERSION,
	  NULL,
	  NULL,
	  NULL,
	  "",
	  "dummy",
	  false },
	{ "override true",
	  { "CNI_COMMAND=ADD", BASE, "CNI_NETNS_OVERRIDE=TRUE" },
	  CNI_ADD,
	  "c1",
	  "/run/netns/x",
	  "net1",
	  "",
	  NULL,
	  true },
	{ "override 0",
	  { "CNI_COMMAND=ADD", BASE, "CNI_NETNS_OVERRIDE=0" },
	  CNI_ADD,
	  "c1",
	  "/run/netns/x",
	  "net1",
	  "",
	  NULL,
	  false },
	{ "override yes",
	  { "CNI_COMMAND=ADD", BASE, "CNI_NETNS_OVERRIDE=yes" },
	  CNI_ADD,
	  "c1",
	  "/run/netns/x",
	  "net1",
	  "",
	  NULL,
	  false },
	{ "an ID as nerdctl makes it",
	  { "CNI_COMMAND=ADD", "CNI_CONTAINERID=default-0a1B_2.3", "CNI_NETNS=n",
	    "CNI_IFNAME=eth0" },
	  CNI_ADD,
	  "default-0a1B_2.3",
	  "n",
	  "eth0",
	  "",
	  NULL,
	  false },
	{ "an interface name of 15 bytes",
	  { "CNI_COMMAND=ADD", "CNI_CONTAINERID=c", "CNI_NETNS=n", "CNI_IFNAME=abcdefghijklmno" },
	  CNI_ADD,
	  "c",
	  "n",
	  "abcdefghijklmno",
	  "",
	  NULL,
	  false },
};

static void good_environments_are_read(void **state)
{
	(void)state;
	for_each_row(row, accepted)
	{
		struct cni_args args;
		struct err err = { 0 };

		set_environment(row->env);
		if (cniargs_read(&args, &err) < 0)
			fail_msg("row \"%s\": %s", row->name, err.msg);
		row_int(row->name, "verb", args.verb, row->verb);
		row_text(row->name, "container ID", args.container_id, row->id);
		row_text(row->name, "netns", args.netns, row->netns);
		row_text(row->name, "ifname", args.ifname, row->ifname);
		row_text(row->name, "args", args.args, row->args);
		row_text(row->name, "path", args.path, row->path);
		row_int(row->name, "override", args.netns_override, row->override);
	}
}

/* ---- what is refused ---- */

static const struct {
	const char *name;
	const char *env[VARIABLES_MAX];
	const char *msg, *details; /* parts of the error */
} refused[] = {
	{ "nothing set", { NULL }, "CNI_COMMAND", NULL },
	{ "empty command", { "CNI_COMMAND=", BASE }, "CNI_COMMAND", NULL },
	{ "unknown command", { "CNI_COMMAND=NOPE", BASE }, "NOPE", NULL },
	{ "lower case", { "CNI_COMMAND=add", BASE }, "\"add\"", NULL },
	{ "ADD, only the command",
	  { "CNI_COMMAND=ADD" },
	  "missing: CNI_CONTAINERID CNI_NETNS CNI_IFNAME",
	  NULL },
	{ "CHECK, only the command",
	  { "CNI_COMMAND=CHECK" },
	  "missing: CNI_CONTAINERID CNI_NETNS CNI_IFNAME",
	  NULL },
	{ "DEL, only the command",
	  { "CNI_COMMAND=DEL" },
	  "missing: CNI_CONTAINERID CNI_IFNAME",
	  NULL },
	{ "ADD without CNI_NETNS",
	  { "CNI_COMMAND=ADD", "CNI_CONTAINERID=c1", "CNI_IFNAME=net1" },
	  "missing: CNI_NETNS",
	  NULL },
	{ "ADD, empty ID",
	  { "CNI_COMMAND=ADD", "CNI_CONTAINERID=", "CNI_NETNS=n", "CNI_IFNAME=i" },
	  "missing: CNI_CONTAINERID",
	  NULL },
	{ "a bad value comes before missing ones",
	  { "CNI_COMMAND=ADD", "CNI_CONTAINERID=a/b" },
	  "invalid CNI_CONTAINERID",
	  "a/b" },
	{ "the first bad value wins",
	  { "CNI_COMMAND=ADD", "CNI_CONTAINERID=-a", "CNI_NETNS=n", "CNI_IFNAME=a/b" },
	  "invalid CNI_CONTAINERID",
	  "-a" },
	{ "bad interface name",
	  { "CNI_COMMAND=DEL", "CNI_CONTAINERID=c1", "CNI_IFNAME=a/b" },
	  "invalid CNI_IFNAME",
	  "a/b" },
};

static void bad_environments_are_refused(void **state)
{
	(void)state;
	for_each_row(row, refused)
	{
		struct cni_args args;
		struct err err = { 0 };

		set_environment(row->env);
		row_true(row->name, "refused", cniargs_read(&args, &err) < 0);
		row_int(row->name, "code", err.code, CNI_ENVIRONMENT_INVALID);
		row_part(row->name, "message", err.msg, row->msg);
		row_part(row->name, "details", err.details, row->details);
	}
}

/* ---- names ---- */

#define TEN "abcdefghij"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static const struct {
	const char *text;
	bool name, ifname; /* may be a container ID or network name; an interface name */
} names[] = {
	{ "a", true, true },
	{ "0", true, true },
	{ "A.b_c-d", true, true },
	{ "a.", true, true },
	{ "-a", false, true },
	{ ".a", false, true },
	{ "_a", false, true },
	{ "", false, false },
	{ ".", false, false },
	{ "..", false, false },
	{ "...", false, true },
	{ "../x", false, false },
	{ "a/b", false, false },
	{ "a:b", false, false },
	{ "a b", false, false },
	{ "a\tb", false, false },
	{ "a\n", false, false },
	{ "a\vb", false, false },
	{ "net%d", false, false },
	{ "a@b", false, true },
	{ "a\xc2\xa0", false, false }, /* U+00A0 */
	{ "\xc3\xa4", false, true },   /* a letter */
	{ "abcdefghijklmno", true, true },
	{ "abcdefghijklmnop", true, false },
	{ HUNDRED HUNDRED, true, false },
	{ HUNDRED HUNDRED "a", false, false },
};

static void names_follow_the_rules(void **state)
{
	(void)state;
	for_each_row(row, names)
	{
		row_int(row->text, "cniargs_name_ok()", cniargs_name_ok(row->text), row->name);
		row_int(row->text, "cniargs_ifname_ok()", cniargs_ifname_ok(row->text),
			row->ifname);
	}
}

/*
 * The kernel's isspace() counts the byte 0xa0, in whatever character it stands
 * (lib/ctype.c, net/core/dev.c dev_valid_name()): RTM_SETLINK answers EINVAL.
 */
static void a_byte_a0_is_a_space_to_the_kernel(void **state)
{
	(void)state;
	if (cniargs_ifname_ok("\xc3\xa0")) /* U+00E0 */
		fail_msg("cniargs_ifname_ok() takes U+00E0, which the kernel refuses");
}

static void verbs_have_names(void **state)
{
	static const char *const verbs[] = { "ADD", "DEL", "CHECK", "GC", "STATUS", "VERSION" };

	(void)state;
	assert_int_equal(ARRAY_SIZE(verbs), CNI_VERB_MAX);
	for (int v = 0; v < CNI_VERB_MAX; v++)
		assert_string_equal(cniargs_verb_name(v), verbs[v]);
}

/* ---- CNI_ARGS ---- */

static const struct {
	const char *args, *key;
	const char *value; /* NULL: not found */
} pairs[] = {
	{ "", "MAC", NULL },
	{ "MAC=02:00:5e:00:53:01", "MAC", "02:00:5e:00:53:01" },
	{ "IgnoreUnknown=1;MAC=x;K8S_POD_NAME=p", "MAC", "x" },
	{ "IgnoreUnknown=1;MAC=x;K8S_POD_NAME=p", "K8S_POD_NAME", "p" },
	{ "IgnoreUnknown=1;MAC=x;", "MAC", "x" },
	{ ";;MAC=x;;", "MAC", "x" },
	{ "MAC=", "MAC", "" },
	{ "K8S_POD_UID=;MAC=x", "K8S_POD_UID", "" },
	{ "MAC=x;MAC=y", "MAC", "x" },
	{ "A=b=c", "A", "b=c" },
	{ "IP=192.0.2.5,192.0.2.6", "IP", "192.0.2.5,192.0.2.6" },
	{ "MACX=y", "MAC", NULL },
	{ "XMAC=y", "MAC", NULL },
	{ "MAC", "MAC", NULL },
	{ "MAC;MAC=x", "MAC", "x" },
	{ "mac=x", "MAC", NULL },
	{ "A=123456789012345678901234567890", "A", "123456789012345678901234567890" },
	{ "A=1234567890123456789012345678901", "A", "1234567890123456789012345678901" },
	{ "A=12345678901234567890123456789012", "A", NULL }, /* one more than fits */
};

static void pairs_are_found(void **state)
{
	(void)state;
	for_each_row(row, pairs)
	{
		char value[32] = "";
		bool found = cniargs_find(row->args, row->key, value, sizeof(value));

		row_int(row->args, "found", found, row->value != NULL);
		if (row->value)
			row_text(row->args, "value", value, row->value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_environments_are_read),
		cmocka_unit_test(bad_environments_are_refused),
		cmocka_unit_test(names_follow_the_rules),
		cmocka_unit_test(a_byte_a0_is_a_space_to_the_kernel),
		cmocka_unit_test(verbs_have_names),
		cmocka_unit_test(pairs_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
