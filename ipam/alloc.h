/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs do with a pool: one address of every range, or none; release; collect. */
#ifndef IPAM_ALLOC_H
#define IPAM_ALLOC_H

#include "ipam/pool.h"
#include "ipam/want.h"

/**
 * alloc_add() - lease everything that is wanted
 * @pool:	the pool
 * @owner:	id, ifname, pod and netns of the holder
 * @wants:	from want_list()
 * @n:		their number
 * @ret_addresses: room for @n addresses
 * @ret_new:	bit S: the address of slot S was not held before this call
 * @err:	ROCE_IPAM_EXHAUSTED with the holder when an address that was asked for is taken,
 *		CNI_CONFIG_INVALID when the holder has another one already, CNI_IO_FAILURE
 *
 * What the holder has already stays as it is, whatever the ranges say today. Otherwise the lowest
 * free address is taken, or the one that is asked for. Before a range is called full or an address
 * taken, leases that this node made in an earlier boot are taken back: their namespaces are gone.
 *
 * Return: 0 or a negative errno; after an error what this call leased newly is released again.
 */
int alloc_add(struct pool *pool, const struct lease *owner, const struct want *wants, size_t n,
	      struct inet_prefix *ret_addresses, unsigned *ret_new, struct err *err);

/**
 * alloc_release() - release leases of a holder
 * @pool:	the pool
 * @id, @ifname: the holder
 * @slots:	bit S: the one of slot S
 * @err:	the first failure; the others are still released
 *
 * Return: 0 or a negative errno.
 */
int alloc_release(struct pool *pool, const char *id, const char *ifname, unsigned slots,
		  struct err *err);

/* The slots of alloc_release(): all there can be, whatever the configuration says today. */
#define ALLOC_ALL_SLOTS ((1u << LEASE_SLOTS_MAX) - 1)

/**
 * alloc_keep - decide about one lease
 * @id, @ifname: its holder
 * @arg:	the caller's
 *
 * Return: true if the holder still exists.
 */
typedef bool (*alloc_keep)(const char *id, const char *ifname, const void *arg);

/**
 * alloc_collect() - release this node's leases whose holders are gone, mend what else is found, in
 *		     the pool and in the domain that it shares
 * @pool:	the pool
 * @keep:	decides
 * @arg:	passed on
 * @err:	the first failure; the others are still released
 *
 * Return: 0 or a negative errno.
 */
int alloc_collect(struct pool *pool, alloc_keep keep, const void *arg, struct err *err);

#endif
