/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The MTU engine: what a network asks for, what the profile says of the switch and what the host
 * shows, into one netdev MTU for the pod, or into findings that say which hop is in the way. Pure.
 */
#ifndef CONF_MTU_H
#define CONF_MTU_H

#include "conf/finding.h"
#include "conf/profile.h"

enum {
	MTU_JUMBO = 9000, /* the most that is chosen when nobody asks for a number */
	MTU_HOPS_MAX = 32,
	MTU_HOP_NAME_SIZE = 48,
	MTU_DRIVER_SIZE = 64,
};

enum mtu_hop_kind {
	MTU_HOP_DEVICE, /* the netdev that moves into the pod: a VF or another one */
	MTU_HOP_PF,	/* the physical function of the VF */
	MTU_HOP_UPPER,	/* a bond, team or bridge that the pod's frames or its RoCE port go by */
	MTU_HOP_LOWER,	/* the parent of a macvlan, ipvlan or VLAN, the other end of a veth */
	MTU_HOP_BESIDE, /* a netdev of the host on the same port: the pod's frames pass it by */
	MTU_HOP_SWITCH, /* the fabric's switch, from the profile */
	MTU_HOP_MAX,
};

/**
 * struct mtu_hop - one hop of the chain
 * @kind, @name:	what it is
 * @mtu:		its MTU now (of a switch: the netdev MTU it permits), bytes
 * @min, @max:		what it can be set to, bytes; 0: unknown
 * @holds:		the kernel itself takes no larger MTU on the device than this hop has
 * @tags:		VLAN tags that its own frames carry on the wire
 * @need:		result: least MTU it needs, bytes; 0: none
 * @ok:			result: @mtu is enough (of the device: it can be set)
 */
struct mtu_hop {
	enum mtu_hop_kind kind;
	char name[MTU_HOP_NAME_SIZE];
	int mtu;
	int min, max;
	bool holds;
	int tags;
	int need;
	bool ok;
};

/**
 * struct mtu_chain - request and answer
 * @mtu:	netdev MTU the network asks for
 * @roce_mtu:	RoCE path MTU the network asks for
 * @policy:	what to do about a chain that is not consistent
 * @vlan_tags:	tags of the pod's frames when they leave the port
 * @ipv4_only:	the pod has no IPv6 GID, not even a link-local one
 * @driver:	the device's, for its formula; "" for unknown
 * @fabric:	the fabric, or NULL
 * @hops:	from the pod outwards; the first is the device. mtu_plan() appends the switch
 * @n_hops:	their number
 * @pod_mtu:	result: netdev MTU of the pod
 * @pod_roce_mtu: result: RoCE path MTU that @pod_mtu carries; 0: none
 * @device_roce_mtu: result: what the RDMA device itself will report; 0: none
 * @bottleneck:	result: the hop that lets the least through
 */
struct mtu_chain {
	struct opt_int mtu;
	struct opt_int roce_mtu;
	enum mtu_policy policy;
	int vlan_tags;
	bool ipv4_only;
	char driver[MTU_DRIVER_SIZE];
	const struct fabric *fabric;
	struct mtu_hop hops[MTU_HOPS_MAX];
	size_t n_hops;
	int pod_mtu;
	int pod_roce_mtu;
	int device_roce_mtu;
	size_t bottleneck;
};

/**
 * mtu_plan() - settle the pod's MTU and judge every hop
 * @chain:	request and hops in, hops with needs and the pod's MTU out
 * @findings:	receives what there is to say; an error means: not consistent
 *
 * Consistent is, with M the pod's netdev MTU and P the RoCE path MTU:
 *  - P + 96 <= M;
 *  - the device's minimum <= M <= its maximum;
 *  - M <= the MTU of PF, uppers and lowers, and <= what the switch permits;
 *  - the longest packet of the path MTU that the device reports at M fits the switch, in RoCE's class;
 *  - the MTU of each of those ports <= what the switch permits.
 * With no MTU asked for, M is the profile's podMTU, else the largest that all this leaves, at most
 * 9000. Policy "clamp" lowers M to the largest consistent value that carries P; "warn" turns errors
 * into warnings, but for what the kernel would refuse. No hop but the device is ever changed.
 */
void mtu_plan(struct mtu_chain *chain, struct findings *findings);

/**
 * mtu_route() - MTU of a route through the pod's interface
 * @chain:	planned
 * @dst:	its destination, for the finding
 * @mtu:	what is asked for, bytes
 * @findings:	receives what there is to say when it is more than the interface's
 *
 * Return: bytes; less than @mtu by policy "clamp".
 */
int mtu_route(const struct mtu_chain *chain, const char *dst, int mtu, struct findings *findings);

/* mtu_frame() - largest RoCE frame that the pod puts on the wire, with tags and FCS, bytes. */
int mtu_frame(const struct mtu_chain *chain);

/* mtu_hop_kind_name() - "device", "PF", "upper", "lower", "beside", "switch" */
const char *mtu_hop_kind_name(enum mtu_hop_kind kind);

#endif
