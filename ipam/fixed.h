/* SPDX-License-Identifier: Apache-2.0 */
/* Static addresses: those that a network names itself. Pure. */
#ifndef IPAM_FIXED_H
#define IPAM_FIXED_H

#include "conf/inet.h"
#include "conf/jx.h"

/**
 * struct fixed - one element of "addresses"
 * @address:	with its prefix length
 * @gateway:	goes with it; AF_UNSPEC: none
 */
struct fixed {
	struct inet_prefix address;
	struct inet_addr gateway;
};

/* fixed_read() - jx_reader for one element into a struct fixed. */
int fixed_read(const json_t *value, const char *path, void *field, struct err *err);

/**
 * fixed_check() - whether hosts may have these addresses
 * @list, @n:	the addresses
 * @gateway:	of the network's ranges; AF_UNSPEC: none
 * @err:	CNI_CONFIG_INVALID: a network or last address, a gateway, one that is there twice
 *
 * Return: 0 or a negative errno.
 */
int fixed_check(const struct fixed *list, size_t n, struct inet_addr gateway, struct err *err);

#endif
