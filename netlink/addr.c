// SPDX-License-Identifier: Apache-2.0
#include "netlink/addr.h"

#include "base/log.h"
#include "netlink/netns.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <netlink/addr.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/route/addr.h>
#include <stdio.h>

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

enum { DELETE = -1 };

/* The request that adds an address with these IFA_F_ @flags, or deletes it; built by libnl-route. */
static struct nl_msg *build(int ifindex, const struct addr *addr, int flags)
{
	struct rtnl_addr *ra = rtnl_addr_alloc();
	struct nl_addr *local = to_nl(addr);
	struct nl_msg *msg = NULL;

	if (ra && local && rtnl_addr_set_local(ra, local) == 0) {
		rtnl_addr_set_ifindex(ra, ifindex);
		if (flags == DELETE) {
			rtnl_addr_build_delete_request(ra, 0, &msg);
		} else {
			if (flags)
				rtnl_addr_set_flags(ra, flags);
			rtnl_addr_build_add_request(ra, NLM_F_EXCL, &msg);
		}
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

int addr_del(struct nlsock *sock, int ifindex, const struct addr *addr, struct err *err)
{
	int r = nlsock_talk(sock, build(ifindex, addr, DELETE), NULL, NULL);

	return r == 0 || already_gone(r) ? 0 : refuse(sock, r, "address", addr, err);
}

struct addr_search {
	int ifindex;
	const struct addr *addr; /* NULL: any of_scope() */
	unsigned char scope;
	bool found;
	struct addr there; /* with @flags, if @found */
	unsigned flags;
};

static bool same_addr(const struct addr *a, const struct addr *b)
{
	return a->family == b->family && a->prefix_len == b->prefix_len &&
	       memcmp(a->bytes, b->bytes, addr_bytes(a->family)) == 0;
}

/* Link scope: IPv6's own addresses. Universe: what somebody gave, an IPv4 one in any scope. */
static bool of_scope(const struct ifaddrmsg *info, unsigned char scope)
{
	bool own = info->ifa_family == AF_INET6 && info->ifa_scope == RT_SCOPE_LINK;

	return scope == RT_SCOPE_LINK ? own : !own;
}

static int on_addr(struct nlmsghdr *nlh, void *arg)
{
	struct addr_search *search = arg;
	struct ifaddrmsg *info = nlmsg_data(nlh);
	struct addr addr = { .family = info->ifa_family, .prefix_len = info->ifa_prefixlen };
	struct nlattr *tb[IFA_MAX + 1] = { NULL }, *local;

	if (search->found || (int)info->ifa_index != search->ifindex ||
	    nlmsg_parse(nlh, sizeof(*info), tb, IFA_MAX, NULL) < 0)
		return 0;
	local = tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS];
	if (local)
		nla_memcpy(addr.bytes, local, sizeof(addr.bytes));
	search->found = search->addr ? local && same_addr(&addr, search->addr)
				     : of_scope(info, search->scope);
	search->there = addr;
	search->flags = info->ifa_flags;
	return 0;
}

static int search_addrs(struct nlsock *sock, int family, struct addr_search *search)
{
	struct ifaddrmsg info = { .ifa_family = family };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETADDR, NLM_F_REQUEST | NLM_F_DUMP);

	if (msg)
		nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO);
	return nlsock_talk(sock, msg, on_addr, search);
}

enum addr_state addr_state(struct nlsock *sock, int ifindex, const struct addr *addr)
{
	struct addr_search search = { .ifindex = ifindex, .addr = addr };

	if (search_addrs(sock, addr->family, &search) < 0 || !search.found)
		return ADDR_ABSENT;
	return search.flags & IFA_F_DADFAILED ? ADDR_DUPLICATE : ADDR_PRESENT;
}

int addr_any_used(struct nlsock *sock, int ifindex, bool *ret_any, struct err *err)
{
	struct addr_search search = { .ifindex = ifindex, .scope = RT_SCOPE_UNIVERSE };
	int r = search_addrs(sock, AF_UNSPEC, &search);

	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r, "reading addresses: %s",
			       nlsock_words(sock));
	*ret_any = search.found;
	return 0;
}

/* ---- add ---- */

/* Waiting for DAD, and not usable before it is over. */
static bool is_waiting(unsigned flags)
{
	return (flags & (IFA_F_TENTATIVE | IFA_F_OPTIMISTIC | IFA_F_DADFAILED)) == IFA_F_TENTATIVE;
}

static int add_without_dad(struct nlsock *sock, int ifindex, const struct addr *addr)
{
	nlsock_talk(sock, build(ifindex, addr, DELETE), NULL, NULL);
	return nlsock_talk(sock, build(ifindex, addr, IFA_F_NODAD), NULL, NULL);
}

/*
 * A kernel without CONFIG_IPV6_OPTIMISTIC_DAD, or one whose optimistic_dad could not be set, takes the
 * flag and drops it: the address that is read back tells.
 */
static int add_ipv6(struct nlsock *sock, int ifindex, const struct addr *addr)
{
	struct addr_search search = { .ifindex = ifindex, .addr = addr };
	int r = nlsock_talk(sock, build(ifindex, addr, IFA_F_OPTIMISTIC), NULL, NULL);

	if (r < 0 || search_addrs(sock, AF_INET6, &search) < 0 || !search.found ||
	    !is_waiting(search.flags))
		return r;
	log_info("the kernel has no optimistic DAD here: no duplicate of an IPv6 address will be found");
	return add_without_dad(sock, ifindex, addr);
}

int addr_add(struct nlsock *sock, int ifindex, const struct addr *addr, struct err *err)
{
	int r = addr->family == AF_INET6
			? add_ipv6(sock, ifindex, addr)
			: nlsock_talk(sock, build(ifindex, addr, 0), NULL, NULL);

	return r == 0 || r == -EEXIST ? 0 : refuse(sock, r, "address", addr, err);
}

void addr_renew(struct nlsock *sock, int ifindex, const struct addr *addr)
{
	nlsock_talk(sock, build(ifindex, addr, DELETE), NULL, NULL);
	add_ipv6(sock, ifindex, addr);
}

void addr_prepare_ipv6(int netns, struct nlsock *sock, int ifindex, const char *name)
{
	static const char *const settings[][2] = {
		{ "optimistic_dad", "1" }, { "use_optimistic", "1" }, { "disable_ipv6", "0" },
	};
	struct addr_search search = { .ifindex = ifindex, .scope = RT_SCOPE_LINK };
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		snprintf(path, sizeof(path), "net/ipv6/conf/%s/%s", name, settings[i][0]);
		netns_sysctl(netns, path, settings[i][1]);
	}
	if (search_addrs(sock, AF_INET6, &search) == 0 && search.found &&
	    search.flags & IFA_F_TENTATIVE && !(search.flags & IFA_F_DADFAILED))
		add_without_dad(sock, ifindex, &search.there);
}
