// SPDX-License-Identifier: Apache-2.0
/* The MTU engine: every rule kept and broken alone, every policy, properties by brute force. */
#include "conf/mtu.h"

#include "tests/unit/row.h"

#include <stdio.h>
#include <sys/wait.h>

#define SET(n)                                                                                     \
	{                                                                                          \
		true, (n)                                                                          \
	}

/* ---- chains ---- */

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
	/* what few chains have */
	enum mtu_policy policy;
	const char *driver;
	bool ipv4_only;
	int vf_min, pf_min, pf_max, pf_tags, bridge, lower, beside, beside_tags;
	bool holds; /* of the lower hop */
	const char *platform;
	int switch_tags, encapsulation;
	struct opt_int traffic_class, class_3, class_0; /* RoCE's; MTU of classes 3 and 0 */
	struct opt_int fabric_pf;
	bool nameless;
	int device_roce;    /* expected */
	const char *found;  /* expected findings, a line each: severity, id, hop, have, want */
	const char *say[3]; /* parts of their texts and fixes */
	const char *never;  /* what none of them says */
};

static struct mtu_hop *add_hop(struct mtu_chain *chain, enum mtu_hop_kind kind, const char *name,
			       int mtu, int max)
{
	struct mtu_hop *hop = &chain->hops[chain->n_hops++];

	*hop = (struct mtu_hop){ .kind = kind, .mtu = mtu, .max = max };
	snprintf(hop->name, sizeof(hop->name), "%s", name);
	return hop;
}

static void add_hops(const struct chain_row *row, struct mtu_chain *chain)
{
	struct mtu_hop *pf;

	add_hop(chain, MTU_HOP_DEVICE, "ens1f0v2", 1500, row->vf_max)->min = row->vf_min;
	if (row->pf) {
		pf = add_hop(chain, MTU_HOP_PF, "ens1f0", row->pf, row->pf_max);
		pf->min = row->pf_min;
		pf->tags = row->pf_tags;
	}
	if (row->bond)
		add_hop(chain, MTU_HOP_UPPER, "bond0", row->bond, 0);
	if (row->bridge)
		add_hop(chain, MTU_HOP_UPPER, "br1", row->bridge, 0);
	if (row->lower)
		add_hop(chain, MTU_HOP_LOWER, "ens9", row->lower, 0)->holds = row->holds;
	if (row->beside)
		add_hop(chain, MTU_HOP_BESIDE, "br0", row->beside, 0)->tags = row->beside_tags;
}

static void run_chain(const struct chain_row *row, struct mtu_chain *chain,
		      struct findings *findings)
{
	static struct fabric fabric;

	fabric = (struct fabric){
		.name = row->nameless ? NULL : "rail",
		.sw = { .mtu = { row->switch_mtu != 0, row->switch_mtu },
			.semantics = row->semantics,
			.platform = row->platform ? switch_platform(row->platform) : NULL,
			.tags = { true, row->switch_tags },
			.encapsulation = { true, row->encapsulation },
			.class_mtu = { [0] = row->class_0, [3] = row->class_3 } },
		.roce_mtu = row->fabric_roce,
		.pod_mtu = row->fabric_pod,
		.pf_mtu = row->fabric_pf,
		.qos.traffic_class = row->traffic_class,
	};
	*chain = (struct mtu_chain){
		.mtu = row->mtu,
		.roce_mtu = row->roce,
		.policy = row->policy,
		.vlan_tags = row->tags,
		.ipv4_only = row->ipv4_only,
		.fabric = row->no_fabric ? NULL : &fabric,
	};
	snprintf(chain->driver, sizeof(chain->driver), "%s", row->driver ? row->driver : "");
	findings->n = 0;
	add_hops(row, chain);
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
	/* hops of each kind, exactly enough */
	{ "bond exactly the pod's", SET(9000), .pf = 9000, .bond = 9000, .switch_mtu = 9216,
	  .pod_mtu = 9000, .pod_roce = 4096 },
	{ "parent exactly the pod's", SET(9000), .lower = 9000, .switch_mtu = 9216, .pod_mtu = 9000,
	  .pod_roce = 4096 },
	{ "automatic: the parent decides", .lower = 4200, .switch_mtu = 9216, .pod_mtu = 4200,
	  .pod_roce = 4096 },
	{ "beside the way nothing limits", SET(9000), .pf = 9000, .beside = 1500,
	  .switch_mtu = 9216, .pod_mtu = 9000, .pod_roce = 4096 },
	{ "automatic: beside the way nothing limits", .pf = 9000, .beside = 1500,
	  .switch_mtu = 9216, .pod_mtu = 9000, .pod_roce = 4096 },
	{ "beside, exactly what the switch permits", SET(9000), .pf = 9000, .beside = 9194,
	  .beside_tags = 1, .switch_mtu = 9216, .semantics = SWITCH_L2FRAME, .pod_mtu = 9000,
	  .pod_roce = 4096 },
	{ "PF with a tag, exactly what the switch permits", SET(9000), .pf = 9194, .pf_tags = 1,
	  .switch_mtu = 9216, .semantics = SWITCH_L2FRAME, .pod_mtu = 9000, .pod_roce = 4096 },
	{ "device exactly at its minimum", SET(1280), .vf_min = 1280, .pf = 1500, .pod_mtu = 1280,
	  .pod_roce = 1024 },
	{ "only the device is set: the PF's minimum is no limit", SET(1500), .pf = 9000,
	  .pf_min = 1501, .pod_mtu = 1500, .pod_roce = 1024 },
	{ "PF exactly what is expected", SET(9000), .pf = 9100, .fabric_pf = SET(9100),
	  .pod_mtu = 9000, .pod_roce = 4096 },
	{ "expected of a PF only", SET(9000), .lower = 9000, .fabric_pf = SET(9100),
	  .pod_mtu = 9000, .pod_roce = 4096 },
	{ "verified platform", SET(9000), .pf = 9000, .switch_mtu = 9216, .platform = "sonic",
	  .pod_mtu = 9000, .pod_roce = 4096 },
	/* tags and tunnels between the switches */
	{ "automatic: the tag between the switches decides", .pf = 8896, .switch_mtu = 8918,
	  .semantics = SWITCH_L2FRAME, .switch_tags = 1, .pod_mtu = 8896, .pod_roce = 4096 },
	{ "a tag between the switches, less than the pod's", SET(9190), .tags = 2, .pf = 9190,
	  .switch_mtu = 9216, .semantics = SWITCH_L2FRAME, .switch_tags = 1, .pod_mtu = 9190,
	  .pod_roce = 4096 },
	{ "a tunnel, exactly", SET(9000), .pf = 9000, .switch_mtu = 9050, .encapsulation = 50,
	  .pod_mtu = 9000, .pod_roce = 4096 },
	{ "automatic: the tunnel decides", .switch_mtu = 9000, .encapsulation = 50, .pod_mtu = 8950,
	  .pod_roce = 4096 },
	/* drivers */
	{ "a bond that carries the same path MTU", SET(4200), .driver = "mlx5_core", .pf = 9000,
	  .bond = 9000, .switch_mtu = 9216, .pod_mtu = 4200, .pod_roce = 4096 },
	{ "a bond, a driver that takes its own MTU", SET(1500), .driver = "bnxt_en", .pf = 9000,
	  .bond = 9000, .switch_mtu = 9216, .pod_mtu = 1500, .pod_roce = 1024 },
	{ "a bond, a raw driver", SET(1500), .driver = "ice", .pf = 9000, .bond = 9000,
	  .switch_mtu = 9216, .pod_mtu = 1500, .pod_roce = 1024 },
	{ "no bond: the port's own MTU counts not", SET(1500), .driver = "mlx5_core", .pf = 9000,
	  .switch_mtu = 9216, .pod_mtu = 1500, .pod_roce = 1024 },
	{ "beside the way is no bond", SET(1500), .driver = "mlx5_core", .pf = 9000, .beside = 9000,
	  .switch_mtu = 9216, .pod_mtu = 1500, .pod_roce = 1024 },
	{ "kernel's formula at 4096", SET(4096), .driver = "mlx5_core", .pf = 9000, .pod_mtu = 4096,
	  .pod_roce = 2048 },
	{ "raw driver at 4192", SET(4192), SET(4096), .driver = "irdma", .pf = 9000,
	  .pod_mtu = 4192, .pod_roce = 4096 },
	{ "raw driver at 4095", SET(4095), .driver = "irdma", .pf = 9000, .pod_mtu = 4095,
	  .pod_roce = 2048 },
	{ "soft-RoCE at 4175", SET(4175), .driver = "rxe", .pf = 9000, .pod_mtu = 4175,
	  .pod_roce = 2048 },
	{ "soft-RoCE at 4192", SET(4192), SET(4096), .driver = "rxe", .pf = 9000, .pod_mtu = 4192,
	  .pod_roce = 4096 },
	/* RoCE's class: the pod's other packets are not in it */
	{ "RoCE's class, exactly", SET(9000), SET(4096), .pf = 9000, .switch_mtu = 9216,
	  .traffic_class = SET(3), .class_3 = SET(4184), .pod_mtu = 9000, .pod_roce = 4096 },
	{ "RoCE's class over IPv4, exactly", SET(9000), SET(4096), .pf = 9000, .switch_mtu = 9216,
	  .ipv4_only = true, .traffic_class = SET(3), .class_3 = SET(4164), .pod_mtu = 9000,
	  .pod_roce = 4096 },
	{ "RoCE's class, whole frames with a tag", SET(9000), SET(4096), .tags = 1, .pf = 9000,
	  .switch_mtu = 9216, .semantics = SWITCH_L2FRAME, .traffic_class = SET(3),
	  .class_3 = SET(4206), .pod_mtu = 9000, .pod_roce = 4096 },
	{ "below the next threshold shorter packets fit", SET(4191), .pf = 9000, .switch_mtu = 9216,
	  .traffic_class = SET(3), .class_3 = SET(4183), .pod_mtu = 4191, .pod_roce = 2048 },
	{ "automatic: RoCE's class decides", .pf = 9000, .switch_mtu = 9216,
	  .traffic_class = SET(3), .class_3 = SET(4183), .pod_mtu = 4191, .pod_roce = 2048 },
	{ "automatic: RoCE's class decides, raw driver", .driver = "irdma", .pf = 9000,
	  .switch_mtu = 9216, .traffic_class = SET(3), .class_3 = SET(1112), .pod_mtu = 2047,
	  .pod_roce = 1024 },
	{ "automatic: RoCE's class decides, twice", .pf = 9000, .switch_mtu = 9216,
	  .traffic_class = SET(3), .class_3 = SET(2135), .pod_mtu = 2143, .pod_roce = 1024 },
	{ "another class than RoCE's decides", .pf = 4000, .switch_mtu = 9216,
	  .traffic_class = SET(3), .class_0 = SET(4000), .pod_mtu = 4000, .pod_roce = 2048 },
	{ "RoCE's class may be the larger", SET(1500), .pf = 1500, .switch_mtu = 1500,
	  .traffic_class = SET(3), .class_3 = SET(4300), .pod_mtu = 1500, .pod_roce = 1024 },
	/* a policy is of no effect on what is consistent */
	{ "clamp", SET(4200), SET(4096), .policy = MTU_CLAMP, .pf = 4200, .switch_mtu = 9216,
	  .pod_mtu = 4200, .pod_roce = 4096 },
	{ "clamp, automatic", .roce = SET(4096), .policy = MTU_CLAMP, .pf = 4192,
	  .switch_mtu = 9216, .pod_mtu = 4192, .pod_roce = 4096 },
	{ "clamp never raises", SET(1500), .policy = MTU_CLAMP, .pf = 9000, .switch_mtu = 9216,
	  .pod_mtu = 1500, .pod_roce = 1024 },
	{ "warn", SET(9000), SET(4096), .policy = MTU_WARN, .pf = 9000, .switch_mtu = 9216,
	  .pod_mtu = 9000, .pod_roce = 4096 },
	{ "warn, automatic", .roce = SET(4096), .policy = MTU_WARN, .pf = 4200, .switch_mtu = 9216,
	  .pod_mtu = 4200, .pod_roce = 4096 },
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
		row_int(row->name, "device RoCE MTU", chain.device_roce_mtu,
			row->device_roce ? row->device_roce : row->pod_roce);
		for (size_t i = 0; i < chain.n_hops; i++) {
			bool beside = chain.hops[i].kind == MTU_HOP_BESIDE;

			row_true(row->name, "every hop is ok", chain.hops[i].ok);
			row_int(row->name, "need", chain.hops[i].need, beside ? 0 : row->pod_mtu);
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
	{ "the switch, no MTU asked for", .roce = SET(4096), .vf_max = 9978, .switch_mtu = 4191,
	  .pod_mtu = 4192, .pod_roce = 4096, .id = "switch-mtu-too-small",
	  .hop = "switch of fabric rail", .have = 4191, .want = 4192, .text = "4191",
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
	static const char *const hops[] = { "device ens1f0v2",	     "PF ens1f0", "upper bond0",
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

/* ---- what is found, line by line ---- */

static const struct chain_row judged[] = {
	/* hops of each kind */
	{ "the parent", SET(9000), .lower = 8999, .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error port-mtu-too-small lower ens9 8999 9000\n",
	  .say = { "lower ens9: its MTU is 8999, the pod needs 9000",
		   "ip link set dev ens9 mtu 9000" } },
	{ "parent above the switch", SET(4200), .lower = 9217, .switch_mtu = 9216, .pod_mtu = 4200,
	  .pod_roce = 4096, .found = "error port-mtu-above-switch lower ens9 9217 9216\n" },
	{ "PF with a tag above the switch", SET(4200), .pf = 9195, .pf_tags = 1, .switch_mtu = 9216,
	  .semantics = SWITCH_L2FRAME, .pod_mtu = 4200, .pod_roce = 4096,
	  .found = "error port-mtu-above-switch PF ens1f0 9195 9194\n",
	  .say = { "more than the 9194 that the switch of fabric rail permits (MTU 9216, l2frame)",
		   "ip link set dev ens1f0 mtu 9194" } },
	{ "beside, above the switch", SET(9000), .pf = 9000, .beside = 9217, .switch_mtu = 9216,
	  .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "warning port-mtu-above-switch beside br0 9217 9216\n",
	  .say = { "beside br0: its MTU 9217 is more than the 9216 that the switch of fabric rail "
		   "permits",
		   "larger frames vanish", "ip link set dev br0 mtu 9216" } },
	{ "beside, above the switch by its own tag", SET(9000), .pf = 9000, .beside = 9195,
	  .beside_tags = 1, .switch_mtu = 9216, .semantics = SWITCH_L2FRAME, .pod_mtu = 9000,
	  .pod_roce = 4096, .found = "warning port-mtu-above-switch beside br0 9195 9194\n" },
	{ "device, above the switch: only the pod's number counts", SET(1500), .vf_max = 9978,
	  .switch_mtu = 1500, .pod_mtu = 1500, .pod_roce = 1024, .found = "" },
	{ "the device's minimum", SET(1279), .vf_min = 1280, .pf = 1500, .pod_mtu = 1279,
	  .pod_roce = 1024, .found = "error device-min-mtu-too-large device ens1f0v2 1280 1279\n",
	  .say = { "its driver takes an MTU of at least 1280, the pod needs 1279",
		   "write \"mtu\": 1280 or more" } },
	{ "the device's minimum, no MTU asked for", .vf_min = 1280, .pf = 1279, .pod_mtu = 1280,
	  .pod_roce = 1024, .found = "error port-mtu-too-small PF ens1f0 1279 1280\n" },
	{ "IPv4's minimum, no MTU asked for", .switch_mtu = 85, .semantics = SWITCH_L2FRAME,
	  .pod_mtu = 68, .found = "error switch-mtu-too-small switch of fabric rail 67 68\n" },
	{ "a switch too small for RoCE's packets, too", .roce = SET(4096), .switch_mtu = 4183,
	  .pod_mtu = 4192, .pod_roce = 4096,
	  .found = "error switch-mtu-too-small switch of fabric rail 4183 4192\n"
		   "error roce-packet-above-switch pod 4184 4183\n" },
	/* what a fix suggests */
	{ "a PF that cannot be set to it", SET(9000), .pf = 1500, .pf_max = 8999, .pod_mtu = 9000,
	  .pod_roce = 4096, .found = "error port-mtu-too-small PF ens1f0 1500 9000\n",
	  .say = { "write \"mtu\": 8999 or less: the driver of ens1f0 takes no more" },
	  .never = "ip link" },
	{ "a PF that can just be set to it", SET(9000), .pf = 1500, .pf_max = 9000, .pod_mtu = 9000,
	  .pod_roce = 4096, .found = "error port-mtu-too-small PF ens1f0 1500 9000\n",
	  .say = { "ip link set dev ens1f0 mtu 9000" } },
	{ "the PF's expected MTU is suggested", SET(9000), .pf = 1500, .fabric_pf = SET(9100),
	  .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error port-mtu-too-small PF ens1f0 1500 9000\n",
	  .say = { "ip link set dev ens1f0 mtu 9100" } },
	{ "the PF's expected MTU is not enough", SET(9000), .pf = 1500, .fabric_pf = SET(8999),
	  .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error port-mtu-too-small PF ens1f0 1500 9000\n",
	  .say = { "ip link set dev ens1f0 mtu 9000" } },
	{ "the PF's expected MTU is not the bond's", SET(9000), .bond = 1500,
	  .fabric_pf = SET(9100), .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error port-mtu-too-small upper bond0 1500 9000\n",
	  .say = { "ip link set dev bond0 mtu 9000" } },
	{ "a member of a bond is mended at the bond", SET(9000), .pf = 1500, .bond = 1500,
	  .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error port-mtu-too-small PF ens1f0 1500 9000\n"
		   "error port-mtu-too-small upper bond0 1500 9000\n",
	  .say = { "ip link set dev bond0 mtu 9000 (its members follow)" },
	  .never = "dev ens1f0 mtu" },
	{ "a PF that is no member, beside a parent", SET(9000), .pf = 1500, .lower = 9000,
	  .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error port-mtu-too-small PF ens1f0 1500 9000\n",
	  .say = { "ip link set dev ens1f0 mtu 9000" }, .never = "follow" },
	{ "no path MTU at all", SET(351), SET(256), .pf = 9000, .pod_mtu = 351, .pod_roce = 0,
	  .found = "error pod-mtu-below-roce-mtu pod 351 352\n",
	  .say = { "351 gives none", "write \"mtu\": 360 (or 9000)" }, .never = "roceMTU" },
	{ "a member of a bond whose MTU is enough is mended itself", SET(9000), .pf = 1500,
	  .bond = 9000, .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error port-mtu-too-small PF ens1f0 1500 9000\n",
	  .say = { "ip link set dev ens1f0 mtu 9000" }, .never = "follow" },
	{ "a bond in a bridge is mended itself", SET(9000), .pf = 9000, .bond = 1500,
	  .bridge = 1500, .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error port-mtu-too-small upper bond0 1500 9000\n"
		   "error port-mtu-too-small upper br1 1500 9000\n",
	  .say = { "ip link set dev bond0 mtu 9000", "ip link set dev br1 mtu 9000" },
	  .never = "follow" },
	{ "a switch that permits less than IPv4 allows", SET(351), .switch_mtu = 67, .pod_mtu = 351,
	  .pod_roce = 0, .found = "error switch-mtu-too-small switch of fabric rail 67 351\n",
	  .say = { "351 or more and fabrics" }, .never = "or write" },
	{ "a switch that permits just what IPv4 allows", SET(351), .switch_mtu = 68, .pod_mtu = 351,
	  .pod_roce = 0, .found = "error switch-mtu-too-small switch of fabric rail 68 351\n",
	  .say = { "or write \"mtu\": 68 or less" } },
	{ "PF above what is expected", SET(9000), .pf = 9100, .fabric_pf = SET(9000),
	  .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "warning pf-mtu-unexpected PF ens1f0 9100 9000\n",
	  .say = { "PF ens1f0: its MTU is 9100, the profile expects pfMTU 9000",
		   "ip link set dev ens1f0 mtu 9000" } },
	{ "PF below what is expected", SET(4200), .pf = 8999, .fabric_pf = SET(9000),
	  .pod_mtu = 4200, .pod_roce = 4096,
	  .found = "warning pf-mtu-unexpected PF ens1f0 8999 9000\n" },
	{ "a switch without a name", SET(9000), .switch_mtu = 4200, .nameless = true,
	  .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error switch-mtu-too-small switch as given 4200 9000\n",
	  .say = { "set the switch's MTU to 9000 or more, or write \"mtu\": 4200 or less" },
	  .never = "fabrics." },
	{ "a port above a switch without a name", SET(1500), .pf = 9000, .switch_mtu = 4200,
	  .nameless = true, .pod_mtu = 1500, .pod_roce = 1024,
	  .found = "error port-mtu-above-switch PF ens1f0 9000 4200\n", .never = "(null)" },
	/* tags and tunnels between the switches */
	{ "the tag between the switches", SET(9000), .switch_mtu = 9021,
	  .semantics = SWITCH_L2FRAME, .switch_tags = 1, .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error switch-mtu-too-small switch of fabric rail 8999 9000\n",
	  .say = { "9022 or more" } },
	{ "a tunnel", SET(9000), .switch_mtu = 9049, .encapsulation = 50, .pod_mtu = 9000,
	  .pod_roce = 4096, .found = "error switch-mtu-too-small switch of fabric rail 8999 9000\n",
	  .say = { "set the switch's MTU to 9050 or more", "write \"mtu\": 8999 or less" } },
	{ "PF above the switch by the tunnel", SET(9000), .pf = 9001, .switch_mtu = 9050,
	  .encapsulation = 50, .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error port-mtu-above-switch PF ens1f0 9001 9000\n" },
	/* ports of mlx5 in a bond take the bond's MTU */
	{ "bond that carries more", SET(1500), .driver = "mlx5_core", .pf = 9000, .bond = 9000,
	  .switch_mtu = 9216, .pod_mtu = 1500, .pod_roce = 1024, .device_roce = 4096,
	  .found = "warning device-overstates-path-mtu pod 4096 1024\n",
	  .say = { "driver mlx5_core reports a RoCE path MTU of 4096 at netdev MTU 1500, do not "
		   "trust it",
		   "it takes the MTU 9000 of bond0, and packets of more than 1024 do not fit",
		   "write \"mtu\": 4192 or more, or have applications ask for a path MTU of "
		   "1024" } },
	{ "bond that carries more, no PF", SET(2143), .driver = "mlx5_ib", .bond = 2144,
	  .pod_mtu = 2143, .pod_roce = 1024, .device_roce = 2048,
	  .found = "warning device-overstates-path-mtu pod 2048 1024\n" },
	{ "bond that carries less", SET(9000), .driver = "mlx5_core", .pf = 9000, .bond = 1500,
	  .pod_mtu = 9000, .pod_roce = 4096, .device_roce = 1024,
	  .found = "error port-mtu-too-small upper bond0 1500 9000\n" },
	/* raw drivers and soft-RoCE report more than fits */
	{ "raw at 4096, RoCE asked for", SET(4096), SET(4096), .driver = "irdma", .pf = 9000,
	  .pod_mtu = 4096, .pod_roce = 2048, .device_roce = 4096,
	  .found = "error pod-mtu-below-roce-mtu pod 4096 4192\n",
	  .say = { "4096 gives a path MTU of 2048; do not trust the 4096 that driver irdma "
		   "reports: it does not count all headers",
		   "write \"mtu\": 4200 (or 9000), or \"roceMTU\": 2048" } },
	{ "raw at 4100, RoCE asked for", SET(4100), SET(4096), .driver = "ice", .pf = 9000,
	  .pod_mtu = 4100, .pod_roce = 2048, .device_roce = 4096,
	  .found = "error pod-mtu-below-roce-mtu pod 4100 4192\n",
	  .say = { "do not trust the 4096 that driver ice reports" } },
	{ "raw at 4096", SET(4096), .driver = "irdma", .pf = 9000, .pod_mtu = 4096,
	  .pod_roce = 2048, .device_roce = 4096,
	  .found = "warning device-overstates-path-mtu pod 4096 2048\n",
	  .say = { "driver irdma reports a RoCE path MTU of 4096 at netdev MTU 4096, do not trust "
		   "it: it does not count all headers, and packets of more than 2048 do not fit",
		   "write \"mtu\": 4192 or more" } },
	{ "raw at 4100", SET(4100), SET(2048), .driver = "mana", .pf = 9000, .pod_mtu = 4100,
	  .pod_roce = 2048, .device_roce = 4096,
	  .found = "warning device-overstates-path-mtu pod 4096 2048\n" },
	{ "raw at 4191", SET(4191), .driver = "erdma", .pf = 9000, .pod_mtu = 4191,
	  .pod_roce = 2048, .device_roce = 4096,
	  .found = "warning device-overstates-path-mtu pod 4096 2048\n" },
	{ "raw at 2048", SET(2048), .driver = "siw", .pf = 9000, .pod_mtu = 2048, .pod_roce = 1024,
	  .device_roce = 2048, .found = "warning device-overstates-path-mtu pod 2048 1024\n" },
	{ "raw below any path MTU", SET(300), .driver = "irdma", .pf = 9000, .pod_mtu = 300,
	  .pod_roce = 0, .device_roce = 256,
	  .found = "warning device-overstates-path-mtu pod 256 0\n" },
	{ "soft-RoCE at 4176, RoCE asked for", SET(4176), SET(4096), .driver = "rxe", .pf = 9000,
	  .pod_mtu = 4176, .pod_roce = 2048, .device_roce = 4096,
	  .found = "error pod-mtu-below-roce-mtu pod 4176 4192\n",
	  .say = { "do not trust the 4096 that driver rxe reports" } },
	{ "soft-RoCE at 4175, RoCE asked for", SET(4175), SET(4096), .driver = "rxe", .pf = 9000,
	  .pod_mtu = 4175, .pod_roce = 2048, .device_roce = 2048,
	  .found = "error pod-mtu-below-roce-mtu pod 4175 4192\n", .never = "do not trust" },
	{ "soft-RoCE at 4176", SET(4176), .driver = "rxe", .pf = 9000, .pod_mtu = 4176,
	  .pod_roce = 2048, .device_roce = 4096,
	  .found = "warning device-overstates-path-mtu pod 4096 2048\n" },
	{ "soft-RoCE at 4191", SET(4191), SET(2048), .driver = "rdma_rxe", .pf = 9000,
	  .pod_mtu = 4191, .pod_roce = 2048, .device_roce = 4096,
	  .found = "warning device-overstates-path-mtu pod 4096 2048\n" },
	{ "kernel's formula at 4096, RoCE asked for", SET(4096), SET(4096), .driver = "mlx5_core",
	  .pf = 9000, .pod_mtu = 4096, .pod_roce = 2048, .device_roce = 2048,
	  .found = "error pod-mtu-below-roce-mtu pod 4096 4192\n",
	  .say = { "with 96 bytes of RoCE headers 4192 is the least and 4200 the usual value" },
	  .never = "do not trust" },
	/* RoCE's packets and its class on the switch */
	{ "RoCE's class, one short", SET(9000), SET(4096), .pf = 9000, .switch_mtu = 9216,
	  .traffic_class = SET(3), .class_3 = SET(4183), .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error roce-packet-above-switch pod 4184 4183\n",
	  .say = { "netdev MTU 9000 gives RoCE packets of up to 4184 bytes, the switch permits "
		   "4183 in traffic class 3",
		   "set the switch's MTU in traffic class 3 to 4184 or more and "
		   "fabrics.rail.switch.classMTU in /etc/cni/net.d/roce.d/profile.json with it",
		   "or write \"mtu\": 4191 or less" } },
	{ "RoCE's class over IPv4, one short", SET(9000), SET(4096), .pf = 9000, .switch_mtu = 9216,
	  .ipv4_only = true, .traffic_class = SET(3), .class_3 = SET(4163), .pod_mtu = 9000,
	  .pod_roce = 4096, .found = "error roce-packet-above-switch pod 4164 4163\n" },
	{ "RoCE's class, whole frames with a tag, one short", SET(9000), .tags = 1, .pf = 9000,
	  .switch_mtu = 9216, .semantics = SWITCH_L2FRAME, .traffic_class = SET(3),
	  .class_3 = SET(4205), .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error roce-packet-above-switch pod 4184 4183\n", .say = { "4206 or more" } },
	{ "RoCE's class, no MTU asked for", .roce = SET(4096), .pf = 9000, .switch_mtu = 9216,
	  .traffic_class = SET(3), .class_3 = SET(4183), .pod_mtu = 4192, .pod_roce = 4096,
	  .found = "error roce-packet-above-switch pod 4184 4183\n" },
	{ "another class than RoCE's", SET(9000), SET(4096), .switch_mtu = 9216,
	  .traffic_class = SET(3), .class_0 = SET(8999), .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error switch-mtu-too-small switch of fabric rail 8999 9000\n" },
	{ "a class, RoCE's is not known", SET(4191), .switch_mtu = 9216, .class_3 = SET(4190),
	  .pod_mtu = 4191, .pod_roce = 2048,
	  .found = "error switch-mtu-too-small switch of fabric rail 4190 4191\n" },
	{ "PF above another class than RoCE's", SET(1500), .pf = 9000, .switch_mtu = 9216,
	  .traffic_class = SET(3), .class_0 = SET(8999), .pod_mtu = 1500, .pod_roce = 1024,
	  .found = "error port-mtu-above-switch PF ens1f0 9000 8999\n" },
	{ "soft-RoCE's packets and the switch", SET(4176), .driver = "rxe", .pf = 4183,
	  .switch_mtu = 4183, .pod_mtu = 4176, .pod_roce = 2048, .device_roce = 4096,
	  .found = "error roce-packet-above-switch pod 4184 4183\n"
		   "warning device-overstates-path-mtu pod 4096 2048\n",
	  .say = { "the switch permits 4183",
		   "set the switch's MTU to 4184 or more and fabrics.rail.switch.mtu",
		   "or write \"mtu\": 4175 or less" },
	  .never = "in traffic class" },
	{ "soft-RoCE's packets just fit the switch", SET(4176), .driver = "rxe", .pf = 4184,
	  .switch_mtu = 4184, .pod_mtu = 4176, .pod_roce = 2048, .device_roce = 4096,
	  .found = "warning device-overstates-path-mtu pod 4096 2048\n" },
	/* policy clamp */
	{ "clamp to the PF", SET(9000), SET(4096), .policy = MTU_CLAMP, .pf = 4200,
	  .switch_mtu = 9216, .pod_mtu = 4200, .pod_roce = 4096,
	  .found = "warning port-mtu-too-small PF ens1f0 4200 9000\n"
		   "warning pod-mtu-lowered pod 4200 9000\n",
	  .say = { "its MTU is lowered from 9000 to 4200, the bottleneck is PF ens1f0 (policy "
		   "clamp)",
		   "write \"mtu\": 4200, or raise the hops named above" } },
	{ "clamp to the bond", SET(9000), .policy = MTU_CLAMP, .pf = 9000, .bond = 2200,
	  .switch_mtu = 9216, .pod_mtu = 2200, .pod_roce = 2048,
	  .found = "warning port-mtu-too-small upper bond0 2200 9000\n"
		   "warning pod-mtu-lowered pod 2200 9000\n",
	  .say = { "the bottleneck is upper bond0" } },
	{ "clamp to the device", SET(9979), .policy = MTU_CLAMP, .vf_max = 9978, .pf = 9978,
	  .pod_mtu = 9978, .pod_roce = 4096,
	  .found = "warning device-max-mtu-too-small device ens1f0v2 9978 9979\n"
		   "warning port-mtu-too-small PF ens1f0 9978 9979\n"
		   "warning pod-mtu-lowered pod 9978 9979\n",
	  .say = { "the bottleneck is device ens1f0v2" } },
	{ "clamp to the switch", SET(9000), SET(4096), .policy = MTU_CLAMP, .tags = 1,
	  .switch_mtu = 4214, .semantics = SWITCH_L2FRAME, .pod_mtu = 4192, .pod_roce = 4096,
	  .found = "warning switch-mtu-too-small switch of fabric rail 4192 9000\n"
		   "warning pod-mtu-lowered pod 4192 9000\n",
	  .say = { "the bottleneck is switch of fabric rail" } },
	{ "clamp the profile's podMTU", .roce = SET(4096), .policy = MTU_CLAMP, .pf = 4200,
	  .fabric_pod = SET(9000), .pod_mtu = 4200, .pod_roce = 4096,
	  .found = "warning port-mtu-too-small PF ens1f0 4200 9000\n"
		   "warning pod-mtu-lowered pod 4200 9000\n" },
	{ "clamp to RoCE's class", SET(9000), .policy = MTU_CLAMP, .pf = 9000, .switch_mtu = 9216,
	  .traffic_class = SET(3), .class_3 = SET(4183), .pod_mtu = 4191, .pod_roce = 2048,
	  .found = "warning roce-packet-above-switch pod 4184 4183\n"
		   "warning pod-mtu-lowered pod 4191 9000\n",
	  .say = { "lowered from 9000 to 4191" } },
	{ "clamp, none carries RoCE", SET(9000), SET(4096), .policy = MTU_CLAMP, .pf = 4191,
	  .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error port-mtu-too-small PF ens1f0 4191 9000\n" },
	{ "clamp, none carries RoCE by its class", SET(9000), SET(4096), .policy = MTU_CLAMP,
	  .pf = 9000, .switch_mtu = 9216, .traffic_class = SET(3), .class_3 = SET(4183),
	  .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error roce-packet-above-switch pod 4184 4183\n" },
	{ "clamp, none carries RoCE, no MTU asked for", .roce = SET(4096), .policy = MTU_CLAMP,
	  .pf = 1500, .pod_mtu = 4192, .pod_roce = 4096,
	  .found = "error port-mtu-too-small PF ens1f0 1500 4192\n" },
	{ "clamp, none is one the device takes", SET(9000), .policy = MTU_CLAMP, .vf_min = 1280,
	  .pf = 1279, .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error port-mtu-too-small PF ens1f0 1279 9000\n" },
	{ "clamp to the least that the device takes", SET(9000), .policy = MTU_CLAMP,
	  .vf_min = 1280, .pf = 1280, .pod_mtu = 1280, .pod_roce = 1024,
	  .found = "warning port-mtu-too-small PF ens1f0 1280 9000\n"
		   "warning pod-mtu-lowered pod 1280 9000\n" },
	{ "clamp never raises to RoCE's need", SET(1500), SET(4096), .policy = MTU_CLAMP,
	  .pf = 9000, .pod_mtu = 1500, .pod_roce = 1024,
	  .found = "error pod-mtu-below-roce-mtu pod 1500 4192\n" },
	{ "clamp never raises to the device's minimum", SET(1000), .policy = MTU_CLAMP,
	  .vf_min = 1280, .pf = 9000, .pod_mtu = 1000, .pod_roce = 512,
	  .found = "error device-min-mtu-too-large device ens1f0v2 1280 1000\n" },
	{ "clamp, a port above the switch", SET(9000), .policy = MTU_CLAMP, .pf = 9000,
	  .switch_mtu = 8000, .pod_mtu = 8000, .pod_roce = 4096,
	  .found = "warning switch-mtu-too-small switch of fabric rail 8000 9000\n"
		   "warning pod-mtu-lowered pod 8000 9000\n"
		   "error port-mtu-above-switch PF ens1f0 9000 8000\n" },
	/* policy warn */
	{ "warn: the PF", SET(9000), SET(4096), .policy = MTU_WARN, .pf = 1500, .pod_mtu = 9000,
	  .pod_roce = 4096, .found = "warning port-mtu-too-small PF ens1f0 1500 9000\n" },
	{ "warn: everything", SET(4096), SET(4096), .policy = MTU_WARN, .driver = "irdma",
	  .pf = 4095, .bond = 9217, .switch_mtu = 9216, .traffic_class = SET(3),
	  .class_3 = SET(4000), .class_0 = SET(4090), .pod_mtu = 4096, .pod_roce = 2048,
	  .device_roce = 4096,
	  .found = "warning pod-mtu-below-roce-mtu pod 4096 4192\n"
		   "warning port-mtu-too-small PF ens1f0 4095 4096\n"
		   "warning switch-mtu-too-small switch of fabric rail 4090 4096\n"
		   "warning roce-packet-above-switch pod 4184 4000\n"
		   "warning port-mtu-above-switch PF ens1f0 4095 4090\n"
		   "warning port-mtu-above-switch upper bond0 9217 4090\n" },
	{ "warn: the device's maximum is the kernel's", SET(9979), .policy = MTU_WARN,
	  .vf_max = 9978, .pf = 9978, .pod_mtu = 9979, .pod_roce = 4096,
	  .found = "error device-max-mtu-too-small device ens1f0v2 9978 9979\n"
		   "warning port-mtu-too-small PF ens1f0 9978 9979\n" },
	{ "warn: the device's minimum is the kernel's", SET(1279), .policy = MTU_WARN,
	  .vf_min = 1280, .pf = 9000, .pod_mtu = 1279, .pod_roce = 1024,
	  .found = "error device-min-mtu-too-large device ens1f0v2 1280 1279\n" },
	{ "warn: the profile's podMTU", .policy = MTU_WARN, .pf = 1500, .fabric_pod = SET(9000),
	  .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "warning port-mtu-too-small PF ens1f0 1500 9000\n" },
	{ "warn, no MTU asked for: what the PF carries", .roce = SET(4096), .policy = MTU_WARN,
	  .pf = 1500, .switch_mtu = 9216, .pod_mtu = 1500, .pod_roce = 1024,
	  .found = "warning port-mtu-too-small PF ens1f0 1500 4192\n"
		   "warning pod-mtu-lowered pod 1500 4192\n",
	  .say = { "lowered from 4192 to 1500, the bottleneck is PF ens1f0 (policy warn)" } },
	{ "warn, no MTU asked for: what the device takes", .roce = SET(4096), .policy = MTU_WARN,
	  .vf_max = 1500, .pf = 9000, .pod_mtu = 1500, .pod_roce = 1024,
	  .found = "warning device-max-mtu-too-small device ens1f0v2 1500 4192\n"
		   "warning pod-mtu-lowered pod 1500 4192\n" },
	{ "warn, no MTU asked for: what RoCE's class takes", .roce = SET(4096), .policy = MTU_WARN,
	  .pf = 9000, .switch_mtu = 9216, .traffic_class = SET(3), .class_3 = SET(4183),
	  .pod_mtu = 4191, .pod_roce = 2048,
	  .found = "warning roce-packet-above-switch pod 4184 4183\n"
		   "warning pod-mtu-lowered pod 4191 4192\n" },
	{ "warn, no MTU asked for: less than the device's minimum is no choice", .policy = MTU_WARN,
	  .vf_min = 1280, .pf = 1279, .pod_mtu = 1280, .pod_roce = 1024,
	  .found = "warning port-mtu-too-small PF ens1f0 1279 1280\n" },
	{ "warn, no MTU asked for: exactly the device's minimum", .roce = SET(4096),
	  .policy = MTU_WARN, .vf_min = 1280, .pf = 1280, .pod_mtu = 1280, .pod_roce = 1024,
	  .found = "warning port-mtu-too-small PF ens1f0 1280 4192\n"
		   "warning pod-mtu-lowered pod 1280 4192\n" },
	{ "warn: what the parent's MTU holds back is the kernel's", SET(9000), .policy = MTU_WARN,
	  .lower = 8999, .holds = true, .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "error port-mtu-too-small lower ens9 8999 9000\n" },
	{ "warn: another parent", SET(9000), .policy = MTU_WARN, .lower = 8999, .pod_mtu = 9000,
	  .pod_roce = 4096, .found = "warning port-mtu-too-small lower ens9 8999 9000\n" },
	{ "warn, no MTU asked for: what the parent holds back", .roce = SET(4096),
	  .policy = MTU_WARN, .lower = 1500, .holds = true, .pod_mtu = 1500, .pod_roce = 1024,
	  .found = "warning port-mtu-too-small lower ens9 1500 4192\n"
		   "warning pod-mtu-lowered pod 1500 4192\n" },
	{ "clamp: what the parent holds back", SET(9000), .policy = MTU_CLAMP, .lower = 1500,
	  .holds = true, .pod_mtu = 1500, .pod_roce = 1024,
	  .found = "warning port-mtu-too-small lower ens9 1500 9000\n"
		   "warning pod-mtu-lowered pod 1500 9000\n" },
	/* the platform */
	{ "platform that is not verified", SET(9000), .switch_mtu = 9216,
	  .semantics = SWITCH_L2FRAME, .platform = "os10", .pod_mtu = 9000, .pod_roce = 4096,
	  .found = "info platform-not-verified switch of fabric rail 0 0\n",
	  .say = { "switch of fabric rail: what the MTU of platform os10 counts is not verified, "
		   "l2frame is the safe guess",
		   "send a frame of that size through it" } },
	/* all that a text depends on is in it */
	{ "text: the tag between the switches is counted", SET(9000), .switch_mtu = 9021,
	  .semantics = SWITCH_L2FRAME, .switch_tags = 1, .pod_mtu = 9000, .pod_roce = 4096,
	  .say = { "l2frame, 1 VLAN tags" } },
	{ "text: the class that is in the way", SET(9000), .switch_mtu = 9216, .class_0 = SET(4300),
	  .pod_mtu = 9000, .pod_roce = 4096, .say = { "classMTU" }, .never = "its MTU 9216" },
	{ "text: the class that is in a port's way", SET(1500), .pf = 9000, .switch_mtu = 9216,
	  .class_0 = SET(4300), .pod_mtu = 1500, .pod_roce = 1024, .never = "(MTU 9216" },
	{ "text: RoCE's class is the bottleneck", SET(9000), .policy = MTU_CLAMP, .pf = 9000,
	  .switch_mtu = 9216, .traffic_class = SET(3), .class_3 = SET(4183), .pod_mtu = 4191,
	  .pod_roce = 2048, .say = { "the bottleneck is switch of fabric rail" },
	  .never = "PF ens1f0" },
	{ "text: a platform without a fabric's name", SET(9000), .switch_mtu = 9216,
	  .semantics = SWITCH_L2FRAME, .platform = "os10", .nameless = true, .pod_mtu = 9000,
	  .pod_roce = 4096, .never = "(null)" },
	{ "text: a fix is a number that can be written", SET(1500), .driver = "irdma", .pf = 9000,
	  .switch_mtu = 9216, .traffic_class = SET(3), .class_3 = SET(343), .pod_mtu = 1500,
	  .pod_roce = 1024, .never = "\"mtu\": -1" },
	{ "warn, no MTU asked for: the report of a raw driver is not trusted", .roce = SET(4096),
	  .policy = MTU_WARN, .driver = "irdma", .pf = 4100, .pod_mtu = 4100, .pod_roce = 2048,
	  .device_roce = 4096, .say = { "do not trust" } },
};

enum { LINES_SIZE = FINDINGS_MAX * 160, TEXTS_SIZE = FINDINGS_MAX * 640 };

/* A line a finding, and all that they say. */
static void print_findings(const struct findings *findings, char lines[LINES_SIZE],
			   char texts[TEXTS_SIZE])
{
	int n = 0, m = 0;

	lines[0] = texts[0] = '\0';
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *f = &findings->items[i];

		n += snprintf(lines + n, LINES_SIZE - n, "%s %s %s %d %d\n",
			      finding_severity_name(f->severity), f->id, f->hop, f->have, f->want);
		m += snprintf(texts + m, TEXTS_SIZE - m, "%s; fix: %s\n", f->text, f->fix);
	}
}

/* One test a row: a row that fails hides no other. */
static void chain_is_judged(void **state)
{
	const struct chain_row *row = *state;
	struct mtu_chain chain;
	struct findings findings;
	char lines[LINES_SIZE], texts[TEXTS_SIZE];

	run_chain(row, &chain, &findings);
	print_findings(&findings, lines, texts);
	if (row->found)
		row_text(row->name, "findings", lines, row->found);
	for (size_t i = 0; i < ARRAY_SIZE(row->say); i++)
		row_part(row->name, "texts", texts, row->say[i]);
	if (row->never && strstr(texts, row->never))
		fail_msg("row \"%s\": \"%s\" says \"%s\"", row->name, texts, row->never);
	row_int(row->name, "pod MTU", chain.pod_mtu, row->pod_mtu);
	row_int(row->name, "pod RoCE MTU", chain.pod_roce_mtu, row->pod_roce);
	row_int(row->name, "device RoCE MTU", chain.device_roce_mtu,
		row->device_roce ? row->device_roce : row->pod_roce);
}

/* A class in which not even an empty packet fits: whatever is answered, there must be an answer. */
static void every_plan_ends(void **state)
{
	static const struct chain_row row = { "class for nothing",  SET(9000),
					      .pf = 8960,	    .switch_mtu = 9216,
					      .encapsulation = 256, .traffic_class = SET(3),
					      .class_3 = SET(200) };
	int status = 0;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		struct mtu_chain chain;
		struct findings findings;

		alarm(2);
		run_chain(&row, &chain, &findings);
		_exit(findings.n == 0);
	}
	assert_true(child > 0 && waitpid(child, &status, 0) == child);
	if (WIFSIGNALED(status))
		fail_msg("row \"%s\": mtu_plan() did not end in 2 seconds", row.name);
	assert_int_equal(WEXITSTATUS(status), 0); /* something was found */
}

/* ---- the bottleneck ---- */

static const struct {
	struct chain_row chain;
	size_t bottleneck; /* index of the hop that lets the least through */
} bottlenecks[] = {
	{ { .name = "device alone" }, 0 },
	{ { .name = "device", .vf_max = 1500, .pf = 9000, .switch_mtu = 9216 }, 0 },
	{ { .name = "the MTU that the device has now does not count",
	    .pf = 9000,
	    .switch_mtu = 9216 },
	  1 },
	{ { .name = "PF", .vf_max = 9978, .pf = 9000, .bond = 9001, .switch_mtu = 9002 }, 1 },
	{ { .name = "bond", .vf_max = 9978, .pf = 9001, .bond = 9000, .switch_mtu = 9002 }, 2 },
	{ { .name = "parent", .lower = 1500, .switch_mtu = 9216 }, 1 },
	{ { .name = "switch", .vf_max = 9978, .pf = 9000, .bond = 9000, .switch_mtu = 8999 }, 3 },
	{ { .name = "switch by a tag",
	    .tags = 1,
	    .pf = 9000,
	    .switch_mtu = 9018,
	    .semantics = SWITCH_L2FRAME },
	  2 },
	{ { .name = "the first of equals",
	    .vf_max = 9000,
	    .pf = 9000,
	    .bond = 9000,
	    .switch_mtu = 9000 },
	  0 },
	{ { .name = "beside never", .pf = 9000, .beside = 68, .switch_mtu = 9216 }, 1 },
	{ { .name = "beside never, and alone", .beside = 68 }, 0 },
	{ { .name = "asked for less than all", SET(68), .pf = 9000, .bond = 8000 }, 2 },
};

static void bottleneck_is_the_least(void **state)
{
	(void)state;
	for_each_row(row, bottlenecks)
	{
		struct mtu_chain chain;
		struct findings findings;

		run_chain(&row->chain, &chain, &findings);
		row_int(row->chain.name, "bottleneck", (long long)chain.bottleneck,
			(long long)row->bottleneck);
	}
}

/* After a plan each hop says what it needs and whether that is enough. */
static void hops_are_marked(void **state)
{
	static const struct chain_row lowered = {
		"clamp",    SET(9000),	    .policy = MTU_CLAMP, .vf_max = 9978,
		.pf = 4200, .beside = 1500, .switch_mtu = 9216
	};
	static const struct chain_row refused = { "strict",   SET(9000),      .vf_max = 8999,
						  .pf = 4200, .beside = 1500, .switch_mtu = 9216 };
	struct mtu_chain chain;
	struct findings findings;

	(void)state;
	run_chain(&lowered, &chain, &findings);
	assert_int_equal(chain.n_hops, 4);
	for (size_t i = 0; i < chain.n_hops; i++) {
		assert_int_equal(chain.hops[i].need, i == 2 ? 0 : 4200);
		assert_true(chain.hops[i].ok);
	}
	run_chain(&refused, &chain, &findings);
	for (size_t i = 0; i < chain.n_hops; i++) {
		assert_int_equal(chain.hops[i].need, i == 2 ? 0 : 9000);
		assert_int_equal(chain.hops[i].ok, i > 1);
	}
	assert_int_equal(chain.hops[3].kind, MTU_HOP_SWITCH);
	assert_int_equal(chain.hops[3].mtu, 9216);
}

/* ---- routes and frames ---- */

static const struct {
	const char *name;
	enum mtu_policy policy;
	int mtu, want;
	const char *found, *text;
} routes[] = {
	{ "less", MTU_STRICT, 1500, 1500, "", NULL },
	{ "equal", MTU_STRICT, 9000, 9000, "", NULL },
	{ "equal, clamp", MTU_CLAMP, 9000, 9000, "", NULL },
	{ "less, clamp", MTU_CLAMP, 68, 68, "", NULL },
	{ "less, warn", MTU_WARN, 1500, 1500, "", NULL },
	{ "more", MTU_STRICT, 9001, 9001, "error route-mtu-too-large pod 9001 9000\n",
	  "pod: route 198.51.100.0/24 has MTU 9001, its interface has 9000; fix: write \"mtu\": "
	  "9000 or less in that route" },
	{ "more, clamp", MTU_CLAMP, 9001, 9000, "warning route-mtu-too-large pod 9001 9000\n",
	  "its interface has 9000: lowered" },
	{ "more, warn", MTU_WARN, 9001, 9001, "warning route-mtu-too-large pod 9001 9000\n",
	  "its interface has 9000; fix" },
};

static void routes_follow_the_policy(void **state)
{
	(void)state;
	for_each_row(row, routes)
	{
		struct chain_row chain_row = {
			.name = row->name, .mtu = SET(9000), .policy = row->policy, .pf = 9000
		};
		struct mtu_chain chain;
		struct findings findings;
		char lines[LINES_SIZE], texts[TEXTS_SIZE];

		run_chain(&chain_row, &chain, &findings);
		row_int(row->name, "mtu_route()",
			mtu_route(&chain, "198.51.100.0/24", row->mtu, &findings), row->want);
		print_findings(&findings, lines, texts);
		row_text(row->name, "findings", lines, row->found);
		row_part(row->name, "text", texts, row->text);
		for (size_t i = 0; i < findings.n; i++)
			row_int(row->name, "code", findings.items[i].code, ROCE_MTU_MISMATCH);
	}
}

static const struct {
	struct chain_row chain;
	int frame;
} frames[] = {
	{ { .name = "4096", SET(4200), SET(4096) }, 4202 },
	{ { .name = "4096, one tag", SET(4200), SET(4096), 1 }, 4206 },
	{ { .name = "4096, two tags", SET(4200), SET(4096), 2 }, 4210 },
	{ { .name = "4096 over IPv4", SET(4200), SET(4096), .ipv4_only = true }, 4182 },
	{ { .name = "what the pod carries", SET(9000) }, 4202 },
	{ { .name = "what the pod carries, 1500", SET(1500) }, 1130 },
	{ { .name = "what is asked for", SET(9000), SET(1024) }, 1130 },
	{ { .name = "what the fabric asks for", SET(9000), .fabric_roce = SET(2048) }, 2154 },
};

static void frames_hold(void **state)
{
	(void)state;
	for_each_row(row, frames)
	{
		struct mtu_chain chain;
		struct findings findings;

		run_chain(&row->chain, &chain, &findings);
		row_int(row->chain.name, "mtu_frame()", mtu_frame(&chain), row->frame);
	}
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
	static const char *const names[MTU_HOP_MAX] = { "device", "PF",	    "upper",
							"lower",  "beside", "switch" };

	(void)state;
	for (int kind = 0; kind < MTU_HOP_MAX; kind++)
		assert_string_equal(mtu_hop_kind_name(kind), names[kind]);
	for (int severity = 0; severity < SEVERITY_MAX; severity++)
		assert_non_null(finding_severity_name(severity));
}

/* ---- the rules, a second time ---- */

/*
 * Written down again, from the sizes of headers and the thresholds of the drivers: nothing below
 * calls the engine's own arithmetic.
 */
enum rule {
	RULE_ROCE = 1 << 0, /* the pod's MTU carries the RoCE path MTU */
	RULE_DEVICE_MAX = 1 << 1,
	RULE_DEVICE_MIN = 1 << 2,
	RULE_PORT = 1 << 3,	   /* PF, uppers and lowers let the pod's frames through */
	RULE_SWITCH = 1 << 4,	   /* the switch does, in every class but RoCE's */
	RULE_PACKET = 1 << 5,	   /* the packets that the device promises pass in RoCE's class */
	RULE_PORT_SWITCH = 1 << 6, /* the switch lets through what the ports send themselves */
	/* what is only warned about */
	RULE_BESIDE = 1 << 7,	/* the same of netdevs beside the way */
	RULE_REPORTED = 1 << 8, /* the device promises no more than the pod's MTU carries */
	RULE_EXPECTED = 1 << 9, /* the PF has the MTU that the profile expects */

	RULES_POD = RULE_ROCE | RULE_DEVICE_MAX | RULE_DEVICE_MIN | RULE_PORT | RULE_SWITCH |
		    RULE_PACKET,
	RULES_STRICT = RULES_POD | RULE_PORT_SWITCH,
};

static const struct {
	enum severity severity;
	const char *id;
	enum rule rule; /* 0: no rule of its own */
} rule_ids[] = {
	{ SEVERITY_ERROR, "pod-mtu-below-roce-mtu", RULE_ROCE },
	{ SEVERITY_ERROR, "device-max-mtu-too-small", RULE_DEVICE_MAX },
	{ SEVERITY_ERROR, "device-min-mtu-too-large", RULE_DEVICE_MIN },
	{ SEVERITY_ERROR, "port-mtu-too-small", RULE_PORT },
	{ SEVERITY_ERROR, "switch-mtu-too-small", RULE_SWITCH },
	{ SEVERITY_ERROR, "roce-packet-above-switch", RULE_PACKET },
	{ SEVERITY_ERROR, "port-mtu-above-switch", RULE_PORT_SWITCH },
	{ SEVERITY_WARNING, "port-mtu-above-switch", RULE_BESIDE },
	{ SEVERITY_WARNING, "device-overstates-path-mtu", RULE_REPORTED },
	{ SEVERITY_WARNING, "pf-mtu-unexpected", RULE_EXPECTED },
};

/* Drivers, and the least netdev MTU for which each reports 256, 512, 1024, 2048 and 4096. */
static const struct {
	const char *name;
	int least[5];
	bool follows_bond;
} drivers[] = {
	{ "mlx5_core", { 352, 608, 1120, 2144, 4192 }, true },
	{ "bnxt_en", { 352, 608, 1120, 2144, 4192 }, false },
	{ "", { 352, 608, 1120, 2144, 4192 }, false },
	{ "rxe", { 336, 592, 1104, 2128, 4176 }, false },
	{ "irdma", { 0, 512, 1024, 2048, 4096 }, false },
	{ "ice", { 0, 512, 1024, 2048, 4096 }, false },
};

/* A chain of its own making: the driver by its place in the table, and the fabric. */
struct world {
	size_t driver;
	struct fabric fabric;
	struct mtu_chain chain;
};

static int believed(const int least[5], int mtu)
{
	static const int roce[] = { 256, 512, 1024, 2048, 4096 };
	int most = 0;

	for (int i = 0; i < 5; i++)
		if (mtu >= least[i])
			most = roce[i];
	return most;
}

static const struct mtu_hop *hop_of(const struct world *world, enum mtu_hop_kind kind)
{
	for (size_t i = 0; i < world->chain.n_hops; i++)
		if (world->chain.hops[i].kind == kind)
			return &world->chain.hops[i];
	return NULL;
}

/* What the RDMA device reports when the pod has this MTU. */
static int promised(const struct world *world, int mtu)
{
	const struct mtu_hop *bond = hop_of(world, MTU_HOP_UPPER);

	return believed(drivers[world->driver].least,
			drivers[world->driver].follows_bond && bond ? bond->mtu : mtu);
}

/* Whether one class of the switches lets an IP packet through. */
static bool passes_class(const struct fabric_switch *sw, int class, int length, int tags)
{
	int limit = sw->class_mtu[class].set ? sw->class_mtu[class].value : sw->mtu.value;
	int counted = length + sw->encapsulation.value;

	if (tags < sw->tags.value)
		tags = sw->tags.value;
	if (sw->semantics == SWITCH_L3)
		return counted + (tags == 2 ? 4 : 0) <= limit;
	counted += 14 + 4 * tags;
	return counted + (sw->semantics == SWITCH_L2FRAME ? 4 : 0) <= limit;
}

/* A packet of RoCE is in RoCE's class, any other in any other; unknown: each in each. */
static bool passes_switch(const struct world *world, int length, int tags, bool roce)
{
	struct opt_int known = world->fabric.qos.traffic_class;

	if (!world->chain.fabric || !world->fabric.sw.mtu.set)
		return true;
	for (int class = 0; class < 8; class ++) {
		if (known.set && roce != (class == known.value))
			continue;
		if (!passes_class(&world->fabric.sw, class, length, tags))
			return false;
	}
	return true;
}

static int broken_by_hop(const struct world *world, const struct mtu_hop *hop, int mtu)
{
	bool passes = passes_switch(world, hop->mtu, hop->tags, false);

	switch (hop->kind) {
	case MTU_HOP_DEVICE:
		return (hop->max && mtu > hop->max ? RULE_DEVICE_MAX : 0) |
		       (mtu < hop->min ? RULE_DEVICE_MIN : 0);
	case MTU_HOP_PF:
	case MTU_HOP_UPPER:
	case MTU_HOP_LOWER:
		return (mtu > hop->mtu ? RULE_PORT : 0) | (passes ? 0 : RULE_PORT_SWITCH);
	case MTU_HOP_BESIDE:
		return passes ? 0 : RULE_BESIDE;
	case MTU_HOP_SWITCH:
	case MTU_HOP_MAX:
		break;
	}
	return 0;
}

/* Which rules a netdev MTU of the pod breaks. */
static int broken(const struct world *world, int mtu)
{
	const struct mtu_chain *chain = &world->chain;
	const struct mtu_hop *pf = hop_of(world, MTU_HOP_PF);
	struct opt_int roce = chain->roce_mtu, expected = { 0 };
	int payload = believed(drivers[world->driver].least, mtu), rules = 0;
	int packet = payload + (chain->ipv4_only ? 20 : 40) + 8 + 12 + 4 + 16 + 4 + 4;

	if (chain->fabric)
		expected = world->fabric.pf_mtu;
	if (chain->fabric && !roce.set)
		roce = world->fabric.roce_mtu;
	if (roce.set && mtu < roce.value + 96)
		rules |= RULE_ROCE;
	for (size_t i = 0; i < chain->n_hops; i++)
		rules |= broken_by_hop(world, &chain->hops[i], mtu);
	if (!passes_switch(world, mtu, chain->vlan_tags, false))
		rules |= RULE_SWITCH;
	if (payload && !passes_switch(world, packet, chain->vlan_tags, true))
		rules |= RULE_PACKET;
	if (promised(world, mtu) > believed(drivers[1].least, mtu))
		rules |= RULE_REPORTED;
	if (pf && expected.set && pf->mtu >= mtu && pf->mtu != expected.value)
		rules |= RULE_EXPECTED;
	return rules;
}

/* ---- chains by chance, the same in every run ---- */

static uint64_t random_state;

static int chance(int n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (int)(random_state % (unsigned)n);
}

/* An MTU at, or some bytes off, one where something happens. */
static int some_mtu(void)
{
	static const int edges[] = { 256,  352,	 512,  608,  1024, 1120, 1500, 2048, 2144, 4096,
				     4176, 4192, 4200, 9000, 9100, 9194, 9216, 9702, 9978 };
	int mtu = edges[chance(ARRAY_SIZE(edges))] + chance(57) - 28;

	return mtu > NETDEV_MTU_MIN ? mtu : NETDEV_MTU_MIN;
}

/* A large MTU three times out of four, so that many chains are consistent. */
static int port_mtu(void)
{
	return chance(4) ? 9000 + chance(200) : some_mtu();
}

/* Also less than headers and the largest tunnel take. */
static int class_mtu(void)
{
	return some_mtu();
}

static struct opt_int maybe(int one_in, int value)
{
	return (struct opt_int){ chance(one_in) == 0, value };
}

static void make_fabric(struct fabric *fabric)
{
	*fabric = (struct fabric){
		.name = "rail",
		.sw = { .mtu = { chance(8) > 0, chance(4) ? 9216 + chance(40) : class_mtu() },
			.semantics = (enum switch_semantics)chance(3),
			.tags = maybe(3, chance(3)),
			.encapsulation = maybe(4, chance(2) ? 50 : chance(257)) },
		.roce_mtu = maybe(3, 256 << chance(5)),
		.pf_mtu = maybe(4, 9000),
		.qos.traffic_class = maybe(2, chance(8)),
	};
	for (int class = 0; class < SWITCH_CLASSES; class ++)
		fabric->sw.class_mtu[class] = maybe(12, chance(2) ? 9216 : class_mtu());
	if (fabric->qos.traffic_class.set && chance(3) == 0)
		fabric->sw.class_mtu[fabric->qos.traffic_class.value] =
			(struct opt_int)SET(class_mtu());
}

static void make_world(struct world *world)
{
	struct mtu_chain *chain = &world->chain;
	struct mtu_hop *hop;

	make_fabric(&world->fabric);
	world->driver = (size_t)chance(ARRAY_SIZE(drivers));
	*chain = (struct mtu_chain){
		.roce_mtu = maybe(2, 256 << chance(5)),
		.vlan_tags = chance(3),
		.ipv4_only = chance(4) == 0,
		.fabric = chance(8) ? &world->fabric : NULL,
	};
	snprintf(chain->driver, sizeof(chain->driver), "%s", drivers[world->driver].name);
	hop = add_hop(chain, MTU_HOP_DEVICE, "device", some_mtu(), chance(3) ? 9978 : 0);
	hop->min = chance(3) ? 0 : chance(2) ? 68 : 1280;
	if (chance(8) == 0)
		hop->max = 1280 + some_mtu();
	for (int kind = MTU_HOP_PF; kind <= MTU_HOP_BESIDE; kind++) {
		if (chance(2))
			continue;
		hop = add_hop(chain, (enum mtu_hop_kind)kind, mtu_hop_kind_name(kind), port_mtu(),
			      0);
		hop->tags = chance(3);
		hop->min = chance(2) ? 1501 : 0; /* nobody sets it, so nothing follows */
		hop->holds = kind == MTU_HOP_LOWER && chance(2);
		if (kind == MTU_HOP_PF && chance(4) == 0)
			hop->mtu = 9000;
	}
}

/* Plans a copy; the world stays as it was made. */
static void plan_world(const struct world *world, struct mtu_chain *ret_chain,
		       struct findings *findings)
{
	*ret_chain = world->chain;
	findings->n = 0;
	mtu_plan(ret_chain, findings);
}

static int rules_found(const struct findings *findings, enum severity severity)
{
	int rules = 0;

	for (size_t i = 0; i < findings->n; i++)
		for_each_row(row, rule_ids) if (row->severity == severity &&
						findings->items[i].severity == severity &&
						strcmp(row->id, findings->items[i].id) == 0)
			rules |= (int)row->rule;
	return rules;
}

static size_t count(const struct findings *findings, enum severity severity)
{
	size_t n = 0;

	for (size_t i = 0; i < findings->n; i++)
		n += findings->items[i].severity == severity;
	return n;
}

static void fail_world(const struct world *world, const struct findings *findings, int mtu,
		       int wanted, int got)
{
	const struct fabric *fabric = &world->fabric;
	static char lines[LINES_SIZE], texts[TEXTS_SIZE];

	print_findings(findings, lines, texts);
	for (size_t i = 0; i < world->chain.n_hops; i++)
		print_message("%s %d, %d to %d, %d tags\n", world->chain.hops[i].name,
			      world->chain.hops[i].mtu, world->chain.hops[i].min,
			      world->chain.hops[i].max, world->chain.hops[i].tags);
	fail_msg("mtu %d, driver \"%s\", %d tags, switch %d %d %s, class %d %d: %#x, must be "
		 "%#x:\n%s",
		 mtu, world->chain.driver, world->chain.vlan_tags, world->chain.fabric != NULL,
		 fabric->sw.mtu.value, switch_semantics_name(fabric->sw.semantics),
		 fabric->qos.traffic_class.set, fabric->qos.traffic_class.value, got, wanted,
		 lines);
}

/* ---- the properties ---- */

/* What is found under "strict" for a number that is asked for: each rule that is broken, no other. */
static void check_strict(struct world *world, int mtu, struct findings *findings)
{
	struct mtu_chain chain;
	int rules, found;

	world->chain.mtu = (struct opt_int)SET(mtu);
	plan_world(world, &chain, findings);
	rules = broken(world, mtu);
	found = rules_found(findings, SEVERITY_ERROR);
	if (found != (rules & RULES_STRICT))
		fail_world(world, findings, mtu, rules & RULES_STRICT, found);
	assert_int_equal(count(findings, SEVERITY_ERROR) > 0, found != 0);
	if (found == 0 && rules_found(findings, SEVERITY_WARNING) != rules)
		fail_world(world, findings, mtu, rules, rules_found(findings, SEVERITY_WARNING));
	if (found == 0)
		assert_int_equal(count(findings, SEVERITY_WARNING) > 0, rules != 0);
	assert_int_equal(chain.pod_mtu, mtu);
	assert_int_equal(chain.pod_roce_mtu, believed(drivers[1].least, mtu));
	assert_int_equal(chain.device_roce_mtu, promised(world, mtu));
}

static void strict_is_the_rules(void **state)
{
	int n_consistent = 0, n_refused = 0;

	(void)state;
	random_state = 4192;
	for (int i = 0; i < 100000; i++) {
		static struct world world;
		struct findings findings;
		int mtu = some_mtu();

		make_world(&world);
		check_strict(&world, mtu, &findings);
		n_consistent += findings.n == 0;
		n_refused += count(&findings, SEVERITY_ERROR) > 0;
	}
	assert_true(n_consistent > 10000 && n_refused > 10000); /* both sides were looked at */
}

/* Every number in turn, for some chains. */
static void strict_is_the_rules_for_every_mtu(void **state)
{
	(void)state;
	random_state = 9216;
	for (int i = 0; i < 20; i++) {
		static struct world world;
		struct findings findings;

		make_world(&world);
		for (int mtu = 68; mtu <= 9978; mtu++)
			check_strict(&world, mtu, &findings);
	}
}

/* What may be found of a consistent chain when one of its hops has become larger. */
static int may_break(const struct world *world, enum mtu_hop_kind kind)
{
	if (kind == MTU_HOP_DEVICE)
		return 0;
	if (kind == MTU_HOP_BESIDE)
		return RULE_BESIDE;
	if (kind == MTU_HOP_PF)
		return RULE_PORT_SWITCH | RULE_EXPECTED;
	if (kind == MTU_HOP_UPPER && drivers[world->driver].follows_bond)
		return RULE_PORT_SWITCH | RULE_REPORTED;
	return RULE_PORT_SWITCH;
}

static void check_raised(const struct world *world, size_t i, int by)
{
	struct world raised = *world;
	struct mtu_hop *hop = &raised.chain.hops[i];
	struct mtu_chain chain;
	struct findings findings;
	int found;

	if (hop->kind != MTU_HOP_DEVICE)
		hop->mtu += by;
	else if (hop->max)
		hop->max += by;
	plan_world(&raised, &chain, &findings);
	found = rules_found(&findings, SEVERITY_ERROR) | rules_found(&findings, SEVERITY_WARNING);
	if (found & ~may_break(world, hop->kind))
		fail_world(&raised, &findings, chain.pod_mtu, may_break(world, hop->kind), found);
	for (size_t j = 0; j < findings.n; j++)
		if (strcmp(findings.items[j].id, "port-mtu-above-switch") == 0)
			assert_non_null(strstr(findings.items[j].hop, hop->name));
}

static void check_switch_raised(const struct world *world, int by)
{
	static struct world raised;
	struct mtu_chain chain;
	struct findings findings;

	raised = *world;
	raised.fabric.sw.mtu.value += by;
	for (int class = 0; class < SWITCH_CLASSES; class ++)
		raised.fabric.sw.class_mtu[class].value += by;
	if (raised.chain.fabric)
		raised.chain.fabric = &raised.fabric;
	plan_world(&raised, &chain, &findings);
	if (findings.n > 0)
		fail_world(&raised, &findings, chain.pod_mtu, 0, -1);
}

/* A larger hop harms nothing but by what the switch permits, and what a bond's MTU promises. */
static void larger_hops_do_no_harm(void **state)
{
	int n_consistent = 0;

	(void)state;
	random_state = 4200;
	for (int i = 0; i < 20000; i++) {
		static struct world world;
		struct mtu_chain chain;
		struct findings findings;

		make_world(&world);
		world.chain.mtu = (struct opt_int)SET(some_mtu());
		plan_world(&world, &chain, &findings);
		if (findings.n > 0)
			continue;
		n_consistent++;
		for (size_t hop = 0; hop < world.chain.n_hops; hop++) {
			check_raised(&world, hop, 1);
			check_raised(&world, hop, 1 + chance(3000));
		}
		check_switch_raised(&world, 1 + chance(3000));
	}
	assert_true(n_consistent > 2000);
}

/* The largest number that breaks none of these rules, by trying each; 0: none. */
static int largest(const struct world *world, int most, int rules)
{
	for (int mtu = most; mtu >= 68; mtu--)
		if (!(broken(world, mtu) & rules))
			return mtu;
	return 0;
}

static void check_clamp(struct world *world, int asked)
{
	int best = largest(world, asked ? asked : MTU_JUMBO, RULES_POD);
	struct mtu_chain chain;
	struct findings findings;
	int errors;
	bool lowered = false;

	world->chain.mtu = (struct opt_int){ asked != 0, asked };
	world->chain.policy = MTU_CLAMP;
	plan_world(world, &chain, &findings);
	errors = rules_found(&findings, SEVERITY_ERROR);
	for (size_t i = 0; i < findings.n; i++)
		lowered |= strcmp(findings.items[i].id, "pod-mtu-lowered") == 0;
	if (best && chain.pod_mtu != best)
		fail_world(world, &findings, asked, best, chain.pod_mtu);
	if (((errors & RULES_POD) != 0) != (best == 0))
		fail_world(world, &findings, asked, best, errors);
	if (asked && !best)
		assert_int_equal(chain.pod_mtu, asked);
	assert_int_equal(lowered, asked && best && best < asked);
	assert_int_equal(errors & RULE_PORT_SWITCH, broken(world, 68) & RULE_PORT_SWITCH);
	assert_true(!asked || chain.pod_mtu <= asked);
}

static void clamp_is_the_largest(void **state)
{
	(void)state;
	random_state = 9000;
	for (int i = 0; i < 400; i++) {
		static struct world world;

		make_world(&world);
		check_clamp(&world, some_mtu());
		check_clamp(&world, 9978);
		check_clamp(&world, 0);
	}
}

/* With no number asked for: the largest that is consistent, or a refusal if none is. */
static void automatic_is_the_largest_of_all(void **state)
{
	(void)state;
	random_state = 1500;
	for (int i = 0; i < 400; i++) {
		static struct world world;
		struct mtu_chain chain;
		struct findings findings;
		int best, errors;

		make_world(&world);
		best = largest(&world, MTU_JUMBO, RULES_POD);
		plan_world(&world, &chain, &findings);
		errors = rules_found(&findings, SEVERITY_ERROR) & RULES_POD;
		if ((errors != 0) != (best == 0) || (best && chain.pod_mtu != best))
			fail_world(&world, &findings, 0, best, chain.pod_mtu);
		if (best)
			assert_int_equal(rules_found(&findings, SEVERITY_WARNING) |
						 (broken(&world, best) & RULE_PORT_SWITCH),
					 broken(&world, best));
	}
}

/* Rules that the kernel itself has: of the device's driver, and of the parent of some devices. */
static int broken_for_kernel(const struct world *world, int mtu)
{
	int rules = broken(world, mtu) & (RULE_DEVICE_MAX | RULE_DEVICE_MIN);

	for (size_t i = 0; i < world->chain.n_hops; i++)
		if (world->chain.hops[i].holds && mtu > world->chain.hops[i].mtu)
			rules |= RULE_PORT;
	return rules;
}

/* "warn" refuses only what the kernel would. */
static void check_warn(struct world *world, int asked)
{
	int best = asked ? asked : largest(world, MTU_JUMBO, RULES_POD & ~RULE_ROCE);
	struct mtu_chain chain;
	struct findings findings;
	int refused;

	world->chain.mtu = (struct opt_int){ asked != 0, asked };
	world->chain.policy = MTU_WARN;
	plan_world(world, &chain, &findings);
	refused = broken_for_kernel(world, chain.pod_mtu);
	if (best && chain.pod_mtu != best)
		fail_world(world, &findings, asked, best, chain.pod_mtu);
	if (rules_found(&findings, SEVERITY_ERROR) != refused ||
	    (count(&findings, SEVERITY_ERROR) > 0) != (refused != 0))
		fail_world(world, &findings, asked, refused,
			   rules_found(&findings, SEVERITY_ERROR));
	if (broken(world, chain.pod_mtu) & RULES_STRICT)
		assert_true(findings.n > 0);
}

static void warn_refuses_only_what_the_kernel_would(void **state)
{
	(void)state;
	random_state = 4096;
	for (int i = 0; i < 400; i++) {
		static struct world world;

		make_world(&world);
		check_warn(&world, 0);
		for (int j = 0; j < 20; j++)
			check_warn(&world, some_mtu());
	}
}

/* The bottleneck is a hop that lets no more through than any other. */
static void bottleneck_lets_the_least_through(void **state)
{
	(void)state;
	random_state = 2200;
	for (int i = 0; i < 20000; i++) {
		static struct world world;
		struct mtu_chain chain;
		struct findings findings;
		const struct mtu_hop *hop;
		int most;

		make_world(&world);
		world.chain.mtu = (struct opt_int)SET(9000);
		plan_world(&world, &chain, &findings);
		hop = &chain.hops[chain.bottleneck];
		most = hop->kind == MTU_HOP_DEVICE ? hop->max ? hop->max : 65535 : hop->mtu;
		assert_true(hop->kind != MTU_HOP_BESIDE);
		if (hop->kind == MTU_HOP_SWITCH)
			assert_true(passes_switch(&world, most, chain.vlan_tags, false) &&
				    !passes_switch(&world, most + 1, chain.vlan_tags, false));
		assert_false(broken(&world, most) & (RULE_DEVICE_MAX | RULE_PORT | RULE_SWITCH));
	}
}

static const struct CMUnitTest fixed[] = {
	cmocka_unit_test(consistent_chains_pass),
	cmocka_unit_test(each_rule_broken_alone_is_named),
	cmocka_unit_test(fix_below_the_least_path_mtu_is_possible),
	cmocka_unit_test(automatic_mtu_is_one_a_netdev_takes),
	cmocka_unit_test(several_hops_are_all_named),
	cmocka_unit_test(every_plan_ends),
	cmocka_unit_test(bottleneck_is_the_least),
	cmocka_unit_test(hops_are_marked),
	cmocka_unit_test(routes_follow_the_policy),
	cmocka_unit_test(frames_hold),
	cmocka_unit_test(warnings_refuse_nothing),
	cmocka_unit_test(findings_never_overflow),
	cmocka_unit_test(names_are_complete),
	cmocka_unit_test(strict_is_the_rules),
	cmocka_unit_test(strict_is_the_rules_for_every_mtu),
	cmocka_unit_test(larger_hops_do_no_harm),
	cmocka_unit_test(clamp_is_the_largest),
	cmocka_unit_test(automatic_is_the_largest_of_all),
	cmocka_unit_test(warn_refuses_only_what_the_kernel_would),
	cmocka_unit_test(bottleneck_lets_the_least_through),
};

int main(void)
{
	static struct CMUnitTest tests[ARRAY_SIZE(fixed) + ARRAY_SIZE(judged)];

	memcpy(tests, fixed, sizeof(fixed));
	row_tests(tests + ARRAY_SIZE(fixed), "judged", judged, chain_is_judged);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
