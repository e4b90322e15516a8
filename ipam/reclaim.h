/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses that look taken and are not: of an earlier boot, or without a lease behind them. */
#ifndef IPAM_RECLAIM_H
#define IPAM_RECLAIM_H

#include "ipam/pool.h"

/**
 * reclaim_pool() - take back the pool's leases that this node made in an earlier boot
 * @pool:	the pool
 * @err:	CNI_IO_FAILURE
 *
 * Their namespaces are gone. Once a boot is enough; the map remembers it.
 *
 * Return: 1 if something was taken back, 0, or a negative errno.
 */
int reclaim_pool(struct pool *pool, struct err *err);

/* reclaim_domain() - domain_sweep() of the domain that the pool shares. Return: as that. */
int reclaim_domain(struct pool *pool, struct err *err);

/**
 * reclaim_address() - both for one address
 * @pool:	the pool
 * @addr:	the address
 * @err:	ROCE_STATE_BROKEN, CNI_IO_FAILURE
 *
 * Return: 1 if it is free now, 0 if somebody has it, or a negative errno.
 */
int reclaim_address(struct pool *pool, struct inet_addr addr, struct err *err);

#endif
