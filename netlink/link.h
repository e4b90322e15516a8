/* SPDX-License-Identifier: Apache-2.0 */
/* Network interfaces: look up, list, change, move. */
#ifndef NETLINK_LINK_H
#define NETLINK_LINK_H

#include "netlink/nlsock.h"

#include <stdint.h>

enum {
	LINK_NAME_SIZE = 16,  /* IFNAMSIZ */
	LINK_MAC_LEN = 6,
	LINK_KIND_SIZE = 24,
	LINK_PARENT_SIZE = 64,
	LINK_ALTNAME_SIZE = 128, /* ALTIFNAMSIZ */
	LINK_ALTNAMES_MAX = 8,
	LINK_CONF_MAX = 80, /* more than any kernel has: IPV4_DEVCONF_MAX 33, DEVCONF_MAX 59 */
};

/*
 * The settings below /proc/sys/net/ipv4/conf/NAME and .../ipv6/conf/NAME, as IFLA_INET_CONF and
 * IFLA_INET6_CONF number them: @v4[0] is IPV4_DEVCONF_FORWARDING, @v6[0] DEVCONF_FORWARDING.
 */
struct link_conf {
	int v4[LINK_CONF_MAX], v6[LINK_CONF_MAX];
	size_t n4, n6;
};

/**
 * struct link - one interface as the kernel shows it
 * @ifindex, @name:	as always
 * @mtu:		bytes
 * @min_mtu, @max_mtu:	what the driver takes, bytes; 0: unknown
 * @mac:		hardware address; meaningful if @ethernet
 * @up:			administratively up
 * @promisc, @allmulti:	switched on by somebody (not by a capture or a bridge)
 * @txqlen:		length of its transmit queue, packets
 * @carrier:		up, with carrier, and a frame given to it now would be sent
 * @loopback:		it is lo
 * @kind:		"veth", "bond", "" for hardware
 * @master:		ifindex of its bond, team or bridge; 0: none
 * @lower:		ifindex of its parent or peer in the same namespace; 0: none
 * @far_lower:		ifindex of its parent or peer in another namespace; 0: none
 * @far_nsid:		that namespace, by its number in this one (link_nsid())
 * @parent:		PCI address of its device, of virtio too, or the name of its auxiliary device; "" for none
 * @phys_port_name:	"p0", "pf0vf1", "" for none
 * @altnames:		alternative names
 * @conf:		its sysctls of IPv4 and IPv6; empty where IP does not run on it
 */
struct link {
	int ifindex;
	char name[LINK_NAME_SIZE];
	int mtu, min_mtu, max_mtu;
	unsigned char mac[LINK_MAC_LEN];
	bool ethernet;
	bool up;
	bool promisc, allmulti;
	int txqlen;
	bool carrier;
	bool loopback;
	char kind[LINK_KIND_SIZE];
	int master;
	int lower;
	int far_lower, far_nsid;
	char parent[LINK_PARENT_SIZE];
	char phys_port_name[LINK_PARENT_SIZE];
	char altnames[LINK_ALTNAMES_MAX][LINK_ALTNAME_SIZE];
	size_t n_altnames;
	struct link_conf conf;
};

/* What to change; a member that is absent (NULL, 0, -1) stays. */
struct link_change {
	const char *name;
	const unsigned char *mac;
	int mtu;
	bool set_up; /* whether @up counts */
	bool up;
	unsigned mask, flags; /* IFF_PROMISC, IFF_ALLMULTI: those in @mask become as in @flags */
	bool set_txqlen;      /* whether @txqlen counts */
	int txqlen;
	bool move; /* whether @netns counts */
	int netns;
	int new_ifindex; /* wanted in @netns; kernels before 5.13 choose one themselves */
};

/**
 * link_get() - look an interface up by index
 * @sock:	socket of its namespace
 * @ifindex:	index
 * @ret_link:	the interface
 *
 * Return: 0, -ENODEV, or another negative errno. Sets no struct err: a missing interface is often
 * the expected answer.
 */
int link_get(struct nlsock *sock, int ifindex, struct link *ret_link);

/* link_find() - look an interface up by its name or one of its altnames. Return: as link_get(). */
int link_find(struct nlsock *sock, const char *name, struct link *ret_link);

/* link_visitor - called for every interface of a namespace; returns true to stop. */
typedef bool (*link_visitor)(const struct link *link, void *arg);

/* link_list() - visit every interface. Return: 0 or a negative errno. */
int link_list(struct nlsock *sock, link_visitor visit, void *arg);

/**
 * link_nsid() - the number of a namespace, as another one knows it
 * @sock:	socket of the namespace that numbers
 * @netns:	descriptor of the namespace that is asked for
 *
 * Return: the number, or a negative errno (-ENOENT: it has none).
 */
int link_nsid(struct nlsock *sock, int netns);

/**
 * link_is_representor() - true for a port of the switch inside an adapter, standing for another device
 * @link:	the interface
 *
 * By phys_port_name. net/devlink/port.c, __devlink_port_phys_port_name_get(), makes "pf0" of a PF,
 * "pf0vf1" of a VF and "pf0sf3" of a sub-function, with "c1" in front for those of another host; drivers
 * without devlink made "pf0vfr1" (ice), "pf0s1" (nfp) and "p0pf1vf2" (sfc). The port itself is "p0", of a
 * split one "p0s1", on a line card "l1p0"; most VFs have none.
 */
bool link_is_representor(const struct link *link);

/**
 * link_is_better() - which of two interfaces of one PCI device is the device's own
 * @link, @than:	the two
 *
 * A port before what has no phys_port_name that says so, and that before a representor.
 *
 * Return: true if @link is; of two alike neither is.
 */
bool link_is_better(const struct link *link, const struct link *than);

/**
 * link_find_parent() - the interface of a PCI function or an auxiliary device
 * @sock:	socket of a namespace
 * @parent:	PCI address, or name of the auxiliary device
 * @ret_link:	the interface; of several the first that link_is_better() finds no better one for
 *
 * By IFLA_PARENT_DEV_NAME (kernel 5.14), which is right in every namespace, unlike sysfs.
 *
 * Return: as link_get().
 */
int link_find_parent(struct nlsock *sock, const char *parent, struct link *ret_link);

/**
 * link_set() - change an interface by one request
 * @sock:	socket of its namespace
 * @ifindex:	index
 * @change:	what to change
 * @err:	ROCE_KERNEL_REFUSED with the kernel's words
 *
 * The kernel applies in the order: move, MAC, MTU, name, flags (net/core/rtnetlink.c, do_setlink()),
 * and an error in the middle leaves what was done before.
 *
 * Return: 0 or a negative errno.
 */
int link_set(struct nlsock *sock, int ifindex, const struct link_change *change, struct err *err);

/* link_del() - remove an interface. Return: 0 or a negative errno, with @err set. */
int link_del(struct nlsock *sock, int ifindex, struct err *err);

/* link_altname() - add or remove an alternative name. Return: 0 or a negative errno, with @err set. */
int link_altname(struct nlsock *sock, int ifindex, const char *name, bool add, struct err *err);

/**
 * link_set_conf4() - set IPv4 sysctls of an interface
 * @sock:	socket of its namespace
 * @ifindex:	index
 * @have, @want: what it has and what it shall have; only what differs is written
 * @err:	ROCE_KERNEL_REFUSED
 *
 * Return: 0 or a negative errno.
 */
int link_set_conf4(struct nlsock *sock, int ifindex, const struct link_conf *have,
		   const struct link_conf *want, struct err *err);

/**
 * link_wait() - wait until something about interfaces changes in a namespace
 * @sock:	socket that link_watch() prepared
 * @timeout_ms:	longest wait
 *
 * Return: true if something changed.
 */
bool link_wait(struct nlsock *sock, int timeout_ms);

/* link_watch() - have @sock receive interface changes, for link_wait(). */
int link_watch(struct nlsock *sock);

#endif
