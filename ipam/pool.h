/* SPDX-License-Identifier: Apache-2.0 */
/* The pool of one network: a folder of lease records under one lock. */
#ifndef IPAM_POOL_H
#define IPAM_POOL_H

#include "base/file.h"
#include "ipam/addrmap.h"
#include "ipam/lease.h"

enum { POOL_PATH_SIZE = 1024 };

/* Whether pool_open() makes a pool that does not exist yet. */
enum pool_mode {
	POOL_CREATE,
	POOL_EXISTING,
};

/**
 * struct pool - an open pool: whoever has one holds its lock
 * @path:	its folder
 * @network:	the network's name
 * @dir:	the folder
 * @by_id:	its folder of "ID:IFNAME:RANGE" names
 * @lock:	the lock
 * @durability:	whether records must survive power loss
 * @node:	host name, written into records
 * @boot:	boot ID, written into records
 * @map:	which addresses are taken, a cache
 */
struct pool {
	char path[POOL_PATH_SIZE];
	char network[CNI_NAME_MAX + 1];
	int dir, by_id, lock;
	enum file_durability durability;
	char node[65];
	char boot[37];
	struct addrmap map;
};

/**
 * pool_open() - open a pool, lock it and finish or take back what a killed process left
 * @path:	the pool's folder
 * @network:	the network's name
 * @mode:	what to do when there is none
 * @durability:	whether records must survive power loss
 * @deadline:	from file_deadline(); after it CNI_TRY_AGAIN
 * @ret_pool:	the pool; the caller calls pool_close()
 * @err:	set on failure, except for -ENOENT
 *
 * Return: 0, -ENOENT when there is no pool and @mode is POOL_EXISTING, or another negative errno.
 */
int pool_open(const char *path, const char *network, enum pool_mode mode,
	      enum file_durability durability, int64_t deadline, struct pool *ret_pool,
	      struct err *err);

/* pool_close() - write the map back and release the lock. */
void pool_close(struct pool *pool);

/**
 * pool_find() - the lease of an interface for one range
 * @pool:	the pool
 * @id, @ifname, @range: whose
 * @ret_lease:	the lease
 * @err:	ROCE_STATE_BROKEN when its record is damaged, CNI_IO_FAILURE
 *
 * Return: 1 when it was found, 0 when there is none, or a negative errno (-EBADMSG: damaged).
 */
int pool_find(const struct pool *pool, const char *id, const char *ifname, int range,
	      struct lease *ret_lease, struct err *err);

/**
 * pool_first_free() - lowest address without a lease
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

/* pool_rescan() - make the map again from the folder. Return: 0 or a negative errno with @err set.
 */
int pool_rescan(struct pool *pool, struct err *err);

/**
 * pool_publish() - record a lease
 * @pool:	the pool
 * @lease:	the lease; network, node, boot and time are filled in here
 * @err:	CNI_IO_FAILURE; not set for -EEXIST
 *
 * Return: 0, -EEXIST when the address is taken, or another negative errno; after an error nothing
 * of the lease is left.
 */
int pool_publish(struct pool *pool, const struct lease *lease, struct err *err);

/* pool_sync() - make all that was published survive power loss, if this pool is to. */
int pool_sync(const struct pool *pool, struct err *err);

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

/**
 * pool_mend() - restore the second name of leases that lost it, drop second names without a lease
 * @pool:	the pool
 * @err:	CNI_IO_FAILURE
 *
 * Return: 0 or a negative errno.
 */
int pool_mend(struct pool *pool, struct err *err);

#endif
