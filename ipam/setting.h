/* SPDX-License-Identifier: Apache-2.0 */
/* What a call works with: the network's configuration, the node's profile, the folder. */
#ifndef IPAM_SETTING_H
#define IPAM_SETTING_H

#include "conf/cnicall.h"
#include "ipam/home.h"
#include "ipam/ipamconf.h"

/**
 * setting_read() - network and node together
 * @call:	the call
 * @ret_conf:	the network, its ranges cut to what is this node's; the caller calls ipamconf_free()
 * @ret_home:	the folder
 * @err:	what is wrong with either
 *
 * Return: 0 or a negative errno.
 */
int setting_read(const struct cni_call *call, struct ipamconf *ret_conf, struct home *ret_home,
		 struct err *err);

/* setting_home() - the folder alone: GC may come with little of the network's configuration. */
int setting_home(const struct cni_call *call, struct home *ret_home, struct err *err);

/**
 * setting_guess() - the folder for a DEL: whatever is wrong must not keep a pod's addresses
 * @call:	the call
 * @ret_home:	the folder; the standard one when network or profile cannot be used
 * @err:	ROCE_PROFILE_INVALID when not even that can be named
 *
 * Return: 0 or a negative errno.
 */
int setting_guess(const struct cni_call *call, struct home *ret_home, struct err *err);

#endif
