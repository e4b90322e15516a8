// SPDX-License-Identifier: Apache-2.0
#include "conf/mtu.h"

#include "conf/mtu_report.h"
#include "conf/mtu_rules.h"
#include "conf/roce.h"

#include <stdio.h>

const char *mtu_hop_kind_name(enum mtu_hop_kind kind)
{
	static const char *const names[MTU_HOP_MAX] = {
		[MTU_HOP_DEVICE] = "device", [MTU_HOP_PF] = "PF",	  [MTU_HOP_UPPER] = "upper",
		[MTU_HOP_LOWER] = "lower",   [MTU_HOP_BESIDE] = "beside", [MTU_HOP_SWITCH] = "switch",
	};

	return names[kind];
}

/* The switch, seen from the pod, is one more hop: what it permits is its MTU. */
static void add_switch(struct mtu_chain *chain)
{
	struct mtu_hop *hop = &chain->hops[chain->n_hops];

	if (!mtu_knows_switch(chain) || chain->n_hops == MTU_HOPS_MAX)
		return;
	*hop = (struct mtu_hop){
		.kind = MTU_HOP_SWITCH,
		.mtu = fabric_permits(chain->fabric, chain->vlan_tags),
		.tags = chain->vlan_tags,
	};
	if (chain->fabric->name)
		snprintf(hop->name, sizeof(hop->name), "of fabric %.32s", chain->fabric->name);
	else
		snprintf(hop->name, sizeof(hop->name), "as given");
	chain->n_hops++;
}

static void mark_hops(struct mtu_chain *chain, int mtu)
{
	for (size_t i = 0; i < chain->n_hops; i++) {
		struct mtu_hop *hop = &chain->hops[i];

		hop->need = hop->kind == MTU_HOP_BESIDE ? 0 : mtu;
		hop->ok = hop->need <= mtu_limit(hop) &&
			  !(hop->kind == MTU_HOP_DEVICE && mtu < hop->min);
	}
}

/* The number somebody asked for; unset: the chain decides. */
static struct opt_int asked_mtu(const struct mtu_chain *chain)
{
	if (chain->mtu.set || !chain->fabric)
		return chain->mtu;
	return chain->fabric->pod_mtu;
}

/*
 * The pod's MTU, and the number that is judged. When nobody asked for one and the chain does not
 * carry the RoCE path MTU, the least that would is judged, so that the hops that fail it are named.
 */
static int settle(struct mtu_chain *chain, enum severity *ret_severity)
{
	struct opt_int asked = asked_mtu(chain);
	int largest = mtu_largest(chain, asked.set ? NETDEV_MTU_MAX : MTU_JUMBO);
	int least = mtu_least(chain);
	int wanted = asked.set ? asked.value : largest < least ? least : largest;
	bool lower = wanted > largest;

	if (chain->policy == MTU_CLAMP)
		lower &= largest >= least;
	else
		lower &= chain->policy == MTU_WARN && !asked.set && largest >= mtu_floor(chain);
	*ret_severity = chain->policy == MTU_WARN || lower ? SEVERITY_WARNING : SEVERITY_ERROR;
	chain->pod_mtu = lower ? largest : wanted;
	return wanted;
}

void mtu_plan(struct mtu_chain *chain, struct findings *findings)
{
	const struct mtu_hop *bond;
	enum severity severity;
	int wanted;

	if (!chain->roce_mtu.set && chain->fabric)
		chain->roce_mtu = chain->fabric->roce_mtu;
	add_switch(chain);
	chain->bottleneck = mtu_bottleneck(chain);
	wanted = settle(chain, &severity);
	mark_hops(chain, wanted);
	mtu_report_wanted(chain, wanted, severity, findings);
	mark_hops(chain, chain->pod_mtu);
	chain->pod_roce_mtu = roce_carried(chain->pod_mtu);
	bond = mtu_leading_bond(chain);
	chain->device_roce_mtu = mtu_reported(chain, bond ? bond->mtu : chain->pod_mtu);
	mtu_report_planned(chain, wanted, findings);
}

int mtu_frame(const struct mtu_chain *chain)
{
	int roce = chain->roce_mtu.set ? chain->roce_mtu.value : chain->pod_roce_mtu;

	return roce_frame(roce, !chain->ipv4_only, chain->vlan_tags);
}
