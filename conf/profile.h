/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The node profile: what the node's administrator says about fabrics, switches and what networks may
 * do. Networks (tenants) choose within it, never around it.
 */
#ifndef CONF_PROFILE_H
#define CONF_PROFILE_H

#include "base/err.h"
#include "base/file.h"
#include "conf/fabric.h"

#define PROFILE_PATH "/etc/cni/net.d/roce.d/profile.json"
#define PROFILE_STATE_DIR "/run"
#define PROFILE_LOG_ROOT "/var/log"

enum {
	PROFILE_FABRICS_MAX = 16,
	PROFILE_DATA_ROOTS_MAX = 8,
	PROFILE_FORBID_MAX = 16,
	PROFILE_LOG_ROOTS_MAX = 8,
	PROFILE_CARRIER_WAIT_MS = 200,
	PROFILE_GID_WAIT_MS = 2000,
};

/* What happens when the MTU chain is not consistent; each is looser than the one before. */
enum mtu_policy {
	MTU_STRICT, /* ADD is refused */
	MTU_CLAMP,  /* the pod gets the largest MTU that is, as long as it carries the RoCE path MTU */
	MTU_WARN,   /* ADD goes on, and says so */
	MTU_POLICY_MAX,
};

/**
 * struct profile - the node's profile
 * @present:		false: there is no profile file, the other members are defaults
 * @fabrics, @n_fabrics: the fabrics
 * @default_fabric:	name used when neither the network nor the device decides; NULL: none
 * @mtu:		policy
 * @may_loosen:		a network may choose a looser one
 * @forbid, @n_forbid:	settings that no network may ask for
 * @allow_pf:		a PF without VFs may be given to a pod
 * @state_dir:		folder that holds roce-cni/ and roce-ipam/
 * @durability:		how state is written: profile_durability() of @state_dir
 * @gid_wait_ms:	how long ADD waits for the pod's GIDs, milliseconds
 * @node_index:		which slice of a range is this node's, where a network divides its ranges
 * @data_roots, @n_data_roots: folders below which a network may keep its leases ("dataDir"); none
 *			lies in another, nor touches what is below @state_dir
 * @has_log_roots, @log_roots, @n_log_roots: see profile_log_roots(); the same holds of them
 * @carrier_wait_ms:	how long an ADD waits for carrier before it sets and announces addresses; 0: not
 * @doc:		the document that the strings borrow from
 */
struct profile {
	bool present;
	struct fabric fabrics[PROFILE_FABRICS_MAX];
	size_t n_fabrics;
	const char *default_fabric;
	enum mtu_policy mtu;
	bool may_loosen;
	const struct setting *forbid[PROFILE_FORBID_MAX];
	size_t n_forbid;
	bool allow_pf;
	const char *state_dir;
	enum file_durability durability;
	int gid_wait_ms;
	struct opt_int node_index;
	const char *data_roots[PROFILE_DATA_ROOTS_MAX];
	size_t n_data_roots;
	bool has_log_roots;
	const char *log_roots[PROFILE_LOG_ROOTS_MAX];
	size_t n_log_roots;
	int carrier_wait_ms;
	json_t *doc;
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
 * profile_read() - check a profile that is parsed already
 * @json:	the document; @ret_profile borrows from it
 * @ret_profile:	the profile; nothing of it needs to be released
 * @err:	as jx_reader
 *
 * Return: 0 or a negative errno.
 */
int profile_read(const json_t *json, struct profile *ret_profile, struct err *err);

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

/* profile_durability() - a boot empties what is below /run, so it need not survive one. */
enum file_durability profile_durability(const char *dir);

/**
 * profile_log_roots() - folders below which a network may have its log ("logFile")
 * @profile:	the profile
 * @ret_roots:	the folders; PROFILE_LOG_ROOT alone when the profile does not say
 *
 * Return: their number; 0: no network may.
 */
size_t profile_log_roots(const struct profile *profile, const char *const **ret_roots);

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
		   const struct fabric_port *port, const struct fabric **ret_fabric,
		   struct err *err);

/**
 * profile_network_fabric() - the fabric that a network means which names no port
 * @profile:	the profile
 * @wanted:	name from the network's configuration; NULL: the profile's default, or its only fabric
 * @ret_fabric:	the fabric
 * @err:	CNI_CONFIG_INVALID: unknown, or none is meant
 *
 * Return: 0 or a negative errno.
 */
int profile_network_fabric(const struct profile *profile, const char *wanted,
			   const struct fabric **ret_fabric, struct err *err);

/* profile_port_is_on() - whether a port is on @fabric and on none that names it, where that takes any. */
bool profile_port_is_on(const struct profile *profile, const struct fabric *fabric,
			const struct fabric_port *port);

/* profile_policy_name() - "strict", "clamp" or "warn". */
const char *profile_policy_name(enum mtu_policy policy);

/* profile_read_policy() - jx_reader for an enum mtu_policy; the network's configuration has it too. */
int profile_read_policy(const json_t *value, const char *path, void *field, struct err *err);

#endif
