/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the MTU chain as numbers: what each hop lets through, and which MTUs are consistent. */
#ifndef CONF_MTU_RULES_H
#define CONF_MTU_RULES_H

#include "conf/mtu.h"

/* mtu_knows_switch() - whether the profile says what the switch is set to. */
bool mtu_knows_switch(const struct mtu_chain *chain);

/* mtu_find_hop() - the first hop of a kind, or NULL. */
const struct mtu_hop *mtu_find_hop(const struct mtu_chain *chain, enum mtu_hop_kind kind);

/* mtu_reported() - the path MTU that the device's driver derives from a netdev MTU, bytes. */
int mtu_reported(const struct mtu_chain *chain, int mtu);

/* mtu_leading_bond() - the bond whose MTU the driver takes instead of the device's own, or NULL. */
const struct mtu_hop *mtu_leading_bond(const struct mtu_chain *chain);

/* mtu_limit() - the netdev MTU that a hop lets through: the device can still be set, others are. */
int mtu_limit(const struct mtu_hop *hop);

/* mtu_bottleneck() - index of the hop that lets the least through. */
size_t mtu_bottleneck(const struct mtu_chain *chain);

/**
 * mtu_longest_packet() - what applications send at most when they believe the device
 * @chain:	the chain
 * @mtu:	netdev MTU of the pod, bytes
 *
 * Return: bytes of IP; 0 when the device reports no path MTU.
 */
int mtu_longest_packet(const struct mtu_chain *chain, int mtu);

/* mtu_packets_fit() - whether these packets fit the switch, in RoCE's class. */
bool mtu_packets_fit(const struct mtu_chain *chain, int mtu);

/* mtu_largest() - the largest netdev MTU, up to @most, that all hops carry; @bottleneck is set. */
int mtu_largest(const struct mtu_chain *chain, int most);

/* mtu_floor() - the least netdev MTU that IPv4 and the device allow. */
int mtu_floor(const struct mtu_chain *chain);

/* mtu_least() - the least netdev MTU that carries the RoCE path MTU as well. */
int mtu_least(const struct mtu_chain *chain);

#endif
