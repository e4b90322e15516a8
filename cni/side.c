// SPDX-License-Identifier: Apache-2.0
#include "cni/side.h"

#include "netlink/rdmadev.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>

/* The sockets of a namespace whose descriptor the side owns already. */
static int open_sockets(struct side *side, int where, struct err *err)
{
	int r = nlsock_open(NETLINK_ROUTE, where, &side->rt, err);

	if (r == 0)
		r = rdmadev_open(where, &side->rdma, err);
	if (r < 0)
		side_close(side);
	return r;
}

int side_open_host(struct side *ret_side, struct err *err)
{
	struct side side = SIDE_CLOSED;
	int r;

	side.netns = netns_here(&side.id, err);
	if (side.netns < 0)
		return side.netns;
	r = open_sockets(&side, NLSOCK_HERE, err);
	if (r == 0)
		*ret_side = side;
	return r;
}

int side_open_pod(const char *path, const struct side *host, bool may_be_host,
		  struct side *ret_side, struct err *err)
{
	struct side side = SIDE_CLOSED;
	int r;

	side.netns = netns_open(path, &side.id, err);
	if (side.netns < 0)
		return side.netns;
	if (!may_be_host && netns_same(side.id, host->id)) {
		side_close(&side);
		return err_set(err, CNI_NETNS_IS_HOST, -EINVAL,
			       "CNI_NETNS %s is the namespace this plugin runs in, not a pod's", path);
	}
	r = open_sockets(&side, side.netns, err);
	if (r == 0)
		*ret_side = side;
	return r;
}

int side_open_empty(struct side *ret_side, struct err *err)
{
	struct side side = SIDE_CLOSED;
	int r;

	side.netns = netns_new(&side.id);
	if (side.netns < 0)
		return err_set(err, ROCE_NETNS_INVALID, side.netns,
			       "cannot make a network namespace: %s", strerror(-side.netns));
	r = open_sockets(&side, side.netns, err);
	if (r == 0)
		*ret_side = side;
	return r;
}

int side_reopen_pod(const char *path, struct netns_id id, struct side *ret_side, struct err *err)
{
	struct side side = SIDE_CLOSED;
	struct err gone = { 0 };
	int r;

	*ret_side = side;
	if (path)
		side.netns = netns_open(path, &side.id, &gone);
	if (side.netns >= 0 && !netns_same(side.id, id))
		side_close(&side);
	if (side.netns < 0) {
		side.netns = netns_search(id);
		side.id = id;
	}
	if (side.netns < 0)
		return 0;
	r = open_sockets(&side, side.netns, err);
	if (r == 0)
		*ret_side = side;
	return r;
}

void side_close(struct side *side)
{
	nlsock_close(side->rt);
	nlsock_close(side->rdma);
	if (side->netns >= 0)
		close(side->netns);
	*side = (struct side)SIDE_CLOSED;
}
