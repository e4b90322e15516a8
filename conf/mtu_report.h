/* SPDX-License-Identifier: Apache-2.0 */
/* What there is to say about an MTU chain: findings that name the hop, the numbers and the command. */
#ifndef CONF_MTU_REPORT_H
#define CONF_MTU_REPORT_H

#include "conf/mtu.h"

/**
 * mtu_report_wanted() - what is in the way of the MTU that is wanted
 * @chain:	its hops are marked for @wanted; @pod_mtu is what the pod will get
 * @wanted:	netdev MTU, bytes
 * @severity:	of what the kernel would not refuse anyway
 * @findings:	receives them
 */
void mtu_report_wanted(const struct mtu_chain *chain, int wanted, enum severity severity,
		       struct findings *findings);

/**
 * mtu_report_planned() - what else there is to say, once the pod's MTU is settled
 * @chain:	planned
 * @wanted:	as above
 * @findings:	receives them
 */
void mtu_report_planned(const struct mtu_chain *chain, int wanted, struct findings *findings);

#endif
