// SPDX-License-Identifier: Apache-2.0
#include "conf/mtu.h"

#include <stdio.h>

enum { ETH_HEADER = 14, ETH_FCS = 4, VLAN_TAG = 4 };

int mtu_roce_need(int roce_mtu)
{
	return roce_mtu + MTU_ROCE_OVERHEAD;
}

int mtu_roce_active(int netdev_mtu)
{
	for (int mtu = MTU_ROCE_MAX; mtu >= MTU_ROCE_MIN; mtu /= 2)
		if (mtu_roce_need(mtu) <= netdev_mtu)
			return mtu;
	return 0;
}

/* Bytes of a switch's MTU that are not the IP packet's. */
static int switch_overhead(enum switch_semantics semantics, int vlan_tags)
{
	switch (semantics) {
	case SWITCH_L2HDR:
		return ETH_HEADER + VLAN_TAG * vlan_tags;
	case SWITCH_L2FRAME:
		return ETH_HEADER + ETH_FCS + VLAN_TAG * vlan_tags;
	case SWITCH_L3:
	case SWITCH_SEMANTICS_MAX:
		break;
	}
	return vlan_tags > 1 ? VLAN_TAG * (vlan_tags - 1) : 0;
}

int mtu_switch_permits(int switch_mtu, enum switch_semantics semantics, int vlan_tags)
{
	return switch_mtu - switch_overhead(semantics, vlan_tags);
}

int mtu_switch_needs(int netdev_mtu, enum switch_semantics semantics, int vlan_tags)
{
	return netdev_mtu + switch_overhead(semantics, vlan_tags);
}

const char *mtu_hop_kind_name(enum mtu_hop_kind kind)
{
	static const char *const names[MTU_HOP_MAX] = {
		[MTU_HOP_DEVICE] = "device", [MTU_HOP_PF] = "PF",	  [MTU_HOP_UPPER] = "upper",
		[MTU_HOP_LOWER] = "lower",   [MTU_HOP_SWITCH] = "switch",
	};

	return names[kind];
}

/* The switch, seen from the pod, is one more hop: what it permits is its MTU. */
static void add_switch(struct mtu_chain *chain)
{
	const struct fabric *fabric = chain->fabric;
	struct mtu_hop *hop = &chain->hops[chain->n_hops];

	if (!fabric || !fabric->switch_mtu.set || chain->n_hops == MTU_HOPS_MAX)
		return;
	*hop = (struct mtu_hop){
		.kind = MTU_HOP_SWITCH,
		.mtu = mtu_switch_permits(fabric->switch_mtu.value, fabric->semantics,
					  chain->vlan_tags),
	};
	snprintf(hop->name, sizeof(hop->name), "of fabric %.32s", fabric->name);
	chain->n_hops++;
}

/* What a hop lets through: the device can still be set, the others are as they are. */
static int hop_limit(const struct mtu_hop *hop)
{
	if (hop->kind != MTU_HOP_DEVICE)
		return hop->mtu;
	return hop->max > 0 ? hop->max : MTU_JUMBO;
}

static int largest_consistent(const struct mtu_chain *chain)
{
	int mtu = MTU_JUMBO;

	for (size_t i = 0; i < chain->n_hops; i++)
		if (hop_limit(&chain->hops[i]) < mtu)
			mtu = hop_limit(&chain->hops[i]);
	return mtu;
}

/*
 * The pod's MTU. When nobody asked for one and the chain does not carry the RoCE path MTU, the least
 * that would is taken, so that the hops that fail it are named.
 */
static int settle_pod_mtu(const struct mtu_chain *chain)
{
	int largest, least;

	if (chain->mtu.set)
		return chain->mtu.value;
	if (chain->fabric && chain->fabric->pod_mtu.set)
		return chain->fabric->pod_mtu.value;
	largest = largest_consistent(chain);
	least = chain->roce_mtu.set ? mtu_roce_need(chain->roce_mtu.value) : PROFILE_MTU_MIN;
	return largest < least ? least : largest;
}

static void check_roce(const struct mtu_chain *chain, struct findings *findings)
{
	int roce = chain->roce_mtu.value, need = mtu_roce_need(roce);
	int usual = roce == MTU_ROCE_MAX ? MTU_USUAL_4096 : need + 8;
	struct finding *f;

	if (!chain->roce_mtu.set || chain->pod_mtu >= need)
		return;
	f = finding_add(findings, SEVERITY_ERROR, ROCE_MTU_MISMATCH, "pod-mtu-below-roce-mtu",
			"pod: netdev MTU %d does not carry RoCE path MTU %d: with %d bytes of RoCE headers %d is the least and %d the usual value, %d gives a path MTU of %d",
			chain->pod_mtu, roce, MTU_ROCE_OVERHEAD, need, usual, chain->pod_mtu,
			mtu_roce_active(chain->pod_mtu));
	snprintf(f->hop, sizeof(f->hop), "pod");
	f->have = chain->pod_mtu;
	f->want = need;
	if (chain->pod_roce_mtu)
		finding_fix(f, "write \"mtu\": %d (or 9000), or \"roceMTU\": %d", usual,
			    chain->pod_roce_mtu);
	else
		finding_fix(f, "write \"mtu\": %d (or 9000)", usual);
}

static struct finding *refuse(struct findings *findings, const char *id, const struct mtu_hop *hop,
			      int have, int want, const char *what)
{
	struct finding *f = finding_add(findings, SEVERITY_ERROR, ROCE_MTU_MISMATCH, id, "%s %s: %s",
					mtu_hop_kind_name(hop->kind), hop->name, what);

	snprintf(f->hop, sizeof(f->hop), "%s %s", mtu_hop_kind_name(hop->kind), hop->name);
	f->have = have;
	f->want = want;
	return f;
}

static void refuse_device(const struct mtu_hop *hop, struct findings *findings)
{
	struct finding *f;
	char what[96];

	snprintf(what, sizeof(what), "its driver takes an MTU of at most %d, the pod needs %d",
		 hop->max, hop->need);
	f = refuse(findings, "device-max-mtu-too-small", hop, hop->max, hop->need, what);
	finding_fix(f, "write \"mtu\": %d or less, or use a device that takes more", hop->max);
}

static void refuse_switch(const struct mtu_chain *chain, const struct mtu_hop *hop,
			  struct findings *findings)
{
	const struct fabric *fabric = chain->fabric;
	struct finding *f;
	char what[160];

	snprintf(what, sizeof(what),
		 "its MTU %d (%s, %d VLAN tags) permits a netdev MTU of %d, the pod needs %d",
		 fabric->switch_mtu.value, profile_semantics_name(fabric->semantics),
		 chain->vlan_tags, hop->mtu, hop->need);
	f = refuse(findings, "switch-mtu-too-small", hop, hop->mtu, hop->need, what);
	finding_fix(f,
		    "set the switch's MTU to %d or more and fabrics.%.64s.switch.mtu in %s with it, or write \"mtu\": %d or less",
		    mtu_switch_needs(hop->need, fabric->semantics, chain->vlan_tags), fabric->name,
		    PROFILE_PATH, hop->mtu);
}

static void refuse_port(const struct mtu_hop *hop, struct findings *findings)
{
	struct finding *f;
	char what[64];

	snprintf(what, sizeof(what), "its MTU is %d, the pod needs %d", hop->mtu, hop->need);
	f = refuse(findings, "port-mtu-too-small", hop, hop->mtu, hop->need, what);
	finding_fix(f, "ip link set dev %s mtu %d", hop->name, hop->need);
}

static void judge_hop(const struct mtu_chain *chain, struct mtu_hop *hop,
		      struct findings *findings)
{
	bool device = hop->kind == MTU_HOP_DEVICE;

	hop->need = chain->pod_mtu;
	hop->ok = device ? hop->max == 0 || hop->need <= hop->max : hop->need <= hop->mtu;
	if (hop->ok)
		return;
	if (device)
		refuse_device(hop, findings);
	else if (hop->kind == MTU_HOP_SWITCH)
		refuse_switch(chain, hop, findings);
	else
		refuse_port(hop, findings);
}

/* A port sends frames of its own, untagged, up to its MTU: the switch must take those as well. */
static void check_ports(const struct mtu_chain *chain, struct findings *findings)
{
	const struct fabric *fabric = chain->fabric;
	int permits;

	if (!fabric || !fabric->switch_mtu.set)
		return;
	permits = mtu_switch_permits(fabric->switch_mtu.value, fabric->semantics, 0);
	for (size_t i = 0; i < chain->n_hops; i++) {
		const struct mtu_hop *hop = &chain->hops[i];
		char what[192];

		if (hop->kind == MTU_HOP_DEVICE || hop->kind == MTU_HOP_SWITCH || hop->mtu <= permits)
			continue;
		snprintf(what, sizeof(what),
			 "its MTU %d is more than the %d that the switch of fabric %.32s permits (MTU %d, %s): larger frames vanish",
			 hop->mtu, permits, fabric->name, fabric->switch_mtu.value,
			 profile_semantics_name(fabric->semantics));
		finding_fix(refuse(findings, "port-mtu-above-switch", hop, hop->mtu, permits, what),
			    "ip link set dev %s mtu %d", hop->name, permits);
	}
}

void mtu_plan(struct mtu_chain *chain, struct findings *findings)
{
	if (!chain->roce_mtu.set && chain->fabric)
		chain->roce_mtu = chain->fabric->roce_mtu;
	add_switch(chain);
	chain->pod_mtu = settle_pod_mtu(chain);
	chain->pod_roce_mtu = mtu_roce_active(chain->pod_mtu);
	check_roce(chain, findings);
	for (size_t i = 0; i < chain->n_hops; i++)
		judge_hop(chain, &chain->hops[i], findings);
	check_ports(chain, findings);
}
