/* SPDX-License-Identifier: Apache-2.0 */
/* The network configuration of type "roce", as one struct. */
#ifndef CONF_NETCONF_H
#define CONF_NETCONF_H

#include "conf/cnicall.h"
#include "conf/inet.h"
#include "conf/logconf.h"
#include "conf/profile.h"
#include "conf/setting.h"

#define NETCONF_ANY_PF "*"

/* What shall become of the RDMA device. */
enum netconf_rdma {
	RDMA_AUTO,     /* it moves along where the mode is exclusive; whatever there is */
	RDMA_REQUIRED, /* without one that works in the pod the ADD is refused */
	RDMA_OFF,      /* it stays as and where it is */
	RDMA_SOFT,     /* soft RoCE (rxe) on the pod's netdev */
	RDMA_MAX,
};

/**
 * struct netconf - what a network asks for; strings are borrowed from the document
 * @device_id:		VF by PCI address, or subfunction by the name of its auxiliary device:
 *			runtimeConfig.deviceID, deviceID or pciBusID; "" when absent
 * @device:		netdev by name, instead of @device_id; NULL when absent
 * @pf:			instead of both: any free VF of this PF, by name, altname or PCI address;
 *			NETCONF_ANY_PF: of any PF of the fabric. NULL when absent
 * @roce_mtu:		RoCE path MTU that must fit, bytes
 * @has_policy, @policy: what to do about an inconsistent chain; absent: as the profile says
 * @fabric:		a fabric of the node profile; NULL: by the device
 * @rdma:		what shall become of the RDMA device
 * @set:		settings of the device; @set.mac is runtimeConfig.mac, CNI_ARGS MAC or mac
 * @ipam_type:		IPAM plugin; NULL: no addresses
 * @device_info_file:	runtimeConfig.CNIDeviceInfoFile; NULL when absent
 * @prev_result:	prevResult of a chained call; NULL when absent
 * @dns:		"dns" of the network; NULL when absent
 * @log:		where and what to log; logconf_start() has seen to it already
 */
struct netconf {
	char device_id[DEVICE_ID_SIZE];
	const char *device;
	const char *pf;
	struct opt_int roce_mtu;
	bool has_policy;
	enum mtu_policy policy;
	const char *fabric;
	enum netconf_rdma rdma;
	struct settings set;
	const char *ipam_type;
	const char *device_info_file;
	const json_t *prev_result;
	const json_t *dns;
	struct logconf log;
};

/* netconf_takes_rdma() - whether the device's own RDMA device is to be the pod's. */
static inline bool netconf_takes_rdma(const struct netconf *conf)
{
	return conf->rdma == RDMA_AUTO || conf->rdma == RDMA_REQUIRED;
}

/**
 * netconf_read() - read and check the configuration of one call
 * @call:	the call
 * @ret_conf:	the configuration
 * @err:	CNI_DECODING_FAILURE (wrong type) or CNI_CONFIG_INVALID (unknown key, wrong value,
 *		contradiction), with the JSON path
 *
 * Return: 0 or a negative errno.
 */
int netconf_read(const struct cni_call *call, struct netconf *ret_conf, struct err *err);

/* netconf_keys() - the only list of a network's keys. */
const struct jx_key *netconf_keys(size_t *ret_n);

/**
 * netconf_ipam_type() - only the IPAM plugin's name
 *
 * For DEL, which must work with a configuration that ADD would refuse.
 *
 * Return: the name, borrowed from @json; NULL if there is none or it cannot be a file name.
 */
const char *netconf_ipam_type(const json_t *json);

#endif
