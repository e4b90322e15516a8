// SPDX-License-Identifier: Apache-2.0
#include "netlink/addr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <netlink/addr.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/route/addr.h>

static int addr_bytes(int family)
{
	return family == AF_INET ? 4 : 16;
}

static struct nl_addr *to_nl(const struct addr *addr)
{
	struct nl_addr *nl = nl_addr_build(addr->family, addr->bytes, addr_bytes(addr->family));

	if (nl)
		nl_addr_set_prefixlen(nl, addr->prefix_len);
	return nl;
}

/* The request that adds (@add) or deletes an address, built by libnl-route. */
static struct nl_msg *build(int ifindex, const struct addr *addr, bool add)
{
	struct rtnl_addr *ra = rtnl_addr_alloc();
	struct nl_addr *local = to_nl(addr);
	struct nl_msg *msg = NULL;

	if (ra && local && rtnl_addr_set_local(ra, local) == 0) {
		rtnl_addr_set_ifindex(ra, ifindex);
		if (add && addr->family == AF_INET6)
			rtnl_addr_set_flags(ra, IFA_F_NODAD);
		if (add)
			rtnl_addr_build_add_request(ra, NLM_F_EXCL, &msg);
		else
			rtnl_addr_build_delete_request(ra, 0, &msg);
	}
	nl_addr_put(local);
	rtnl_addr_put(ra);
	return msg;
}

/* -ENODEV: on a delete, the interface and all it had are gone. */
static bool already_gone(int r)
{
	return r == -EADDRNOTAVAIL || r == -ENODEV || r == -ESRCH;
}

static int refuse(struct nlsock *sock, int r, const char *what, const struct addr *addr,
		  struct err *err)
{
	char text[INET6_ADDRSTRLEN];

	inet_ntop(addr->family, addr->bytes, text, sizeof(text));
	return err_set(err, ROCE_KERNEL_REFUSED, r, "%s %s/%d: the kernel refused: %s", what, text,
		       addr->prefix_len, nlsock_words(sock));
}

int addr_add(struct nlsock *sock, int ifindex, const struct addr *addr, struct err *err)
{
	int r = nlsock_talk(sock, build(ifindex, addr, true), NULL, NULL);

	return r == 0 || r == -EEXIST ? 0 : refuse(sock, r, "address", addr, err);
}

int addr_del(struct nlsock *sock, int ifindex, const struct addr *addr, struct err *err)
{
	int r = nlsock_talk(sock, build(ifindex, addr, false), NULL, NULL);

	return r == 0 || already_gone(r) ? 0 : refuse(sock, r, "address", addr, err);
}

struct addr_search {
	int ifindex;
	const struct addr *addr; /* NULL: any that somebody gave */
	bool found;
};

static int on_addr(struct nlmsghdr *nlh, void *arg)
{
	struct addr_search *search = arg;
	struct ifaddrmsg *info = nlmsg_data(nlh);
	struct nlattr *tb[IFA_MAX + 1] = { NULL }, *local;

	if ((int)info->ifa_index != search->ifindex ||
	    nlmsg_parse(nlh, sizeof(*info), tb, IFA_MAX, NULL) < 0)
		return 0;
	local = tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS];
	if (!search->addr)
		search->found |= info->ifa_family == AF_INET || info->ifa_scope != RT_SCOPE_LINK;
	else if (local && info->ifa_family == search->addr->family &&
		 info->ifa_prefixlen == search->addr->prefix_len &&
		 memcmp(nla_data(local), search->addr->bytes, nla_len(local)) == 0)
		search->found = true;
	return 0;
}

static int search_addrs(struct nlsock *sock, struct addr_search *search)
{
	struct ifaddrmsg info = { .ifa_family = AF_UNSPEC };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETADDR, NLM_F_REQUEST | NLM_F_DUMP);

	if (msg)
		nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO);
	return nlsock_talk(sock, msg, on_addr, search);
}

bool addr_present(struct nlsock *sock, int ifindex, const struct addr *addr)
{
	struct addr_search search = { .ifindex = ifindex, .addr = addr };

	return search_addrs(sock, &search) == 0 && search.found;
}

int addr_any_used(struct nlsock *sock, int ifindex, bool *ret_any, struct err *err)
{
	struct addr_search search = { .ifindex = ifindex };
	int r = search_addrs(sock, &search);

	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r, "reading addresses: %s",
			       nlsock_words(sock));
	*ret_any = search.found;
	return 0;
}
