/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The node profile: what the node's administrator says about fabrics, switches and what networks may
 * do. Networks (tenants) choose within it, never around it.
 */
#ifndef CONF_PROFILE_H
#define CONF_PROFILE_H

#include "base/err.h"
#include "base/file.h"
#include "conf/inet.h"
#include "conf/jx.h"

#define PROFILE_PATH "/etc/cni/net.d/roce.d/profile.json"
#define PROFILE_STATE_DIR "/run"

enum {
	PROFILE_FABRICS_MAX = 16,
	PROFILE_PFS_MAX = 32,
	PROFILE_MTU_MIN = 68, /* bytes: the least netdev MTU that IPv4 allows (RFC 791) */
	PROFILE_MTU_MAX = 65535,
};

/* What a switch's configured MTU counts. */
enum switch_semantics {
	SWITCH_L3,	/* the IP packet */
	SWITCH_L2HDR,	/* with Ethernet header and VLAN tags, without FCS */
	SWITCH_L2FRAME, /* the whole frame, FCS too */
	SWITCH_SEMANTICS_MAX,
};

/* What happens when the MTU chain is not consistent. */
enum mtu_policy {
	MTU_STRICT, /* ADD is refused */
	MTU_POLICY_MAX,
};

/* One entry of "pfs"; exactly one member is set. */
struct profile_pf {
	char pci[PCI_TEXT_SIZE]; /* "" when absent */
	const char *name;	 /* pattern as fnmatch(3) */
	const char *driver;
};

/**
 * struct fabric - one network of switches
 * @name:		its name in the profile
 * @switch_mtu:		as the switch's configuration has it
 * @semantics:		what that number counts
 * @roce_mtu:		RoCE path MTU that networks get when they ask for none
 * @pod_mtu:		netdev MTU that pods get when their network asks for none
 * @pfs:		the ports on this fabric
 * @n_pfs:		0: any port
 */
struct fabric {
	const char *name;
	struct opt_int switch_mtu;
	enum switch_semantics semantics;
	struct opt_int roce_mtu;
	struct opt_int pod_mtu;
	struct profile_pf pfs[PROFILE_PFS_MAX];
	size_t n_pfs;
};

/**
 * struct profile - the node's profile
 * @present:		false: there is no profile file, the other members are defaults
 * @fabrics, @n_fabrics: the fabrics
 * @default_fabric:	name used when neither the network nor the device decides; NULL: none
 * @mtu:		policy
 * @state_dir:		folder that holds roce-cni/ and roce-ipam/
 * @durability:		how state is written: @state_dir below /run is volatile, anything else durable
 * @doc:		the document that the strings borrow from
 */
struct profile {
	bool present;
	struct fabric fabrics[PROFILE_FABRICS_MAX];
	size_t n_fabrics;
	const char *default_fabric;
	enum mtu_policy mtu;
	const char *state_dir;
	enum file_durability durability;
	json_t *doc;
};

/* A port as a fabric's "pfs" may name it: the PF of a VF, or the netdev itself. */
struct profile_port {
	const char *pci; /* "" for none */
	const char *name;
	const char *driver; /* "" for unknown */
};

/**
 * profile_load() - read and check a profile
 * @path:		usually PROFILE_PATH; a file that does not exist gives the defaults
 * @ret_profile:	the profile; the caller calls profile_free()
 * @err:		ROCE_PROFILE_INVALID naming file and JSON path
 *
 * Return: 0 or a negative errno.
 */
int profile_load(const char *path, struct profile *ret_profile, struct err *err);

/**
 * profile_load_for_del() - read a profile for a DEL
 * @path:		usually PROFILE_PATH
 * @ret_profile:	the profile, or the defaults; the caller calls profile_free()
 * @ret_broken:		what is wrong with it, if anything
 *
 * A profile that was broken while a pod was running must not keep that pod's device and addresses:
 * the standard state folder is the best guess then.
 */
void profile_load_for_del(const char *path, struct profile *ret_profile, struct err *ret_broken);

/* profile_free() - release what profile_load() took. */
void profile_free(struct profile *profile);

/**
 * profile_fabric() - the fabric a device belongs to
 * @profile:	the profile
 * @wanted:	name from the network's configuration, or NULL
 * @port:	the device's port
 * @ret_fabric:	the fabric; NULL when the profile is absent or has none
 * @err:	CNI_CONFIG_INVALID for an unknown name, ROCE_DEVICE_FORBIDDEN when the port is not on
 *		the fabric, or on none
 *
 * Return: 0 or a negative errno.
 */
int profile_fabric(const struct profile *profile, const char *wanted,
		   const struct profile_port *port, const struct fabric **ret_fabric,
		   struct err *err);

/* profile_semantics_name() - "l3", "l2hdr" or "l2frame". */
const char *profile_semantics_name(enum switch_semantics semantics);

/* profile_read_policy() - jx_reader for an enum mtu_policy; the network's configuration has it too. */
int profile_read_policy(const json_t *value, const char *path, void *field, struct err *err);

/* profile_read_mtu() - jx_reader for a netdev MTU into a struct opt_int: 68 to 65535 bytes. */
int profile_read_mtu(const json_t *value, const char *path, void *field, struct err *err);

/* profile_read_roce_mtu() - jx_reader for a RoCE path MTU: 256, 512, 1024, 2048 or 4096 bytes. */
int profile_read_roce_mtu(const json_t *value, const char *path, void *field, struct err *err);

#endif
