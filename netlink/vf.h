/* SPDX-License-Identifier: Apache-2.0 */
/* The PF's side of a VF: what the PF tags, permits and calls its VFs. */
#ifndef NETLINK_VF_H
#define NETLINK_VF_H

#include "netlink/link.h"

#include <stdint.h>

/* VLAN that the PF puts on a VF's frames; @id 0: none. @proto is ETH_P_8021Q or ETH_P_8021AD. */
struct vf_vlan {
	int id;
	int qos;
	uint16_t proto;
};

/* Settings of a VF as its PF reports them. */
struct vf {
	unsigned char mac[LINK_MAC_LEN]; /* the administrative one; all zero: none */
	struct vf_vlan vlan;
};

/**
 * vf_get() - read the settings of a VF
 * @sock:	socket of the PF's namespace
 * @pf:		ifindex of the PF
 * @index:	VF number
 * @ret_vf:	its settings
 * @err:	ROCE_KERNEL_REFUSED or ROCE_DEVICE_NOT_FOUND
 *
 * Return: 0 or a negative errno.
 */
int vf_get(struct nlsock *sock, int pf, int index, struct vf *ret_vf, struct err *err);

/* vf_set_mac() - set the administrative MAC. Return: 0 or a negative errno, with @err set. */
int vf_set_mac(struct nlsock *sock, int pf, int index, const unsigned char mac[LINK_MAC_LEN],
	       struct err *err);

/* vf_set_vlan() - set the VLAN. Return: 0 or a negative errno, with @err set. */
int vf_set_vlan(struct nlsock *sock, int pf, int index, struct vf_vlan vlan, struct err *err);

#endif
