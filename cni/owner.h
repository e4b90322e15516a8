/* SPDX-License-Identifier: Apache-2.0 */
/* Who has a device: the words for it. */
#ifndef CNI_OWNER_H
#define CNI_OWNER_H

#include "cni/journal.h"
#include "conf/netconf.h"

/* owner_busy() - set ROCE_DEVICE_BUSY, naming the container that has the device. Return: -EBUSY. */
int owner_busy(const struct journal *owner, struct err *err);

/**
 * owner_explain() - why a device that a network asks for is not on the host
 * @store:	state folder
 * @conf:	the network
 * @err:	that it is not there; if one of our attachments has it, that is said instead
 *
 * Return: -@err->eno.
 */
int owner_explain(const struct store *store, const struct netconf *conf, struct err *err);

#endif
