/* SPDX-License-Identifier: Apache-2.0 */
/* IP addresses and routes of interfaces. */
#ifndef NETLINK_ADDR_H
#define NETLINK_ADDR_H

#include "netlink/nlsock.h"

enum { ADDR_BYTES_MAX = 16 };

/* An address with its prefix length; @bytes in network order, 4 or 16 of them by @family. */
struct addr {
	int family;
	unsigned char bytes[ADDR_BYTES_MAX];
	int prefix_len;
};

/* A number of a route that may be absent. */
struct route_number {
	bool set;
	unsigned value;
};

/**
 * struct route - one route through an interface
 * @dst:	destination
 * @has_gw, @gw: gateway
 * @mtu, @advmss: metrics, bytes
 * @priority, @table, @scope: as in ip-route(8)
 */
struct route {
	struct addr dst;
	bool has_gw;
	struct addr gw;
	struct route_number mtu, advmss, priority, table, scope;
};

/**
 * addr_add() - give an interface an address
 * @sock:	socket of its namespace
 * @ifindex:	interface
 * @addr:	address
 * @err:	ROCE_KERNEL_REFUSED
 *
 * An IPv6 address is usable at once, while the kernel looks for a duplicate (optimistic DAD, RFC 4429);
 * without detection at all if the kernel cannot do that: see addr_prepare_ipv6().
 *
 * Return: 0, also when the interface has it already, or a negative errno.
 */
int addr_add(struct nlsock *sock, int ifindex, const struct addr *addr, struct err *err);

/**
 * addr_prepare_ipv6() - have an interface take IPv6 addresses that are usable at once
 * @netns:	its namespace
 * @sock:	socket of that
 * @ifindex, @name: the interface, up; before its carrier is there the kernel detects no duplicates and
 *		gives an optimistic address no route (net/ipv6/addrconf.c, addrconf_dad_begin())
 *
 * Writes settings of this interface alone, which are gone when it leaves the namespace:
 * disable_ipv6=0, for a namespace with IPv6 off; optimistic_dad=1, or the kernel takes IFA_F_OPTIMISTIC
 * off an address without a word (ipv6_allow_optimistic_dad()); use_optimistic=1, or for the second that
 * DAD takes any address of another interface would be preferred as source (ipv6_get_saddr_eval()).
 *
 * The link-local address, which the kernel made, becomes one without DAD: neighbours are solicited only
 * from an address that is through with it (net/ipv6/ndisc.c, ndisc_send_ns()), so for that second
 * nothing could be sent to a neighbour that is not known yet. It follows from the MAC; were that not
 * unique, more than DAD would be needed.
 *
 * Whatever fails here shows, if it matters, when an address is added.
 */
void addr_prepare_ipv6(int netns, struct nlsock *sock, int ifindex, const char *name);

/*
 * addr_renew() - set an IPv6 address anew, so that its DAD begins again. Whatever its state is: a failure
 * that is on its way does not show in that (net/ipv6/addrconf.c, INET6_IFADDR_STATE_ERRDAD).
 */
void addr_renew(struct nlsock *sock, int ifindex, const struct addr *addr);

/* addr_del() - take an address away. Return: 0, also when it is gone, or a negative errno. */
int addr_del(struct nlsock *sock, int ifindex, const struct addr *addr, struct err *err);

enum addr_state {
	ADDR_ABSENT,
	ADDR_PRESENT,
	ADDR_DUPLICATE, /* DAD found it on another node: it is there, but unusable */
};

/* addr_state() - whether the interface has the address. */
enum addr_state addr_state(struct nlsock *sock, int ifindex, const struct addr *addr);

/**
 * addr_any_used() - does the interface have an address that somebody gave it: any but IPv6 link-local
 * @sock:	socket of its namespace
 * @ifindex:	interface
 * @ret_any:	the answer
 * @err:	ROCE_KERNEL_REFUSED: no answer
 *
 * Return: 0 or a negative errno.
 */
int addr_any_used(struct nlsock *sock, int ifindex, bool *ret_any, struct err *err);

/**
 * route_add() - add a route
 * @sock:	socket of the namespace
 * @ifindex:	interface
 * @route:	route
 * @err:	ROCE_KERNEL_REFUSED
 *
 * Return: 0, also when it is there already, or a negative errno.
 */
int route_add(struct nlsock *sock, int ifindex, const struct route *route, struct err *err);

/* route_del() - remove a route. Return: 0, also when it is gone, or a negative errno. */
int route_del(struct nlsock *sock, int ifindex, const struct route *route, struct err *err);

/* route_present() - true if a route to that destination leaves through the interface. */
bool route_present(struct nlsock *sock, int ifindex, const struct route *route);

/*
 * route_any_default() - does a default route of any table, IPv4 or IPv6, leave through the interface,
 * be it as one of several ways. As addr_any_used().
 */
int route_any_default(struct nlsock *sock, int ifindex, bool *ret_any, struct err *err);

#endif
