/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA devices by NETLINK_RDMA: mode, list, move between network namespaces. */
#ifndef NETLINK_RDMADEV_H
#define NETLINK_RDMADEV_H

#include "netlink/nlsock.h"

enum { RDMADEV_NAME_SIZE = 64 };

/* How RDMA devices and network namespaces go together. */
enum rdmadev_mode {
	RDMADEV_NONE,	   /* the kernel has no RDMA subsystem loaded */
	RDMADEV_SHARED,	   /* every namespace sees every device */
	RDMADEV_EXCLUSIVE, /* a device is in exactly one namespace, and can be moved */
};

/* One RDMA device; @index stays the same when it moves or is renamed. */
struct rdmadev {
	int index;
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

/* rdmadev_mode() - the mode; RDMADEV_NONE for a NULL socket. */
enum rdmadev_mode rdmadev_mode(struct nlsock *sock);

/**
 * rdmadev_find() - look a device up in the socket's namespace
 * @sock:	from rdmadev_open()
 * @name:	name, or NULL to look for @index
 * @index:	index, if @name is NULL
 * @ret_dev:	the device
 *
 * Return: 0, -ENODEV, or another negative errno.
 */
int rdmadev_find(struct nlsock *sock, const char *name, int index, struct rdmadev *ret_dev);

/**
 * rdmadev_move() - move a device into another network namespace
 * @sock:	socket of the namespace that has it now
 * @from:	that namespace; the kernel wants the caller itself to be in it
 * @index:	device
 * @to:		target
 * @err:	ROCE_KERNEL_REFUSED with what would make it work
 *
 * Open contexts are cut off (disassociated). Needs mode exclusive and a driver with
 * disassociate_ucontext (drivers/infiniband/core/device.c: ib_device_set_netns_put() takes the
 * caller's namespace, not the socket's, for the one that has the device).
 *
 * Return: 0 or a negative errno.
 */
int rdmadev_move(struct nlsock *sock, int from, int index, int to, struct err *err);

#endif
