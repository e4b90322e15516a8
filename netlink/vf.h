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

/* What a VF may send, Mbit/s; 0: no limit. */
struct vf_rate {
	int min, max;
};

/* A switch of a VF; a driver that has none reports none. */
enum vf_switch { VF_UNKNOWN, VF_OFF, VF_ON };

/* The link that a VF sees: the port's, always there, or never (IFLA_VF_LINK_STATE_*). */
enum vf_link { VF_LINK_AUTO, VF_LINK_ENABLE, VF_LINK_DISABLE, VF_LINK_MAX };

/* Settings of a VF as its PF reports them. */
struct vf {
	unsigned char mac[LINK_MAC_LEN]; /* the administrative one; all zero: none */
	struct vf_vlan vlan;
	struct vf_rate rate;
	enum vf_switch spoofchk;
	enum vf_switch trust;
	enum vf_link link;
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

/* vf_set_rate() - set both rates: the kernel has no request for one. Return: as above. */
int vf_set_rate(struct nlsock *sock, int pf, int index, struct vf_rate rate, struct err *err);

/* vf_set_spoofchk() - check the source MAC of what the VF sends, or not. Return: as above. */
int vf_set_spoofchk(struct nlsock *sock, int pf, int index, bool on, struct err *err);

/* vf_set_trust() - let the VF change its MAC and be promiscuous, or not. Return: as above. */
int vf_set_trust(struct nlsock *sock, int pf, int index, bool on, struct err *err);

/* vf_set_link() - set the link that the VF sees. Return: as above. */
int vf_set_link(struct nlsock *sock, int pf, int index, enum vf_link link, struct err *err);

#endif
