// SPDX-License-Identifier: Apache-2.0
#include "conf/roce.h"

/* What each family takes off, bytes. */
static const int overhead[ROCE_FAMILY_MAX] = {
	[ROCE_KERNEL] = ROCE_OVERHEAD,
	[ROCE_RXE] = 80,
	[ROCE_RAW] = 0,
};

/*
 * By the names under which a driver shows up: PCI, netdev and RDMA driver. Source: each driver's
 * query_port under drivers/infiniband/hw and sw of Linux 6.12.
 */
static const struct driver {
	const char *name;
	enum roce_family family;
	bool follows_bond; /* hw/mlx5/main.c, mlx5_query_port_roce() */
} drivers[] = {
	{ "mlx5_core", ROCE_KERNEL, true },
	{ "mlx5_ib", ROCE_KERNEL, true },
	{ "mlx4_core", ROCE_KERNEL, false },
	{ "mlx4_en", ROCE_KERNEL, false },
	{ "mlx4_ib", ROCE_KERNEL, false },
	{ "bnxt_en", ROCE_KERNEL, false },
	{ "bnxt_re", ROCE_KERNEL, false },
	{ "hns3", ROCE_KERNEL, false },
	{ "hclgevf", ROCE_KERNEL, false },
	{ "hns_roce", ROCE_KERNEL, false },
	{ "qede", ROCE_KERNEL, false },
	{ "qedr", ROCE_KERNEL, false },
	{ "be2net", ROCE_KERNEL, false },
	{ "ocrdma", ROCE_KERNEL, false },
	{ "rxe", ROCE_RXE, false },
	{ "rdma_rxe", ROCE_RXE, false },
	{ "irdma", ROCE_RAW, false },
	{ "ice", ROCE_RAW, false },
	{ "i40e", ROCE_RAW, false },
	{ "iavf", ROCE_RAW, false },
	{ "idpf", ROCE_RAW, false },
	{ "mana", ROCE_RAW, false },
	{ "mana_ib", ROCE_RAW, false },
	{ "erdma", ROCE_RAW, false },
	{ "siw", ROCE_RAW, false },
};

static const struct driver *find(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(drivers); i++)
		if (streq(drivers[i].name, name))
			return &drivers[i];
	return NULL;
}

enum roce_family roce_family(const char *driver)
{
	const struct driver *known = find(driver);

	return known ? known->family : ROCE_KERNEL;
}

bool roce_driver_known(const char *driver)
{
	return find(driver);
}

bool roce_follows_bond(const char *driver)
{
	const struct driver *known = find(driver);

	return known && known->follows_bond;
}

int roce_need(int roce_mtu)
{
	return roce_mtu + ROCE_OVERHEAD;
}

int roce_usual(int roce_mtu)
{
	if (roce_mtu == ROCE_MTU_MAX)
		return ROCE_USUAL_4096;
	return roce_mtu == ROCE_MTU_MAX / 2 ? ROCE_USUAL_2048 : roce_need(roce_mtu) + 8;
}

int roce_carried(int netdev_mtu)
{
	return roce_active(ROCE_KERNEL, netdev_mtu);
}

/* ib_mtu_int_to_enum() answers 256 to anything below 512. */
int roce_active(enum roce_family family, int netdev_mtu)
{
	for (int mtu = ROCE_MTU_MAX; mtu >= ROCE_MTU_MIN; mtu /= 2)
		if (roce_active_least(family, mtu) <= netdev_mtu)
			return mtu;
	return 0;
}

int roce_active_least(enum roce_family family, int roce_mtu)
{
	if (family == ROCE_RAW && roce_mtu == ROCE_MTU_MIN)
		return 0;
	return roce_mtu + overhead[family];
}

int roce_packet(int roce_mtu, bool ipv6)
{
	enum { IPV4 = 20, IPV6 = 40, UDP = 8, BTH = 12, XRCETH = 4, RETH = 16, IMMDT = 4, ICRC = 4 };

	return roce_mtu + (ipv6 ? IPV6 : IPV4) + UDP + BTH + XRCETH + RETH + IMMDT + ICRC;
}

int roce_frame(int roce_mtu, bool ipv6, int vlan_tags)
{
	return roce_packet(roce_mtu, ipv6) + ETH_HEADER + vlan_tags * ETH_TAG + ETH_CHECK;
}
