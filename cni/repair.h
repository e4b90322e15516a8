/* SPDX-License-Identifier: Apache-2.0 */
/* Repair: devices that have come back from dead attachments are restored, of whatever network. */
#ifndef CNI_REPAIR_H
#define CNI_REPAIR_H

#include "cni/store.h"

/**
 * repair_all() - restore what is on the host although an attachment has the claim on it
 * @store:	state folder
 *
 * Steps that concern the device are undone and the claim is removed. Addresses and journal stay, for the
 * DEL or GC that the runtime may still send. Whoever is at work on an attachment or a device is not
 * disturbed. What cannot be restored is said in the log, and keeps its claim.
 *
 * STATUS calls this every few seconds. While there is nothing to do it looks at one list of the host's
 * links, and for each claim at one path or two.
 */
void repair_all(const struct store *store);

#endif
