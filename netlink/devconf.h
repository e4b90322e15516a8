/* SPDX-License-Identifier: Apache-2.0 */
/* The sysctls of an interface, which the kernel forgets whenever it changes its namespace. */
#ifndef NETLINK_DEVCONF_H
#define NETLINK_DEVCONF_H

#include "netlink/link.h"

enum { DEVCONF_FILES = 4, DEVCONF_FILE_SIZE = 48 };

/* Sysctls of IPv6 that are only to be had as files, as their text; "": there is none. */
struct devconf_files {
	char values[DEVCONF_FILES][DEVCONF_FILE_SIZE];
};

/* devconf_file_name() - "stable_secret": the name of value number @i. */
const char *devconf_file_name(size_t i);

/* devconf_read_files() - read them for an interface of the caller's own namespace. */
void devconf_read_files(const char *ifname, struct devconf_files *ret_files);

/*
 * devconf_of() - the sysctls of an interface for a later devconf_restore(): an IPv6 MTU that is the netdev's
 * is 0, since it follows that one, whatever it will be.
 */
struct link_conf devconf_of(const struct link *link);

/**
 * devconf_restore() - give an interface of this namespace the sysctls it had
 * @sock:	socket of the caller's own namespace
 * @link:	the interface as it is
 * @want:	what it had, from devconf_of(); what the kernel does not show now stays as it is
 * @want_files:	and from devconf_read_files()
 * @err:	ROCE_KERNEL_REFUSED
 *
 * A change of namespace takes an interface's IPv4 and IPv6 away and sets them up anew, from the
 * defaults of the new one (net/ipv4/devinet.c, net/ipv6/addrconf.c: NETDEV_UNREGISTER, _REGISTER).
 *
 * Return: 0 or a negative errno.
 */
int devconf_restore(struct nlsock *sock, const struct link *link, const struct link_conf *want,
		    const struct devconf_files *want_files, struct err *err);

#endif
