// SPDX-License-Identifier: Apache-2.0
/* One short function per step type: look, change, read back. */
#include "cni/apply.h"

#include "base/file.h"
#include "base/log.h"
#include "conf/inet.h"
#include "netlink/addr.h"
#include "netlink/vf.h"

#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdio.h>

enum {
	RETURN_WAIT_MS = 3000, /* a dead namespace gives its devices back after about 0.2 s */
	RDMA_POLL_MS = 10,
};

static struct side *side_of(struct apply *a, enum place place)
{
	return place == PLACE_POD ? &a->pod : &a->host;
}

/* The kernel keeps hardware and destroys what it made itself (net/core/dev.c, default_device_exit_net). */
static bool dies_with_pod(const struct apply *a)
{
	return *a->device.kind;
}

/*
 * Where the device is. In an undo without a pod a hardware device may still be on its way back from
 * the dead namespace; a virtual one has died with it, which is success (-ENODEV for the caller).
 */
static int find(struct apply *a, enum apply_mode mode, struct link *ret_link, enum place *ret_place)
{
	int64_t deadline = file_deadline(RETURN_WAIT_MS);
	_cleanup_nlsock_ struct nlsock *watch = NULL;
	struct err ignored = { 0 };
	int r = observe_where(&a->device, &a->host, &a->pod, ret_link, ret_place);

	if (r != -ENODEV || mode == APPLY_DO || a->pod.netns >= 0 || dies_with_pod(a))
		return r;
	if (nlsock_open(NETLINK_ROUTE, NLSOCK_HERE, &watch, &ignored) < 0 ||
	    link_watch(watch) < 0)
		return r;
	for (;;) {
		r = observe_where(&a->device, &a->host, &a->pod, ret_link, ret_place);
		if (r != -ENODEV || file_time_left(deadline) == 0)
			return r;
		link_wait(watch, file_time_left(deadline));
	}
}

/* True if there is no device any more and an undo has nothing left to do. */
static bool is_moot(const struct apply *a, enum apply_mode mode, int r)
{
	struct pci_dev pci;
	struct err ignored = { 0 };

	if (r != -ENODEV || mode != APPLY_UNDO)
		return false;
	if (*a->device.pci.addr)
		return pci_get(a->device.pci.addr, &pci, &ignored) < 0; /* unplugged */
	return dies_with_pod(a);
}

static int lost(const struct apply *a, int r, struct err *err)
{
	if (r != -ENODEV)
		return err_set(err, ROCE_KERNEL_REFUSED, r, "looking for device %s: %s",
			       a->device.key, strerror(-r));
	return err_set(err, ROCE_DEVICE_NOT_FOUND, r,
		       "device %s (%s) is neither on the host nor in the pod; a process may hold the dead pod's namespace, see: lsns -t net",
		       a->device.name, a->device.key);
}

static int changed_meanwhile(const struct apply *a, const char *what, struct err *err)
{
	return err_set(err, CNI_TRY_AGAIN, -EBUSY,
		       "somebody else changed the %s of %s while this ADD was running; try again", what,
		       a->device.name);
}

/* ---- link state ---- */

static int exec_link_state(struct apply *a, const struct step *step, enum apply_mode mode,
			   struct err *err)
{
	struct link_change change = { .set_up = true, .up = step->want.up };
	struct link link;
	enum place place;
	int r = find(a, mode, &link, &place);

	if (r < 0)
		return is_moot(a, mode, r) ? 0 : lost(a, r, err);
	if (link.up == step->want.up)
		return 0;
	return link_set(side_of(a, place)->rt, link.ifindex, &change, err);
}

/* ---- VF settings on the PF ---- */

/* The PF by its PCI address: names and indexes change hands. */
static int find_pf(const struct apply *a, enum apply_mode mode, struct link *ret_pf, bool *ret_moot,
		   struct err *err)
{
	struct pci_dev pci;
	struct err gone = { 0 };
	int r;

	*ret_moot = mode == APPLY_UNDO && pci_get(a->device.pci.addr, &pci, &gone) < 0;
	if (*ret_moot)
		return 0;
	r = link_find_parent(a->host.rt, a->device.pci.pf, ret_pf);
	if (r < 0)
		return err_set(err, ROCE_DEVICE_NOT_FOUND, r, "PF %s has no network interface",
			       a->device.pci.pf);
	return 0;
}

static bool same_vlan(struct vf_vlan x, struct vf_vlan y)
{
	return x.id == y.id && (x.id == 0 || (x.qos == y.qos && x.proto == y.proto));
}

static int exec_vf_vlan(struct apply *a, const struct step *step, enum apply_mode mode,
			struct err *err)
{
	int index = a->device.pci.vf_index;
	struct link pf;
	struct vf vf;
	bool moot;
	int r = find_pf(a, mode, &pf, &moot, err);

	if (r < 0 || moot)
		return r;
	r = vf_get(a->host.rt, pf.ifindex, index, &vf, err);
	if (r < 0 || same_vlan(vf.vlan, step->want.vlan))
		return r;
	if (mode == APPLY_DO && !same_vlan(vf.vlan, step->have.vlan))
		return changed_meanwhile(a, "VLAN", err);
	r = vf_set_vlan(a->host.rt, pf.ifindex, index, step->want.vlan, err);
	if (r == 0)
		r = vf_get(a->host.rt, pf.ifindex, index, &vf, err);
	if (r == 0 && !same_vlan(vf.vlan, step->want.vlan))
		return err_set(err, ROCE_KERNEL_REFUSED, -EIO,
			       "the PF's driver took VLAN %d and reports %d", step->want.vlan.id,
			       vf.vlan.id);
	return r;
}

/* ---- MAC ---- */

static int set_admin_mac(struct apply *a, const struct step *step, enum apply_mode mode,
			 struct err *err)
{
	const unsigned char *want = step->want.mac.admin;
	int index = a->device.pci.vf_index;
	struct link pf;
	struct vf vf;
	bool moot;
	int r;

	if (!a->device.pci.is_vf)
		return 0;
	r = find_pf(a, mode, &pf, &moot, err);
	if (r < 0 || moot)
		return r;
	r = vf_get(a->host.rt, pf.ifindex, index, &vf, err);
	if (r < 0 || memcmp(vf.mac, want, LINK_MAC_LEN) == 0)
		return r;
	return vf_set_mac(a->host.rt, pf.ifindex, index, want, err);
}

/*
 * A driver may refuse to set the MAC that the PF has just ordered, and take it over at its next reset
 * instead (igbvf: EADDRNOTAVAIL). Going up and down is such a reset.
 */
static void bounce(struct nlsock *rt, int ifindex)
{
	struct link_change up = { .set_up = true, .up = true }, down = { .set_up = true };
	struct err ignored = { 0 };

	link_set(rt, ifindex, &up, &ignored);
	link_set(rt, ifindex, &down, &ignored);
}

static int set_link_mac(struct apply *a, const struct step *step, enum apply_mode mode,
			struct err *err)
{
	struct link_change change = { .mac = step->want.mac.link };
	struct err refused = { 0 };
	struct link link;
	enum place place;
	struct nlsock *rt;
	int r = find(a, mode, &link, &place);

	if (r < 0)
		return is_moot(a, mode, r) ? 0 : lost(a, r, err);
	if (memcmp(link.mac, step->want.mac.link, LINK_MAC_LEN) == 0)
		return 0;
	if (mode == APPLY_DO && memcmp(link.mac, step->have.mac.link, LINK_MAC_LEN) != 0)
		return changed_meanwhile(a, "MAC", err);
	rt = side_of(a, place)->rt;
	if (link_set(rt, link.ifindex, &change, &refused) < 0)
		bounce(rt, link.ifindex);
	r = link_get(rt, link.ifindex, &link);
	if (r == 0 && memcmp(link.mac, step->want.mac.link, LINK_MAC_LEN) == 0)
		return 0;
	return err_set(err, ROCE_KERNEL_REFUSED, -EIO, "the driver keeps another MAC%s%s",
		       err_is_set(&refused) ? ": " : "", refused.msg);
}

/*
 * The administrative MAC first: while the PF orders another one, the VF cannot have its own back. And
 * once more afterwards: some PFs (igb) note what a VF asks for as if the administrator had set it.
 */
static int exec_mac(struct apply *a, const struct step *step, enum apply_mode mode, struct err *err)
{
	int r = set_admin_mac(a, step, mode, err);

	if (r == 0)
		r = set_link_mac(a, step, mode, err);
	return r < 0 ? r : set_admin_mac(a, step, mode, err);
}

/* ---- MTU ---- */

/*
 * On the way back: a macvlan, ipvlan or VLAN takes no more than what it rides on, which may have been
 * lowered while the pod was running. It gets the most there is; keeping its pod alive would help nobody.
 */
static int restore_what_fits(struct nlsock *rt, const struct link *link, int want, struct err *err)
{
	struct link_change change = { .mtu = 0 };
	struct link lower;

	if (link_get(rt, link->lower, &lower) < 0 || lower.mtu >= want)
		return -EINVAL;
	log_warn("%s had MTU %d, but %s, which it rides on, has %d by now: restoring that",
		 link->name, want, lower.name, lower.mtu);
	change.mtu = lower.mtu;
	return link_set(rt, link->ifindex, &change, err);
}

static int exec_link_mtu(struct apply *a, const struct step *step, enum apply_mode mode,
			 struct err *err)
{
	struct link_change change = { .mtu = step->want.mtu };
	struct err refused = { 0 };
	struct link link;
	enum place place;
	int r = find(a, mode, &link, &place);

	if (r < 0)
		return is_moot(a, mode, r) ? 0 : lost(a, r, err);
	if (link.mtu == step->want.mtu)
		return 0;
	if (mode == APPLY_DO && link.mtu != step->have.mtu)
		return changed_meanwhile(a, "MTU", err);
	r = link_set(side_of(a, place)->rt, link.ifindex, &change, &refused);
	if ((r == -EINVAL || r == -ERANGE) && mode == APPLY_UNDO &&
	    restore_what_fits(side_of(a, place)->rt, &link, step->want.mtu, err) == 0)
		return 0;
	if (r < 0)
		*err = refused;
	else
		r = link_get(side_of(a, place)->rt, link.ifindex, &link);
	if (r == 0 && link.mtu != step->want.mtu)
		return err_set(err, ROCE_MTU_MISMATCH, -EIO,
			       "MTU_MISMATCH: the driver was asked for MTU %d and reports %d",
			       step->want.mtu, link.mtu);
	return r;
}

/* ---- move ---- */

static int move_to_pod(struct apply *a, const struct step *step, const struct link *link,
		       struct err *err)
{
	const struct step_at *want = &step->want.at;
	struct link_change change = { .move = true, .netns = a->pod.netns };
	struct link moved;
	int r;

	if (!streq(link->name, want->name))
		change.name = want->name;
	if (link->ifindex != want->ifindex)
		change.new_ifindex = want->ifindex;
	r = link_set(a->host.rt, link->ifindex, &change, err);
	if (r < 0)
		return r;
	r = link_find(a->pod.rt, want->name, &moved);
	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r,
			       "%s is not in the pod after the kernel moved it", want->name);
	a->device.pod_ifindex = moved.ifindex; /* kernels before 5.13 choose their own */
	return 0;
}

static bool name_free(struct nlsock *rt, const char *name)
{
	struct link other;

	return link_find(rt, name, &other) == -ENODEV;
}

/* On the host, but under the pod's name, "devN", or a name of our own. */
static int rename_on_host(struct apply *a, const struct step *step, const struct link *link,
			  struct err *err)
{
	const char *name = step->want.at.name;
	struct link_change down = { .set_up = true }, rename = { .name = name };

	a->device.ifindex = link->ifindex;
	if (streq(link->name, name))
		return 0;
	if (!name_free(a->host.rt, name))
		return err_set(err, ROCE_KERNEL_REFUSED, -EEXIST,
			       "the host has another interface %s by now; the device came back as %s, rename one of them",
			       name, link->name);
	if (link->up && link_set(a->host.rt, link->ifindex, &down, err) < 0)
		return -err->eno;
	return link_set(a->host.rt, link->ifindex, &rename, err);
}

/* Down and renamed while still in the pod, where nobody watches for it. Return: the name it has. */
static const char *prepare_return(struct apply *a, const struct step *step, const struct link *link)
{
	const char *name = step->want.at.name;
	struct link_change down = { .set_up = true }, rename = { .name = name };
	struct err ignored = { 0 };

	if (link->up)
		link_set(a->pod.rt, link->ifindex, &down, &ignored);
	if (streq(link->name, name) || !name_free(a->host.rt, name) ||
	    link_set(a->pod.rt, link->ifindex, &rename, &ignored) < 0)
		return link->name;
	return name;
}

/*
 * Home again, so that the host sees the device appear under the name it had. If that cannot be, it
 * comes back under another one: better on the host under a strange name than lost with the pod.
 */
static int move_to_host(struct apply *a, const struct step *step, const struct link *link,
			struct err *err)
{
	const char *name = prepare_return(a, step, link);
	struct link_change move = { .move = true, .netns = a->host.netns };
	int ifindex = step->want.at.ifindex, r;
	char stray[LINK_NAME_SIZE];
	struct link moved;

	if (!name_free(a->host.rt, name)) {
		snprintf(stray, sizeof(stray), "roce%d", link->ifindex);
		move.name = name = stray;
	}
	if (link->ifindex != ifindex && link_get(a->host.rt, ifindex, &moved) == -ENODEV)
		move.new_ifindex = ifindex;
	r = link_set(a->pod.rt, link->ifindex, &move, err);
	if (r < 0)
		return r;
	r = link_find(a->host.rt, name, &moved);
	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r, "reading %s, just moved to the host: %s",
			       name, nlsock_words(a->host.rt));
	return rename_on_host(a, step, &moved, err);
}

static int exec_link_move(struct apply *a, const struct step *step, enum apply_mode mode,
			  struct err *err)
{
	struct link link;
	enum place place;
	int r = find(a, mode, &link, &place);

	if (r < 0)
		return is_moot(a, mode, r) ? 0 : lost(a, r, err);
	if (step->want.at.place == PLACE_HOST)
		return place == PLACE_POD ? move_to_host(a, step, &link, err)
					  : rename_on_host(a, step, &link, err);
	if (place == PLACE_POD)
		return changed_meanwhile(a, "network namespace", err);
	return move_to_pod(a, step, &link, err);
}

/* ---- RDMA device ---- */

/* Its index stays the same wherever it is, its name need not. */
static bool rdma_at(struct apply *a, enum place place)
{
	struct rdmadev dev;

	return rdmadev_find(side_of(a, place)->rdma, NULL, a->device.rdma.index, &dev) == 0;
}

/* Without a pod the kernel brings it back; when, is the kernel's business: within RETURN_WAIT_MS. */
static bool rdma_returned(struct apply *a)
{
	int64_t deadline = file_deadline(RETURN_WAIT_MS);

	while (!rdma_at(a, PLACE_HOST)) {
		if (file_time_left(deadline) == 0)
			return false;
		poll(NULL, 0, RDMA_POLL_MS); /* RDMA netlink has no events for this before 6.12 */
	}
	return true;
}

static int exec_rdma_move(struct apply *a, const struct step *step, enum apply_mode mode,
			  struct err *err)
{
	enum place to = step->want.rdma;
	enum place from = to == PLACE_POD ? PLACE_HOST : PLACE_POD;
	int r;

	if (rdma_at(a, to))
		return 0;
	if (side_of(a, from)->netns >= 0 && rdma_at(a, from)) {
		r = rdmadev_move(side_of(a, from)->rdma, side_of(a, from)->netns,
				 a->device.rdma.index, side_of(a, to)->netns, err);
		if (r < 0 || rdma_at(a, to))
			return r;
	} else if (mode == APPLY_UNDO && (a->pod.netns >= 0 || rdma_returned(a))) {
		return 0; /* back already, or its driver is gone */
	}
	return err_set(err, ROCE_DEVICE_NOT_FOUND, -ENODEV,
		       "RDMA device %s is neither on the host nor in the pod; see: rdma dev show",
		       a->device.rdma.name);
}

/* ---- addresses ---- */

static int exec_ipam(struct apply *a, const struct step *step, struct err *err)
{
	if (step->want.present)
		return delegate_add(&a->delegate, &a->result, &a->result_json, err);
	return delegate_call(&a->delegate, CNI_DEL, err);
}

static int exec_addr(struct apply *a, const struct step *step, struct err *err)
{
	int ifindex = a->device.pod_ifindex;
	struct link link;

	if (!step->want.present)
		return addr_del(a->pod.rt, ifindex, &step->addr, err);
	if (step->addr.family == AF_INET6 && link_get(a->pod.rt, ifindex, &link) == 0)
		addr_prepare_ipv6(a->pod.netns, a->pod.rt, ifindex, link.name);
	return addr_add(a->pod.rt, ifindex, &step->addr, err);
}

static int exec_route(struct apply *a, const struct step *step, struct err *err)
{
	int ifindex = a->device.pod_ifindex;

	return step->want.present ? route_add(a->pod.rt, ifindex, &step->route, err)
				  : route_del(a->pod.rt, ifindex, &step->route, err);
}

int step_exec(struct apply *a, const struct step *step, enum apply_mode mode, struct err *err)
{
	switch (step->type) {
	case STEP_LINK_STATE:
		return exec_link_state(a, step, mode, err);
	case STEP_VF_VLAN:
		return exec_vf_vlan(a, step, mode, err);
	case STEP_MAC:
		return exec_mac(a, step, mode, err);
	case STEP_LINK_MTU:
		return exec_link_mtu(a, step, mode, err);
	case STEP_LINK_MOVE:
		return exec_link_move(a, step, mode, err);
	case STEP_RDMA_MOVE:
		return exec_rdma_move(a, step, mode, err);
	case STEP_IPAM:
		return exec_ipam(a, step, err);
	case STEP_ADDR:
		return exec_addr(a, step, err);
	case STEP_ROUTE:
		return exec_route(a, step, err);
	case STEP_TYPE_MAX:
		break;
	}
	return err_set(err, ROCE_STATE_BROKEN, -EINVAL, "unknown step");
}
