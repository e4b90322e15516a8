// SPDX-License-Identifier: Apache-2.0
/* The RDMA device between the host and the pod, and soft RoCE in the pod. */
#include "cni/exec.h"

#include "base/file.h"
#include "base/log.h"

#include <errno.h>
#include <poll.h>

enum { POLL_MS = 10 };

/* ---- the device that comes with the netdev ---- */

/* That of the PCI function, whatever it is called and however it is numbered by now. */
static int find_on_host(const struct apply *a, struct rdmadev *ret_dev, struct err *err)
{
	struct err ignored = { 0 };
	struct pci_dev pci;

	if (pci_get(a->device.pci.addr, &pci, &ignored) < 0 || !*pci.rdma)
		return -ENODEV;
	return rdmadev_find(a->host.rdma, pci.rdma, ret_dev, err);
}

/* The pod's sysfs is not ours to read. Return: 0; 1: it is not there; a negative errno if that cannot be found out. */
static int look(struct apply *a, enum place place, struct rdmadev *ret_dev, struct err *err)
{
	int r = place == PLACE_HOST
			? find_on_host(a, ret_dev, err)
			: rdmadev_find_again(a->pod.rdma, &a->device.rdma, ret_dev, err);

	return r == -ENODEV ? 1 : r;
}

/* A pod may rename it. Who has taken its name since then keeps it. */
static int restore_name(struct apply *a, enum place place, const struct rdmadev *dev, struct err *err)
{
	const char *name = a->device.rdma.name;
	struct err refused = { 0 };
	int r;

	if (streq(dev->name, name))
		return 0;
	r = rdmadev_rename(exec_side(a, place)->rdma, dev, name, &refused);
	if (r == -EEXIST) {
		log_warn("RDMA device %s, renamed to %s in the pod, keeps that name: another one is called %s by now",
			 name, dev->name, name);
		return 0;
	}
	if (r == 0)
		log_info("RDMA device %s was renamed to %s in the pod: it has its name again", name,
			 dev->name);
	else
		*err = refused;
	return r;
}

/* Without a pod the kernel brings it back; when, is the kernel's business: within EXEC_RETURN_WAIT_MS. */
static int wait_return(struct apply *a, struct rdmadev *ret_dev, struct err *err)
{
	int64_t deadline = file_deadline(EXEC_RETURN_WAIT_MS);
	int r;

	while ((r = look(a, PLACE_HOST, ret_dev, err)) == 1 && pci_has_rdma(a->device.pci.addr) &&
	       file_time_left(deadline) > 0)
		poll(NULL, 0, POLL_MS); /* RDMA netlink has no events for this before 6.12 */
	return r;
}

static int neither(const struct apply *a, struct err *err)
{
	return err_set(err, ROCE_DEVICE_NOT_FOUND, -ENODEV,
		       "RDMA device %s is neither on the host nor in the pod; if another network namespace has it, move it back or end that: lsns -t net",
		       a->device.rdma.name);
}

/* On neither side. Of a device without its RDMA driver nothing is left in any namespace. */
static int settle_absent(struct apply *a, enum apply_mode mode, struct err *err)
{
	struct rdmadev dev;
	int r = 1;

	if (mode == APPLY_UNDO && a->pod.netns < 0)
		r = wait_return(a, &dev, err);
	if (r == 0)
		return restore_name(a, PLACE_HOST, &dev, err);
	if (r == 1 && mode == APPLY_UNDO && !pci_has_rdma(a->device.pci.addr))
		return 0;
	return r == 1 ? neither(a, err) : r;
}

static int move(struct apply *a, const struct rdmadev *dev, enum place from, enum place to,
		struct err *err)
{
	struct rdmadev moved;
	int r = rdmadev_move(exec_side(a, from)->rdma, exec_side(a, from)->netns, dev,
			     exec_side(a, to)->netns, err);

	if (r == 0)
		r = look(a, to, &moved, err);
	if (r == 0)
		a->device.rdma = moved;
	return r == 1 ? neither(a, err) : r;
}

/* The host sees it appear under the name it had: renamed in the pod, and home whether or not that succeeds. */
static int move_to_host(struct apply *a, const struct rdmadev *dev, struct err *err)
{
	int renamed = restore_name(a, PLACE_POD, dev, err);
	struct err stays = { 0 };
	int r = move(a, dev, PLACE_POD, PLACE_HOST, &stays);

	if (r < 0)
		*err = stays;
	return r < 0 ? r : renamed;
}

int exec_rdma_move(struct apply *a, const struct step *step, enum apply_mode mode, struct err *err)
{
	enum place to = step->want.place;
	enum place from = to == PLACE_POD ? PLACE_HOST : PLACE_POD;
	struct rdmadev dev;
	int r = look(a, to, &dev, err);

	if (r == 0 && to == PLACE_HOST)
		return restore_name(a, to, &dev, err);
	if (r <= 0)
		return r;
	r = exec_side(a, from)->netns >= 0 ? look(a, from, &dev, err) : 1;
	if (r == 0 && to == PLACE_HOST)
		return move_to_host(a, &dev, err);
	if (r == 0)
		return move(a, &dev, from, to, err);
	return r < 0 ? r : settle_absent(a, mode, err);
}

/* ---- soft RoCE ---- */

/*
 * It is on our netdev, or went with it: elsewhere the same name is another pod's, whose namespace has got the
 * number that ours had. What the pod removes meanwhile, the kernel does not find (-EINVAL).
 */
static int remove_soft(struct apply *a, const struct step *step, struct err *err)
{
	struct err refused = { 0 };
	struct rdmadev dev;
	enum place place;
	struct link link;
	int r = observe_where(&a->device, &a->host, &a->pod, &link, &place);

	if (r == -ENODEV || (r == 0 && place == PLACE_HOST))
		return 0;
	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r, "looking for device %s: %s",
			       a->device.key, strerror(-r));
	r = rdmadev_find(a->pod.rdma, step->soft, &dev, err);
	if (r < 0)
		return r == -ENODEV ? 0 : r;
	r = rdmadev_del_soft(a->pod.rdma, a->pod.netns, &dev, &refused);
	if (r == 0 || rdmadev_find(a->pod.rdma, step->soft, &dev, err) == -ENODEV)
		return 0;
	*err = refused;
	return r;
}

int exec_rdma_soft(struct apply *a, const struct step *step, struct err *err)
{
	struct link link;
	int r;

	if (!step->want.on)
		return remove_soft(a, step, err);
	r = link_get(a->pod.rt, a->device.pod_ifindex, &link);
	if (r < 0)
		return err_set(err, ROCE_DEVICE_NOT_FOUND, r, "%s left the pod while ADD was running",
			       a->device.name);
	r = rdmadev_add_soft(a->pod.rdma, a->pod.netns, step->soft, link.name, err);
	if (r < 0)
		return r;
	r = rdmadev_find(a->pod.rdma, step->soft, &a->device.rdma, err);
	if (r < 0)
		return err_set(err, ROCE_RDMA_UNUSABLE, r,
			       "soft-RoCE device %s is not in the pod after the kernel made it; see: rdma link",
			       step->soft);
	a->device.has_rdma = true;
	return 0;
}
