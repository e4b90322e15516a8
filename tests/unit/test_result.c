// SPDX-License-Identifier: Apache-2.0
/* CNI results, errors and versions: printed in every version, merged, and read. */
#include "conf/result.h"

#include "tests/unit/row.h"

#include <stdio.h>

static json_t *from_text(const char *name, const char *text)
{
	json_error_t error;
	json_t *json = json_loads(text, 0, &error);

	if (!json)
		fail_msg("row \"%s\": %s: %s", name, error.text, text);
	return json;
}

/* Compares as JSON and consumes @got. */
static void row_json(const char *name, char *got, const char *want)
{
	json_t *a, *b;

	row_true(name, "there is a text", got != NULL);
	a = from_text(name, got);
	b = from_text(name, want);
	if (!json_equal(a, b))
		fail_msg("row \"%s\":\n got  %s\n want %s", name, got, want);
	json_decref(a);
	json_decref(b);
	free(got);
}

static int parse_text(const char *name, const char *text, json_t **ret_json,
		      struct cni_result *result, struct err *err)
{
	*ret_json = from_text(name, text);
	return result_parse(*ret_json, result, err);
}

/* ---- versions ---- */

static const struct {
	const char *version;
	bool supported;
} versions[] = {
	{ "0.3.1", true },   { "0.4.0", true },	 { "1.0.0", true },  { "1.1.0", true },
	{ "9.9.9", false },  { "1.0.1", false }, { "1.1", false },   { "1.1.0 ", false },
	{ "v1.1.0", false }, { "0.1.0", false }, { "2.0.0", false }, { "", false },
};

static void versions_are_checked(void **state)
{
	(void)state;
	for_each_row(row, versions)
	{
		struct err err = { 0 };

		row_int(row->version, "refused", result_version_check(row->version, &err) < 0,
			!row->supported);
		if (row->supported)
			continue;
		row_int(row->version, "code", err.code, CNI_VERSION_UNSUPPORTED);
		row_part(row->version, "message", err.msg, row->version);
		row_part(row->version, "details", err.details, "1.1.0");
		row_part(row->version, "details", err.details, "0.3.1");
	}
}

static const struct {
	const char *version, *least;
	bool at_least;
} comparisons[] = {
	{ "1.1.0", "1.1.0", true }, { "1.0.0", "1.1.0", false }, { "1.10.0", "1.9.0", true },
	{ "0.4.0", "0.3.1", true }, { "0.3.1", "0.4.0", false }, { "1.0.0", "0.4.0", true },
	{ "0.3.1", "0.3.0", true }, { "2.0.0", "1.9.9", true },	 { "1.0.9", "1.1.0", false },
};

static void versions_are_compared_by_number(void **state)
{
	(void)state;
	for_each_row(row, comparisons)
		row_int(row->version, "result_version_at_least()",
			result_version_at_least(row->version, row->least), row->at_least);
}

/* ---- printing ---- */

static const struct cni_iface iface = { .name = "net1",
					.mac = "02:00:5e:00:53:01",
					.pci = "0000:3b:00.2",
					.mtu = 4200,
					.sandbox = "/run/netns/x" };
static const struct cni_iface bare = {
	.name = "net1", .mac = "02:00:5e:00:53:01", .mtu = 1500, .sandbox = "/run/netns/x"
};
static const struct cni_iface unknown = { .name = "net1", .sandbox = "/run/netns/x" };

#define FULL                                                                                       \
	"{\"ips\":[{\"address\":\"192.0.2.5/24\",\"gateway\":\"192.0.2.1\"},"                      \
	"{\"address\":\"fd00::5/64\"}],"                                                           \
	"\"routes\":[{\"dst\":\"198.51.100.0/24\",\"gw\":\"192.0.2.1\",\"mtu\":4200,"              \
	"\"advmss\":4160,\"priority\":7,\"table\":100,\"scope\":0},{\"dst\":\"::/0\"}],"           \
	"\"dns\":{\"nameservers\":[\"192.0.2.53\"]}}"
#define IFACE_OLD "{\"name\":\"net1\",\"mac\":\"02:00:5e:00:53:01\",\"sandbox\":\"/run/netns/x\"}"
#define IFACE_NEW                                                                                  \
	"{\"name\":\"net1\",\"mac\":\"02:00:5e:00:53:01\",\"mtu\":4200,\"pciID\":\"0000:3b:00."    \
	"2\","                                                                                     \
	"\"sandbox\":\"/run/netns/x\"}"
#define IFACE_BARE                                                                                 \
	"{\"name\":\"net1\",\"mac\":\"02:00:5e:00:53:01\",\"mtu\":1500,\"sandbox\":\"/run/netns/"  \
	"x\"}"
#define IPS_OLD                                                                                    \
	"[{\"version\":\"4\",\"interface\":0,\"address\":\"192.0.2.5/"                             \
	"24\",\"gateway\":\"192.0.2.1\"},"                                                         \
	"{\"version\":\"6\",\"interface\":0,\"address\":\"fd00::5/64\"}]"
#define IPS_NEW                                                                                    \
	"[{\"interface\":0,\"address\":\"192.0.2.5/24\",\"gateway\":\"192.0.2.1\"},"               \
	"{\"interface\":0,\"address\":\"fd00::5/64\"}]"
#define IPS_IPAM                                                                                   \
	"[{\"address\":\"192.0.2.5/24\",\"gateway\":\"192.0.2.1\"},{\"address\":\"fd00::5/64\"}]"
#define ROUTES_OLD "[{\"dst\":\"198.51.100.0/24\",\"gw\":\"192.0.2.1\"},{\"dst\":\"::/0\"}]"
#define ROUTES_NEW                                                                                 \
	"[{\"dst\":\"198.51.100.0/24\",\"gw\":\"192.0.2.1\",\"mtu\":4200,\"advmss\":4160,"         \
	"\"priority\":7,\"table\":100,\"scope\":0},{\"dst\":\"::/0\"}]"
#define DNS ",\"dns\":{\"nameservers\":[\"192.0.2.53\"]}}"

static const struct {
	const char *name, *result;
	const struct cni_iface *iface;
	const char *version, *want;
} printed[] = {
	{ "0.3.1", FULL, &iface, "0.3.1",
	  "{\"cniVersion\":\"0.3.1\",\"interfaces\":[" IFACE_OLD "],\"ips\":" IPS_OLD
	  ",\"routes\":" ROUTES_OLD DNS },
	{ "0.4.0", FULL, &iface, "0.4.0",
	  "{\"cniVersion\":\"0.4.0\",\"interfaces\":[" IFACE_OLD "],\"ips\":" IPS_OLD
	  ",\"routes\":" ROUTES_OLD DNS },
	{ "1.0.0", FULL, &iface, "1.0.0",
	  "{\"cniVersion\":\"1.0.0\",\"interfaces\":[" IFACE_NEW "],\"ips\":" IPS_NEW
	  ",\"routes\":" ROUTES_OLD DNS },
	{ "1.1.0", FULL, &iface, "1.1.0",
	  "{\"cniVersion\":\"1.1.0\",\"interfaces\":[" IFACE_NEW "],\"ips\":" IPS_NEW
	  ",\"routes\":" ROUTES_NEW DNS },
	{ "no PCI address", "{}", &bare, "1.1.0",
	  "{\"cniVersion\":\"1.1.0\",\"interfaces\":[" IFACE_BARE "],\"dns\":{}}" },
	{ "no MAC and no MTU", "{}", &unknown, "1.1.0",
	  "{\"cniVersion\":\"1.1.0\",\"interfaces\":[{\"name\":\"net1\",\"sandbox\":\"/run/netns/x\"}],"
	  "\"dns\":{}}" },
	{ "no addresses, old", "{}", &iface, "0.3.1",
	  "{\"cniVersion\":\"0.3.1\",\"interfaces\":[" IFACE_OLD "],\"dns\":{}}" },
	{ "an IPAM plugin's answer", FULL, NULL, "1.1.0",
	  "{\"cniVersion\":\"1.1.0\",\"ips\":" IPS_IPAM ",\"routes\":" ROUTES_NEW DNS },
	{ "an IPAM plugin's answer, old", FULL, NULL, "0.4.0",
	  "{\"cniVersion\":\"0.4.0\",\"ips\":[{\"version\":\"4\",\"address\":\"192.0.2.5/24\","
	  "\"gateway\":\"192.0.2.1\"},{\"version\":\"6\",\"address\":\"fd00::5/"
	  "64\"}],\"routes\":" ROUTES_OLD DNS },
	/* whatever the IPAM plugin says of interfaces, ours is the one */
	{ "an interface index of the IPAM plugin",
	  "{\"interfaces\":[{\"name\":\"x\"}],\"ips\":[{\"address\":\"192.0.2.5/"
	  "24\",\"interface\":7}]}",
	  &bare, "1.0.0",
	  "{\"cniVersion\":\"1.0.0\",\"interfaces\":[" IFACE_BARE
	  "],\"ips\":[{\"interface\":0,\"address\":\"192.0.2.5/24\"}],\"dns\":{}}" },
};

static void results_are_printed(void **state)
{
	(void)state;
	for_each_row(row, printed)
	{
		struct cni_result result;
		struct err err = { 0 };
		json_t *json;

		if (parse_text(row->name, row->result, &json, &result, &err) < 0)
			fail_msg("row \"%s\": %s", row->name, err.msg);
		row_json(row->name, result_print(&result, row->iface, NULL, row->version),
			 row->want);
		json_decref(json);
	}
}

/* A chained call: all of prevResult stays, ours comes last, with the right index. */
static const struct {
	const char *name, *prev, *result, *version, *want;
} merged[] = {
	{ "everything",
	  "{\"cniVersion\":\"1.1.0\",\"interfaces\":[{\"name\":\"br0\"},{\"name\":\"eth0\","
	  "\"sandbox\":\"/run/netns/x\",\"foreign\":1}],\"ips\":[{\"interface\":1,"
	  "\"address\":\"10.0.0.2/24\"}],\"routes\":[{\"dst\":\"0.0.0.0/0\",\"gw\":\"10.0.0.1\"}],"
	  "\"dns\":{\"domain\":\"a\"},\"io.example\":[1]}",
	  "{\"ips\":[{\"address\":\"192.0.2.5/24\"}],\"routes\":[{\"dst\":\"198.51.100.0/24\"}]}",
	  "1.1.0",
	  "{\"cniVersion\":\"1.1.0\",\"interfaces\":[{\"name\":\"br0\"},{\"name\":\"eth0\","
	  "\"sandbox\":\"/run/netns/x\",\"foreign\":1}," IFACE_NEW "],\"ips\":[{\"interface\":1,"
	  "\"address\":\"10.0.0.2/24\"},{\"interface\":2,\"address\":\"192.0.2.5/24\"}],"
	  "\"routes\":[{\"dst\":\"0.0.0.0/0\",\"gw\":\"10.0.0.1\"},{\"dst\":\"198.51.100.0/24\"}],"
	  "\"dns\":{\"domain\":\"a\"},\"io.example\":[1]}" },
	{ "empty", "{}", "{}", "1.1.0",
	  "{\"cniVersion\":\"1.1.0\",\"interfaces\":[" IFACE_NEW "],\"dns\":{}}" },
	{ "our dns wins", "{\"dns\":{\"domain\":\"a\"}}", "{\"dns\":{\"domain\":\"b\"}}", "1.0.0",
	  "{\"cniVersion\":\"1.0.0\",\"interfaces\":[" IFACE_NEW "],\"dns\":{\"domain\":\"b\"}}" },
	{ "null where arrays were", "{\"interfaces\":null,\"ips\":null,\"routes\":null}",
	  "{\"ips\":[{\"address\":\"192.0.2.5/24\"}]}", "1.1.0",
	  "{\"cniVersion\":\"1.1.0\",\"interfaces\":[" IFACE_NEW "],\"ips\":[{\"interface\":0,"
	  "\"address\":\"192.0.2.5/24\"}],\"routes\":null,\"dns\":{}}" },
	{ "old version", "{\"interfaces\":[{\"name\":\"eth0\"}]}",
	  "{\"ips\":[{\"address\":\"fd00::5/64\"}]}", "0.4.0",
	  "{\"cniVersion\":\"0.4.0\",\"interfaces\":[{\"name\":\"eth0\"}," IFACE_OLD
	  "],\"ips\":[{\"version\":\"6\",\"interface\":1,\"address\":\"fd00::5/"
	  "64\"}],\"dns\":{}}" },
};

static void prev_result_is_kept(void **state)
{
	(void)state;
	for_each_row(row, merged)
	{
		struct cni_result result;
		struct err err = { 0 };
		json_t *json, *prev = from_text(row->name, row->prev);
		json_t *before = json_deep_copy(prev);

		assert_int_equal(parse_text(row->name, row->result, &json, &result, &err), 0);
		row_json(row->name, result_print(&result, &iface, prev, row->version), row->want);
		row_true(row->name, "prevResult itself is untouched", json_equal(before, prev));
		json_decref(before);
		json_decref(prev);
		json_decref(json);
	}
}

/* ---- reading ---- */

static void result_is_read(void **state)
{
	struct cni_result result;
	struct err err = { 0 };
	json_t *json;
	char text[INET_PREFIX_TEXT_SIZE];

	(void)state;
	assert_int_equal(parse_text("full", FULL, &json, &result, &err), 0);
	assert_int_equal(result.n_ips, 2);
	assert_string_equal(inet_format_prefix(result.ips[0].address, text), "192.0.2.5/24");
	assert_string_equal(inet_format(result.ips[0].gateway, text), "192.0.2.1");
	assert_false(result.ips[0].interface.set);
	assert_int_equal(result.ips[1].gateway.family, AF_UNSPEC);
	assert_int_equal(result.n_routes, 2);
	assert_int_equal(result.routes[0].table.value, 100);
	assert_true(result.routes[0].scope.set && result.routes[0].scope.value == 0);
	assert_false(result.routes[1].mtu.set || result.routes[1].table.set);
	assert_int_equal(result.routes[1].gw.family, AF_UNSPEC);
	assert_true(json_is_object(result.dns));
	json_decref(json);
}

#define IP(keys) "{\"ips\":[{" keys "}]}"
#define ROUTE(keys) "{\"routes\":[{" keys "}]}"

static const struct {
	const char *name, *text;
	enum err_code code; /* CNI_OK: accepted */
	const char *part;
} parsed[] = {
	{ "empty", "{}", CNI_OK, NULL },
	{ "unknown keys", "{\"x\":1,\"interfaces\":7,\"cniVersion\":[]}", CNI_OK, NULL },
	{ "unknown keys of an address",
	  IP("\"address\":\"192.0.2.5/24\",\"version\":\"4\",\"x\":1"), CNI_OK, NULL },
	{ "Go's empty gateway", IP("\"address\":\"192.0.2.5/24\",\"gateway\":\"\""), CNI_OK, NULL },
	{ "interface null", IP("\"address\":\"192.0.2.5/24\",\"interface\":null"), CNI_OK, NULL },
	{ "routes null", "{\"routes\":null}", CNI_OK, NULL },
	{ "route without gateway", ROUTE("\"dst\":\"0.0.0.0/0\",\"gw\":\"\""), CNI_OK, NULL },
	{ "unknown keys of a route", ROUTE("\"dst\":\"0.0.0.0/0\",\"x\":1"), CNI_OK, NULL },
	{ "ips object", "{\"ips\":{}}", CNI_DECODING_FAILURE, "ips: must be an array" },
	{ "ip string", "{\"ips\":[\"192.0.2.5/24\"]}", CNI_DECODING_FAILURE,
	  "ips[0]: must be an object" },
	{ "no address", IP("\"gateway\":\"192.0.2.1\""), CNI_CONFIG_INVALID,
	  "ips[0]: \"address\" is missing" },
	{ "a bare address", IP("\"address\":\"192.0.2.5\""), CNI_CONFIG_INVALID,
	  "ips[0].address: \"192.0.2.5\" is not ADDRESS/LENGTH" },
	{ "address number", IP("\"address\":5"), CNI_DECODING_FAILURE, "ips[0].address: must be" },
	{ "empty address", IP("\"address\":\"\""), CNI_CONFIG_INVALID, "ips[0].address" },
	{ "bad gateway", IP("\"address\":\"192.0.2.5/24\",\"gateway\":\"x\""), CNI_CONFIG_INVALID,
	  "ips[0].gateway: \"x\" is not an IP address" },
	{ "gateway with length", IP("\"address\":\"192.0.2.5/24\",\"gateway\":\"192.0.2.1/24\""),
	  CNI_CONFIG_INVALID, "ips[0].gateway" },
	{ "interface string", IP("\"address\":\"192.0.2.5/24\",\"interface\":\"0\""),
	  CNI_DECODING_FAILURE, "ips[0].interface: must be an integer" },
	{ "second address bad", "{\"ips\":[{\"address\":\"192.0.2.5/24\"},{\"address\":\"x\"}]}",
	  CNI_CONFIG_INVALID, "ips[1].address" },
	{ "routes string", "{\"routes\":\"x\"}", CNI_DECODING_FAILURE, "routes: must be an array" },
	{ "route without dst", ROUTE("\"gw\":\"192.0.2.1\""), CNI_CONFIG_INVALID,
	  "routes[0]: a route needs \"dst\"" },
	{ "dst without length", ROUTE("\"dst\":\"198.51.100.0\""), CNI_CONFIG_INVALID,
	  "routes[0].dst: \"198.51.100.0\"" },
	{ "gw of the other family", ROUTE("\"dst\":\"0.0.0.0/0\",\"gw\":\"fd00::1\""),
	  CNI_CONFIG_INVALID, "routes[0]: \"dst\" and \"gw\" are of different IP versions" },
	{ "route mtu string", ROUTE("\"dst\":\"0.0.0.0/0\",\"mtu\":\"9000\""), CNI_DECODING_FAILURE,
	  "routes[0].mtu: must be an integer" },
};

/* One test a row: a row that fails hides no other. */
static void is_parsed(void **state)
{
	const __typeof__(parsed[0]) *row = *state;
	struct cni_result result;
	struct err err = { 0 };
	json_t *json;
	int r = parse_text(row->name, row->text, &json, &result, &err);

	json_decref(json);
	if (row->code == CNI_OK && r < 0)
		fail_msg("row \"%s\": %s", row->name, err.msg);
	row_int(row->name, "refused", r < 0, row->code != CNI_OK);
	row_int(row->name, "code", err.code, row->code);
	row_part(row->name, "message", err.msg, row->part);
}

static void too_many_are_refused(void **state)
{
	struct cni_result result;
	struct err err = { 0 };
	json_t *json = json_object(), *ips = json_array();

	(void)state;
	json_object_set_new(json, "ips", ips);
	for (int i = 0; i < RESULT_IPS_MAX; i++)
		json_array_append_new(ips, json_pack("{ss}", "address", "192.0.2.5/24"));
	assert_int_equal(result_parse(json, &result, &err), 0);
	assert_int_equal(result.n_ips, RESULT_IPS_MAX);
	json_array_append_new(ips, json_pack("{ss}", "address", "192.0.2.5/24"));
	assert_true(result_parse(json, &result, &err) < 0);
	row_part("33 addresses", "message", err.msg, "ips: has 33 elements");
	json_decref(json);
}

/* ---- the interface in a prevResult ---- */

static const struct {
	const char *name, *prev;
	int index, mtu; /* expected; index -1: not there */
	const char *mac;
} found[] = {
	{ "there",
	  "{\"interfaces\":[{\"name\":\"net1\",\"sandbox\":\"/n\",\"mac\":\"m\",\"mtu\":9000}]}", 0,
	  9000, "m" },
	{ "second", "{\"interfaces\":[{\"name\":\"x\"},{\"name\":\"net1\",\"sandbox\":\"/n\"}]}", 1,
	  0, "" },
	{ "the host's end of the same name",
	  "{\"interfaces\":[{\"name\":\"net1\"},{\"name\":\"net1\",\"sandbox\":\"/"
	  "n\",\"mac\":\"m\"}]}",
	  1, 0, "m" },
	{ "another sandbox", "{\"interfaces\":[{\"name\":\"net1\",\"sandbox\":\"/m\"}]}", -1, 0,
	  NULL },
	{ "another name", "{\"interfaces\":[{\"name\":\"net2\",\"sandbox\":\"/n\"}]}", -1, 0,
	  NULL },
	{ "none", "{}", -1, 0, NULL },
	{ "no array", "{\"interfaces\":{\"name\":\"net1\"}}", -1, 0, NULL },
	{ "no objects", "{\"interfaces\":[1,null,\"net1\",[]]}", -1, 0, NULL },
	{ "a very long MAC",
	  "{\"interfaces\":[{\"name\":\"net1\",\"sandbox\":\"/n\","
	  "\"mac\":\"00:00:00:00:00:00:00:00:00:00\"}]}",
	  0, 0, "00:00:00:00:00:00" },
};

static void interface_is_found(void **state)
{
	(void)state;
	assert_int_equal(result_find_iface(NULL, "net1", "/n", NULL), -1);
	for_each_row(row, found)
	{
		struct cni_iface got = { .mtu = 0 };
		json_t *prev = from_text(row->name, row->prev);

		row_int(row->name, "index", result_find_iface(prev, "net1", "/n", &got),
			row->index);
		row_int(row->name, "mtu", got.mtu, row->mtu);
		if (row->mac)
			row_text(row->name, "mac", got.mac, row->mac);
		json_decref(prev);
	}
}

/* ---- errors and VERSION ---- */

static void errors_are_printed(void **state)
{
	struct err err = { 0 };

	(void)state;
	err_set(&err, ROCE_MTU_MISMATCH, -22, "a \"quoted\" line");
	row_json("no details", result_print_error(&err, "0.4.0"),
		 "{\"cniVersion\":\"0.4.0\",\"code\":100,\"msg\":\"a \\\"quoted\\\" line\"}");
	err_detail(&err, "one");
	err_detail(&err, "two");
	row_json("details, no version", result_print_error(&err, NULL),
		 "{\"cniVersion\":\"1.1.0\",\"code\":100,\"msg\":\"a \\\"quoted\\\" line\","
		 "\"details\":\"one\\ntwo\"}");
}

/* What a caller sent may be no UTF-8, or be cut within a character: the rest must stay. */
static void errors_without_utf8_still_say_what(void **state)
{
	static const struct {
		const char *name, *text;
	} texts[] = {
		{ "a byte that is never UTF-8", "bad value \"\xff\" of CNI_IFNAME" },
		{ "half a character", "cut \xc3 of CNI_IFNAME" },
	};

	(void)state;
	for_each_row(row, texts)
	{
		struct err err = { 0 };
		char *got;

		err_set(&err, CNI_ENVIRONMENT_INVALID, -22, "%s", row->text);
		err_detail(&err, "%s", row->text);
		got = result_print_error(&err, NULL);
		assert_non_null(got);
		json_decref(from_text(row->name, got));
		row_part(row->name, "document", got, "\"code\":4");
		row_part(row->name, "document", got, "CNI_IFNAME");
		row_part(row->name, "document", got, "\"details\"");
		free(got);
	}
}

/* A message that is longer than the buffer may end within a character. */
static void long_messages_are_kept(void **state)
{
	struct err err = { 0 };
	char word[1200], *got;

	(void)state;
	for (size_t i = 0; i < sizeof(word) - 1; i += 2)
		memcpy(word + i, "\xc3\xa9", 2);
	word[sizeof(word) - 2] = '\0';
	err_set(&err, CNI_CONFIG_INVALID, -22, "unknown key \"%s\"", word);
	err_wrap(&err, "x"); /* one byte further: one of the two cuts a character */
	got = result_print_error(&err, NULL);
	json_decref(from_text("long message", got));
	row_part("long message", "document", got, "unknown key");
	free(got);
	err = (struct err){ 0 };
	err_set(&err, CNI_CONFIG_INVALID, -22, "unknown key  \"%s\"", word);
	got = result_print_error(&err, NULL);
	row_part("long message, one byte further", "document", got, "unknown key");
	free(got);
}

static void versions_are_printed(void **state)
{
	(void)state;
	row_json("VERSION", result_print_versions(),
		 "{\"cniVersion\":\"1.1.0\",\"supportedVersions\":[\"0.3.1\",\"0.4.0\",\"1.0.0\","
		 "\"1.1.0\"]}");
}

static const struct CMUnitTest fixed[] = {
	cmocka_unit_test(versions_are_checked),
	cmocka_unit_test(versions_are_compared_by_number),
	cmocka_unit_test(results_are_printed),
	cmocka_unit_test(prev_result_is_kept),
	cmocka_unit_test(result_is_read),
	cmocka_unit_test(too_many_are_refused),
	cmocka_unit_test(interface_is_found),
	cmocka_unit_test(errors_are_printed),
	cmocka_unit_test(errors_without_utf8_still_say_what),
	cmocka_unit_test(long_messages_are_kept),
	cmocka_unit_test(versions_are_printed),
};

int main(void)
{
	static struct CMUnitTest tests[ARRAY_SIZE(fixed) + ARRAY_SIZE(parsed)];

	memcpy(tests, fixed, sizeof(fixed));
	row_tests(tests + ARRAY_SIZE(fixed), "parsed", parsed, is_parsed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
