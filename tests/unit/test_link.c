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
	{ "c1pf0vf1", true }, { "c1pf0sf2", true },
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
		cmocka_unit_test(ipv6_mtu_that_follows_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
