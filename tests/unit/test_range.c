// SPDX-License-Identifier: Apache-2.0
/*
 * Ranges: bounds, excludes and refusals, by tables. The numbers in comments are those of the list
 * of checks: values that Whereabouts asserts, and this project's own.
 */
#include "ipam/range.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>

enum { EXCLUDES = 4 };

struct good {
	const char *range, *start, *end;
	const char *exclude[EXCLUDES];
	const char *gateway;
	const char *spans; /* all of them */
	const char *total;
};

static const struct good good[] = {
	/* 2, 4 */
	{ "192.168.2.200/24", .spans = "192.168.2.1-192.168.2.254", .total = "254" },
	{ "192.168.2.200/24", "192.168.2.23", .spans = "192.168.2.23-192.168.2.254",
	  .total = "232" },
	{ "192.168.2.200/24", NULL, "192.168.2.100", .spans = "192.168.2.1-192.168.2.100",
	  .total = "100" },
	{ "192.168.2.200/24", "192.168.2.50", "192.168.2.100",
	  .spans = "192.168.2.50-192.168.2.100", .total = "51" },
	/* 8, 10 */
	{ "2001::0/116", .spans = "2001::1-2001::ffe", .total = "4094" },
	{ "2001:db8:abcd:12::/64",
	  .spans = "2001:db8:abcd:12::1-2001:db8:abcd:12:ffff:ffff:ffff:fffe",
	  .total = "18446744073709551614" },
	{ "2001:db8:abcd:12::/64", "2001:db8:abcd:12::50", "2001:db8:abcd:12::100",
	  .spans = "2001:db8:abcd:12::50-2001:db8:abcd:12::100", .total = "177" },
	/* 12, 38: an all-zero host tail is legal when it is not the network address */
	{ "2001:db8:480:603d::/64", "2001:db8:480:603d:304:403::", "2001:db8:480:603d:304:403:0:4",
	  .spans = "2001:db8:480:603d:304:403::-2001:db8:480:603d:304:403:0:4", .total = "5" },
	{ "2001:db8:480:603d:0304:0403:000:0000-2001:db8:480:603d:0304:0403:0000:0004/64",
	  .spans = "2001:db8:480:603d:304:403::-2001:db8:480:603d:304:403:0:4", .total = "5" },
	/* 14 */
	{ "192.168.0.0/23", .spans = "192.168.0.1-192.168.1.254", .total = "510" },
	{ "2000::/126", .spans = "2000::1-2000::2", .total = "2" },
	/* 24 */
	{ "192.168.0.0/29", .exclude = { "192.168.0.0/30" }, .spans = "192.168.0.4-192.168.0.6",
	  .total = "3" },
	{ "192.168.0.0/29", .exclude = { "192.168.0.1" }, .spans = "192.168.0.2-192.168.0.6",
	  .total = "5" },
	/* 26 */
	{ "2001:db8::/30", .exclude = { "2001:db8::0/32" },
	  .spans = "2001:db9::-2001:dbb:ffff:ffff:ffff:ffff:ffff:fffe",
	  .total = "237684487542793012780631851007" },
	/* 30: the end is respected inside the exclude */
	{ "192.168.0.0/28",
	  "192.168.0.1",
	  "192.168.0.6",
	  { "192.168.0.4/30" },
	  .spans = "192.168.0.1-192.168.0.3",
	  .total = "3" },
	/* 32, 34, 40, 44 */
	{ "192.168.1.11-192.168.1.23/24", .spans = "192.168.1.11-192.168.1.23", .total = "13" },
	{ "192.168.1.5-192.168.1.25/24", .spans = "192.168.1.5-192.168.1.25", .total = "21" },
	{ "192.168.1.5-192.168.1.25/24", "192.168.1.5", "192.168.1.25",
	  .spans = "192.168.1.5-192.168.1.25", .total = "21" },
	{ "fd00:0:0:10:0:0:3:1-fd00:0:0:10:0:0:3:6/64",
	  .spans = "fd00::10:0:0:3:1-fd00::10:0:0:3:6", .total = "6" },
	/* RFC 3021, RFC 6164: both; one address: the one */
	{ "192.0.2.0/31", .spans = "192.0.2.0-192.0.2.1", .total = "2" },
	{ "2001:db8::/127", .spans = "2001:db8::-2001:db8::1", .total = "2" },
	{ "192.0.2.7/32", .spans = "192.0.2.7-192.0.2.7", .total = "1" },
	{ "2001:db8::7/128", .spans = "2001:db8::7-2001:db8::7", .total = "1" },
	{ "192.0.2.0/30", .spans = "192.0.2.1-192.0.2.2", .total = "2" },
	/* the gateway: cut out, unless it lies elsewhere or is of the other family */
	{ "10.56.0.0/29", .gateway = "10.56.0.1", .spans = "10.56.0.2-10.56.0.6", .total = "5" },
	{ "10.56.0.0/29", .gateway = "10.56.0.3",
	  .spans = "10.56.0.1-10.56.0.2 10.56.0.4-10.56.0.6", .total = "5" },
	{ "10.56.0.0/29", .gateway = "10.57.0.1", .spans = "10.56.0.1-10.56.0.6", .total = "6" },
	{ "10.56.0.0/29", .gateway = "fd00::1", .spans = "10.56.0.1-10.56.0.6", .total = "6" },
	{ "192.0.2.0/31", .gateway = "192.0.2.0", .spans = "192.0.2.1-192.0.2.1", .total = "1" },
	/* excludes that overlap, nest, touch, stand in any order and reach over the ends */
	{ "10.0.0.0/24",
	  NULL,
	  NULL,
	  { "10.0.0.64/26", "10.0.0.0/28", "10.0.0.80/30", "10.0.0.16/28" },
	  .spans = "10.0.0.32-10.0.0.63 10.0.0.128-10.0.0.254",
	  .total = "159" },
	{ "10.0.0.0/24",
	  "10.0.0.10",
	  "10.0.0.20",
	  { "10.0.0.8/30", "10.0.0.16/28" },
	  .spans = "10.0.0.12-10.0.0.15",
	  .total = "4" },
	{ "10.0.0.0/24",
	  NULL,
	  NULL,
	  { "10.0.0.9/29" },
	  .spans = "10.0.0.1-10.0.0.7 10.0.0.16-10.0.0.254",
	  .total = "246" },
	/* the top of both families: one past the last address does not exist */
	{ "255.255.255.252/30", .exclude = { "255.255.255.254/31" },
	  .spans = "255.255.255.253-255.255.255.253", .total = "1" },
	{ "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127",
	  .exclude = { "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" },
	  .spans =
		  "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe-ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe",
	  .total = "1" },
	{ "::/0", .spans = "::1-ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe",
	  .total = "340282366920938463463374607431768211454" },
};

struct bad {
	const char *range, *start, *end, *exclude, *gateway;
	const char *message; /* the whole of it */
};

static const struct bad bad[] = {
	{ NULL, .message = "ipam.range: is missing; write for example \"10.56.0.0/24\"" },
	{ "", .message =
		      "ipam.range: \"\" is neither ADDRESS/LENGTH nor FIRST-LAST/LENGTH, such as "
		      "\"10.56.0.0/24\" or \"10.56.0.10-10.56.0.99/24\"" },
	{ "10.56.0.0", .message = "ipam.range: \"10.56.0.0\" is neither ADDRESS/LENGTH nor "
				  "FIRST-LAST/LENGTH, such as \"10.56.0.0/24\" or "
				  "\"10.56.0.10-10.56.0.99/24\"" },
	{ "10.56.0.0/33", .message = "ipam.range: \"10.56.0.0/33\" is neither ADDRESS/LENGTH nor "
				     "FIRST-LAST/LENGTH, such as \"10.56.0.0/24\" or "
				     "\"10.56.0.10-10.56.0.99/24\"" },
	{ "010.56.0.0/24", .message = "ipam.range: \"010.56.0.0/24\" is neither ADDRESS/LENGTH nor "
				      "FIRST-LAST/LENGTH, such as \"10.56.0.0/24\" or "
				      "\"10.56.0.10-10.56.0.99/24\"" },
	{ "x-10.56.0.9/24", .message = "ipam.range: \"x\" is not an IP address" },
	{ "-10.56.0.9/24", .message = "ipam.range: \"\" is not an IP address" },
	/* 46 */
	{ "192.168.1.5-192.168.2.25/28",
	  .message = "ipam.range: \"192.168.1.5\" is not one of the usable addresses of "
		     "192.168.2.16/28: 192.168.2.17 .. 192.168.2.30" },
	{ "10.56.0.9-10.56.0.5/24",
	  .message = "ipam.range: \"10.56.0.9 .. 10.56.0.5\" is inverted: the first address lies "
		     "behind the last" },
	{ "fd00::1-10.56.0.5/24", .message =
					  "ipam.range: \"fd00::1\" is not one of the usable "
					  "addresses of 10.56.0.0/24: 10.56.0.1 .. 10.56.0.254" },
	/* 6: Whereabouts takes the whole range instead */
	{ "192.168.2.200/24", "192.168.2.100", "192.168.2.50",
	  .message = "ipam.range_end: \"192.168.2.100 .. 192.168.2.50\" is inverted: the first "
		     "address lies behind the last" },
	{ "192.168.2.0/24", "192.168.3.1",
	  .message = "ipam.range_start: \"192.168.3.1\" is not one of the usable addresses of "
		     "192.168.2.0/24: 192.168.2.1 .. 192.168.2.254" },
	{ "192.168.2.0/24", "192.168.2.0",
	  .message = "ipam.range_start: \"192.168.2.0\" is not one of the usable addresses of "
		     "192.168.2.0/24: 192.168.2.1 .. 192.168.2.254" },
	{ "192.168.2.0/24", NULL, "192.168.2.255",
	  .message = "ipam.range_end: \"192.168.2.255\" is not one of the usable addresses of "
		     "192.168.2.0/24: 192.168.2.1 .. 192.168.2.254" },
	{ "192.168.2.0/24", "fd00::1",
	  .message = "ipam.range_start: \"fd00::1\" is not one of the usable addresses of "
		     "192.168.2.0/24: 192.168.2.1 .. 192.168.2.254" },
	{ "192.168.2.0/24", "ten", .message = "ipam.range_start: \"ten\" is not an IP address" },
	{ "192.168.2.9-192.168.2.99/24", "192.168.2.10",
	  .message = "ipam.range_start: \"192.168.2.10\" contradicts \"range\", which names both "
		     "ends already; keep one" },
	/* 24 */
	{ "192.168.0.0/29", .exclude = "192.168.0.1/123",
	  .message = "ipam.exclude[0]: \"192.168.0.1/123\" is neither ADDRESS/LENGTH nor an IP "
		     "address" },
	{ "192.168.0.0/29", .exclude = "fd00::/64",
	  .message = "ipam.exclude[0]: \"fd00::/64\" does not touch the range 192.168.0.0/29" },
	{ "192.168.0.0/29", .exclude = "192.168.0.8/29",
	  .message =
		  "ipam.exclude[0]: \"192.168.0.8/29\" does not touch the range 192.168.0.0/29" },
	{ "192.168.0.0/29", .exclude = "192.168.0.0/24",
	  .message = "ipam.range: \"192.168.0.1 .. 192.168.0.6\" has no address to give out: all "
		     "are excluded, or the gateway" },
	{ "192.0.2.7/32", .gateway = "192.0.2.7",
	  .message = "ipam.range: \"192.0.2.7 .. 192.0.2.7\" has no address to give out: all are "
		     "excluded, or the gateway" },
};

static struct inet_addr addr_of(const char *text)
{
	struct inet_addr addr = { 0 };

	if (text)
		assert_int_equal(inet_parse(text, &addr), 0);
	return addr;
}

static const char *print_spans(const struct range *range, char buf[512])
{
	char lo[INET_TEXT_SIZE], hi[INET_TEXT_SIZE];
	size_t len = 0;

	for (size_t i = 0; i < range->n_spans; i++)
		len += snprintf(buf + len, 512 - len, "%s%s-%s", i ? " " : "",
				inet_format(range_addr(range, range->spans[i].lo), lo),
				inet_format(range_addr(range, range->spans[i].hi), hi));
	return buf;
}

static void settles(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		const struct good *g = &good[i];
		struct range_spec spec = {
			.path = "ipam", .range = g->range, .start = g->start, .end = g->end
		};
		char spans[512], total[RANGE_NUM_TEXT_SIZE];
		struct err err = { 0 };
		struct range range;

		while (spec.n_exclude < EXCLUDES && g->exclude[spec.n_exclude]) {
			spec.exclude[spec.n_exclude] = g->exclude[spec.n_exclude];
			spec.n_exclude++;
		}
		if (range_settle(&spec, addr_of(g->gateway), &range, &err) < 0)
			fail_msg("%s: %s", g->range, err.msg);
		assert_string_equal(print_spans(&range, spans), g->spans);
		assert_string_equal(range_num_format(range.total, total), g->total);
		range_free(&range);
	}
}

static void refuses(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct bad *b = &bad[i];
		struct range_spec spec = { .path = "ipam",
					   .range = b->range,
					   .start = b->start,
					   .end = b->end,
					   .exclude = { b->exclude },
					   .n_exclude = b->exclude ? 1 : 0 };
		struct err err = { 0 };
		struct range range;

		if (range_settle(&spec, addr_of(b->gateway), &range, &err) == 0)
			fail_msg("%s was accepted", b->range);
		assert_string_equal(err.msg, b->message);
		assert_int_equal(err.code, CNI_CONFIG_INVALID);
	}
}

/* 20: both ends belong to it */
static void has(void **state)
{
	struct range_spec spec = { .path = "ipam",
				   .range = "10.0.0.10-10.0.0.20/24",
				   .exclude = { "10.0.0.12/30" },
				   .n_exclude = 1 };
	struct err err = { 0 };
	struct range range;

	(void)state;
	assert_int_equal(range_settle(&spec, addr_of(NULL), &range, &err), 0);
	assert_true(range_has(&range, addr_of("10.0.0.10")));
	assert_true(range_has(&range, addr_of("10.0.0.20")));
	assert_false(range_has(&range, addr_of("10.0.0.9")));
	assert_false(range_has(&range, addr_of("10.0.0.21")));
	assert_false(range_has(&range, addr_of("10.0.0.12")));
	assert_false(range_has(&range, addr_of("10.0.0.15")));
	assert_false(range_has(&range, addr_of("::a00:a")));
	range_free(&range);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settles),
		cmocka_unit_test(refuses),
		cmocka_unit_test(has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
