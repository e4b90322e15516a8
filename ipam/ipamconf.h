/* SPDX-License-Identifier: Apache-2.0 */
/* The "ipam" object of a network configuration, as one struct. */
#ifndef IPAM_IPAMCONF_H
#define IPAM_IPAMCONF_H

#include "conf/result.h"
#include "ipam/lease.h"
#include "ipam/range.h"

/**
 * struct ipamconf - what a network wants of its IPAM plugin
 * @ranges:	"range" first, then "ipRanges": one address of each
 * @n_ranges:	at least one
 * @gateway:	goes with every address of its family and is never given out; AF_UNSPEC: none
 * @routes:	handed through
 * @n_routes:	their number
 * @dns:	handed through, borrowed from the document; NULL when absent
 */
struct ipamconf {
	struct range ranges[LEASE_RANGES_MAX];
	size_t n_ranges;
	struct inet_addr gateway;
	struct cni_route routes[RESULT_ROUTES_MAX];
	size_t n_routes;
	const json_t *dns;
};

/**
 * ipamconf_read() - read and check the "ipam" object
 * @json:	the network configuration
 * @ret_conf:	the result; the caller calls ipamconf_free()
 * @err:	CNI_DECODING_FAILURE (wrong type) or CNI_CONFIG_INVALID (unknown key, wrong value,
 *		contradiction), with the JSON path
 *
 * Return: 0 or a negative errno.
 */
int ipamconf_read(const json_t *json, struct ipamconf *ret_conf, struct err *err);

/* ipamconf_free() - release what ipamconf_read() took. */
void ipamconf_free(struct ipamconf *conf);

#endif
