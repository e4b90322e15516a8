// SPDX-License-Identifier: Apache-2.0
/* Runs steps: finds the device, hands over to the function of the step's type (cni/exec.h). */
#include "cni/exec.h"

#include "base/file.h"
#include "netlink/addr.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>

struct side *exec_side(struct apply *a, enum place place)
{
	return place == PLACE_POD ? &a->pod : &a->host;
}

/* The kernel keeps hardware and destroys what it made itself (net/core/dev.c, default_device_exit_net). */
static bool dies_with_pod(const struct apply *a)
{
	return *a->device.kind;
}

/* Unplugged, unbound, or in the hands of a process: no namespace has a netdev of it any more. */
bool exec_has_no_driver(const struct apply *a)
{
	struct pci_dev pci;
	struct err ignored = { 0 };

	if (!*a->device.pci.addr)
		return false;
	return pci_get(a->device.pci.addr, &pci, &ignored) < 0 || !*pci.driver ||
	       pci_is_userspace(&pci);
}

/*
 * Where the device is. In an undo without a pod a hardware device may still be on its way back from
 * the dead namespace; a virtual one has died with it, which is success (-ENODEV for the caller). What did
 * not come in time is not waited for again by the next step.
 */
static int look(struct apply *a, enum apply_mode mode, struct link *ret_link, enum place *ret_place)
{
	int64_t deadline = file_deadline(EXEC_RETURN_WAIT_MS);
	_cleanup_nlsock_ struct nlsock *watch = NULL;
	struct err ignored = { 0 };
	int r = observe_where(&a->device, &a->host, &a->pod, ret_link, ret_place);

	if (r != -ENODEV || mode == APPLY_DO || a->pod.netns >= 0 || a->waited || dies_with_pod(a) ||
	    exec_has_no_driver(a))
		return r;
	if (nlsock_open(NETLINK_ROUTE, NLSOCK_HERE, &watch, &ignored) < 0 ||
	    link_watch(watch) < 0)
		return r;
	for (;;) {
		r = observe_where(&a->device, &a->host, &a->pod, ret_link, ret_place);
		a->waited = r == -ENODEV && file_time_left(deadline) == 0;
		if (r != -ENODEV || a->waited)
			return r;
		link_wait(watch, file_time_left(deadline));
	}
}

/* True if there is no device any more and an undo has nothing left to do. */
static bool is_moot(const struct apply *a, enum apply_mode mode, int r)
{
	if (r != -ENODEV || mode != APPLY_UNDO)
		return false;
	return dies_with_pod(a) || exec_has_no_driver(a);
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

int exec_changed(const struct apply *a, const char *what, struct err *err)
{
	return err_set(err, CNI_TRY_AGAIN, -EBUSY,
		       "somebody else changed the %s of %s while this ADD was running; try again", what,
		       a->device.name);
}

int exec_find(struct apply *a, enum apply_mode mode, struct link *ret_link, struct nlsock **ret_rt,
	      enum place *ret_place, struct err *err)
{
	enum place place;
	int r = look(a, mode, ret_link, &place);

	if (r < 0)
		return is_moot(a, mode, r) ? 1 : lost(a, r, err);
	*ret_rt = exec_side(a, place)->rt;
	if (ret_place)
		*ret_place = place;
	return 0;
}

/* Where it was seen last, without reading all interfaces of the host. */
static int find_pf(struct apply *a, struct link *ret_pf)
{
	int r = link_get(a->host.rt, a->pf_ifindex, ret_pf);

	if (r < 0 || !streq(ret_pf->parent, a->device.pci.pf))
		r = link_find_parent(a->host.rt, a->device.pci.pf, ret_pf);
	if (r == 0)
		a->pf_ifindex = ret_pf->ifindex;
	return r;
}

int exec_find_pf(struct apply *a, enum apply_mode mode, struct link *ret_pf, struct err *err)
{
	struct pci_dev pci;
	struct err gone = { 0 };
	int r;

	if (mode == APPLY_UNDO && pci_get(a->device.pci.addr, &pci, &gone) < 0)
		return 1;
	r = find_pf(a, ret_pf);
	if (r < 0)
		return err_set(err, ROCE_DEVICE_NOT_FOUND, r, "PF %s has no network interface",
			       a->device.pci.pf);
	return 0;
}

/* ---- addresses ---- */

static int exec_ipam(struct apply *a, const struct step *step, struct err *err)
{
	if (step->want.on)
		return delegate_add(&a->delegate, &a->result, &a->result_json, err);
	return delegate_call(&a->delegate, CNI_DEL, err);
}

static int exec_addr(struct apply *a, const struct step *step, struct err *err)
{
	int ifindex = a->device.pod_ifindex;
	struct link link;

	if (!step->want.on)
		return addr_del(a->pod.rt, ifindex, &step->addr, err);
	if (step->addr.family == AF_INET6 && link_get(a->pod.rt, ifindex, &link) == 0)
		addr_prepare_ipv6(a->pod.netns, a->pod.rt, ifindex, link.name);
	return addr_add(a->pod.rt, ifindex, &step->addr, err);
}

static int exec_route(struct apply *a, const struct step *step, struct err *err)
{
	int ifindex = a->device.pod_ifindex;

	return step->want.on ? route_add(a->pod.rt, ifindex, &step->route, err)
				  : route_del(a->pod.rt, ifindex, &step->route, err);
}

int step_exec(struct apply *a, const struct step *step, enum apply_mode mode, struct err *err)
{
	switch (step->type) {
	case STEP_VF_VLAN:
	case STEP_VF_RATE:
	case STEP_VF_SPOOFCHK:
	case STEP_VF_TRUST:
	case STEP_VF_LINK:
		return exec_vf(a, step, mode, err);
	case STEP_MAC:
		return exec_mac(a, step, mode, err);
	case STEP_LINK_STATE:
	case STEP_CONF:
	case STEP_ALTNAMES:
	case STEP_LINK_MTU:
	case STEP_PROMISC:
	case STEP_ALLMULTI:
	case STEP_TXQLEN:
		return exec_link(a, step, mode, err);
	case STEP_LINK_MOVE:
		return exec_move(a, step, mode, err);
	case STEP_RDMA_MOVE:
		return exec_rdma_move(a, step, mode, err);
	case STEP_RDMA_SOFT:
		return exec_rdma_soft(a, step, err);
	case STEP_SYSCTL:
		return exec_sysctl(a, step, mode, err);
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
