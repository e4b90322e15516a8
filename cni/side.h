/* SPDX-License-Identifier: Apache-2.0 */
/* The two sides a device can be on: the host's network namespace and the pod's. */
#ifndef CNI_SIDE_H
#define CNI_SIDE_H

#include "netlink/netns.h"
#include "netlink/nlsock.h"

enum place {
	PLACE_HOST,
	PLACE_POD,
};

/**
 * struct side - one namespace, open
 * @netns:	descriptor; -1: not open (a pod that is gone)
 * @id:		its identity
 * @rt:		rtnetlink socket in it
 * @rdma:	RDMA netlink socket in it; NULL when the kernel has no RDMA subsystem
 */
struct side {
	int netns;
	struct netns_id id;
	struct nlsock *rt;
	struct nlsock *rdma;
};

#define SIDE_CLOSED { .netns = -1 }

/* side_open_host() - the namespace this process runs in. Return: 0 or a negative errno. */
int side_open_host(struct side *ret_side, struct err *err);

/**
 * side_open_pod() - the namespace a path stands for
 * @path:	CNI_NETNS
 * @host:	must be another namespace, unless @may_be_host
 * @may_be_host: CNI_NETNS_OVERRIDE
 * @ret_side:	the side; the caller calls side_close()
 * @err:	ROCE_NETNS_INVALID, CNI_NETNS_IS_HOST
 *
 * Return: 0 or a negative errno.
 */
int side_open_pod(const char *path, const struct side *host, bool may_be_host,
		  struct side *ret_side, struct err *err);

/* side_open_empty() - a new, empty namespace for a dry run. Return: 0 or a negative errno. */
int side_open_empty(struct side *ret_side, struct err *err);

/**
 * side_reopen_pod() - find the pod's namespace again
 * @path:	where it was, or NULL
 * @id:		what it was; the same path may be another namespace by now
 * @ret_side:	the side; closed (netns -1) when the namespace is gone
 * @err:	for what is no answer, such as EMFILE
 *
 * Return: 0, also when the namespace is gone, or a negative errno.
 */
int side_reopen_pod(const char *path, struct netns_id id, struct side *ret_side, struct err *err);

/* side_close() - close what is open. */
void side_close(struct side *side);
#define _cleanup_side_ _cleanup_(side_close)

#endif
