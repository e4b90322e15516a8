/* SPDX-License-Identifier: Apache-2.0 */
/* Freeing an address whoever has it, by the administrator's word. */
#ifndef IPAM_EVICT_H
#define IPAM_EVICT_H

#include "ipam/pool.h"

/**
 * evict_address() - remove the record of an address with all of its names
 * @pool:	the pool
 * @addr:	the address
 * @err:	CNI_IO_FAILURE, CNI_TRY_AGAIN
 *
 * A by-id name that is another record's stays. A damaged record loses the names that are the same
 * file: its address, by-id, and those in collision domains.
 *
 * Return: 0, also when nobody has the address, or a negative errno.
 */
int evict_address(struct pool *pool, struct inet_addr addr, struct err *err);

#endif
