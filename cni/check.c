// SPDX-License-Identifier: Apache-2.0
/* CHECK: the attachment as ADD left it, against what is there. What is still to do is drift. */
#include "cni/verbs.h"

#include "base/stop.h"
#include "cni/plan.h"
#include "netlink/addr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <stdio.h>

/* What one CHECK looks at. */
struct check {
	const struct cni_call *call;
	struct netconf conf;
	struct profile profile;
	const json_t *prev;
	struct side host, pod;
	struct journal journal;
	struct link link; /* in the pod */
	struct link pf;	  /* of a VF */
	struct vf vf;	  /* what its PF says of it */
	int mtu;	  /* that the pod should have */
};

/* ---- the device ---- */

static int check_place(struct check *c, struct err *err)
{
	const struct device *device = &c->journal.device;
	enum place place;
	int r = observe_where(device, &c->host, &c->pod, &c->link, &place);

	if (r < 0 || place != PLACE_POD)
		return err_set(err, ROCE_DRIFT, -ENODEV,
			       "device %s (%s) should be in the pod as %s, but is %s", device->name,
			       device->key, c->call->args.ifname,
			       r < 0 ? "gone" : "on the host");
	if (!streq(c->link.name, c->call->args.ifname))
		return err_set(err, ROCE_DRIFT, -EINVAL, "device %s should be named %s, but is %s",
			       device->key, c->call->args.ifname, c->link.name);
	if (!c->link.up)
		return err_set(err, ROCE_DRIFT, -EINVAL, "%s should be up, but is down",
			       c->link.name);
	return 0;
}

/* A VF in the hands of a process. */
static int check_driver(struct check *c, struct err *err)
{
	const char *addr = c->journal.device.pci.addr;
	struct pci_dev pci = { 0 };
	struct err gone = { 0 };

	if (pci_get(addr, &pci, &gone) == 0 && pci_is_userspace(&pci))
		return 0;
	return err_set(err, ROCE_DRIFT, -ENODEV,
		       "VF %s should have a driver for userspace, but %s%s; bind it to that again, or delete the pod",
		       addr, err_is_set(&gone) ? "is gone" : "has ",
		       err_is_set(&gone) ? "" : *pci.driver ? pci.driver : "none");
}

/* What prevResult says of our interface; a later plugin of the chain may have set MTU and MAC anew. */
static int read_prev(struct check *c, struct err *err)
{
	char mac[MAC_TEXT_SIZE];
	struct cni_iface iface;

	mac_format(c->link.mac, mac);
	if (result_find_iface(c->prev, c->link.name, c->call->args.netns, &iface) < 0)
		return err_set(err, ROCE_DRIFT, -EINVAL, "prevResult has no interface %s in %s",
			       c->link.name, c->call->args.netns);
	if (*iface.mac && strcasecmp(iface.mac, mac) != 0)
		return err_set(err, ROCE_DRIFT, -EINVAL, "%s should have MAC %s, but has %s",
			       c->link.name, iface.mac, mac);
	if (iface.mtu)
		c->mtu = iface.mtu;
	return 0;
}

static int check_mtu(struct check *c, struct err *err)
{
	if (c->link.mtu == c->mtu)
		return 0;
	return err_set(err, ROCE_DRIFT, -EINVAL,
		       "%s should have MTU %d, but has %d; set it back in the pod: ip link set dev %s mtu %d",
		       c->link.name, c->mtu, c->link.mtu, c->link.name, c->mtu);
}

/* A VF without a netdev has only the MTU that its application was told. */
static void read_prev_vf(struct check *c)
{
	const struct cni_args *args = &c->call->args;
	struct cni_iface iface;

	if (result_find_iface(c->prev, args->ifname, args->netns, &iface) >= 0)
		c->mtu = iface.mtu;
}

static int find_pf(struct check *c, struct err *err)
{
	const struct pci_dev *pci = &c->journal.device.pci;
	int r = *pci->pf ? link_find_parent(c->host.rt, pci->pf, &c->pf) : 0;

	if (r < 0)
		return err_set(err, ROCE_DRIFT, r, "PF %s has no network interface any more", pci->pf);
	return pci->is_vf ? vf_get(c->host.rt, c->pf.ifindex, pci->vf_index, &c->vf, err) : 0;
}

/* ---- settings ---- */

/* What the network did not ask for is the pod's, the administrator's or a later plugin's to change. */
static bool is_asked(const struct settings *set, enum step_type type)
{
	const bool asked[STEP_TYPE_MAX] = {
		[STEP_VF_VLAN] = set->vlan.set,
		[STEP_VF_RATE] = set->min_tx_rate.set || set->max_tx_rate.set,
		[STEP_VF_SPOOFCHK] = set->spoofchk.set,
		[STEP_VF_TRUST] = set->trust.set,
		[STEP_VF_LINK] = set->link_state.set,
		[STEP_PROMISC] = set->promisc.set,
		[STEP_ALLMULTI] = set->allmulti.set,
		[STEP_TXQLEN] = set->txqlen.set,
	};

	return asked[type];
}

/* How "ip link set dev PF vf N" calls a setting; a rate has two words. */
static void fix_vf(const struct check *c, const struct step *step, char *buf, size_t size)
{
	static const char *const words[STEP_TYPE_MAX] = {
		[STEP_VF_VLAN] = "vlan",
		[STEP_VF_SPOOFCHK] = "spoofchk",
		[STEP_VF_TRUST] = "trust",
		[STEP_VF_LINK] = "state",
	};
	char value[STEP_VALUE_SIZE];

	if (step->type == STEP_VF_RATE)
		snprintf(value, sizeof(value), "min_tx_rate %d max_tx_rate %d", step->want.rate.min,
			 step->want.rate.max);
	else if (step->type == STEP_VF_VLAN)
		snprintf(value, sizeof(value), "%d qos %d%s", step->want.vlan.id, step->want.vlan.qos,
			 step->want.vlan.proto == ETH_P_8021AD ? " proto 802.1ad" : "");
	else
		step_value_print(step, &step->want, value);
	snprintf(buf, size, "ip link set dev %s vf %d %s%s%s", c->pf.name,
		 c->journal.device.pci.vf_index, words[step->type] ?: "",
		 words[step->type] ? " " : "", value);
}

static int check_vf(struct check *c, const struct step *step, struct err *err)
{
	char want[STEP_VALUE_SIZE], have[STEP_VALUE_SIZE], fix[128];
	int index = c->journal.device.pci.vf_index;
	struct step now = *step;

	now.have = step_value_of_vf(step->type, &c->vf);
	if (!is_asked(&c->conf.set, step->type) || !step_changes(&now))
		return 0;
	fix_vf(c, step, fix, sizeof(fix));
	return err_set(err, ROCE_DRIFT, -EINVAL, "VF %d of PF %s should have %s %s, but has %s; %s",
		       index, c->pf.name, step_label(step),
		       step_value_print(&now, &now.want, want),
		       step_value_print(&now, &now.have, have), fix);
}

/*
 * The MAC that the PF orders. Where the network asks for none: drift is one that is neither what it was nor
 * the netdev's own, which some PFs (igb) show as if they had ordered it.
 */
static int check_admin_mac(struct check *c, const struct step *step, struct err *err)
{
	static const unsigned char none[LINK_MAC_LEN];
	const struct device *device = &c->journal.device;
	const unsigned char *want = step->want.mac.admin, *has = c->vf.mac;
	bool ordered = memcmp(has, none, LINK_MAC_LEN) != 0;
	char should[MAC_TEXT_SIZE], is[MAC_TEXT_SIZE];

	if (!device->pci.is_vf || memcmp(has, want, LINK_MAC_LEN) == 0 ||
	    (!device->userspace && memcmp(has, c->link.mac, LINK_MAC_LEN) == 0) ||
	    (!c->conf.set.mac.set && (device->userspace || !ordered)))
		return 0;
	mac_format(memcmp(want, none, LINK_MAC_LEN) == 0 ? c->link.mac : want, should);
	return err_set(err, ROCE_DRIFT, -EINVAL,
		       "VF %d of PF %s should have MAC %s, but has %s; ip link set dev %s vf %d mac %s",
		       device->pci.vf_index, c->pf.name, should, mac_format(has, is), c->pf.name,
		       device->pci.vf_index, should);
}

static int check_link(struct check *c, const struct step *step, struct err *err)
{
	static const char *const words[STEP_TYPE_MAX] = {
		[STEP_PROMISC] = "promisc",
		[STEP_ALLMULTI] = "allmulticast",
		[STEP_TXQLEN] = "txqueuelen",
	};
	char want[STEP_VALUE_SIZE], have[STEP_VALUE_SIZE];
	struct step now = *step;

	now.have = step_value_of_link(step->type, &c->link);
	if (!is_asked(&c->conf.set, step->type) || !step_changes(&now))
		return 0;
	step_value_print(&now, &now.want, want);
	return err_set(err, ROCE_DRIFT, -EINVAL,
		       "%s should have %s %s, but has %s; set it back in the pod: ip link set dev %s %s %s",
		       c->link.name, step_label(step), want, step_value_print(&now, &now.have, have),
		       c->link.name, words[step->type], want);
}

static int check_sysctl(struct check *c, const struct step *step, struct err *err)
{
	char now[SYSCTL_VALUE_SIZE];
	int r = netns_sysctl_read(c->pod.netns, step->sysctl, now, sizeof(now));

	if (r == 0 && setting_same_value(now, step->want.text))
		return 0;
	if (r < 0)
		return err_set(err, ROCE_DRIFT, r, "sysctl %s should be \"%s\" in the pod: %s",
			       step->sysctl, step->want.text, strerror(-r));
	return err_set(err, ROCE_DRIFT, -EINVAL,
		       "sysctl %s should be \"%s\" in the pod, but is \"%s\"; set it back there: sysctl -w %s=\"%s\"",
		       step->sysctl, step->want.text, now, step->sysctl, step->want.text);
}

static int check_rdma(struct check *c, struct err *err)
{
	int r = rdmadev_find_again(c->pod.rdma, &c->journal.device.rdma, NULL, err);

	if (r != -ENODEV)
		return r;
	return err_set(err, ROCE_DRIFT, -ENODEV, "RDMA device %s should be in the pod, but is not",
		       c->journal.device.rdma.name);
}

static int check_step(struct check *c, const struct step *step, struct err *err)
{
	switch (step->type) {
	case STEP_LINK_MTU:
		return check_mtu(c, err);
	case STEP_VF_VLAN:
	case STEP_VF_RATE:
	case STEP_VF_SPOOFCHK:
	case STEP_VF_TRUST:
	case STEP_VF_LINK:
		return check_vf(c, step, err);
	case STEP_MAC:
		return check_admin_mac(c, step, err);
	case STEP_PROMISC:
	case STEP_ALLMULTI:
	case STEP_TXQLEN:
		return check_link(c, step, err);
	case STEP_SYSCTL:
		return check_sysctl(c, step, err);
	case STEP_RDMA_MOVE:
	case STEP_RDMA_SOFT:
		return check_rdma(c, err);
	case STEP_LINK_STATE: /* check_place() has looked */
	case STEP_CONF:
	case STEP_ALTNAMES:
	case STEP_LINK_MOVE:
	case STEP_IPAM:
	case STEP_ADDR:
	case STEP_ROUTE:
	case STEP_TYPE_MAX:
		break;
	}
	return 0;
}

/* ---- addresses and routes ---- */

static enum addr_state find_in_pod(const struct check *c, const struct step *step)
{
	if (step->type == STEP_ADDR)
		return addr_state(c->pod.rt, c->link.ifindex, &step->addr);
	return route_present(c->pod.rt, c->link.ifindex, &step->route) ? ADDR_PRESENT : ADDR_ABSENT;
}

static int refuse_duplicate(const struct check *c, const struct addr *addr, struct err *err)
{
	char text[INET6_ADDRSTRLEN];

	inet_ntop(addr->family, addr->bytes, text, sizeof(text));
	return err_set(err, ROCE_DRIFT, -EADDRINUSE,
		       "another node has address %s of %s, too (duplicate address detection failed), so the pod cannot use it; a third node shows the MAC of the other one: ping -c 1 %s; ip neigh show %s; take the address from that and recreate the pod",
		       text, c->link.name, text, text);
}

static int check_address(struct check *c, const struct step *step, struct err *err)
{
	char text[STEP_TEXT_SIZE];

	switch (find_in_pod(c, step)) {
	case ADDR_PRESENT:
		return 0;
	case ADDR_DUPLICATE:
		return refuse_duplicate(c, &step->addr, err);
	case ADDR_ABSENT:
		break;
	}
	return err_set(err, ROCE_DRIFT, -EINVAL, "missing in the pod: %s",
		       step_print(step, c->link.name, text));
}

/* Only the addresses that prevResult ties to our interface; routes carry no interface. */
static int check_addresses(struct check *c, struct err *err)
{
	struct cni_result result;
	struct cni_iface iface;
	struct plan plan;
	size_t ours = 0;
	int index, r;

	r = result_parse(c->prev, &result, err);
	if (r < 0)
		return err_wrap(err, "prevResult");
	index = result_find_iface(c->prev, c->link.name, c->call->args.netns, &iface);
	for (size_t i = 0; i < result.n_ips; i++)
		if (result.ips[i].interface.set && result.ips[i].interface.value == index)
			result.ips[ours++] = result.ips[i];
	if (ours < result.n_ips)
		result.n_routes = 0; /* some belong to other interfaces, nothing says which */
	result.n_ips = ours;
	plan_addresses(&result, &plan);
	for (size_t i = 0; r == 0 && i < plan.n_steps; i++)
		r = check_address(c, &plan.steps[i], err);
	return r;
}

/* ---- the MTU chain ---- */

static int observe(struct check *c, struct mtu_chain *ret_chain, struct err *err)
{
	const struct device *device = &c->journal.device;
	const struct link *pf = *device->pci.pf ? &c->pf : NULL;
	struct link as_on_host = c->link, *link = &c->link;
	const struct fabric *fabric;
	struct chain_view view;
	int r;

	memcpy(as_on_host.name, device->name, sizeof(as_on_host.name));
	if (device->userspace) { /* as in cni/observe.c */
		as_on_host.mtu = c->pf.mtu;
		link = &as_on_host;
	}
	r = chain_fabric(&c->profile, c->conf.fabric, &as_on_host, &device->pci, pf, &fabric, err);
	if (r == 0)
		r = chain_observe(&c->host, &c->pod, link, pf, &view, err);
	if (r == 0)
		chain_ask(&view, fabric, device->pci.driver, c->vf.vlan.id > 0, ret_chain);
	return r;
}

/* Every hop as it is now, against the MTU that the pod should have. What "warn" let pass stays so. */
static int check_chain(struct check *c, struct err *err)
{
	bool warn = (c->conf.has_policy ? c->conf.policy : c->profile.mtu) == MTU_WARN;
	struct findings findings = { .n = 0 };
	struct mtu_chain chain;
	int r = observe(c, &chain, err);

	if (r < 0)
		return r;
	chain.mtu = (struct opt_int){ c->mtu > 0, c->mtu };
	chain.roce_mtu = c->conf.roce_mtu;
	chain.policy = warn ? MTU_WARN : MTU_STRICT;
	mtu_plan(&chain, &findings);
	if (finding_refuse(&findings, err) == 0)
		return 0;
	err->code = ROCE_DRIFT;
	return err_wrap(err, "the MTU chain has changed since ADD");
}

/* ---- the whole ---- */

static int unknown(const struct cni_call *call, struct err *err)
{
	return err_set(err, ROCE_DRIFT, -ENOENT,
		       "this node knows no attachment %s of container %s to network %s",
		       call->args.ifname, call->args.container_id, call->name);
}

static int load(struct check *c, const struct store *store, struct err *err)
{
	const struct attachment attachment = verbs_attachment(c->call);
	char name[STORE_NAME_SIZE];
	int r;

	if (!c->conf.prev_result)
		return err_set(err, CNI_CONFIG_INVALID, -EINVAL,
			       "CHECK needs prevResult: the result of the ADD");
	c->prev = c->conf.prev_result;
	r = journal_read(store, store_name(&attachment, name), &c->journal, err);
	if (r == -ENOENT)
		return unknown(c->call, err);
	if (r == 0)
		r = side_open_host(&c->host, err);
	if (r == 0)
		r = side_open_pod(c->call->args.netns, &c->host, c->call->args.netns_override,
				  &c->pod, err);
	return r;
}

static void read_journal(struct check *c)
{
	for (size_t i = 0; i < c->journal.n_steps; i++) {
		const struct step *step = &c->journal.steps[i];

		if (step->type == STEP_LINK_MTU)
			c->mtu = step->want.number;
	}
}

/* The chain before the pod's own MTU: where a hop was lowered, the pod often only followed. */
static int run(struct check *c, struct err *err)
{
	bool netdev = !c->journal.device.userspace;
	int r = netdev ? check_place(c, err) : check_driver(c, err);

	read_journal(c);
	if (r == 0 && netdev)
		r = read_prev(c, err);
	else if (r == 0)
		read_prev_vf(c);
	if (r == 0)
		r = find_pf(c, err);
	if (r == 0)
		r = check_chain(c, err);
	for (size_t i = 0; r == 0 && i < c->journal.n_steps; i++)
		r = check_step(c, &c->journal.steps[i], err);
	if (r == 0 && netdev)
		r = check_addresses(c, err);
	return r == 0 ? verbs_forward(c->call, err) : r;
}

int verb_check(const struct cni_call *call, char **ret_answer, struct err *err)
{
	struct check c = { .call = call, .host = SIDE_CLOSED, .pod = SIDE_CLOSED };
	_cleanup_store_ struct store store = STORE_CLOSED;
	int r;

	(void)ret_answer;
	stop_hold();
	r = netconf_read(call, &c.conf, err);
	if (r == 0)
		r = profile_load(PROFILE_PATH, &c.profile, err);
	if (r == 0 && store_peek(&c.profile, &store) < 0)
		r = unknown(call, err);
	if (r == 0)
		r = load(&c, &store, err);
	if (r == 0)
		r = run(&c, err);
	journal_free(&c.journal);
	side_close(&c.pod);
	side_close(&c.host);
	profile_free(&c.profile);
	return r;
}
