// SPDX-License-Identifier: Apache-2.0
/* Switches: what each semantics counts, in both directions, and every platform of the table. */
#include "conf/switch.h"

#include "tests/unit/row.h"

#include <errno.h>

/* ---- semantics ---- */

/* The switch MTU that a netdev MTU needs, by 0, 1 and 2 tags. */
static const struct {
	const char *name;
	enum switch_semantics semantics;
	int netdev, needs[3];
} needs[] = {
	{ "l3 4200", SWITCH_L3, 4200, { 4200, 4200, 4204 } },
	{ "l3 9000", SWITCH_L3, 9000, { 9000, 9000, 9004 } },
	{ "l3 9216", SWITCH_L3, 9216, { 9216, 9216, 9220 } },
	{ "l2hdr 4200", SWITCH_L2HDR, 4200, { 4214, 4218, 4222 } },
	{ "l2hdr 9000", SWITCH_L2HDR, 9000, { 9014, 9018, 9022 } },
	{ "l2frame 4200", SWITCH_L2FRAME, 4200, { 4218, 4222, 4226 } },
	{ "l2frame 9000", SWITCH_L2FRAME, 9000, { 9018, 9022, 9026 } },
};

/* The netdev MTU that a switch MTU permits, by 0, 1 and 2 tags. */
static const struct {
	const char *name;
	enum switch_semantics semantics;
	int configured, permits[3];
} permits[] = {
	{ "l3 9216", SWITCH_L3, 9216, { 9216, 9216, 9212 } },
	{ "l3 9100", SWITCH_L3, 9100, { 9100, 9100, 9096 } },
	{ "l3 1500", SWITCH_L3, 1500, { 1500, 1500, 1496 } },
	{ "l2hdr 9216", SWITCH_L2HDR, 9216, { 9202, 9198, 9194 } },
	{ "l2hdr 9192", SWITCH_L2HDR, 9192, { 9178, 9174, 9170 } },
	{ "l2hdr 1514", SWITCH_L2HDR, 1514, { 1500, 1496, 1492 } },
	{ "l2frame 9216", SWITCH_L2FRAME, 9216, { 9198, 9194, 9190 } },
	{ "l2frame 1518", SWITCH_L2FRAME, 1518, { 1500, 1496, 1492 } },
};

static void semantics_hold(void **state)
{
	(void)state;
	for_each_row(row, needs)
	{
		for (int tags = 0; tags <= SWITCH_TAGS_MAX; tags++) {
			row_int(row->name, "switch_needs()",
				switch_needs(row->netdev, row->semantics, tags), row->needs[tags]);
			row_int(row->name, "permitted by what is needed",
				switch_permits(row->needs[tags], row->semantics, tags),
				row->netdev);
		}
	}
	for_each_row(row, permits) for (int tags = 0; tags <= SWITCH_TAGS_MAX; tags++)
		row_int(row->name, "switch_permits()",
			switch_permits(row->configured, row->semantics, tags), row->permits[tags]);
}

/* Ethernet header 14, tags of 4, FCS 4: which of them the number counts. */
static void semantics_are_bytes_of_the_frame(void **state)
{
	(void)state;
	for (int mtu = 68; mtu <= 9978; mtu++) {
		for (int tags = 0; tags <= 2; tags++) {
			int header = 14 + 4 * tags;

			assert_int_equal(switch_needs(mtu, SWITCH_L2HDR, tags), mtu + header);
			assert_int_equal(switch_needs(mtu, SWITCH_L2FRAME, tags), mtu + header + 4);
			for (int semantics = 0; semantics < SWITCH_SEMANTICS_MAX; semantics++) {
				int need = switch_needs(mtu, semantics, tags);

				assert_int_equal(switch_permits(need, semantics, tags), mtu);
				assert_int_equal(switch_permits(need - 1, semantics, tags),
						 mtu - 1);
			}
		}
	}
}

static const char *const semantics_names[] = { "l3", "l2hdr", "l2frame" };

static void semantics_have_names(void **state)
{
	static const char *const wrong[] = { "", "L3", "l2", "l3 ", "l2hdrs", "frame" };

	(void)state;
	assert_int_equal(sizeof(semantics_names) / sizeof(*semantics_names), SWITCH_SEMANTICS_MAX);
	for (int i = 0; i < SWITCH_SEMANTICS_MAX; i++) {
		enum switch_semantics semantics = SWITCH_SEMANTICS_MAX;

		row_text(semantics_names[i], "name", switch_semantics_name(i), semantics_names[i]);
		row_int(semantics_names[i], "parse",
			switch_semantics_parse(semantics_names[i], &semantics), 0);
		row_int(semantics_names[i], "parsed", semantics, i);
	}
	for_each_row(row, wrong)
	{
		enum switch_semantics semantics = SWITCH_L2HDR;

		row_int(*row, "parse", switch_semantics_parse(*row, &semantics), -EINVAL);
		row_int(*row, "untouched", semantics, SWITCH_L2HDR);
	}
}

/* ---- platforms ---- */

/* A platform at a value, and what that permits untagged, with one tag and with two. */
struct platform_row {
	const char *name;
	const char *semantics;
	int mtu, least, most; /* delivered with; can be set to */
	bool verified;
	int value, permits[3];
};

static const struct platform_row platforms[] = {
	{ "sonic", "l3", 9100, 68, 9216, true, 9216, { 9216, 9216, 9212 } },
	{ "cumulus", "l3", 9216, 0, 9216, true, 9216, { 9216, 9216, 9212 } },
	{ "mlxsw", "l3", 9216, 0, 9216, true, 9216, { 9216, 9216, 9212 } },
	{ "eos", "l3", 1500, 68, 9214, true, 9214, { 9214, 9214, 9210 } },
	{ "nxos", "l3", 1500, 0, 9216, true, 9216, { 9216, 9216, 9212 } },
	{ "junos", "l2hdr", 1514, 256, 9216, true, 9216, { 9202, 9198, 9194 } },
	{ "srlinux", "l2hdr", 0, 0, 0, true, 9216, { 9202, 9198, 9194 } },
	{ "os9", "l2frame", 0, 592, 12000, true, 9216, { 9198, 9194, 9190 } },
	{ "os10", "l2frame", 0, 0, 0, false, 9216, { 9198, 9194, 9190 } },
	{ "vrp", "l2frame", 9216, 1536, 12288, true, 9216, { 9198, 9194, 9190 } },
};

static void platforms_are_as_documented(void **state)
{
	size_t n;

	(void)state;
	switch_platforms(&n);
	assert_int_equal(n, ARRAY_SIZE(platforms));
	for_each_row(row, platforms)
	{
		const struct switch_platform *p = switch_platform(row->name);

		row_true(row->name, "known", p != NULL);
		row_text(row->name, "name", p->name, row->name);
		row_text(row->name, "semantics", switch_semantics_name(p->semantics),
			 row->semantics);
		row_int(row->name, "delivered with", p->mtu, row->mtu);
		row_int(row->name, "least", p->least, row->least);
		row_int(row->name, "most", p->most, row->most);
		row_int(row->name, "verified", p->verified, row->verified);
		for (int tags = 0; tags <= 2; tags++)
			row_int(row->name, "permits",
				switch_permits(row->value, p->semantics, tags), row->permits[tags]);
	}
}

/* As delivered, and at a vendor's other maximum. */
static const struct {
	const char *name, *platform;
	int value, permits[3];
} settings[] = {
	{ "SONiC as delivered", "sonic", 9100, { 9100, 9100, 9096 } },
	{ "Junos at 9192", "junos", 9192, { 9178, 9174, 9170 } },
	{ "Junos as delivered", "junos", 1514, { 1500, 1496, 1492 } },
	{ "Arista as delivered", "eos", 1500, { 1500, 1500, 1496 } },
	{ "Nexus as delivered", "nxos", 1500, { 1500, 1500, 1496 } },
	{ "Dell OS9 at 1554", "os9", 1554, { 1536, 1532, 1528 } },
};

static void settings_hold(void **state)
{
	(void)state;
	for_each_row(row, settings) for (int tags = 0; tags <= 2; tags++)
		row_int(row->name, "permits",
			switch_permits(row->value, switch_platform(row->platform)->semantics, tags),
			row->permits[tags]);
}

/* Whatever the vendor, a fabric set to 9216 passes 9194 with one tag, 9190 with two; and 9000. */
static void ceilings_are_vendor_neutral(void **state)
{
	int least[3] = { 65535, 65535, 65535 };

	(void)state;
	for_each_row(row, platforms)
	{
		for (int tags = 0; tags <= 2; tags++) {
			if (row->value == 9216 && row->permits[tags] < least[tags])
				least[tags] = row->permits[tags];
			row_true(row->name, "9000 fits", row->permits[tags] >= 9000);
			row_true(row->name, "4200 fits", row->permits[tags] >= 4200);
		}
	}
	assert_int_equal(least[1], 9194);
	assert_int_equal(least[2], 9190);
	assert_int_equal(switch_permits(9216, SWITCH_L2FRAME, 1), 9194);
	assert_int_equal(switch_permits(9216, SWITCH_L2FRAME, 2), 9190);
}

static void strangers_are_no_platform(void **state)
{
	static const char *const wrong[] = { "", "SONiC", "sonic ", "ios", "os", "os100" };

	(void)state;
	for_each_row(row, wrong) row_true(*row, "not a platform", switch_platform(*row) == NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(semantics_hold),
		cmocka_unit_test(semantics_are_bytes_of_the_frame),
		cmocka_unit_test(semantics_have_names),
		cmocka_unit_test(platforms_are_as_documented),
		cmocka_unit_test(settings_hold),
		cmocka_unit_test(ceilings_are_vendor_neutral),
		cmocka_unit_test(strangers_are_no_platform),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
