// SPDX-License-Identifier: Apache-2.0
#include "netlink/rdmadev.h"

#include "netlink/netns.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>

int rdmadev_open(int netns, struct nlsock **ret_sock, struct err *err)
{
	int r = nlsock_open(NETLINK_RDMA, netns, ret_sock, err);

	if (r != -EPROTONOSUPPORT)
		return r;
	*ret_sock = NULL;
	return 0;
}

static struct nl_msg *request(int command, int flags)
{
	return nlmsg_alloc_simple(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command), NLM_F_REQUEST | flags);
}

static int on_system(struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *mode = nlmsg_find_attr(nlh, 0, RDMA_NLDEV_SYS_ATTR_NETNS_MODE);

	if (mode)
		*(enum rdmadev_mode *)arg = nla_get_u8(mode) ? RDMADEV_SHARED : RDMADEV_EXCLUSIVE;
	return 0;
}

enum rdmadev_mode rdmadev_mode(struct nlsock *sock)
{
	enum rdmadev_mode mode = RDMADEV_NONE;

	if (sock)
		nlsock_talk(sock, request(RDMA_NLDEV_CMD_SYS_GET, 0), on_system, &mode);
	return mode;
}

struct search {
	const char *name;
	int index;
	struct rdmadev *dev;
	bool found;
};

static int on_device(struct nlmsghdr *nlh, void *arg)
{
	struct search *search = arg;
	struct nlattr *index = nlmsg_find_attr(nlh, 0, RDMA_NLDEV_ATTR_DEV_INDEX);
	struct nlattr *name = nlmsg_find_attr(nlh, 0, RDMA_NLDEV_ATTR_DEV_NAME);

	if (!index || !name)
		return 0;
	if (search->name ? !streq(nla_get_string(name), search->name)
			 : (int)nla_get_u32(index) != search->index)
		return 0;
	search->dev->index = (int)nla_get_u32(index);
	nla_strlcpy(search->dev->name, name, sizeof(search->dev->name));
	search->found = true;
	return 0;
}

int rdmadev_find(struct nlsock *sock, const char *name, int index, struct rdmadev *ret_dev)
{
	struct search search = { .name = name, .index = index, .dev = ret_dev };
	int r = sock ? nlsock_talk(sock, request(RDMA_NLDEV_CMD_GET, NLM_F_DUMP), on_device, &search)
		     : 0;

	if (r < 0)
		return r;
	return search.found ? 0 : -ENODEV;
}

/* Why the kernel says no, in words that help (drivers/infiniband/core/device.c). */
static const char *move_hint(int r)
{
	if (r == -EOPNOTSUPP)
		return "the mode is shared (see: rdma system), or the driver cannot be moved";
	if (r == -EPERM)
		return "it needs CAP_NET_ADMIN in the pod's user namespace";
	return "see: rdma dev show";
}

int rdmadev_move(struct nlsock *sock, int from, int index, int to, struct err *err)
{
	struct nl_msg *msg = request(RDMA_NLDEV_CMD_SET, 0);
	int back, r;

	if (msg) {
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index);
		nla_put_u32(msg, RDMA_NLDEV_NET_NS_FD, to);
	}
	r = netns_enter(from, &back, err);
	if (r < 0) {
		nlmsg_free(msg);
		return r;
	}
	r = nlsock_talk(sock, msg, NULL, NULL);
	netns_return(back);
	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r,
			       "RDMA device %d does not move: the kernel refused: %s; %s", index,
			       nlsock_words(sock), move_hint(r));
	return 0;
}
