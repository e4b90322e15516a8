// SPDX-License-Identifier: Apache-2.0
#include "netlink/link.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <poll.h>
#include <stdio.h>

#ifndef RTEXT_FILTER_SKIP_STATS
#define RTEXT_FILTER_SKIP_STATS (1 << 3)
#endif

static void copy_text(char *to, size_t size, struct nlattr *attr)
{
	if (attr)
		nla_strlcpy(to, attr, size);
}

static int number(struct nlattr *attr)
{
	return attr ? (int)nla_get_u32(attr) : 0;
}

static void parse_kind(struct link *link, struct nlattr *info)
{
	struct nlattr *tb[IFLA_INFO_MAX + 1] = { NULL };

	if (info && nla_parse_nested(tb, IFLA_INFO_MAX, info, NULL) == 0)
		copy_text(link->kind, sizeof(link->kind), tb[IFLA_INFO_KIND]);
}

static void parse_altnames(struct link *link, struct nlattr *list)
{
	struct nlattr *attr;
	int left;

	if (!list)
		return;
	nla_for_each_nested(attr, list, left) {
		if (nla_type(attr) == IFLA_ALT_IFNAME && link->n_altnames < LINK_ALTNAMES_MAX)
			copy_text(link->altnames[link->n_altnames++], LINK_ALTNAME_SIZE, attr);
	}
}

static void parse_lower(struct link *link, int lower, const struct nlattr *nsid)
{
	if (nsid) {
		link->far_lower = lower;
		link->far_nsid = (int)nla_get_u32(nsid);
	} else if (lower != link->ifindex) {
		link->lower = lower;
	}
}

/*
 * IFLA_CARRIER alone is too early: it is there as soon as the driver says so, while the link watch
 * (net/core/link_watch.c, linkwatch_do_dev()) gives the device its operstate and a queue that sends
 * only a moment later. IFF_RUNNING, which is the operstate (up, or unknown where a driver never says),
 * comes with that; alone it is late when a carrier goes.
 */
static bool has_carrier(const struct ifinfomsg *info, const struct nlattr *carrier)
{
	return info->ifi_flags & IFF_RUNNING && carrier && nla_get_u8(carrier);
}

static int parse(struct nlmsghdr *nlh, struct link *link)
{
	struct nlattr *tb[IFLA_MAX + 1] = { NULL };
	struct ifinfomsg *info = nlmsg_data(nlh);

	if (nlh->nlmsg_type != RTM_NEWLINK || nlmsg_parse(nlh, sizeof(*info), tb, IFLA_MAX, NULL) < 0)
		return -EIO;
	*link = (struct link){
		.ifindex = info->ifi_index,
		.up = info->ifi_flags & IFF_UP,
		.carrier = has_carrier(info, tb[IFLA_CARRIER]),
		.loopback = info->ifi_flags & IFF_LOOPBACK,
		.ethernet = info->ifi_type == ARPHRD_ETHER,
		.mtu = number(tb[IFLA_MTU]),
		.min_mtu = number(tb[IFLA_MIN_MTU]),
		.max_mtu = number(tb[IFLA_MAX_MTU]),
		.master = number(tb[IFLA_MASTER]),
	};
	parse_lower(link, number(tb[IFLA_LINK]), tb[IFLA_LINK_NETNSID]);
	if (tb[IFLA_ADDRESS] && nla_len(tb[IFLA_ADDRESS]) == LINK_MAC_LEN)
		memcpy(link->mac, nla_data(tb[IFLA_ADDRESS]), LINK_MAC_LEN);
	copy_text(link->name, sizeof(link->name), tb[IFLA_IFNAME]);
	copy_text(link->parent, sizeof(link->parent), tb[IFLA_PARENT_DEV_NAME]);
	copy_text(link->phys_port_name, sizeof(link->phys_port_name), tb[IFLA_PHYS_PORT_NAME]);
	parse_kind(link, tb[IFLA_LINKINFO]);
	parse_altnames(link, tb[IFLA_PROP_LIST]);
	return 0;
}

static int on_one(struct nlmsghdr *nlh, void *arg)
{
	return parse(nlh, arg);
}

/* A request about one interface (@ifindex, or 0 with more attributes to come), or about all. */
static struct nl_msg *request(int type, int flags, int ifindex)
{
	struct ifinfomsg info = { .ifi_family = AF_UNSPEC, .ifi_index = ifindex };
	struct nl_msg *msg = nlmsg_alloc_simple(type, NLM_F_REQUEST | flags);

	if (msg && nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	if (msg && type == RTM_GETLINK)
		nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	return msg;
}

int link_get(struct nlsock *sock, int ifindex, struct link *ret_link)
{
	if (ifindex <= 0)
		return -ENODEV;
	return nlsock_talk(sock, request(RTM_GETLINK, 0, ifindex), on_one, ret_link);
}

int link_find(struct nlsock *sock, const char *name, struct link *ret_link)
{
	struct nl_msg *msg = request(RTM_GETLINK, 0, 0);
	int attr = strlen(name) < LINK_NAME_SIZE ? IFLA_IFNAME : IFLA_ALT_IFNAME;

	if (msg)
		nla_put_string(msg, attr, name); /* the kernel looks among altnames, too */
	return nlsock_talk(sock, msg, on_one, ret_link);
}

struct listing {
	link_visitor visit;
	void *arg;
	bool stopped;
};

static int on_each(struct nlmsghdr *nlh, void *arg)
{
	struct listing *listing = arg;
	struct link link;

	if (!listing->stopped && parse(nlh, &link) == 0)
		listing->stopped = listing->visit(&link, listing->arg);
	return 0;
}

int link_list(struct nlsock *sock, link_visitor visit, void *arg)
{
	struct listing listing = { .visit = visit, .arg = arg };

	return nlsock_talk(sock, request(RTM_GETLINK, NLM_F_DUMP, 0), on_each, &listing);
}

static int on_nsid(struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *attr = nlmsg_find_attr(nlh, sizeof(struct rtgenmsg), NETNSA_NSID);

	if (attr)
		*(int *)arg = (int)nla_get_u32(attr);
	return 0;
}

int link_nsid(struct nlsock *sock, int netns)
{
	struct rtgenmsg any = { .rtgen_family = AF_UNSPEC };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETNSID, NLM_F_REQUEST);
	int nsid = -1, r;

	if (msg) {
		nlmsg_append(msg, &any, sizeof(any), NLMSG_ALIGNTO);
		nla_put_u32(msg, NETNSA_FD, netns);
	}
	r = nlsock_talk(sock, msg, on_nsid, &nsid);
	return r < 0 ? r : nsid < 0 ? -ENOENT : nsid;
}

struct parent_search {
	const char *parent;
	struct link *found;
	bool any;
};

bool link_is_representor(const struct link *link)
{
	return strstr(link->phys_port_name, "pf");
}

static bool match_parent(const struct link *link, void *arg)
{
	struct parent_search *search = arg;

	if (!streq(link->parent, search->parent))
		return false;
	if (search->any && link_is_representor(link))
		return false;
	*search->found = *link;
	search->any = true;
	return !link_is_representor(link);
}

int link_find_parent(struct nlsock *sock, const char *parent, struct link *ret_link)
{
	struct parent_search search = { .parent = parent, .found = ret_link };
	int r = link_list(sock, match_parent, &search);

	if (r < 0)
		return r;
	return search.any ? 0 : -ENODEV;
}

static void put_change(struct nl_msg *msg, const struct link_change *change)
{
	if (change->move)
		nla_put_u32(msg, IFLA_NET_NS_FD, change->netns);
	if (change->new_ifindex)
		nla_put_u32(msg, IFLA_NEW_IFINDEX, change->new_ifindex);
	if (change->name)
		nla_put_string(msg, IFLA_IFNAME, change->name);
	if (change->mac)
		nla_put(msg, IFLA_ADDRESS, LINK_MAC_LEN, change->mac);
	if (change->mtu)
		nla_put_u32(msg, IFLA_MTU, change->mtu);
}

int link_set(struct nlsock *sock, int ifindex, const struct link_change *change, struct err *err)
{
	struct nl_msg *msg = request(RTM_NEWLINK, 0, ifindex);
	int r;

	if (msg) {
		struct ifinfomsg *info = nlmsg_data(nlmsg_hdr(msg));

		info->ifi_change = change->set_up ? IFF_UP : 0;
		info->ifi_flags = change->set_up && change->up ? IFF_UP : 0;
		put_change(msg, change);
	}
	r = nlsock_talk(sock, msg, NULL, NULL);
	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r, "the kernel refused: %s",
			       nlsock_words(sock));
	return 0;
}

int link_watch(struct nlsock *sock)
{
	return nlsock_join(sock, RTNLGRP_LINK);
}

bool link_wait(struct nlsock *sock, int timeout_ms)
{
	struct pollfd pfd = { .fd = nlsock_fd(sock), .events = POLLIN };

	if (poll(&pfd, 1, timeout_ms) <= 0)
		return false;
	nlsock_drain(sock);
	return true;
}
