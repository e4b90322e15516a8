// SPDX-License-Identifier: Apache-2.0
/* The MTU engine: arithmetic by tables, every rule broken alone, a property by brute force. */
#include "conf/mtu.h"

#include "tests/unit/row.h"

#include <stdio.h>

#define SET(n)                                                                                     \
	{                                                                                          \
		true, (n)                                                                          \
	}

/* ---- RoCE path MTU and netdev MTU ---- */

static const struct {
	int roce, least, below; /* path MTU, least netdev MTU for it, path MTU one byte below */
} thresholds[] = {
	{ 4096, 4192, 2048 }, { 2048, 2144, 1024 }, { 1024, 1120, 512 },
	{ 512, 608, 256 },    { 256, 352, 0 },
};

static void thresholds_hold(void **state)
{
	(void)state;
	for_each_row(row, thresholds)
	{
		char name[32];

		snprintf(name, sizeof(name), "%d", row->roce);
		row_int(name, "mtu_roce_need()", mtu_roce_need(row->roce), row->least);
		row_int(name, "active at T", mtu_roce_active(row->least), row->roce);
		row_int(name, "active at T+1", mtu_roce_active(row->least + 1), row->roce);
		row_int(name, "active at T-1", mtu_roce_active(row->least - 1), row->below);
	}
}

static const struct {
	int netdev, roce;
} vectors[] = {
	{ 1280, 1024 }, { 1500, 1024 }, { 1600, 1024 }, { 2048, 1024 },	 { 2200, 2048 },
	{ 4096, 2048 }, { 4176, 2048 }, { 4191, 2048 }, { 4192, 4096 },	 { 4200, 4096 },
	{ 4220, 4096 }, { 8896, 4096 }, { 9000, 4096 }, { 9100, 4096 },	 { 9216, 4096 },
	{ 2143, 1024 }, { 1119, 512 },	{ 607, 256 },	{ 351, 0 },	 { 68, 0 },
	{ 0, 0 },	{ -1, 0 },	{ 9978, 4096 }, { 65535, 4096 },
};

static void vectors_hold(void **state)
{
	(void)state;
	for_each_row(row, vectors)
	{
		char name[32];

		snprintf(name, sizeof(name), "netdev MTU %d", row->netdev);
		row_int(name, "mtu_roce_active()", mtu_roce_active(row->netdev), row->roce);
	}
}

/* ---- switch semantics ---- */

/* The switch MTU that a netdev MTU needs, by 0, 1 and 2 tags. */
static const struct {
	const char *name;
	enum switch_semantics semantics;
	int netdev, needs[3];
} switch_needs[] = {
	{ "l3 4200", SWITCH_L3, 4200, { 4200, 4200, 4204 } },
	{ "l3 9000", SWITCH_L3, 9000, { 9000, 9000, 9004 } },
	{ "l2hdr 4200", SWITCH_L2HDR, 4200, { 4214, 4218, 4222 } },
	{ "l2hdr 9000", SWITCH_L2HDR, 9000, { 9014, 9018, 9022 } },
	{ "l2frame 4200", SWITCH_L2FRAME, 4200, { 4218, 4222, 4226 } },
	{ "l2frame 9000", SWITCH_L2FRAME, 9000, { 9018, 9022, 9026 } },
	{ "l3 9216", SWITCH_L3, 9216, { 9216, 9216, 9220 } },
};

/* The netdev MTU that a switch MTU permits, by 0, 1 and 2 tags. */
static const struct {
	const char *name;
	enum switch_semantics semantics;
	int configured, permits[3];
} switch_permits[] = {
	{ "l3 9216", SWITCH_L3, 9216, { 9216, 9216, 9212 } },
	{ "l3 9100, SONiC's default", SWITCH_L3, 9100, { 9100, 9100, 9096 } },
	{ "l2hdr 9216", SWITCH_L2HDR, 9216, { 9202, 9198, 9194 } },
	{ "l2hdr 9192", SWITCH_L2HDR, 9192, { 9178, 9174, 9170 } },
	{ "l2frame 9216", SWITCH_L2FRAME, 9216, { 9198, 9194, 9190 } },
	{ "l2frame 1518", SWITCH_L2FRAME, 1518, { 1500, 1496, 1492 } },
};

static void switch_semantics_hold(void **state)
{
	(void)state;
	for_each_row(row, switch_needs)
	{
		for (int tags = 0; tags <= 2; tags++) {
			row_int(row->name, "mtu_switch_needs()",
				mtu_switch_needs(row->netdev, row->semantics, tags),
				row->needs[tags]);
			row_int(row->name, "permitted by what is needed",
				mtu_switch_permits(row->needs[tags], row->semantics, tags),
				row->netdev);
		}
	}
	for_each_row(row, switch_permits)
	{
		for (int tags = 0; tags <= 2; tags++)
			row_int(row->name, "mtu_switch_permits()",
				mtu_switch_permits(row->configured, row->semantics, tags),
				row->permits[tags]);
	}
}

static void switch_directions_are_inverse(void **state)
{
	(void)state;
	for (int semantics = 0; semantics < SWITCH_SEMANTICS_MAX; semantics++)
		for (int tags = 0; tags <= 2; tags++)
			for (int mtu = 68; mtu <= 9978; mtu++)
				assert_int_equal(
					mtu_switch_permits(mtu_switch_needs(mtu, semantics, tags),
							   semantics, tags),
					mtu);
}

/* ---- mtu_plan(): chains ---- */

/* One chain; a hop of MTU 0 is absent, a switch MTU of 0 means: no switch known. */
struct chain_row {
	const char *name;
	struct opt_int mtu, roce;
	int tags;
	int vf_max, pf, bond;
	int switch_mtu;
	enum switch_semantics semantics;
	struct opt_int fabric_roce, fabric_pod;
	bool no_fabric;
	int pod_mtu, pod_roce; /* expected */
	/* expected first finding; NULL: the chain is consistent */
	const char *id, *hop;
	int have, want;
	const char *text, *fix;
};

static void add_hop(struct mtu_chain *chain, enum mtu_hop_kind kind, const char *name, int mtu,
		    int max)
{
	struct mtu_hop *hop = &chain->hops[chain->n_hops++];

	*hop = (struct mtu_hop){ .kind = kind, .mtu = mtu, .max = max };
	snprintf(hop->name, sizeof(hop->name), "%s", name);
}

static void run_chain(const struct chain_row *row, struct mtu_chain *chain,
		      struct findings *findings)
{
	static struct fabric fabric;

	fabric = (struct fabric){
		.name = "rail",
		.switch_mtu = { row->switch_mtu != 0, row->switch_mtu },
		.semantics = row->semantics,
		.roce_mtu = row->fabric_roce,
		.pod_mtu = row->fabric_pod,
	};
	*chain = (struct mtu_chain){
		.mtu = row->mtu,
		.roce_mtu = row->roce,
		.vlan_tags = row->tags,
		.fabric = row->no_fabric ? NULL : &fabric,
	};
	*findings = (struct findings){ .n = 0 };
	add_hop(chain, MTU_HOP_DEVICE, "ens1f0v2", 1500, row->vf_max);
	if (row->pf)
		add_hop(chain, MTU_HOP_PF, "ens1f0", row->pf, 0);
	if (row->bond)
		add_hop(chain, MTU_HOP_UPPER, "bond0", row->bond, 0);
	mtu_plan(chain, findings);
}

static const struct chain_row consistent[] = {
	{ "4200 for 4096", SET(4200), SET(4096), 0, 9978, 9000, 0, 9216, SWITCH_L3, .pod_mtu = 4200,
	  .pod_roce = 4096 },
	{ "4192 is the least for 4096", SET(4192), SET(4096), 0, 9978, 4192, 0, 4192, SWITCH_L3,
	  .pod_mtu = 4192, .pod_roce = 4096 },
	{ "no RoCE MTU asked for", SET(1500), .vf_max = 9978, .pf = 1500, .switch_mtu = 9216,
	  .pod_mtu = 1500, .pod_roce = 1024 },
	{ "PF exactly the pod's", SET(9000), SET(4096), 0, 9978, 9000, 0, 9216, SWITCH_L3,
	  .pod_mtu = 9000, .pod_roce = 4096 },
	{ "device exactly at its maximum", SET(9702), SET(4096), 0, 9702, 9702, 0, 9720,
	  SWITCH_L2FRAME, .pod_mtu = 9702, .pod_roce = 4096 },
	{ "device with unknown maximum", SET(9216), SET(4096), 0, 0, 9216, 0, 9216, SWITCH_L3,
	  .pod_mtu = 9216, .pod_roce = 4096 },
	{ "one tag on l3 costs nothing", SET(9216), SET(4096), 1, 9978, 9216, 0, 9216, SWITCH_L3,
	  .pod_mtu = 9216, .pod_roce = 4096 },
	{ "one tag on l2frame", SET(9194), SET(4096), 1, 9978, 9198, 0, 9216, SWITCH_L2FRAME,
	  .pod_mtu = 9194, .pod_roce = 4096 },
	{ "the fabric's roceMTU", SET(4200), .vf_max = 9978, .pf = 9000, .switch_mtu = 9216,
	  .fabric_roce = SET(4096), .pod_mtu = 4200, .pod_roce = 4096 },
	{ "the network's roceMTU before the fabric's", SET(2200), SET(2048), 0, 9978, 9000, 0, 9216,
	  SWITCH_L3, .fabric_roce = SET(4096), .pod_mtu = 2200, .pod_roce = 2048 },
	{ "podMTU of the profile", .vf_max = 9978, .pf = 9100, .switch_mtu = 9216,
	  .fabric_roce = SET(4096), .fabric_pod = SET(4200), .pod_mtu = 4200, .pod_roce = 4096 },
	{ "mtu before podMTU", SET(9000), .vf_max = 9978, .pf = 9100, .switch_mtu = 9216,
	  .fabric_pod = SET(4200), .pod_mtu = 9000, .pod_roce = 4096 },
	{ "automatic: at most 9000", .vf_max = 9978, .pf = 9216, .switch_mtu = 9216,
	  .pod_mtu = 9000, .pod_roce = 4096 },
	{ "automatic: the PF decides", .vf_max = 9978, .pf = 4200, .switch_mtu = 9216,
	  .fabric_roce = SET(4096), .pod_mtu = 4200, .pod_roce = 4096 },
	{ "automatic: the bond decides", .vf_max = 9978, .pf = 9000, .bond = 2200,
	  .switch_mtu = 9216, .pod_mtu = 2200, .pod_roce = 2048 },
	{ "automatic: the device decides", .vf_max = 8000, .pf = 9000, .switch_mtu = 9216,
	  .pod_mtu = 8000, .pod_roce = 4096 },
	{ "automatic: the switch decides", .vf_max = 9978, .pf = 8900, .switch_mtu = 8918,
	  .semantics = SWITCH_L2FRAME, .pod_mtu = 8900, .pod_roce = 4096 },
	{ "automatic: the tag on the switch decides", .tags = 1, .vf_max = 9978, .pf = 8900,
	  .switch_mtu = 8918, .semantics = SWITCH_L2FRAME, .pod_mtu = 8896, .pod_roce = 4096 },
	{ "automatic: unknown maximum", .pf = 9216, .switch_mtu = 9216, .pod_mtu = 9000,
	  .pod_roce = 4096 },
	{ "automatic: nothing but a device", .vf_max = 65535, .no_fabric = true, .pod_mtu = 9000,
	  .pod_roce = 4096 },
	{ "automatic: host at 1500", .vf_max = 9978, .pf = 1500, .no_fabric = true, .pod_mtu = 1500,
	  .pod_roce = 1024 },
	{ "no fabric", SET(9000), SET(4096), 0, 9978, 9000, .no_fabric = true, .pod_mtu = 9000,
	  .pod_roce = 4096 },
	{ "fabric without a switch", SET(9000), SET(4096), 0, 9978, 9000, .pod_mtu = 9000,
	  .pod_roce = 4096 },
	{ "PF exactly what the switch permits", SET(9000), .tags = 0, .vf_max = 9978, .pf = 9198,
	  .switch_mtu = 9216, .semantics = SWITCH_L2FRAME, .pod_mtu = 9000, .pod_roce = 4096 },
};

static void consistent_chains_pass(void **state)
{
	(void)state;
	for_each_row(row, consistent)
	{
		struct mtu_chain chain;
		struct findings findings;

		run_chain(row, &chain, &findings);
		if (findings.n > 0)
			fail_msg("row \"%s\": refused: %s", row->name, findings.items[0].text);
		row_int(row->name, "pod MTU", chain.pod_mtu, row->pod_mtu);
		row_int(row->name, "pod RoCE MTU", chain.pod_roce_mtu, row->pod_roce);
		for (size_t i = 0; i < chain.n_hops; i++) {
			row_true(row->name, "every hop is ok", chain.hops[i].ok);
			row_int(row->name, "need", chain.hops[i].need, row->pod_mtu);
		}
	}
}

static const struct chain_row inconsistent[] = {
	{ "netdev MTU 4096 is not RoCE path MTU 4096", SET(4096), SET(4096), 0, 9978, 9000, 0, 9216,
	  SWITCH_L3, .pod_mtu = 4096, .pod_roce = 2048, .id = "pod-mtu-below-roce-mtu",
	  .hop = "pod", .have = 4096, .want = 4192,
	  .text = "4192 is the least and 4200 the usual value",
	  .fix = "\"mtu\": 4200 (or 9000), or \"roceMTU\": 2048" },
	{ "4191 is one short", SET(4191), SET(4096), 0, 9978, 9000, 0, 9216, SWITCH_L3,
	  .pod_mtu = 4191, .pod_roce = 2048, .id = "pod-mtu-below-roce-mtu", .hop = "pod",
	  .have = 4191, .want = 4192, .text = "netdev MTU 4191 does not carry RoCE path MTU 4096",
	  .fix = "\"mtu\": 4200" },
	{ "podMTU below the fabric's roceMTU", .vf_max = 9978, .pf = 9000, .switch_mtu = 9216,
	  .fabric_roce = SET(4096), .fabric_pod = SET(1500), .pod_mtu = 1500, .pod_roce = 1024,
	  .id = "pod-mtu-below-roce-mtu", .hop = "pod", .have = 1500, .want = 4192, .text = "1500",
	  .fix = "\"roceMTU\": 1024" },
	{ "the device's maximum", SET(9000), SET(4096), 0, 8000, 9000, 0, 9216, SWITCH_L3,
	  .pod_mtu = 9000, .pod_roce = 4096, .id = "device-max-mtu-too-small",
	  .hop = "device ens1f0v2", .have = 8000, .want = 9000, .text = "at most 8000",
	  .fix = "\"mtu\": 8000 or less" },
	{ "the PF", SET(4200), SET(4096), 0, 9978, 4199, 0, 9216, SWITCH_L3, .pod_mtu = 4200,
	  .pod_roce = 4096, .id = "port-mtu-too-small", .hop = "PF ens1f0", .have = 4199,
	  .want = 4200, .text = "PF ens1f0: its MTU is 4199, the pod needs 4200",
	  .fix = "ip link set dev ens1f0 mtu 4200" },
	{ "the PF, no MTU asked for", .roce = SET(4096), .vf_max = 9978, .pf = 1500,
	  .switch_mtu = 9216, .pod_mtu = 4192, .pod_roce = 4096, .id = "port-mtu-too-small",
	  .hop = "PF ens1f0", .have = 1500, .want = 4192, .text = "1500",
	  .fix = "ip link set dev ens1f0 mtu 4192" },
	{ "the bond", SET(9000), SET(4096), 0, 9978, 9000, 8999, 9216, SWITCH_L3, .pod_mtu = 9000,
	  .pod_roce = 4096, .id = "port-mtu-too-small", .hop = "upper bond0", .have = 8999,
	  .want = 9000, .text = "bond0", .fix = "ip link set dev bond0 mtu 9000" },
	{ "the switch, l3", SET(9000), SET(4096), 0, 9978, 0, 0, 8999, SWITCH_L3, .pod_mtu = 9000,
	  .pod_roce = 4096, .id = "switch-mtu-too-small", .hop = "switch of fabric rail",
	  .have = 8999, .want = 9000,
	  .text = "its MTU 8999 (l3, 0 VLAN tags) permits a netdev MTU of 8999",
	  .fix = "set the switch's MTU to 9000 or more and fabrics.rail.switch.mtu" },
	{ "the switch, l2hdr", SET(9000), SET(4096), 0, 9978, 0, 0, 9013, SWITCH_L2HDR,
	  .pod_mtu = 9000, .pod_roce = 4096, .id = "switch-mtu-too-small",
	  .hop = "switch of fabric rail", .have = 8999, .want = 9000, .text = "l2hdr",
	  .fix = "9014 or more" },
	{ "the switch, l2frame with one tag", SET(9195), SET(4096), 1, 9978, 0, 0, 9216,
	  SWITCH_L2FRAME, .pod_mtu = 9195, .pod_roce = 4096, .id = "switch-mtu-too-small",
	  .hop = "switch of fabric rail", .have = 9194, .want = 9195, .text = "1 VLAN tags",
	  .fix = "9217 or more" },
	{ "the switch, l3 with two tags", SET(9213), SET(4096), 2, 9978, 0, 0, 9216, SWITCH_L3,
	  .pod_mtu = 9213, .pod_roce = 4096, .id = "switch-mtu-too-small",
	  .hop = "switch of fabric rail", .have = 9212, .want = 9213, .text = "2 VLAN tags",
	  .fix = "\"mtu\": 9212 or less" },
	{ "the switch, no MTU asked for", .roce = SET(4096), .vf_max = 9978, .switch_mtu = 1500,
	  .pod_mtu = 4192, .pod_roce = 4096, .id = "switch-mtu-too-small",
	  .hop = "switch of fabric rail", .have = 1500, .want = 4192, .text = "1500",
	  .fix = "4192 or more" },
	{ "PF above what the switch permits", SET(4200), SET(4096), 0, 9978, 9000, 0, 9000,
	  SWITCH_L2FRAME, .pod_mtu = 4200, .pod_roce = 4096, .id = "port-mtu-above-switch",
	  .hop = "PF ens1f0", .have = 9000, .want = 8982, .text = "more than the 8982",
	  .fix = "ip link set dev ens1f0 mtu 8982" },
	{ "PF one above what the switch permits", SET(4200), SET(4096), 0, 9978, 9217, 0, 9216,
	  SWITCH_L3, .pod_mtu = 4200, .pod_roce = 4096, .id = "port-mtu-above-switch",
	  .hop = "PF ens1f0", .have = 9217, .want = 9216, .text = "9217",
	  .fix = "ip link set dev ens1f0 mtu 9216" },
	{ "bond above what the switch permits", SET(4200), SET(4096), 0, 9978, 9000, 9100, 9000,
	  SWITCH_L3, .pod_mtu = 4200, .pod_roce = 4096, .id = "port-mtu-above-switch",
	  .hop = "upper bond0", .have = 9100, .want = 9000, .text = "bond0",
	  .fix = "ip link set dev bond0 mtu 9000" },
};

static void each_rule_broken_alone_is_named(void **state)
{
	(void)state;
	for_each_row(row, inconsistent)
	{
		struct mtu_chain chain;
		struct findings findings;
		const struct finding *f = &findings.items[0];

		run_chain(row, &chain, &findings);
		row_int(row->name, "number of findings", (long long)findings.n, 1);
		row_int(row->name, "severity", f->severity, SEVERITY_ERROR);
		row_int(row->name, "code", f->code, ROCE_MTU_MISMATCH);
		row_text(row->name, "id", f->id, row->id);
		row_text(row->name, "hop", f->hop, row->hop);
		row_int(row->name, "have", f->have, row->have);
		row_int(row->name, "want", f->want, row->want);
		row_part(row->name, "text", f->text, row->text);
		row_part(row->name, "fix", f->fix, row->fix);
		row_int(row->name, "pod MTU", chain.pod_mtu, row->pod_mtu);
		row_int(row->name, "pod RoCE MTU", chain.pod_roce_mtu, row->pod_roce);
	}
}

/* What a fix suggests must itself be a configuration that is accepted. */
static void fix_below_the_least_path_mtu_is_possible(void **state)
{
	static const struct chain_row row = { "netdev MTU 351", SET(351), SET(256), 0, 9978, 9000,
					      .no_fabric = true };
	struct mtu_chain chain;
	struct findings findings;

	(void)state;
	run_chain(&row, &chain, &findings);
	assert_int_equal(findings.n, 1);
	if (strstr(findings.items[0].fix, "\"roceMTU\": 0"))
		fail_msg("the fix suggests a RoCE path MTU that is refused: %s",
			 findings.items[0].fix);
}

/* A number that nobody asked for must be one that a netdev can be set to. */
static void automatic_mtu_is_one_a_netdev_takes(void **state)
{
	static const struct chain_row row = { "switch that permits 50", .vf_max = 9978,
					      .switch_mtu = 68, .semantics = SWITCH_L2FRAME };
	struct mtu_chain chain;
	struct findings findings;

	(void)state;
	run_chain(&row, &chain, &findings);
	if (findings.n == 0 && chain.pod_mtu < 68)
		fail_msg("row \"%s\": pod MTU %d is accepted, the least of IPv4 is 68", row.name,
			 chain.pod_mtu);
}

/* Several hops in the way: each is named, in the order of the chain. */
static void several_hops_are_all_named(void **state)
{
	static const struct chain_row row = {
		"all too small",       SET(9000), SET(4096), 0, 8000, 7000, 6000, 5000,
		.semantics = SWITCH_L3
	};
	static const char *const hops[] = { "device ens1f0v2", "PF ens1f0", "upper bond0",
					    "switch of fabric rail", "PF ens1f0", "upper bond0" };
	struct mtu_chain chain;
	struct findings findings;
	struct err err = { 0 };

	(void)state;
	run_chain(&row, &chain, &findings);
	assert_int_equal(findings.n, ARRAY_SIZE(hops));
	for (size_t i = 0; i < ARRAY_SIZE(hops); i++)
		assert_string_equal(findings.items[i].hop, hops[i]);
	assert_true(finding_refuse(&findings, &err) < 0);
	assert_int_equal(err.code, ROCE_MTU_MISMATCH);
	row_part(row.name, "message", err.msg, "MTU_MISMATCH: device ens1f0v2");
	row_part(row.name, "message", err.msg, "; fix: ");
	row_part(row.name, "details", err.details, "PF ens1f0: its MTU is 7000");
	row_part(row.name, "details", err.details, "ip link set dev bond0 mtu 9000");
	row_part(row.name, "details", err.details, "switch of fabric rail");
}

/* ---- findings ---- */

static void warnings_refuse_nothing(void **state)
{
	struct findings findings = { .n = 0 };
	struct err err = { 0 };

	(void)state;
	finding_add(&findings, SEVERITY_WARNING, CNI_OK, "w", "look at this");
	finding_add(&findings, SEVERITY_INFO, CNI_OK, "i", "by the way");
	assert_int_equal(finding_refuse(&findings, &err), 0);
	assert_false(err_is_set(&err));
}

static void findings_never_overflow(void **state)
{
	struct findings findings = { .n = 0 };
	struct err err = { 0 };

	(void)state;
	for (int i = 0; i < 3 * FINDINGS_MAX; i++)
		finding_fix(finding_add(&findings, SEVERITY_ERROR, ROCE_MTU_MISMATCH, "id",
					"%0500d", i),
			    "%0500d", i);
	assert_int_equal(findings.n, FINDINGS_MAX);
	assert_true(finding_refuse(&findings, &err) < 0);
	assert_true(strlen(err.msg) < sizeof(err.msg));
	assert_true(strlen(err.details) < sizeof(err.details));
}

static void names_are_complete(void **state)
{
	(void)state;
	for (int kind = 0; kind < MTU_HOP_MAX; kind++)
		assert_non_null(mtu_hop_kind_name(kind));
	for (int semantics = 0; semantics < SWITCH_SEMANTICS_MAX; semantics++)
		assert_non_null(profile_semantics_name(semantics));
	for (int severity = 0; severity < SEVERITY_MAX; severity++)
		assert_non_null(finding_severity_name(severity));
}

/* ---- the property ---- */

/* The rules, written down a second time and independently of the engine. */
static bool satisfies(const struct chain_row *row, int pod)
{
	static const int overhead[SWITCH_SEMANTICS_MAX][2] = { { 0, 0 }, { 14, 18 }, { 18, 22 } };
	int roce = row->roce.set ? row->roce.value + 96 : 0;

	return pod >= roce && pod <= row->vf_max && pod <= row->pf &&
	       pod + overhead[row->semantics][row->tags] <= row->switch_mtu &&
	       row->pf + overhead[row->semantics][0] <= row->switch_mtu;
}

static void check_property(struct chain_row *row)
{
	struct mtu_chain chain;
	struct findings findings;

	run_chain(row, &chain, &findings);
	if (row->mtu.set && chain.pod_mtu != row->mtu.value)
		fail_msg("mtu %d became %d", row->mtu.value, chain.pod_mtu);
	if ((findings.n == 0) != satisfies(row, chain.pod_mtu))
		fail_msg("mtu %d, pod %d, roce %d, max %d, pf %d, switch %d %s, tags %d: %s",
			 row->mtu.value, chain.pod_mtu, row->roce.value, row->vf_max, row->pf,
			 row->switch_mtu, profile_semantics_name(row->semantics), row->tags,
			 findings.n ? findings.items[0].text : "accepted");
}

/* Every value asked for, against a grid of hosts; accepted if and only if all inequalities hold. */
static void accepted_is_what_satisfies_all(void **state)
{
	static const int maxima[] = { 1500, 9702, 9978 }, pfs[] = { 1500, 4192, 9000, 9216 };
	static const int switches[] = { 4210, 9018, 9216 }, roces[] = { 0, 1024, 4096 };

	(void)state;
	for (int mtu = 68; mtu <= 9978; mtu++) {
		/* one cell of the grid a number: all cells come round many times */
		struct chain_row row = {
			.name = "property",
			.mtu = SET(mtu),
			.roce = { mtu % 3 > 0, roces[mtu % 3] },
			.semantics = mtu / 3 % 3,
			.tags = mtu / 9 % 2,
		};

		for (size_t i = 0; i < 3 * 4 * 3; i++) {
			row.vf_max = maxima[i % 3];
			row.pf = pfs[i / 3 % 4];
			row.switch_mtu = switches[i / 12];
			check_property(&row);
		}
	}
}

/* Every PF MTU with nothing asked for: what is chosen satisfies all, and one byte more does not. */
static void automatic_is_the_largest(void **state)
{
	(void)state;
	for (int pf = 68; pf <= 9978; pf++) {
		struct chain_row row = { .name = "automatic",
					 .vf_max = 9702,
					 .pf = pf,
					 .switch_mtu = 9216,
					 .semantics = pf % 3,
					 .tags = pf / 3 % 2 };
		struct mtu_chain chain;
		struct findings findings;

		check_property(&row);
		run_chain(&row, &chain, &findings);
		if (findings.n > 0)
			continue;
		assert_true(chain.pod_mtu <= MTU_JUMBO);
		assert_true(chain.pod_mtu == MTU_JUMBO || !satisfies(&row, chain.pod_mtu + 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thresholds_hold),
		cmocka_unit_test(vectors_hold),
		cmocka_unit_test(switch_semantics_hold),
		cmocka_unit_test(switch_directions_are_inverse),
		cmocka_unit_test(consistent_chains_pass),
		cmocka_unit_test(each_rule_broken_alone_is_named),
		cmocka_unit_test(fix_below_the_least_path_mtu_is_possible),
		cmocka_unit_test(automatic_mtu_is_one_a_netdev_takes),
		cmocka_unit_test(several_hops_are_all_named),
		cmocka_unit_test(warnings_refuse_nothing),
		cmocka_unit_test(findings_never_overflow),
		cmocka_unit_test(names_are_complete),
		cmocka_unit_test(accepted_is_what_satisfies_all),
		cmocka_unit_test(automatic_is_the_largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
