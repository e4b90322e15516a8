/* SPDX-License-Identifier: Apache-2.0 */
/* What an ADD wants: one entry for each address of its answer. Pure. */
#ifndef IPAM_WANT_H
#define IPAM_WANT_H

#include "ipam/ipamconf.h"
#include "ipam/request.h"

/**
 * struct want - one address to lease
 * @slot:	index of the lease, see struct lease
 * @ranges:	where it may come from, in this order; NULL for a static address
 * @n_ranges:	their number
 * @exact:	this one and no other; @exact.addr.family is AF_UNSPEC: the lowest free one
 * @path:	JSON path of what asks for @exact
 */
struct want {
	int slot;
	const struct range *ranges;
	size_t n_ranges;
	struct inet_prefix exact;
	char path[64];
};

/**
 * want_list() - what the network gives and what the call asks for, as one list
 * @conf:	the network's configuration
 * @requests:	the addresses that the call asks for
 * @ret_wants:	one for each set of ranges, then one for each static address
 * @ret_n:	their number
 * @err:	CNI_CONFIG_INVALID with the path of a request that cannot be met, and why
 *
 * The wants borrow from @conf.
 *
 * Return: 0 or a negative errno.
 */
int want_list(const struct ipamconf *conf, const struct requests *requests,
	      struct want ret_wants[LEASE_SLOTS_MAX], size_t *ret_n, struct err *err);

/* want_gateway() - the gateway that goes with an address, AF_UNSPEC for none. */
struct inet_addr want_gateway(const struct ipamconf *conf, const struct want *want,
			      struct inet_addr addr);

#endif
