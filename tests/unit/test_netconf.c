// SPDX-License-Identifier: Apache-2.0
/* The network configuration: every key, every refusal, and who wins where a thing is said twice. */
#include "conf/netconf.h"

#include "tests/unit/row.h"

#include <stdio.h>

/* A configuration of the parts that every one has, and these keys. */
#define CONF(keys) "{\"cniVersion\":\"1.1.0\",\"name\":\"n\",\"type\":\"roce\"" keys "}"
#define VF ",\"deviceID\":\"0000:3b:00.2\""
#define RUNTIME(keys) ",\"runtimeConfig\":{" keys "}"

#define PCI_2 "0000:3b:00.2"
#define SF "mlx5_core.sf.4"
#define MAC_1 "02:00:5e:00:53:01"
#define MAC_2 "02:00:5e:00:53:02"
#define MAC_3 "02:00:5e:00:53:03"

/* Reads @text with @args as CNI_ARGS; the call owns the document that the result borrows from. */
static int read_conf(const char *text, const char *args, struct cni_call *call,
		     struct netconf *conf, struct err *err)
{
	int r;

	*call = (struct cni_call){ .args = { .args = args ? args : "" } };
	r = jx_parse(text, strlen(text), "the network configuration on stdin", &call->json, err);
	return r < 0 ? r : netconf_read(call, conf, err);
}

static void must_read(const char *name, const char *text, const char *args, struct cni_call *call,
		      struct netconf *conf)
{
	struct err err = { 0 };

	if (read_conf(text, args, call, conf, &err) < 0)
		fail_msg("row \"%s\": %s", name, err.msg);
}

/* ---- every key ---- */

static void every_key_is_read(void **state)
{
	static const char text[] = CONF(
		VF ",\"mtu\":9000,\"roceMTU\":4096,\"mtuPolicy\":\"strict\",\"fabric\":\"rail\""
		   ",\"vlan\":100,\"vlanQoS\":5,\"vlanProto\":\"802.1AD\",\"mac\":\"02-00-5E-00-53-01\""
		   ",\"spoofchk\":\"off\",\"trust\":\"on\",\"link_state\":\"enable\""
		   ",\"min_tx_rate\":10,\"max_tx_rate\":100,\"promisc\":true,\"allmulti\":false"
		   ",\"txQLen\":77,\"sysctl\":{\"net.ipv4.conf.IFNAME.arp_filter\":\"1\"}"
		   ",\"rdma\":\"required\""
		   ",\"ipam\":{\"type\":\"roce-ipam\",\"range\":\"192.0.2.0/24\"}"
		   ",\"dns\":{\"nameservers\":[\"192.0.2.1\"]}"
		   ",\"logLevel\":\"debug\",\"logFile\":\"/var/log/roce.log\""
		   ",\"runtimeConfig\":{\"CNIDeviceInfoFile\":\"/run/x.json\"}"
		   ",\"prevResult\":{\"cniVersion\":\"1.1.0\"}");
	struct cni_call call;
	struct netconf conf;
	char mac[MAC_TEXT_SIZE];

	(void)state;
	must_read("every key", text, NULL, &call, &conf);
	assert_string_equal(conf.device_id, PCI_2);
	assert_null(conf.device);
	assert_true(conf.set.mtu.set && conf.set.mtu.value == 9000);
	assert_true(conf.roce_mtu.set && conf.roce_mtu.value == 4096);
	assert_int_equal(conf.policy, MTU_STRICT);
	assert_string_equal(conf.fabric, "rail");
	assert_true(conf.set.vlan.set && conf.set.vlan.value == 100);
	assert_true(conf.set.vlan_qos.set && conf.set.vlan_qos.value == 5);
	assert_true(conf.set.vlan_proto.set && conf.set.vlan_proto.value == 0x88a8);
	assert_true(conf.set.spoofchk.set && conf.set.spoofchk.value == 0);
	assert_true(conf.set.trust.set && conf.set.trust.value == 1);
	assert_true(conf.set.link_state.set && conf.set.link_state.value == SETTING_LINK_ENABLE);
	assert_true(conf.set.min_tx_rate.set && conf.set.min_tx_rate.value == 10);
	assert_true(conf.set.max_tx_rate.set && conf.set.max_tx_rate.value == 100);
	assert_true(conf.set.promisc.set && conf.set.promisc.value == 1);
	assert_true(conf.set.allmulti.set && conf.set.allmulti.value == 0);
	assert_true(conf.set.txqlen.set && conf.set.txqlen.value == 77);
	assert_true(conf.set.has_sysctls);
	assert_int_equal(conf.set.n_sysctls, 1);
	assert_string_equal(conf.set.sysctls[0].key, "net.ipv4.conf.IFNAME.arp_filter");
	assert_string_equal(conf.set.sysctls[0].value, "1");
	assert_true(conf.set.mac.set);
	assert_string_equal(mac_format(conf.set.mac.bytes, mac), MAC_1);
	assert_string_equal(conf.ipam_type, "roce-ipam");
	assert_string_equal(conf.device_info_file, "/run/x.json");
	assert_true(json_is_object(conf.prev_result));
	assert_int_equal(json_array_size(json_object_get(conf.dns, "nameservers")), 1);
	assert_true(conf.log.has_level && conf.log.level == LOG_LEVEL_DEBUG);
	assert_string_equal(conf.log.file, "/var/log/roce.log");
	assert_int_equal(conf.rdma, RDMA_REQUIRED);
	json_decref(call.json);
}

static void rdma_is_one_of_four(void **state)
{
	static const struct {
		const char *name, *text;
		enum netconf_rdma rdma;
	} rows[] = {
		{ "absent", CONF(VF), RDMA_AUTO },
		{ "auto", CONF(VF ",\"rdma\":\"auto\""), RDMA_AUTO },
		{ "required", CONF(VF ",\"rdma\":\"required\""), RDMA_REQUIRED },
		{ "off", CONF(VF ",\"rdma\":\"off\""), RDMA_OFF },
		{ "soft", CONF(VF ",\"rdma\":\"soft\""), RDMA_SOFT },
	};

	(void)state;
	for_each_row(row, rows)
	{
		struct cni_call call;
		struct netconf conf;

		must_read(row->name, row->text, NULL, &call, &conf);
		row_int(row->name, "rdma", conf.rdma, row->rdma);
		json_decref(call.json);
	}
}

static void absent_keys_are_absent(void **state)
{
	struct cni_call call;
	struct netconf conf;

	(void)state;
	must_read("nothing but a netdev", CONF(",\"device\":\"ens1f0\""), NULL, &call, &conf);
	assert_string_equal(conf.device_id, "");
	assert_string_equal(conf.device, "ens1f0");
	assert_false(conf.roce_mtu.set);
	for (size_t i = 0, n; i < (setting_table(&n), n); i++)
		row_true(setting_table(&n)[i].name, "is absent",
			 !setting_is_set(&conf.set, &setting_table(&n)[i]));
	assert_int_equal(conf.policy, MTU_STRICT);
	assert_null(conf.fabric);
	assert_null(conf.ipam_type);
	assert_null(conf.device_info_file);
	assert_null(conf.prev_result);
	assert_null(conf.dns);
	assert_false(conf.log.has_level);
	assert_null(conf.log.file);
	json_decref(call.json);
}

/* ---- keys that belong to others, and the edges of values ---- */

static const struct {
	const char *name, *text;
} accepted[] = {
	{ "keys of the runtime",
	  CONF(VF
	       ",\"cniVersions\":[\"1.0.0\"],\"capabilities\":{\"mac\":true},\"disableCheck\":true"
	       ",\"disableGC\":\"true\",\"loadOnlyInlinedPlugins\":false,\"ipMasq\":false") },
	{ "keys of Multus", CONF(VF ",\"pciBusID\":\"0000:3b:00.2\",\"resourceName\":\"a/b\"") },
	{ "args", CONF(VF ",\"args\":{\"cni\":{\"ips\":[\"192.0.2.5\"],\"labels\":[]},\"x\":1}") },
	{ "reserved names with a dot or slash",
	  CONF(VF ",\"cni.dev/valid-attachments\":[],\"cni.dev/attachments\":null"
		  ",\"io.example.key\":{\"mtu\":\"x\"}") },
	{ "anything in runtimeConfig",
	  CONF(VF RUNTIME("\"ips\":[\"192.0.2.5/24\"],\"bandwidth\":{},\"Mtu\":1,\"mtuu\":2")) },
	{ "empty runtimeConfig", CONF(VF RUNTIME("")) },
	{ "empty ipam is none", CONF(VF ",\"ipam\":{}") },
	{ "anything below ipam", CONF(VF ",\"ipam\":{\"type\":\"whereabouts\",\"rnge\":1}") },
	{ "prevResult null", CONF(VF ",\"prevResult\":null") },
	{ "upper case PCI address", CONF(",\"deviceID\":\"0000:3B:00.2\"") },
	{ "MAC \"\" is none", CONF(VF ",\"mac\":\"\"") },
	{ "runtimeConfig MAC \"\" is none", CONF(VF RUNTIME("\"mac\":\"\"")) },
	{ "least MTU", CONF(VF ",\"mtu\":68") },
	{ "largest MTU", CONF(VF ",\"mtu\":65535") },
	{ "least RoCE MTU", CONF(VF ",\"roceMTU\":256") },
	{ "vlan 0", CONF(VF ",\"vlan\":0") },
	{ "vlan 4094", CONF(VF ",\"vlan\":4094") },
	{ "empty dns", CONF(VF ",\"dns\":{}") },
	{ "empty log keys", CONF(VF ",\"logLevel\":\"\",\"logFile\":\"\"") },
	{ "as SriovNetwork writes it",
	  CONF(VF ",\"vlan\":0,\"vlanQoS\":0,\"vlanProto\":\"802.1q\",\"spoofchk\":\"on\",\"trust\":\"off\""
		  ",\"link_state\":\"auto\",\"min_tx_rate\":0,\"max_tx_rate\":0") },
	{ "no sysctls", CONF(VF ",\"sysctl\":{}") },
};

static void keys_of_others_are_tolerated(void **state)
{
	(void)state;
	for_each_row(row, accepted)
	{
		struct cni_call call;
		struct netconf conf;

		must_read(row->name, row->text, NULL, &call, &conf);
		row_text(row->name, "device ID", conf.device_id, PCI_2);
		row_true(row->name, "no MAC", !conf.set.mac.set);
		json_decref(call.json);
	}
}

static void empty_ipam_is_no_ipam(void **state)
{
	struct cni_call call;
	struct netconf conf;

	(void)state;
	must_read("empty ipam", CONF(VF ",\"ipam\":{}"), NULL, &call, &conf);
	assert_null(conf.ipam_type);
	json_decref(call.json);
}

/* ---- the device: precedence ---- */

static const struct {
	const char *name, *text;
	const char *id, *device, *pf; /* expected */
} devices[] = {
	{ "deviceID", CONF(",\"deviceID\":\"0000:3b:00.2\""), PCI_2, NULL, NULL },
	{ "pciBusID", CONF(",\"pciBusID\":\"0000:3b:00.2\""), PCI_2, NULL, NULL },
	{ "runtimeConfig", CONF(RUNTIME("\"deviceID\":\"0000:3b:00.2\"")), PCI_2, NULL, NULL },
	{ "all three say the same",
	  CONF(VF ",\"pciBusID\":\"0000:3b:00.2\"" RUNTIME("\"deviceID\":\"0000:3b:00.2\"")), PCI_2,
	  NULL, NULL },
	{ "the same in another case", CONF(VF ",\"pciBusID\":\"0000:3B:00.2\""), PCI_2, NULL, NULL },
	{ "a subfunction", CONF(",\"deviceID\":\"mlx5_core.sf.4\""), SF, NULL, NULL },
	{ "a subfunction, as Multus writes it",
	  CONF(",\"deviceID\":\"mlx5_core.sf.4\",\"pciBusID\":\"mlx5_core.sf.4\"" RUNTIME(
		  "\"deviceID\":\"mlx5_core.sf.4\"")),
	  SF, NULL, NULL },
	{ "a netdev", CONF(",\"device\":\"ens1f0\""), "", "ens1f0", NULL },
	{ "a netdev with a dot", CONF(",\"device\":\"ens1f0.100\""), "", "ens1f0.100", NULL },
	{ "a PF by name", CONF(",\"pf\":\"ens1f0\""), "", NULL, "ens1f0" },
	{ "a PF by altname", CONF(",\"pf\":\"enxsome-long-altname\""), "", NULL,
	  "enxsome-long-altname" },
	{ "a PF by PCI address", CONF(",\"pf\":\"0000:3b:00.0\""), "", NULL, "0000:3b:00.0" },
	{ "any PF", CONF(",\"pf\":\"*\",\"fabric\":\"rail\""), "", NULL, NETCONF_ANY_PF },
	{ "a PF, and a VLAN", CONF(",\"pf\":\"ens1f0\",\"vlan\":7"), "", NULL, "ens1f0" },
};

static void device_is_settled(void **state)
{
	(void)state;
	for_each_row(row, devices)
	{
		struct cni_call call;
		struct netconf conf;

		must_read(row->name, row->text, NULL, &call, &conf);
		row_text(row->name, "device ID", conf.device_id, row->id);
		row_text(row->name, "device", conf.device, row->device);
		row_text(row->name, "pf", conf.pf, row->pf);
		json_decref(call.json);
	}
}

/* ---- the MAC: runtimeConfig, then CNI_ARGS, then mac ---- */

static const struct {
	const char *name, *text, *args;
	const char *mac; /* expected; NULL: none */
} macs[] = {
	{ "none", CONF(VF), "", NULL },
	{ "mac", CONF(VF ",\"mac\":\"" MAC_1 "\""), "", MAC_1 },
	{ "CNI_ARGS", CONF(VF), "IgnoreUnknown=1;MAC=" MAC_2, MAC_2 },
	{ "CNI_ARGS before mac", CONF(VF ",\"mac\":\"" MAC_1 "\""), "MAC=" MAC_2, MAC_2 },
	{ "runtimeConfig", CONF(VF RUNTIME("\"mac\":\"" MAC_3 "\"")), "", MAC_3 },
	{ "runtimeConfig before CNI_ARGS", CONF(VF RUNTIME("\"mac\":\"" MAC_3 "\"")), "MAC=" MAC_2,
	  MAC_3 },
	{ "runtimeConfig before all",
	  CONF(VF ",\"mac\":\"" MAC_1 "\"" RUNTIME("\"mac\":\"" MAC_3 "\"")), "MAC=" MAC_2, MAC_3 },
	{ "empty in CNI_ARGS", CONF(VF ",\"mac\":\"" MAC_1 "\""), "MAC=", MAC_1 },
	{ "a bad one in CNI_ARGS that is not used", CONF(VF RUNTIME("\"mac\":\"" MAC_3 "\"")),
	  "MAC=x", MAC_3 },
	{ "first of two in CNI_ARGS", CONF(VF), "MAC=" MAC_2 ";MAC=" MAC_3, MAC_2 },
	{ "no value in CNI_ARGS", CONF(VF ",\"mac\":\"" MAC_1 "\""), "MAC", MAC_1 },
};

static void mac_is_settled(void **state)
{
	(void)state;
	for_each_row(row, macs)
	{
		struct cni_call call;
		struct netconf conf;
		char text[MAC_TEXT_SIZE];

		must_read(row->name, row->text, row->args, &call, &conf);
		row_int(row->name, "set", conf.set.mac.set, row->mac != NULL);
		if (row->mac)
			row_text(row->name, "MAC", mac_format(conf.set.mac.bytes, text), row->mac);
		json_decref(call.json);
	}
}

/* ---- refusals ---- */

#define TYPE CNI_DECODING_FAILURE
#define VALUE CNI_CONFIG_INVALID

static const struct {
	const char *name, *text;
	enum err_code code;
	const char *part[3]; /* of the message */
} refused[] = {
	/* not JSON, or not an object */
	{ "nothing", "", TYPE, { "not valid JSON" } },
	{ "garbage", "{]", TYPE, { "not valid JSON: line 1, column 2" } },
	{ "cut off", "{\"name\":\"n\"", TYPE, { "not valid JSON" } },
	{ "an array", "[]", TYPE, { "must be a JSON object" } },
	{ "trailing junk", CONF(VF) "x", TYPE, { "not valid JSON" } },
	{ "two documents", CONF(VF) CONF(VF), TYPE, { "not valid JSON" } },
	{ "byte order mark", "\xef\xbb\xbf" CONF(VF), TYPE, { "not valid JSON" } },
	{ "no UTF-8", CONF(VF ",\"fabric\":\"\xff\""), TYPE, { "not valid JSON" } },
	{ "a zero character", CONF(VF ",\"fabric\":\"a\\u0000b\""), TYPE, { "not valid JSON" } },
	{ "the same key twice", CONF(VF VF), TYPE, { "duplicate", "deviceID" } },
	{ "the same key twice, deeper",
	  CONF(VF ",\"ipam\":{\"type\":\"a\",\"type\":\"b\"}"),
	  TYPE,
	  { "duplicate" } },
	/* wrong types */
	{ "mtu in a string",
	  CONF(VF ",\"mtu\":\"9000\""),
	  TYPE,
	  { "mtu: must be an integer, is a string" } },
	{ "mtu real",
	  CONF(VF ",\"mtu\":9000.0"),
	  TYPE,
	  { "mtu: must be an integer, is a real number" } },
	{ "mtu null", CONF(VF ",\"mtu\":null"), TYPE, { "mtu: must be an integer, is null" } },
	{ "roceMTU true",
	  CONF(VF ",\"roceMTU\":true"),
	  TYPE,
	  { "roceMTU: must be an integer, is true" } },
	{ "mtuPolicy number",
	  CONF(VF ",\"mtuPolicy\":1"),
	  TYPE,
	  { "mtuPolicy: must be a string" } },
	{ "fabric array",
	  CONF(VF ",\"fabric\":[]"),
	  TYPE,
	  { "fabric: must be a string, is an array" } },
	{ "vlan string", CONF(VF ",\"vlan\":\"7\""), TYPE, { "vlan: must be an integer" } },
	{ "mac number", CONF(VF ",\"mac\":2"), TYPE, { "mac: must be a string, is an integer" } },
	{ "deviceID number", CONF(",\"deviceID\":3"), TYPE, { "deviceID: must be a string" } },
	{ "pciBusID object",
	  CONF(",\"pciBusID\":{}"),
	  TYPE,
	  { "pciBusID: must be a string, is an object" } },
	{ "device false",
	  CONF(",\"device\":false"),
	  TYPE,
	  { "device: must be a string, is false" } },
	{ "ipam string", CONF(VF ",\"ipam\":\"roce-ipam\""), TYPE, { "ipam: must be an object" } },
	{ "ipam.type number",
	  CONF(VF ",\"ipam\":{\"type\":1}"),
	  TYPE,
	  { "ipam.type: must be a string" } },
	{ "runtimeConfig array",
	  CONF(VF ",\"runtimeConfig\":[]"),
	  TYPE,
	  { "runtimeConfig: must be an object" } },
	{ "runtimeConfig.deviceID number",
	  CONF(RUNTIME("\"deviceID\":1")),
	  TYPE,
	  { "runtimeConfig.deviceID: must be a string" } },
	{ "runtimeConfig.mac array",
	  CONF(VF RUNTIME("\"mac\":[]")),
	  TYPE,
	  { "runtimeConfig.mac: must be a string" } },
	{ "CNIDeviceInfoFile number",
	  CONF(VF RUNTIME("\"CNIDeviceInfoFile\":1")),
	  TYPE,
	  { "runtimeConfig.CNIDeviceInfoFile: must be a string" } },
	{ "prevResult string",
	  CONF(VF ",\"prevResult\":\"x\""),
	  TYPE,
	  { "prevResult: must be an object" } },
	{ "dns string", CONF(VF ",\"dns\":\"192.0.2.1\""), TYPE, { "dns: must be an object" } },
	{ "logLevel number", CONF(VF ",\"logLevel\":5"), TYPE, { "logLevel: must be a string" } },
	{ "logFile true", CONF(VF ",\"logFile\":true"), TYPE, { "logFile: must be a string" } },
	/* unknown keys */
	{ "loglevel",
	  CONF(VF ",\"loglevel\":\"info\""),
	  VALUE,
	  { "did you mean \"logLevel\"?" } },
	{ "mut", CONF(VF ",\"mut\":9000"), VALUE, { "unknown key \"mut\"" } },
	{ "mttu",
	  CONF(VF ",\"mttu\":9000"),
	  VALUE,
	  { "unknown key \"mttu\"", "did you mean \"mtu\"?" } },
	{ "Mtu",
	  CONF(VF ",\"Mtu\":9000"),
	  VALUE,
	  { "unknown key \"Mtu\"", "did you mean \"mtu\"?" } },
	{ "rocemtu", CONF(VF ",\"rocemtu\":4096"), VALUE, { "did you mean \"roceMTU\"?" } },
	{ "roceMtuu", CONF(VF ",\"roceMtuu\":4096"), VALUE, { "did you mean \"roceMTU\"?" } },
	{ "deviceId",
	  CONF(",\"deviceId\":\"0000:3b:00.2\""),
	  VALUE,
	  { "did you mean \"deviceID\"?" } },
	{ "vlanID",
	  CONF(VF ",\"vlanID\":7"),
	  VALUE,
	  { "unknown key \"vlanID\"", "did you mean \"vlan\"?" } },
	{ "far from all",
	  CONF(VF ",\"completelyDifferent\":1"),
	  VALUE,
	  { "unknown key \"completelyDifferent\"" } },
	{ "empty key", CONF(VF ",\"\":1"), VALUE, { "unknown key \"\"" } },
	/* wrong values */
	{ "logLevel",
	  CONF(VF ",\"logLevel\":\"inof\""),
	  VALUE,
	  { "logLevel: \"inof\" is not known", "did you mean \"info\"?" } },
	{ "logFile",
	  CONF(VF ",\"logFile\":\"/var/log/../x.log\""),
	  VALUE,
	  { "logFile: \"/var/log/../x.log\" must be an absolute path" } },
	{ "mtu 67", CONF(VF ",\"mtu\":67"), VALUE, { "mtu: 67", "68 to 65535" } },
	{ "mtu 65536", CONF(VF ",\"mtu\":65536"), VALUE, { "mtu: 65536", "68 to 65535" } },
	{ "mtu -1", CONF(VF ",\"mtu\":-1"), VALUE, { "mtu: -1" } },
	{ "mtu beyond an int", CONF(VF ",\"mtu\":4294968296"), VALUE, { "mtu: 4294968296" } },
	{ "roceMTU 4200",
	  CONF(VF ",\"roceMTU\":4200"),
	  VALUE,
	  { "roceMTU: 4200", "256, 512, 1024, 2048 or 4096", "\"mtu\"" } },
	{ "roceMTU 0", CONF(VF ",\"roceMTU\":0"), VALUE, { "roceMTU: 0" } },
	{ "roceMTU 128", CONF(VF ",\"roceMTU\":128"), VALUE, { "roceMTU: 128" } },
	{ "roceMTU 8192", CONF(VF ",\"roceMTU\":8192"), VALUE, { "roceMTU: 8192" } },
	{ "roceMTU beyond an int",
	  CONF(VF ",\"roceMTU\":4294971392"),
	  VALUE,
	  { "roceMTU: 4294971392" } },
	{ "mtuPolicy lenient",
	  CONF(VF ",\"mtuPolicy\":\"lenient\""),
	  VALUE,
	  { "mtuPolicy: \"lenient\"", "\"strict\"" } },
	{ "vlan 4095", CONF(VF ",\"vlan\":4095"), VALUE, { "vlan: 4095", "0 to 4094" } },
	{ "vlan -1", CONF(VF ",\"vlan\":-1"), VALUE, { "vlan: -1" } },
	{ "mac multicast",
	  CONF(VF ",\"mac\":\"01:00:5e:00:00:01\""),
	  VALUE,
	  { "mac: \"01:00:5e:00:00:01\"", "unicast" } },
	{ "mac zero", CONF(VF ",\"mac\":\"00:00:00:00:00:00\""), VALUE, { "unicast" } },
	{ "mac short", CONF(VF ",\"mac\":\"02:00:5e\""), VALUE, { "mac: \"02:00:5e\"" } },
	{ "mac of 8 bytes",
	  CONF(VF RUNTIME("\"mac\":\"02:00:5e:00:53:01:00:00\"")),
	  VALUE,
	  { "runtimeConfig.mac" } },
	{ "deviceID a name",
	  CONF(",\"deviceID\":\"ens1f0v2\""),
	  VALUE,
	  { "deviceID: \"ens1f0v2\" is not a PCI address", "0000:3b:00.2",
	    "nor an auxiliary device such as \"mlx5_core.sf.4\"" } },
	{ "deviceID a path to a subfunction",
	  CONF(",\"deviceID\":\"../mlx5_core.sf.4\""),
	  VALUE,
	  { "deviceID: \"../mlx5_core.sf.4\" is not a PCI address", "nor an auxiliary device" } },
	{ "pciBusID a subfunction without number",
	  CONF(",\"pciBusID\":\"mlx5_core.sf\""),
	  VALUE,
	  { "pciBusID: \"mlx5_core.sf\"", "nor an auxiliary device" } },
	{ "two subfunctions",
	  CONF(",\"deviceID\":\"mlx5_core.sf.4\",\"pciBusID\":\"mlx5_core.sf.5\""),
	  VALUE,
	  { "name two devices, mlx5_core.sf.4 and mlx5_core.sf.5" } },
	{ "a subfunction and a PF",
	  CONF(",\"deviceID\":\"mlx5_core.sf.4\",\"pf\":\"ens1f0\""),
	  VALUE,
	  { "pf ens1f0 and deviceID mlx5_core.sf.4 are both given" } },
	{ "deviceID without domain",
	  CONF(",\"deviceID\":\"3b:00.2\""),
	  VALUE,
	  { "deviceID: \"3b:00.2\"" } },
	{ "pf number", CONF(",\"pf\":0"), TYPE, { "pf: must be a string, is an integer" } },
	{ "pf empty", CONF(",\"pf\":\"\""), VALUE, { "pf: \"\" cannot be a PF" } },
	{ "pf a path", CONF(",\"pf\":\"../x\""), VALUE, { "pf: \"../x\"", "interface name" } },
	{ "pf two words", CONF(",\"pf\":\"a b\""), VALUE, { "pf: \"a b\"" } },
	{ "pf too long",
	  CONF(",\"pf\":\"0123456789012345678901234567890123456789012345678901234567890123"
	       "0123456789012345678901234567890123456789012345678901234567890123\""),
	  VALUE,
	  { "cannot be a PF" } },
	{ "device a path", CONF(",\"device\":\"a/b\""), VALUE, { "device: \"a/b\"" } },
	{ "device empty", CONF(",\"device\":\"\""), VALUE, { "device: \"\"" } },
	{ "device too long", CONF(",\"device\":\"abcdefghijklmnop\""), VALUE, { "device: " } },
	{ "ipam without type",
	  CONF(VF ",\"ipam\":{\"range\":\"192.0.2.0/24\"}"),
	  VALUE,
	  { "ipam: \"type\" is missing" } },
	{ "ipam.type a path",
	  CONF(VF ",\"ipam\":{\"type\":\"../x\"}"),
	  VALUE,
	  { "ipam.type: \"../x\"" } },
	{ "ipam.type empty", CONF(VF ",\"ipam\":{\"type\":\"\"}"), VALUE, { "ipam.type" } },
	{ "ipam.type ..", CONF(VF ",\"ipam\":{\"type\":\"..\"}"), VALUE, { "ipam.type" } },
	/* settings; tests/unit/test_setting.c has all of their values */
	{ "vlanQoS 8", CONF(VF ",\"vlan\":7,\"vlanQoS\":8"), VALUE, { "vlanQoS: 8", "0 to 7" } },
	{ "vlanProto 802.1x", CONF(VF ",\"vlan\":7,\"vlanProto\":\"802.1x\""), VALUE, { "vlanProto: \"802.1x\"" } },
	{ "spoofchk true", CONF(VF ",\"spoofchk\":true"), TYPE, { "spoofchk: must be a string, is true" } },
	{ "trust empty", CONF(VF ",\"trust\":\"\""), VALUE, { "trust: \"\" is not known", "\"on\" or \"off\"" } },
	{ "link_state up", CONF(VF ",\"link_state\":\"up\""), VALUE, { "link_state: \"up\" is not known" } },
	{ "min_tx_rate -1", CONF(VF ",\"min_tx_rate\":-1"), VALUE, { "min_tx_rate: -1" } },
	{ "max_tx_rate string", CONF(VF ",\"max_tx_rate\":\"100\""), TYPE, { "max_tx_rate: must be an integer" } },
	{ "promisc on", CONF(VF ",\"promisc\":\"on\""), TYPE, { "promisc: must be true or false, is a string" } },
	{ "allmulti null", CONF(VF ",\"allmulti\":null"), TYPE, { "allmulti: must be true or false, is null" } },
	{ "txQLen -1", CONF(VF ",\"txQLen\":-1"), VALUE, { "txQLen: -1" } },
	{ "txqlen", CONF(VF ",\"txqlen\":1"), VALUE, { "unknown key \"txqlen\"; did you mean \"txQLen\"?" } },
	{ "rdma true", CONF(VF ",\"rdma\":true"), TYPE, { "rdma: must be a string, is true" } },
	{ "rdma on", CONF(VF ",\"rdma\":\"on\""), VALUE, { "rdma: \"on\" is not known", "\"auto\", \"required\", \"off\" or \"soft\"" } },
	{ "rdma Auto", CONF(VF ",\"rdma\":\"Auto\""), VALUE, { "rdma: \"Auto\" is not known" } },
	{ "sysctl array", CONF(VF ",\"sysctl\":[]"), TYPE, { "sysctl: must be an object of sysctls" } },
	{ "a sysctl of the kernel", CONF(VF ",\"sysctl\":{\"kernel.panic\":\"1\"}"), VALUE,
	  { "sysctl[\"kernel.panic\"]: is no sysctl below \"net.\"" } },
	/* contradictions */
	{ "vlanQoS without vlan", CONF(VF ",\"vlanQoS\":3"), VALUE, { "vlanQoS: needs \"vlan\"" } },
	{ "vlanProto of no vlan", CONF(VF ",\"vlan\":0,\"vlanProto\":\"802.1ad\""), VALUE,
	  { "vlanProto: is the kind of a tag, and \"vlan\" 0 asks for none" } },
	{ "rates in the wrong order", CONF(VF ",\"min_tx_rate\":2,\"max_tx_rate\":1"), VALUE,
	  { "min_tx_rate: must not be more than \"max_tx_rate\"" } },
	{ "no device", CONF(""), VALUE, { "deviceID", "resourceName", "\"pf\"" } },
	{ "deviceID and pciBusID differ",
	  CONF(VF ",\"pciBusID\":\"0000:3b:00.3\""),
	  VALUE,
	  { "0000:3b:00.2", "0000:3b:00.3", "keep one" } },
	{ "runtimeConfig and deviceID differ",
	  CONF(VF RUNTIME("\"deviceID\":\"0000:3b:00.4\"")),
	  VALUE,
	  { "0000:3b:00.2", "0000:3b:00.4", "keep one" } },
	{ "deviceID and device",
	  CONF(VF ",\"device\":\"ens1f0\""),
	  VALUE,
	  { "deviceID 0000:3b:00.2", "device ens1f0", "keep one" } },
	{ "pf and deviceID",
	  CONF(VF ",\"pf\":\"ens1f0\""),
	  VALUE,
	  { "pf ens1f0 and deviceID 0000:3b:00.2", "remove \"pf\"", "resourceName" } },
	{ "pf and pciBusID",
	  CONF(",\"pf\":\"*\",\"pciBusID\":\"0000:3b:00.2\""),
	  VALUE,
	  { "pf * and deviceID 0000:3b:00.2" } },
	{ "pf and what Multus injected",
	  CONF(",\"pf\":\"ens1f0\"" RUNTIME("\"deviceID\":\"0000:3b:00.2\"")),
	  VALUE,
	  { "pf ens1f0 and deviceID 0000:3b:00.2", "device plugin", "Multus" } },
	{ "pf and device",
	  CONF(",\"pf\":\"ens1f0\",\"device\":\"ens1f0\""),
	  VALUE,
	  { "pf ens1f0 and device ens1f0", "keep one" } },
};

/* One test a row: a row that fails hides no other. */
static void is_refused(void **state)
{
	const __typeof__(refused[0]) *row = *state;
	struct cni_call call;
	struct netconf conf = { .ipam_type = "untouched" };
	struct err err = { 0 };
	int r = read_conf(row->text, NULL, &call, &conf, &err);

	json_decref(call.json);
	row_true(row->name, "refused", r < 0);
	row_int(row->name, "code", err.code, row->code);
	for (size_t i = 0; i < ARRAY_SIZE(row->part); i++)
		row_part(row->name, "message", err.msg, row->part[i]);
	row_text(row->name, "result after a refusal", conf.ipam_type, "untouched");
}

static const struct {
	const char *args, *part;
} bad_args[] = {
	{ "MAC=nonsense", "CNI_ARGS MAC: \"nonsense\"" },
	{ "MAC=ff:ff:ff:ff:ff:ff", "CNI_ARGS MAC: \"ff:ff:ff:ff:ff:ff\"" },
	{ "MAC=02:00:5e:00:53:01;MAC=x", NULL },
	/* an address longer than any buffer is as wrong as a short one */
	{ "MAC=02:00:5e:00:53:01:02:00:5e:00:53:01:02:00:5e:00:53:01:02:00:5e:00:53:01",
	  "CNI_ARGS MAC" },
};

static void bad_args_are_refused(void **state)
{
	(void)state;
	for_each_row(row, bad_args)
	{
		struct cni_call call;
		struct netconf conf;
		struct err err = { 0 };
		int r = read_conf(CONF(VF), row->args, &call, &conf, &err);

		json_decref(call.json);
		row_int(row->args, "refused", r < 0, row->part != NULL);
		row_int(row->args, "code", err.code, row->part ? CNI_CONFIG_INVALID : CNI_OK);
		row_part(row->args, "message", err.msg, row->part);
	}
}

/* ---- nesting ---- */

static void deep_nesting_is_refused_not_followed(void **state)
{
	enum { DEPTH = 100000 };
	char *text = malloc(2 * DEPTH + 64);
	struct cni_call call;
	struct netconf conf;
	struct err err = { 0 };
	int n;

	(void)state;
	n = sprintf(text, "{\"args\":");
	memset(text + n, '[', DEPTH);
	memset(text + n + DEPTH, ']', DEPTH);
	strcpy(text + n + 2 * DEPTH, "}");
	assert_true(read_conf(text, NULL, &call, &conf, &err) < 0);
	assert_int_equal(err.code, CNI_DECODING_FAILURE);
	free(text);
}

static void long_words_are_cut(void **state)
{
	static char text[16384], word[8000];
	struct cni_call call;
	struct netconf conf;
	struct err err = { 0 };

	(void)state;
	memset(word, 'k', sizeof(word) - 1);
	snprintf(text, sizeof(text), "{\"%s\":1}", word);
	assert_true(read_conf(text, NULL, &call, &conf, &err) < 0);
	assert_int_equal(err.code, CNI_CONFIG_INVALID);
	json_decref(call.json);
	err = (struct err){ 0 };
	snprintf(text, sizeof(text), "{\"deviceID\":\"%s\"}", word);
	assert_true(read_conf(text, NULL, &call, &conf, &err) < 0);
	assert_int_equal(err.code, CNI_CONFIG_INVALID);
	json_decref(call.json);
}

/* ---- netconf_ipam_type(): for DEL, whatever the rest says ---- */

static const struct {
	const char *text;
	const char *type; /* expected */
} ipam_types[] = {
	{ "{}", NULL },
	{ "{\"ipam\":{}}", NULL },
	{ "{\"ipam\":{\"type\":\"roce-ipam\"}}", "roce-ipam" },
	{ "{\"ipam\":{\"type\":\"x\"},\"mtuu\":\"bad\",\"deviceID\":7}", "x" },
	{ "{\"ipam\":{\"type\":\"\"}}", NULL },
	{ "{\"ipam\":{\"type\":\"/bin/sh\"}}", NULL },
	{ "{\"ipam\":{\"type\":\"..\"}}", NULL },
	{ "{\"ipam\":{\"type\":7}}", NULL },
	{ "{\"ipam\":[]}", NULL },
	{ "{\"ipam\":null}", NULL },
};

static void ipam_type_alone(void **state)
{
	(void)state;
	assert_null(netconf_ipam_type(NULL));
	for_each_row(row, ipam_types)
	{
		json_t *json = json_loads(row->text, 0, NULL);

		row_text(row->text, "type", netconf_ipam_type(json), row->type);
		json_decref(json);
	}
}

static const struct CMUnitTest fixed[] = {
	cmocka_unit_test(every_key_is_read),
	cmocka_unit_test(rdma_is_one_of_four),
	cmocka_unit_test(absent_keys_are_absent),
	cmocka_unit_test(keys_of_others_are_tolerated),
	cmocka_unit_test(empty_ipam_is_no_ipam),
	cmocka_unit_test(device_is_settled),
	cmocka_unit_test(mac_is_settled),
	cmocka_unit_test(bad_args_are_refused),
	cmocka_unit_test(deep_nesting_is_refused_not_followed),
	cmocka_unit_test(long_words_are_cut),
	cmocka_unit_test(ipam_type_alone),
};

int main(void)
{
	static struct CMUnitTest tests[ARRAY_SIZE(fixed) + ARRAY_SIZE(refused)];

	memcpy(tests, fixed, sizeof(fixed));
	row_tests(tests + ARRAY_SIZE(fixed), "refused", refused, is_refused);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
