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
	ipamconf_free(&conf);
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
	{ "{\"range\":\"10.56.0.0/24\",\"rangeStart\":\"10.56.0.9\"}", CNI_CONFIG_INVALID,
	  "unknown key \"ipam.rangeStart\"; did you mean \"range_start\"?" },
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
		cmocka_unit_test(accepts),
		cmocka_unit_test(refuses),
		cmocka_unit_test(many_excludes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
