// SPDX-License-Identifier: Apache-2.0
/* The error object: first error wins, context in front, details behind, never an overflow. */
#include "base/err.h"

#include "tests/unit/row.h"

#include <ctype.h>
#include <errno.h>

static void set_returns_and_keeps(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_false(err_is_set(&err));
	assert_int_equal(err_set(&err, CNI_IO_FAILURE, -EIO, "disk %d", 7), -EIO);
	assert_true(err_is_set(&err));
	assert_int_equal(err.code, CNI_IO_FAILURE);
	assert_int_equal(err.eno, EIO);
	assert_string_equal(err.msg, "disk 7");
	assert_string_equal(err.details, "");
}

static void first_error_wins(void **state)
{
	struct err err = { 0 };

	(void)state;
	err_set(&err, CNI_IO_FAILURE, -EIO, "first");
	assert_int_equal(err_set(&err, CNI_TRY_AGAIN, -EBUSY, "second"), -EBUSY);
	assert_int_equal(err.code, CNI_IO_FAILURE);
	assert_int_equal(err.eno, EIO);
	assert_string_equal(err.msg, "first");
}

static void wrap_goes_in_front(void **state)
{
	struct err err = { 0 };

	(void)state;
	err_set(&err, ROCE_DEVICE_BUSY, -EBUSY, "it is taken");
	assert_int_equal(err_wrap(&err, "device %s", "ens1f0v2"), -EBUSY);
	assert_int_equal(err_wrap(&err, "ADD"), -EBUSY);
	assert_string_equal(err.msg, "ADD: device ens1f0v2: it is taken");
	assert_int_equal(err.code, ROCE_DEVICE_BUSY);
}

static void details_are_lines(void **state)
{
	struct err err = { 0 };

	(void)state;
	err_detail(&err, "one %d", 1);
	err_detail(&err, "two");
	assert_string_equal(err.details, "one 1\ntwo");
	assert_false(err_is_set(&err));
}

/* Texts around every edge of the buffers, in all three functions. */
static void long_texts_are_cut(void **state)
{
	static char text[4096];

	(void)state;
	for (int len = 1; len<(int)sizeof(text); len += len> 960 && len < 2100 ? 1 : 61) {
		struct {
			struct err err;
			char guard[8];
		} box = { .guard = "guarded" };

		memset(text, 'x', sizeof(text));
		err_set(&box.err, CNI_IO_FAILURE, -EIO, "%.*s", len, text);
		err_wrap(&box.err, "%.*s", len / 2, text);
		err_wrap(&box.err, "%.*s", len, text);
		err_detail(&box.err, "%.*s", len, text);
		err_detail(&box.err, "%.*s", len / 2, text);
		err_detail(&box.err, "%.*s", len, text);
		assert_true(strlen(box.err.msg) < sizeof(box.err.msg));
		assert_true(strlen(box.err.details) < sizeof(box.err.details));
		assert_string_equal(box.guard, "guarded");
	}
}

/* Details that fill the buffer byte by byte never leave it. */
static void details_fill_to_the_last_byte(void **state)
{
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(err.details); i++) {
		err_detail(&err, "x");
		assert_true(strlen(err.details) < sizeof(err.details));
	}
	assert_true(strlen(err.details) > sizeof(err.details) - 3);
}

/* ---- the table of codes ---- */

static bool upper_case_name(const char *name)
{
	for (const char *p = name; *p; p++)
		if (!isupper((unsigned char)*p) && *p != '_')
			return false;
	return *name != '\0';
}

static void table_is_ordered_and_unique(void **state)
{
	size_t n;
	const struct err_info *table = err_table(&n);

	(void)state;
	assert_true(n > 0);
	for (size_t i = 0; i < n; i++) {
		const struct err_info *info = &table[i];

		row_true(info->name, "name in upper case", upper_case_name(info->name));
		row_true(info->name, "has a meaning", strlen(info->meaning) > 10);
		row_text(info->name, "err_code_name()", err_code_name(info->code), info->name);
		row_true(info->name, "order", i == 0 || table[i - 1].code < info->code);
		row_true(info->name, "reserved codes",
			 info->code < 12 || info->code == 50 || info->code == 51 ||
				 info->code >= 100);
		for (size_t j = 0; j < i; j++)
			row_true(info->name, "unique name", !streq(table[j].name, info->name));
	}
}

/* Every code of the enum, by number: a new one without an entry shows here. */
static void table_has_every_code(void **state)
{
	static const int ranges[][2] = { { CNI_VERSION_UNSUPPORTED, CNI_NETNS_IS_HOST },
					 { CNI_TRY_AGAIN, CNI_TRY_AGAIN },
					 { CNI_UNAVAILABLE, CNI_DEGRADED },
					 { ROCE_MTU_MISMATCH, ROCE_RDMA_UNUSABLE } };
	size_t n, expected = 0;

	(void)state;
	for_each_row(range, ranges)
	{
		for (int code = (*range)[0]; code <= (*range)[1]; code++, expected++)
			if (streq(err_code_name(code), "UNKNOWN"))
				fail_msg("code %d has no entry", code);
	}
	err_table(&n);
	assert_int_equal(n, expected);
	assert_string_equal(err_code_name(CNI_OK), "UNKNOWN");
	assert_string_equal(err_code_name(999), "UNKNOWN");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_returns_and_keeps),
		cmocka_unit_test(first_error_wins),
		cmocka_unit_test(wrap_goes_in_front),
		cmocka_unit_test(details_are_lines),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(details_fill_to_the_last_byte),
		cmocka_unit_test(table_is_ordered_and_unique),
		cmocka_unit_test(table_has_every_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
