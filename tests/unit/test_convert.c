// SPDX-License-Identifier: Apache-2.0
/* Networks of other plugins as networks of roce: what is carried over, and what is said of the rest. */
#include "conf/convert.h"
#include "conf/netconf.h"
#include "ipam/ipamconf.h"

#include "tests/unit/row.h"

#include <stdio.h>

/* Everything that was reported, a line each: "LOST path: text" or "NOTE path: text". */
struct told {
	char text[8192];
	size_t lost;
};

static void tell(enum convert_weight weight, const char *path, const char *text, void *arg)
{
	struct told *told = arg;
	size_t len = strlen(told->text);

	snprintf(told->text + len, sizeof(told->text) - len, "%s %s: %s\n",
		 weight == CONVERT_LOST ? "LOST" : "NOTE", path, text);
	told->lost += weight == CONVERT_LOST;
}

static int check_ipam(const json_t *config, struct err *err)
{
	struct ipamconf conf;
	int r = ipamconf_read(config, &conf, err);

	if (r == 0)
		ipamconf_free(&conf);
	return r;
}

/* Return: the new configuration as text, to be freed; NULL when there is none. */
static char *convert(const char *text, struct convert how, struct told *told)
{
	struct err err = { 0 };
	json_t *config = NULL, *out;
	char *result;

	if (jx_parse(text, strlen(text), "the row", &config, &err) < 0)
		fail_msg("%s", err.msg);
	how.ipam_keys = ipamconf_keys(&how.n_ipam_keys);
	how.ipam_check = check_ipam;
	how.report = tell;
	how.arg = told;
	out = convert_config(config, &how);
	result = out ? json_dumps(out, JSON_COMPACT) : NULL;
	json_decref(out);
	json_decref(config);
	return result;
}

#define V "\"cniVersion\":\"1.1.0\",\"name\":\"n\""
#define SRIOV "{" V ",\"type\":\"sriov\",\"deviceID\":\"0000:3b:00.2\""
#define ROCE "{" V ",\"type\":\"roce\",\"deviceID\":\"0000:3b:00.2\""
#define LIST(plugins) "{" V ",\"plugins\":[" plugins "]}"
#define VF(type) "{\"type\":\"" type "\",\"deviceID\":\"0000:3b:00.2\""

/* A row: what is read, what must come out, how many fields are lost, and a part of what is said. */
struct row {
	const char *name;
	const char *in;
	const char *out;
	int lost;
	const char *told;
};

static void check_rows(const struct row *rows, size_t n, struct convert how)
{
	for (const struct row *row = rows; row < rows + n; row++) {
		struct told told = { .lost = 0 };
		char *out = convert(row->in, how, &told);

		row_text(row->name, "the result", out, row->out);
		row_part(row->name, "what is told", told.text, row->told);
		if (row->lost != (int)told.lost)
			fail_msg("row \"%s\": %zu lost, must be %d:\n%s", row->name, told.lost,
				 row->lost, told.text);
		free(out);
	}
}
#define CHECK(rows) check_rows(rows, ARRAY_SIZE(rows), (struct convert){ .is_nad = false })

static void plugins_become_roce(void **state)
{
	static const struct row rows[] = {
		{ "sriov", SRIOV ",\"vlan\":5}", ROCE ",\"vlan\":5}", 0, NULL },
		{ "host-device by name", "{" V ",\"type\":\"host-device\",\"device\":\"eth1\"}",
		  "{" V ",\"type\":\"roce\",\"device\":\"eth1\"}", 0, NULL },
		{ "macvlan", "{" V ",\"type\":\"macvlan\",\"master\":\"eth0\",\"mtu\":4200}",
		  "{" V ",\"type\":\"roce\",\"mtu\":4200}", 1, "LOST master: roce moves a device" },
		{ "roce already", ROCE "}", NULL, 0, "NOTE : is of type \"roce\" already" },
		{ "a list with roce", LIST(VF("sriov") "},{\"type\":\"roce\"}"), NULL, 0, "already" },
		{ "bridge", "{" V ",\"type\":\"bridge\"}", NULL, 1, "LOST type: \"bridge\": roce cannot" },
		{ "InfiniBand", "{" V ",\"type\":\"ib-sriov\"}", NULL, 1, "is InfiniBand" },
		{ "no type", "{" V "}", NULL, 1, "LOST type: \"\"" },
		{ "an empty list", LIST(""), NULL, 1, "LOST plugins[0].type" },
		{ "plugins is no list", "{" V ",\"plugins\":{}}", NULL, 1, NULL },
		{ "plugins of no objects", LIST("1,null,\"sriov\",[]"), NULL, 1, NULL },
		{ "no object beside one", LIST("1," VF("sriov") "},null"),
		  LIST("1," VF("roce") "},null"), 0, NULL },
	};

	(void)state;
	CHECK(rows);
}

static void keys_are_carried_or_told(void **state)
{
	static const struct row rows[] = {
		{ "in another case", SRIOV ",\"VLAN\":5}", ROCE ",\"vlan\":5}", 0,
		  "NOTE VLAN: is now spelled \"vlan\"" },
		{ "twice, in two cases", SRIOV ",\"vlan\":5,\"VLAN\":6}", ROCE ",\"vlan\":5}", 1,
		  "LOST VLAN: \"vlan\" is there, too" },
		{ "unknown", SRIOV ",\"vlann\":5}", ROCE "}", 1, "did you mean \"vlan\"?" },
		{ "no name like it", SRIOV ",\"zzzzzz\":5}", ROCE "}", 1, "LOST zzzzzz: roce has no such key" },
		{ "of somebody else", SRIOV ",\"example.com/x\":5}", ROCE ",\"example.com/x\":5}", 0, NULL },
		{ "empty", SRIOV ",\"trust\":\"\",\"vlan\":null}", ROCE "}", 0, "NOTE vlan: is empty" },
		{ "wrong value", SRIOV ",\"vlan\":4095}", ROCE "}", 1, "LOST vlan: 4095 is not a VLAN ID" },
		{ "wrong type", SRIOV ",\"vlan\":\"5\"}", ROCE "}", 1, "LOST vlan: must be an integer" },
		{ "wrong, in another case", SRIOV ",\"VLAN\":4095}", ROCE "}", 1, "LOST VLAN: 4095" },
		{ "brackets in a key", SRIOV ",\"a[0]\":5,\"vlan\":5}", ROCE ",\"vlan\":5}", 1, "LOST a[0]: " },
		{ "ignored by sriov", SRIOV ",\"mtu\":9000}", ROCE ",\"mtu\":9000}", 0, "NOTE mtu: sriov reads" },
		{ "log", SRIOV ",\"logLevel\":\"debug\",\"logFile\":\"/var/log/sriov.log\"}",
		  ROCE ",\"logLevel\":\"debug\",\"logFile\":\"/var/log/sriov.log\"}", 0,
		  "NOTE logFile: a file that sriov has begun is refused" },
		{ "log elsewhere", SRIOV ",\"LogFile\":\"/tmp/sriov.log\"}",
		  ROCE ",\"logFile\":\"/tmp/sriov.log\"}", 0,
		  "NOTE LogFile: is refused unless each node's profile has a folder above it" },
		{ "log in the working folder", SRIOV ",\"logFile\":\"sriov.log\"}", ROCE "}", 1,
		  "LOST logFile: \"sriov.log\" must be an absolute path" },
		{ "level that sriov takes for info", SRIOV ",\"logLevel\":\"loud\"}", ROCE "}", 1,
		  "LOST logLevel: \"loud\" is not known" },
		{ "settings of a VF",
		  SRIOV ",\"vlan\":7,\"vlanQoS\":3,\"vlanProto\":\"802.1AD\",\"spoofchk\":\"off\",\"trust\":\"on\",\"link_state\":\"auto\",\"min_tx_rate\":1,\"max_tx_rate\":2}",
		  ROCE ",\"vlan\":7,\"vlanQoS\":3,\"vlanProto\":\"802.1AD\",\"spoofchk\":\"off\",\"trust\":\"on\",\"link_state\":\"auto\",\"min_tx_rate\":1,\"max_tx_rate\":2}",
		  0, NULL },
		{ "what sriov takes for off", SRIOV ",\"spoofchk\":\"no\"}", ROCE "}", 1,
		  "LOST spoofchk: \"no\" is not known; it must be \"on\" or \"off\"" },
		{ "priority without VLAN", SRIOV ",\"vlanQoS\":0}", ROCE "}", 1, "LOST vlanQoS: needs \"vlan\"" },
		{ "rates in the wrong order", SRIOV ",\"min_tx_rate\":2,\"max_tx_rate\":1}", ROCE ",\"max_tx_rate\":1}", 1,
		  "LOST min_tx_rate: must not be more" },
		{ "empty ipam", SRIOV ",\"ipam\":{}}", ROCE ",\"ipam\":{}}", 0, NULL },
		{ "ipam is no object", SRIOV ",\"ipam\":3}", ROCE "}", 1, "LOST ipam: must be an object" },
		{ "ipam twice", SRIOV ",\"ipam\":{},\"IPAM\":{}}", ROCE ",\"ipam\":{}}", 1, "LOST IPAM" },
		{ "another IPAM plugin", SRIOV ",\"ipam\":{\"type\":\"static\",\"x\":1}}",
		  ROCE ",\"ipam\":{\"type\":\"static\",\"x\":1}}", 0, NULL },
	};

	(void)state;
	CHECK(rows);
}

/* Whatever keys sriov has that roce's own table has not: each is told, none is in the result. */
static void every_key_of_sriov(void **state)
{
	static const char *const keys[] = { "vlanQoS",	  "vlanProto",	 "spoofchk", "trust", "link_state",
					    "min_tx_rate", "max_tx_rate", "logLevel", "logFile" };
	size_t n;
	const struct jx_key *ours = netconf_keys(&n);

	(void)state;
	for_each_row(key, keys) {
		struct told told = { .lost = 0 };
		char text[256], *out;
		bool known = false;

		for (size_t i = 0; i < n; i++)
			known |= streq(ours[i].name, *key);
		snprintf(text, sizeof(text), SRIOV ",\"%s\":{\"no\":\"value\"}}", *key);
		out = convert(text, (struct convert){ .is_nad = false }, &told);
		snprintf(text, sizeof(text), "LOST %s: ", *key);
		row_part(*key, "what is told", told.text, text);
		if (!known)
			row_text(*key, "the result", out, ROCE "}");
		free(out);
	}
}

#define WHEREABOUTS(keys) SRIOV ",\"ipam\":{\"type\":\"whereabouts\"" keys "}}"
#define ROCE_IPAM(keys) ROCE ",\"ipam\":{\"type\":\"roce-ipam\"" keys "}}"
#define RANGE ",\"range\":\"10.0.0.0/24\""

static void whereabouts(void **state)
{
	static const struct row rows[] = {
		{ "range", WHEREABOUTS(RANGE), ROCE_IPAM(RANGE), 0, "NOTE ipam.type: Whereabouts' pool" },
		{ "its own key", WHEREABOUTS(RANGE ",\"datastore\":\"kubernetes\""), ROCE_IPAM(RANGE), 1,
		  "LOST ipam.datastore: " },
		{ "one of three excludes",
		  WHEREABOUTS(RANGE ",\"exclude\":[\"10.0.0.1\",\"10.1.0.0/24\",\"10.0.0.2/31\"]"),
		  ROCE_IPAM(RANGE ",\"exclude\":[\"10.0.0.1\",\"10.0.0.2/31\"]"), 1,
		  "LOST ipam.exclude: \"10.1.0.0/24\" does not touch" },
		{ "one of two routes",
		  WHEREABOUTS(RANGE ",\"routes\":[{\"dst\":\"x\"},{\"dst\":\"10.0.0.0/8\"}]"),
		  ROCE_IPAM(RANGE ",\"routes\":[{\"dst\":\"10.0.0.0/8\"}]"), 2, NULL },
		{ "start outside", WHEREABOUTS(RANGE ",\"range_start\":\"10.9.0.1\""), ROCE_IPAM(RANGE), 1,
		  "LOST ipam.range_start: " },
		{ "in an element", WHEREABOUTS(",\"ipRanges\":[{\"range\":\"10.0.0.0/24\",\"x\":1}]"),
		  ROCE_IPAM(",\"ipRanges\":[{\"range\":\"10.0.0.0/24\"}]"), 1, "ipam.ipRanges[0].x" },
		{ "gateway of no range", WHEREABOUTS(RANGE ",\"gateway\":\"fd00::1\""), ROCE_IPAM(RANGE), 1,
		  "LOST ipam.gateway: " },
		{ "range stays", WHEREABOUTS(",\"range\":\"x\""), ROCE_IPAM(",\"range\":\"x\""), 1,
		  "LOST ipam.range: " },
		{ "no range", WHEREABOUTS(""), ROCE_IPAM(""), 1, "LOST ipam.range: is missing" },
	};

	(void)state;
	CHECK(rows);
}

#define HOST_LOCAL(keys) SRIOV ",\"ipam\":{\"type\":\"host-local\"" keys "}}"
#define RANGES(sets) ",\"ranges\":[" sets "]"
#define SET_4 "[{\"subnet\":\"10.0.0.0/24\"}]"
#define SET_6 "[{\"subnet\":\"fd00::/64\"}]"
#define TWO "[{\"subnet\":\"10.0.0.0/24\"},{\"subnet\":\"10.0.1.0/24\"}]"
#define GATEWAY ",\"gateway\":\"10.0.0.1\""

static void host_local(void **state)
{
	static const struct row rows[] = {
		{ "old form", HOST_LOCAL(",\"subnet\":\"10.0.0.0/24\",\"rangeStart\":\"10.0.0.9\""),
		  ROCE_IPAM(RANGE ",\"range_start\":\"10.0.0.9\"" GATEWAY), 0,
		  "NOTE ipam.gateway: host-local's default 10.0.0.1" },
		{ "one range", HOST_LOCAL(RANGES(SET_4)), ROCE_IPAM(RANGE GATEWAY), 0, NULL },
		{ "its gateway", HOST_LOCAL(RANGES("[{\"subnet\":\"10.0.0.0/24\",\"gateway\":\"10.0.0.9\"}]")),
		  ROCE_IPAM(RANGE ",\"gateway\":\"10.0.0.9\""), 0, NULL },
		{ "both forms stay", HOST_LOCAL(RANGES(SET_6) ",\"subnet\":\"10.0.0.0/24\""),
		  ROCE_IPAM(",\"subnet\":\"10.0.0.0/24\"" RANGES(SET_6)), 0, NULL },
		{ "two sets stay", HOST_LOCAL(RANGES(SET_4 "," SET_6)), ROCE_IPAM(RANGES(SET_4 "," SET_6)), 0,
		  NULL },
		{ "two ranges of a set stay", HOST_LOCAL(RANGES(TWO)), ROCE_IPAM(RANGES(TWO)), 0, NULL },
		{ "read by nobody", HOST_LOCAL(RANGES(SET_4) ",\"rangeStart\":\"10.0.0.7\""),
		  ROCE_IPAM(RANGE GATEWAY), 1, "LOST ipam.rangeStart: host-local reads this only" },
		{ "no key of a range", HOST_LOCAL(RANGES("[{\"subnet\":\"10.0.0.0/24\",\"x\":1}]")),
		  ROCE_IPAM(RANGE GATEWAY), 1, "LOST ipam.ranges[0][0].x: " },
		{ "bad start", HOST_LOCAL(RANGES("[{\"subnet\":\"10.0.0.0/24\",\"rangeStart\":\"10.0.0.0\"}]")),
		  ROCE_IPAM(RANGE GATEWAY), 1, "LOST ipam.ranges[0][0].rangeStart: \"10.0.0.0\" is not" },
		{ "its own keys", HOST_LOCAL(RANGES(SET_4) ",\"dataDir\":\"/x\",\"resolvConf\":\"/y\""),
		  ROCE_IPAM(RANGE GATEWAY), 2, "LOST ipam.dataDir: " },
		{ "range beside it", HOST_LOCAL(RANGES(SET_4) ",\"range\":\"10.9.0.0/24\""),
		  ROCE_IPAM(RANGE GATEWAY), 1, "LOST ipam.range: \"range\" is there, too" },
		{ "a word in two cases", HOST_LOCAL(",\"subnet\":\"10.0.0.0/24\",\"Subnet\":\"10.9.0.0/24\""),
		  ROCE_IPAM(RANGE GATEWAY), 1, "LOST ipam.Subnet: \"range\" is there, too" },
		{ "one that stays, in two cases",
		  HOST_LOCAL(RANGES(SET_6) ",\"subnet\":\"10.0.0.0/24\",\"Subnet\":\"10.9.0.0/24\""),
		  ROCE_IPAM(",\"subnet\":\"10.0.0.0/24\"" RANGES(SET_6)), 1, "LOST ipam.Subnet: \"subnet\" is" },
		{ "no ranges", HOST_LOCAL(""), ROCE_IPAM(""), 1, "is missing" },
	};

	(void)state;
	CHECK(rows);
}

#define TUNING(keys) "{\"type\":\"tuning\"" keys "}"

static void chains_are_folded(void **state)
{
	static const struct row rows[] = {
		{ "rdma goes", LIST(VF("sriov") "},{\"type\":\"rdma\"}"),
		  LIST(VF("roce") ",\"rdma\":\"required\"}"), 0,
		  "NOTE plugins[1]: becomes \"rdma\": \"required\"" },
		{ "rdma's own keys", LIST(VF("sriov") "},{\"type\":\"rdma\",\"args\":{}}"),
		  LIST(VF("roce") ",\"rdma\":\"required\"}"), 1, "LOST plugins[1].args: " },
		{ "rdma of nobody", LIST("{\"type\":\"rdma\"}," VF("sriov") "}"),
		  LIST("{\"type\":\"rdma\"}," VF("roce") "}"), 0, NULL },
		{ "all of tuning", LIST(VF("sriov") "}," TUNING(",\"mtu\":4200,\"mac\":\"02:00:00:00:00:01\"")),
		  LIST(VF("roce") ",\"mtu\":4200,\"mac\":\"02:00:00:00:00:01\"}"), 0, "nothing is left" },
		{ "the rest of tuning", LIST(VF("sriov") "}," TUNING(",\"promisc\":true,\"allmulti\":false,\"txQLen\":0")),
		  LIST(VF("roce") ",\"promisc\":true,\"allmulti\":false,\"txQLen\":0}"), 0, "nothing is left" },
		{ "tuning with more", LIST(VF("sriov") "}," TUNING(",\"mtu\":4200,\"colour\":1")),
		  LIST(VF("roce") ",\"mtu\":4200}," TUNING(",\"colour\":1")), 0, NULL },
		{ "sysctls", LIST(VF("sriov") "}," TUNING(",\"sysctl\":{\"net.ipv4.ip_forward\":\"1\",\"net/core/somaxconn\":\"5\"}")),
		  LIST(VF("roce") ",\"sysctl\":{\"net.ipv4.ip_forward\":\"1\",\"net/core/somaxconn\":\"5\"}}"), 0,
		  "nothing is left" },
		{ "sysctls of arguments go into the others",
		  LIST(VF("sriov") "}," TUNING(",\"sysctl\":{\"net.a\":\"1\",\"net.b\":\"2\"},\"args\":{\"cni\":{\"sysctl\":{\"net.b\":\"3\"}}}")),
		  LIST(VF("roce") ",\"sysctl\":{\"net.a\":\"1\",\"net.b\":\"3\"}}"), 0,
		  "NOTE plugins[1].args.cni.sysctl[\"net.b\"]: comes last" },
		{ "sysctls of two", LIST(VF("sriov") "}," TUNING(",\"sysctl\":{\"net.a\":\"1\"}") "," TUNING(",\"SysCtl\":{\"net.b\":\"2\"}")),
		  LIST(VF("roce") ",\"sysctl\":{\"net.a\":\"1\",\"net.b\":\"2\"}}"), 0, NULL },
		{ "a sysctl that is none", LIST(VF("sriov") "}," TUNING(",\"sysctl\":{\"kernel.panic\":\"1\",\"net.a\":\"1\"}")),
		  LIST(VF("roce") ",\"sysctl\":{\"net.a\":\"1\"}}"), 1,
		  "LOST plugins[1].sysctl[\"kernel.panic\"]: is no sysctl below" },
		{ "a sysctl in another spelling", LIST(VF("sriov") "}," TUNING(",\"sysctl\":{\"net.a.b\":\"1\",\"net/a/b\":\"1\"}")),
		  LIST(VF("roce") ",\"sysctl\":{\"net.a.b\":\"1\"}}"), 1, "LOST plugins[1].sysctl[\"net/a/b\"]: stands there twice" },
		{ "no sysctl is one", LIST(VF("sriov") "}," TUNING(",\"sysctl\":{\"a\":\"b\",\"\":\"\",\"net.x\":1}")),
		  LIST(VF("roce") "}"), 3, "LOST plugins[1].sysctl[\"net.x\"]: must be a string" },
		{ "sysctls that are no object", LIST(VF("sriov") "}," TUNING(",\"sysctl\":[]")), LIST(VF("roce") "}"), 1,
		  "LOST plugins[1].sysctl: must be an object" },
		{ "tuning without a word", LIST(VF("sriov") "}," TUNING(",\"sysctl\":null,\"allmulti\":null,\"promisc\":false")),
		  LIST(VF("roce") "}"), 0, "NOTE plugins[1].promisc: asks for nothing" },
		{ "arguments take back", LIST(VF("sriov") "}," TUNING(",\"promisc\":true,\"args\":{\"cni\":{\"promisc\":false}}")),
		  LIST(VF("roce") "}"), 0, "NOTE plugins[1].args.cni.promisc: asks for nothing" },
		{ "but only their own", LIST(VF("sriov") ",\"mtu\":4200}," TUNING(",\"mtu\":0")),
		  LIST(VF("roce") ",\"mtu\":4200}"), 0, "NOTE plugins[1].mtu: asks for nothing" },
		{ "a flag that is none", LIST(VF("sriov") "}," TUNING(",\"promisc\":\"on\"")), LIST(VF("roce") "}"), 1,
		  "LOST plugins[1].promisc: must be true or false" },
		{ "tuning says nothing", LIST(VF("sriov") "}," TUNING(",\"mtu\":0,\"mac\":\"\"")),
		  LIST(VF("roce") "}"), 0, "NOTE plugins[1].mtu: asks for nothing" },
		{ "tuning is last", LIST(VF("sriov") ",\"mtu\":1500}," TUNING(",\"mtu\":4200")),
		  LIST(VF("roce") ",\"mtu\":4200}"), 0, "NOTE plugins[1].mtu: comes last" },
		{ "bad value in tuning", LIST(VF("sriov") "}," TUNING(",\"mtu\":1")),
		  LIST(VF("roce") "}"), 1, "LOST plugins[1].mtu: " },
		{ "arguments", LIST(VF("sriov") "}," TUNING(",\"args\":{\"cni\":{\"mtu\":4200}}")),
		  LIST(VF("roce") ",\"mtu\":4200}"), 0, NULL },
		{ "a MAC on demand", LIST(VF("sriov") "}," TUNING(",\"capabilities\":{\"mac\":true}")),
		  LIST(VF("roce") ",\"capabilities\":{\"mac\":true}}"), 0, NULL },
		{ "with other capabilities",
		  LIST(VF("sriov") ",\"capabilities\":{\"ips\":true}}," TUNING(",\"capabilities\":{\"mac\":true,\"x\":true}")),
		  LIST(VF("roce") ",\"capabilities\":{\"ips\":true,\"mac\":true}}," TUNING(",\"capabilities\":{\"x\":true}")),
		  0, NULL },
		{ "two of sriov", LIST(VF("sriov") "}," TUNING(",\"mtu\":4200") "," VF("sriov") "}," TUNING(",\"mtu\":9000")),
		  LIST(VF("roce") ",\"mtu\":4200}," VF("roce") ",\"mtu\":9000}"), 0, NULL },
		{ "another plugin stays", LIST(VF("sriov") "},{\"type\":\"sbr\",\"x\":1}"),
		  LIST(VF("roce") "},{\"type\":\"sbr\",\"x\":1}"), 0, NULL },
		{ "the list's keys", "{" V ",\"disableCheck\":true,\"plugins\":[" VF("sriov") ",\"name\":\"x\"}]}",
		  "{" V ",\"disableCheck\":true,\"plugins\":[" VF("roce") "}]}", 0, "NOTE plugins[0].name" },
	};

	(void)state;
	CHECK(rows);
}

static void devices(void **state)
{
	static const struct row rows[] = {
		{ "sriov goes by deviceID", SRIOV ",\"pciBusID\":\"0000:3b:00.3\",\"device\":\"eth0\"}", ROCE "}",
		  2, "LOST pciBusID: \"deviceID\" names the device" },
		{ "the same twice", SRIOV ",\"pciBusID\":\"0000:3B:00.2\"}", ROCE "}", 0,
		  "NOTE pciBusID: says the same" },
		{ "host-device goes by device",
		  "{" V ",\"type\":\"host-device\",\"deviceID\":\"0000:3b:00.2\",\"device\":\"eth0\"}",
		  "{" V ",\"type\":\"roce\",\"device\":\"eth0\"}", 1, "LOST deviceID: " },
		{ "no PCI address", "{" V ",\"type\":\"sriov\",\"deviceID\":\"mlx5_core\"}",
		  "{" V ",\"type\":\"roce\"}", 1, "is not a PCI address" },
		{ "a subfunction", "{" V ",\"type\":\"sriov\",\"deviceID\":\"mlx5_core.sf.1\"}",
		  "{" V ",\"type\":\"roce\",\"deviceID\":\"mlx5_core.sf.1\"}", 0, NULL },
		{ "none", "{" V ",\"type\":\"sriov\"}", "{" V ",\"type\":\"roce\"}", 0, "NOTE : names no device" },
	};
	static const struct row in_nad[] = {
		{ "none", "{" V ",\"type\":\"sriov\"}", "{" V ",\"type\":\"roce\"}", 1, "LOST : names no device" },
	};
	static const struct row with_resource[] = {
		{ "comes later", "{" V ",\"type\":\"sriov\"}", "{" V ",\"type\":\"roce\"}", 0, NULL },
		{ "by name", "{" V ",\"type\":\"host-device\",\"device\":\"eth0\"}", "{" V ",\"type\":\"roce\"}", 1,
		  "LOST device: Multus passes on" },
	};

	(void)state;
	CHECK(rows);
	check_rows(in_nad, ARRAY_SIZE(in_nad), (struct convert){ .is_nad = true });
	check_rows(with_resource, ARRAY_SIZE(with_resource),
		   (struct convert){ .is_nad = true, .has_resource = true });
}

#define VERSION(v) "{\"cniVersion\":" v ",\"name\":\"n\",\"type\":\"sriov\",\"device\":\"e\"}"
#define SAME(v) "{\"cniVersion\":\"" v "\",\"name\":\"n\",\"type\":\"roce\",\"device\":\"e\"}"

static void versions(void **state)
{
	static const struct row rows[] = {
		{ "0.1.0", VERSION("\"0.1.0\""), SAME("1.1.0"), 0, "NOTE cniVersion: 0.1.0 is now 1.1.0" },
		{ "0.3.0", VERSION("\"0.3.0\""), SAME("1.1.0"), 0, "is now 1.1.0" },
		{ "0.3.1", VERSION("\"0.3.1\""), SAME("0.3.1"), 0, "NOTE cniVersion: 0.3.1 is kept" },
		{ "1.0.0", VERSION("\"1.0.0\""), SAME("1.0.0"), 0, "is kept" },
		{ "1.1.0", VERSION("\"1.1.0\""), SAME("1.1.0"), 0, "" },
		{ "2.0.0", VERSION("\"2.0.0\""), SAME("1.1.0"), 1, "LOST cniVersion: 2.0.0 is not supported" },
		{ "no text", VERSION("1"), SAME("1.1.0"), 1, "LOST cniVersion: must be a string" },
		{ "empty", VERSION("\"\""), SAME("1.1.0"), 0, "(missing) is now" },
		{ "missing", "{\"name\":\"n\",\"type\":\"sriov\",\"device\":\"e\"}", SAME("1.1.0"), 0,
		  "(missing) is now" },
	};

	(void)state;
	CHECK(rows);
}

#define NAME(n) "{\"cniVersion\":\"1.1.0\"" n ",\"type\":\"sriov\",\"device\":\"e\"}"
#define NAMED(n) "{\"cniVersion\":\"1.1.0\"" n ",\"type\":\"roce\",\"device\":\"e\"}"

static void names(void **state)
{
	static const struct row alone[] = {
		{ "missing", NAME(""), NAMED(""), 1, "LOST name: is missing" },
		{ "cannot be one", NAME(",\"name\":\"a b\""), NAMED(",\"name\":\"a b\""), 1,
		  "LOST name: cannot be" },
	};
	static const struct row in_nad[] = {
		{ "missing", NAME(""), NAMED(""), 0, NULL },
		{ "empty", NAME(",\"name\":\"\""), NAMED(""), 0, NULL },
		{ "cannot be one", NAME(",\"name\":\"a b\""), NAMED(""), 1, "LOST name: cannot be" },
		{ "own", NAME(",\"name\":\"a\""), NAMED(",\"name\":\"a\""), 0, NULL },
	};

	(void)state;
	CHECK(alone);
	check_rows(in_nad, ARRAY_SIZE(in_nad), (struct convert){ .is_nad = true, .name = "net" });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plugins_become_roce), cmocka_unit_test(keys_are_carried_or_told),
		cmocka_unit_test(every_key_of_sriov),  cmocka_unit_test(whereabouts),
		cmocka_unit_test(host_local),	       cmocka_unit_test(chains_are_folded),
		cmocka_unit_test(devices),	       cmocka_unit_test(versions),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
