// SPDX-License-Identifier: Apache-2.0
#include "conf/switch.h"

#include "conf/roce.h"

#include <errno.h>

static const char *const semantics_names[SWITCH_SEMANTICS_MAX] = {
	[SWITCH_L3] = "l3",
	[SWITCH_L2HDR] = "l2hdr",
	[SWITCH_L2FRAME] = "l2frame",
};

static const struct switch_platform platforms[] = {
	{ "sonic", SWITCH_L3, 9100, 68, 9216, true },
	{ "cumulus", SWITCH_L3, 9216, 0, 9216, true },
	{ "mlxsw", SWITCH_L3, 9216, 0, 9216, true },
	{ "eos", SWITCH_L3, 1500, 68, 9214, true },
	{ "nxos", SWITCH_L3, 1500, 0, 9216, true },
	{ "junos", SWITCH_L2HDR, 1514, 256, 9216, true },
	{ "srlinux", SWITCH_L2HDR, 0, 0, 0, true },
	{ "os9", SWITCH_L2FRAME, 0, 592, 12000, true },
	{ "os10", SWITCH_L2FRAME, 0, 0, 0, false },
	{ "vrp", SWITCH_L2FRAME, 9216, 1536, 12288, true },
};

const struct switch_platform *switch_platforms(size_t *ret_n)
{
	*ret_n = ARRAY_SIZE(platforms);
	return platforms;
}

const struct switch_platform *switch_platform(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(platforms); i++)
		if (streq(platforms[i].name, name))
			return &platforms[i];
	return NULL;
}

bool switch_takes(const struct switch_platform *platform, int mtu)
{
	return mtu >= platform->least && (platform->most == 0 || mtu <= platform->most);
}

const char *switch_semantics_name(enum switch_semantics semantics)
{
	return semantics_names[semantics];
}

int switch_semantics_parse(const char *name, enum switch_semantics *ret_semantics)
{
	for (int i = 0; i < SWITCH_SEMANTICS_MAX; i++) {
		if (streq(semantics_names[i], name)) {
			*ret_semantics = i;
			return 0;
		}
	}
	return -EINVAL;
}

/* Bytes of a switch's MTU that are not the IP packet's. */
static int overhead(enum switch_semantics semantics, int vlan_tags)
{
	switch (semantics) {
	case SWITCH_L2HDR:
		return ETH_HEADER + ETH_TAG * vlan_tags;
	case SWITCH_L2FRAME:
		return ETH_HEADER + ETH_CHECK + ETH_TAG * vlan_tags;
	case SWITCH_L3:
	case SWITCH_SEMANTICS_MAX:
		break;
	}
	return vlan_tags > 1 ? ETH_TAG * (vlan_tags - 1) : 0;
}

int switch_permits(int switch_mtu, enum switch_semantics semantics, int vlan_tags)
{
	return switch_mtu - overhead(semantics, vlan_tags);
}

int switch_needs(int netdev_mtu, enum switch_semantics semantics, int vlan_tags)
{
	return netdev_mtu + overhead(semantics, vlan_tags);
}
