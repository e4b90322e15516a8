// SPDX-License-Identifier: Apache-2.0
#include "cni/plan.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <stdio.h>

static struct step *add_step(struct plan *plan, enum step_type type)
{
	struct step *step = &plan->steps[plan->n_steps++];

	*step = (struct step){ .type = type };
	return step;
}

static void check_profile(const struct profile *profile, struct plan *plan)
{
	struct finding *f;

	if (profile->present)
		return;
	f = finding_add(&plan->findings, SEVERITY_WARNING, CNI_OK, "no-profile",
			"no node profile: the switch's MTU is not known, only the host's rules hold");
	finding_fix(f, "write %s (see roce-cni's docs/profile.md)", PROFILE_PATH);
}

/* ---- the MTU ---- */

/* A network may be stricter than the node; looser only if the node's administrator allows it. */
enum mtu_policy plan_policy(const struct netconf *conf, const struct profile *profile,
			    struct findings *findings)
{
	struct finding *f;

	if (!conf->has_policy)
		return profile->mtu;
	if (conf->policy <= profile->mtu || profile->may_loosen)
		return conf->policy;
	f = finding_add(findings, SEVERITY_ERROR, CNI_CONFIG_INVALID, "mtu-policy-too-loose",
			"mtuPolicy \"%s\" is looser than the node's policy \"%s\"",
			profile_policy_name(conf->policy), profile_policy_name(profile->mtu));
	finding_fix(f, "leave mtuPolicy out, or have the node's administrator write \"policy\": {\"mayLoosen\": true} in %s",
		    PROFILE_PATH);
	return profile->mtu;
}

static void plan_mtu(const struct netconf *conf, const struct profile *profile,
		     const struct host_state *state, struct plan *plan)
{
	bool tagged = conf->set.vlan.set ? conf->set.vlan.value > 0 : state->vf.vlan.id > 0;
	struct mtu_chain *chain = &plan->chain;

	chain_ask(&state->chain, state->fabric, state->device.pci.driver, tagged, chain);
	chain->mtu = conf->set.mtu;
	chain->roce_mtu = conf->roce_mtu;
	chain->policy = plan_policy(conf, profile, &plan->findings);
	mtu_plan(chain, &plan->findings);
	if (state->chain.more)
		finding_add(&plan->findings, SEVERITY_WARNING, CNI_OK, "chain-cut-short",
			    "more than %d netdevs are on the way or on the same port: the MTU of the others was not looked at",
			    MTU_HOPS_MAX);
}

/* ---- the steps ---- */

/* A step that changes nothing is there for the undo: a pod may change the value, the next must not inherit it. */
static void plan_switch(enum step_type type, bool have, struct opt_int want, struct plan *plan)
{
	struct step *step = add_step(plan, type);

	step->have.on = have;
	step->want.on = want.set ? want.value : have;
}

static void plan_number(enum step_type type, int have, struct opt_int want, struct plan *plan)
{
	struct step *step = add_step(plan, type);

	step->have.number = have;
	step->want.number = want.set ? want.value : have;
}

static void plan_vlan(const struct netconf *conf, const struct host_state *state, struct plan *plan)
{
	const struct settings *set = &conf->set;
	struct step *step = add_step(plan, STEP_VF_VLAN);

	step->have.vlan = step->want.vlan = state->vf.vlan;
	if (!set->vlan.set || (set->vlan.value == 0 && state->vf.vlan.id == 0))
		return;
	step->want.vlan = (struct vf_vlan){
		set->vlan.value,
		set->vlan_qos.value,
		set->vlan_proto.set ? set->vlan_proto.value : ETH_P_8021Q,
	};
}

/* The kernel has no request for one of the two: what is not asked for stays. */
struct vf_rate plan_rate_wanted(const struct netconf *conf, const struct host_state *state)
{
	const struct settings *set = &conf->set;
	struct vf_rate rate = state->vf.rate;

	if (set->min_tx_rate.set)
		rate.min = set->min_tx_rate.value;
	if (set->max_tx_rate.set)
		rate.max = set->max_tx_rate.value;
	return rate;
}

static void plan_vf(const struct netconf *conf, const struct host_state *state, struct plan *plan)
{
	const struct settings *set = &conf->set;
	struct step *step;

	step = add_step(plan, STEP_VF_RATE);
	step->have.rate = state->vf.rate;
	step->want.rate = plan_rate_wanted(conf, state);
	if (state->vf.spoofchk != VF_UNKNOWN)
		plan_switch(STEP_VF_SPOOFCHK, state->vf.spoofchk == VF_ON, set->spoofchk, plan);
	if (state->vf.trust != VF_UNKNOWN)
		plan_switch(STEP_VF_TRUST, state->vf.trust == VF_ON, set->trust, plan);
	step = add_step(plan, STEP_VF_LINK);
	step->have.link = step->want.link = state->vf.link;
	if (set->link_state.set)
		step->want.link = set->link_state.value;
}

static void plan_mac(const struct netconf *conf, const struct host_state *state, struct plan *plan)
{
	struct step *step = add_step(plan, STEP_MAC);
	struct step_mac *want = &step->want.mac;

	memcpy(step->have.mac.link, state->link.mac, LINK_MAC_LEN);
	memcpy(step->have.mac.admin, state->vf.mac, LINK_MAC_LEN);
	*want = step->have.mac;
	if (!conf->set.mac.set)
		return;
	if (!state->device.userspace)
		memcpy(want->link, conf->set.mac.bytes, LINK_MAC_LEN);
	if (state->device.pci.is_vf)
		memcpy(want->admin, conf->set.mac.bytes, LINK_MAC_LEN);
}

/* Names that something in the pod has already are left out there. */
static void plan_altnames(const struct host_state *state, struct plan *plan)
{
	struct step *step = add_step(plan, STEP_ALTNAMES);

	step->have.names = (1U << state->device.n_altnames) - 1;
	step->want.names = step->have.names & ~state->alt_taken;
}

static void plan_netdev(const struct netconf *conf, const struct host_state *state,
			struct plan *plan)
{
	const struct settings *set = &conf->set;
	const struct link *link = &state->link;

	plan_number(STEP_LINK_MTU, link->mtu, (struct opt_int){ true, plan->chain.pod_mtu }, plan);
	plan_switch(STEP_PROMISC, link->promisc, set->promisc, plan);
	plan_switch(STEP_ALLMULTI, link->allmulti, set->allmulti, plan);
	plan_number(STEP_TXQLEN, link->txqlen, set->txqlen, plan);
}

static void plan_move(const struct host_state *state, const char *ifname, struct plan *plan)
{
	const struct device *device = &state->device;
	struct step *step = add_step(plan, STEP_LINK_MOVE);
	struct step_at *have = &step->have.at, *want = &step->want.at;

	have->place = PLACE_HOST;
	have->ifindex = device->ifindex;
	memcpy(have->name, device->name, sizeof(have->name));
	want->place = PLACE_POD;
	want->ifindex = device->pod_ifindex;
	snprintf(want->name, sizeof(want->name), "%s", ifname);
}

static void plan_rdma(const struct netconf *conf, const struct host_state *state, struct plan *plan)
{
	struct step *step;

	if (!state->device.has_rdma || state->rdma_mode != RDMADEV_EXCLUSIVE ||
	    !netconf_takes_rdma(conf))
		return;
	step = add_step(plan, STEP_RDMA_MOVE);
	step->have.place = PLACE_HOST;
	step->want.place = PLACE_POD;
}

/* Last of all: it takes its GIDs from the netdev, which must be up. */
static void plan_soft(const struct netconf *conf, const struct host_state *state, struct plan *plan)
{
	struct step *step;

	if (conf->rdma != RDMA_SOFT)
		return;
	step = add_step(plan, STEP_RDMA_SOFT);
	step->soft = state->soft;
	step->want.on = true;
}

/* Those of the device itself come into being with it and go with it: there is nothing to restore. */
static void plan_sysctls(const struct netconf *conf, const struct host_state *state, struct plan *plan)
{
	for (size_t i = 0; i < conf->set.n_sysctls; i++) {
		const struct setting_sysctl *sysctl = &conf->set.sysctls[i];
		struct step *step = add_step(plan, STEP_SYSCTL);

		step->sysctl = state->sysctls[i].path;
		step->want.text = sysctl->value;
		if (!setting_of_device(sysctl->key))
			step->have.text = state->sysctls[i].value;
	}
}

static void plan_state(bool have, bool want, struct plan *plan)
{
	plan_switch(STEP_LINK_STATE, have, (struct opt_int){ true, want }, plan);
}

static void plan_device(const struct netconf *conf, const struct host_state *state,
			const char *ifname, struct plan *plan)
{
	bool netdev = !state->device.userspace;

	if (netdev) {
		plan_state(state->link.up, false, plan);
		add_step(plan, STEP_CONF);
		plan_altnames(state, plan);
	}
	if (state->device.pci.is_vf)
		plan_vlan(conf, state, plan);
	plan_mac(conf, state, plan);
	if (state->device.pci.is_vf)
		plan_vf(conf, state, plan);
	if (netdev) {
		plan_netdev(conf, state, plan);
		plan_move(state, ifname, plan);
		plan_rdma(conf, state, plan);
	}
	plan_sysctls(conf, state, plan);
	if (conf->ipam_type)
		add_step(plan, STEP_IPAM)->want.on = true;
	if (netdev) {
		plan_state(false, true, plan);
		plan_soft(conf, state, plan);
	}
}

void plan_add(const struct netconf *conf, const struct profile *profile,
	      const struct host_state *state, const char *ifname, struct plan *ret_plan)
{
	memset(ret_plan, 0, sizeof(*ret_plan));
	plan_check(conf, profile, state, ifname, &ret_plan->findings);
	plan_mtu(conf, profile, state, ret_plan);
	check_profile(profile, ret_plan);
	plan_device(conf, state, ifname, ret_plan);
}

/* ---- what the device has between two pods ---- */

static void settle_vlan(const struct settings *vf, union step_value *value)
{
	if (vf->vlan.set)
		value->vlan = (struct vf_vlan){
			vf->vlan.value,
			vf->vlan_qos.value,
			vf->vlan_proto.set ? vf->vlan_proto.value : ETH_P_8021Q,
		};
}

static void settle_rate(const struct settings *vf, union step_value *value)
{
	if (vf->min_tx_rate.set)
		value->rate.min = vf->min_tx_rate.value;
	if (vf->max_tx_rate.set)
		value->rate.max = vf->max_tx_rate.value;
}

static struct opt_int profile_value(const struct settings *vf, enum step_type type)
{
	if (type == STEP_VF_SPOOFCHK)
		return vf->spoofchk;
	if (type == STEP_VF_TRUST)
		return vf->trust;
	if (type == STEP_PROMISC)
		return vf->promisc;
	if (type == STEP_ALLMULTI)
		return vf->allmulti;
	if (type == STEP_LINK_MTU)
		return vf->mtu;
	return type == STEP_TXQLEN ? vf->txqlen : (struct opt_int){ false, 0 };
}

void plan_home(const struct fabric *fabric, struct step *steps, size_t n)
{
	for (size_t i = 0; fabric && i < n; i++) {
		union step_value *home = &steps[i].have;
		struct opt_int value = profile_value(&fabric->vf, steps[i].type);

		if (steps[i].type == STEP_VF_VLAN)
			settle_vlan(&fabric->vf, home);
		else if (steps[i].type == STEP_VF_RATE)
			settle_rate(&fabric->vf, home);
		else if (steps[i].type == STEP_VF_LINK && fabric->vf.link_state.set)
			home->link = fabric->vf.link_state.value;
		else if (value.set && step_kind(steps[i].type) == KIND_NUMBER)
			home->number = value.value;
		else if (value.set)
			home->on = value.value;
	}
}

/* ---- addresses ---- */

static struct addr to_addr(struct inet_prefix prefix)
{
	struct addr addr = { .family = prefix.addr.family, .prefix_len = prefix.len };

	inet_to_bytes(prefix.addr, addr.bytes);
	return addr;
}

static struct inet_addr first_gateway(const struct cni_result *result, int family)
{
	for (size_t i = 0; i < result->n_ips; i++)
		if (result->ips[i].gateway.family == family)
			return result->ips[i].gateway;
	return (struct inet_addr){ .family = AF_UNSPEC };
}

static struct route_number to_number(struct opt_int value)
{
	return (struct route_number){ .set = value.set, .value = (unsigned)value.value };
}

static struct route to_route(const struct cni_route *from, const struct cni_result *result)
{
	struct inet_addr gw = from->gw;
	struct route route = {
		.dst = to_addr((struct inet_prefix){ inet_first(from->dst), from->dst.len }),
		.mtu = to_number(from->mtu),
		.advmss = to_number(from->advmss),
		.priority = to_number(from->priority),
		.table = to_number(from->table),
		.scope = to_number(from->scope),
	};

	if (gw.family == AF_UNSPEC && !(from->scope.set && from->scope.value >= CNI_SCOPE_LINK))
		gw = first_gateway(result, from->dst.addr.family);
	route.has_gw = gw.family != AF_UNSPEC;
	if (route.has_gw)
		route.gw = to_addr((struct inet_prefix){ gw, inet_bits(gw.family) });
	return route;
}

void plan_addresses(const struct cni_result *result, struct plan *ret_plan)
{
	memset(ret_plan, 0, sizeof(*ret_plan));
	for (size_t i = 0; i < result->n_ips; i++) {
		struct step *step = add_step(ret_plan, STEP_ADDR);

		step->addr = to_addr(result->ips[i].address);
		step->want.on = true;
	}
	for (size_t i = 0; i < result->n_routes; i++) {
		struct step *step = add_step(ret_plan, STEP_ROUTE);

		step->route = to_route(&result->routes[i], result);
		step->want.on = true;
	}
}
