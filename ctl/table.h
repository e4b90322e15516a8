/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists as one table of columns, printed as text or JSON. A getter makes a JSON value, null for what is
 * not known; text is made of the same values.
 */
#ifndef CTL_TABLE_H
#define CTL_TABLE_H

#include "conf/jx.h"

#include <stdint.h>

enum {
	TABLE_CELL_SIZE = 2048,
	TABLE_SHORT_ID = 12, /* letters of a container's short ID, as container runtimes print it */
};

/* How a list is printed; a column is in some of the forms, or in none and only sorted by. */
enum table_form {
	TABLE_TEXT = 1,
	TABLE_WIDE = 2, /* as wide as it gets */
	TABLE_JSON = 4,
	TABLE_FULL = TABLE_WIDE | TABLE_JSON,
	TABLE_ANY = TABLE_TEXT | TABLE_FULL,
};

/**
 * struct table_column - one column
 * @header:	in text; NULL: not in text
 * @key:	in JSON; NULL: not in JSON
 * @forms:	which forms have it
 * @least:	columns of text that it keeps when a line would be too long
 * @get:	its value, of what table_add() is given
 * @print:	the value as text; NULL: as it is
 */
struct table_column {
	const char *header;
	const char *key;
	unsigned int forms;
	int least;
	json_t *(*get)(const void *item);
	void (*print)(const json_t *value, char buf[TABLE_CELL_SIZE]);
};

/**
 * struct table - a list
 * @columns, @n_columns: the only list of its columns
 * @n_sort:	so many columns at the start are strings that the rows are sorted by
 * @width:	of a line in form TABLE_TEXT; 0: any
 * @rows, @n:	arrays of one JSON value a column
 */
struct table {
	const struct table_column *columns;
	size_t n_columns;
	size_t n_sort;
	int width;
	json_t **rows;
	size_t n;
};

/* table_add() - append a row. Return: 0 or -ENOMEM. */
int table_add(struct table *table, const void *item);

/* table_set() - replace one value; @row counts from 0 in the order of table_add(), until it is printed. */
void table_set(struct table *table, size_t row, const char *key, json_t *value);

/**
 * table_print() - sort the rows and print them on stdout
 * @table:	the list
 * @form:	one of TABLE_TEXT, TABLE_WIDE, TABLE_JSON
 * @version:	"schemaVersion" of the JSON answer
 * @name:	key of the rows in it
 *
 * Return: CTL_OK or CTL_ERRORS.
 */
int table_print(struct table *table, enum table_form form, const char *version, const char *name);

/* table_free() - release the rows. */
void table_free(struct table *table);

/* table_read_form() - ctl_reader for -o text|wide|json into an enum table_form. */
int table_read_form(const char *text, void *field);

/* table_text() - a string, null for "" and NULL. */
json_t *table_text(const char *text);

/* table_age() - seconds from @since to @now, both since 1970. */
json_t *table_age(int64_t now, int64_t since);

/* table_time() - seconds since 1970 as a UTC timestamp; null for 0. */
json_t *table_time(int64_t since);

/* table_print_age() - seconds in two digits or three, as a glance wants it. */
void table_print_age(const json_t *value, char buf[TABLE_CELL_SIZE]);

#endif
