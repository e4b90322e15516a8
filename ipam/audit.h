/* SPDX-License-Identifier: Apache-2.0 */
/* Everything in a store that does not fit together, and its mending; nothing is printed here. */
#ifndef IPAM_AUDIT_H
#define IPAM_AUDIT_H

#include "ipam/home.h"
#include "ipam/pool.h"

enum audit_kind {
	AUDIT_BY_ID_STRAY,	/* a by-id name without a record */
	AUDIT_BY_ID_MISSING,	/* a record without its by-id name */
	AUDIT_BY_ID_WRONG,	/* a by-id name of somebody else's record */
	AUDIT_RECORD_DAMAGED,	/* half a record, or an altered one */
	AUDIT_RECORD_FUTURE,	/* of a version that this one does not read */
	AUDIT_RECORD_MISPLACED, /* it is of another address or network */
	AUDIT_HOLDER_TWICE,	/* a holder has another address of the same slot */
	AUDIT_DOMAIN_MISSING,	/* a record without its name in its domain */
	AUDIT_DOMAIN_ORPHAN,	/* a name in a domain without a record */
	AUDIT_ADDRESS_TWICE,	/* two networks of a domain have the address */
	AUDIT_MAP_WRONG,	/* the map would be used and does not show the folder */
	AUDIT_LEFTOVER,		/* temporary, of a process that was killed */
	AUDIT_FOREIGN,		/* nothing of ours */
	AUDIT_UNREADABLE,	/* the look itself failed */
};

enum audit_outcome {
	AUDIT_FOUND,  /* nobody tried */
	AUDIT_MENDED, /* it is gone */
	AUDIT_KEPT,   /* it cannot be mended */
};

/**
 * struct audit_finding - one thing that is wrong
 * @kind:	what it is
 * @folder:	network or collision domain; "" for the store's own folder
 * @name:	name in there; "" for the folder itself
 * @why:	in words
 * @outcome:	whether it was mended
 * @did:	how, or why not
 */
struct audit_finding {
	enum audit_kind kind;
	char folder[LEASE_DOMAIN_SIZE];
	char name[288];
	char why[256];
	enum audit_outcome outcome;
	char did[256];
};

/* Findings of one store. */
struct audit_list {
	struct audit_finding *items;
	size_t n;
};

/* audit_kind_name() - "by-id-without-record" and so on. */
const char *audit_kind_name(enum audit_kind kind);

/**
 * audit_home() - look at a whole store
 * @home:	the store; one that does not exist is in order
 * @repair:	mend what is found
 * @list:	findings are appended; the caller calls audit_free()
 *
 * A folder is looked at without its lock first. Only what is still wrong under the lock is a
 * finding: until then it may be a call at work. Without @repair the lock is a shared one on a lock
 * file that is there, so that nothing is made or changed.
 *
 * Mending never frees an address of a lease that may be alive: what cannot be told stays taken.
 *
 * Return: 0 or -ENOMEM.
 */
int audit_home(const struct home *home, bool repair, struct audit_list *list);

/* audit_free() - release the findings. */
void audit_free(struct audit_list *list);

#endif
