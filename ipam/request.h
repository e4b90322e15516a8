/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses that a call asks for: runtimeConfig.ips, args.cni.ips, CNI_ARGS IP. Pure. */
#ifndef IPAM_REQUEST_H
#define IPAM_REQUEST_H

#include "conf/cnicall.h"

enum { REQUESTS_MAX = 16 };

/**
 * struct request - one address
 * @addr:	the address
 * @len:	the prefix length that was written, -1 for none
 * @path:	where it was written, for errors
 */
struct request {
	struct inet_addr addr;
	int len;
	char path[64];
};

/**
 * struct requests - all of a call
 * @items, @n:	the addresses
 * @unheard, @n_unheard: where something stands that has no effect, for the log
 */
struct requests {
	struct request items[REQUESTS_MAX];
	size_t n;
	const char *unheard[3];
	size_t n_unheard;
};

/**
 * request_read() - what a call asks for
 * @call:	the call
 * @ret_requests: the addresses
 * @err:	CNI_DECODING_FAILURE or CNI_CONFIG_INVALID with the path
 *
 * The first of these that names an address counts, alone: runtimeConfig.ips, args.cni.ips,
 * CNI_ARGS IP. Ranges from the runtime (runtimeConfig.ipRanges) are refused.
 *
 * Return: 0 or a negative errno.
 */
int request_read(const struct cni_call *call, struct requests *ret_requests, struct err *err);

#endif
