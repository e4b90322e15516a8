/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of other IPAM plugins that have no meaning here: some may stay, one may not. */
#ifndef IPAM_FOREIGN_H
#define IPAM_FOREIGN_H

#include "ipam/ipamconf.h"

/**
 * foreign_take_out() - remove the keys without effect from an "ipam" object, and note them
 * @ipam:	the object
 * @conf:	receives the notes
 * @err:	CNI_CONFIG_INVALID for a key whose effect would be missed
 *
 * Return: 0 or a negative errno.
 */
int foreign_take_out(json_t *ipam, struct ipamconf *conf, struct err *err);

#endif
