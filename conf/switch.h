/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Switches: what the MTU in a switch's configuration counts, which differs between vendors, and what
 * it permits a netdev. Pure. docs/profile.md has the sources.
 */
#ifndef CONF_SWITCH_H
#define CONF_SWITCH_H

#include "base/base.h"

enum { SWITCH_CLASSES = 8, SWITCH_TAGS_MAX = 2, SWITCH_ENCAPSULATION_MAX = 256 };

/* What a switch's configured MTU counts. */
enum switch_semantics {
	SWITCH_L3,	/* the IP packet; one tag is budgeted, a second one is not */
	SWITCH_L2HDR,	/* with Ethernet header and VLAN tags, without FCS */
	SWITCH_L2FRAME, /* the whole frame, FCS too */
	SWITCH_SEMANTICS_MAX,
};

/**
 * struct switch_platform - a switch operating system
 * @name:	as in the profile: "sonic", "junos"
 * @semantics:	what its MTU counts
 * @mtu:	its factory setting, bytes; 0: differs between models, or not known
 * @least, @most: what it can be set to, bytes; 0: not known
 * @verified:	a document or bug report says so; false: the safe guess
 */
struct switch_platform {
	const char *name;
	enum switch_semantics semantics;
	int mtu;
	int least, most;
	bool verified;
};

/* switch_platforms() - the table; @ret_n receives its length. */
const struct switch_platform *switch_platforms(size_t *ret_n);

/* switch_platform() - one platform by name, or NULL. */
const struct switch_platform *switch_platform(const char *name);

/* switch_takes() - true if switches of @platform can be set to this MTU. */
bool switch_takes(const struct switch_platform *platform, int mtu);

/* switch_semantics_name() - "l3", "l2hdr" or "l2frame". */
const char *switch_semantics_name(enum switch_semantics semantics);

/* switch_semantics_parse() - inverse of switch_semantics_name(). Return: 0 or -EINVAL. */
int switch_semantics_parse(const char *name, enum switch_semantics *ret_semantics);

/**
 * switch_permits() - netdev MTU that a switch permits
 * @switch_mtu:	MTU in the switch's configuration, bytes
 * @semantics:	what it counts
 * @vlan_tags:	tags of a frame, 0 to 2
 *
 * Return: bytes.
 */
int switch_permits(int switch_mtu, enum switch_semantics semantics, int vlan_tags);

/* switch_needs() - inverse of switch_permits(): switch MTU needed for a netdev MTU. */
int switch_needs(int netdev_mtu, enum switch_semantics semantics, int vlan_tags);

#endif
