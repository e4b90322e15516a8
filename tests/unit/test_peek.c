// SPDX-License-Identifier: Apache-2.0
/* The address that a dry run shows is the one that the allocator would give. */
#include "ipam/peek.h"

#include "tests/unit/row.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/test_peek.XXXXXX";

static const struct {
	const char *name, *range, *exclude;
	const char *taken[8];
	const char *next; /* NULL: none */
} rows[] = {
	{ "empty", "10.56.0.0/24", NULL, { NULL }, "10.56.0.1" },
	{ "one taken", "10.56.0.0/24", NULL, { "10.56.0.1" }, "10.56.0.2" },
	{ "a gap", "10.56.0.0/24", NULL, { "10.56.0.1", "10.56.0.3" }, "10.56.0.2" },
	{ "in any order", "10.56.0.0/24", NULL, { "10.56.0.3", "10.56.0.1", "10.56.0.2" }, "10.56.0.4" },
	{ "another range's", "10.56.0.0/24", NULL, { "10.55.0.1", "10.57.0.1" }, "10.56.0.1" },
	{ "excluded", "10.56.0.0/24", "10.56.0.0/30", { NULL }, "10.56.0.4" },
	{ "the end of a span", "10.56.0.0/29", "10.56.0.3/32", { "10.56.0.1", "10.56.0.2" }, "10.56.0.4" },
	{ "full", "10.56.0.0/30", NULL, { "10.56.0.1", "10.56.0.2" }, NULL },
	{ "other files", "10.56.0.0/24", NULL, { "by-id", ".lock", "map" }, "10.56.0.1" },
	{ "IPv6", "fd00::/64", NULL, { "fd00::1" }, "fd00::2" },
	{ "IPv4 leases of a dual stack", "fd00::/64", NULL, { "10.56.0.1" }, "fd00::1" },
};

static void touch(const char *name, bool make)
{
	char file[128];

	snprintf(file, sizeof(file), "%s/%s", dir, name);
	if (make)
		close(open(file, O_CREAT | O_WRONLY, 0600));
	else
		unlink(file);
}

static void the_lowest_free_one(void **state)
{
	(void)state;
	for_each_row(row, rows)
	{
		struct range_spec spec = { .path = "ipam",
					   .range = row->range,
					   .exclude = { row->exclude },
					   .n_exclude = row->exclude != NULL };
		char text[INET_TEXT_SIZE] = "";
		struct inet_addr addr;
		struct range range;
		struct err err = { 0 };
		int r;

		row_int(row->name, "range_settle()",
			range_settle(&spec, (struct inet_addr){ 0 }, &range, &err), 0);
		for (size_t i = 0; i < ARRAY_SIZE(row->taken) && row->taken[i]; i++)
			touch(row->taken[i], true);
		r = peek_first_free(dir, NULL, &range, &addr);
		row_int(row->name, "peek_first_free()", r, row->next != NULL);
		if (r > 0)
			row_text(row->name, "next", inet_format(addr, text), row->next);
		for (size_t i = 0; i < ARRAY_SIZE(row->taken) && row->taken[i]; i++)
			touch(row->taken[i], false);
		range_free(&range);
	}
}

static void a_pool_that_is_not_there(void **state)
{
	struct range_spec spec = { .path = "ipam", .range = "10.56.0.0/24" };
	struct inet_addr addr;
	struct range range;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(range_settle(&spec, (struct inet_addr){ 0 }, &range, &err), 0);
	assert_int_equal(peek_first_free("/no/such/pool", NULL, &range, &addr), 1);
	assert_true(peek_first_free("/dev/null", NULL, &range, &addr) < 0);
	range_free(&range);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_lowest_free_one),
		cmocka_unit_test(a_pool_that_is_not_there),
	};
	int status;

	if (!mkdtemp(dir))
		return 1;
	status = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(dir);
	return status;
}
