// SPDX-License-Identifier: Apache-2.0
/* Settings: every reader and every refusal, contradictions, and the files and values of sysctls. */
#include "conf/setting.h"

#include "tests/unit/row.h"

#include <limits.h>
#include <linux/if_ether.h>
#include <stdio.h>

#define TYPE CNI_DECODING_FAILURE
#define VALUE CNI_CONFIG_INVALID

/* ---- readers of one number ---- */

static const struct {
	const char *name;
	jx_reader read;
	const char *text;
	int value;	     /* expected, where nothing is refused */
	enum err_code code;  /* CNI_OK: accepted */
	const char *message; /* whole */
} numbers[] = {
	{ "vlan 0", setting_read_vlan, "0", 0, CNI_OK, NULL },
	{ "vlan 4094", setting_read_vlan, "4094", 4094, CNI_OK, NULL },
	{ "vlan 4095", setting_read_vlan, "4095", 0, VALUE, "k: 4095 is not a VLAN ID: it must be 0 to 4094" },
	{ "vlan -1", setting_read_vlan, "-1", 0, VALUE, "k: -1 is not a VLAN ID: it must be 0 to 4094" },
	{ "vlan text", setting_read_vlan, "\"7\"", 0, TYPE, "k: must be an integer, is a string" },
	{ "qos 0", setting_read_qos, "0", 0, CNI_OK, NULL },
	{ "qos 7", setting_read_qos, "7", 7, CNI_OK, NULL },
	{ "qos 8", setting_read_qos, "8", 0, VALUE,
	  "k: 8 is not the priority of a VLAN tag: it must be 0 to 7" },
	{ "qos null", setting_read_qos, "null", 0, TYPE, "k: must be an integer, is null" },
	{ "rate 0", setting_read_rate, "0", 0, CNI_OK, NULL },
	{ "rate 400000", setting_read_rate, "400000", 400000, CNI_OK, NULL },
	{ "rate, the largest", setting_read_rate, "2147483647", INT_MAX, CNI_OK, NULL },
	{ "rate, beyond an int", setting_read_rate, "2147483648", 0, VALUE,
	  "k: 2147483648 is not a rate in Mbit/s: it must be 0 to 2147483647" },
	{ "rate -1", setting_read_rate, "-1", 0, VALUE,
	  "k: -1 is not a rate in Mbit/s: it must be 0 to 2147483647" },
	{ "rate, a fraction", setting_read_rate, "0.5", 0, TYPE, "k: must be an integer, is a real number" },
	{ "queue 0", setting_read_txqlen, "0", 0, CNI_OK, NULL },
	{ "queue 1000", setting_read_txqlen, "1000", 1000, CNI_OK, NULL },
	{ "queue -1", setting_read_txqlen, "-1", 0, VALUE,
	  "k: -1 is not a number of packets: it must be 0 to 2147483647" },
	{ "queue true", setting_read_txqlen, "true", 0, TYPE, "k: must be an integer, is true" },
	{ "proto 802.1q", setting_read_proto, "\"802.1q\"", ETH_P_8021Q, CNI_OK, NULL },
	{ "proto in capitals", setting_read_proto, "\"802.1AD\"", ETH_P_8021AD, CNI_OK, NULL },
	{ "proto 8021q", setting_read_proto, "\"8021q\"", 0, VALUE,
	  "k: \"8021q\" is not known; it must be \"802.1q\" or \"802.1ad\"" },
	{ "proto empty", setting_read_proto, "\"\"", 0, VALUE,
	  "k: \"\" is not known; it must be \"802.1q\" or \"802.1ad\"" },
	{ "proto, a number", setting_read_proto, "802.1", 0, TYPE, "k: must be a string, is a real number" },
	{ "switch on", setting_read_switch, "\"on\"", 1, CNI_OK, NULL },
	{ "switch Off", setting_read_switch, "\"Off\"", 0, CNI_OK, NULL },
	{ "switch yes", setting_read_switch, "\"yes\"", 0, VALUE,
	  "k: \"yes\" is not known; it must be \"on\" or \"off\"" },
	{ "switch true", setting_read_switch, "true", 0, TYPE, "k: must be a string, is true" },
	{ "link state auto", setting_read_link_state, "\"auto\"", SETTING_LINK_AUTO, CNI_OK, NULL },
	{ "link state enable", setting_read_link_state, "\"enable\"", SETTING_LINK_ENABLE, CNI_OK, NULL },
	{ "link state Disable", setting_read_link_state, "\"Disable\"", SETTING_LINK_DISABLE, CNI_OK, NULL },
	{ "link state up", setting_read_link_state, "\"up\"", 0, VALUE,
	  "k: \"up\" is not known; it must be \"auto\", \"enable\" or \"disable\"" },
	{ "link state 1", setting_read_link_state, "1", 0, TYPE, "k: must be a string, is an integer" },
	{ "flag true", setting_read_flag, "true", 1, CNI_OK, NULL },
	{ "flag false", setting_read_flag, "false", 0, CNI_OK, NULL },
	{ "flag on", setting_read_flag, "\"on\"", 0, TYPE, "k: must be true or false, is a string" },
	{ "flag 1", setting_read_flag, "1", 0, TYPE, "k: must be true or false, is an integer" },
};

static void number_is_read(void **state)
{
	const __typeof__(numbers[0]) *row = *state;
	_cleanup_json_ json_t *json = json_loads(row->text, JSON_DECODE_ANY, NULL);
	struct opt_int number = { false, -7 };
	struct err err = { 0 };
	int r = row->read(json, "k", &number, &err);

	row_int(row->name, "refused", r < 0, row->code != CNI_OK);
	row_int(row->name, "code", err.code, row->code);
	row_text(row->name, "message", err.msg, row->message ? row->message : "");
	row_text(row->name, "path", err.path, r < 0 ? "k" : "");
	row_int(row->name, "set", number.set, r == 0);
	row_int(row->name, "value", number.value, r == 0 ? row->value : -7);
}

/* ---- MAC ---- */

static const struct {
	const char *name, *text, *mac; /* NULL: none */
	enum err_code code;
} macs[] = {
	{ "usual", "\"02:00:5e:00:53:01\"", "02:00:5e:00:53:01", CNI_OK },
	{ "in another form", "\"02-00-5E-00-53-01\"", "02:00:5e:00:53:01", CNI_OK },
	{ "empty is none", "\"\"", NULL, CNI_OK },
	{ "multicast", "\"01:00:5e:00:53:01\"", NULL, VALUE },
	{ "all zero", "\"00:00:00:00:00:00\"", NULL, VALUE },
	{ "broadcast", "\"ff:ff:ff:ff:ff:ff\"", NULL, VALUE },
	{ "short", "\"02:00:5e\"", NULL, VALUE },
	{ "number", "2", NULL, TYPE },
	{ "null", "null", NULL, TYPE },
};

static void mac_is_read(void **state)
{
	const __typeof__(macs[0]) *row = *state;
	_cleanup_json_ json_t *json = json_loads(row->text, JSON_DECODE_ANY, NULL);
	struct mac mac = { 0 };
	struct err err = { 0 };
	char text[MAC_TEXT_SIZE];
	int r = setting_read_mac(json, "k", &mac, &err);

	row_int(row->name, "refused", r < 0, row->code != CNI_OK);
	row_int(row->name, "code", err.code, row->code);
	row_text(row->name, "path", err.path, r < 0 ? "k" : "");
	row_part(row->name, "message", err.msg, row->code == VALUE ? "is not a unicast MAC address such as" : NULL);
	if (r == 0)
		row_text(row->name, "MAC", mac.set ? mac_format(mac.bytes, text) : NULL, row->mac);
}

/* ---- sysctls: the object ---- */

#define LONG_VALUE_127                                                                             \
	"0123456789012345678901234567890123456789012345678901234567890123456789"                   \
	"012345678901234567890123456789012345678901234567890123456"

static const struct {
	const char *name, *text;
	size_t n; /* expected */
	enum err_code code;
	const char *path, *part; /* of the error */
} objects[] = {
	{ "none", "{}", 0, CNI_OK, "", "" },
	{ "one", "{\"net.ipv4.ip_forward\":\"1\"}", 1, CNI_OK, "", "" },
	{ "two, by dots and slashes", "{\"net.ipv4.ip_forward\":\"1\",\"net/ipv4/ip_default_ttl\":\"63\"}", 2,
	  CNI_OK, "", "" },
	{ "empty value", "{\"net.ipv4.ip_local_reserved_ports\":\"\"}", 1, CNI_OK, "", "" },
	{ "a long value", "{\"net.a\":\"" LONG_VALUE_127 "\"}", 1, CNI_OK, "", "" },
	{ "a value too long", "{\"net.a\":\"" LONG_VALUE_127 "8\"}", 0, VALUE, "p[\"net.a\"]",
	  "has a value of more than 127 characters" },
	{ "an array", "[]", 0, TYPE, "p", "p: must be an object of sysctls, is an array" },
	{ "a number", "{\"net.ipv4.ip_forward\":1}", 0, TYPE, "p[\"net.ipv4.ip_forward\"]",
	  "p[\"net.ipv4.ip_forward\"]: must be a string, is an integer" },
	{ "not below net", "{\"kernel.panic\":\"1\"}", 0, VALUE, "p[\"kernel.panic\"]",
	  "p[\"kernel.panic\"]: is no sysctl below \"net.\" such as \"net.ipv4.conf.IFNAME.arp_filter\"" },
	{ "twice", "{\"net.ipv4.ip_forward\":\"1\",\"net/ipv4/ip_forward\":\"0\"}", 0, VALUE,
	  "p[\"net/ipv4/ip_forward\"]", "stands there twice, also as \"net.ipv4.ip_forward\"" },
	{ "twice, of the interface",
	  "{\"net.ipv4.conf.IFNAME.arp_filter\":\"1\",\"net/ipv4/conf/IFNAME/arp_filter\":\"1\"}", 0, VALUE,
	  "p[\"net/ipv4/conf/IFNAME/arp_filter\"]", "stands there twice" },
	{ "empty key", "{\"\":\"1\"}", 0, VALUE, "p[\"\"]", "is no sysctl" },
};

static void sysctls_are_read(void **state)
{
	const __typeof__(objects[0]) *row = *state;
	_cleanup_json_ json_t *json = json_loads(row->text, 0, NULL);
	struct settings settings = { 0 };
	struct err err = { 0 };
	int r = setting_read_sysctls(json, "p", &settings.has_sysctls, &err);

	row_int(row->name, "refused", r < 0, row->code != CNI_OK);
	row_int(row->name, "code", err.code, row->code);
	row_text(row->name, "path", err.path, row->path);
	row_part(row->name, "message", err.msg, row->part);
	if (r < 0)
		return;
	row_int(row->name, "number", (long long)settings.n_sysctls, (long long)row->n);
	row_int(row->name, "there are some", settings.has_sysctls, row->n > 0);
}

static void sysctls_are_in_their_order(void **state)
{
	_cleanup_json_ json_t *json =
		json_loads("{\"net.b\":\"2\",\"net.a\":\"1\",\"net.c\":\"3\"}", 0, NULL);
	struct settings settings = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(setting_read_sysctls(json, "p", &settings.has_sysctls, &err), 0);
	assert_string_equal(settings.sysctls[0].key, "net.b");
	assert_string_equal(settings.sysctls[0].value, "2");
	assert_string_equal(settings.sysctls[1].key, "net.a");
	assert_string_equal(settings.sysctls[2].value, "3");
}

static void too_many_sysctls_are_refused(void **state)
{
	_cleanup_json_ json_t *json = json_object();
	struct settings settings = { 0 };
	struct err err = { 0 };
	char key[32];

	(void)state;
	for (int i = 0; i < SETTING_SYSCTLS_MAX; i++) {
		snprintf(key, sizeof(key), "net.s%d", i);
		json_object_set_new(json, key, json_string("1"));
	}
	assert_int_equal(setting_read_sysctls(json, "p", &settings.has_sysctls, &err), 0);
	assert_int_equal(settings.n_sysctls, SETTING_SYSCTLS_MAX);
	json_object_set_new(json, "net.more", json_string("1"));
	settings = (struct settings){ 0 };
	assert_true(setting_read_sysctls(json, "p", &settings.has_sysctls, &err) < 0);
	assert_string_equal(err.msg, "p: has more than 32 sysctls");
}

/* ---- sysctls: the file ---- */

#define PART_63 "012345678901234567890123456789012345678901234567890123456789abc"

static const struct {
	const char *key;
	const char *file; /* with "net1" for IFNAME; NULL: none */
	bool of_device;
} files[] = {
	{ "net.ipv4.ip_forward", "net/ipv4/ip_forward", false },
	{ "net/ipv4/ip_forward", "net/ipv4/ip_forward", false },
	{ "net.ipv4.conf.IFNAME.arp_filter", "net/ipv4/conf/net1/arp_filter", true },
	{ "net/ipv6/conf/IFNAME/accept_ra", "net/ipv6/conf/net1/accept_ra", true },
	{ "net.IFNAME", "net/net1", true },
	{ "net.ipv4.conf.all.rp_filter", "net/ipv4/conf/all/rp_filter", false },
	/* a name with a dot in it needs slashes between the parts */
	{ "net/ipv4/conf/eth0.100/rp_filter", "net/ipv4/conf/eth0.100/rp_filter", false },
	{ "net.ipv4.conf.eth0.100.rp_filter", "net/ipv4/conf/eth0/100/rp_filter", false },
	{ "net.ipv4.conf.br-lan_1:0@x.y", "net/ipv4/conf/br-lan_1:0@x/y", false },
	/* IFNAME is a whole part, in capitals */
	{ "net.ipv4.conf.IFNAMES.x", "net/ipv4/conf/IFNAMES/x", false },
	{ "net.ipv4.conf.myIFNAME.x", "net/ipv4/conf/myIFNAME/x", false },
	{ "net.ipv4.conf.ifname.x", "net/ipv4/conf/ifname/x", false },
	{ "net/ipv4/conf/IFNAME.100/x", "net/ipv4/conf/IFNAME.100/x", false },
	{ "net." PART_63, "net/" PART_63, false },
	/* nothing below net */
	{ "", NULL, false },
	{ "net", NULL, false },
	{ "net.", NULL, false },
	{ "net/", NULL, false },
	{ ".net.ipv4.ip_forward", NULL, false },
	{ "/net/ipv4/ip_forward", NULL, false },
	{ "Net.ipv4.ip_forward", NULL, false },
	{ "netx.ipv4", NULL, false },
	{ "kernel.panic", NULL, false },
	{ "fs/suid_dumpable", NULL, false },
	{ "IFNAME.net", NULL, true },
	/* somewhere else */
	{ "net..ipv4", NULL, false },
	{ "net//ipv4", NULL, false },
	{ "net/../kernel/panic", NULL, false },
	{ "net/./ipv4", NULL, false },
	{ "net/ipv4/..", NULL, false },
	{ "net/ipv4/conf/../../../kernel/panic", NULL, false },
	{ "net.ipv4.conf.../../../kernel/panic", NULL, false },
	{ "net/.hidden", NULL, false },
	{ "net.ipv4/conf.x", NULL, false },
	{ "net/ipv4/ip_forward/", NULL, false },
	{ "net.ipv4.ip_forward.", NULL, false },
	/* no name of a file */
	{ "net.ipv4.ip forward", NULL, false },
	{ "net.ipv4.ip_forward=1", NULL, false },
	{ "net.ipv4.ip_forward\n", NULL, false },
	{ "net.ipv4.%s", NULL, false },
	{ "net.ipv4.*", NULL, false },
	{ "net.\xc3\xa4", NULL, false },
	/* too long */
	{ "net." PART_63 "d", NULL, false },
	{ "net." PART_63 "." PART_63 "." PART_63, NULL, false },
};

static void file_is_found(void **state)
{
	(void)state;
	for_each_row(row, files)
	{
		char buf[SETTING_PATH_SIZE];
		bool found = setting_sysctl_path(row->key, "net1", buf);

		row_text(row->key, "file", found ? buf : NULL, row->file);
		row_int(row->key, "of the device", setting_of_device(row->key), row->of_device);
	}
}

static void longest_name_stands_for_ifname(void **state)
{
	char buf[SETTING_PATH_SIZE];

	(void)state;
	assert_true(setting_sysctl_path("net.ipv4.conf.IFNAME.x", "abcdefghijklmno", buf));
	assert_string_equal(buf, "net/ipv4/conf/abcdefghijklmno/x");
}

/* ---- sysctls: values ---- */

static const struct {
	const char *a, *b;
	bool same;
} values[] = {
	{ "1", "1", true },
	{ "1", "0", false },
	{ "", "", true },
	{ "", " \t", true },
	{ "", "0", false },
	{ "4096\t131072\t6291456", "4096 131072  6291456", true },
	{ "4096\t131072\t6291456", "4096 131072", false },
	{ "4096 131072", "4096 131072 6291456", false },
	{ " 1", "1 ", true },
	{ "0x10", "16", true },
	{ "020", "16", true },
	{ "+1", "1", true },
	{ "-1", "-1", true },
	{ "-1", "4294967295", false },
	{ "10", "100", false },
	{ "1x", "1", false },
	{ "1", "1x", false },
	{ "cubic", "cubic", true },
	{ "cubic", "reno", false },
	{ "cubic", "CUBIC", false },
	{ "reno cubic", "cubic reno", false },
	{ "x", "y", false },
	{ "8080-8081", "8080,8081", false },
};

static void values_are_compared(void **state)
{
	(void)state;
	for_each_row(row, values)
	{
		row_int(row->a, row->b, setting_same_value(row->a, row->b), row->same);
		row_int(row->b, row->a, setting_same_value(row->b, row->a), row->same);
	}
}

/* ---- together ---- */

#define SET(n)                                                                                     \
	{                                                                                          \
		true, (n)                                                                          \
	}

static const struct {
	const char *name;
	struct settings set;
	const char *path, *part; /* of the refusal; NULL: accepted */
} together[] = {
	{ "nothing", { .n_sysctls = 0 }, NULL, NULL },
	{ "VLAN with all", { .vlan = SET(7), .vlan_qos = SET(3), .vlan_proto = SET(ETH_P_8021AD) }, NULL, NULL },
	{ "no VLAN, and what needs nothing", { .vlan = SET(0), .vlan_qos = SET(0), .vlan_proto = SET(ETH_P_8021Q) },
	  NULL, NULL },
	{ "priority without VLAN", { .vlan_qos = SET(0) }, "vlanQoS", "vlanQoS: needs \"vlan\"" },
	{ "protocol without VLAN", { .vlan_proto = SET(ETH_P_8021Q) }, "vlanProto", "vlanProto: needs \"vlan\"" },
	{ "priority of no tag", { .vlan = SET(0), .vlan_qos = SET(1) }, "vlanQoS", "\"vlan\" 0 asks for none" },
	{ "kind of no tag", { .vlan = SET(0), .vlan_proto = SET(ETH_P_8021AD) }, "vlanProto",
	  "\"vlan\" 0 asks for none" },
	{ "rates", { .min_tx_rate = SET(10), .max_tx_rate = SET(10) }, NULL, NULL },
	{ "no upper limit", { .min_tx_rate = SET(10), .max_tx_rate = SET(0) }, NULL, NULL },
	{ "only one rate", { .min_tx_rate = SET(10) }, NULL, NULL },
	{ "rates in the wrong order", { .min_tx_rate = SET(11), .max_tx_rate = SET(10) }, "min_tx_rate",
	  "min_tx_rate: must not be more than \"max_tx_rate\"" },
};

static void contradictions_are_refused(void **state)
{
	(void)state;
	for_each_row(row, together)
	{
		struct err err = { 0 };
		int r = settings_check(&row->set, "", &err);

		row_int(row->name, "refused", r < 0, row->path != NULL);
		row_text(row->name, "path", err.path, row->path ? row->path : "");
		row_part(row->name, "message", err.msg, row->part);
		row_int(row->name, "code", err.code, row->path ? CNI_CONFIG_INVALID : CNI_OK);
	}
}

static void refusal_has_the_whole_path(void **state)
{
	struct settings settings = { .vlan_qos = SET(3) };
	struct err err = { 0 };

	(void)state;
	assert_true(settings_check(&settings, "fabrics.rail.vfBaseline", &err) < 0);
	assert_string_equal(err.path, "fabrics.rail.vfBaseline.vlanQoS");
	assert_string_equal(err.msg, "fabrics.rail.vfBaseline.vlanQoS: needs \"vlan\"");
}

/* ---- the table ---- */

static const struct {
	const char *name, *text;
	enum setting_needs needs;
} rows[] = {
	{ "vlan", "7", SETTING_VF },
	{ "vlanQoS", "3", SETTING_VF },
	{ "vlanProto", "\"802.1ad\"", SETTING_VF },
	{ "mac", "\"02:00:5e:00:53:01\"", SETTING_ANY },
	{ "spoofchk", "\"off\"", SETTING_VF },
	{ "trust", "\"off\"", SETTING_VF },
	{ "link_state", "\"auto\"", SETTING_VF },
	{ "min_tx_rate", "0", SETTING_VF },
	{ "max_tx_rate", "0", SETTING_VF },
	{ "mtu", "9000", SETTING_ANY },
	{ "promisc", "false", SETTING_NETDEV },
	{ "allmulti", "false", SETTING_NETDEV },
	{ "txQLen", "0", SETTING_NETDEV },
	{ "sysctl", "{\"net.a\":\"1\"}", SETTING_ANY },
};

/* Each setting is known by its own member, also with a value of 0 or false. */
static void table_knows_what_is_set(void **state)
{
	size_t n;
	const struct setting *table = setting_table(&n);

	(void)state;
	assert_int_equal(n, ARRAY_SIZE(rows));
	for (size_t i = 0; i < n; i++) {
		_cleanup_json_ json_t *json = json_loads(rows[i].text, JSON_DECODE_ANY, NULL);
		struct settings settings = { 0 };
		struct err err = { 0 };

		row_text(rows[i].name, "name", table[i].name, rows[i].name);
		row_int(rows[i].name, "needs", table[i].needs, rows[i].needs);
		row_int(rows[i].name, "set before", setting_is_set(&settings, &table[i]), 0);
		row_int(rows[i].name, "read", table[i].read(json, "k", (char *)&settings + table[i].offset, &err),
			0);
		for (size_t j = 0; j < n; j++)
			row_int(rows[i].name, table[j].name, setting_is_set(&settings, &table[j]), i == j);
	}
}

static const struct CMUnitTest fixed[] = {
	cmocka_unit_test(sysctls_are_in_their_order),
	cmocka_unit_test(too_many_sysctls_are_refused),
	cmocka_unit_test(file_is_found),
	cmocka_unit_test(longest_name_stands_for_ifname),
	cmocka_unit_test(values_are_compared),
	cmocka_unit_test(contradictions_are_refused),
	cmocka_unit_test(refusal_has_the_whole_path),
	cmocka_unit_test(table_knows_what_is_set),
};

int main(void)
{
	static struct CMUnitTest tests[ARRAY_SIZE(fixed) + ARRAY_SIZE(numbers) + ARRAY_SIZE(macs) +
				       ARRAY_SIZE(objects)];
	struct CMUnitTest *next = tests;

	memcpy(next, fixed, sizeof(fixed));
	next += ARRAY_SIZE(fixed);
	row_tests(next, "number", numbers, number_is_read);
	next += ARRAY_SIZE(numbers);
	row_tests(next, "MAC", macs, mac_is_read);
	next += ARRAY_SIZE(macs);
	row_tests(next, "sysctls", objects, sysctls_are_read);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
