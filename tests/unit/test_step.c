// SPDX-License-Identifier: Apache-2.0
/* Steps as values: the inverse, what counts as a change, names, and the line for people. */
#include "cni/step.h"

#include "tests/unit/row.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <netinet/in.h>

#define MAC(n)                                                                                     \
	{                                                                                          \
		0x02, 0x00, 0x5e, 0x00, 0x53, (n)                                                  \
	}
#define HOST_AT                                                                                    \
	{                                                                                          \
		PLACE_HOST, "ens1f0v2", 12                                                         \
	}
#define POD_AT                                                                                     \
	{                                                                                          \
		PLACE_POD, "net1", 3                                                               \
	}
#define ADDR_V4(len)                                                                               \
	{                                                                                          \
		AF_INET, { 192, 0, 2, 5 }, (len)                                                   \
	}
#define ADDR_V6(len)                                                                               \
	{                                                                                          \
		AF_INET6, { 0xfd, [15] = 5 }, (len)                                                \
	}

static const struct {
	const char *name;
	struct step step;
	bool changes;
	const char *line, *inverse_line;
} steps[] = {
	{ "down",
	  { STEP_LINK_STATE, { .on = true }, { .on = false }, { { 0 } } },
	  true,
	  "d: set down",
	  "d: set up" },
	{ "stays down",
	  { STEP_LINK_STATE, { .on = false }, { .on = false }, { { 0 } } },
	  false,
	  "d: keep down",
	  "d: keep down" },
	{ "vlan",
	  { STEP_VF_VLAN,
	    { .vlan = { 0, 0, ETH_P_8021Q } },
	    { .vlan = { 100, 0, ETH_P_8021Q } },
	    { { 0 } } },
	  true,
	  "d: VLAN 0 -> 100",
	  "d: VLAN 100 -> 0" },
	{ "vlan, other priority",
	  { STEP_VF_VLAN,
	    { .vlan = { 7, 0, ETH_P_8021Q } },
	    { .vlan = { 7, 3, ETH_P_8021Q } },
	    { { 0 } } },
	  true,
	  "d: VLAN 7 (802.1q, priority 0) -> 7 (802.1q, priority 3)",
	  "d: VLAN 7 (802.1q, priority 3) -> 7 (802.1q, priority 0)" },
	{ "vlan, other protocol",
	  { STEP_VF_VLAN,
	    { .vlan = { 7, 0, ETH_P_8021Q } },
	    { .vlan = { 7, 0, ETH_P_8021AD } },
	    { { 0 } } },
	  true,
	  "d: VLAN 7 (802.1q, priority 0) -> 7 (802.1ad, priority 0)",
	  "d: VLAN 7 (802.1ad, priority 0) -> 7 (802.1q, priority 0)" },
	{ "vlan stays",
	  { STEP_VF_VLAN,
	    { .vlan = { 7, 3, ETH_P_8021Q } },
	    { .vlan = { 7, 3, ETH_P_8021Q } },
	    { { 0 } } },
	  false,
	  "d: keep VLAN 7 (802.1q, priority 3)",
	  "d: keep VLAN 7 (802.1q, priority 3)" },
	{ "mac",
	  { STEP_MAC, { .mac = { MAC(0), MAC(1) } }, { .mac = { MAC(2), MAC(2) } }, { { 0 } } },
	  true,
	  "d: MAC 02:00:5e:00:53:01 -> 02:00:5e:00:53:02",
	  "d: MAC 02:00:5e:00:53:02 -> 02:00:5e:00:53:01" },
	{ "mac, only the administrative one",
	  { STEP_MAC, { .mac = { MAC(0), MAC(1) } }, { .mac = { MAC(1), MAC(1) } }, { { 0 } } },
	  true,
	  "d: the PF orders MAC 02:00:5e:00:53:01",
	  "d: the PF orders MAC 02:00:5e:00:53:00" },
	{ "mac of a VF without a netdev",
	  { STEP_MAC, { .mac = { MAC(1), { 0 } } }, { .mac = { MAC(2), { 0 } } }, { { 0 } } },
	  true,
	  "d: the PF orders MAC 02:00:5e:00:53:02",
	  "d: the PF orders MAC 02:00:5e:00:53:01" },
	{ "mac of a VF without a netdev stays",
	  { STEP_MAC, { .mac = { MAC(1), { 0 } } }, { .mac = { MAC(1), { 0 } } }, { { 0 } } },
	  false,
	  "d: keep MAC 02:00:5e:00:53:01",
	  "d: keep MAC 02:00:5e:00:53:01" },
	{ "mac stays",
	  { STEP_MAC, { .mac = { MAC(0), MAC(1) } }, { .mac = { MAC(0), MAC(1) } }, { { 0 } } },
	  false,
	  "d: keep MAC 02:00:5e:00:53:01",
	  "d: keep MAC 02:00:5e:00:53:01" },
	{ "rate",
	  { STEP_VF_RATE, { .rate = { 0, 0 } }, { .rate = { 10, 200 } }, { { 0 } } },
	  true,
	  "d: rate 0 Mbit/s or more -> 10 to 200 Mbit/s",
	  "d: rate 10 to 200 Mbit/s -> 0 Mbit/s or more" },
	{ "spoofchk",
	  { STEP_VF_SPOOFCHK, { .on = true }, { .on = false }, { { 0 } } },
	  true,
	  "d: spoofchk on -> off",
	  "d: spoofchk off -> on" },
	{ "trust",
	  { STEP_VF_TRUST, { .on = false }, { .on = false }, { { 0 } } },
	  false,
	  "d: keep trust off",
	  "d: keep trust off" },
	{ "link state of the VF",
	  { STEP_VF_LINK, { .link = VF_LINK_AUTO }, { .link = VF_LINK_DISABLE }, { { 0 } } },
	  true,
	  "d: link state of the VF auto -> disable",
	  "d: link state of the VF disable -> auto" },
	{ "promisc",
	  { STEP_PROMISC, { .on = false }, { .on = true }, { { 0 } } },
	  true,
	  "d: promisc off -> on",
	  "d: promisc on -> off" },
	{ "allmulti",
	  { STEP_ALLMULTI, { .on = true }, { .on = true }, { { 0 } } },
	  false,
	  "d: keep allmulti on",
	  "d: keep allmulti on" },
	{ "transmit queue",
	  { STEP_TXQLEN, { .number = 1000 }, { .number = 0 }, { { 0 } } },
	  true,
	  "d: transmit queue 1000 -> 0",
	  "d: transmit queue 0 -> 1000" },
	{ "altnames",
	  { STEP_ALTNAMES, { .names = 3 }, { .names = 2 }, { { 0 } } },
	  true,
	  "d: altnames 2 -> 1",
	  "d: altnames 1 -> 2" },
	{ "sysctls of the netdev",
	  { STEP_CONF, { .on = false }, { .on = false }, { { 0 } } },
	  false,
	  "d: keep sysctls of the netdev",
	  "d: keep sysctls of the netdev" },
	{ "sysctl",
	  { STEP_SYSCTL, { .text = "0" }, { .text = "1" }, { .sysctl = "net/ipv4/ip_forward" } },
	  true,
	  "d: net/ipv4/ip_forward 0 -> 1",
	  "d: net/ipv4/ip_forward 1 -> 0" },
	{ "sysctl that is empty",
	  { STEP_SYSCTL, { .text = "" }, { .text = "8080" }, { .sysctl = "net/ipv4/x" } },
	  true,
	  "d: net/ipv4/x \"\" -> 8080",
	  "d: net/ipv4/x 8080 -> \"\"" },
	{ "sysctl that comes with the device",
	  { STEP_SYSCTL, { .text = NULL }, { .text = "1" }, { .sysctl = "net/ipv4/conf/net1/x" } },
	  true,
	  "d: net/ipv4/conf/net1/x (unset) -> 1",
	  NULL },
	{ "mtu",
	  { STEP_LINK_MTU, { .number = 1500 }, { .number = 9000 }, { { 0 } } },
	  true,
	  "d: MTU 1500 -> 9000",
	  "d: MTU 9000 -> 1500" },
	{ "mtu stays",
	  { STEP_LINK_MTU, { .number = 9000 }, { .number = 9000 }, { { 0 } } },
	  false,
	  "d: keep MTU 9000",
	  "d: keep MTU 9000" },
	{ "move",
	  { STEP_LINK_MOVE, { .at = HOST_AT }, { .at = POD_AT }, { { 0 } } },
	  true,
	  "d: move to the pod as net1",
	  "d: move to the host as ens1f0v2" },
	{ "rdma",
	  { STEP_RDMA_MOVE, { .place = PLACE_HOST }, { .place = PLACE_POD }, { { 0 } } },
	  true,
	  "d: move its RDMA device to the pod",
	  "d: move its RDMA device to the host" },
	{ "soft RoCE",
	  { STEP_RDMA_SOFT, { .on = false }, { .on = true }, { .soft = "rxe_7_net1" } },
	  true,
	  "d: make soft-RoCE device rxe_7_net1",
	  "d: remove soft-RoCE device rxe_7_net1" },
	{ "ipam",
	  { STEP_IPAM, { .on = false }, { .on = true }, { { 0 } } },
	  true,
	  "take addresses from the IPAM plugin",
	  "give back addresses from the IPAM plugin" },
	{ "address",
	  { STEP_ADDR, { .on = false }, { .on = true }, { .addr = ADDR_V4(24) } },
	  true,
	  "d: address 192.0.2.5/24",
	  NULL },
	{ "IPv6 address",
	  { STEP_ADDR, { .on = false }, { .on = true }, { .addr = ADDR_V6(64) } },
	  true,
	  "d: address fd00::5/64",
	  NULL },
	{ "address is there",
	  { STEP_ADDR, { .on = true }, { .on = true }, { .addr = ADDR_V4(24) } },
	  false,
	  NULL,
	  NULL },
	{ "route",
	  { STEP_ROUTE, { .on = false }, { .on = true }, { .route.dst = ADDR_V4(32) } },
	  true,
	  "d: route to 192.0.2.5/32",
	  NULL },
	{ "default route",
	  { STEP_ROUTE,
	    { .on = false },
	    { .on = true },
	    { .route.dst = { AF_INET6, { 0 }, 0 } } },
	  true,
	  "d: route to ::/0",
	  NULL },
};

static void check_line(const char *name, const struct step *step, const char *line)
{
	char buf[STEP_TEXT_SIZE];

	row_true(name, "step_print() returns the buffer", step_print(step, "d", buf) == buf);
	if (line)
		row_text(name, "line", buf, line);
}

static void steps_and_inverses(void **state)
{
	(void)state;
	for_each_row(row, steps)
	{
		struct step inverse = step_inverse(&row->step);
		struct step again = step_inverse(&inverse);

		row_true(row->name, "inverse of the inverse",
			 memcmp(&again, &row->step, sizeof(again)) == 0);
		row_true(row->name, "have and want exchanged",
			 memcmp(&inverse.want, &row->step.have, sizeof(inverse.want)) == 0 &&
				 memcmp(&inverse.have, &row->step.want, sizeof(inverse.have)) == 0);
		row_int(row->name, "type of the inverse", inverse.type, row->step.type);
		row_int(row->name, "step_changes()", step_changes(&row->step), row->changes);
		row_int(row->name, "the inverse changes", step_changes(&inverse), row->changes);
		check_line(row->name, &row->step, row->line);
		check_line(row->name, &inverse, row->inverse_line);
	}
}

/* Every type stands in the table above, so that a new one without a row shows. */
static void every_type_has_a_row(void **state)
{
	bool seen[STEP_TYPE_MAX] = { false };

	(void)state;
	for_each_row(row, steps) seen[row->step.type] = true;
	for (int t = 0; t < STEP_TYPE_MAX; t++)
		row_true(step_type_name(t), "has a row", seen[t]);
}

static void names_make_the_round_trip(void **state)
{
	static const char *const no_names[] = { "",	    "link",	"link-mtu ",
						"LINK-MTU", "link_mtu", "step" };

	(void)state;
	for (int t = 0; t < STEP_TYPE_MAX; t++) {
		enum step_type type = STEP_TYPE_MAX;

		row_int(step_type_name(t), "step_type_parse()",
			step_type_parse(step_type_name(t), &type), 0);
		row_int(step_type_name(t), "type", type, t);
	}
	for_each_row(name, no_names)
	{
		enum step_type type = STEP_TYPE_MAX;

		row_int(*name, "step_type_parse()", step_type_parse(*name, &type), -EINVAL);
		row_int(*name, "type after a refusal", type, STEP_TYPE_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_and_inverses),
		cmocka_unit_test(every_type_has_a_row),
		cmocka_unit_test(names_make_the_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
