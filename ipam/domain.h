/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collision domain: the addresses of all networks that must not give one twice. A folder beside
 * the pools, with a further name of each record.
 */
#ifndef IPAM_DOMAIN_H
#define IPAM_DOMAIN_H

#include "ipam/addrmap.h"
#include "ipam/folder.h"
#include "ipam/lease.h"

#include <sys/stat.h>

/**
 * struct domain - a collision domain: whoever has it open holds its lock
 * @home:	what it lies in, borrowed
 * @name:	of its folder; "" while none is open
 * @folder:	the folder
 * @map:	which addresses have a name there, a cache
 */
struct domain {
	const struct home *home;
	char name[LEASE_DOMAIN_SIZE];
	struct folder folder;
	struct addrmap map;
};

/* domain_name() - the folder of "network_name"; "" is a domain too. Return: @buf. */
const char *domain_name(const char *network_name, char buf[LEASE_DOMAIN_SIZE]);

/* domain_init() - a domain that is not open yet; @home stays the caller's. */
void domain_init(struct domain *domain, const struct home *home);

/**
 * domain_switch() - open a domain and lock it, after closing another
 * @domain:	the domain
 * @name:	from domain_name(); nothing happens when it is open
 * @mode:	what to do when there is none
 * @deadline:	from file_deadline()
 * @err:	set on failure, except for -ENOENT
 *
 * Two domains are never locked at once, and a pool's lock always comes before a domain's: so nobody
 * waits in a circle.
 *
 * Return: 0, -ENOENT when @mode is HOME_EXISTING, or another negative errno.
 */
int domain_switch(struct domain *domain, const char *name, enum home_mode mode, int64_t deadline,
		  struct err *err);

/* domain_close() - write the map back and release the lock. */
void domain_close(struct domain *domain);

/**
 * domain_enter() - give a record its name in the domain
 * @domain:	an open domain
 * @dir, @from:	the record
 * @addr:	the address
 *
 * Return: 0, -EEXIST when another network has the address, or another negative errno.
 */
int domain_enter(struct domain *domain, int dir, const char *from, struct inet_addr addr);

/**
 * domain_leave() - remove a record's name from the domain, unless it is somebody else's meanwhile
 * @domain:	an open domain
 * @st:		of the record's file
 * @lease:	what it says
 *
 * Return: 0 or a negative errno.
 */
int domain_leave(struct domain *domain, const struct stat *st, const struct lease *lease);

/* domain_remove() - remove a name, whatever it is. Return: 0, also without one, or a negative errno. */
int domain_remove(struct domain *domain, const char *name, struct inet_addr addr);

/* domain_find() - who has an address. Return: 1, 0 when nobody has, or a negative errno. */
int domain_find(const struct domain *domain, struct inet_addr addr, struct lease *ret_lease,
		struct err *err);

/**
 * domain_sweep() - remove the names that no lease stands behind
 * @domain:	an open domain
 * @only:	look at this address only; NULL: at all
 * @err:	CNI_IO_FAILURE
 *
 * Those are names whose network no longer has the record (a process was killed, the network's
 * folder was removed), and those of an earlier boot of this node.
 *
 * Return: their number, or a negative errno.
 */
int domain_sweep(struct domain *domain, const struct inet_addr *only, struct err *err);

#endif
