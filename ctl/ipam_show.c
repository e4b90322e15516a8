// SPDX-License-Identifier: Apache-2.0
/*
 * rocectl ipam show: the leases as rows of one table of columns. A getter makes a JSON value, null for
 * what is not known; text is made of the same values.
 */
#include "ctl/ipam.h"

#include <inttypes.h>
#include <time.h>

enum { SHORT_ID = 12, GAP = 2, CELL_SIZE = 512 };

/* ---- getters ---- */

/**
 * struct row - what the columns of one lease are made of
 * @seen:	the record
 * @state, @reason: of its holder
 * @now:	seconds since 1970
 */
struct row {
	const struct ipam_seen *seen;
	const char *state;
	const char *reason;
	int64_t now;
};

static json_t *text_or_null(const char *text)
{
	return *text ? jx_readable(text) : json_null();
}

static json_t *get_store(const struct row *row)
{
	return text_or_null(row->seen->home->path);
}

static json_t *get_network(const struct row *row)
{
	return text_or_null(row->seen->network);
}

static json_t *get_address(const struct row *row)
{
	char text[INET_PREFIX_TEXT_SIZE];

	return json_string(row->seen->lease
				   ? inet_format_prefix(row->seen->lease->address, text)
				   : inet_format(row->seen->addr, text));
}

static json_t *get_kind(const struct row *row)
{
	if (!row->seen->lease)
		return json_null();
	return json_string(row->seen->lease->range < LEASE_RANGES_MAX ? "range" : "static");
}

static json_t *get_slot(const struct row *row)
{
	const struct lease *lease = row->seen->lease;

	return lease ? json_integer(lease->range % LEASE_RANGES_MAX) : json_null();
}

static json_t *get_container(const struct row *row)
{
	return row->seen->lease ? text_or_null(row->seen->lease->id) : json_null();
}

static json_t *get_short_id(const struct row *row)
{
	const struct lease *lease = row->seen->lease;

	return lease ? json_sprintf("%.*s", SHORT_ID, lease->id) : json_null();
}

static json_t *get_ifname(const struct row *row)
{
	return row->seen->lease ? text_or_null(row->seen->lease->ifname) : json_null();
}

static json_t *get_pod(const struct row *row)
{
	return row->seen->lease ? text_or_null(row->seen->lease->pod) : json_null();
}

static json_t *get_node(const struct row *row)
{
	return row->seen->lease ? text_or_null(row->seen->lease->node) : json_null();
}

static json_t *get_netns(const struct row *row)
{
	return row->seen->lease ? text_or_null(row->seen->lease->netns) : json_null();
}

static json_t *get_domain(const struct row *row)
{
	return row->seen->lease ? text_or_null(row->seen->lease->domain) : json_null();
}

/* Of another node nobody can say. */
static json_t *get_boot(const struct row *row)
{
	const struct home *home = row->seen->home;
	const struct lease *lease = row->seen->lease;

	if (!lease || !streq(lease->node, home->node) || !*lease->boot || !*home->boot)
		return json_null();
	return json_string(streq(lease->boot, home->boot) ? "this" : "earlier");
}

static json_t *get_age(const struct row *row)
{
	if (!row->seen->lease)
		return json_null();
	return json_integer(row->now > row->seen->lease->time ? row->now - row->seen->lease->time
							       : 0); /* clocks are set back, too */
}

static json_t *get_created(const struct row *row)
{
	time_t since = row->seen->lease ? row->seen->lease->time : 0;
	char text[64];
	struct tm tm;

	if (!since || !gmtime_r(&since, &tm))
		return json_null();
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_string(text);
}

static json_t *get_state(const struct row *row)
{
	return json_string(row->state);
}

static json_t *get_reason(const struct row *row)
{
	return text_or_null(row->reason);
}

/* ---- the table ---- */

/**
 * struct column - one column
 * @header:	in text; NULL: not in text
 * @key:	in JSON; NULL: not in JSON
 * @forms:	which forms have it
 * @get:	its value
 */
struct column {
	const char *header;
	const char *key;
	unsigned int forms;
	json_t *(*get)(const struct row *row);
};

enum { ANY = IPAM_TEXT | IPAM_WIDE | IPAM_JSON, FULL = IPAM_WIDE | IPAM_JSON };

/* The only list of columns. */
static const struct column columns[] = {
	{ "NETWORK", "network", ANY, get_network },
	{ "ADDRESS", "address", ANY, get_address },
	{ "OF", "source", ANY, get_kind },
	{ "SLOT", "slot", FULL, get_slot },
	{ "CONTAINER", NULL, IPAM_TEXT, get_short_id },
	{ "CONTAINER", "containerID", FULL, get_container },
	{ "IFNAME", "ifname", ANY, get_ifname },
	{ "POD", "pod", ANY, get_pod },
	{ "NODE", "node", FULL, get_node },
	{ "AGE", "ageSeconds", ANY, get_age },
	{ "CREATED", "created", FULL, get_created },
	{ "BOOT", "boot", ANY, get_boot },
	{ "STATE", "state", ANY, get_state },
	{ NULL, "netns", IPAM_JSON, get_netns },
	{ NULL, "domain", IPAM_JSON, get_domain },
	{ "STORE", "store", FULL, get_store },
	{ "REASON", "reason", FULL, get_reason },
};

/* Rows: arrays of one JSON value a column, with what they are sorted by. */
struct table {
	struct line {
		json_t *cells;
		struct inet_addr addr;
	} *lines;
	size_t n;
	int64_t now;
	int status;
};

static int compare(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int r = strcmp(json_string_value(json_array_get(x->cells, 0)),
		       json_string_value(json_array_get(y->cells, 0)));

	if (r == 0)
		r = x->addr.family - y->addr.family;
	if (r == 0)
		r = x->addr.num < y->addr.num ? -1 : x->addr.num > y->addr.num;
	return r;
}

static void set_holder(const struct ipam_seen *seen, struct row *row)
{
	static const char *const names[] = { [HOLDER_OK] = "ok",
					     [HOLDER_STALE] = "stale",
					     [HOLDER_ORPHAN] = "orphan",
					     [HOLDER_UNKNOWN] = "unknown" };

	row->state = "damaged";
	row->reason = seen->why;
	if (seen->lease)
		row->state = names[holder_state(seen->home, seen->lease, &row->reason)];
}

static void add(const struct ipam_seen *seen, void *arg)
{
	struct table *table = arg;
	struct row row = { .seen = seen, .now = table->now };
	struct line *grown = reallocarray(table->lines, table->n + 1, sizeof(*grown));
	json_t *cells = json_array();

	if (grown)
		table->lines = grown;
	set_holder(seen, &row);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		json_array_append_new(cells, columns[i].get(&row));
	if (!grown || json_array_size(cells) != ARRAY_SIZE(columns)) {
		fprintf(stderr, "rocectl: out of memory\n");
		json_decref(cells);
		table->status = CTL_ERRORS;
		return;
	}
	if (!seen->lease) {
		char text[INET_TEXT_SIZE];

		fprintf(stderr, "rocectl: %s/%s/%s: %s\n", seen->home->path, seen->network,
			inet_format(seen->addr, text), seen->why);
		table->status = CTL_ERRORS;
	}
	grown[table->n++] = (struct line){ cells, seen->addr };
}

/* ---- text ---- */

/* Two digits or three, as a glance wants it. */
static void print_age(int64_t age, char buf[CELL_SIZE])
{
	if (age < 120)
		snprintf(buf, CELL_SIZE, "%" PRId64 "s", age);
	else if (age < 120 * 60)
		snprintf(buf, CELL_SIZE, "%" PRId64 "m", age / 60);
	else if (age < 48 * 3600)
		snprintf(buf, CELL_SIZE, "%" PRId64 "h", age / 3600);
	else
		snprintf(buf, CELL_SIZE, "%" PRId64 "d", age / 86400);
}

/* A cell as text, the header for no cells. Bytes that could break a line or a terminal become '?'. */
static void cell_text(json_t *cells, size_t column, char buf[CELL_SIZE])
{
	const json_t *value = json_array_get(cells, column);

	if (!cells)
		snprintf(buf, CELL_SIZE, "%s", columns[column].header);
	else if (columns[column].get == get_age && json_is_integer(value))
		print_age(json_integer_value(value), buf);
	else if (json_is_integer(value))
		snprintf(buf, CELL_SIZE, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else
		snprintf(buf, CELL_SIZE, "%s",
			 json_is_string(value) ? json_string_value(value) : "-");
	for (char *p = buf; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
}

static void widen(json_t *cells, unsigned int form, int *widths)
{
	char text[CELL_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (!(columns[i].forms & form) || !columns[i].header)
			continue;
		cell_text(cells, i, text);
		if ((int)strlen(text) > widths[i])
			widths[i] = (int)strlen(text);
	}
}

static void print_line(json_t *cells, const int *widths)
{
	char text[CELL_SIZE];
	int pending = 0; /* blanks, printed only if something follows */

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (!widths[i])
			continue;
		cell_text(cells, i, text);
		printf("%*s%s", pending, "", text);
		pending = widths[i] - (int)strlen(text) + GAP;
	}
	putchar('\n');
}

static int print_text(const struct table *table, unsigned int form)
{
	int widths[ARRAY_SIZE(columns)] = { 0 }; /* 0: not in this form */

	widen(NULL, form, widths);
	for (size_t i = 0; i < table->n; i++)
		widen(table->lines[i].cells, form, widths);
	print_line(NULL, widths);
	for (size_t i = 0; i < table->n; i++)
		print_line(table->lines[i].cells, widths);
	return CTL_OK;
}

/* ---- JSON ---- */

static int print_json(const struct table *table)
{
	json_t *leases = json_array();

	for (size_t i = 0; i < table->n; i++) {
		json_t *object = json_object();

		for (size_t j = 0; j < ARRAY_SIZE(columns); j++)
			if (columns[j].key)
				json_object_set(object, columns[j].key,
						json_array_get(table->lines[i].cells, j));
		json_array_append_new(leases, object);
	}
	return ctl_print_json(
		json_pack("{ss so}", "schemaVersion", IPAM_SCHEMA_VERSION, "leases", leases));
}

int ipam_show(const struct ipam_options *options)
{
	struct table table = { .now = time(NULL), .status = CTL_OK };
	struct ipam_stores stores;
	int status = ipam_stores_find(&stores);

	if (ipam_each(&stores, options->network, add, &table) != CTL_OK ||
	    stores.status != CTL_OK || table.status != CTL_OK)
		status = CTL_ERRORS;
	if (table.n > 1)
		qsort(table.lines, table.n, sizeof(*table.lines), compare);
	if ((options->form == IPAM_JSON
		     ? print_json(&table)
		     : print_text(&table, options->form ? options->form : IPAM_TEXT)) != CTL_OK)
		status = CTL_ERRORS;
	for (size_t i = 0; i < table.n; i++)
		json_decref(table.lines[i].cells);
	free(table.lines);
	ipam_stores_free(&stores);
	return status;
}
