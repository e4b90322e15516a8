// SPDX-License-Identifier: Apache-2.0
#include "conf/mtu_rules.h"

#include "conf/roce.h"

bool mtu_knows_switch(const struct mtu_chain *chain)
{
	return chain->fabric && chain->fabric->sw.mtu.set;
}

const struct mtu_hop *mtu_find_hop(const struct mtu_chain *chain, enum mtu_hop_kind kind)
{
	for (size_t i = 0; i < chain->n_hops; i++)
		if (chain->hops[i].kind == kind)
			return &chain->hops[i];
	return NULL;
}

/* The path MTU that the driver derives from a netdev MTU. */
int mtu_reported(const struct mtu_chain *chain, int mtu)
{
	return roce_active(roce_family(chain->driver), mtu);
}

/* The bond whose MTU the driver takes instead of the device's own, or NULL. */
const struct mtu_hop *mtu_leading_bond(const struct mtu_chain *chain)
{
	return roce_follows_bond(chain->driver) ? mtu_find_hop(chain, MTU_HOP_UPPER) : NULL;
}

/* What a hop lets through: the device can still be set, the others are as they are. */
int mtu_limit(const struct mtu_hop *hop)
{
	if (hop->kind == MTU_HOP_BESIDE)
		return NETDEV_MTU_MAX;
	if (hop->kind != MTU_HOP_DEVICE)
		return hop->mtu;
	return hop->max > 0 ? hop->max : NETDEV_MTU_MAX;
}

size_t mtu_bottleneck(const struct mtu_chain *chain)
{
	size_t least = 0;

	for (size_t i = 1; i < chain->n_hops; i++)
		if (mtu_limit(&chain->hops[i]) < mtu_limit(&chain->hops[least]))
			least = i;
	return least;
}

/* The longest packet that applications send when they believe the device, at this netdev MTU. */
int mtu_longest_packet(const struct mtu_chain *chain, int mtu)
{
	int roce = mtu_reported(chain, mtu);

	return roce ? roce_packet(roce, !chain->ipv4_only) : 0;
}

bool mtu_packets_fit(const struct mtu_chain *chain, int mtu)
{
	int packet = mtu_longest_packet(chain, mtu);

	return !mtu_knows_switch(chain) || packet == 0 ||
	       packet <= fabric_permits_roce(chain->fabric, chain->vlan_tags);
}

/* Below each threshold of the path MTU the packets get shorter. */
int mtu_largest(const struct mtu_chain *chain, int most)
{
	int mtu = mtu_limit(&chain->hops[chain->bottleneck]);

	if (mtu > most)
		mtu = most;
	while (mtu > 0 && !mtu_packets_fit(chain, mtu))
		mtu = roce_active_least(roce_family(chain->driver), mtu_reported(chain, mtu)) - 1;
	return mtu;
}

/* The least netdev MTU that IPv4 and the device allow. */
int mtu_floor(const struct mtu_chain *chain)
{
	const struct mtu_hop *device = &chain->hops[0];

	return device->min > NETDEV_MTU_MIN ? device->min : NETDEV_MTU_MIN;
}

int mtu_least(const struct mtu_chain *chain)
{
	int least = mtu_floor(chain), need = roce_need(chain->roce_mtu.value);

	return chain->roce_mtu.set && need > least ? need : least;
}
