// SPDX-License-Identifier: Apache-2.0
/* Addresses that a call asks for: where they may stand, which of them count, and who gives them. */
#include "ipam/want.h"

#include "tests/unit/row.h"

#include <stdio.h>

struct row {
	const char *name;
	const char *doc;  /* the configuration without its name */
	const char *args; /* CNI_ARGS */
	const char *want; /* "SLOT:ADDRESS ..." with '*' for any, or the refusal */
};

#define DUAL "\"ipam\":{\"ipRanges\":[{\"range\":\"10.56.0.0/24\"},{\"range\":\"fd00::/64\"}]}"
#define ONE(more) "\"ipam\":{\"range\":\"10.56.0.0/24\",\"gateway\":\"10.56.0.1\"" more "}"

static const struct row rows[] = {
	{ "none", ONE(""), "", "0:*" },
	{ "two ranges", DUAL, "", "0:* 1:*" },
	/* the three places, with and without prefix length */
	{ "runtime", ONE("") ",\"runtimeConfig\":{\"ips\":[\"10.56.0.5\"]}", "", "0:10.56.0.5/24" },
	{ "runtime, prefix", ONE("") ",\"runtimeConfig\":{\"ips\":[\"10.56.0.5/24\"]}", "",
	  "0:10.56.0.5/24" },
	{ "args", ONE("") ",\"args\":{\"cni\":{\"ips\":[\"10.56.0.6\"]}}", "", "0:10.56.0.6/24" },
	{ "CNI_ARGS", ONE(""), "IgnoreUnknown=1;IP=10.56.0.7;X=y", "0:10.56.0.7/24" },
	{ "CNI_ARGS, prefix", ONE(""), "IP=10.56.0.7/24", "0:10.56.0.7/24" },
	{ "CNI_ARGS, two", DUAL, "IP=10.56.0.7,fd00::7", "0:10.56.0.7/24 1:fd00::7/64" },
	{ "in any order", DUAL ",\"runtimeConfig\":{\"ips\":[\"fd00::7/64\",\"10.56.0.7\"]}", "",
	  "0:10.56.0.7/24 1:fd00::7/64" },
	{ "one of two", DUAL ",\"runtimeConfig\":{\"ips\":[\"fd00::7\"]}", "", "0:* 1:fd00::7/64" },
	/* the first that names something counts, alone */
	{ "runtime before args",
	  DUAL ",\"runtimeConfig\":{\"ips\":[\"10.56.0.5\"]},\"args\":{\"cni\":{\"ips\":[\"fd00::6\"]}}",
	  "IP=10.56.0.7", "0:10.56.0.5/24 1:*" },
	{ "args before CNI_ARGS", ONE("") ",\"args\":{\"cni\":{\"ips\":[\"10.56.0.6\"]}}",
	  "IP=10.56.0.7", "0:10.56.0.6/24" },
	{ "an empty list names nothing", ONE("") ",\"runtimeConfig\":{\"ips\":[]},\"args\":{\"cni\":{\"ips\":null}}",
	  "IP=10.56.0.7", "0:10.56.0.7/24" },
	{ "empty CNI_ARGS", ONE(""), "IP=", "0:*" },
	{ "other arguments", ONE("") ",\"args\":{\"other\":1,\"cni\":{\"mac\":\"x\"}}", "", "0:*" },
	/* who gives it */
	{ "the same range twice", "\"ipam\":{\"ipRanges\":[{\"range\":\"10.56.0.0/24\"},{\"range\":\"10.56.0.0/24\"}]},"
				  "\"runtimeConfig\":{\"ips\":[\"10.56.0.7\",\"10.56.0.6\"]}",
	  "", "0:10.56.0.7/24 1:10.56.0.6/24" },
	{ "a set's second range", "\"ipam\":{\"ranges\":[[{\"subnet\":\"10.1.0.0/24\"},{\"subnet\":\"10.2.0.0/25\"}]]},"
				  "\"runtimeConfig\":{\"ips\":[\"10.2.0.7\"]}",
	  "", "0:10.2.0.7/25" },
	{ "static addresses", ONE(",\"addresses\":[{\"address\":\"10.9.0.1/16\"},{\"address\":\"fd01::1/64\"}]"),
	  "", "0:* 8:10.9.0.1/16 9:fd01::1/64" },
	{ "a request for a static address", ONE(",\"addresses\":[{\"address\":\"10.56.0.9/24\"}]"),
	  "IP=10.56.0.9", "0:* 8:10.56.0.9/24" },
	{ "in this node's slice", ONE(",\"nodeSlice\":{\"size\":26,\"index\":1}"), "IP=10.56.0.70",
	  "0:10.56.0.70/24" },
	/* refusals */
	{ "outside", ONE("") ",\"runtimeConfig\":{\"ips\":[\"10.57.0.5\"]}", "",
	  "runtimeConfig.ips[0]: 10.57.0.5 is in none of the network's ranges: 10.56.0.0/24" },
	{ "outside of two", DUAL, "IP=10.56.0.5,fd01::5",
	  "CNI_ARGS IP: fd01::5 is in none of the network's ranges: 10.56.0.0/24, fd00::/64" },
	{ "no range", "\"ipam\":{\"addresses\":[{\"address\":\"10.9.0.1/16\"}]}", "IP=10.9.0.2",
	  "CNI_ARGS IP: 10.9.0.2 is in none of the network's ranges: it has none" },
	{ "gateway", ONE("") ",\"args\":{\"cni\":{\"ips\":[\"10.56.0.1\"]}}", "",
	  "args.cni.ips[0]: 10.56.0.1 is the gateway of range 10.56.0.0/24" },
	{ "excluded", ONE(",\"exclude\":[\"10.56.0.8/29\"]"), "IP=10.56.0.9",
	  "CNI_ARGS IP: 10.56.0.9 is excluded from range 10.56.0.0/24" },
	{ "network address", ONE(""), "IP=10.56.0.0",
	  "CNI_ARGS IP: 10.56.0.0 is outside of 10.56.0.1 .. 10.56.0.254, which range 10.56.0.0/24 gives" },
	{ "broadcast address", ONE(""), "IP=10.56.0.255",
	  "CNI_ARGS IP: 10.56.0.255 is outside of 10.56.0.1 .. 10.56.0.254, which range 10.56.0.0/24 gives" },
	{ "before range_start", ONE(",\"range_start\":\"10.56.0.100\""), "IP=10.56.0.99",
	  "CNI_ARGS IP: 10.56.0.99 is outside of 10.56.0.100 .. 10.56.0.254, which range 10.56.0.0/24 gives" },
	{ "another slice", ONE(",\"nodeSlice\":{\"size\":26,\"index\":1}"), "IP=10.56.0.9",
	  "CNI_ARGS IP: 10.56.0.9 is in another node's slice of range 10.56.0.0/24; this node gives 10.56.0.64 .. 10.56.0.127" },
	{ "two of one range", ONE(""), "IP=10.56.0.5,10.56.0.6",
	  "CNI_ARGS IP: 10.56.0.5 and 10.56.0.6 are both of range 10.56.0.0/24, which gives one address" },
	{ "the same twice", DUAL, "IP=fd00::5,fd00:0::5",
	  "CNI_ARGS IP: \"fd00:0::5\" is there twice" },
	{ "another prefix length", ONE(""), "IP=10.56.0.5/16",
	  "CNI_ARGS IP: 10.56.0.5/16: the address is given with prefix length 24; write that or none" },
	{ "no address", ONE(""), "IP=web",
	  "CNI_ARGS IP: \"web\" is neither an IP address nor ADDRESS/LENGTH" },
	{ "no list", ONE("") ",\"runtimeConfig\":{\"ips\":\"10.56.0.5\"}", "",
	  "runtimeConfig.ips: must be an array, is a string" },
	{ "no string", ONE("") ",\"args\":{\"cni\":{\"ips\":[\"10.56.0.5\",6]}}", "",
	  "args.cni.ips[1]: must be a string, is an integer" },
	{ "ranges from the runtime", ONE("") ",\"runtimeConfig\":{\"ipRanges\":[[{\"subnet\":\"10.1.0.0/24\"}]]}",
	  "",
	  "runtimeConfig.ipRanges: ranges are the network's to name: write \"ipam\": {\"ranges\": ...}, and take ipRanges out of \"capabilities\"" },
};

static json_t *parse(const char *doc)
{
	struct err err = { 0 };
	json_t *json = NULL;
	char text[2048];
	int len = snprintf(text, sizeof(text), "{%s}", doc);

	if (jx_parse(text, (size_t)len, "the test", &json, &err) < 0)
		fail_msg("%s: %s", doc, err.msg);
	return json;
}

static void print(const struct want *wants, size_t n, char buf[1024])
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		char text[INET_PREFIX_TEXT_SIZE];

		len += snprintf(buf + len, 1024 - len, "%s%d:%s", i ? " " : "", wants[i].slot,
				wants[i].exact.addr.family == AF_UNSPEC
					? "*"
					: inet_format_prefix(wants[i].exact, text));
	}
}

static void requests(void **state)
{
	(void)state;
	for_each_row(row, rows)
	{
		_cleanup_json_ json_t *json = parse(row->doc);
		struct cni_call call = { .json = json, .args.args = row->args };
		struct want wants[LEASE_SLOTS_MAX];
		struct requests asked;
		struct ipamconf conf;
		struct err err = { 0 };
		char text[1024] = "";
		size_t n = 0;

		row_int(row->name, "ipamconf_read()", ipamconf_read(json, &conf, &err), 0);
		row_int(row->name, "ipamconf_slice()", ipamconf_slice(&conf, (struct opt_int){ 0 }, &err), 0);
		if (request_read(&call, &asked, &err) == 0 &&
		    want_list(&conf, &asked, wants, &n, &err) == 0)
			print(wants, n, text);
		else
			snprintf(text, sizeof(text), "%s", err.msg);
		row_text(row->name, "the list", text, row->want);
		ipamconf_free(&conf);
	}
}

/* What has no effect is told, not refused. */
static void unheard(void **state)
{
	static const struct {
		const char *name, *doc, *args, *want;
	} table[] = {
		{ "nothing", "\"x\":1", "K8S_POD_NAME=p;IPX=1", "" },
		{ "heard", "\"x\":1", "IP=10.56.0.1", "" },
		{ "runtime wins", "\"runtimeConfig\":{\"ips\":[\"10.56.0.1\"]},\"args\":{\"cni\":{\"ips\":[\"no\"]}}",
		  "IP=no", "args.cni.ips,CNI_ARGS IP," },
		{ "args win", "\"args\":{\"cni\":{\"ips\":[\"10.56.0.1\"]}}", "X=;IP=no;", "CNI_ARGS IP," },
		{ "gateway", "\"x\":1", "IP=10.56.0.1;GATEWAY=10.56.0.9", "CNI_ARGS GATEWAY," },
		{ "empty", "\"runtimeConfig\":{\"ips\":[\"10.56.0.1\"]}", "IP=;GATEWAY=", "" },
	};

	(void)state;
	for_each_row(row, table)
	{
		_cleanup_json_ json_t *json = parse(row->doc);
		struct cni_call call = { .json = json, .args.args = row->args };
		struct requests asked;
		struct err err = { 0 };
		char text[128] = "";

		row_int(row->name, "request_read()", request_read(&call, &asked, &err), 0);
		for (size_t i = 0; i < asked.n_unheard; i++) {
			strcat(text, asked.unheard[i]);
			strcat(text, ",");
		}
		row_text(row->name, "what has no effect", text, row->want);
	}
}

static const char *gateway_of(const struct ipamconf *conf, const struct want *want, const char *of)
{
	static char text[INET_TEXT_SIZE];
	struct inet_addr addr, gateway;

	assert_int_equal(inet_parse(of, &addr), 0);
	gateway = want_gateway(conf, want, addr);
	return gateway.family == AF_UNSPEC ? "none" : inet_format(gateway, text);
}

static void gateways(void **state)
{
	_cleanup_json_ json_t *json = parse(
		"\"ipam\":{\"range\":\"10.56.0.0/24\",\"gateway\":\"10.56.0.1\",\"ipRanges\":[{\"range\":\"fd00::/64\"}],"
		"\"ranges\":[[{\"subnet\":\"10.1.0.0/24\"},{\"subnet\":\"10.2.0.0/24\",\"gateway\":\"10.2.0.9\"}]],"
		"\"addresses\":[{\"address\":\"10.9.0.1/16\",\"gateway\":\"10.9.0.3\"},{\"address\":\"10.8.0.1/16\"}]}");
	const struct requests none = { .n = 0 };
	struct want wants[LEASE_SLOTS_MAX];
	struct ipamconf conf;
	struct err err = { 0 };
	size_t n;

	(void)state;
	assert_int_equal(ipamconf_read(json, &conf, &err), 0);
	assert_int_equal(want_list(&conf, &none, wants, &n, &err), 0);
	assert_int_equal(n, 5);
	assert_int_equal(wants[2].n_ranges, 2);
	assert_string_equal(gateway_of(&conf, &wants[0], "10.56.0.7"), "10.56.0.1");
	assert_string_equal(gateway_of(&conf, &wants[0], "10.66.0.7"), "10.56.0.1"); /* an old lease */
	assert_string_equal(gateway_of(&conf, &wants[1], "fd00::7"), "none");
	assert_string_equal(gateway_of(&conf, &wants[2], "10.1.0.7"), "10.56.0.1");
	assert_string_equal(gateway_of(&conf, &wants[2], "10.2.0.7"), "10.2.0.9");
	assert_string_equal(gateway_of(&conf, &wants[3], "10.9.0.1"), "10.9.0.3");
	assert_string_equal(gateway_of(&conf, &wants[4], "10.8.0.1"), "none");
	ipamconf_free(&conf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests),
		cmocka_unit_test(unheard),
		cmocka_unit_test(gateways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
