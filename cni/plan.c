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

/* ---- may the device be taken at all ---- */

/* What forbids a device, and the command that would free it: before and after the name of @target. */
struct bar {
	bool raised;
	const char *id, *why, *instead, *command, *target, *rest;
};

void plan_check_device(const struct profile *profile, const struct host_state *state,
		       struct findings *findings)
{
	const char *name = state->device.name;
	const struct pci_dev *pci = &state->device.pci;
	bool stands_in = link_is_representor(&state->link); /* it has its PF's PCI address */
	const struct bar bars[] = {
		{ state->link.loopback || !state->link.ethernet, "device-not-ethernet",
		  "is no Ethernet interface", "name an Ethernet interface", "", "", "" },
		{ stands_in, "device-is-representor",
		  "is a representor, the other end of a VF in the adapter's switch",
		  "name the VF itself; the port that this stands for: ",
		  "cat /sys/class/net/", name, "/phys_port_name" },
		{ !stands_in && pci->num_vfs > 0, "device-is-pf",
		  "is a PF with VFs, which would go with it",
		  "name one of its VFs, or remove them: ", "echo 0 > /sys/class/net/", name,
		  "/device/sriov_numvfs" },
		{ !stands_in && pci->total_vfs > 0 && pci->num_vfs == 0 && !profile->allow_pf,
		  "device-is-pf", "is a PF, and the node profile has no \"allowPF\": true",
		  "make VFs and name one of them: ", "echo 1 > /sys/class/net/", name,
		  "/device/sriov_numvfs; or have the node's administrator allow it" },
		{ state->has_default_route, "device-has-default-route",
		  "carries the host's default route", "name another device", "", "", "" },
		{ state->has_address, "device-has-address", "has an IP address of the host",
		  "name another device, or remove the address: ", "ip address flush dev ", name, "" },
		{ *state->chain.carries, "device-carries-others",
		  "carries another netdev of the host (a VLAN, macvlan or ipvlan)",
		  "name another device, or remove what rides on it: ", "ip link del ",
		  state->chain.carries, "" },
		{ *state->chain.down, "device-parent-down",
		  "rides on a netdev that is down, so it could not be set up", "",
		  "ip link set dev ", state->chain.down, " up" },
		{ state->link.master, "device-enslaved",
		  "belongs to a bond, team or bridge of the host",
		  "name another device, or release it: ", "ip link set dev ", name, " nomaster" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bars); i++) {
		const struct bar *bar = &bars[i];
		struct finding *f;

		if (!bar->raised)
			continue;
		f = finding_add(findings, SEVERITY_ERROR, ROCE_DEVICE_FORBIDDEN, bar->id,
				"device %s %s: it cannot be given to a pod", name, bar->why);
		snprintf(f->hop, sizeof(f->hop), "device %s", name);
		finding_fix(f, "%s%s%s%s", bar->instead, bar->command, bar->target, bar->rest);
	}
}

/* What the PF does for a VF is not there for another device. */
static void check_vf_settings(const struct netconf *conf, const struct host_state *state,
			      struct findings *findings)
{
	const struct {
		const char *key;
		bool wanted;
	} settings[] = {
		{ "vlan", conf->vlan.set },
	};

	for (size_t i = 0; i < ARRAY_SIZE(settings) && !state->device.pci.is_vf; i++) {
		struct finding *f;

		if (!settings[i].wanted)
			continue;
		f = finding_add(findings, SEVERITY_ERROR, CNI_CONFIG_INVALID, "setting-needs-vf",
				"%s: needs a VF, whose PF does it; device %s is none",
				settings[i].key, state->device.name);
		finding_fix(f, "remove \"%s\", or name a VF", settings[i].key);
		snprintf(f->path, sizeof(f->path), "%s", settings[i].key);
	}
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

static void check_pod(const struct host_state *state, const char *ifname, struct plan *plan)
{
	struct finding *f;

	if (!*state->pod_taken)
		return;
	f = finding_add(&plan->findings, SEVERITY_ERROR, ROCE_IFNAME_TAKEN, "pod-name-taken",
			"the pod's namespace or device %s itself has the name %s already, %s cannot be used",
			state->device.name, state->pod_taken, ifname);
	finding_fix(f, "choose another interface name (annotation ...@NAME), or remove the altname: ip link property del dev %s altname %s",
		    state->device.name, state->pod_taken);
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
	bool tagged = conf->vlan.set ? conf->vlan.value > 0 : state->vf.vlan.id > 0;
	struct mtu_chain *chain = &plan->chain;

	chain_ask(&state->chain, state->fabric, state->device.pci.driver, tagged, chain);
	chain->mtu = conf->mtu;
	chain->roce_mtu = conf->roce_mtu;
	chain->policy = plan_policy(conf, profile, &plan->findings);
	mtu_plan(chain, &plan->findings);
	if (state->chain.more)
		finding_add(&plan->findings, SEVERITY_WARNING, CNI_OK, "chain-cut-short",
			    "more than %d netdevs are on the way or on the same port: the MTU of the others was not looked at",
			    MTU_HOPS_MAX);
}

/* ---- the steps ---- */

static void plan_vlan(const struct netconf *conf, const struct host_state *state, struct plan *plan)
{
	struct step *step;

	if (!state->device.pci.is_vf)
		return;
	step = add_step(plan, STEP_VF_VLAN);
	step->have.vlan = step->want.vlan = state->vf.vlan;
	if (conf->vlan.set && conf->vlan.value != state->vf.vlan.id)
		step->want.vlan = (struct vf_vlan){ conf->vlan.value, 0, ETH_P_8021Q };
}

/* Also without a wish: a pod may change its MAC, and the next one must not inherit it. */
static void plan_mac(const struct netconf *conf, const struct host_state *state, struct plan *plan)
{
	struct step *step = add_step(plan, STEP_MAC);
	struct step_mac *want = &step->want.mac;

	memcpy(step->have.mac.link, state->link.mac, LINK_MAC_LEN);
	memcpy(step->have.mac.admin, state->vf.mac, LINK_MAC_LEN);
	*want = step->have.mac;
	if (!conf->mac.set)
		return;
	memcpy(want->link, conf->mac.bytes, LINK_MAC_LEN);
	if (state->device.pci.is_vf)
		memcpy(want->admin, conf->mac.bytes, LINK_MAC_LEN);
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

static void plan_rdma(const struct host_state *state, struct plan *plan)
{
	struct step *step;

	if (!state->device.has_rdma || state->rdma_mode != RDMADEV_EXCLUSIVE)
		return;
	step = add_step(plan, STEP_RDMA_MOVE);
	step->have.rdma = PLACE_HOST;
	step->want.rdma = PLACE_POD;
}

static void plan_state(bool have, bool want, struct plan *plan)
{
	struct step *step = add_step(plan, STEP_LINK_STATE);

	step->have.up = have;
	step->want.up = want;
}

static void plan_device(const struct netconf *conf, const struct host_state *state,
			const char *ifname, struct plan *plan)
{
	struct step *step;

	plan_state(state->link.up, false, plan);
	plan_vlan(conf, state, plan);
	plan_mac(conf, state, plan);
	step = add_step(plan, STEP_LINK_MTU);
	step->have.mtu = state->link.mtu;
	step->want.mtu = plan->chain.pod_mtu;
	plan_move(state, ifname, plan);
	plan_rdma(state, plan);
	if (conf->ipam_type)
		add_step(plan, STEP_IPAM)->want.present = true;
	plan_state(false, true, plan);
}

void plan_add(const struct netconf *conf, const struct profile *profile,
	      const struct host_state *state, const char *ifname, struct plan *ret_plan)
{
	memset(ret_plan, 0, sizeof(*ret_plan));
	plan_check_device(profile, state, &ret_plan->findings);
	check_vf_settings(conf, state, &ret_plan->findings);
	check_pod(state, ifname, ret_plan);
	plan_mtu(conf, profile, state, ret_plan);
	check_profile(profile, ret_plan);
	plan_device(conf, state, ifname, ret_plan);
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
		step->want.present = true;
	}
	for (size_t i = 0; i < result->n_routes; i++) {
		struct step *step = add_step(ret_plan, STEP_ROUTE);

		step->route = to_route(&result->routes[i], result);
		step->want.present = true;
	}
}
