/* SPDX-License-Identifier: Apache-2.0 */
/* What an ADD or DEL never looks for, because it would have to look at everything. */
#ifndef IPAM_MEND_H
#define IPAM_MEND_H

#include "ipam/pool.h"

/**
 * mend_pool() - restore names that leases lost, drop names without a lease
 * @pool:	the pool
 * @err:	CNI_IO_FAILURE
 *
 * Return: 0 or a negative errno.
 */
int mend_pool(struct pool *pool, struct err *err);

#endif
