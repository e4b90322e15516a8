// SPDX-License-Identifier: Apache-2.0
#include "cni/observe.h"

#include "base/log.h"
#include "netlink/addr.h"
#include "netlink/devconf.h"

#include <errno.h>
#include <stdio.h>

/* ---- who ---- */

static int no_netdev(const struct pci_dev *pci, struct err *err)
{
	return err_set(err, ROCE_DEVICE_NOT_FOUND, -ENODEV,
		       "%s %s has no network interface on the host: its driver is %s; if another pod still has it, delete that pod, else bind it to a driver: echo %s > /sys/bus/%s/drivers_probe",
		       pci->is_vf   ? "VF"
		       : pci->is_sf ? "auxiliary device"
				    : "PCI device",
		       pci->addr, *pci->driver ? pci->driver : "not bound", pci->addr,
		       pci->is_sf ? "auxiliary" : "pci");
}

static int find_by_id(const char *addr, const struct side *host, struct pci_dev *ret_pci,
		       struct link *ret_link, struct err *err)
{
	int r = pci_get(addr, ret_pci, err);

	if (r < 0)
		return r;
	r = link_find_parent(host->rt, addr, ret_link);
	if (r == -ENODEV && ret_pci->is_vf && pci_is_userspace(ret_pci)) {
		*ret_link = (struct link){ 0 };
		snprintf(ret_link->name, sizeof(ret_link->name), "%.12s", addr);
		return 0;
	}
	return r < 0 ? no_netdev(ret_pci, err) : 0;
}

static int find_by_name(const char *name, const struct side *host, struct pci_dev *ret_pci,
			struct link *ret_link, struct err *err)
{
	char id[DEVICE_ID_SIZE];
	int r = link_find(host->rt, name, ret_link);

	if (r < 0)
		return err_set(err, ROCE_DEVICE_NOT_FOUND, r,
			       "no interface %s on the host (see: ip link); if another pod still has it, delete that pod",
			       name);
	if (device_id_parse(ret_link->parent, id) < 0)
		return 0; /* neither PCI function nor subfunction: veth, macvlan */
	return pci_get(id, ret_pci, err);
}

int observe_device(const struct netconf *conf, const struct side *host, struct device *ret_device,
		   struct err *err)
{
	struct device device = { 0 };
	struct link link;
	int r;

	r = conf->device ? find_by_name(conf->device, host, &device.pci, &link, err)
			 : find_by_id(conf->device_id, host, &device.pci, &link, err);
	if (r < 0)
		return r;
	memcpy(device.name, link.name, sizeof(device.name));
	memcpy(device.kind, link.kind, sizeof(device.kind));
	memcpy(device.mac, link.mac, sizeof(device.mac));
	memcpy(device.altnames, link.altnames, sizeof(device.altnames));
	device.n_altnames = link.n_altnames;
	device.conf = devconf_of(&link);
	devconf_read_files(link.name, &device.conf_files);
	device.ifindex = link.ifindex;
	device.userspace = link.ifindex == 0;
	if (*device.pci.addr)
		snprintf(device.key, sizeof(device.key), "%s", device.pci.addr);
	else
		snprintf(device.key, sizeof(device.key), "netdev-%d", link.ifindex);
	*ret_device = device;
	return 0;
}

/* ---- where ---- */

/* The kind tells a netdev without PCI address from most others that could have got its ifindex. */
static int find_on_host(const struct device *device, const struct side *host, struct link *ret_link)
{
	int r = link_get(host->rt, device->ifindex, ret_link);

	if (*device->pci.addr) {
		if (r == 0 && streq(ret_link->parent, device->pci.addr))
			return 0;
		return link_find_parent(host->rt, device->pci.addr, ret_link);
	}
	if (r < 0)
		return r;
	return streq(ret_link->kind, device->kind) ? 0 : -ENODEV;
}

static int find_in_pod(const struct device *device, const struct side *pod, struct link *ret_link)
{
	int r;

	if (*device->pci.addr)
		return link_find_parent(pod->rt, device->pci.addr, ret_link);
	r = link_get(pod->rt, device->pod_ifindex, ret_link);
	if (r < 0)
		return r;
	return streq(ret_link->kind, device->kind) ? 0 : -ENODEV;
}

bool observe_never_left(const struct device *device, const struct side *host,
			struct link *ret_link)
{
	return !*device->pci.addr && link_get(host->rt, device->ifindex, ret_link) == 0 &&
	       streq(ret_link->kind, device->kind) &&
	       (streq(ret_link->name, device->name) ||
		memcmp(ret_link->mac, device->mac, LINK_MAC_LEN) == 0);
}

int observe_where(const struct device *device, const struct side *host, const struct side *pod,
		  struct link *ret_link, enum place *ret_place)
{
	int r = -ENODEV;

	if (observe_never_left(device, host, ret_link)) {
		*ret_place = PLACE_HOST;
		return 0;
	}
	if (pod->netns >= 0) {
		*ret_place = PLACE_POD;
		r = find_in_pod(device, pod, ret_link);
	}
	if (r == -ENODEV) {
		*ret_place = PLACE_HOST;
		r = find_on_host(device, host, ret_link);
	}
	return r;
}

/* ---- the state ---- */

static int observe_pf(const struct side *host, struct host_state *state, struct err *err)
{
	const struct pci_dev *pci = &state->device.pci;
	int r;

	if (!*pci->pf)
		return 0;
	r = link_find_parent(host->rt, pci->pf, &state->pf);
	if (r < 0)
		return err_set(err, ROCE_DEVICE_NOT_FOUND, r,
			       "PF %s of %s %s has no network interface on the host; bind it to its network driver",
			       pci->pf, pci->is_vf ? "VF" : "subfunction", pci->addr);
	if (pci->is_sf)
		return 0;
	return vf_get(host->rt, state->pf.ifindex, pci->vf_index, &state->vf, err);
}

static int observe_chain(const struct netconf *conf, const struct profile *profile,
			 const struct side *host, struct host_state *state, struct err *err)
{
	const struct pci_dev *pci = &state->device.pci;
	const struct link *pf = *pci->pf ? &state->pf : NULL;
	struct link link = state->link;
	int r;

	if (state->device.userspace) { /* what it sends is the application's, up to what its PF takes */
		link.mtu = pf->mtu;
		memcpy(link.name, state->device.name, sizeof(link.name));
	}
	r = chain_fabric(profile, conf->fabric, &link, pci, pf, &state->fabric, err);
	if (r < 0)
		return r;
	return chain_observe(host, &(struct side)SIDE_CLOSED, &link, pf, &state->chain, err);
}

static bool file_exists(const char *chardev)
{
	char path[RDMADEV_NAME_SIZE + 32];

	snprintf(path, sizeof(path), "/dev/infiniband/%s", chardev);
	return access(path, F_OK) == 0;
}

/* Only who needs it asks: the question makes the kernel load ib_uverbs. */
static int observe_chardev(const struct side *host, struct host_state *state, struct err *err)
{
	int r = rdmadev_chardev(host->rdma, state->device.rdma.index, state->chardev, err);

	if (r < 0 || !file_exists(state->chardev))
		state->chardev[0] = '\0';
	return r;
}

static int observe_rdma(const struct netconf *conf, const struct side *host,
			struct host_state *state, struct err *err)
{
	struct device *device = &state->device;
	int r = rdmadev_mode(host->rdma, &state->rdma_mode, err);

	if (r < 0 || !*device->pci.rdma)
		return r;
	r = rdmadev_find(host->rdma, device->pci.rdma, &device->rdma, err);
	device->has_rdma = r == 0;
	if (r < 0)
		return r == -ENODEV ? 0 : r;
	rdmadev_holder(host->rdma, device->rdma.index, state->rdma_holder);
	return conf->rdma == RDMA_REQUIRED ? observe_chardev(host, state, err) : 0;
}

/* The names of the pod that the device would clash with: the kernel moves it and then fails. */
static bool has_name(const struct link *link, const char *name)
{
	for (size_t i = 0; i < link->n_altnames; i++)
		if (streq(link->altnames[i], name))
			return true;
	return streq(link->name, name);
}

struct pod_view {
	struct host_state *state;
	const char *ifname;
	bool ifindex_taken;
	int highest;
};

static bool look_at(const struct link *other, void *arg)
{
	struct pod_view *view = arg;
	struct host_state *state = view->state;
	const struct link *link = &state->link;

	if (has_name(other, view->ifname))
		snprintf(state->pod_taken, sizeof(state->pod_taken), "%s", view->ifname);
	for (size_t i = 0; i < link->n_altnames; i++)
		if (has_name(other, link->altnames[i]))
			state->alt_taken |= 1U << i;
	view->ifindex_taken |= other->ifindex == link->ifindex;
	if (other->ifindex > view->highest)
		view->highest = other->ifindex;
	return false;
}

/*
 * The device keeps its ifindex in the pod unless that is taken there. The index is chosen here and not
 * by the kernel, so that the journal knows it before the move.
 */
static int observe_pod(const struct side *pod, const char *ifname, struct host_state *state,
		       struct err *err)
{
	const struct link *link = &state->link;
	struct pod_view view = { .state = state, .ifname = ifname, .highest = link->ifindex };
	int r = link_list(pod->rt, look_at, &view);

	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r, "reading the pod's interfaces: %s",
			       nlsock_words(pod->rt));
	for (size_t i = 0; i < link->n_altnames; i++)
		if (streq(link->altnames[i], ifname))
			state->alt_taken |= 1U << i;
	state->device.pod_ifindex = view.ifindex_taken ? view.highest + 1 : link->ifindex;
	return 0;
}

/* What the pod's namespace has now. What belongs to the device comes with it; lo has the same files. */
static void observe_sysctl(const char *key, const struct side *pod, struct sysctl_state *sysctl)
{
	char path[SETTING_PATH_SIZE];

	if (!setting_sysctl_path(key, "lo", path))
		return; /* cannot be */
	sysctl->error =
		netns_sysctl_read(pod->netns, path, sysctl->value, sizeof(sysctl->value));
	if (sysctl->error == -EIO && setting_of_device(key))
		sysctl->error = 0; /* stable_secret cannot be read before it is written */
	if (sysctl->error == 0)
		sysctl->error = netns_sysctl_writable(pod->netns, path);
}

static void observe_sysctls(const struct netconf *conf, const struct side *pod, const char *ifname,
			    struct host_state *state)
{
	for (size_t i = 0; i < conf->set.n_sysctls; i++) {
		const char *key = conf->set.sysctls[i].key;

		setting_sysctl_path(key, ifname, state->sysctls[i].path);
		if (pod->netns >= 0)
			observe_sysctl(key, pod, &state->sysctls[i]);
	}
}

/* The netdev, of a VF without one nothing; and what a plan must not overlook. */
static int observe_link(const struct side *host, struct host_state *state, struct err *err)
{
	const struct device *device = &state->device;
	enum place place;
	int r;

	if (device->userspace)
		return 0;
	r = observe_where(device, host, &(struct side)SIDE_CLOSED, &state->link, &place);
	if (r < 0)
		return err_set(err, CNI_TRY_AGAIN, r,
			       "device %s (%s) left the host while this ADD was starting", device->name,
			       device->key);
	r = addr_any_used(host->rt, state->link.ifindex, &state->has_address, err);
	if (r == 0)
		r = route_any_default(host->rt, state->link.ifindex, &state->has_default_route, err);
	return r;
}

int observe_state(const struct netconf *conf, const struct profile *profile,
		  const struct device *device, const struct side *host, const struct side *pod,
		  const char *ifname, struct host_state *ret_state, struct err *err)
{
	struct host_state *state = ret_state;
	int r;

	memset(state, 0, sizeof(*state));
	state->device = *device;
	r = observe_link(host, state, err);
	if (r == 0)
		r = observe_pf(host, state, err);
	if (r == 0)
		r = observe_chain(conf, profile, host, state, err);
	if (r == 0)
		r = observe_rdma(conf, host, state, err);
	if (r < 0)
		return r;
	/* Names of RDMA devices are the node's, whatever namespace they are in. */
	snprintf(state->soft, sizeof(state->soft), "rxe_%llu_%s", (unsigned long long)pod->id.ino,
		 ifname);
	if (pod->netns >= 0)
		r = observe_pod(pod, ifname, state, err);
	observe_sysctls(conf, pod, ifname, state);
	return r;
}
