/* SPDX-License-Identifier: Apache-2.0 */
/* The pool of one network: a folder of lease records under one lock. */
#ifndef IPAM_POOL_H
#define IPAM_POOL_H

#include "ipam/domain.h"

enum { POOL_PATH_SIZE = HOME_PATH_SIZE + CNI_NAME_MAX + 2 };

/* Names in a pool's folder. */
#define POOL_PENDING "pending"
#define POOL_BY_ID "by-id"

/**
 * struct pool - an open pool: whoever has one holds its lock
 * @home:	what it lies in, borrowed
 * @path:	its folder
 * @network:	the network's name
 * @folder:	the folder and the lock
 * @by_id:	its folder of "ID:IFNAME:RANGE" names
 * @deadline:	until when to wait for a domain's lock
 * @map:	which addresses are taken, a cache
 * @shared:	collision domain that new leases enter; "": none
 * @domain:	the one that was used last
 */
struct pool {
	const struct home *home;
	char path[POOL_PATH_SIZE];
	char network[CNI_NAME_MAX + 1];
	struct folder folder;
	int by_id;
	int64_t deadline;
	struct addrmap map;
	char shared[LEASE_DOMAIN_SIZE];
	struct domain domain;
};

/**
 * pool_open() - open a pool, lock it and finish or take back what a killed process left
 * @home:	what it lies in; must stay valid
 * @network:	the network's name
 * @mode:	what to do when there is none
 * @deadline:	from file_deadline(); after it CNI_TRY_AGAIN
 * @ret_pool:	the pool; the caller calls pool_close()
 * @err:	set on failure, except for -ENOENT
 *
 * Return: 0, -ENOENT when there is no pool and @mode is HOME_EXISTING, or another negative errno.
 */
int pool_open(const struct home *home, const char *network, enum home_mode mode, int64_t deadline,
	      struct pool *ret_pool, struct err *err);

/**
 * pool_share() - have new leases enter a collision domain
 * @pool:	the pool
 * @domain:	from domain_name()
 *
 * From then on an address that another network of the domain has is not free.
 */
void pool_share(struct pool *pool, const char *domain);

/**
 * pool_use_domain() - lock a collision domain, see domain_switch()
 * @pool:	the pool
 * @domain:	its folder
 * @mode:	what to do when there is none
 * @err:	set on failure, except for -ENOENT
 *
 * Return: 0, -ENOENT when @mode is HOME_EXISTING, or another negative errno.
 */
int pool_use_domain(struct pool *pool, const char *domain, enum home_mode mode, struct err *err);

/* pool_close() - write the map back and release the lock. */
void pool_close(struct pool *pool);

/**
 * pool_find() - the lease of an interface for one range
 * @pool:	the pool
 * @id, @ifname, @range: whose
 * @ret_lease:	the lease
 * @err:	ROCE_STATE_BROKEN when its record is damaged, CNI_IO_FAILURE
 *
 * Return: 1 when it was found, 0 when there is none, -ESTALE when a DEL was killed half-way, so that
 * there is none, either, and pool_release() removes the rest; or another negative errno (-EBADMSG:
 * damaged). @err is not set for -ESTALE.
 */
int pool_find(const struct pool *pool, const char *id, const char *ifname, int range,
	      struct lease *ret_lease, struct err *err);

/**
 * pool_first_free() - lowest address without a lease, in the pool and in the domain it shares
 * @pool:	the pool
 * @family:	AF_INET or AF_INET6
 * @lo, @hi:	where to look, both included
 * @ret_addr:	the address
 * @err:	CNI_IO_FAILURE
 *
 * Return: 1 when there is one, 0 when all are taken, or a negative errno.
 */
int pool_first_free(struct pool *pool, int family, inet_num lo, inet_num hi,
		    struct inet_addr *ret_addr, struct err *err);

/**
 * pool_rescan() - make the maps again from the folders
 * @pool:	the pool
 * @err:	CNI_IO_FAILURE
 *
 * Return: 1, 0 when this process did so already, or a negative errno.
 */
int pool_rescan(struct pool *pool, struct err *err);

/* pool_mark_taken() - an address that link(2) refused, although both maps are new, is not free. */
void pool_mark_taken(struct pool *pool, struct inet_addr addr);

/**
 * pool_holder() - who has an address, here or in the domain this pool shares
 * @pool:	the pool
 * @addr:	the address
 * @ret_lease:	the lease
 * @err:	ROCE_STATE_BROKEN when its record is damaged, CNI_IO_FAILURE
 *
 * Return: 1, 0 when nobody has, or a negative errno.
 */
int pool_holder(struct pool *pool, struct inet_addr addr, struct lease *ret_lease, struct err *err);

/* pool_sync() - make all that was published survive power loss, if this pool is to. */
int pool_sync(const struct pool *pool, struct err *err);

/* pool_failure() - set "cannot WHAT NAME: REASON" as CNI_IO_FAILURE. Return: @r. */
int pool_failure(const struct pool *pool, const char *what, const char *name, int r,
		 struct err *err);

/* pool_find_file() - the address of a file whose text is of no use. Return: true if it has one. */
bool pool_find_file(const struct pool *pool, const struct stat *st, struct inet_addr *ret_addr);

/**
 * pool_release() - remove a lease
 * @pool:	the pool
 * @id, @ifname, @range: whose
 * @err:	CNI_IO_FAILURE
 *
 * Needs no space on the disk. An address that somebody else holds meanwhile is left alone.
 *
 * Return: 0, also when there is no such lease, or a negative errno.
 */
int pool_release(struct pool *pool, const char *id, const char *ifname, int range, struct err *err);

/**
 * pool_visitor - see one record
 * @pool:	the pool
 * @name:	its file in the folder: the address
 * @lease:	what it says; NULL when it is damaged
 * @why:	what is wrong with it then
 * @arg:	the caller's
 *
 * It may release the lease it is shown.
 */
typedef void (*pool_visitor)(struct pool *pool, const char *name, const struct lease *lease,
			     const char *why, void *arg);

/**
 * pool_walk() - show every record, in no order
 * @pool:	the pool
 * @visit:	called for each
 * @arg:	passed on
 * @err:	CNI_IO_FAILURE
 *
 * Return: 0 or a negative errno.
 */
int pool_walk(struct pool *pool, pool_visitor visit, void *arg, struct err *err);

#endif
