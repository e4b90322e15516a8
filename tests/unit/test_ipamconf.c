// SPDX-License-Identifier: Apache-2.0
/* The "ipam" object: what is accepted, and the whole text of every refusal. */
#include "ipam/ipamconf.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>

static json_t *parse(const char *ipam)
{
	char text[16384];
	struct err err = { 0 };
	json_t *json = NULL;
	int len = snprintf(text, sizeof(text), "{\"name\":\"n\"%s%s}", ipam ? ",\"ipam\":" : "",
			   ipam ? ipam : "");

	assert_true(len < (int)sizeof(text));
	if (jx_parse(text, len, "the test", &json, &err) < 0)
		fail_msg("%s: %s", ipam, err.msg);
	return json;
}

static void reads_all_keys(void **state)
{
	_cleanup_json_ json_t *json =
		parse("{\"type\":\"roce-ipam\",\"range\":\"10.56.0.77/"
		      "24\",\"range_start\":\"10.56.0.10\","
		      "\"range_end\":\"10.56.0.20\",\"exclude\":[\"10.56.0.12/30\",\"10.56.0.20\"],"
		      "\"gateway\":\"10.56.0.1\",\"dns\":{\"nameservers\":[\"10.0.0.53\"],\"x\":1},"
		      "\"routes\":[{\"dst\":\"0.0.0.0/0\"},"
		      "{\"dst\":\"10.0.0.0/8\",\"gw\":\"10.56.0.9\",\"mtu\":9000,\"table\":0}],"
		      "\"ipRanges\":[{\"range\":\"fd00::/64\",\"exclude\":[\"fd00::1\"]}]}");
	char text[RANGE_TEXT_SIZE];
	struct ipamconf conf;
	struct err err = { 0 };

	(void)state;
	if (ipamconf_read(json, &conf, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(conf.n_ranges, 2);
	assert_string_equal(range_format(&conf.ranges[0], text), "10.56.0.10 .. 10.56.0.20");
	assert_int_equal(conf.ranges[0].total, 6);
	assert_int_equal(conf.ranges[0].subnet.len, 24);
	assert_int_equal(conf.ranges[1].spans[0].lo & 0xffff, 2);
	assert_int_equal(conf.ranges[1].subnet.len, 64);
	assert_string_equal(inet_format(conf.gateway, text), "10.56.0.1");
	assert_int_equal(conf.n_routes, 2);
	assert_int_equal(conf.routes[0].gw.family, AF_UNSPEC);
	assert_int_equal(conf.routes[1].mtu.value, 9000);
	assert_true(conf.routes[1].table.set);
	assert_false(conf.routes[1].priority.set);
	assert_int_equal(json_object_size(conf.dns), 2);
	assert_int_equal(conf.n_sets, 2);
	assert_true(conf.shares);
	assert_string_equal(conf.network_name, "");
	assert_null(conf.data_dir);
	assert_false(ipamconf_is_sliced(&conf));
	assert_int_equal(conf.n_statics, 0);
	assert_int_equal(conf.n_notes, 0);
	ipamconf_free(&conf);
}

static struct ipamconf must_read(const json_t *json)
{
	struct ipamconf conf;
	struct err err = { 0 };

	if (ipamconf_read(json, &conf, &err) < 0)
		fail_msg("%s", err.msg);
	return conf;
}

static void assert_prefix(struct inet_prefix prefix, const char *want)
{
	char text[INET_PREFIX_TEXT_SIZE];

	assert_string_equal(inet_format_prefix(prefix, text), want);
}

static void assert_addr(struct inet_addr addr, const char *want)
{
	char text[INET_TEXT_SIZE];

	assert_string_equal(inet_format(addr, text), want);
}

/* 36 */
static void reads_static_addresses(void **state)
{
	_cleanup_json_ json_t *json =
		parse("{\"range\":\"10.10.0.0/29\",\"network_name\":\"blue\","
		      "\"enable_overlapping_ranges\":false,\"dataDir\":\"/var/lib/x/y\","
		      "\"addresses\":[{\"address\":\"10.10.0.1/24\",\"gateway\":\"10.10.0.254\"},"
		      "{\"address\":\"3ffe:ffff:0:1ff::1/64\"}]}");
	struct ipamconf conf = must_read(json);

	(void)state;
	assert_int_equal(conf.n_statics, 2);
	assert_prefix(conf.statics[0].address, "10.10.0.1/24");
	assert_addr(conf.statics[0].gateway, "10.10.0.254");
	assert_prefix(conf.statics[1].address, "3ffe:ffff:0:1ff::1/64");
	assert_int_equal(conf.statics[1].gateway.family, AF_UNSPEC);
	assert_string_equal(conf.network_name, "blue");
	assert_false(conf.shares);
	assert_string_equal(conf.data_dir, "/var/lib/x/y");
	/* never given out as a dynamic address */
	assert_int_equal(conf.ranges[0].total, 5);
	assert_addr(range_addr(&conf.ranges[0], conf.ranges[0].spans[0].lo), "10.10.0.2");
	ipamconf_free(&conf);
}

/* One address of each set; host-local's gateway is the first address. */
static void reads_host_local(void **state)
{
	_cleanup_json_ json_t *json = parse(
		"{\"type\":\"roce-ipam\",\"subnet\":\"10.1.0.0/24\",\"rangeStart\":\"10.1.0.10\","
		"\"rangeEnd\":\"10.1.0.20\",\"gateway\":\"10.1.0.254\",\"ranges\":["
		"[{\"subnet\":\"10.2.0.0/30\"},{\"subnet\":\"10.3.0.0/24\",\"gateway\":\"10.3.0.9\"}],"
		"[{\"subnet\":\"fd00::/64\",\"rangeEnd\":\"fd00::9\"}],[{\"subnet\":\"10.4.0.0/31\"}]]}");
	struct ipamconf conf = must_read(json);
	static const int sets[] = { 0, 1, 1, 2, 3 };
	static const char *const gateways[] = { "10.1.0.254", "10.2.0.1", "10.3.0.9", "fd00::1" };
	static const char *const spans[] = { "10.1.0.10 .. 10.1.0.20", "10.2.0.1 .. 10.2.0.2",
					     "10.3.0.1 .. 10.3.0.254", "fd00::1 .. fd00::9",
					     "10.4.0.0 .. 10.4.0.1" };
	static const int totals[] = { 11, 1, 253, 8, 2 };
	char text[RANGE_TEXT_SIZE];

	(void)state;
	assert_int_equal(conf.n_ranges, 5);
	assert_int_equal(conf.n_sets, 4);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(conf.ranges[i].set, sets[i]);
		assert_string_equal(range_format(&conf.ranges[i], text), spans[i]);
		assert_int_equal(conf.ranges[i].total, totals[i]);
		if (i < ARRAY_SIZE(gateways))
			assert_addr(conf.ranges[i].gateway, gateways[i]);
	}
	assert_int_equal(conf.ranges[4].gateway.family, AF_UNSPEC);
	ipamconf_free(&conf);
}

/* Whereabouts' cluster side, and logs: accepted, noted, without effect. */
static void notes_what_has_no_effect(void **state)
{
	static const char *const keys[] = {
		"kubernetes", "datastore", "configuration_path", "node_slice_size", "etcd_host",
		"etcd_username", "etcd_password", "etcd_key_file", "etcd_cert_file",
		"etcd_ca_cert_file", "leader_lease_duration", "leader_renew_deadline",
		"leader_retry_period", "reconciler_cron_expression", "sleep_for_race", "log_file",
		"log_level",
	};
	char text[2048] = "{\"range\":\"10.56.0.0/24\"";
	size_t len = strlen(text);
	struct ipamconf conf;
	json_t *json;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		len += snprintf(text + len, sizeof(text) - len, ",\"%s\":{\"x\":%zu}", keys[i], i);
	snprintf(text + len, sizeof(text) - len, "}");
	json = parse(text);
	conf = must_read(json);
	assert_int_equal(conf.n_notes, ARRAY_SIZE(keys));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		assert_string_equal(conf.notes[i]->key, keys[i]);
		assert_int_equal(conf.notes[i]->loud, strncmp(keys[i], "log_", 4) != 0);
		assert_non_null(json_object_get(json_object_get(json, "ipam"), keys[i]));
		if (streq(keys[i], "node_slice_size"))
			assert_non_null(strstr(conf.notes[i]->why, "nodeSlice"));
	}
	ipamconf_free(&conf);
	json_decref(json);
	json = parse("{\"range\":\"10.56.0.0/24\",\"log_file\":\"\",\"kubernetes\":null}");
	conf = must_read(json);
	assert_int_equal(conf.n_notes, 0);
	ipamconf_free(&conf);
	json_decref(json);
}

/* ---- node slices ---- */

struct sliced {
	const char *ipam;
	struct opt_int node_index;
	const char *want; /* of each range, or the refusal */
};

#define NODE(n) { true, n }

static const struct sliced sliced[] = {
	{ "{\"range\":\"10.56.0.0/24\",\"nodeSlice\":{\"size\":26,\"index\":0}}", { 0 },
	  "10.56.0.1 .. 10.56.0.63" },
	{ "{\"range\":\"10.56.0.0/24\",\"nodeSlice\":{\"size\":\"/26\"}}", NODE(1),
	  "10.56.0.64 .. 10.56.0.127" },
	{ "{\"range\":\"10.56.0.0/24\",\"nodeSlice\":{\"size\":\"26\",\"index\":3}}", NODE(3),
	  "10.56.0.192 .. 10.56.0.254" },
	/* the whole, and one address */
	{ "{\"range\":\"10.56.0.0/24\",\"nodeSlice\":{\"size\":24,\"index\":0}}", { 0 },
	  "10.56.0.1 .. 10.56.0.254" },
	{ "{\"range\":\"10.56.0.0/24\",\"nodeSlice\":{\"size\":32}}", NODE(7),
	  "10.56.0.7 .. 10.56.0.7" },
	/* blocks of the subnet, cut to the ends and without the excludes */
	{ "{\"range\":\"10.56.0.70-10.56.0.140/24\",\"nodeSlice\":{\"size\":26}}", NODE(1),
	  "10.56.0.70 .. 10.56.0.127" },
	{ "{\"range\":\"10.56.0.70-10.56.0.140/24\",\"nodeSlice\":{\"size\":26}}", NODE(2),
	  "10.56.0.128 .. 10.56.0.140" },
	/* both families; every range */
	{ "{\"ipRanges\":[{\"range\":\"10.56.0.0/16\"},{\"range\":\"fd00::/64\"}],"
	  "\"nodeSlice\":{\"size\":24,\"size6\":80}}",
	  NODE(5), "10.56.5.0 .. 10.56.5.255, fd00::5:0:0:0 .. fd00::5:ffff:ffff:ffff" },
	{ "{\"range\":\"::/0\",\"nodeSlice\":{\"size6\":128}}", NODE(9), "::9 .. ::9" },
	{ "{\"subnet\":\"10.56.0.0/24\",\"nodeSlice\":{\"size\":25}}", NODE(0),
	  "10.56.0.1 .. 10.56.0.127" },
	/* without it the node's number changes nothing */
	{ "{\"range\":\"10.56.0.0/24\"}", NODE(9), "10.56.0.1 .. 10.56.0.254" },
	/* refused */
	{ "{\"range\":\"10.56.0.0/24\",\"nodeSlice\":{\"size\":26}}", { 0 },
	  "ipam.nodeSlice.index: is missing, and so is \"nodeIndex\" in the node profile: which slice is this node's?" },
	{ "{\"range\":\"10.56.0.0/24\",\"nodeSlice\":{\"size\":26,\"index\":1}}", NODE(2),
	  "ipam.nodeSlice.index: is 1, but the node profile says \"nodeIndex\": 2; leave it out" },
	{ "{\"range\":\"10.56.0.0/24\",\"nodeSlice\":{\"size\":26}}", NODE(4),
	  "ipam.nodeSlice.index: there is no slice 4: range 10.56.0.0/24 has 4 of /26, 0 to 3" },
	{ "{\"range\":\"10.56.0.10-10.56.0.50/24\",\"nodeSlice\":{\"size\":26}}", NODE(3),
	  "ipam.nodeSlice.index: slice 3 of range 10.56.0.0/24 is 10.56.0.192 .. 10.56.0.255: outside of what the range gives out, 10.56.0.10 .. 10.56.0.50" },
	{ "{\"range\":\"10.56.0.0/24\",\"exclude\":[\"10.56.0.64/26\"],\"nodeSlice\":{\"size\":26}}",
	  NODE(1),
	  "ipam.nodeSlice.index: slice 1 of range 10.56.0.0/24 is 10.56.0.64 .. 10.56.0.127: all of it is excluded, or the gateway, from 10.56.0.1 .. 10.56.0.254" },
	{ "{\"range\":\"10.56.0.0/24\",\"nodeSlice\":{\"size\":32}}", NODE(0),
	  "ipam.nodeSlice.index: slice 0 of range 10.56.0.0/24 is 10.56.0.0 .. 10.56.0.0: outside of what the range gives out, 10.56.0.1 .. 10.56.0.254" },
};

static const char *print_ranges(const struct ipamconf *conf, char buf[1024])
{
	char text[RANGE_TEXT_SIZE];
	size_t len = 0;

	for (size_t i = 0; i < conf->n_ranges; i++)
		len += snprintf(buf + len, 1024 - len, "%s%s", i ? ", " : "",
				range_format(&conf->ranges[i], text));
	return buf;
}

static void slices(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sliced); i++) {
		_cleanup_json_ json_t *json = parse(sliced[i].ipam);
		struct ipamconf conf = must_read(json);
		struct err err = { 0 };
		char text[1024];

		if (ipamconf_slice(&conf, sliced[i].node_index, &err) == 0) {
			assert_string_equal(print_ranges(&conf, text), sliced[i].want);
		} else {
			assert_string_equal(err.msg, sliced[i].want);
			assert_int_equal(err.code, CNI_CONFIG_INVALID);
		}
		ipamconf_free(&conf);
	}
}

/* The slices of a range are the range, and no two have an address in common. */
static void slices_are_a_partition(void **state)
{
	_cleanup_json_ json_t *json =
		parse("{\"range\":\"10.56.0.0/24\",\"exclude\":[\"10.56.0.60/29\",\"10.56.0.130\"],"
		      "\"nodeSlice\":{\"size\":27}}");
	struct ipamconf whole = must_read(json);
	int seen[256] = { 0 };

	(void)state;
	for (int node = 0; node < 8; node++) {
		struct ipamconf conf = must_read(json);
		struct err err = { 0 };

		assert_int_equal(ipamconf_slice(&conf, (struct opt_int){ true, node }, &err), 0);
		for (size_t i = 0; i < conf.ranges[0].n_spans; i++)
			for (inet_num n = conf.ranges[0].spans[i].lo; n <= conf.ranges[0].spans[i].hi;
			     n++)
				seen[n & 0xff]++;
		ipamconf_free(&conf);
	}
	for (int i = 0; i < 256; i++)
		assert_int_equal(seen[i], range_has(&whole.ranges[0],
						    range_addr(&whole.ranges[0],
							       whole.ranges[0].subnet.addr.num + i)));
	ipamconf_free(&whole);
}

static const char *const good[] = {
	"{\"range\":\"10.56.0.0/24\"}",
	"{\"type\":\"roce-ipam\",\"ipRanges\":[{\"range\":\"10.56.0.0/24\"}]}",
	"{\"range\":\"10.56.0.0/24\",\"ipRanges\":[],\"exclude\":[],\"routes\":[],\"dns\":{}}",
	"{\"range\":\"10.56.0.0/24\",\"gateway\":\"\"}",
	"{\"range\":\"10.56.0.0/24\",\"gateway\":\"10.57.0.1\"}",
	/* a gateway of one family in dual stack */
	"{\"gateway\":\"fd00::1\",\"ipRanges\":[{\"range\":\"10.56.0.0/24\"},{\"range\":\"fd00::/"
	"64\"}]}",
	/* twice the same range: two addresses of it */
	"{\"range\":\"10.56.0.0/24\",\"ipRanges\":[{\"range\":\"10.56.0.0/24\"}]}",
	/* what templates leave */
	"{\"range\":\"10.56.0.0/24\",\"range_start\":\"\",\"range_end\":\"\",\"network_name\":\"\","
	"\"dataDir\":\"\",\"resolvConf\":\"\",\"addresses\":[],\"ranges\":[]}",
	/* only static addresses */
	"{\"addresses\":[{\"address\":\"10.10.0.1/24\"}]}",
	"{\"addresses\":[{\"address\":\"10.10.0.0/31\"},{\"address\":\"10.10.0.9/32\"}]}",
	/* host-local's form, alone and with ours */
	"{\"ranges\":[[{\"subnet\":\"10.56.0.0/24\"}]],\"routes\":[{\"dst\":\"0.0.0.0/0\"}]}",
	"{\"range\":\"10.56.0.0/24\",\"ranges\":[[{\"subnet\":\"fd00::/64\"}]]}",
	"{\"subnet\":\"10.56.0.0/24\",\"exclude\":[\"10.56.0.9\"]}",
	/* somebody else's key */
	"{\"range\":\"10.56.0.0/24\",\"example.com/note\":\"x\"}",
};

static void accepts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		_cleanup_json_ json_t *json = parse(good[i]);
		struct ipamconf conf;
		struct err err = { 0 };

		if (ipamconf_read(json, &conf, &err) < 0)
			fail_msg("%s: %s", good[i], err.msg);
		ipamconf_free(&conf);
	}
}

struct bad {
	const char *ipam;
	enum err_code code;
	const char *message;
};

static const struct bad bad[] = {
	{ NULL, CNI_CONFIG_INVALID,
	  "ipam: is missing; write for example {\"type\": \"roce-ipam\", \"range\": "
	  "\"10.56.0.0/24\"}" },
	{ "[]", CNI_DECODING_FAILURE, "ipam: must be an object, is an array" },
	{ "{}", CNI_CONFIG_INVALID, "ipam.range: is missing; write for example \"10.56.0.0/24\"" },
	{ "{\"range_start\":\"10.56.0.5\",\"ipRanges\":[{\"range\":\"10.56.0.0/24\"}]}",
	  CNI_CONFIG_INVALID, "ipam.range: is missing; write for example \"10.56.0.0/24\"" },
	{ "{\"ipRanges\":[{}]}", CNI_CONFIG_INVALID,
	  "ipam.ipRanges[0].range: is missing; write for example \"10.56.0.0/24\"" },
	{ "{\"range\":\"10.56.0.0/24\",\"rangestart\":\"10.56.0.9\"}", CNI_CONFIG_INVALID,
	  "unknown key \"ipam.rangestart\"; did you mean \"rangeStart\"?" },
	/* host-local's words */
	{ "{\"range\":\"10.56.0.0/24\",\"rangeStart\":\"10.56.0.9\"}", CNI_CONFIG_INVALID,
	  "ipam.rangeStart: belongs to \"subnet\"; to \"range\" belongs \"range_start\"" },
	{ "{\"range\":\"10.56.0.0/24\",\"rangeEnd\":\"10.56.0.9\"}", CNI_CONFIG_INVALID,
	  "ipam.rangeEnd: belongs to \"subnet\"; to \"range\" belongs \"range_end\"" },
	{ "{\"subnet\":\"10.56.0.0/24\",\"range_start\":\"10.56.0.9\"}", CNI_CONFIG_INVALID,
	  "ipam.range_start: belongs to \"range\"; to \"subnet\" belongs \"rangeStart\"" },
	{ "{\"subnet\":\"10.56.0.0/24\",\"range_end\":\"10.56.0.9\"}", CNI_CONFIG_INVALID,
	  "ipam.range_end: belongs to \"range\"; to \"subnet\" belongs \"rangeEnd\"" },
	{ "{\"subnet\":\"10.56.0.0/24\",\"range\":\"10.56.0.0/24\"}", CNI_CONFIG_INVALID,
	  "ipam.subnet: and \"range\" are both given; keep one" },
	/* 64 */
	{ "{\"subnet\":\"192.0.2.12/24\"}", CNI_CONFIG_INVALID,
	  "ipam.subnet: \"192.0.2.12/24\" has host bits set; the subnet is 192.0.2.0/24" },
	{ "{\"subnet\":\"10.56.0.1-10.56.0.9/24\"}", CNI_CONFIG_INVALID,
	  "ipam.subnet: \"10.56.0.1-10.56.0.9/24\" is not ADDRESS/LENGTH, such as \"10.56.0.0/24\"" },
	{ "{\"ranges\":{}}", CNI_DECODING_FAILURE, "ipam.ranges: must be an array, is an object" },
	{ "{\"ranges\":[{}]}", CNI_DECODING_FAILURE, "ipam.ranges[0]: must be an array, is an object" },
	{ "{\"ranges\":[[]]}", CNI_CONFIG_INVALID,
	  "ipam.ranges[0]: is empty; write for example [{\"subnet\": \"10.56.0.0/24\"}]" },
	{ "{\"ranges\":[[{}]]}", CNI_CONFIG_INVALID,
	  "ipam.ranges[0][0].subnet: is missing; write for example \"10.56.0.0/24\"" },
	{ "{\"ranges\":[[{\"subnet\":\"10.56.0.0/24\",\"exclude\":[]}]]}", CNI_CONFIG_INVALID,
	  "unknown key \"ipam.ranges[0][0].exclude\"" },
	{ "{\"ranges\":[[{\"subnet\":\"10.56.0.0/24\",\"rangeStart\":\"10.57.0.1\"}]]}",
	  CNI_CONFIG_INVALID,
	  "ipam.ranges[0][0].rangeStart: \"10.57.0.1\" is not one of the usable addresses of "
	  "10.56.0.0/24: 10.56.0.1 .. 10.56.0.254" },
	{ "{\"ranges\":[[{\"subnet\":\"10.56.0.0/24\",\"gateway\":\"fd00::1\"}]]}",
	  CNI_CONFIG_INVALID,
	  "ipam.ranges[0][0].gateway: \"fd00::1\" and 10.56.0.0/24 are of different IP versions" },
	/* 66 */
	{ "{\"ranges\":[[{\"subnet\":\"10.56.0.0/24\"},{\"subnet\":\"fd00::/64\"}]]}",
	  CNI_CONFIG_INVALID,
	  "ipam.ranges[0][1]: 10.56.0.0/24 and fd00::/64 are in one set, but of different IP "
	  "versions" },
	{ "{\"range\":\"10.56.0.0/24\",\"resolvConf\":\"/etc/resolv.conf\"}", CNI_CONFIG_INVALID,
	  "ipam.resolvConf: a file that a network names is not read; write its content as \"dns\": "
	  "{\"nameservers\": [...]}" },
	{ "{\"range\":\"10.56.0.0/24\",\"dataDir\":7}", CNI_DECODING_FAILURE,
	  "ipam.dataDir: must be a string, is an integer" },
	/* static addresses */
	{ "{\"addresses\":{}}", CNI_DECODING_FAILURE, "ipam.addresses: must be an array, is an object" },
	{ "{\"addresses\":[{}]}", CNI_CONFIG_INVALID, "ipam.addresses[0]: \"address\" is missing" },
	{ "{\"addresses\":[{\"address\":\"10.1.0.1\"}]}", CNI_CONFIG_INVALID,
	  "ipam.addresses[0].address: \"10.1.0.1\" is not ADDRESS/LENGTH" },
	{ "{\"addresses\":[{\"address\":\"10.1.0.1/24\",\"gw\":\"10.1.0.2\"}]}", CNI_CONFIG_INVALID,
	  "unknown key \"ipam.addresses[0].gw\"" },
	{ "{\"addresses\":[{\"address\":\"10.1.0.0/24\"}]}", CNI_CONFIG_INVALID,
	  "ipam.addresses[0].address: \"10.1.0.0/24\" is the network address of its subnet" },
	{ "{\"addresses\":[{\"address\":\"10.1.0.255/24\"}]}", CNI_CONFIG_INVALID,
	  "ipam.addresses[0].address: \"10.1.0.255/24\" is the last address of its subnet" },
	{ "{\"addresses\":[{\"address\":\"10.1.0.1/24\"},{\"address\":\"10.1.0.1/16\"}]}",
	  CNI_CONFIG_INVALID, "ipam.addresses[1].address: \"10.1.0.1/16\" is there twice" },
	{ "{\"addresses\":[{\"address\":\"10.1.0.1/24\",\"gateway\":\"10.1.0.1\"}]}",
	  CNI_CONFIG_INVALID, "ipam.addresses[0].address: \"10.1.0.1/24\" is the gateway" },
	{ "{\"range\":\"10.1.0.0/24\",\"gateway\":\"10.1.0.1\",\"addresses\":[{\"address\":\"10.1.0.1/"
	  "24\"}]}",
	  CNI_CONFIG_INVALID, "ipam.addresses[0].address: \"10.1.0.1/24\" is the gateway" },
	{ "{\"addresses\":[{\"address\":\"10.1.0.1/24\",\"gateway\":\"fd00::1\"}]}",
	  CNI_CONFIG_INVALID,
	  "ipam.addresses[0].gateway: and 10.1.0.1/24 are of different IP versions" },
	{ "{\"gateway\":\"10.1.0.9\",\"addresses\":[{\"address\":\"10.1.0.1/24\"}]}",
	  CNI_CONFIG_INVALID,
	  "ipam.gateway: \"10.1.0.9\" is a range's, and there is none; addresses have a \"gateway\" "
	  "each" },
	/* the collision domain */
	{ "{\"range\":\"10.56.0.0/24\",\"network_name\":\"../x\"}", CNI_CONFIG_INVALID,
	  "ipam.network_name: \"../x\" must be at most 200 of A-Z a-z 0-9 _ . -, the first "
	  "alphanumeric" },
	{ "{\"range\":\"10.56.0.0/24\",\"network_name\":1}", CNI_DECODING_FAILURE,
	  "ipam.network_name: must be a string, is an integer" },
	{ "{\"range\":\"10.56.0.0/24\",\"enable_overlapping_ranges\":\"false\"}",
	  CNI_DECODING_FAILURE,
	  "ipam.enable_overlapping_ranges: must be true or false, is a string" },
	/* slices */
	{ "{\"range\":\"10.56.0.0/24\",\"nodeSlice\":26}", CNI_DECODING_FAILURE,
	  "ipam.nodeSlice: must be an object, is an integer" },
	{ "{\"range\":\"10.56.0.0/24\",\"nodeSlice\":{\"index\":1}}", CNI_CONFIG_INVALID,
	  "ipam.nodeSlice: needs \"size\" for IPv4 or \"size6\" for IPv6, such as {\"size\": 26}" },
	{ "{\"range\":\"10.56.0.0/24\",\"nodeSlice\":{\"size\":33}}", CNI_CONFIG_INVALID,
	  "ipam.nodeSlice.size: 33 is not a prefix length: it must be 1 to 32" },
	{ "{\"range\":\"10.56.0.0/24\",\"nodeSlice\":{\"size\":\"/x\"}}", CNI_CONFIG_INVALID,
	  "ipam.nodeSlice.size: \"/x\" is not a prefix length such as 26 or \"/26\"" },
	{ "{\"range\":\"10.56.0.0/24\",\"nodeSlice\":{\"size\":20}}", CNI_CONFIG_INVALID,
	  "ipam.nodeSlice.size: /20 is larger than the range 10.56.0.0/24" },
	{ "{\"range\":\"fd00::/64\",\"nodeSlice\":{\"size\":26}}", CNI_CONFIG_INVALID,
	  "ipam.nodeSlice.size6: is missing; without it every node gives the same addresses of "
	  "fd00::/64" },
	{ "{\"range\":\"10.56.0.0/24\",\"nodeSlice\":{\"size6\":80}}", CNI_CONFIG_INVALID,
	  "ipam.nodeSlice.size: is missing; without it every node gives the same addresses of "
	  "10.56.0.0/24" },
	{ "{\"range\":\"10.56.0.0/24\",\"nodeSlice\":{\"size\":26,\"index\":-1}}", CNI_CONFIG_INVALID,
	  "ipam.nodeSlice.index: -1 is not the number of a slice: it must be 0 to 65535" },
	{ "{\"range\":\"10.56.0.0/24\",\"nodeSlice\":{\"size\":26,\"node\":1}}", CNI_CONFIG_INVALID,
	  "unknown key \"ipam.nodeSlice.node\"" },
	{ "{\"range\":\"10.56.0.0/24\",\"Gateway\":\"10.56.0.1\"}", CNI_CONFIG_INVALID,
	  "unknown key \"ipam.Gateway\"; did you mean \"gateway\"?" },
	{ "{\"range\":\"10.56.0.0/24\",\"omitRanges\":[]}", CNI_CONFIG_INVALID,
	  "unknown key \"ipam.omitRanges\"" },
	{ "{\"ipRanges\":[{\"range\":\"10.56.0.0/24\",\"excludes\":[]}]}", CNI_CONFIG_INVALID,
	  "unknown key \"ipam.ipRanges[0].excludes\"; did you mean \"exclude\"?" },
	{ "{\"range\":7}", CNI_DECODING_FAILURE, "ipam.range: must be a string, is an integer" },
	{ "{\"range\":\"10.56.0.0/24\",\"exclude\":\"10.56.0.1\"}", CNI_DECODING_FAILURE,
	  "ipam.exclude: must be an array, is a string" },
	{ "{\"range\":\"10.56.0.0/24\",\"exclude\":[\"10.56.0.1\",1]}", CNI_DECODING_FAILURE,
	  "ipam.exclude[1]: must be a string, is an integer" },
	{ "{\"range\":\"10.56.0.0/24\",\"exclude\":[\"10.56.0.1\",\"10.56.1\"]}",
	  CNI_CONFIG_INVALID,
	  "ipam.exclude[1]: \"10.56.1\" is neither ADDRESS/LENGTH nor an IP address" },
	{ "{\"ipRanges\":[{\"range\":\"10.56.0.0/24\"},{\"range\":\"fd00::/"
	  "64\",\"range_end\":\"fd01::9\"}]}",
	  CNI_CONFIG_INVALID,
	  "ipam.ipRanges[1].range_end: \"fd01::9\" is not one of the usable addresses of "
	  "fd00::/64: "
	  "fd00::1 .. fd00::ffff:ffff:ffff:fffe" },
	{ "{\"range\":\"10.56.0.0/24\",\"gateway\":\"fd00::1\"}", CNI_CONFIG_INVALID,
	  "ipam.gateway: \"fd00::1\" and range 10.56.0.0/24 are of different IP versions" },
	{ "{\"range\":\"10.56.0.0/24\",\"gateway\":\"10.56.0.1/24\"}", CNI_CONFIG_INVALID,
	  "ipam.gateway: \"10.56.0.1/24\" is not an IP address" },
	{ "{\"range\":\"10.56.0.0/24\",\"routes\":[{\"gw\":\"10.56.0.1\"}]}", CNI_CONFIG_INVALID,
	  "ipam.routes[0]: a route needs \"dst\"" },
	{ "{\"range\":\"10.56.0.0/24\",\"dns\":[]}", CNI_DECODING_FAILURE,
	  "ipam.dns: must be an object, is an array" },
	{ "{\"range\":\"10.1.0.0/24\",\"ipRanges\":[{\"range\":\"10.2.0.0/"
	  "24\"},{\"range\":\"10.3.0.0/24\"},"
	  "{\"range\":\"10.4.0.0/24\"},{\"range\":\"10.5.0.0/24\"},{\"range\":\"10.6.0.0/24\"},"
	  "{\"range\":\"10.7.0.0/24\"},{\"range\":\"10.8.0.0/24\"},{\"range\":\"10.9.0.0/24\"}]}",
	  CNI_CONFIG_INVALID,
	  "ipam.ipRanges: with \"range\" these are 9 ranges, at most 8 are supported" },
};

static void refuses(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_json_ json_t *json = parse(bad[i].ipam);
		struct ipamconf conf;
		struct err err = { 0 };

		if (ipamconf_read(json, &conf, &err) == 0)
			fail_msg("%s was accepted", bad[i].ipam);
		assert_string_equal(err.msg, bad[i].message);
		assert_int_equal(err.code, bad[i].code);
	}
}

/* As many excludes as there may be, each its own span. */
static void many_excludes(void **state)
{
	char text[16000] = "{\"range\":\"10.0.0.0/8\",\"exclude\":[";
	size_t len = strlen(text);
	struct ipamconf conf;
	struct err err = { 0 };
	json_t *json;

	(void)state;
	for (int i = 0; i < RANGE_EXCLUDES_MAX; i++)
		len += snprintf(text + len, sizeof(text) - len, "%s\"10.%d.1.0/24\"", i ? "," : "",
				255 - i);
	snprintf(text + len, sizeof(text) - len, "],\"gateway\":\"10.0.0.1\"}");
	json = parse(text);
	assert_int_equal(ipamconf_read(json, &conf, &err), 0);
	assert_int_equal(conf.ranges[0].n_spans, RANGE_EXCLUDES_MAX + 1);
	assert_int_equal(conf.ranges[0].total, (1 << 24) - 3 - 256 * RANGE_EXCLUDES_MAX);
	ipamconf_free(&conf);
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_all_keys),
		cmocka_unit_test(reads_static_addresses),
		cmocka_unit_test(reads_host_local),
		cmocka_unit_test(notes_what_has_no_effect),
		cmocka_unit_test(slices),
		cmocka_unit_test(slices_are_a_partition),
		cmocka_unit_test(accepts),
		cmocka_unit_test(refuses),
		cmocka_unit_test(many_excludes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
