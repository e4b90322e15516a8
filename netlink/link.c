// SPDX-License-Identifier: Apache-2.0
#include "netlink/link.h"

#include "netlink/pci.h"

#include <ctype.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/ip.h>
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

/*
 * A name says who a device is on its own bus alone. That of a virtio netdev is on a bus of its own, on top of
 * a PCI function.
 */
static void parse_parent(struct link *link, struct nlattr *name, struct nlattr *bus)
{
	const char *on = bus ? nla_get_string(bus) : "";

	if (streq(on, "pci") || streq(on, "auxiliary") || streq(on, "virtio"))
		copy_text(link->parent, sizeof(link->parent), name);
	if (streq(on, "virtio") && pci_below_virtio(link->parent, link->parent) < 0)
		link->parent[0] = '\0';
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

static void copy_conf(struct nlattr *attr, int *values, size_t *ret_n)
{
	size_t n = attr ? (size_t)nla_len(attr) / sizeof(*values) : 0;

	*ret_n = n < LINK_CONF_MAX ? n : LINK_CONF_MAX;
	if (attr)
		memcpy(values, nla_data(attr), *ret_n * sizeof(*values));
}

/* IFLA_AF_SPEC / AF_INET / IFLA_INET_CONF: an array of u32 (net/ipv4/devinet.c, inet_fill_link_af()). */
static void parse_conf(struct link_conf *conf, struct nlattr *spec)
{
	struct nlattr *tb[AF_INET6 + 1] = { NULL }, *in[IFLA_INET6_MAX + 1] = { NULL };

	if (!spec || nla_parse_nested(tb, AF_INET6, spec, NULL) < 0)
		return;
	if (tb[AF_INET] && nla_parse_nested(in, IFLA_INET_MAX, tb[AF_INET], NULL) == 0)
		copy_conf(in[IFLA_INET_CONF], conf->v4, &conf->n4);
	memset(in, 0, sizeof(in));
	if (tb[AF_INET6] && nla_parse_nested(in, IFLA_INET6_MAX, tb[AF_INET6], NULL) == 0)
		copy_conf(in[IFLA_INET6_CONF], conf->v6, &conf->n6);
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
		.promisc = info->ifi_flags & IFF_PROMISC,
		.allmulti = info->ifi_flags & IFF_ALLMULTI,
		.txqlen = number(tb[IFLA_TXQLEN]),
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
	parse_parent(link, tb[IFLA_PARENT_DEV_NAME], tb[IFLA_PARENT_DEV_BUS_NAME]);
	copy_text(link->phys_port_name, sizeof(link->phys_port_name), tb[IFLA_PHYS_PORT_NAME]);
	parse_kind(link, tb[IFLA_LINKINFO]);
	parse_altnames(link, tb[IFLA_PROP_LIST]);
	parse_conf(&link->conf, tb[IFLA_AF_SPEC]);
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

bool link_is_representor(const struct link *link)
{
	const char *name = link->phys_port_name;

	for (const char *pf = strstr(name, "pf"); pf; pf = strstr(pf + 1, "pf"))
		if ((pf == name || isdigit((unsigned char)pf[-1])) && isdigit((unsigned char)pf[2]))
			return true;
	return false;
}

/* "@letter" and a number. Return: what follows, or NULL. */
static const char *skip_number(const char *text, char letter)
{
	if (*text != letter || !isdigit((unsigned char)text[1]))
		return NULL;
	for (text++; isdigit((unsigned char)*text); text++)
		;
	return text;
}

/* "p0", "p0s1", "l1p0". */
static bool is_port(const struct link *link)
{
	const char *rest = skip_number(link->phys_port_name, 'l');

	rest = skip_number(rest ? rest : link->phys_port_name, 'p');
	if (rest && *rest)
		rest = skip_number(rest, 's');
	return rest && !*rest;
}

static int rank(const struct link *link)
{
	return link_is_representor(link) ? 0 : 1 + is_port(link);
}

bool link_is_better(const struct link *link, const struct link *than)
{
	return rank(link) > rank(than);
}

struct parent_search {
	const char *parent;
	struct link *found;
	bool any;
};

static bool match_parent(const struct link *link, void *arg)
{
	struct parent_search *search = arg;

	if (!streq(link->parent, search->parent) || (search->any && !link_is_better(link, search->found)))
		return false;
	*search->found = *link;
	search->any = true;
	return false;
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
	if (change->set_txqlen)
		nla_put_u32(msg, IFLA_TXQLEN, change->txqlen);
}

static int refused(struct nlsock *sock, int r, struct err *err)
{
	return r < 0 ? err_set(err, ROCE_KERNEL_REFUSED, r, "the kernel refused: %s",
			       nlsock_words(sock))
		     : 0;
}

int link_set(struct nlsock *sock, int ifindex, const struct link_change *change, struct err *err)
{
	struct nl_msg *msg = request(RTM_NEWLINK, 0, ifindex);

	if (msg) {
		struct ifinfomsg *info = nlmsg_data(nlmsg_hdr(msg));

		info->ifi_change = change->mask | (change->set_up ? IFF_UP : 0);
		info->ifi_flags = change->flags | (change->set_up && change->up ? IFF_UP : 0);
		put_change(msg, change);
	}
	return refused(sock, nlsock_talk(sock, msg, NULL, NULL), err);
}

int link_del(struct nlsock *sock, int ifindex, struct err *err)
{
	return refused(sock, nlsock_talk(sock, request(RTM_DELLINK, 0, ifindex), NULL, NULL), err);
}

int link_altname(struct nlsock *sock, int ifindex, const char *name, bool add, struct err *err)
{
	struct nl_msg *msg = request(add ? RTM_NEWLINKPROP : RTM_DELLINKPROP, 0, ifindex);

	if (msg) {
		struct nlattr *list = nla_nest_start(msg, IFLA_PROP_LIST | NLA_F_NESTED);

		nla_put_string(msg, IFLA_ALT_IFNAME, name);
		nla_nest_end(msg, list);
	}
	return refused(sock, nlsock_talk(sock, msg, NULL, NULL), err);
}

/* True for what the kernel keeps itself: the multicast routing daemon's switch. */
static bool is_read_only(size_t index)
{
	return index + 1 == IPV4_DEVCONF_MC_FORWARDING;
}

int link_set_conf4(struct nlsock *sock, int ifindex, const struct link_conf *have,
		   const struct link_conf *want, struct err *err)
{
	struct nl_msg *msg = request(RTM_SETLINK, 0, ifindex);
	struct nlattr *spec, *inet, *conf;
	bool differs = false;

	if (!msg)
		return err_set(err, ROCE_KERNEL_REFUSED, -ENOMEM, "out of memory");
	spec = nla_nest_start(msg, IFLA_AF_SPEC);
	inet = nla_nest_start(msg, AF_INET);
	conf = nla_nest_start(msg, IFLA_INET_CONF);
	for (size_t i = 0; i < want->n4 && i < have->n4; i++) {
		if (want->v4[i] == have->v4[i] || is_read_only(i))
			continue;
		nla_put_u32(msg, (int)i + 1, (uint32_t)want->v4[i]);
		differs = true;
	}
	nla_nest_end(msg, conf);
	nla_nest_end(msg, inet);
	nla_nest_end(msg, spec);
	if (differs)
		return refused(sock, nlsock_talk(sock, msg, NULL, NULL), err);
	nlmsg_free(msg);
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
