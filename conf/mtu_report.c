// SPDX-License-Identifier: Apache-2.0
#include "conf/mtu_report.h"

#include "conf/mtu_rules.h"
#include "conf/roce.h"

#include <stdio.h>

/* ---- findings about one hop ---- */

static struct finding *hop_finding(struct findings *findings, enum severity severity, const char *id,
				   const struct mtu_hop *hop, int have, int want, const char *what)
{
	const char *kind = mtu_hop_kind_name(hop->kind);
	struct finding *f = finding_add(findings, severity, ROCE_MTU_MISMATCH, id, "%s %s: %s", kind,
					hop->name, what);

	snprintf(f->hop, sizeof(f->hop), "%s %s", kind, hop->name);
	f->have = have;
	f->want = want;
	return f;
}

/* What the kernel would refuse is an error by any policy, unless something else is set. */
static void report_device(const struct mtu_chain *chain, const struct mtu_hop *hop,
			  enum severity severity, struct findings *findings)
{
	bool small = hop->max && hop->need > hop->max;
	int limit = small ? hop->max : hop->min;
	struct finding *f;
	char what[96];

	snprintf(what, sizeof(what), "its driver takes an MTU of at %s %d, the pod needs %d",
		 small ? "most" : "least", limit, hop->need);
	if (chain->pod_mtu == hop->need)
		severity = SEVERITY_ERROR;
	f = hop_finding(findings, severity,
			small ? "device-max-mtu-too-small" : "device-min-mtu-too-large", hop, limit,
			hop->need, what);
	if (small)
		finding_fix(f, "write \"mtu\": %d or less, or use a device that takes more", limit);
	else
		finding_fix(f, "write \"mtu\": %d or more", limit);
}

/* Where the profile has the switch's MTU, which must follow; @key is "mtu" or "classMTU". */
static const char *profile_too(const struct fabric *fabric, const char *key, char buf[192])
{
	*buf = '\0';
	if (fabric->name)
		snprintf(buf, 192, " and fabrics.%.64s.switch.%s in %s with it", fabric->name, key,
			 PROFILE_PATH);
	return buf;
}

static void report_switch(const struct mtu_chain *chain, const struct mtu_hop *hop,
			  enum severity severity, struct findings *findings)
{
	const struct fabric *fabric = chain->fabric;
	int configured = fabric_needs(fabric, hop->mtu, chain->vlan_tags); /* of the least class */
	struct finding *f;
	char what[160], too[192];

	snprintf(what, sizeof(what),
		 "its MTU %d (%s, %d VLAN tags) permits a netdev MTU of %d, the pod needs %d",
		 configured, switch_semantics_name(fabric->sw.semantics),
		 fabric_tags(fabric, chain->vlan_tags), hop->mtu, hop->need);
	f = hop_finding(findings, severity, "switch-mtu-too-small", hop, hop->mtu, hop->need, what);
	finding_fix(f, "set the switch's MTU to %d or more%s",
		    fabric_needs(fabric, hop->need, chain->vlan_tags),
		    profile_too(fabric, configured == fabric->sw.mtu.value ? "mtu" : "classMTU",
				too));
	if (hop->mtu >= NETDEV_MTU_MIN)
		finding_fix_or(f, "write \"mtu\": %d or less", hop->mtu);
}

static void report_port(const struct mtu_chain *chain, const struct mtu_hop *hop,
			enum severity severity, struct findings *findings)
{
	bool pf = hop->kind == MTU_HOP_PF;
	int expected = pf && chain->fabric ? chain->fabric->pf_mtu.value : 0;
	const struct mtu_hop *master = hop + 1; /* of a PF: its bond or team, which sets its MTU */
	bool follows = pf && master < &chain->hops[chain->n_hops] &&
		       master->kind == MTU_HOP_UPPER && !master->ok;
	struct finding *f;
	char what[64];

	if (hop->holds && chain->pod_mtu == hop->need)
		severity = SEVERITY_ERROR;
	snprintf(what, sizeof(what), "its MTU is %d, the pod needs %d", hop->mtu, hop->need);
	f = hop_finding(findings, severity, "port-mtu-too-small", hop, hop->mtu, hop->need, what);
	if (hop->max && hop->need > hop->max)
		finding_fix(f, "write \"mtu\": %d or less: the driver of %s takes no more", hop->max,
			    hop->name);
	else
		finding_fix(f, "ip link set dev %s mtu %d%s", follows ? master->name : hop->name,
			    expected > hop->need ? expected : hop->need,
			    follows ? " (its members follow)" : "");
}

static void report_hop(const struct mtu_chain *chain, const struct mtu_hop *hop,
		       enum severity severity, struct findings *findings)
{
	switch (hop->kind) {
	case MTU_HOP_DEVICE:
		report_device(chain, hop, severity, findings);
		break;
	case MTU_HOP_SWITCH:
		report_switch(chain, hop, severity, findings);
		break;
	case MTU_HOP_PF:
	case MTU_HOP_UPPER:
	case MTU_HOP_LOWER:
		report_port(chain, hop, severity, findings);
		break;
	case MTU_HOP_BESIDE:
	case MTU_HOP_MAX:
		break;
	}
}

/* ---- findings about the pod ---- */

static struct finding *pod_finding(struct findings *findings, enum severity severity, const char *id,
				   int have, int want, const char *what)
{
	struct finding *f = finding_add(findings, severity, ROCE_MTU_MISMATCH, id, "pod: %s", what);

	snprintf(f->hop, sizeof(f->hop), "pod");
	f->have = have;
	f->want = want;
	return f;
}

/* Why the number that the RDMA device shows is no argument. */
static void explain_reported(const struct mtu_chain *chain, int mtu, char *buf, size_t size)
{
	int roce = mtu_reported(chain, mtu);

	*buf = '\0';
	if (roce > roce_carried(mtu))
		snprintf(buf, size,
			 "; do not trust the %d that driver %s reports: it does not count all headers",
			 roce, chain->driver);
}

static void check_roce(const struct mtu_chain *chain, int mtu, enum severity severity,
		       struct findings *findings)
{
	int roce = chain->roce_mtu.value, need = roce_need(roce), usual = roce_usual(roce);
	int carried = roce_carried(mtu);
	char what[420], trust[160], gives[32] = "none";
	struct finding *f;

	if (!chain->roce_mtu.set || mtu >= need)
		return;
	explain_reported(chain, mtu, trust, sizeof(trust));
	if (carried)
		snprintf(gives, sizeof(gives), "a path MTU of %d", carried);
	snprintf(what, sizeof(what),
		 "netdev MTU %d does not carry RoCE path MTU %d: with %d bytes of RoCE headers %d is the least and %d the usual value, %d gives %s%s",
		 mtu, roce, ROCE_OVERHEAD, need, usual, mtu, gives, trust);
	f = pod_finding(findings, severity, "pod-mtu-below-roce-mtu", mtu, need, what);
	if (carried)
		finding_fix(f, "write \"mtu\": %d (or 9000), or \"roceMTU\": %d", usual, carried);
	else
		finding_fix(f, "write \"mtu\": %d (or 9000)", usual);
}

/* The device will report a path MTU whose packets do not fit the pod's netdev MTU. */
static void check_reported(const struct mtu_chain *chain, int judged, struct findings *findings)
{
	const struct mtu_hop *bond = mtu_leading_bond(chain);
	int roce = chain->device_roce_mtu, carried = chain->pod_roce_mtu;
	char what[320], why[96];

	if (roce <= carried || judged < mtu_least(chain)) /* check_roce() has said it */
		return;
	if (bond && mtu_reported(chain, chain->pod_mtu) < roce)
		snprintf(why, sizeof(why), "it takes the MTU %d of %s", bond->mtu, bond->name);
	else
		snprintf(why, sizeof(why), "it does not count all headers");
	snprintf(what, sizeof(what),
		 "driver %s reports a RoCE path MTU of %d at netdev MTU %d, do not trust it: %s, and packets of more than %d do not fit",
		 chain->driver, roce, chain->pod_mtu, why, carried);
	finding_fix(pod_finding(findings, SEVERITY_WARNING, "device-overstates-path-mtu", roce,
				carried, what),
		    "write \"mtu\": %d or more, or have applications ask for a path MTU of %d",
		    roce_need(roce), carried);
}

static void check_packets(const struct mtu_chain *chain, int mtu, enum severity severity,
			  struct findings *findings)
{
	const struct fabric *fabric = chain->fabric;
	int packet = mtu_longest_packet(chain, mtu), permitted;
	char what[256], class[32] = "", too[192];
	struct finding *f;

	if (mtu_packets_fit(chain, mtu))
		return;
	if (fabric->qos.traffic_class.set)
		snprintf(class, sizeof(class), " in traffic class %d",
			 fabric->qos.traffic_class.value);
	permitted = fabric_permits_roce(fabric, chain->vlan_tags);
	snprintf(what, sizeof(what),
		 "netdev MTU %d gives RoCE packets of up to %d bytes, the switch permits %d%s", mtu,
		 packet, permitted, class);
	f = pod_finding(findings, severity, "roce-packet-above-switch", packet, permitted, what);
	finding_fix(f,
		    "set the switch's MTU%s to %d or more%s", class,
		    fabric_needs(fabric, packet, chain->vlan_tags),
		    profile_too(fabric, *class ? "classMTU" : "mtu", too));
	if (mtu_largest(chain, mtu) >= NETDEV_MTU_MIN)
		finding_fix_or(f, "write \"mtu\": %d or less", mtu_largest(chain, mtu));
}

static void report_lowered(const struct mtu_chain *chain, int wanted, struct findings *findings)
{
	const struct mtu_hop *hop = &chain->hops[chain->bottleneck];
	char what[160];

	if (chain->pod_mtu < mtu_limit(hop)) /* RoCE's packets are what does not fit */
		hop = mtu_find_hop(chain, MTU_HOP_SWITCH);
	snprintf(what, sizeof(what),
		 "its MTU is lowered from %d to %d, the bottleneck is %s %s (policy %s)", wanted,
		 chain->pod_mtu, mtu_hop_kind_name(hop->kind), hop->name,
		 profile_policy_name(chain->policy));
	finding_fix(pod_finding(findings, SEVERITY_WARNING, "pod-mtu-lowered", chain->pod_mtu, wanted,
				what),
		    "write \"mtu\": %d, or raise the hops named above", chain->pod_mtu);
}

/* ---- findings about ports ---- */

/* A port sends frames of its own up to its MTU: the switch must take those as well. */
static void check_port(const struct mtu_chain *chain, const struct mtu_hop *hop,
		       struct findings *findings)
{
	const struct fabric *fabric = chain->fabric;
	bool warn = chain->policy == MTU_WARN || hop->kind == MTU_HOP_BESIDE;
	int permits = fabric_permits(fabric, hop->tags);
	char what[192];

	if (hop->kind == MTU_HOP_DEVICE || hop->kind == MTU_HOP_SWITCH || hop->mtu <= permits)
		return;
	snprintf(what, sizeof(what),
		 "its MTU %d is more than the %d that the switch of fabric %.32s permits (MTU %d, %s): larger frames vanish",
		 hop->mtu, permits, fabric->name ? fabric->name : "-",
		 fabric_needs(fabric, permits, hop->tags),
		 switch_semantics_name(fabric->sw.semantics));
	finding_fix(hop_finding(findings, warn ? SEVERITY_WARNING : SEVERITY_ERROR,
				"port-mtu-above-switch", hop, hop->mtu, permits, what),
		    "ip link set dev %s mtu %d", hop->name, permits);
}

static void check_expected(const struct mtu_chain *chain, struct findings *findings)
{
	const struct mtu_hop *pf = mtu_find_hop(chain, MTU_HOP_PF);
	struct opt_int expected = chain->fabric ? chain->fabric->pf_mtu : (struct opt_int){ 0 };
	char what[96];

	if (!pf || !pf->ok || !expected.set || pf->mtu == expected.value)
		return;
	snprintf(what, sizeof(what), "its MTU is %d, the profile expects pfMTU %d", pf->mtu,
		 expected.value);
	finding_fix(hop_finding(findings, SEVERITY_WARNING, "pf-mtu-unexpected", pf, pf->mtu,
				expected.value, what),
		    "ip link set dev %s mtu %d", pf->name, expected.value);
}

static void check_platform(const struct mtu_chain *chain, struct findings *findings)
{
	const struct switch_platform *p = chain->fabric ? chain->fabric->sw.platform : NULL;
	const struct mtu_hop *hop = mtu_find_hop(chain, MTU_HOP_SWITCH);
	char what[128];

	if (!p || p->verified || !hop)
		return;
	snprintf(what, sizeof(what),
		 "what the MTU of platform %s counts is not verified, %s is the safe guess", p->name,
		 switch_semantics_name(p->semantics));
	finding_fix(hop_finding(findings, SEVERITY_INFO, "platform-not-verified", hop, 0, 0, what),
		    "send a frame of that size through it");
}

/* ---- the whole ---- */

void mtu_report_wanted(const struct mtu_chain *chain, int wanted, enum severity severity,
		       struct findings *findings)
{
	check_roce(chain, wanted, severity, findings);
	for (size_t i = 0; i < chain->n_hops; i++)
		if (!chain->hops[i].ok)
			report_hop(chain, &chain->hops[i], severity, findings);
	check_packets(chain, wanted, severity, findings);
	if (chain->pod_mtu != wanted)
		report_lowered(chain, wanted, findings);
}

void mtu_report_planned(const struct mtu_chain *chain, int wanted, struct findings *findings)
{
	check_reported(chain, wanted, findings);
	for (size_t i = 0; mtu_knows_switch(chain) && i < chain->n_hops; i++)
		check_port(chain, &chain->hops[i], findings);
	check_expected(chain, findings);
	check_platform(chain, findings);
}

int mtu_route(const struct mtu_chain *chain, const char *dst, int mtu, struct findings *findings)
{
	bool strict = chain->policy == MTU_STRICT, clamp = chain->policy == MTU_CLAMP;
	char what[192];

	if (mtu <= chain->pod_mtu)
		return mtu;
	snprintf(what, sizeof(what), "route %s has MTU %d, its interface has %d%s", dst, mtu,
		 chain->pod_mtu, clamp ? ": lowered" : "");
	finding_fix(pod_finding(findings, strict ? SEVERITY_ERROR : SEVERITY_WARNING,
				"route-mtu-too-large", mtu, chain->pod_mtu, what),
		    "write \"mtu\": %d or less in that route", chain->pod_mtu);
	return clamp ? chain->pod_mtu : mtu;
}
