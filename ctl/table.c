// SPDX-License-Identifier: Apache-2.0
#include "ctl/table.h"

#include "ctl/ctl.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>

enum { GAP = 2, COLUMNS_MAX = 32 };

int table_read_form(const char *text, void *field)
{
	static const struct {
		const char *name;
		enum table_form form;
	} forms[] = { { "text", TABLE_TEXT }, { "wide", TABLE_WIDE }, { "json", TABLE_JSON } };

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (streq(text, forms[i].name)) {
			*(enum table_form *)field = forms[i].form;
			return 0;
		}
	}
	return -EINVAL;
}

/* ---- values ---- */

json_t *table_text(const char *text)
{
	return text && *text ? jx_readable(text) : json_null();
}

json_t *table_age(int64_t now, int64_t since)
{
	return json_integer(now > since ? now - since : 0); /* clocks are set back, too */
}

json_t *table_time(int64_t since)
{
	time_t seconds = since;
	char text[64];
	struct tm tm;

	if (!since || !gmtime_r(&seconds, &tm))
		return json_null();
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_string(text);
}

void table_print_age(const json_t *value, char buf[TABLE_CELL_SIZE])
{
	static const struct {
		int64_t below;
		int64_t unit;
		char letter;
	} ages[] = {
		{ 120, 1, 's' },
		{ 120 * 60, 60, 'm' },
		{ 48 * 3600, 3600, 'h' },
		{ INT64_C(1000) * 86400, 86400, 'd' },
		{ INT64_MAX, INT64_C(365) * 86400, 'y' },
	};
	int64_t age = json_integer_value(value);
	size_t i = 0;

	while (age >= ages[i].below && i < ARRAY_SIZE(ages) - 1)
		i++;
	snprintf(buf, TABLE_CELL_SIZE, "%" PRId64 "%c", age / ages[i].unit, ages[i].letter);
}

static void print_list(const json_t *value, char buf[TABLE_CELL_SIZE])
{
	size_t len = 0;

	snprintf(buf, TABLE_CELL_SIZE, "%s", json_array_size(value) ? "" : "-");
	for (size_t i = 0; i < json_array_size(value) && len < TABLE_CELL_SIZE; i++)
		len += (size_t)snprintf(buf + len, TABLE_CELL_SIZE - len, "%s%s", i ? "," : "",
					json_string_value(json_array_get(value, i)));
}

static void print_value(const json_t *value, char buf[TABLE_CELL_SIZE])
{
	if (json_is_array(value))
		print_list(value, buf);
	else if (json_is_integer(value))
		snprintf(buf, TABLE_CELL_SIZE, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else
		snprintf(buf, TABLE_CELL_SIZE, "%s",
			 json_is_string(value) ? json_string_value(value) : "-");
}

/* ---- rows ---- */

int table_add(struct table *table, const void *item)
{
	json_t **grown = base_grow(table->rows, table->n, sizeof(*grown));
	json_t *row = json_array();

	if (grown)
		table->rows = grown;
	for (size_t i = 0; i < table->n_columns; i++)
		json_array_append_new(row, table->columns[i].get(item));
	if (!grown || json_array_size(row) != table->n_columns) {
		json_decref(row);
		return -ENOMEM;
	}
	table->rows[table->n++] = row;
	return 0;
}

void table_set(struct table *table, size_t row, const char *key, json_t *value)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (table->columns[i].key && streq(table->columns[i].key, key))
			json_array_set(table->rows[row], i, value);
	json_decref(value);
}

void table_free(struct table *table)
{
	for (size_t i = 0; i < table->n; i++)
		json_decref(table->rows[i]);
	free(table->rows);
	table->rows = NULL;
	table->n = 0;
}

static int compare(const void *a, const void *b, void *arg)
{
	const json_t *const *x = a, *const *y = b;
	const struct table *table = arg;
	int r = 0;

	for (size_t i = 0; r == 0 && i < table->n_sort; i++) {
		const char *left = json_string_value(json_array_get(*x, i));
		const char *right = json_string_value(json_array_get(*y, i));

		r = strcmp(left ? left : "", right ? right : "");
	}
	return r;
}

/* ---- text ---- */

/* A cell as text; bytes that could break a line or a terminal become '?'. The header for no row. */
static void cell_text(const struct table *table, const json_t *row, size_t i,
		      char buf[TABLE_CELL_SIZE])
{
	const json_t *value = json_array_get(row, i);

	if (!row)
		snprintf(buf, TABLE_CELL_SIZE, "%s", table->columns[i].header);
	else if (json_is_null(value))
		snprintf(buf, TABLE_CELL_SIZE, "-");
	else if (table->columns[i].print)
		table->columns[i].print(value, buf);
	else
		print_value(value, buf);
	for (char *p = buf; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
}

/* The middle of what is too long gives way to "..": names differ at the end, or are told by the start. */
static void cut(char *text, int width)
{
	size_t len = strlen(text), head = (size_t)(width - 1) / 2, tail = (size_t)width - 2 - head;

	if (len <= (size_t)width)
		return;
	memcpy(text + head, "..", 2);
	memmove(text + head + 2, text + len - tail, tail + 1);
}

static void measure(const struct table *table, unsigned int form, int *widths)
{
	char text[TABLE_CELL_SIZE];

	for (size_t i = 0; i < table->n_columns; i++) {
		if (!(table->columns[i].forms & form) || !table->columns[i].header)
			continue;
		widths[i] = (int)strlen(table->columns[i].header);
		for (size_t row = 0; row < table->n; row++) {
			cell_text(table, table->rows[row], i, text);
			if ((int)strlen(text) > widths[i])
				widths[i] = (int)strlen(text);
		}
	}
}

/* Takes from the columns that have most to spare until a line fits. */
static void shrink(const struct table *table, int *widths)
{
	int total = -GAP;

	for (size_t i = 0; i < table->n_columns; i++)
		total += widths[i] ? widths[i] + GAP : 0;
	for (; total > table->width; total--) {
		size_t most = 0;

		for (size_t i = 1; i < table->n_columns; i++)
			if (widths[i] - table->columns[i].least > widths[most] - table->columns[most].least)
				most = i;
		widths[most]--;
	}
}

static void print_line(const struct table *table, const json_t *row, const int *widths)
{
	char text[TABLE_CELL_SIZE];
	int pending = 0; /* blanks, printed only if something follows */

	for (size_t i = 0; i < table->n_columns; i++) {
		if (!widths[i])
			continue;
		cell_text(table, row, i, text);
		cut(text, widths[i]);
		printf("%*s%s", pending, "", text);
		pending = widths[i] - (int)strlen(text) + GAP;
	}
	putchar('\n');
}

/* ---- the answer ---- */

static int print_text(const struct table *table, unsigned int form)
{
	int widths[COLUMNS_MAX] = { 0 }; /* 0: not in this form */

	measure(table, form, widths);
	if (form == TABLE_TEXT && table->width)
		shrink(table, widths);
	print_line(table, NULL, widths);
	for (size_t i = 0; i < table->n; i++)
		print_line(table, table->rows[i], widths);
	return CTL_OK;
}

static int print_json(const struct table *table, const char *version, const char *name)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < table->n; i++) {
		json_t *object = json_object();

		for (size_t j = 0; j < table->n_columns; j++)
			if (table->columns[j].key)
				json_object_set(object, table->columns[j].key,
						json_array_get(table->rows[i], j));
		json_array_append_new(rows, object);
	}
	return ctl_print_json(json_pack("{ss so}", "schemaVersion", version, name, rows));
}

int table_print(struct table *table, enum table_form form, const char *version, const char *name)
{
	if (table->n > 1)
		qsort_r(table->rows, table->n, sizeof(*table->rows), compare, table);
	return form == TABLE_JSON ? print_json(table, version, name) : print_text(table, form);
}
