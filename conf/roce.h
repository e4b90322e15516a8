/* SPDX-License-Identifier: Apache-2.0 */
/* RoCE arithmetic: what a netdev MTU carries, by the driver's own formula and by ours. Pure. */
#ifndef CONF_ROCE_H
#define CONF_ROCE_H

#include "base/base.h"

enum {
	/*
	 * Bytes that the kernel takes off the netdev MTU for RoCE: GRH 40, UDP 8, BTH 12, XRCETH 4,
	 * AtomicETH 28, ICRC 4 (include/rdma/ib_addr.h, iboe_get_mtu()).
	 */
	ROCE_OVERHEAD = 96,
	ROCE_MTU_MIN = 256,
	ROCE_MTU_MAX = 4096,
	ROCE_USUAL_4096 = 4200, /* the usual netdev MTUs for RoCE path MTU 4096 and 2048 */
	ROCE_USUAL_2048 = 2200,

	ETH_HEADER = 14,
	ETH_TAG = 4, /* one 802.1Q or 802.1ad tag */
	ETH_CHECK = 4, /* FCS */
};

/* How a driver gets its port's active_mtu from the netdev MTU. */
enum roce_family {
	ROCE_KERNEL, /* iboe_get_mtu(): less 96, rounded down; also what rdma_cm takes, whatever the driver */
	ROCE_RXE,    /* less 80 (drivers/infiniband/sw/rxe/rxe_hdr.h, RXE_MAX_HDR_LENGTH) */
	ROCE_RAW,    /* nothing taken off (include/rdma/ib_verbs.h, ib_mtu_int_to_enum()) */
	ROCE_FAMILY_MAX,
};

/**
 * roce_family() - the formula of a driver
 * @driver:	PCI, netdev or RDMA driver: "mlx5_core", "ice", "irdma", "rdma_rxe"; NULL or "" for unknown
 *
 * Return: the family; ROCE_KERNEL for a driver that is not known.
 */
enum roce_family roce_family(const char *driver);

/* roce_driver_known() - whether a driver is in the table behind roce_family(). */
bool roce_driver_known(const char *driver);

/* roce_follows_bond() - true if the driver's ports in a bond report the bond master's MTU (mlx5). */
bool roce_follows_bond(const char *driver);

/**
 * roce_need() - least netdev MTU for a RoCE path MTU: our own requirement, for every driver
 * @roce_mtu:	RoCE path MTU, bytes
 *
 * The largest packet is 88 bytes longer than its payload; 96 is what rdma_cm takes off on any driver
 * (drivers/infiniband/core/cma.c), so below it applications do not agree on the path MTU.
 *
 * Return: bytes; 4192 for 4096.
 */
int roce_need(int roce_mtu);

/* roce_usual() - a round netdev MTU for a RoCE path MTU: 4200 for 4096. */
int roce_usual(int roce_mtu);

/* roce_carried() - RoCE path MTU that a netdev MTU carries by our requirement; 0 below 352. */
int roce_carried(int netdev_mtu);

/* roce_active() - active_mtu that a driver of this family reports for a netdev MTU; 0: none. */
int roce_active(enum roce_family family, int netdev_mtu);

/* roce_active_least() - least netdev MTU for which a driver of this family reports @roce_mtu. */
int roce_active_least(enum roce_family family, int roce_mtu);

/**
 * roce_packet() - longest IP packet of a path MTU
 * @roce_mtu:	payload, bytes
 * @ipv6:	over IPv6
 *
 * IP 20 or 40, UDP 8, BTH 12, XRCETH 4, RETH 16, ImmDt 4, ICRC 4: an XRC WRITE with immediate data.
 *
 * Return: bytes; 4164 and 4184 for 4096.
 */
int roce_packet(int roce_mtu, bool ipv6);

/* roce_frame() - that packet on the wire: with Ethernet header, VLAN tags and FCS, bytes. */
int roce_frame(int roce_mtu, bool ipv6, int vlan_tags);

#endif
