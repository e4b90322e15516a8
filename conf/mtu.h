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
	/*
	 * Bytes that the kernel takes off the netdev MTU for RoCE: GRH 40, UDP 8, BTH 12, XRCETH 4,
	 * AtomicETH 28, ICRC 4 (include/rdma/ib_addr.h, iboe_get_mtu()).
	 */
	MTU_ROCE_OVERHEAD = 96,
	MTU_ROCE_MIN = 256,
	MTU_ROCE_MAX = 4096,
	MTU_JUMBO = 9000,	 /* the most that is chosen when nobody asks for a number */
	MTU_USUAL_4096 = 4200,	 /* the usual netdev MTU for RoCE path MTU 4096 */
	MTU_HOPS_MAX = 12,
	MTU_HOP_NAME_SIZE = 48,
};

enum mtu_hop_kind {
	MTU_HOP_DEVICE, /* the netdev that moves into the pod: a VF or another one */
	MTU_HOP_PF,	/* the physical function of the VF */
	MTU_HOP_UPPER,	/* a bond, team or bridge that a port belongs to */
	MTU_HOP_LOWER,	/* the parent of a macvlan, ipvlan or VLAN */
	MTU_HOP_SWITCH, /* the fabric's switch, from the profile */
	MTU_HOP_MAX,
};

/**
 * struct mtu_hop - one hop of the chain
 * @kind, @name:	what it is
 * @mtu:		its MTU now (of a switch: the netdev MTU it permits), bytes
 * @max:		most it can be set to, bytes; 0: unknown. Of the device only
 * @need:		result: least MTU it needs, bytes
 * @ok:			result: @mtu is enough (of the device: it can be set)
 */
struct mtu_hop {
	enum mtu_hop_kind kind;
	char name[MTU_HOP_NAME_SIZE];
	int mtu;
	int max;
	int need;
	bool ok;
};

/**
 * struct mtu_chain - request and answer
 * @mtu:	netdev MTU the network asks for
 * @roce_mtu:	RoCE path MTU the network asks for
 * @vlan_tags:	tags on the wire
 * @fabric:	the fabric, or NULL
 * @hops:	from the pod outwards; the first is the device. mtu_plan() appends the switch
 * @n_hops:	their number
 * @pod_mtu:	result: netdev MTU of the pod
 * @pod_roce_mtu: result: RoCE path MTU that @pod_mtu carries; 0: none
 */
struct mtu_chain {
	struct opt_int mtu;
	struct opt_int roce_mtu;
	int vlan_tags;
	const struct fabric *fabric;
	struct mtu_hop hops[MTU_HOPS_MAX];
	size_t n_hops;
	int pod_mtu;
	int pod_roce_mtu;
};

/* mtu_roce_need() - least netdev MTU for a RoCE path MTU, bytes: 4192 for 4096. */
int mtu_roce_need(int roce_mtu);

/* mtu_roce_active() - RoCE path MTU that a netdev MTU carries, bytes; 0 below 352. */
int mtu_roce_active(int netdev_mtu);

/**
 * mtu_switch_permits() - netdev MTU that a switch permits
 * @switch_mtu:	MTU in the switch's configuration, bytes
 * @semantics:	what it counts
 * @vlan_tags:	tags of a frame, 0 to 2
 *
 * Return: bytes. An l3 switch budgets one tag itself (docs/profile.md has the sources).
 */
int mtu_switch_permits(int switch_mtu, enum switch_semantics semantics, int vlan_tags);

/* mtu_switch_needs() - inverse of mtu_switch_permits(): switch MTU needed for a netdev MTU. */
int mtu_switch_needs(int netdev_mtu, enum switch_semantics semantics, int vlan_tags);

/**
 * mtu_plan() - settle the pod's MTU and judge every hop
 * @chain:	request and hops in, hops with needs and the pod's MTU out
 * @findings:	receives what there is to say; an error means: not consistent
 *
 * Rules (strict): roce_mtu + 96 <= pod MTU <= the device's maximum; pod MTU <= MTU of every hop; pod
 * MTU and port MTU <= what the switch permits. With no MTU asked for: the profile's podMTU, else the
 * largest that all hops carry, at most 9000. No hop but the device is ever changed.
 */
void mtu_plan(struct mtu_chain *chain, struct findings *findings);

/* mtu_hop_kind_name() - "device", "PF", "upper", "lower", "switch" */
const char *mtu_hop_kind_name(enum mtu_hop_kind kind);

#endif
