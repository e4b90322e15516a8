/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of rocectl ipam, for each other. */
#ifndef CTL_IPAM_H
#define CTL_IPAM_H

#include "ctl/ctl.h"
#include "ctl/table.h"
#include "ipam/holder.h"

#include <sys/stat.h>

#define IPAM_SCHEMA_VERSION "1.0"

/**
 * struct ipam_options - all options; each action takes some
 * @form:	form of the answer, 0 if none was asked for
 * @network:	only this network; NULL: all
 * @container:	leases of this container; NULL: an address is given
 * @repair, @dead, @force, @dry_run: see the table in ipam.c
 * @operand:	what follows the action, NULL for nothing
 */
struct ipam_options {
	enum table_form form;
	const char *network;
	const char *container;
	bool repair, dead, force, dry_run;
	const char *operand;
};

/* The stores of this node: the state folder's, and those below the profile's dataRoots. */
struct ipam_stores {
	struct home *items;
	size_t n;
	int status; /* CTL_ERRORS when some could not be listed; stderr says why */
};

/* ipam_stores_find() - list them. Return: 0, or CTL_ERRORS when there is no memory. */
int ipam_stores_find(struct ipam_stores *stores);
void ipam_stores_free(struct ipam_stores *stores);

/**
 * struct ipam_seen - one record, as it is
 * @home:	its store
 * @network:	name of its folder
 * @addr:	the address that names it
 * @st:		of its file
 * @lease:	what it says; NULL when it is damaged
 * @why:	what is wrong with it then
 */
struct ipam_seen {
	const struct home *home;
	const char *network;
	struct inet_addr addr;
	const struct stat *st;
	const struct lease *lease;
	const char *why;
};

typedef void (*ipam_visitor)(const struct ipam_seen *seen, void *arg);

/**
 * ipam_each() - see every record, without a lock and without a change
 * @stores:	the stores
 * @network:	only of this network; NULL: of all
 * @visit, @arg: called for each; one that vanishes meanwhile is left out
 *
 * Return: CTL_OK, or CTL_ERRORS when something could not be read; stderr names it.
 */
int ipam_each(const struct ipam_stores *stores, const char *network, ipam_visitor visit, void *arg);

/* ipam_print_holder() - "NETWORK ADDRESS: container ID, interface NAME, pod NAME" on stdout. */
void ipam_print_holder(const struct ipam_seen *seen, const char *reason);

/* The actions. Return: exit status. */
int ipam_show(const struct ipam_options *options);
int ipam_check(const struct ipam_options *options);
int ipam_gc(const struct ipam_options *options);
int ipam_release(const struct ipam_options *options);

#endif
