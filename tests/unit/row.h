/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of test tables: comparisons that name the row they fail in. Include instead of cmocka.h. */
#ifndef TESTS_UNIT_ROW_H
#define TESTS_UNIT_ROW_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* for_each_row() - walk the table @rows with the pointer @row. */
#define for_each_row(row, rows)                                                                    \
	for (__typeof__(&(rows)[0]) row = (rows); row < (rows) + sizeof(rows) / sizeof((rows)[0]); \
	     row++)

/* row_int() - a number must be what the row says. */
static inline void row_int(const char *row, const char *what, long long got, long long want)
{
	if (got != want)
		fail_msg("row \"%s\": %s is %lld, must be %lld", row, what, got, want);
}

/* row_text() - a text must be what the row says; NULL equals NULL only. */
static inline void row_text(const char *row, const char *what, const char *got, const char *want)
{
	if (got && want ? strcmp(got, want) != 0 : got != want)
		fail_msg("row \"%s\": %s is \"%s\", must be \"%s\"", row, what,
			 got ? got : "(null)", want ? want : "(null)");
}

/* row_part() - a text must contain what the row says; NULL: nothing in particular. */
static inline void row_part(const char *row, const char *what, const char *got, const char *part)
{
	if (part && !strstr(got, part))
		fail_msg("row \"%s\": %s is \"%s\", must contain \"%s\"", row, what, got, part);
}

/* row_true() - a condition must hold. */
static inline void row_true(const char *row, const char *what, int holds)
{
	if (!holds)
		fail_msg("row \"%s\": %s does not hold", row, what);
}

/**
 * row_tests() - make a test of each row, so that no row hides another
 * @tests:	room for as many tests
 * @what:	goes before the row's name in the name of its test
 * @rows:	the table; its rows have a member "name"
 * @function:	the test; its *state is the row
 */
#define row_tests(tests, what, rows, function)                                                     \
	row_tests_of(tests, what, rows, sizeof(rows) / sizeof((rows)[0]), sizeof((rows)[0]),       \
		     offsetof(__typeof__((rows)[0]), name), function)

static inline void row_tests_of(struct CMUnitTest *tests, const char *what, const void *rows,
				size_t n, size_t size, size_t name, CMUnitTestFunction function)
{
	for (size_t i = 0; i < n; i++) {
		const char *row = (const char *)rows + i * size;
		char *full;

		if (asprintf(&full, "%s: %s", what, *(const char *const *)(row + name)) < 0)
			abort();
		tests[i] = (struct CMUnitTest){
			.name = full,
			.test_func = function,
			.initial_state = (void *)row,
		};
	}
}

#endif
