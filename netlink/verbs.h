/* SPDX-License-Identifier: Apache-2.0 */
/* What an RDMA device says of itself through its verbs: the GID table and the port's path MTU. */
#ifndef NETLINK_VERBS_H
#define NETLINK_VERBS_H

#include "base/err.h"

enum { VERBS_GID_LEN = 16, VERBS_GIDS_MAX = 1024 };

/* A device, open. */
struct verbs;

/* One entry of the GID table; @roce_v2: of the type "RoCE v2". */
struct verbs_gid {
	unsigned char bytes[VERBS_GID_LEN];
	int index;
	bool roce_v2;
};

/**
 * verbs_open() - open a device as an application in a pod would
 * @netns:	namespace that has, or sees, the device
 * @name:	its name there
 * @ret_verbs:	the device; the caller calls verbs_close()
 * @err:	ROCE_RDMA_UNUSABLE: no file below /dev/infiniband, no provider in this build, or the
 *		kernel's words
 *
 * A device is only opened from a namespace that has it (drivers/infiniband/core/uverbs_main.c).
 *
 * Return: 0, -EOPNOTSUPP without file or provider, or another negative errno.
 */
int verbs_open(int netns, const char *name, struct verbs **ret_verbs, struct err *err);

/* verbs_close() - close it. */
void verbs_close(struct verbs *verbs);

static inline void verbs_closep(struct verbs **verbs)
{
	verbs_close(*verbs);
}
#define _cleanup_verbs_ _cleanup_(verbs_closep)

/* verbs_active_mtu() - the path MTU that port 1 reports, bytes; 0: it does not say. */
int verbs_active_mtu(struct verbs *verbs);

/* verbs_gids() - the entries of port 1's GID table. Return: their number, or a negative errno. */
ssize_t verbs_gids(struct verbs *verbs, struct verbs_gid gids[VERBS_GIDS_MAX]);

/**
 * verbs_wait() - wait until something about the device changes
 * @verbs:	device
 * @timeout_ms:	longest wait
 *
 * The kernel reports every change of the GID table as IB_EVENT_GID_CHANGE
 * (drivers/infiniband/core/cache.c, dispatch_gid_change_event()); what came since verbs_open() counts.
 */
void verbs_wait(struct verbs *verbs, int timeout_ms);

#endif
