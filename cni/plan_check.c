// SPDX-License-Identifier: Apache-2.0
/* What stands against an ADD: the device, the pod, and the settings that are asked for. Pure. */
#include "cni/plan.h"

#include <errno.h>
#include <stdio.h>

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
		{ !state->device.userspace && (state->link.loopback || !state->link.ethernet),
		  "device-not-ethernet",
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

static void check_pod(const struct host_state *state, const char *ifname, struct findings *findings)
{
	struct finding *f;

	if (!*state->pod_taken)
		return;
	f = finding_add(findings, SEVERITY_ERROR, ROCE_IFNAME_TAKEN, "pod-name-taken",
			"the pod has an interface with the name %s already, it cannot be used",
			ifname);
	finding_fix(f, "choose another interface name (annotation ...@NAME)");
}

/* ---- may, and can, the network have its settings ---- */

static void refuse_setting(struct findings *findings, enum err_code code, const char *id,
			   const struct setting *setting, const char *why, const char *fix)
{
	struct finding *f = finding_add(findings, SEVERITY_ERROR, code, id, "%s: %s",
					setting->name, why);

	snprintf(f->path, sizeof(f->path), "%s", setting->name);
	finding_fix(f, "%s", fix);
}

void plan_forbidden(const struct netconf *conf, const struct profile *profile,
		    struct findings *findings)
{
	for (size_t i = 0; i < profile->n_forbid; i++)
		if (setting_is_set(&conf->set, profile->forbid[i]))
			refuse_setting(findings, ROCE_DEVICE_FORBIDDEN, "setting-forbidden",
				       profile->forbid[i],
				       "the node profile forbids networks to ask for it",
				       "leave it out, or have the node's administrator take it out of \"forbid\" in " PROFILE_PATH);
}

void plan_check_no_vf(const struct netconf *conf, struct findings *findings)
{
	size_t n;
	const struct setting *table = setting_table(&n);

	for (size_t i = 0; i < n; i++)
		if (table[i].needs == SETTING_VF && setting_is_set(&conf->set, &table[i]))
			refuse_setting(findings, CNI_CONFIG_INVALID, "setting-needs-vf", &table[i],
				       "it is a PF's setting of a VF, and the device is no VF",
				       "leave it out, or name a VF: \"deviceID\"");
}

static void check_setting(const struct host_state *state, const struct setting *setting,
			  struct findings *findings)
{
	if (setting->needs == SETTING_NETDEV && state->device.userspace)
		refuse_setting(findings, CNI_CONFIG_INVALID, "setting-needs-netdev", setting,
			       "the VF's driver is one for userspace, there is no netdev to set it on",
			       "leave it out, or bind the VF to its network driver");
}

/* What a driver does not report could not be restored. */
static void check_reported(const struct netconf *conf, const struct host_state *state,
			   struct findings *findings)
{
	const struct {
		const char *name;
		bool wanted;
		enum vf_switch now;
	} rows[] = {
		{ "spoofchk", conf->set.spoofchk.set, state->vf.spoofchk },
		{ "trust", conf->set.trust.set, state->vf.trust },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows) && state->device.pci.is_vf; i++) {
		struct finding *f;

		if (!rows[i].wanted || rows[i].now != VF_UNKNOWN)
			continue;
		f = finding_add(findings, SEVERITY_ERROR, ROCE_KERNEL_REFUSED,
				"setting-not-reported",
				"%s: the driver of PF %s does not report it, so it could not be restored",
				rows[i].name, state->pf.name);
		finding_fix(f, "leave \"%s\" out; what the driver reports: ip -d link show dev %s",
			    rows[i].name, state->pf.name);
	}
}

static void check_rate(const struct netconf *conf, const struct host_state *state,
		       struct findings *findings)
{
	struct vf_rate rate = plan_rate_wanted(conf, state);
	const struct settings *set = &conf->set;
	struct finding *f;

	if (!state->device.pci.is_vf || !(set->min_tx_rate.set || set->max_tx_rate.set) || rate.max == 0 || rate.min <= rate.max)
		return;
	f = finding_add(findings, SEVERITY_ERROR, CNI_CONFIG_INVALID, "rate-order",
			"min_tx_rate %d is more than max_tx_rate %d; the VF has %d and %d now", rate.min,
			rate.max, state->vf.rate.min, state->vf.rate.max);
	finding_fix(f, "write both");
}

static const char *why_no_sysctl(int error)
{
	if (error == 0)
		return "the VF has no netdev, its driver is one for userspace";
	if (error == -ENOENT)
		return "a pod has none of this name";
	return error == -EACCES ? "it cannot be read and written in a pod" : strerror(-error);
}

static void check_sysctls(const struct netconf *conf, const struct host_state *state,
			  struct findings *findings)
{
	for (size_t i = 0; i < conf->set.n_sysctls; i++) {
		const char *key = conf->set.sysctls[i].key;
		bool homeless = setting_of_device(key) && state->device.userspace;
		int error = state->sysctls[i].error;
		struct finding *f;

		if (error == 0 && !homeless)
			continue;
		f = finding_add(findings, SEVERITY_ERROR, CNI_CONFIG_INVALID, "sysctl-unknown",
				"sysctl %s: %s", key, why_no_sysctl(homeless ? 0 : error));
		snprintf(f->path, sizeof(f->path), "sysctl");
		finding_fix(f, "see what a pod has: ip netns exec POD sysctl -a --pattern '^net'");
	}
}

static void check_settings(const struct netconf *conf, const struct profile *profile,
			   const struct host_state *state, struct findings *findings)
{
	size_t n;
	const struct setting *table = setting_table(&n);

	plan_forbidden(conf, profile, findings);
	if (!state->device.pci.is_vf)
		plan_check_no_vf(conf, findings);
	for (size_t i = 0; i < n; i++)
		if (setting_is_set(&conf->set, &table[i]))
			check_setting(state, &table[i], findings);
	check_reported(conf, state, findings);
	check_rate(conf, state, findings);
	check_sysctls(conf, state, findings);
}

void plan_check(const struct netconf *conf, const struct profile *profile,
		const struct host_state *state, const char *ifname, struct findings *findings)
{
	plan_check_device(profile, state, findings);
	check_settings(conf, profile, state, findings);
	plan_check_rdma(conf, state, findings);
	check_pod(state, ifname, findings);
}
