// SPDX-License-Identifier: Apache-2.0
#include "netlink/addr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

static int route_bytes(const struct addr *addr)
{
	return addr->family == AF_INET ? 4 : 16;
}

static unsigned route_table(const struct route *route)
{
	return route->table.set ? route->table.value : RT_TABLE_MAIN;
}

static int route_scope(const struct route *route)
{
	if (route->scope.set)
		return (int)route->scope.value;
	return route->has_gw || route->dst.family == AF_INET6 ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK;
}

static void put_metrics(struct nl_msg *msg, const struct route *route)
{
	struct nlattr *nest;

	if (!route->mtu.set && !route->advmss.set)
		return;
	nest = nla_nest_start(msg, RTA_METRICS);
	if (route->mtu.set)
		nla_put_u32(msg, RTAX_MTU, route->mtu.value);
	if (route->advmss.set)
		nla_put_u32(msg, RTAX_ADVMSS, route->advmss.value);
	nla_nest_end(msg, nest);
}

/* rtnetlink(7), RTM_NEWROUTE and RTM_DELROUTE. */
static struct nl_msg *build(int type, int flags, int ifindex, const struct route *route)
{
	struct rtmsg info = {
		.rtm_family = (unsigned char)route->dst.family,
		.rtm_dst_len = (unsigned char)route->dst.prefix_len,
		.rtm_protocol = RTPROT_BOOT,
		.rtm_type = RTN_UNICAST,
		.rtm_scope = (unsigned char)route_scope(route),
	};
	struct nl_msg *msg = nlmsg_alloc_simple(type, NLM_F_REQUEST | flags);

	if (!msg)
		return NULL;
	nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO);
	if (route->dst.prefix_len > 0)
		nla_put(msg, RTA_DST, route_bytes(&route->dst), route->dst.bytes);
	if (route->has_gw)
		nla_put(msg, RTA_GATEWAY, route_bytes(&route->gw), route->gw.bytes);
	nla_put_u32(msg, RTA_OIF, ifindex);
	nla_put_u32(msg, RTA_TABLE, route_table(route));
	if (route->priority.set)
		nla_put_u32(msg, RTA_PRIORITY, route->priority.value);
	put_metrics(msg, route);
	return msg;
}

static int refuse(struct nlsock *sock, int r, const struct route *route, struct err *err)
{
	char dst[INET6_ADDRSTRLEN], gw[INET6_ADDRSTRLEN] = "no gateway";

	inet_ntop(route->dst.family, route->dst.bytes, dst, sizeof(dst));
	if (route->has_gw)
		inet_ntop(route->gw.family, route->gw.bytes, gw, sizeof(gw));
	return err_set(err, ROCE_KERNEL_REFUSED, r, "route to %s/%d by %s: the kernel refused: %s", dst,
		       route->dst.prefix_len, gw, nlsock_words(sock));
}

int route_add(struct nlsock *sock, int ifindex, const struct route *route, struct err *err)
{
	int r = nlsock_talk(sock,
			    build(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, ifindex, route), NULL,
			    NULL);

	return r == 0 || r == -EEXIST ? 0 : refuse(sock, r, route, err);
}

int route_del(struct nlsock *sock, int ifindex, const struct route *route, struct err *err)
{
	int r = nlsock_talk(sock, build(RTM_DELROUTE, 0, ifindex, route), NULL, NULL);

	return r == 0 || r == -ESRCH || r == -ENODEV ? 0 : refuse(sock, r, route, err);
}

struct route_search {
	int ifindex;
	const struct route *route; /* NULL: any default route */
	bool found;
};

static bool same_route(const struct route *route, const struct rtmsg *info, struct nlattr **tb)
{
	struct nlattr *dst = tb[RTA_DST], *gw = tb[RTA_GATEWAY];

	if (info->rtm_family != route->dst.family || info->rtm_dst_len != route->dst.prefix_len ||
	    nla_get_u32(tb[RTA_TABLE]) != route_table(route))
		return false;
	if (dst && memcmp(nla_data(dst), route->dst.bytes, nla_len(dst)) != 0)
		return false;
	return !route->has_gw ||
	       (gw && memcmp(nla_data(gw), route->gw.bytes, nla_len(gw)) == 0);
}

/* A route with several next hops has no RTA_OIF. */
static bool leaves_by(struct nlattr *const *tb, int ifindex)
{
	const struct rtnexthop *hop;
	int left;

	if (tb[RTA_OIF])
		return (int)nla_get_u32(tb[RTA_OIF]) == ifindex;
	if (!tb[RTA_MULTIPATH])
		return false;
	left = nla_len(tb[RTA_MULTIPATH]);
	for (hop = nla_data(tb[RTA_MULTIPATH]); RTNH_OK(hop, left); hop = RTNH_NEXT(hop)) {
		if (hop->rtnh_ifindex == ifindex)
			return true;
		left -= RTNH_ALIGN(hop->rtnh_len);
	}
	return false;
}

static int on_route(struct nlmsghdr *nlh, void *arg)
{
	struct route_search *search = arg;
	struct rtmsg *info = nlmsg_data(nlh);
	struct nlattr *tb[RTA_MAX + 1] = { NULL };

	if (nlmsg_parse(nlh, sizeof(*info), tb, RTA_MAX, NULL) < 0 || !tb[RTA_TABLE] ||
	    !leaves_by(tb, search->ifindex))
		return 0;
	if (search->route)
		search->found |= same_route(search->route, info, tb);
	else
		search->found |= info->rtm_dst_len == 0 && info->rtm_type == RTN_UNICAST;
	return 0;
}

static int search_routes(struct nlsock *sock, struct route_search *search)
{
	struct rtmsg info = { .rtm_family = AF_UNSPEC };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETROUTE, NLM_F_REQUEST | NLM_F_DUMP);

	if (msg)
		nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO);
	return nlsock_talk(sock, msg, on_route, search);
}

bool route_present(struct nlsock *sock, int ifindex, const struct route *route)
{
	struct route_search search = { .ifindex = ifindex, .route = route };

	return search_routes(sock, &search) == 0 && search.found;
}

int route_any_default(struct nlsock *sock, int ifindex, bool *ret_any, struct err *err)
{
	struct route_search search = { .ifindex = ifindex };
	int r = search_routes(sock, &search);

	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r, "reading routes: %s", nlsock_words(sock));
	*ret_any = search.found;
	return 0;
}
