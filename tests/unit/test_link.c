// SPDX-License-Identifier: Apache-2.0
/* Ports and representors by their physical port name. */
#include "netlink/link.h"

#include "tests/unit/row.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(representors_are_told_from_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
