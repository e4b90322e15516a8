/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps: every change of the host, as data. A step has what is (have) and what shall be (want); its
 * inverse is the step with the two exchanged. cni/step_exec.c is the only place that runs them.
 */
#ifndef CNI_STEP_H
#define CNI_STEP_H

#include "cni/side.h"
#include "netlink/addr.h"
#include "netlink/link.h"
#include "netlink/vf.h"

enum step_type {
	STEP_LINK_STATE, /* up or down, wherever the device is */
	STEP_CONF,	 /* the sysctls that a netdev loses on its way */
	STEP_ALTNAMES,
	STEP_VF_VLAN,	 /* what the PF tags */
	STEP_MAC,	 /* the administrative MAC of a VF and the netdev's own */
	STEP_VF_RATE,
	STEP_VF_SPOOFCHK,
	STEP_VF_TRUST,
	STEP_VF_LINK,	 /* the link that the VF sees */
	STEP_LINK_MTU,
	STEP_PROMISC,
	STEP_ALLMULTI,
	STEP_TXQLEN,
	STEP_LINK_MOVE, /* host <-> pod, with name and ifindex on each side */
	STEP_RDMA_MOVE,
	STEP_RDMA_SOFT, /* a soft-RoCE device on the netdev in the pod */
	STEP_SYSCTL,	/* in the pod's namespace */
	STEP_IPAM,	/* the IPAM plugin's addresses: asked for, given back */
	STEP_ADDR,
	STEP_ROUTE,
	STEP_TYPE_MAX,
};

/* How the value of a step is kept: the member of union step_value that counts. */
enum step_kind {
	KIND_SWITCH, /* @on */
	KIND_NUMBER, /* @number */
	KIND_VLAN,
	KIND_RATE,
	KIND_VF_LINK,
	KIND_MAC,
	KIND_AT,
	KIND_PLACE,
	KIND_NAMES,
	KIND_TEXT,
	KIND_NOTHING, /* the step only stands for what struct device holds */
};

enum {
	STEPS_MAX = 240, /* device, sysctls, IPAM, and the addresses and routes of one result */
	STEP_TEXT_SIZE = 384,
};

/* Where a netdev is, and what it is called there. */
struct step_at {
	enum place place;
	char name[LINK_NAME_SIZE];
	int ifindex;
};

/* Hardware addresses; @admin is all zero for a VF without one, and unused for other devices. */
struct step_mac {
	unsigned char admin[LINK_MAC_LEN];
	unsigned char link[LINK_MAC_LEN];
};

/**
 * union step_value - the value of a step; the kind of its type says which member counts
 * @on:		up, spoofchk, trust, promisc, allmulti; of soft RoCE, IPAM, addresses, routes: there
 * @number:	MTU in bytes, length of the transmit queue in packets
 * @names:	bit N: struct device's altnames[N] is there
 * @text:	of a sysctl, borrowed; NULL: there is none, it comes and goes with the device
 */
union step_value {
	bool on;
	int number;
	struct vf_vlan vlan;
	struct vf_rate rate;
	enum vf_link link;
	struct step_mac mac;
	struct step_at at;
	enum place place;
	unsigned names;
	const char *text;
};

/**
 * struct step - one change
 * @type:	which
 * @have, @want: what is, and what shall be
 * @addr, @route: of STEP_ADDR and STEP_ROUTE
 * @sysctl:	of STEP_SYSCTL: its path below /proc/sys, borrowed
 * @soft:	of STEP_RDMA_SOFT: the name of the RDMA device, borrowed
 */
struct step {
	enum step_type type;
	union step_value have, want;
	union {
		struct addr addr;
		struct route route;
		const char *sysctl;
		const char *soft;
	};
};

/* step_inverse() - the step that undoes @step. */
struct step step_inverse(const struct step *step);

/* step_changes() - false if have and want are equal: the step only holds a value for the undo. */
bool step_changes(const struct step *step);

/* step_kind() - how the value of a step of this type is kept. */
enum step_kind step_kind(enum step_type type);

/* step_type_name() - "link-mtu" and so on: the name in journals and in the dry run. */
const char *step_type_name(enum step_type type);

/* step_type_parse() - inverse of step_type_name(). Return: 0 or -EINVAL. */
int step_type_parse(const char *name, enum step_type *ret_type);

/* step_value_of_vf() - the value of a STEP_VF_* type among a VF's settings. */
union step_value step_value_of_vf(enum step_type type, const struct vf *vf);

/* step_value_of_link() - the value of a type among a netdev's settings: state, MTU, flags, queue. */
union step_value step_value_of_link(enum step_type type, const struct link *link);

enum { STEP_VALUE_SIZE = 64 };

/* step_value_print() - "on", "9000", "7": a value of @step for people. Return: @buf. */
const char *step_value_print(const struct step *step, const union step_value *value,
			     char buf[STEP_VALUE_SIZE]);

/* step_label() - what its value is, for people: "MTU", "spoofchk". */
const char *step_label(const struct step *step);

/**
 * step_print() - one line for people
 * @step:	step
 * @device:	host name of the device
 * @buf:	receives the line
 *
 * Return: @buf.
 */
const char *step_print(const struct step *step, const char *device, char buf[STEP_TEXT_SIZE]);

#endif
