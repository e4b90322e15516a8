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
	STEP_VF_VLAN,	 /* what the PF tags */
	STEP_MAC,	 /* the administrative MAC of a VF and the netdev's own */
	STEP_LINK_MTU,
	STEP_LINK_MOVE, /* host <-> pod, with name and ifindex on each side */
	STEP_RDMA_MOVE,
	STEP_IPAM, /* the IPAM plugin's addresses: asked for, given back */
	STEP_ADDR,
	STEP_ROUTE,
	STEP_TYPE_MAX,
};

enum {
	STEPS_MAX = 192, /* device, IPAM, and the addresses and routes of one result */
	STEP_TEXT_SIZE = 256,
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

/* The value of a step; which member counts follows from the type. */
union step_value {
	bool up;		/* STEP_LINK_STATE */
	struct vf_vlan vlan;	/* STEP_VF_VLAN */
	struct step_mac mac;	/* STEP_MAC */
	int mtu;		/* STEP_LINK_MTU, bytes */
	struct step_at at;	/* STEP_LINK_MOVE */
	enum place rdma;	/* STEP_RDMA_MOVE */
	bool present;		/* STEP_IPAM, STEP_ADDR, STEP_ROUTE */
};

struct step {
	enum step_type type;
	union step_value have, want;
	union {
		struct addr addr;   /* STEP_ADDR */
		struct route route; /* STEP_ROUTE */
	};
};

/* step_inverse() - the step that undoes @step. */
struct step step_inverse(const struct step *step);

/* step_changes() - false if have and want are equal: the step only holds a value for the undo. */
bool step_changes(const struct step *step);

/* step_type_name() - "link-mtu" and so on: the name in journals and in the dry run. */
const char *step_type_name(enum step_type type);

/* step_type_parse() - inverse of step_type_name(). Return: 0 or -EINVAL. */
int step_type_parse(const char *name, enum step_type *ret_type);

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
