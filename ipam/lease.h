/* SPDX-License-Identifier: Apache-2.0 */
/* Leases: who holds which address, and the text of the record that says so. Pure. */
#ifndef IPAM_LEASE_H
#define IPAM_LEASE_H

#include "base/err.h"
#include "conf/cniargs.h"
#include "conf/inet.h"

enum {
	LEASE_RANGES_MAX = 8,  /* ranges of one network */
	LEASE_STATICS_MAX = 8, /* and addresses that it names itself */
	LEASE_SLOTS_MAX = LEASE_RANGES_MAX + LEASE_STATICS_MAX, /* leases of one interface */
	LEASE_TEXT_MAX = 2048,
	LEASE_KEY_SIZE = CNI_NAME_MAX + CNI_IFNAME_SIZE + 8,
	LEASE_DOMAIN_SIZE = CNI_NAME_MAX + 16,
};

/**
 * struct lease - one address and its holder
 * @network:	name of the network
 * @domain:	folder of the collision domain that has the address, too; "": none
 * @address:	the address, with the prefix length of its subnet
 * @range:	what it was given for: the set of ranges of this index, or from LEASE_RANGES_MAX on
 *		the static address
 * @id:		container ID
 * @ifname:	interface in the container
 * @pod:	"NAMESPACE/NAME"; "" when the caller is not Kubernetes
 * @netns:	path of the network namespace; "" when unknown
 * @node:	host name of the node that leased it: a folder may be shared by nodes
 * @boot:	boot ID of that node: a namespace does not outlive a boot
 * @time:	when, in seconds since 1970
 */
struct lease {
	char network[CNI_NAME_MAX + 1];
	char domain[LEASE_DOMAIN_SIZE];
	struct inet_prefix address;
	int range;
	char id[CNI_NAME_MAX + 1];
	char ifname[CNI_IFNAME_SIZE];
	char pod[320];
	char netns[256];
	char node[65];
	char boot[37];
	int64_t time;
};

/**
 * lease_copy_text() - fill one text member
 * @buf:	the member
 * @size:	its size in bytes
 * @text:	the text, or NULL; control characters become '?'. One that does not fit is left out
 *		whole: half a path names something else
 */
void lease_copy_text(char *buf, size_t size, const char *text);

/**
 * lease_format() - the record of a lease
 * @lease:	the lease
 * @buf:	receives lines of "KEY VALUE", the last one a CRC-32 of all before it
 *
 * Return: the length in bytes.
 */
size_t lease_format(const struct lease *lease, char buf[LEASE_TEXT_MAX]);

/**
 * lease_parse() - read a record
 * @text:	the record
 * @len:	its length in bytes
 * @ret_lease:	the lease
 * @err:	ROCE_STATE_BROKEN: cut short, altered, or of an unknown version
 *
 * Keys that are not known are skipped: a later version may add some.
 *
 * Return: 0 or -EBADMSG.
 */
int lease_parse(const char *text, size_t len, struct lease *ret_lease, struct err *err);

/**
 * lease_salvage() - what a damaged record still says, line by line
 * @text:	the record, or what is left of it
 * @len:	its length in bytes
 * @lease:	members whose line is whole and can be read; the others stay as they are
 *
 * Nothing vouches for it: the checksum does not.
 */
void lease_salvage(const char *text, size_t len, struct lease *lease);

/* lease_key() - "ID:IFNAME:RANGE", the name of a lease in by-id, into @buf. Return: @buf. */
const char *lease_key(const char *id, const char *ifname, int range, char buf[LEASE_KEY_SIZE]);

/* lease_is_of() - true if the lease is this interface's for this range. */
bool lease_is_of(const struct lease *lease, const char *id, const char *ifname, int range);

#endif
