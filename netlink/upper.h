/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an interface belongs to, rides on and carries: bond, team, bridge above it; the parent of a
 * VLAN, macvlan or ipvlan below it; VLANs and others that ride on any of these.
 */
#ifndef NETLINK_UPPER_H
#define NETLINK_UPPER_H

#include "netlink/link.h"

enum { UPPERS_MAX = 30 };

enum upper_relation {
	UPPER_MASTER, /* a bond, team, bridge, ... that the one before belongs to */
	UPPER_LOWER,  /* what the one before rides on */
	UPPER_MEMBER, /* a member of a bond or team that something rides on */
	UPPER_RIDER,  /* rides on one of the others */
};

/**
 * struct upper - one relative
 * @link:	the interface
 * @relation:	how it was found
 * @on:		ifindex of the one it was found from
 * @tags:	VLAN tags that its own frames carry
 */
struct upper {
	struct link link;
	enum upper_relation relation;
	int on;
	int tags;
};

/**
 * struct uppers - the relatives of an interface
 * @items, @n:	nearest first
 * @tags:	VLAN tags that the interface's own frames carry
 * @more:	there are more than fit
 */
struct uppers {
	struct upper items[UPPERS_MAX];
	size_t n;
	int tags;
	bool more;
};

/**
 * upper_find() - find the relatives of an interface in its namespace
 * @sock:	socket of the namespace
 * @port:	the interface
 * @also:	ifindex of another interface, whose riders are wanted, too; 0: none
 * @ret_uppers:	its relatives
 * @err:	ROCE_KERNEL_REFUSED
 *
 * Return: 0 or a negative errno.
 */
int upper_find(struct nlsock *sock, const struct link *port, int also, struct uppers *ret_uppers,
	       struct err *err);

#endif
