// SPDX-License-Identifier: Apache-2.0
/* RoCE arithmetic: every threshold and its edges for each driver family, and every packet kind. */
#include "conf/roce.h"

#include "tests/unit/row.h"

#include <stdio.h>

static const char *const family_names[ROCE_FAMILY_MAX] = {
	[ROCE_KERNEL] = "kernel",
	[ROCE_RXE] = "rxe",
	[ROCE_RAW] = "raw",
};

/* ---- netdev MTU and path MTU ---- */

/* Fields of include/rdma/ib_pack.h, bytes. */
enum {
	IPV4 = 20,
	IPV6 = 40,
	GRH = 40,
	UDP = 8,
	BTH = 12,
	RETH = 16,
	AETH = 4,
	ATOMICETH = 28,
	IMMDT = 4,
	IETH = 4,
	DETH = 8,
	XRCETH = 4,
	ICRC = 4,
};

static void overhead_is_the_kernel_s(void **state)
{
	(void)state;
	assert_int_equal(ROCE_OVERHEAD, GRH + UDP + BTH + XRCETH + ATOMICETH + ICRC);
	assert_int_equal(ROCE_OVERHEAD, 96);
}

/* Least netdev MTU for which a driver reports a path MTU, and what it reports one byte below. */
static const struct {
	enum roce_family family;
	int roce, least, below;
} thresholds[] = {
	{ ROCE_KERNEL, 4096, 4192, 2048 }, { ROCE_KERNEL, 2048, 2144, 1024 },
	{ ROCE_KERNEL, 1024, 1120, 512 },  { ROCE_KERNEL, 512, 608, 256 },
	{ ROCE_KERNEL, 256, 352, 0 },	   { ROCE_RXE, 4096, 4176, 2048 },
	{ ROCE_RXE, 2048, 2128, 1024 },	   { ROCE_RXE, 1024, 1104, 512 },
	{ ROCE_RXE, 512, 592, 256 },	   { ROCE_RXE, 256, 336, 0 },
	{ ROCE_RAW, 4096, 4096, 2048 },	   { ROCE_RAW, 2048, 2048, 1024 },
	{ ROCE_RAW, 1024, 1024, 512 },	   { ROCE_RAW, 512, 512, 256 },
	{ ROCE_RAW, 256, 0, 0 }, /* any netdev MTU */
};

static void thresholds_hold(void **state)
{
	(void)state;
	for_each_row(row, thresholds)
	{
		char name[32];

		snprintf(name, sizeof(name), "%s %d", family_names[row->family], row->roce);
		row_int(name, "least", roce_active_least(row->family, row->roce), row->least);
		row_int(name, "at T", roce_active(row->family, row->least), row->roce);
		row_int(name, "at T+1", roce_active(row->family, row->least + 1), row->roce);
		row_int(name, "at T-1", roce_active(row->family, row->least - 1), row->below);
		if (row->family != ROCE_KERNEL)
			continue;
		row_int(name, "roce_need()", roce_need(row->roce), row->least);
		row_int(name, "carried at T", roce_carried(row->least), row->roce);
		row_int(name, "carried at T-1", roce_carried(row->least - 1), row->below);
	}
}

/* What each family reports; the last column is what a netdev MTU carries, whatever is reported. */
static const struct {
	int netdev, kernel, rxe, raw, carried;
} vectors[] = {
	{ 1280, 1024, 1024, 1024, 1024 },
	{ 1500, 1024, 1024, 1024, 1024 },
	{ 1600, 1024, 1024, 1024, 1024 },
	{ 2048, 1024, 1024, 2048, 1024 },
	{ 2200, 2048, 2048, 2048, 2048 },
	{ 4096, 2048, 2048, 4096, 2048 },
	{ 4175, 2048, 2048, 4096, 2048 },
	{ 4192, 4096, 4096, 4096, 4096 },
	{ 4200, 4096, 4096, 4096, 4096 },
	{ 4220, 4096, 4096, 4096, 4096 },
	{ 8896, 4096, 4096, 4096, 4096 },
	{ 9000, 4096, 4096, 4096, 4096 },
	{ 9100, 4096, 4096, 4096, 4096 },
	{ 9216, 4096, 4096, 4096, 4096 },
	/* the edges */
	{ 4191, 2048, 4096, 4096, 2048 },
	{ 4095, 2048, 2048, 2048, 2048 },
	{ 2143, 1024, 2048, 2048, 1024 },
	{ 1119, 512, 1024, 1024, 512 },
	{ 607, 256, 512, 512, 256 },
	{ 511, 256, 256, 256, 256 },
	{ 351, 0, 256, 256, 0 },
	{ 335, 0, 0, 256, 0 },
	{ 256, 0, 0, 256, 0 },
	{ 255, 0, 0, 256, 0 },
	{ 68, 0, 0, 256, 0 },
	{ 0, 0, 0, 256, 0 },
	{ -1, 0, 0, 0, 0 },
	{ 9978, 4096, 4096, 4096, 4096 },
	{ 65535, 4096, 4096, 4096, 4096 },
};

static void vectors_hold(void **state)
{
	(void)state;
	for_each_row(row, vectors)
	{
		char name[32];

		snprintf(name, sizeof(name), "netdev MTU %d", row->netdev);
		row_int(name, "kernel", roce_active(ROCE_KERNEL, row->netdev), row->kernel);
		row_int(name, "rxe", roce_active(ROCE_RXE, row->netdev), row->rxe);
		row_int(name, "raw", roce_active(ROCE_RAW, row->netdev), row->raw);
		row_int(name, "carried", roce_carried(row->netdev), row->carried);
	}
	for (int mtu = 4176; mtu <= 4191; mtu++) {
		char name[32];

		snprintf(name, sizeof(name), "netdev MTU %d", mtu);
		row_int(name, "kernel", roce_active(ROCE_KERNEL, mtu), 2048);
		row_int(name, "rxe", roce_active(ROCE_RXE, mtu), 4096);
		row_int(name, "raw", roce_active(ROCE_RAW, mtu), 4096);
	}
}

/* Over all netdev MTUs: never falls, and the least for what is reported is not above what there is. */
static void reported_grows_with_the_mtu(void **state)
{
	(void)state;
	for (int family = 0; family < ROCE_FAMILY_MAX; family++) {
		for (int mtu = 0; mtu <= 65535; mtu++) {
			int active = roce_active(family, mtu);

			assert_true(active >= roce_active(family, mtu - 1));
			assert_true(active == 0 || roce_active_least(family, active) <= mtu);
			assert_true(active >= roce_carried(mtu)); /* ours is the strictest */
		}
	}
}

static void usual_values_have_room(void **state)
{
	(void)state;
	assert_int_equal(roce_usual(4096), 4200);
	for (int roce = 256; roce <= 4096; roce *= 2) {
		assert_true(roce_usual(roce) >= roce_need(roce) + 8);
		assert_int_equal(roce_carried(roce_usual(roce)), roce);
	}
}

/* ---- drivers ---- */

static const struct {
	const char *driver;
	enum roce_family family;
	bool known, follows_bond;
} drivers[] = {
	{ "mlx5_core", ROCE_KERNEL, true, true },
	{ "mlx5_ib", ROCE_KERNEL, true, true },
	{ "mlx4_core", ROCE_KERNEL, true, false },
	{ "mlx4_en", ROCE_KERNEL, true, false },
	{ "mlx4_ib", ROCE_KERNEL, true, false },
	{ "bnxt_en", ROCE_KERNEL, true, false },
	{ "bnxt_re", ROCE_KERNEL, true, false },
	{ "hns3", ROCE_KERNEL, true, false },
	{ "hclgevf", ROCE_KERNEL, true, false },
	{ "hns_roce", ROCE_KERNEL, true, false },
	{ "qede", ROCE_KERNEL, true, false },
	{ "qedr", ROCE_KERNEL, true, false },
	{ "be2net", ROCE_KERNEL, true, false },
	{ "ocrdma", ROCE_KERNEL, true, false },
	{ "usnic_verbs", ROCE_KERNEL, false, false },
	{ "irdma", ROCE_RAW, true, false },
	{ "ice", ROCE_RAW, true, false },  /* E810 */
	{ "i40e", ROCE_RAW, true, false }, /* X722 */
	{ "iavf", ROCE_RAW, true, false },
	{ "idpf", ROCE_RAW, true, false }, /* IPU */
	{ "mana", ROCE_RAW, true, false },
	{ "mana_ib", ROCE_RAW, true, false },
	{ "erdma", ROCE_RAW, true, false },
	{ "siw", ROCE_RAW, true, false },
	{ "rxe", ROCE_RXE, true, false },
	{ "rdma_rxe", ROCE_RXE, true, false },
	/* not known: as the kernel's own formula, which asks for most */
	{ "igb", ROCE_KERNEL, false, false },
	{ "veth", ROCE_KERNEL, false, false },
	{ "mlx5", ROCE_KERNEL, false, false },
	{ "mlx5_core2", ROCE_KERNEL, false, false },
	{ "MLX5_CORE", ROCE_KERNEL, false, false },
	{ "", ROCE_KERNEL, false, false },
	{ NULL, ROCE_KERNEL, false, false },
};

static void drivers_are_in_their_family(void **state)
{
	(void)state;
	for_each_row(row, drivers)
	{
		const char *name = row->driver ? row->driver : "NULL";

		row_text(name, "family", family_names[roce_family(row->driver)],
			 family_names[row->family]);
		row_int(name, "known", roce_driver_known(row->driver), row->known);
		row_int(name, "follows the bond", roce_follows_bond(row->driver),
			row->follows_bond);
	}
}

/* ---- packets ---- */

/* Extension headers beyond BTH, and what a packet is longer than its payload over IPv4 and IPv6. */
static const struct {
	const char *name;
	int extensions, over[2], full[2];
} packets[] = {
	{ "SEND/WRITE middle or last", 0, { 44, 64 }, { 4140, 4160 } },
	{ "READ response", AETH, { 48, 68 }, { 4144, 4164 } },
	{ "UD SEND", DETH, { 52, 72 }, { 4148, 4168 } },
	{ "UD SEND + Imm", DETH + IMMDT, { 56, 76 }, { 4152, 4172 } },
	{ "WRITE first/only", RETH, { 60, 80 }, { 4156, 4176 } },
	{ "WRITE only + Imm", RETH + IMMDT, { 64, 84 }, { 4160, 4180 } },
	{ "XRC WRITE only + Imm", XRCETH + RETH + IMMDT, { 68, 88 }, { 4164, 4184 } },
	/* further kinds, none of which is longer */
	{ "SEND + Invalidate", IETH, { 48, 68 }, { 4144, 4164 } },
	{ "XRC SEND + Imm", XRCETH + IMMDT, { 52, 72 }, { 4148, 4168 } },
	{ "XRC READ response", XRCETH + AETH, { 52, 72 }, { 4148, 4168 } },
};

static int packet(int roce_mtu, bool ipv6, int extensions)
{
	return (ipv6 ? IPV6 : IPV4) + UDP + BTH + extensions + roce_mtu + ICRC;
}

static void packets_are_as_long_as_their_fields(void **state)
{
	(void)state;
	for_each_row(row, packets)
	{
		for (int ipv6 = 0; ipv6 <= 1; ipv6++) {
			row_int(row->name, "over the payload", packet(0, ipv6, row->extensions),
				row->over[ipv6]);
			row_int(row->name, "full packet", packet(4096, ipv6, row->extensions),
				row->full[ipv6]);
		}
	}
}

/* roce_packet() is the worst of all kinds, for each path MTU; and our requirement covers it. */
static void longest_packet_is_the_worst_kind(void **state)
{
	(void)state;
	for (int roce = 256; roce <= 4096; roce *= 2) {
		for (int ipv6 = 0; ipv6 <= 1; ipv6++) {
			int worst = packet(0, ipv6, XRCETH + ATOMICETH); /* has no payload */

			for_each_row(row, packets)
			{
				int length = packet(roce, ipv6, row->extensions);

				row_true(row->name, "no longer than roce_packet()",
					 length <= roce_packet(roce, ipv6));
				worst = length > worst ? length : worst;
			}
			assert_int_equal(roce_packet(roce, ipv6), worst);
			assert_true(worst + 8 <= roce_need(roce));
		}
	}
}

/* The largest frame with FCS, by 0, 1 and 2 tags. */
static const struct {
	const char *name;
	int roce;
	bool ipv6;
	int frame[3];
} frames[] = {
	{ "4096", 4096, true, { 4202, 4206, 4210 } },
	{ "4096 over IPv4", 4096, false, { 4182, 4186, 4190 } },
	{ "2048", 2048, true, { 2154, 2158, 2162 } },
	{ "1024", 1024, true, { 1130, 1134, 1138 } },
	{ "512", 512, true, { 618, 622, 626 } },
	{ "256", 256, true, { 362, 366, 370 } },
};

static void frames_hold(void **state)
{
	(void)state;
	for_each_row(row, frames) for (int tags = 0; tags <= 2; tags++)
		row_int(row->name, "roce_frame()", roce_frame(row->roce, row->ipv6, tags),
			row->frame[tags]);
}

/* A number that a driver reports is no promise that its packets fit. */
static void reported_may_not_fit(void **state)
{
	(void)state;
	/* soft-RoCE at 4176 has no slack for a WRITE only + Imm over IPv6 */
	assert_int_equal(roce_active(ROCE_RXE, 4176), 4096);
	assert_true(packet(4096, true, RETH) <= 4176);
	assert_true(packet(4096, true, RETH + IMMDT) > 4176);
	/* a raw driver promises 4096 where not even the shortest full packet fits */
	assert_int_equal(roce_active(ROCE_RAW, 4096), 4096);
	assert_true(packet(4096, false, 0) > 4096);
	/* what a netdev MTU carries always fits */
	for (int mtu = 352; mtu <= 9978; mtu++)
		assert_true(roce_packet(roce_carried(mtu), true) <= mtu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overhead_is_the_kernel_s),
		cmocka_unit_test(thresholds_hold),
		cmocka_unit_test(vectors_hold),
		cmocka_unit_test(reported_grows_with_the_mtu),
		cmocka_unit_test(usual_values_have_room),
		cmocka_unit_test(drivers_are_in_their_family),
		cmocka_unit_test(packets_are_as_long_as_their_fields),
		cmocka_unit_test(longest_packet_is_the_worst_kind),
		cmocka_unit_test(frames_hold),
		cmocka_unit_test(reported_may_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
