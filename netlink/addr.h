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
 * @addr:	address; an IPv6 one is usable at once (no duplicate detection: IPAM gives each once)
 * @err:	ROCE_KERNEL_REFUSED
 *
 * Return: 0, also when the interface has it already, or a negative errno.
 */
int addr_add(struct nlsock *sock, int ifindex, const struct addr *addr, struct err *err);

/* addr_del() - take an address away. Return: 0, also when it is gone, or a negative errno. */
int addr_del(struct nlsock *sock, int ifindex, const struct addr *addr, struct err *err);

/* addr_present() - true if the interface has the address. */
bool addr_present(struct nlsock *sock, int ifindex, const struct addr *addr);

/**
 * addr_any_used() - does the interface have an address that somebody gave it: any but IPv6 link-local ones
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
 * route_any_default() - does a default route of any table, IPv4 or IPv6, leave through the interface, be it
 * one of several ways. As addr_any_used().
 */
int route_any_default(struct nlsock *sock, int ifindex, bool *ret_any, struct err *err);

#endif
