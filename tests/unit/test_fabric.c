// SPDX-License-Identifier: Apache-2.0
/* One fabric: every key, every refusal with its JSON path, which ports are on it, what it permits. */
#include "conf/fabric.h"

#include "tests/unit/row.h"

#include <stdio.h>

/* Reads a fabric; the caller releases @ret_json, which the fabric borrows from. */
static int read_text(const char *text, json_t **ret_json, struct fabric *fabric, struct err *err)
{
	*ret_json = NULL;
	memset(fabric, 0, sizeof(*fabric));
	if (jx_parse(text, strlen(text), "the test", ret_json, err) < 0)
		fail_msg("\"%s\": %s", text, err->msg);
	return fabric_read(*ret_json, "fabrics.a", fabric, err);
}

static json_t *must_read(const char *name, const char *text, struct fabric *fabric)
{
	struct err err = { 0 };
	json_t *json;

	if (read_text(text, &json, fabric, &err) < 0)
		fail_msg("row \"%s\": %s", name, err.msg);
	return json;
}

#define SET(n)                                                                                     \
	{                                                                                          \
		true, (n)                                                                          \
	}
#define UNSET                                                                                      \
	{                                                                                          \
		false, 0                                                                           \
	}

static void row_opt(const char *row, const char *what, struct opt_int got, struct opt_int want)
{
	row_int(row, what, got.set, want.set);
	if (want.set)
		row_int(row, what, got.value, want.value);
}

/* ---- what is read ---- */

#define SWITCH(keys) "{\"switch\":{" keys "}}"

static const struct {
	const char *name, *text;
	struct opt_int mtu;
	const char *semantics, *platform;
	struct opt_int tags, encapsulation;
} switches[] = {
	{ "none", "{}", UNSET, "l3", NULL, UNSET, UNSET },
	{ "l3", SWITCH("\"mtu\":9216,\"semantics\":\"l3\""), SET(9216), "l3", NULL, UNSET, UNSET },
	{ "l2hdr", SWITCH("\"mtu\":9216,\"semantics\":\"l2hdr\""), SET(9216), "l2hdr", NULL, UNSET,
	  UNSET },
	{ "l2frame", SWITCH("\"semantics\":\"l2frame\",\"mtu\":9216"), SET(9216), "l2frame", NULL,
	  UNSET, UNSET },
	{ "least", SWITCH("\"mtu\":68,\"semantics\":\"l3\""), SET(68), "l3", NULL, UNSET, UNSET },
	{ "most", SWITCH("\"mtu\":65535,\"semantics\":\"l3\""), SET(65535), "l3", NULL, UNSET,
	  UNSET },
	{ "no tags, no tunnel",
	  SWITCH("\"mtu\":9216,\"semantics\":\"l3\",\"tags\":0,\"encapsulation\":0"), SET(9216),
	  "l3", NULL, SET(0), SET(0) },
	{ "two tags, the largest tunnel",
	  SWITCH("\"mtu\":9216,\"semantics\":\"l3\",\"tags\":2,\"encapsulation\":256"), SET(9216),
	  "l3", NULL, SET(2), SET(256) },
	/* a platform says what its number counts, and what it is delivered with */
	{ "sonic", SWITCH("\"platform\":\"sonic\""), SET(9100), "l3", "sonic", UNSET, UNSET },
	{ "sonic at 9216", SWITCH("\"platform\":\"sonic\",\"mtu\":9216"), SET(9216), "l3", "sonic",
	  UNSET, UNSET },
	{ "cumulus", SWITCH("\"platform\":\"cumulus\""), SET(9216), "l3", "cumulus", UNSET, UNSET },
	{ "mlxsw", SWITCH("\"platform\":\"mlxsw\""), SET(9216), "l3", "mlxsw", UNSET, UNSET },
	{ "eos", SWITCH("\"platform\":\"eos\""), SET(1500), "l3", "eos", UNSET, UNSET },
	{ "nxos", SWITCH("\"platform\":\"nxos\""), SET(1500), "l3", "nxos", UNSET, UNSET },
	{ "junos", SWITCH("\"platform\":\"junos\""), SET(1514), "l2hdr", "junos", UNSET, UNSET },
	{ "junos at its other maximum", SWITCH("\"platform\":\"junos\",\"mtu\":9192"), SET(9192),
	  "l2hdr", "junos", UNSET, UNSET },
	{ "srlinux", SWITCH("\"platform\":\"srlinux\",\"mtu\":9232"), SET(9232), "l2hdr", "srlinux",
	  UNSET, UNSET },
	{ "os9", SWITCH("\"platform\":\"os9\",\"mtu\":12000"), SET(12000), "l2frame", "os9", UNSET,
	  UNSET },
	{ "os10", SWITCH("\"platform\":\"os10\",\"mtu\":9216"), SET(9216), "l2frame", "os10", UNSET,
	  UNSET },
	{ "vrp", SWITCH("\"platform\":\"vrp\""), SET(9216), "l2frame", "vrp", UNSET, UNSET },
	{ "platform and the same semantics",
	  SWITCH("\"semantics\":\"l2hdr\",\"platform\":\"junos\",\"mtu\":9216"), SET(9216), "l2hdr",
	  "junos", UNSET, UNSET },
	{ "the least of a platform", SWITCH("\"platform\":\"os9\",\"mtu\":592"), SET(592),
	  "l2frame", "os9", UNSET, UNSET },
	{ "the most of a platform", SWITCH("\"platform\":\"eos\",\"mtu\":9214"), SET(9214), "l3",
	  "eos", UNSET, UNSET },
	{ "foreign keys",
	  "{\"example.io/x\":1,\"switch\":{\"mtu\":9216,\"semantics\":\"l3\",\"a/b\":2}}",
	  SET(9216), "l3", NULL, UNSET, UNSET },
};

static void switches_are_read(void **state)
{
	(void)state;
	for_each_row(row, switches)
	{
		struct fabric fabric;
		const struct fabric_switch *sw = &fabric.sw;
		_cleanup_json_ json_t *json = must_read(row->name, row->text, &fabric);

		row_opt(row->name, "mtu", sw->mtu, row->mtu);
		row_text(row->name, "semantics", switch_semantics_name(sw->semantics),
			 row->semantics);
		row_text(row->name, "platform", sw->platform ? sw->platform->name : NULL,
			 row->platform);
		row_opt(row->name, "tags", sw->tags, row->tags);
		row_opt(row->name, "encapsulation", sw->encapsulation, row->encapsulation);
		for (int class = 0; class < SWITCH_CLASSES; class ++)
			row_opt(row->name, "classMTU", sw->class_mtu[class], (struct opt_int)UNSET);
	}
}

static void class_mtus_are_read(void **state)
{
	static const char text[] =
		SWITCH("\"mtu\":9216,\"semantics\":\"l3\",\"classMTU\":{\"0\":9000,\"1\":9001,"
		       "\"2\":9002,\"3\":9003,\"4\":9004,\"5\":9005,\"6\":9006,\"7\":9007}");
	struct fabric fabric;
	_cleanup_json_ json_t *json = must_read("all classes", text, &fabric);

	(void)state;
	for (int class = 0; class < SWITCH_CLASSES; class ++)
		row_opt("all classes", "classMTU", fabric.sw.class_mtu[class],
			(struct opt_int)SET(9000 + class));
}

static void mtus_are_read(void **state)
{
	struct fabric fabric;
	_cleanup_json_ json_t *json =
		must_read("MTUs", "{\"roceMTU\":4096,\"podMTU\":9000,\"pfMTU\":9100}", &fabric);
	_cleanup_json_ json_t *least = NULL;

	(void)state;
	row_opt("MTUs", "roceMTU", fabric.roce_mtu, (struct opt_int)SET(4096));
	row_opt("MTUs", "podMTU", fabric.pod_mtu, (struct opt_int)SET(9000));
	row_opt("MTUs", "pfMTU", fabric.pf_mtu, (struct opt_int)SET(9100));
	for (int roce = 256; roce <= 4096; roce *= 2) {
		_cleanup_json_ json_t *one = NULL;
		char text[32];

		snprintf(text, sizeof(text), "{\"roceMTU\":%d}", roce);
		one = must_read(text, text, &fabric);
		row_opt(text, "roceMTU", fabric.roce_mtu, (struct opt_int)SET(roce));
		row_int(text, "podMTU", fabric.pod_mtu.set, 0);
		row_int(text, "pfMTU", fabric.pf_mtu.set, 0);
	}
	least = must_read("limits", "{\"podMTU\":68,\"pfMTU\":65535}", &fabric);
	row_opt("limits", "podMTU", fabric.pod_mtu, (struct opt_int)SET(68));
	row_opt("limits", "pfMTU", fabric.pf_mtu, (struct opt_int)SET(65535));
}

#define QOS(keys) "{\"qos\":{" keys "}}"
#define VFS(keys) "{\"vfBaseline\":{" keys "}}"

static void baseline_of_vfs_is_read(void **state)
{
	struct fabric fabric;
	const struct settings *vf = &fabric.vf;
	_cleanup_json_ json_t *all = must_read(
		"all of vfBaseline",
		VFS("\"mtu\":1500,\"vlan\":7,\"vlanQoS\":3,\"vlanProto\":\"802.1ad\",\"spoofchk\":\"on\",\"trust\":\"off\","
		    "\"link_state\":\"disable\",\"min_tx_rate\":1,\"max_tx_rate\":2,\"promisc\":false,\"allmulti\":true,"
		    "\"txQLen\":1000"),
		&fabric);
	_cleanup_json_ json_t *none = NULL;

	(void)state;
	row_opt("all", "mtu", vf->mtu, (struct opt_int)SET(1500));
	row_opt("all", "vlan", vf->vlan, (struct opt_int)SET(7));
	row_opt("all", "vlanQoS", vf->vlan_qos, (struct opt_int)SET(3));
	row_opt("all", "vlanProto", vf->vlan_proto, (struct opt_int)SET(0x88a8));
	row_opt("all", "spoofchk", vf->spoofchk, (struct opt_int)SET(1));
	row_opt("all", "trust", vf->trust, (struct opt_int)SET(0));
	row_opt("all", "link_state", vf->link_state, (struct opt_int)SET(SETTING_LINK_DISABLE));
	row_opt("all", "min_tx_rate", vf->min_tx_rate, (struct opt_int)SET(1));
	row_opt("all", "max_tx_rate", vf->max_tx_rate, (struct opt_int)SET(2));
	row_opt("all", "promisc", vf->promisc, (struct opt_int)SET(0));
	row_opt("all", "allmulti", vf->allmulti, (struct opt_int)SET(1));
	row_opt("all", "txQLen", vf->txqlen, (struct opt_int)SET(1000));
	none = must_read("an empty vfBaseline", VFS(""), &fabric);
	for (size_t i = 0, n; i < (setting_table(&n), n); i++)
		row_true(setting_table(&n)[i].name, "is absent", !setting_is_set(vf, &setting_table(&n)[i]));
}

static const struct {
	const char *name, *text;
	struct fabric_qos qos;
} qos_rows[] = {
	{ "none", "{}", { .trust = FABRIC_TRUST_UNSET } },
	{ "empty", QOS(""), { .trust = FABRIC_TRUST_UNSET } },
	{ "class 0", QOS("\"trafficClass\":0"), { .traffic_class = SET(0) } },
	{ "class 7", QOS("\"trafficClass\":7"), { .traffic_class = SET(7) } },
	{ "DSCP 0", QOS("\"dscp\":0"), { .dscp = SET(0) } },
	{ "DSCP 63", QOS("\"dscp\":63"), { .dscp = SET(63) } },
	{ "trust dscp", QOS("\"trust\":\"dscp\""), { .trust = FABRIC_TRUST_DSCP } },
	{ "trust pcp", QOS("\"trust\":\"pcp\""), { .trust = FABRIC_TRUST_PCP } },
	{ "PFC for nothing", QOS("\"pfc\":[]"), { .has_pfc = true } },
	{ "PFC for nothing, with a class",
	  QOS("\"pfc\":[],\"trafficClass\":3"),
	  { .has_pfc = true, .traffic_class = SET(3) } },
	{ "PFC", QOS("\"pfc\":[3]"), { .has_pfc = true, .pfc = 1 << 3 } },
	{ "PFC twice", QOS("\"pfc\":[7,0,7]"), { .has_pfc = true, .pfc = 1 << 7 | 1 } },
	{ "PFC for all", QOS("\"pfc\":[0,1,2,3,4,5,6,7]"), { .has_pfc = true, .pfc = 0xff } },
	{ "PFC with the class",
	  QOS("\"pfc\":[3,4],\"trafficClass\":4"),
	  { .has_pfc = true, .pfc = 1 << 3 | 1 << 4, .traffic_class = SET(4) } },
	{ "ECN", QOS("\"ecn\":true"), { .has_ecn = true, .ecn = true } },
	{ "no ECN", QOS("\"ecn\":false"), { .has_ecn = true } },
	{ "all",
	  QOS("\"trafficClass\":3,\"dscp\":26,\"trust\":\"dscp\",\"pfc\":[3],\"ecn\":true"),
	  { .traffic_class = SET(3),
	    .dscp = SET(26),
	    .trust = FABRIC_TRUST_DSCP,
	    .has_pfc = true,
	    .pfc = 1 << 3,
	    .has_ecn = true,
	    .ecn = true } },
};

static void qos_is_read(void **state)
{
	(void)state;
	for_each_row(row, qos_rows)
	{
		struct fabric fabric;
		const struct fabric_qos *qos = &fabric.qos;
		_cleanup_json_ json_t *json = must_read(row->name, row->text, &fabric);

		row_opt(row->name, "trafficClass", qos->traffic_class, row->qos.traffic_class);
		row_opt(row->name, "dscp", qos->dscp, row->qos.dscp);
		row_int(row->name, "trust", qos->trust, row->qos.trust);
		row_int(row->name, "has_pfc", qos->has_pfc, row->qos.has_pfc);
		row_int(row->name, "pfc", qos->pfc, row->qos.pfc);
		row_int(row->name, "has_ecn", qos->has_ecn, row->qos.has_ecn);
		row_int(row->name, "ecn", qos->ecn, row->qos.ecn);
	}
}

/* ---- the ports ---- */

#define PFS(items) "{\"pfs\":[" items "]}"

static const struct {
	const char *name, *text;
	struct fabric_port port;
	bool on;
} ports[] = {
	{ "no list: any", "{}", { "", "veth0", "", "" }, true },
	{ "empty list: any", "{\"pfs\":[]}", { "", "veth0", "", "" }, true },
	{ "PCI", PFS("{\"pci\":\"0000:3b:00.0\"}"), { "0000:3b:00.0", "x", "ice", "" }, true },
	{ "PCI in capitals",
	  PFS("{\"pci\":\"0000:3B:00.0\"}"),
	  { "0000:3b:00.0", "x", "ice", "" },
	  true },
	{ "another PCI",
	  PFS("{\"pci\":\"0000:3b:00.0\"}"),
	  { "0000:3b:00.1", "x", "ice", "" },
	  false },
	{ "no PCI", PFS("{\"pci\":\"0000:3b:00.0\"}"), { "", "x", "", "" }, false },
	{ "name", PFS("{\"name\":\"ens1f0\"}"), { "", "ens1f0", "", "" }, true },
	{ "longer name", PFS("{\"name\":\"ens1f0\"}"), { "", "ens1f0np0", "", "" }, false },
	{ "pattern *", PFS("{\"name\":\"ens1f*\"}"), { "", "ens1f1np1", "", "" }, true },
	{ "pattern * does not match",
	  PFS("{\"name\":\"ens1f*\"}"),
	  { "", "ens2f0", "", "" },
	  false },
	{ "pattern ?", PFS("{\"name\":\"ens?f0\"}"), { "", "ens2f0", "", "" }, true },
	{ "pattern []", PFS("{\"name\":\"ens[12]f0\"}"), { "", "ens3f0", "", "" }, false },
	{ "driver", PFS("{\"driver\":\"ice\"}"), { "0000:3b:00.0", "x", "ice", "" }, true },
	{ "another driver",
	  PFS("{\"driver\":\"ice\"}"),
	  { "0000:3b:00.0", "ice", "i40e", "ice" },
	  false },
	{ "driver is no pattern",
	  PFS("{\"driver\":\"mlx*\"}"),
	  { "", "x", "mlx5_core", "" },
	  false },
	{ "port name", PFS("{\"physPortName\":\"p0\"}"), { "", "x", "mlx5_core", "p0" }, true },
	{ "another port name",
	  PFS("{\"physPortName\":\"p0\"}"),
	  { "", "p0", "mlx5_core", "p1" },
	  false },
	{ "no port name", PFS("{\"physPortName\":\"p0\"}"), { "", "x", "mlx5_core", "" }, false },
	{ "the last of several",
	  PFS("{\"pci\":\"0000:3b:00.0\"},{\"name\":\"a*\"},{\"driver\":\"ice\"}"),
	  { "0000:3b:00.1", "x", "ice", "" },
	  true },
	{ "none of several",
	  PFS("{\"pci\":\"0000:3b:00.0\"},{\"name\":\"a*\"},{\"driver\":\"ice\"}"),
	  { "0000:3b:00.1", "x", "i40e", "" },
	  false },
};

static void ports_are_matched(void **state)
{
	(void)state;
	for_each_row(row, ports)
	{
		struct fabric fabric;
		_cleanup_json_ json_t *json = must_read(row->name, row->text, &fabric);

		row_int(row->name, "fabric_has()", fabric_has(&fabric, &row->port), row->on);
	}
}

static const struct {
	const char *name, *text; /* two ports */
	bool equal;
} pairs[] = {
	{ "one PCI", PFS("{\"pci\":\"0000:3b:00.0\"},{\"pci\":\"0000:3B:00.0\"}"), true },
	{ "two PCI", PFS("{\"pci\":\"0000:3b:00.0\"},{\"pci\":\"0000:3b:00.1\"}"), false },
	{ "one name", PFS("{\"name\":\"ens1f*\"},{\"name\":\"ens1f*\"}"), true },
	{ "two names", PFS("{\"name\":\"ens1f*\"},{\"name\":\"ens2f*\"}"), false },
	{ "one driver", PFS("{\"driver\":\"ice\"},{\"driver\":\"ice\"}"), true },
	{ "two drivers", PFS("{\"driver\":\"ice\"},{\"driver\":\"igb\"}"), false },
	{ "one port name", PFS("{\"physPortName\":\"p0\"},{\"physPortName\":\"p0\"}"), true },
	{ "two port names", PFS("{\"physPortName\":\"p0\"},{\"physPortName\":\"p1\"}"), false },
	{ "name and driver", PFS("{\"name\":\"ice\"},{\"driver\":\"ice\"}"), false },
	{ "name and port name", PFS("{\"name\":\"p0\"},{\"physPortName\":\"p0\"}"), false },
	{ "PCI and name", PFS("{\"pci\":\"0000:3b:00.0\"},{\"name\":\"0000:3b:00.0\"}"), false },
};

static void ports_are_compared(void **state)
{
	(void)state;
	for_each_row(row, pairs)
	{
		struct fabric fabric;
		_cleanup_json_ json_t *json = must_read(row->name, row->text, &fabric);

		row_int(row->name, "ports", (long long)fabric.n_pfs, 2);
		row_int(row->name, "equal", fabric_pf_equal(&fabric.pfs[0], &fabric.pfs[1]),
			row->equal);
		row_int(row->name, "the other way", fabric_pf_equal(&fabric.pfs[1], &fabric.pfs[0]),
			row->equal);
	}
}

/* ---- what the switches permit ---- */

/* By tags of the frames as they leave the port; needs: for netdev MTU 9000. */
static const struct {
	const char *name, *text;
	int permits[3], permits_roce[3], needs[3];
} permitted[] = {
	{ "l3",
	  SWITCH("\"mtu\":9216,\"semantics\":\"l3\""),
	  { 9216, 9216, 9212 },
	  { 9216, 9216, 9212 },
	  { 9000, 9000, 9004 } },
	{ "l2hdr",
	  SWITCH("\"mtu\":9216,\"semantics\":\"l2hdr\""),
	  { 9202, 9198, 9194 },
	  { 9202, 9198, 9194 },
	  { 9014, 9018, 9022 } },
	{ "l2frame",
	  SWITCH("\"mtu\":9216,\"semantics\":\"l2frame\""),
	  { 9198, 9194, 9190 },
	  { 9198, 9194, 9190 },
	  { 9018, 9022, 9026 } },
	{ "as delivered",
	  SWITCH("\"platform\":\"sonic\""),
	  { 9100, 9100, 9096 },
	  { 9100, 9100, 9096 },
	  { 9000, 9000, 9004 } },
	{ "a tag between the switches",
	  SWITCH("\"mtu\":9216,\"semantics\":\"l2frame\",\"tags\":1"),
	  { 9194, 9194, 9190 },
	  { 9194, 9194, 9190 },
	  { 9022, 9022, 9026 } },
	{ "two tags between the switches",
	  SWITCH("\"mtu\":9216,\"semantics\":\"l3\",\"tags\":2"),
	  { 9212, 9212, 9212 },
	  { 9212, 9212, 9212 },
	  { 9004, 9004, 9004 } },
	{ "VXLAN",
	  SWITCH("\"mtu\":9216,\"semantics\":\"l3\",\"encapsulation\":50"),
	  { 9166, 9166, 9162 },
	  { 9166, 9166, 9162 },
	  { 9050, 9050, 9054 } },
	{ "VXLAN over IPv6, tagged, whole frames",
	  SWITCH("\"mtu\":9216,\"semantics\":\"l2frame\",\"encapsulation\":70,\"tags\":1"),
	  { 9124, 9124, 9120 },
	  { 9124, 9124, 9120 },
	  { 9092, 9092, 9096 } },
	/* without RoCE's class, a packet may be in any: the least counts */
	{ "a class that is smaller",
	  SWITCH("\"mtu\":9216,\"semantics\":\"l3\",\"classMTU\":{\"5\":4300,\"6\":4400}"),
	  { 4300, 4300, 4296 },
	  { 4300, 4300, 4296 },
	  { 9000, 9000, 9004 } },
	{ "a class that is larger",
	  SWITCH("\"mtu\":1500,\"semantics\":\"l3\",\"classMTU\":{\"3\":4300}"),
	  { 1500, 1500, 1496 },
	  { 1500, 1500, 1496 },
	  { 9000, 9000, 9004 } },
	{ "RoCE's class is smaller",
	  "{\"switch\":{\"mtu\":9216,\"semantics\":\"l3\",\"classMTU\":{\"3\":4300}},"
	  "\"qos\":{\"trafficClass\":3}}",
	  { 9216, 9216, 9212 },
	  { 4300, 4300, 4296 },
	  { 9000, 9000, 9004 } },
	{ "RoCE's class is larger",
	  "{\"switch\":{\"mtu\":1500,\"semantics\":\"l2hdr\",\"classMTU\":{\"3\":4300}},"
	  "\"qos\":{\"trafficClass\":3}}",
	  { 1486, 1482, 1478 },
	  { 4286, 4282, 4278 },
	  { 9014, 9018, 9022 } },
	{ "another class is smaller",
	  "{\"switch\":{\"mtu\":9216,\"semantics\":\"l3\",\"classMTU\":{\"0\":1500}},"
	  "\"qos\":{\"trafficClass\":3}}",
	  { 1500, 1500, 1496 },
	  { 9216, 9216, 9212 },
	  { 9000, 9000, 9004 } },
	{ "RoCE's class and a smaller one, a tunnel",
	  "{\"switch\":{\"mtu\":9216,\"semantics\":\"l2frame\",\"encapsulation\":50,"
	  "\"classMTU\":{\"0\":4400,\"7\":4500}},\"qos\":{\"trafficClass\":0}}",
	  { 4432, 4428, 4424 },
	  { 4332, 4328, 4324 },
	  { 9068, 9072, 9076 } },
	{ "every class has its own",
	  "{\"switch\":{\"mtu\":68,\"semantics\":\"l3\",\"classMTU\":{\"0\":9000,\"1\":9001,"
	  "\"2\":9002,\"3\":9003,\"4\":9004,\"5\":9005,\"6\":9006,\"7\":9007}},"
	  "\"qos\":{\"trafficClass\":7}}",
	  { 9000, 9000, 8996 },
	  { 9007, 9007, 9003 },
	  { 9000, 9000, 9004 } },
};

static void permitted_is_what_fits(void **state)
{
	(void)state;
	for_each_row(row, permitted)
	{
		struct fabric fabric;
		_cleanup_json_ json_t *json = must_read(row->name, row->text, &fabric);

		for (int tags = 0; tags <= 2; tags++) {
			row_int(row->name, "fabric_permits()", fabric_permits(&fabric, tags),
				row->permits[tags]);
			row_int(row->name, "fabric_permits_roce()",
				fabric_permits_roce(&fabric, tags), row->permits_roce[tags]);
			row_int(row->name, "fabric_needs()", fabric_needs(&fabric, 9000, tags),
				row->needs[tags]);
		}
	}
}

/* ---- what is refused ---- */

#define L3 "\"mtu\":9216,\"semantics\":\"l3\""
#define CLASS_3(mtu) "\"switch\":{" L3 ",\"classMTU\":{\"3\":" mtu "}},\"qos\":{\"trafficClass\":3}"

struct refused_row {
	const char *name, *text;
	const char *part[2]; /* of the message */
};

/* A value of the wrong type. */
static const struct refused_row wrong_type[] = {
	{ "switch", "{\"switch\":9216}", { "fabrics.a.switch: must be an object, is an integer" } },
	{ "switch null", "{\"switch\":null}", { "fabrics.a.switch: must be an object, is null" } },
	{ "switch.mtu",
	  SWITCH("\"mtu\":\"9216\",\"semantics\":\"l3\""),
	  { "fabrics.a.switch.mtu: must be an integer, is a string" } },
	{ "switch.semantics",
	  SWITCH("\"mtu\":9216,\"semantics\":3"),
	  { "fabrics.a.switch.semantics: must be a string, is an integer" } },
	{ "switch.platform",
	  SWITCH("\"platform\":[\"sonic\"]"),
	  { "fabrics.a.switch.platform: must be a string, is an array" } },
	{ "switch.tags",
	  SWITCH(L3 ",\"tags\":true"),
	  { "fabrics.a.switch.tags: must be an integer, is true" } },
	{ "switch.encapsulation",
	  SWITCH(L3 ",\"encapsulation\":\"vxlan\""),
	  { "fabrics.a.switch.encapsulation: must be an integer, is a string" } },
	{ "switch.classMTU",
	  SWITCH(L3 ",\"classMTU\":[9216]"),
	  { "fabrics.a.switch.classMTU: must be an object, is an array" } },
	{ "switch.classMTU.3",
	  SWITCH(L3 ",\"classMTU\":{\"3\":\"4300\"}"),
	  { "fabrics.a.switch.classMTU.3: must be an integer, is a string" } },
	{ "roceMTU", "{\"roceMTU\":\"4096\"}", { "fabrics.a.roceMTU: must be an integer" } },
	{ "podMTU", "{\"podMTU\":9000.5}", { "fabrics.a.podMTU: must be an integer, is a real" } },
	{ "pfMTU", "{\"pfMTU\":{}}", { "fabrics.a.pfMTU: must be an integer, is an object" } },
	{ "qos", "{\"qos\":3}", { "fabrics.a.qos: must be an object, is an integer" } },
	{ "qos.trafficClass",
	  QOS("\"trafficClass\":\"3\""),
	  { "fabrics.a.qos.trafficClass: must be an integer, is a string" } },
	{ "qos.dscp", QOS("\"dscp\":\"26\""), { "fabrics.a.qos.dscp: must be an integer" } },
	{ "qos.trust", QOS("\"trust\":1"), { "fabrics.a.qos.trust: must be a string" } },
	{ "qos.pfc", QOS("\"pfc\":3"), { "fabrics.a.qos.pfc: must be an array, is an integer" } },
	{ "qos.pfc[1]",
	  QOS("\"pfc\":[3,\"4\"]"),
	  { "fabrics.a.qos.pfc[1]: must be an integer, is a string" } },
	{ "qos.ecn",
	  QOS("\"ecn\":1"),
	  { "fabrics.a.qos.ecn: must be true or false, is an integer" } },
	{ "vfBaseline",
	  "{\"vfBaseline\":[]}",
	  { "fabrics.a.vfBaseline: must be an object, is an array" } },
	{ "vfBaseline.trust",
	  VFS("\"trust\":false"),
	  { "fabrics.a.vfBaseline.trust: must be a string, is false" } },
	{ "vfBaseline.promisc",
	  VFS("\"promisc\":\"off\""),
	  { "fabrics.a.vfBaseline.promisc: must be true or false, is a string" } },
	{ "vfBaseline.mtu",
	  VFS("\"mtu\":\"1500\""),
	  { "fabrics.a.vfBaseline.mtu: must be an integer, is a string" } },
	{ "pfs", "{\"pfs\":{}}", { "fabrics.a.pfs: must be an array, is an object" } },
	{ "pfs[0]", PFS("\"ens1f0\""), { "fabrics.a.pfs[0]: must be an object, is a string" } },
	{ "pfs[1].pci",
	  PFS("{\"name\":\"a\"},{\"pci\":3}"),
	  { "fabrics.a.pfs[1].pci: must be a string, is an integer" } },
	{ "pfs[0].name", PFS("{\"name\":[]}"), { "fabrics.a.pfs[0].name: must be a string" } },
	{ "pfs[0].driver",
	  PFS("{\"driver\":null}"),
	  { "fabrics.a.pfs[0].driver: must be a string" } },
	{ "pfs[0].physPortName",
	  PFS("{\"physPortName\":0}"),
	  { "fabrics.a.pfs[0].physPortName: must be a string" } },
};

/* A key that does not exist, and what was meant. */
static const struct refused_row unknown_key[] = {
	{ "podMtuu",
	  "{\"podMtuu\":1}",
	  { "unknown key \"fabrics.a.podMtuu\"", "did you mean \"podMTU\"?" } },
	{ "pfMtu", "{\"pfMtu\":1}", { "unknown key \"fabrics.a.pfMtu\"", "\"pfMTU\"?" } },
	{ "roceMtu", "{\"roceMtu\":1}", { "unknown key \"fabrics.a.roceMtu\"", "\"roceMTU\"?" } },
	{ "vfBaseline.mac",
	  VFS("\"mac\":\"02:00:5e:00:53:01\""),
	  { "unknown key \"fabrics.a.vfBaseline.mac\"" } },
	{ "vfBaseline.sysctl",
	  VFS("\"sysctl\":{}"),
	  { "unknown key \"fabrics.a.vfBaseline.sysctl\"" } },
	{ "vfBaseline.spoofChk",
	  VFS("\"spoofChk\":\"on\""),
	  { "unknown key \"fabrics.a.vfBaseline.spoofChk\"", "did you mean \"spoofchk\"?" } },
	{ "vfbaseline", "{\"vfbaseline\":{}}", { "unknown key", "\"vfBaseline\"?" } },
	{ "pf", "{\"pf\":[]}", { "unknown key \"fabrics.a.pf\"", "did you mean \"pfs\"?" } },
	{ "swich", "{\"swich\":{}}", { "unknown key \"fabrics.a.swich\"", "\"switch\"?" } },
	{ "qs", "{\"qs\":{}}", { "unknown key \"fabrics.a.qs\"", "did you mean \"qos\"?" } },
	{ "switch.semantic",
	  SWITCH("\"mtu\":9216,\"semantic\":\"l3\""),
	  { "unknown key \"fabrics.a.switch.semantic\"", "did you mean \"semantics\"?" } },
	{ "switch.plattform",
	  SWITCH("\"plattform\":\"sonic\""),
	  { "unknown key \"fabrics.a.switch.plattform\"", "did you mean \"platform\"?" } },
	{ "switch.tag", SWITCH(L3 ",\"tag\":1"), { "\"fabrics.a.switch.tag\"", "\"tags\"?" } },
	{ "switch.encap", SWITCH(L3 ",\"encap\":1"), { "unknown key \"fabrics.a.switch.encap\"" } },
	{ "switch.classMtus",
	  SWITCH(L3 ",\"classMtus\":{}"),
	  { "\"fabrics.a.switch.classMtus\"", "did you mean \"classMTU\"?" } },
	{ "switch.classMTU.8",
	  SWITCH(L3 ",\"classMTU\":{\"8\":9000}"),
	  { "unknown key \"fabrics.a.switch.classMTU.8\"" } },
	{ "switch.classMTU.03",
	  SWITCH(L3 ",\"classMTU\":{\"03\":9000}"),
	  { "\"fabrics.a.switch.classMTU.03\"" } },
	{ "qos.trafficclass",
	  QOS("\"trafficclass\":3"),
	  { "\"fabrics.a.qos.trafficclass\"", "did you mean \"trafficClass\"?" } },
	{ "qos.pfcs", QOS("\"pfcs\":[3]"), { "\"fabrics.a.qos.pfcs\"", "did you mean \"pfc\"?" } },
	{ "pfs[0].drver",
	  PFS("{\"drver\":\"x\"}"),
	  { "unknown key \"fabrics.a.pfs[0].drver\"", "did you mean \"driver\"?" } },
	{ "pfs[0].physPort",
	  PFS("{\"physPortNme\":\"p0\"}"),
	  { "\"fabrics.a.pfs[0].physPortNme\"", "did you mean \"physPortName\"?" } },
};

/* A value that is none of those allowed. */
static const struct refused_row out_of_range[] = {
	{ "switch.mtu 67",
	  SWITCH("\"mtu\":67,\"semantics\":\"l3\""),
	  { "fabrics.a.switch.mtu: 67 is not a netdev MTU in bytes: it must be 68 to 65535" } },
	{ "switch.mtu 65536",
	  SWITCH("\"mtu\":65536,\"semantics\":\"l3\""),
	  { "fabrics.a.switch.mtu: 65536", "68 to 65535" } },
	{ "switch.mtu 2^32 + 9216",
	  SWITCH("\"mtu\":4294976512,\"semantics\":\"l3\""),
	  { "fabrics.a.switch.mtu: 4294976512" } },
	{ "switch.semantics",
	  SWITCH("\"mtu\":9216,\"semantics\":\"L3\""),
	  { "fabrics.a.switch.semantics: \"L3\" is not known",
	    "\"l3\" (the number counts the IP packet), \"l2hdr\" (and the Ethernet header) or "
	    "\"l2frame\" (and the FCS)" } },
	{ "switch.semantics empty",
	  SWITCH("\"mtu\":9216,\"semantics\":\"\""),
	  { "fabrics.a.switch.semantics: \"\" is not known" } },
	{ "switch.platform misspelled",
	  SWITCH("\"platform\":\"sonik\""),
	  { "fabrics.a.switch.platform: \"sonik\" is not known; did you mean \"sonic\"?" } },
	{ "switch.platform misspelled, the last of the table",
	  SWITCH("\"platform\":\"srlinx\""),
	  { "did you mean \"srlinux\"?" } },
	{ "switch.platform unknown",
	  SWITCH("\"platform\":\"fboss-wedge\""),
	  { "fabrics.a.switch.platform: \"fboss-wedge\" is not known; write \"semantics\" "
	    "instead" } },
	{ "switch.tags -1",
	  SWITCH(L3 ",\"tags\":-1"),
	  { "fabrics.a.switch.tags: -1 is not a number of VLAN tags: it must be 0 to 2" } },
	{ "switch.tags 3", SWITCH(L3 ",\"tags\":3"), { "fabrics.a.switch.tags: 3", "0 to 2" } },
	{ "switch.encapsulation -1",
	  SWITCH(L3 ",\"encapsulation\":-1"),
	  { "fabrics.a.switch.encapsulation: -1 is not a number of bytes: it must be 0 to 256" } },
	{ "switch.encapsulation 257",
	  SWITCH(L3 ",\"encapsulation\":257"),
	  { "fabrics.a.switch.encapsulation: 257", "0 to 256" } },
	{ "switch.classMTU 67",
	  SWITCH(L3 ",\"classMTU\":{\"0\":67}"),
	  { "fabrics.a.switch.classMTU.0: 67", "68 to 65535" } },
	{ "roceMTU 4200",
	  "{\"roceMTU\":4200}",
	  { "fabrics.a.roceMTU: 4200 is not a RoCE path MTU: it must be 256, 512, 1024, 2048 or "
	    "4096",
	    "the netdev MTU is \"mtu\"" } },
	{ "roceMTU 128", "{\"roceMTU\":128}", { "fabrics.a.roceMTU: 128" } },
	{ "roceMTU 8192", "{\"roceMTU\":8192}", { "fabrics.a.roceMTU: 8192" } },
	{ "roceMTU 0", "{\"roceMTU\":0}", { "fabrics.a.roceMTU: 0" } },
	{ "podMTU 67", "{\"podMTU\":67}", { "fabrics.a.podMTU: 67", "68 to 65535" } },
	{ "podMTU 65536", "{\"podMTU\":65536}", { "fabrics.a.podMTU: 65536" } },
	{ "pfMTU 67", "{\"pfMTU\":67}", { "fabrics.a.pfMTU: 67", "68 to 65535" } },
	{ "pfMTU 65536", "{\"pfMTU\":65536}", { "fabrics.a.pfMTU: 65536" } },
	{ "qos.trafficClass 8",
	  QOS("\"trafficClass\":8"),
	  { "fabrics.a.qos.trafficClass: 8 is not a traffic class: it must be 0 to 7" } },
	{ "qos.trafficClass -1", QOS("\"trafficClass\":-1"), { "fabrics.a.qos.trafficClass: -1" } },
	{ "qos.dscp 64",
	  QOS("\"dscp\":64"),
	  { "fabrics.a.qos.dscp: 64 is not a DSCP: it must be 0 to 63" } },
	{ "qos.dscp -1", QOS("\"dscp\":-1"), { "fabrics.a.qos.dscp: -1" } },
	{ "qos.trust",
	  QOS("\"trust\":\"DSCP\""),
	  { "fabrics.a.qos.trust: \"DSCP\" is not known; it must be \"pcp\" or \"dscp\"" } },
	{ "qos.pfc 8", QOS("\"pfc\":[8]"), { "fabrics.a.qos.pfc[0]: 8 is not a traffic class" } },
	{ "qos.pfc, nine of them",
	  QOS("\"pfc\":[0,1,2,3,4,5,6,7,0]"),
	  { "fabrics.a.qos.pfc: has 9 elements, at most 8" } },
	{ "pfs, an empty entry",
	  PFS("{}"),
	  { "fabrics.a.pfs[0]: needs exactly one of \"pci\", \"name\", \"driver\" and "
	    "\"physPortName\"" } },
	{ "pfs, two members",
	  PFS("{\"name\":\"a\"},{\"name\":\"b\",\"driver\":\"c\"}"),
	  { "fabrics.a.pfs[1]: needs exactly one" } },
	{ "pfs, PCI and port name",
	  PFS("{\"pci\":\"0000:3b:00.0\",\"physPortName\":\"p0\"}"),
	  { "fabrics.a.pfs[0]: needs exactly one" } },
	{ "vfBaseline.mtu",
	  VFS("\"mtu\":67"),
	  { "fabrics.a.vfBaseline.mtu: 67 is not a netdev MTU" } },
	{ "vfBaseline.vlan", VFS("\"vlan\":4095"), { "fabrics.a.vfBaseline.vlan: 4095" } },
	{ "vfBaseline.link_state",
	  VFS("\"link_state\":\"up\""),
	  { "fabrics.a.vfBaseline.link_state: \"up\" is not known" } },
	{ "pfs, a bad PCI address",
	  PFS("{\"pci\":\"3b:00.0\"}"),
	  { "fabrics.a.pfs[0].pci: \"3b:00.0\" is not a PCI address such as \"0000:3b:00.0\"" } },
	{ "pfs, an empty name",
	  PFS("{\"name\":\"\"}"),
	  { "fabrics.a.pfs[0].name: must not be empty" } },
	{ "pfs, an empty driver",
	  PFS("{\"driver\":\"\"}"),
	  { "fabrics.a.pfs[0].driver: must not be empty" } },
	{ "pfs, an empty port name",
	  PFS("{\"physPortName\":\"\"}"),
	  { "fabrics.a.pfs[0].physPortName: must not be empty" } },
};

/* Keys that contradict each other, one byte past the limit; what is consistent is below. */
static const struct refused_row contradiction[] = {
	{ "vfBaseline, rates",
	  VFS("\"min_tx_rate\":2,\"max_tx_rate\":1"),
	  { "fabrics.a.vfBaseline.min_tx_rate: must not be more than \"max_tx_rate\"" } },
	{ "vfBaseline, a tag of no VLAN",
	  VFS("\"vlanProto\":\"802.1q\""),
	  { "fabrics.a.vfBaseline.vlanProto: needs \"vlan\"" } },
	{ "switch, nothing in it",
	  SWITCH(""),
	  { "fabrics.a.switch: needs both \"mtu\" and \"semantics\" (or \"platform\")" } },
	{ "switch without semantics",
	  SWITCH("\"mtu\":9216"),
	  { "fabrics.a.switch: needs both", "vendors count different bytes in that number" } },
	{ "switch without mtu",
	  SWITCH("\"semantics\":\"l3\""),
	  { "fabrics.a.switch: needs both" } },
	{ "switch with only tags", SWITCH("\"tags\":1"), { "fabrics.a.switch: needs both" } },
	{ "a platform without a factory setting",
	  SWITCH("\"platform\":\"os9\""),
	  { "fabrics.a.switch: needs \"mtu\": platform \"os9\" is delivered with different "
	    "ones" } },
	{ "srlinux without mtu",
	  SWITCH("\"platform\":\"srlinux\""),
	  { "needs \"mtu\"", "srlinux" } },
	{ "os10 without mtu", SWITCH("\"platform\":\"os10\""), { "needs \"mtu\"", "os10" } },
	{ "platform against semantics",
	  SWITCH("\"platform\":\"sonic\",\"semantics\":\"l2frame\""),
	  { "fabrics.a.switch: \"semantics\": \"l2frame\" contradicts \"platform\": \"sonic\", "
	    "whose MTU is \"l3\"; keep one" } },
	{ "platform against l3, the first of them",
	  SWITCH("\"semantics\":\"l3\",\"platform\":\"junos\",\"mtu\":9216"),
	  { "\"semantics\": \"l3\" contradicts \"platform\": \"junos\"", "\"l2hdr\"" } },
	{ "sonic above its range",
	  SWITCH("\"platform\":\"sonic\",\"mtu\":9217"),
	  { "fabrics.a.switch: mtu 9217 cannot be set on platform \"sonic\": it takes 68 to "
	    "9216" } },
	{ "eos above its range",
	  SWITCH("\"platform\":\"eos\",\"mtu\":9215"),
	  { "mtu 9215 cannot be set on platform \"eos\": it takes 68 to 9214" } },
	{ "cumulus above its range",
	  SWITCH("\"platform\":\"cumulus\",\"mtu\":9217"),
	  { "mtu 9217", "it takes 68 to 9216" } },
	{ "os9 below its range",
	  SWITCH("\"platform\":\"os9\",\"mtu\":591"),
	  { "mtu 591 cannot be set on platform \"os9\": it takes 592 to 12000" } },
	{ "os9 above its range", SWITCH("\"platform\":\"os9\",\"mtu\":12001"), { "mtu 12001" } },
	{ "vrp below its range",
	  SWITCH("\"platform\":\"vrp\",\"mtu\":1535"),
	  { "mtu 1535", "1536 to 12288" } },
	{ "junos below its range",
	  SWITCH("\"platform\":\"junos\",\"mtu\":255"),
	  { "256 to 9216" } },
	{ "a class above the platform's range",
	  SWITCH("\"platform\":\"nxos\",\"mtu\":9216,\"classMTU\":{\"7\":9217}"),
	  { "fabrics.a.switch: classMTU 9217 cannot be set on platform \"nxos\"" } },
	{ "a class below the platform's range",
	  SWITCH("\"platform\":\"os9\",\"mtu\":9216,\"classMTU\":{\"0\":591}"),
	  { "classMTU 591 cannot be set on platform \"os9\"" } },
	{ "roceMTU above podMTU",
	  "{\"roceMTU\":4096,\"podMTU\":4191}",
	  { "fabrics.a: roceMTU 4096 needs 4192, more than podMTU 4191" } },
	{ "roceMTU above pfMTU",
	  "{\"roceMTU\":4096,\"pfMTU\":4191}",
	  { "fabrics.a: roceMTU 4096 needs 4192, more than pfMTU 4191" } },
	{ "podMTU above pfMTU",
	  "{\"podMTU\":9001,\"pfMTU\":9000}",
	  { "fabrics.a: podMTU 9001 needs 9001, more than pfMTU 9000" } },
	{ "roceMTU above the switch",
	  "{\"roceMTU\":4096,\"switch\":{\"mtu\":4209,\"semantics\":\"l2frame\"}}",
	  { "fabrics.a: roceMTU 4096 needs 4192, more than the netdev MTU that \"switch\" permits, "
	    "4191" } },
	{ "podMTU above the switch",
	  "{\"podMTU\":9199,\"switch\":{\"mtu\":9216,\"semantics\":\"l2frame\"}}",
	  { "fabrics.a: podMTU 9199", "that \"switch\" permits, 9198" } },
	{ "pfMTU above the switch",
	  "{\"pfMTU\":9217,\"switch\":{" L3 "}}",
	  { "fabrics.a: pfMTU 9217", "that \"switch\" permits, 9216" } },
	{ "podMTU above the switch, by the tags between them",
	  "{\"podMTU\":9213,\"switch\":{" L3 ",\"tags\":2}}",
	  { "podMTU 9213", "permits, 9212" } },
	{ "podMTU above the switch, by the tunnel",
	  "{\"podMTU\":9167,\"switch\":{" L3 ",\"encapsulation\":50}}",
	  { "podMTU 9167", "permits, 9166" } },
	{ "podMTU above what the platform is delivered with",
	  "{\"podMTU\":9101,\"switch\":{\"platform\":\"sonic\"}}",
	  { "podMTU 9101", "permits, 9100" } },
	{ "podMTU above a class",
	  "{\"podMTU\":9000,\"switch\":{" L3 ",\"classMTU\":{\"1\":8999}}}",
	  { "podMTU 9000", "permits, 8999" } },
	{ "RoCE's class too small",
	  "{\"roceMTU\":4096," CLASS_3("4183") "}",
	  { "fabrics.a: roceMTU 4096 needs 4184, more than what \"switch\" permits in "
	    "\"qos.trafficClass\", 4183" } },
	{ "PFC for others",
	  QOS("\"trafficClass\":3,\"pfc\":[2,4]"),
	  { "fabrics.a.qos: \"pfc\" pauses other priorities than RoCE's \"trafficClass\": 3" } },
	{ "PFC for others, class 0",
	  QOS("\"pfc\":[1],\"trafficClass\":0"),
	  { "\"trafficClass\": 0" } },
};

static const struct {
	const struct refused_row *rows;
	size_t n;
	enum err_code code;
} refused[] = {
	{ wrong_type, ARRAY_SIZE(wrong_type), CNI_DECODING_FAILURE },
	{ unknown_key, ARRAY_SIZE(unknown_key), CNI_CONFIG_INVALID },
	{ out_of_range, ARRAY_SIZE(out_of_range), CNI_CONFIG_INVALID },
	{ contradiction, ARRAY_SIZE(contradiction), CNI_CONFIG_INVALID },
};

/* One test a row: a row that fails hides no other. */
static void is_refused(void **state)
{
	const struct refused_row *row = *state;
	_cleanup_json_ json_t *json = NULL;
	struct fabric fabric;
	struct err err = { 0 };

	row_true(row->name, "refused", read_text(row->text, &json, &fabric, &err) < 0);
	for_each_row(set, refused) if (row >= set->rows && row < set->rows + set->n)
		row_int(row->name, "code", err.code, set->code);
	for (size_t i = 0; i < ARRAY_SIZE(row->part); i++)
		row_part(row->name, "message", err.msg, row->part[i]);
}

/* The last value before each contradiction. */
static const struct {
	const char *name, *text;
} fitting[] = {
	{ "roceMTU and podMTU", "{\"roceMTU\":4096,\"podMTU\":4192}" },
	{ "roceMTU and pfMTU", "{\"roceMTU\":4096,\"pfMTU\":4192}" },
	{ "podMTU and pfMTU", "{\"podMTU\":9000,\"pfMTU\":9000}" },
	{ "roceMTU and switch",
	  "{\"roceMTU\":4096,\"switch\":{\"mtu\":4210,\"semantics\":\"l2frame\"}}" },
	{ "podMTU and switch",
	  "{\"podMTU\":9198,\"switch\":{\"mtu\":9216,\"semantics\":\"l2frame\"}}" },
	{ "pfMTU and switch", "{\"pfMTU\":9216,\"switch\":{" L3 "}}" },
	{ "podMTU and tags", "{\"podMTU\":9212,\"switch\":{" L3 ",\"tags\":2}}" },
	{ "podMTU and a tunnel", "{\"podMTU\":9166,\"switch\":{" L3 ",\"encapsulation\":50}}" },
	{ "podMTU as delivered", "{\"podMTU\":9100,\"switch\":{\"platform\":\"sonic\"}}" },
	{ "podMTU and a class", "{\"podMTU\":9000,\"switch\":{" L3 ",\"classMTU\":{\"1\":9000}}}" },
	{ "RoCE's class", "{\"roceMTU\":4096," CLASS_3("4184") "}" },
	{ "podMTU above RoCE's class", "{\"roceMTU\":4096,\"podMTU\":9000," CLASS_3("4184") "}" },
	{ "a class at the platform's maximum",
	  SWITCH("\"platform\":\"nxos\",\"mtu\":1500,\"classMTU\":{\"7\":9216}") },
	{ "a platform without a range", SWITCH("\"platform\":\"os10\",\"mtu\":65535") },
};

static void fitting_is_accepted(void **state)
{
	(void)state;
	for_each_row(row, fitting)
	{
		struct fabric fabric;

		json_decref(must_read(row->name, row->text, &fabric));
	}
}

/* ---- the readers that networks use, too ---- */

static void single_readers_hold(void **state)
{
	_cleanup_json_ json_t *low = json_integer(67), *high = json_integer(65536);
	struct opt_int mtu = UNSET;
	struct err err = { 0 };

	(void)state;
	assert_true(fabric_read_mtu(low, "mtu", &mtu, &err) < 0);
	assert_string_equal(err.msg,
			    "mtu: 67 is not a netdev MTU in bytes: it must be 68 to 65535");
	err = (struct err){ 0 };
	assert_true(fabric_read_mtu(high, "mtu", &mtu, &err) < 0);
	err = (struct err){ 0 };
	assert_true(fabric_read_roce_mtu(low, "roceMTU", &mtu, &err) < 0);
	assert_int_equal(err.code, CNI_CONFIG_INVALID);
	assert_false(mtu.set);
	for (int value = 68; value <= 65535; value++) {
		_cleanup_json_ json_t *json = json_integer(value);

		assert_int_equal(fabric_read_mtu(json, "mtu", &mtu, &err), 0);
		assert_true(mtu.set && mtu.value == value);
	}
}

static const struct CMUnitTest fixed[] = {
	cmocka_unit_test(switches_are_read),	  cmocka_unit_test(class_mtus_are_read),
	cmocka_unit_test(baseline_of_vfs_is_read), cmocka_unit_test(mtus_are_read),	  cmocka_unit_test(qos_is_read),
	cmocka_unit_test(ports_are_matched),	  cmocka_unit_test(ports_are_compared),
	cmocka_unit_test(permitted_is_what_fits), cmocka_unit_test(fitting_is_accepted),
	cmocka_unit_test(single_readers_hold),
};

enum {
	N_REFUSED = ARRAY_SIZE(wrong_type) + ARRAY_SIZE(unknown_key) + ARRAY_SIZE(out_of_range) +
		    ARRAY_SIZE(contradiction)
};

int main(void)
{
	static struct CMUnitTest tests[ARRAY_SIZE(fixed) + N_REFUSED];
	struct CMUnitTest *next = tests + ARRAY_SIZE(fixed);

	memcpy(tests, fixed, sizeof(fixed));
	for_each_row(set, refused)
	{
		row_tests_of(next, "refused", set->rows, set->n, sizeof(*set->rows),
			     offsetof(__typeof__(*set->rows), name), is_refused);
		next += set->n;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
