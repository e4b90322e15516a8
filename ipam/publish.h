/* SPDX-License-Identifier: Apache-2.0 */
/* A record on its way in: written whole, then given its names one by one, or all taken back. */
#ifndef IPAM_PUBLISH_H
#define IPAM_PUBLISH_H

#include "ipam/pool.h"

/**
 * publish_lease() - record a lease
 * @pool:	the pool
 * @lease:	the lease; network, domain, node, boot and time are filled in here
 * @err:	CNI_IO_FAILURE, CNI_TRY_AGAIN; not set for -EEXIST
 *
 * Return: 0, -EEXIST when the address is taken, or another negative errno; after an error nothing
 * of the lease is left.
 */
int publish_lease(struct pool *pool, const struct lease *lease, struct err *err);

/**
 * publish_sweep() - take back or finish what a killed process left of a lease
 * @pool:	the pool
 * @err:	CNI_IO_FAILURE, CNI_TRY_AGAIN
 *
 * Return: 0 or a negative errno.
 */
int publish_sweep(struct pool *pool, struct err *err);

#endif
