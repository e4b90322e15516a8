/* SPDX-License-Identifier: Apache-2.0 */
/* One fabric of the node profile: its switch, its MTUs and the ports that are on it. */
#ifndef CONF_FABRIC_H
#define CONF_FABRIC_H

#include "conf/inet.h"
#include "conf/jx.h"
#include "conf/setting.h"
#include "conf/switch.h"
#include "conf/vfset.h"

enum {
	FABRIC_PFS_MAX = 32,
	NETDEV_MTU_MIN = 68, /* bytes: the least netdev MTU that IPv4 allows (RFC 791) */
	NETDEV_MTU_MAX = 65535,
};

/* A port as a fabric's "pfs" may name it: the PF of a VF, or the netdev itself. */
struct fabric_port {
	const char *pci; /* "" for none */
	const char *name;
	const char *driver;	    /* "" for unknown */
	const char *phys_port_name; /* "p0"; "" for none */
};

/* One entry of "pfs"; exactly one member is set. */
struct fabric_pf {
	char pci[PCI_TEXT_SIZE]; /* "" when absent */
	const char *name;	 /* pattern as fnmatch(3) */
	const char *driver;
	const char *phys_port_name;
};

/**
 * struct fabric_switch - the switches, as configured
 * @mtu:		what they are set to; unset: no switch is known
 * @semantics:		what that number counts
 * @platform:		their operating system, or NULL
 * @tags:		VLAN tags that frames carry between the switches, at most
 * @encapsulation:	bytes that a tunnel between the switches takes off
 * @class_mtu:		MTU of a traffic class where it differs
 */
struct fabric_switch {
	struct opt_int mtu;
	enum switch_semantics semantics;
	const struct switch_platform *platform;
	struct opt_int tags;
	struct opt_int encapsulation;
	struct opt_int class_mtu[SWITCH_CLASSES];
};

/* What a port trusts to find a packet's traffic class. */
enum fabric_trust { FABRIC_TRUST_UNSET, FABRIC_TRUST_PCP, FABRIC_TRUST_DSCP, FABRIC_TRUST_MAX };

/* What the ports' QoS is expected to be; the MTU engine uses only @traffic_class. */
struct fabric_qos {
	struct opt_int traffic_class; /* RoCE's, 0 to 7 */
	struct opt_int dscp;
	enum fabric_trust trust;
	bool has_pfc;
	unsigned pfc; /* bit N: priority N is paused */
	bool has_ecn, ecn;
};

/**
 * struct fabric - one network of switches
 * @name:	its name in the profile
 * @sw:		its switches
 * @roce_mtu:	RoCE path MTU that networks get when they ask for none
 * @pod_mtu:	netdev MTU that pods get when their network asks for none
 * @pf_mtu:	netdev MTU that its ports are expected to have
 * @qos:	expected
 * @vf:		what its VFs have between two pods; what is absent is what the next pod found
 * @pfs, @n_pfs: the ports on this fabric; none: any port
 * @vfs:	numbers of the VFs, on each of its PFs, that networks with "pf" get first
 */
struct fabric {
	const char *name;
	struct fabric_switch sw;
	struct opt_int roce_mtu;
	struct opt_int pod_mtu;
	struct opt_int pf_mtu;
	struct fabric_qos qos;
	struct settings vf;
	struct fabric_pf pfs[FABRIC_PFS_MAX];
	size_t n_pfs;
	struct vfset vfs;
};

/**
 * fabric_read() - read one fabric and refuse what contradicts itself
 * @value:	its JSON
 * @path:	its JSON path
 * @ret_fabric:	the fabric; @name is the caller's
 * @err:	see jx_reader
 *
 * Return: 0 or a negative errno.
 */
int fabric_read(const json_t *value, const char *path, struct fabric *ret_fabric, struct err *err);

/* fabric_adopt_platform() - what @sw's platform implies: semantics, and the MTU it is delivered with. */
void fabric_adopt_platform(struct fabric_switch *sw);

/* fabric_has() - whether a port is on the fabric. */
bool fabric_has(const struct fabric *fabric, const struct fabric_port *port);

/* fabric_pf_equal() - true if two entries of "pfs" are the same. */
bool fabric_pf_equal(const struct fabric_pf *a, const struct fabric_pf *b);

/* fabric_tags() - VLAN tags of frames on the fabric that leave the port with @vlan_tags. */
int fabric_tags(const struct fabric *fabric, int vlan_tags);

/**
 * fabric_permits() - netdev MTU that the switches permit
 * @fabric:	a fabric whose switch MTU is known
 * @vlan_tags:	tags of the frames as they leave the port
 *
 * Of the traffic classes the least one counts, without RoCE's own where that is known.
 *
 * Return: bytes.
 */
int fabric_permits(const struct fabric *fabric, int vlan_tags);

/* fabric_permits_roce() - longest IP packet that the switches permit in RoCE's class, bytes. */
int fabric_permits_roce(const struct fabric *fabric, int vlan_tags);

/* fabric_needs() - switch MTU needed for a netdev MTU: the inverse of fabric_permits(). */
int fabric_needs(const struct fabric *fabric, int netdev_mtu, int vlan_tags);

/* fabric_read_mtu() - jx_reader for a netdev MTU into a struct opt_int: 68 to 65535 bytes. */
int fabric_read_mtu(const json_t *value, const char *path, void *field, struct err *err);

/* fabric_read_roce_mtu() - jx_reader for a RoCE path MTU: 256, 512, 1024, 2048 or 4096 bytes. */
int fabric_read_roce_mtu(const json_t *value, const char *path, void *field, struct err *err);

#endif
