/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leftovers: attachments whose pod died without a DEL, or whose ADD or DEL was cut off. This tells what an
 * attachment has become, and changes nothing.
 */
#ifndef CNI_LEFTOVER_H
#define CNI_LEFTOVER_H

#include "cni/journal.h"

enum leftover {
	LEFTOVER_NONE,	   /* the pod has its device, or nobody can tell that it has not */
	LEFTOVER_RETURNED, /* the device is on the host */
	LEFTOVER_DEAD,	   /* the namespace is gone, and the device is not on the host */
	LEFTOVER_RELEASED, /* the claim is not this attachment's: repaired, or never made */
};

/**
 * leftover_judge() - what an attachment has become
 * @store:	state folder
 * @host:	the host's side
 * @journal:	the attachment. That its lock is free, or the caller's, is for the caller to know: the
 *		journal of an ADD at work looks like that of one that was cut off
 * @ret:	what it is; LEFTOVER_NONE after an error
 * @err:	what could not be looked at
 *
 * A device is told as observe_where() does. A virtual netdev dies with its namespace: one on the host that
 * then has its ifindex, but neither its name nor its MAC, is a stranger.
 *
 * Return: 0 or a negative errno.
 */
int leftover_judge(const struct store *store, const struct side *host,
		   const struct journal *journal, enum leftover *ret, struct err *err);

/**
 * leftover_comes_back() - is a device that is not on the host yet to be waited for
 * @device:	of an attachment whose namespace is gone
 *
 * The kernel gives hardware back and destroys what it made itself; a function on a userspace driver has
 * no netdev that could come back.
 */
bool leftover_comes_back(const struct device *device);

#endif
