/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detach: undo an attachment from its journal alone. DEL, GC and a failed or repairing ADD do it; a repair
 * does the part that concerns the device.
 */
#ifndef CNI_DETACH_H
#define CNI_DETACH_H

#include "cni/journal.h"

/**
 * detach() - restore the host and give the addresses back
 * @store:	state folder
 * @host:	the host's side
 * @journal:	the attachment; the caller holds its lock, or that of its device
 * @device_locked: the caller holds the device's lock
 * @netns:	CNI_NETNS of this call, or NULL; the journal's path is tried as well
 * @cni_path:	CNI_PATH, or NULL
 * @err:	ROCE_UNDO_INCOMPLETE: what could not be restored; the journal is kept then
 *
 * A device that somebody else has claimed meanwhile is left alone. In an ADD a signal can end the wait for
 * the device's lock, never the undo.
 *
 * Return: 0 or a negative errno.
 */
int detach(const struct store *store, const struct side *host, const struct journal *journal,
	   bool device_locked, const char *netns, const char *cni_path, struct err *err);

/**
 * detach_device() - restore the device alone, and give up the claim
 * @store:	state folder
 * @host:	the host's side
 * @journal:	the attachment, which has the claim; the caller holds its lock and the device's
 * @err:	ROCE_UNDO_INCOMPLETE: what could not be restored; the claim is kept then
 *
 * Addresses and journal stay until a DEL or GC, which then does detach() without the device.
 *
 * Return: 0 or a negative errno.
 */
int detach_device(const struct store *store, const struct side *host, const struct journal *journal,
		  struct err *err);

/**
 * detach_is_live() - is a journal's device still in its pod
 * @host:	the host's side
 * @journal:	the attachment
 *
 * Return: true if the pod's namespace lives and has the device, or could have a VF without a netdev.
 */
bool detach_is_live(const struct side *host, const struct journal *journal);

#endif
