/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA devices by NETLINK_RDMA: mode, list, move between network namespaces. */
#ifndef NETLINK_RDMADEV_H
#define NETLINK_RDMADEV_H

#include "netlink/nlsock.h"

#include <stdint.h>

enum { RDMADEV_NAME_SIZE = 64, RDMADEV_HOLDER_SIZE = 64 };

/* How RDMA devices and network namespaces go together. */
enum rdmadev_mode {
	RDMADEV_NONE,	   /* the kernel has no RDMA subsystem loaded */
	RDMADEV_SHARED,	   /* every namespace sees every device */
	RDMADEV_EXCLUSIVE, /* a device is in exactly one namespace, and can be moved */
};

/*
 * One RDMA device. @index stays the same when it moves or is renamed, and is another one when its
 * driver has made it anew; @guid, the node GUID, outlives that, and is 0 for a VF that was given none.
 */
struct rdmadev {
	int index;
	uint64_t guid;
	char name[RDMADEV_NAME_SIZE];
};

/**
 * rdmadev_open() - open a NETLINK_RDMA socket
 * @netns:	namespace it is to work in, or NLSOCK_HERE
 * @ret_sock:	the socket; NULL when the kernel has no RDMA subsystem
 * @err:	ROCE_KERNEL_REFUSED
 *
 * Return: 0 or a negative errno.
 */
int rdmadev_open(int netns, struct nlsock **ret_sock, struct err *err);

/**
 * rdmadev_mode() - how RDMA devices and network namespaces go together on this node
 * @sock:	from rdmadev_open(); NULL: RDMADEV_NONE
 * @ret_mode:	the mode
 * @err:	ROCE_KERNEL_REFUSED
 *
 * Return: 0 or a negative errno.
 */
int rdmadev_mode(struct nlsock *sock, enum rdmadev_mode *ret_mode, struct err *err);

/**
 * rdmadev_find() - look a device up by name in the socket's namespace
 * @sock:	from rdmadev_open(); NULL finds nothing
 * @name:	its name
 * @ret_dev:	the device
 * @err:	ROCE_KERNEL_REFUSED; not set for -ENODEV
 *
 * Return: 0, -ENODEV, or another negative errno.
 */
int rdmadev_find(struct nlsock *sock, const char *name, struct rdmadev *ret_dev, struct err *err);

/**
 * rdmadev_find_again() - look for a device that was seen before, never by its name
 * @sock:	from rdmadev_open(); NULL finds nothing
 * @seen:	as it was
 * @ret_dev:	as it is; may be NULL
 * @err:	as rdmadev_find()
 *
 * By index and node GUID; by the index alone if the GUID is not known, which is safe, since the kernel gives
 * each index once for a long time; by the GUID alone if the index is not there or has another: the kernel
 * numbers a device anew when its driver is bound again.
 *
 * Return: as rdmadev_find().
 */
int rdmadev_find_again(struct nlsock *sock, const struct rdmadev *seen, struct rdmadev *ret_dev,
		       struct err *err);

/**
 * rdmadev_holder() - a process that has a device open
 * @sock:	socket of the namespace that has the device
 * @index:	the device
 * @buf:	receives "ib_write_bw (process 4711)"
 *
 * Return: true if there is one; kernels before 5.16 do not say.
 */
bool rdmadev_holder(struct nlsock *sock, int index, char buf[RDMADEV_HOLDER_SIZE]);

/**
 * rdmadev_chardev() - name of a device's file below /dev/infiniband
 * @sock:	socket of the namespace that has the device
 * @index:	the device
 * @ret_name:	"uverbs0"; "" if there is no ib_uverbs, or it does not serve the device
 * @err:	ROCE_KERNEL_REFUSED
 *
 * The kernel loads ib_uverbs to answer (drivers/infiniband/core/device.c, ib_get_client_nl_info()).
 *
 * Return: 0 or a negative errno.
 */
int rdmadev_chardev(struct nlsock *sock, int index, char ret_name[RDMADEV_NAME_SIZE],
		    struct err *err);

/**
 * rdmadev_add_soft() - make a soft-RoCE (rxe) device on a netdev
 * @sock:	socket of the netdev's namespace
 * @netns:	that namespace; the kernel looks for the netdev in the caller's own
 * @name:	name of the new device, unique on the node
 * @netdev:	name of the netdev
 * @err:	ROCE_RDMA_UNUSABLE with what would make it work
 *
 * Only where rxe knows network namespaces (drivers/infiniband/sw/rxe/rxe_ns.c, kernel 7.1); that is
 * found out by trying.
 *
 * Return: 0 or a negative errno.
 */
int rdmadev_add_soft(struct nlsock *sock, int netns, const char *name, const char *netdev,
		     struct err *err);

/* rdmadev_del_soft() - remove it. Return: 0 or a negative errno, with @err set. */
int rdmadev_del_soft(struct nlsock *sock, int netns, const struct rdmadev *dev, struct err *err);

/**
 * rdmadev_move() - move a device into another network namespace
 * @sock:	socket of the namespace that has it now
 * @from:	that namespace; the kernel wants the caller itself to be in it
 * @dev:		the device, as it is there
 * @to:		target
 * @err:	ROCE_KERNEL_REFUSED with what would make it work
 *
 * Open contexts are cut off (disassociated). Needs mode exclusive and a driver with
 * disassociate_ucontext (drivers/infiniband/core/device.c: ib_device_set_netns_put() takes the
 * caller's namespace, not the socket's, for the one that has the device).
 *
 * Return: 0 or a negative errno.
 */
int rdmadev_move(struct nlsock *sock, int from, const struct rdmadev *dev, int to, struct err *err);

/**
 * rdmadev_rename() - give a device another name
 * @sock:	socket of the namespace that has it
 * @dev:		the device, as it is there
 * @name:	its new name; names are unique on the node, whatever namespace a device is in
 * @err:	ROCE_KERNEL_REFUSED
 *
 * Return: 0, -EEXIST if another device has the name, or another negative errno.
 */
int rdmadev_rename(struct nlsock *sock, const struct rdmadev *dev, const char *name, struct err *err);

#endif
