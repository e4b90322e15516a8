// SPDX-License-Identifier: Apache-2.0
/* rocectl ipam show: the leases as a table. */
#include "ctl/ipam.h"

#include <time.h>

enum { SORT_COLUMNS = 2 };

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

static json_t *get_store(const void *item)
{
	const struct row *row = item;

	return table_text(row->seen->home->path);
}

static json_t *get_network(const void *item)
{
	const struct row *row = item;

	return table_text(row->seen->network);
}

static json_t *get_address(const void *item)
{
	const struct row *row = item;
	char text[INET_PREFIX_TEXT_SIZE];

	return json_string(row->seen->lease
				   ? inet_format_prefix(row->seen->lease->address, text)
				   : inet_format(row->seen->addr, text));
}

/* Sorts addresses as numbers: the family, then all digits of them. */
static json_t *get_order(const void *item)
{
	const struct row *row = item;
	const struct inet_addr *addr = &row->seen->addr;

	return json_sprintf("%02d-%016llx%016llx", addr->family,
			    (unsigned long long)(addr->num >> 64), (unsigned long long)addr->num);
}

static json_t *get_kind(const void *item)
{
	const struct row *row = item;

	if (!row->seen->lease)
		return json_null();
	return json_string(row->seen->lease->range < LEASE_RANGES_MAX ? "range" : "static");
}

static json_t *get_slot(const void *item)
{
	const struct row *row = item;
	const struct lease *lease = row->seen->lease;

	return lease ? json_integer(lease->range % LEASE_RANGES_MAX) : json_null();
}

static json_t *get_container(const void *item)
{
	const struct row *row = item;

	return row->seen->lease ? table_text(row->seen->lease->id) : json_null();
}

static json_t *get_short_id(const void *item)
{
	const struct row *row = item;
	const struct lease *lease = row->seen->lease;

	return lease ? json_sprintf("%.*s", TABLE_SHORT_ID, lease->id) : json_null();
}

static json_t *get_ifname(const void *item)
{
	const struct row *row = item;

	return row->seen->lease ? table_text(row->seen->lease->ifname) : json_null();
}

static json_t *get_pod(const void *item)
{
	const struct row *row = item;

	return row->seen->lease ? table_text(row->seen->lease->pod) : json_null();
}

static json_t *get_node(const void *item)
{
	const struct row *row = item;

	return row->seen->lease ? table_text(row->seen->lease->node) : json_null();
}

static json_t *get_netns(const void *item)
{
	const struct row *row = item;

	return row->seen->lease ? table_text(row->seen->lease->netns) : json_null();
}

static json_t *get_domain(const void *item)
{
	const struct row *row = item;

	return row->seen->lease ? table_text(row->seen->lease->domain) : json_null();
}

/* Of another node nobody can say. */
static json_t *get_boot(const void *item)
{
	const struct row *row = item;
	const struct home *home = row->seen->home;
	const struct lease *lease = row->seen->lease;

	if (!lease || !streq(lease->node, home->node) || !*lease->boot || !*home->boot)
		return json_null();
	return json_string(streq(lease->boot, home->boot) ? "this" : "earlier");
}

static json_t *get_age(const void *item)
{
	const struct row *row = item;

	return row->seen->lease ? table_age(row->now, row->seen->lease->time) : json_null();
}

static json_t *get_created(const void *item)
{
	const struct row *row = item;

	return row->seen->lease ? table_time(row->seen->lease->time) : json_null();
}

static json_t *get_state(const void *item)
{
	const struct row *row = item;

	return json_string(row->state);
}

static json_t *get_reason(const void *item)
{
	const struct row *row = item;

	return table_text(row->reason);
}

/* ---- the table ---- */

/* The only list of columns. */
static const struct table_column columns[] = {
	{ "NETWORK", "network", TABLE_ANY, 0, get_network, NULL },
	{ NULL, NULL, 0, 0, get_order, NULL },
	{ "ADDRESS", "address", TABLE_ANY, 0, get_address, NULL },
	{ "OF", "source", TABLE_ANY, 0, get_kind, NULL },
	{ "SLOT", "slot", TABLE_FULL, 0, get_slot, NULL },
	{ "CONTAINER", NULL, TABLE_TEXT, 0, get_short_id, NULL },
	{ "CONTAINER", "containerID", TABLE_FULL, 0, get_container, NULL },
	{ "IFNAME", "ifname", TABLE_ANY, 0, get_ifname, NULL },
	{ "POD", "pod", TABLE_ANY, 0, get_pod, NULL },
	{ "NODE", "node", TABLE_FULL, 0, get_node, NULL },
	{ "AGE", "ageSeconds", TABLE_ANY, 0, get_age, table_print_age },
	{ "CREATED", "created", TABLE_FULL, 0, get_created, NULL },
	{ "BOOT", "boot", TABLE_ANY, 0, get_boot, NULL },
	{ "STATE", "state", TABLE_ANY, 0, get_state, NULL },
	{ NULL, "netns", TABLE_JSON, 0, get_netns, NULL },
	{ NULL, "domain", TABLE_JSON, 0, get_domain, NULL },
	{ "STORE", "store", TABLE_FULL, 0, get_store, NULL },
	{ "REASON", "reason", TABLE_FULL, 0, get_reason, NULL },
};

/* One run. */
struct listing {
	struct table table;
	int64_t now;
	int status;
};

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
	struct listing *listing = arg;
	struct row row = { .seen = seen, .now = listing->now };
	char text[INET_TEXT_SIZE];

	set_holder(seen, &row);
	if (table_add(&listing->table, &row) < 0) {
		fprintf(stderr, "rocectl: out of memory\n");
		listing->status = CTL_ERRORS;
	} else if (!seen->lease) {
		fprintf(stderr, "rocectl: %s/%s/%s: %s\n", seen->home->path, seen->network,
			inet_format(seen->addr, text), seen->why);
		listing->status = CTL_ERRORS;
	}
}

int ipam_show(const struct ipam_options *options)
{
	struct listing listing = {
		.table = { .columns = columns,
			   .n_columns = ARRAY_SIZE(columns),
			   .n_sort = SORT_COLUMNS },
		.now = time(NULL),
		.status = CTL_OK,
	};
	enum table_form form = options->form ? options->form : TABLE_TEXT;
	struct ipam_stores stores;
	int status = ipam_stores_find(&stores);

	if (ipam_each(&stores, options->network, add, &listing) != CTL_OK ||
	    stores.status != CTL_OK || listing.status != CTL_OK)
		status = CTL_ERRORS;
	if (table_print(&listing.table, form, IPAM_SCHEMA_VERSION, "leases") != CTL_OK)
		status = CTL_ERRORS;
	table_free(&listing.table);
	ipam_stores_free(&stores);
	return status;
}
