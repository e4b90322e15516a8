/* SPDX-License-Identifier: Apache-2.0 */
/* A look into a pool that neither locks nor mends nor makes it: for a dry run. */
#ifndef IPAM_PEEK_H
#define IPAM_PEEK_H

#include "ipam/range.h"

/**
 * peek_first_free() - the address that would be given out next
 * @path:	folder of the pool; one that does not exist has no lease
 * @domain:	folder of its collision domain beside the pool, from domain_name(); NULL: it shares none
 * @range:	range
 * @ret_addr:	the lowest address that has a record in neither
 *
 * Return: 1, 0 when all are taken, or a negative errno.
 */
int peek_first_free(const char *path, const char *domain, const struct range *range,
		    struct inet_addr *ret_addr);

#endif
