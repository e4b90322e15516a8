// SPDX-License-Identifier: Apache-2.0
#include "cni/chain.h"

#include "netlink/upper.h"

#include <stdio.h>

static void add_hop(struct chain_view *view, enum mtu_hop_kind kind, const struct link *link, int tags)
{
	struct mtu_hop *hop = &view->hops[view->n_hops];

	if (view->n_hops >= MTU_HOPS_MAX - 1) { /* the switch needs the last place */
		view->more = true;
		return;
	}
	*hop = (struct mtu_hop){
		.kind = kind,
		.mtu = link->mtu,
		.min = link->min_mtu,
		.max = link->max_mtu,
		.tags = tags,
	};
	snprintf(hop->name, sizeof(hop->name), "%s", link->name);
	view->n_hops++;
}

static const struct link *find_link(const struct uppers *uppers, const struct link *port, int ifindex)
{
	for (size_t i = 0; i < uppers->n; i++)
		if (uppers->items[i].link.ifindex == ifindex)
			return &uppers->items[i].link;
	return port;
}

/* The members of a bond have its MTU and share its port; a bridge is passed only by software ports. */
static enum mtu_hop_kind master_kind(const struct link *master, const struct link *member)
{
	bool passed = streq(master->kind, "bond") || streq(master->kind, "team") ||
		      (streq(master->kind, "bridge") && streq(member->kind, "veth"));

	return passed ? MTU_HOP_UPPER : MTU_HOP_BESIDE;
}

static enum mtu_hop_kind hop_kind(const struct uppers *uppers, const struct upper *upper,
				  const struct link *port)
{
	switch (upper->relation) {
	case UPPER_MASTER:
		return master_kind(&upper->link, find_link(uppers, port, upper->on));
	case UPPER_LOWER:
	case UPPER_MEMBER:
		return MTU_HOP_LOWER;
	case UPPER_RIDER:
		break;
	}
	return MTU_HOP_BESIDE;
}

static void add_uppers(struct chain_view *view, const struct uppers *uppers, const struct link *port,
		       const struct link *device)
{
	for (size_t i = 0; i < uppers->n; i++) {
		const struct upper *upper = &uppers->items[i];

		if (upper->relation == UPPER_RIDER && upper->on == device->ifindex)
			snprintf(view->carries, sizeof(view->carries), "%s", upper->link.name);
		else
			add_hop(view, hop_kind(uppers, upper, port), &upper->link, upper->tags);
	}
}

/* What a device without a PF rides on. In the pod, that is in the namespace the device came from. */
static bool find_lower(const struct side *host, const struct side *pod, const struct link *device,
		       struct link *ret_lower)
{
	if (device->far_lower && pod->netns >= 0)
		return link_nsid(pod->rt, host->netns) == device->far_nsid &&
		       link_get(host->rt, device->far_lower, ret_lower) == 0;
	return pod->netns < 0 && link_get(host->rt, device->lower, ret_lower) == 0;
}

int chain_observe(const struct side *host, const struct side *pod, const struct link *device,
		  const struct link *pf, struct chain_view *ret_view, struct err *err)
{
	bool in_pod = pod->netns >= 0;
	struct link lower;
	bool rides = !pf && find_lower(host, pod, device, &lower);
	const struct link *port = pf ? pf : rides ? &lower : device;
	struct uppers uppers = { .n = 0 };
	int r = 0;

	if (port != device || !in_pod)
		r = upper_find(host->rt, port, in_pod ? 0 : device->ifindex, &uppers, err);
	if (r < 0)
		return r;
	*ret_view = (struct chain_view){ .more = uppers.more, .tags = uppers.tags };
	if (port != device)
		ret_view->tags += streq(device->kind, "vlan");
	add_hop(ret_view, MTU_HOP_DEVICE, device, ret_view->tags);
	if (port != device) {
		add_hop(ret_view, pf ? MTU_HOP_PF : MTU_HOP_LOWER, port, uppers.tags);
		ret_view->hops[1].holds = rides && !streq(device->kind, "veth");
		if (!port->up && streq(device->kind, "vlan")) /* net/8021q/vlan_dev.c, vlan_dev_open() */
			snprintf(ret_view->down, sizeof(ret_view->down), "%s", port->name);
	}
	add_uppers(ret_view, &uppers, port, device);
	return 0;
}

int chain_fabric(const struct profile *profile, const char *wanted, const struct link *device,
		 const struct pci_dev *pci, const struct link *pf, const struct fabric **ret_fabric,
		 struct err *err)
{
	struct fabric_port port = { pci->addr, device->name,
				    *pci->addr ? pci->driver : device->kind,
				    device->phys_port_name };
	struct pci_dev function;
	int r;

	if (pf) {
		r = pci_get(pci->pf, &function, err);
		if (r < 0)
			return r;
		port = (struct fabric_port){ function.addr, pf->name, function.driver,
					     pf->phys_port_name };
	}
	return profile_fabric(profile, wanted, &port, ret_fabric, err);
}

void chain_ask(const struct chain_view *view, const struct fabric *fabric, const char *driver,
	       bool tagged, struct mtu_chain *ret_chain)
{
	*ret_chain = (struct mtu_chain){
		.vlan_tags = view->tags + tagged,
		.fabric = fabric,
		.n_hops = view->n_hops,
	};
	snprintf(ret_chain->driver, sizeof(ret_chain->driver), "%s", driver);
	memcpy(ret_chain->hops, view->hops, sizeof(view->hops));
}
