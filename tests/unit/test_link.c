// SPDX-License-Identifier: Apache-2.0
/* Ports and representors by their physical port name; what is noted down of an interface. */
#include "netlink/devconf.h"
#include "netlink/link.h"

#include "tests/unit/row.h"

#include <linux/ipv6.h>
#include <stdio.h>

/* The names that net/devlink/port.c makes, and those of drivers without devlink. */
static const struct {
	const char *name;
	bool representor;
} names[] = {
	{ "", false },	      { "p0", false },	    { "p1", false },	   { "p12", false },
	{ "p0s1", false },    { "1", false },	    { "pf0", true },	   { "pf1", true },
	{ "pf0vf0", true },   { "pf0vf127", true }, { "pf1sf88", true }, { "c1pf0", true },
	{ "c1pf0vf1", true }, { "c1pf0sf2", true }, { "c10pf12vf3", true }, { "pf0s1", true },
	{ "pf0vfr1", true },  { "p0pf1vf2", true }, { "p0if1pf2vf3", true }, { "l1p0", false },
	{ "l1p0s3", false },  { "n0", false },	    { "pf", false },	   { "pfx1", false },
	{ "swpf1", false },   { "npf0", false },    { "p0pf", false },
};

static void representors_are_told_from_ports(void **state)
{
	(void)state;
	for_each_row(row, names)
	{
		struct link link = { .ifindex = 1 };

		snprintf(link.phys_port_name, sizeof(link.phys_port_name), "%s", row->name);
		row_int(row->name, "link_is_representor()", link_is_representor(&link),
			row->representor);
	}
}

/* The interfaces of one PCI device, in the order of a list of links, and which of them is its own. */
static const struct {
	const char *names[5];
	size_t best;
} lists[] = {
	{ { "" }, 0 },
	{ { "p0" }, 0 },
	{ { "pf0vf0" }, 0 }, /* better than none: a plan refuses it by what it is */
	{ { "p0", "pf0vf0", "pf0vf1", "pf0sf88" }, 0 },
	{ { "pf0vf0", "pf0vf1", "p0" }, 2 },
	{ { "pf0vf0", "", "pf0vf1" }, 1 },
	{ { "", "p0" }, 1 },
	{ { "n0", "p0" }, 1 },
	{ { "pf0", "c1pf0", "l1p0", "c1pf0vf0" }, 2 },
	{ { "p0s0", "p0s1" }, 0 },
	{ { "", "" }, 0 },
	{ { "p0x", "p0" }, 1 },
};

static void the_port_is_chosen(void **state)
{
	(void)state;
	for_each_row(row, lists)
	{
		struct link links[5] = { { .ifindex = 1 } };
		size_t best = 0;

		for (size_t i = 0; i < 5 && row->names[i]; i++) {
			snprintf(links[i].phys_port_name, sizeof(links[i].phys_port_name), "%s",
				 row->names[i]);
			if (link_is_better(&links[i], &links[best]))
				best = i;
		}
		row_int(row->names[0], "the device's own", (long long)best, (long long)row->best);
	}
}

/* An IPv6 MTU that follows the netdev's is none of its own: what DEL restores may be another MTU. */
static void ipv6_mtu_that_follows_is_none(void **state)
{
	struct link link = { .mtu = 1500, .conf = { .v6 = { 0, 64, 1500, 1 }, .n6 = 4, .v4 = { 1 }, .n4 = 1 } };

	(void)state;
	assert_int_equal(devconf_of(&link).v6[DEVCONF_MTU6], 0);
	assert_int_equal(devconf_of(&link).v6[DEVCONF_HOPLIMIT], 64);
	assert_int_equal(devconf_of(&link).v4[0], 1);
	assert_int_equal(devconf_of(&link).n6, 4);
	link.conf.v6[DEVCONF_MTU6] = 1400;
	assert_int_equal(devconf_of(&link).v6[DEVCONF_MTU6], 1400);
	link.conf.n6 = 0;
	assert_int_equal(devconf_of(&link).n6, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(representors_are_told_from_ports),
		cmocka_unit_test(the_port_is_chosen),
		cmocka_unit_test(ipv6_mtu_that_follows_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
