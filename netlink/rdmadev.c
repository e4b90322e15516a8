// SPDX-License-Identifier: Apache-2.0
#include "netlink/rdmadev.h"

#include "base/file.h"
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

int rdmadev_mode(struct nlsock *sock, enum rdmadev_mode *ret_mode, struct err *err)
{
	int r;

	*ret_mode = RDMADEV_NONE;
	if (!sock)
		return 0;
	r = nlsock_talk(sock, request(RDMA_NLDEV_CMD_SYS_GET, 0), on_system, ret_mode);
	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r,
			       "reading the mode of the RDMA subsystem: %s; see: rdma system",
			       nlsock_words(sock));
	return 0;
}

struct search {
	const char *name;	    /* looked for by name, or */
	const struct rdmadev *seen; /* as it was */
	struct rdmadev found;
	bool any, exact;
};

/* A device with the index and the GUID, if that is known, is the one; one with the GUID alone is, if there is no better. */
static void consider(struct search *search, const struct rdmadev *dev)
{
	const struct rdmadev *seen = search->seen;
	bool same_guid = seen && (!seen->guid || seen->guid == dev->guid);
	bool exact = search->name ? streq(search->name, dev->name)
				  : same_guid && seen->index == dev->index;

	if (!exact && !(same_guid && seen->guid && !search->exact))
		return;
	search->found = *dev;
	search->any = true;
	search->exact |= exact;
}

static int on_device(struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *index = nlmsg_find_attr(nlh, 0, RDMA_NLDEV_ATTR_DEV_INDEX);
	struct nlattr *name = nlmsg_find_attr(nlh, 0, RDMA_NLDEV_ATTR_DEV_NAME);
	struct nlattr *guid = nlmsg_find_attr(nlh, 0, RDMA_NLDEV_ATTR_NODE_GUID);
	struct rdmadev dev = { 0 };

	if (!index || !name)
		return 0;
	dev.index = (int)nla_get_u32(index);
	dev.guid = guid ? nla_get_u64(guid) : 0;
	nla_strlcpy(dev.name, name, sizeof(dev.name));
	consider(arg, &dev);
	return 0;
}

static int find(struct nlsock *sock, struct search *search, struct rdmadev *ret_dev,
		struct err *err)
{
	int r = sock ? nlsock_talk(sock, request(RDMA_NLDEV_CMD_GET, NLM_F_DUMP), on_device, search)
		     : 0;

	if (r < 0 && r != -ENODEV)
		return err_set(err, ROCE_KERNEL_REFUSED, r,
			       "looking for RDMA device %s: %s",
			       search->name ? search->name : search->seen->name, nlsock_words(sock));
	if (r < 0 || !search->any)
		return -ENODEV;
	if (ret_dev)
		*ret_dev = search->found;
	return 0;
}

int rdmadev_find(struct nlsock *sock, const char *name, struct rdmadev *ret_dev, struct err *err)
{
	struct search search = { .name = name };

	return find(sock, &search, ret_dev, err);
}

int rdmadev_find_again(struct nlsock *sock, const struct rdmadev *seen, struct rdmadev *ret_dev,
		       struct err *err)
{
	struct search search = { .seen = seen };

	return find(sock, &search, ret_dev, err);
}

/* ---- who uses it, and by what file ---- */

static int on_context(struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *table = nlmsg_find_attr(nlh, 0, RDMA_NLDEV_ATTR_RES_CTX), *entry;
	char *holder = arg, path[64], comm[32] = "?";
	int left;

	if (!table || *holder)
		return 0;
	nla_for_each_nested(entry, table, left) {
		struct nlattr *pid = nla_find(nla_data(entry), nla_len(entry), RDMA_NLDEV_ATTR_RES_PID);

		if (!pid)
			continue; /* the kernel's own */
		snprintf(path, sizeof(path), "/proc/%u/comm", nla_get_u32(pid));
		file_read_line(path, comm, sizeof(comm));
		snprintf(holder, RDMADEV_HOLDER_SIZE, "%s (process %u)", comm, nla_get_u32(pid));
		break;
	}
	return 0;
}

bool rdmadev_holder(struct nlsock *sock, int index, char buf[RDMADEV_HOLDER_SIZE])
{
	struct nl_msg *msg = request(RDMA_NLDEV_CMD_RES_CTX_GET, NLM_F_DUMP);

	buf[0] = '\0';
	if (msg)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	nlsock_talk(sock, msg, on_context, buf);
	return *buf;
}

static int on_chardev(struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *name = nlmsg_find_attr(nlh, 0, RDMA_NLDEV_ATTR_CHARDEV_NAME);

	if (name)
		nla_strlcpy(arg, name, RDMADEV_NAME_SIZE);
	return 0;
}

int rdmadev_chardev(struct nlsock *sock, int index, char ret_name[RDMADEV_NAME_SIZE],
		    struct err *err)
{
	struct nl_msg *msg = request(RDMA_NLDEV_CMD_GET_CHARDEV, 0);
	int r;

	ret_name[0] = '\0';
	if (msg) {
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index);
		nla_put_string(msg, RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs");
	}
	r = nlsock_talk(sock, msg, on_chardev, ret_name);
	if (r < 0 && r != -EOPNOTSUPP)
		return err_set(err, ROCE_KERNEL_REFUSED, r,
			       "asking for the file of RDMA device %d: %s; see: rdma dev show", index,
			       nlsock_words(sock));
	return 0;
}

/* ---- changes: the kernel wants the caller itself in the namespace, not only its socket ---- */

static int talk_from(struct nlsock *sock, int netns, struct nl_msg *msg, struct err *err)
{
	int back, r = netns_enter(netns, &back, err);

	if (r < 0) {
		nlmsg_free(msg);
		return r;
	}
	r = nlsock_talk(sock, msg, NULL, NULL);
	netns_return(back);
	return r;
}

/* Why the kernel says no, in words that help (drivers/infiniband/core/device.c); nobody asks in mode shared. */
static const char *move_hint(int r)
{
	if (r == -EOPNOTSUPP)
		return "its driver cannot be moved: leave it on the host by \"rdma\": \"off\", or have mode shared (options ib_core netns_mode=1 in /etc/modprobe.d, and a boot)";
	if (r == -EPERM)
		return "it needs CAP_NET_ADMIN in the pod's user namespace";
	return "see: rdma dev show";
}

int rdmadev_move(struct nlsock *sock, int from, const struct rdmadev *dev, int to, struct err *err)
{
	struct nl_msg *msg = request(RDMA_NLDEV_CMD_SET, 0);
	int r;

	if (msg) {
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, dev->index);
		nla_put_u32(msg, RDMA_NLDEV_NET_NS_FD, to);
	}
	r = talk_from(sock, from, msg, err);
	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r,
			       "RDMA device %s does not move: the kernel refused: %s; %s", dev->name,
			       nlsock_words(sock), move_hint(r));
	return 0;
}

int rdmadev_rename(struct nlsock *sock, const struct rdmadev *dev, const char *name, struct err *err)
{
	struct nl_msg *msg = request(RDMA_NLDEV_CMD_SET, 0);
	int r;

	if (msg) {
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, dev->index);
		nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, name);
	}
	r = nlsock_talk(sock, msg, NULL, NULL);
	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r,
			       "RDMA device %s does not get the name %s: the kernel refused: %s",
			       dev->name, name, nlsock_words(sock));
	return 0;
}

/* Why not, in words that help (drivers/infiniband/sw/rxe/rxe.c, rxe_newlink(); core/nldev.c loads the module). */
static const char *soft_hint(int r)
{
	if (access("/sys/module/rdma_rxe", F_OK) < 0)
		return "the module is not installed, see: modprobe rdma_rxe";
	if (r == -EEXIST)
		return "the netdev has a soft-RoCE device, or another device has its name; see: rdma link";
	if (r == -EPERM)
		return "there is none on a VLAN: name what it rides on";
	return "this kernel's rdma_rxe works in the host's network namespace only (it knows others since Linux 7.1): use \"rdma\": \"off\", or a newer kernel";
}

int rdmadev_add_soft(struct nlsock *sock, int netns, const char *name, const char *netdev,
		     struct err *err)
{
	struct nl_msg *msg = request(RDMA_NLDEV_CMD_NEWLINK, 0);
	int r;

	if (!sock) {
		nlmsg_free(msg);
		return err_set(err, ROCE_RDMA_UNUSABLE, -EPROTONOSUPPORT,
			       "soft RoCE: the kernel has no RDMA subsystem loaded; modprobe rdma_rxe");
	}
	if (msg) {
		nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, name);
		nla_put_string(msg, RDMA_NLDEV_ATTR_LINK_TYPE, "rxe");
		nla_put_string(msg, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	}
	r = talk_from(sock, netns, msg, err);
	if (r < 0)
		return err_set(err, ROCE_RDMA_UNUSABLE, r,
			       "soft RoCE on %s: the kernel refused: %s; %s", netdev,
			       nlsock_words(sock), soft_hint(r));
	return 0;
}

int rdmadev_del_soft(struct nlsock *sock, int netns, const struct rdmadev *dev, struct err *err)
{
	struct nl_msg *msg = request(RDMA_NLDEV_CMD_DELLINK, 0);
	int r;

	if (msg)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, dev->index);
	r = talk_from(sock, netns, msg, err);
	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r,
			       "removing soft-RoCE device %s: the kernel refused: %s", dev->name,
			       nlsock_words(sock));
	return 0;
}
