/* SPDX-License-Identifier: Apache-2.0 */
/* The attachments on this node, read from their journals without a lock: what show and gc look at. */
#ifndef CTL_ATTACHED_H
#define CTL_ATTACHED_H

#include "ctl/show.h"

/**
 * struct attached - one look at this node
 * @folder:	the state folder, for messages
 * @store:	it, open
 * @host:	the host's side
 * @boot_id:	of the running kernel
 * @now:	seconds since 1970
 * @status:	exit status so far; CTL_ERRORS: something could not be read, and stderr says what
 */
struct attached {
	char folder[4096];
	struct store store;
	struct side host;
	char boot_id[BOOT_ID_SIZE];
	int64_t now;
	int status;
};

#define ATTACHED_CLOSED { .store = STORE_CLOSED, .host = SIDE_CLOSED }

/**
 * attached_open() - open the state folder and the host's side
 * @attached:	the look; the caller calls attached_close()
 *
 * Return: 0, -ENOENT when there never was an attachment, or another negative errno when there is nothing
 * to tell, not even that there is none.
 */
int attached_open(struct attached *attached);

/* attached_complain() - something cannot be told; the rest still can. */
void attached_complain(struct attached *attached, const char *why);

/* attached_visitor - called for each attachment with its journal and its state; valid during the call. */
typedef void (*attached_visitor)(struct shown *shown, void *arg);

/**
 * attached_each() - see every attachment
 * @attached:	from attached_open()
 * @network:	only of this network; NULL: of all
 * @visit, @arg: called for each; one that a DEL removes meanwhile is left out
 */
void attached_each(struct attached *attached, const char *network, attached_visitor visit,
		   void *arg);

/* attached_close() - close what is open. */
void attached_close(struct attached *attached);

#endif
