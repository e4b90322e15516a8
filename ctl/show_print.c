// SPDX-License-Identifier: Apache-2.0
/*
 * The columns of rocectl show. A getter makes a JSON value, null for what is not known; text is made of
 * the same values.
 */
#include "ctl/show.h"

#include "conf/roce.h"
#include "ctl/ctl.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>

enum {
	TEXT_WIDTH = 100,
	GAP = 2,
	SHORT_ID = 12,
	CELL_SIZE = 2048,
	SORT_COLUMNS = 7, /* at the start of the table: strings that the rows are sorted by */
};

/* ---- getters ---- */

static json_t *text_or_null(const char *text)
{
	return text && *text ? json_string(text) : json_null();
}

static json_t *get_network(const struct shown *shown)
{
	return text_or_null(shown->attachment->network);
}

static json_t *get_pod_namespace(const struct shown *shown)
{
	return text_or_null(shown->pod_namespace);
}

static json_t *get_pod_name(const struct shown *shown)
{
	return text_or_null(shown->pod_name);
}

static json_t *get_container(const struct shown *shown)
{
	return text_or_null(shown->attachment->container_id);
}

static json_t *get_pod(const struct shown *shown)
{
	if (!*shown->pod_name)
		return json_null();
	if (!*shown->pod_namespace)
		return json_string(shown->pod_name);
	return json_sprintf("%s/%s", shown->pod_namespace, shown->pod_name);
}

/* Of a container its short ID, as container runtimes print it. */
static json_t *get_pod_or_container(const struct shown *shown)
{
	const char *id = shown->attachment->container_id;

	return *shown->pod_name ? get_pod(shown) : json_sprintf("%.*s", SHORT_ID, id);
}

static json_t *get_ifname(const struct shown *shown)
{
	return text_or_null(shown->attachment->ifname);
}

static json_t *get_device(const struct shown *shown)
{
	return text_or_null(shown->journal->device.name);
}

static json_t *get_pci(const struct shown *shown)
{
	return text_or_null(shown->journal->device.pci.addr);
}

static json_t *get_pci_or_device(const struct shown *shown)
{
	return *shown->journal->device.pci.addr ? get_pci(shown) : get_device(shown);
}

static json_t *get_pf(const struct shown *shown)
{
	return text_or_null(shown->journal->device.pci.pf);
}

static json_t *get_vf(const struct shown *shown)
{
	const struct pci_dev *pci = &shown->journal->device.pci;

	return pci->is_vf ? json_integer(pci->vf_index) : json_null();
}

static json_t *get_rdma(const struct shown *shown)
{
	const struct device *device = &shown->journal->device;

	return device->has_rdma ? text_or_null(device->rdma.name) : json_null();
}

static json_t *get_addresses(const struct shown *shown)
{
	const struct journal *journal = shown->journal;
	char text[INET_PREFIX_TEXT_SIZE];
	json_t *addresses = json_array();

	for (size_t i = 0; i < journal->n_addresses; i++)
		json_array_append_new(addresses,
				      json_string(inet_format_prefix(journal->addresses[i], text)));
	return addresses;
}

/* What the ADD set; 0: the journal does not say. */
static int planned_mtu(const struct journal *journal)
{
	for (size_t i = 0; i < journal->n_steps; i++)
		if (journal->steps[i].type == STEP_LINK_MTU)
			return journal->steps[i].want.mtu;
	return 0;
}

static json_t *get_mtu(const struct shown *shown)
{
	int mtu = planned_mtu(shown->journal);

	return mtu ? json_integer(mtu) : json_null();
}

static json_t *get_roce_mtu(const struct shown *shown)
{
	int mtu = planned_mtu(shown->journal);

	return mtu ? json_integer(roce_carried(mtu)) : json_null();
}

static json_t *get_state(const struct shown *shown)
{
	return json_string(shown->state);
}

static json_t *get_reason(const struct shown *shown)
{
	return text_or_null(shown->reason);
}

static json_t *get_age(const struct shown *shown)
{
	int64_t since = shown->journal->time;

	if (!since)
		return json_null();
	return json_integer(shown->now > since ? shown->now - since
					       : 0); /* clocks are set back, too */
}

static json_t *get_created(const struct shown *shown)
{
	time_t since = shown->journal->time;
	char text[64];
	struct tm tm;

	if (!since || !gmtime_r(&since, &tm))
		return json_null();
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_string(text);
}

static json_t *get_netns(const struct shown *shown)
{
	return text_or_null(shown->journal->netns);
}

/* ---- values as text ---- */

/* Two digits or three, as a glance wants it. */
static void print_age(const json_t *value, char buf[CELL_SIZE])
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
	snprintf(buf, CELL_SIZE, "%" PRId64 "%c", age / ages[i].unit, ages[i].letter);
}

static void print_list(const json_t *value, char buf[CELL_SIZE])
{
	size_t len = 0;

	snprintf(buf, CELL_SIZE, "%s", json_array_size(value) ? "" : "-");
	for (size_t i = 0; i < json_array_size(value) && len < CELL_SIZE; i++)
		len += (size_t)snprintf(buf + len, CELL_SIZE - len, "%s%s", i ? "," : "",
					json_string_value(json_array_get(value, i)));
}

static void print_value(const json_t *value, char buf[CELL_SIZE])
{
	if (json_is_array(value))
		print_list(value, buf);
	else if (json_is_integer(value))
		snprintf(buf, CELL_SIZE, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else
		snprintf(buf, CELL_SIZE, "%s",
			 json_is_string(value) ? json_string_value(value) : "-");
}

/* ---- the table ---- */

/**
 * struct column - one column
 * @header:	in text; NULL: not in text
 * @key:	in JSON; NULL: not in JSON
 * @forms:	which forms have it
 * @least:	columns of text that it keeps when a line would be too long
 * @get:	its value
 * @print:	the value as text; NULL: as it is
 */
struct column {
	const char *header;
	const char *key;
	unsigned int forms;
	int least;
	json_t *(*get)(const struct shown *shown);
	void (*print)(const json_t *value, char buf[CELL_SIZE]);
};

enum { ANY = SHOW_TEXT | SHOW_WIDE | SHOW_JSON, FULL = SHOW_WIDE | SHOW_JSON };

/* The only list of columns. In text they and the gaps, cut to the least, fill TEXT_WIDTH. */
static const struct column columns[] = {
	{ "NETWORK", "network", ANY, 8, get_network, NULL },
	{ NULL, "podNamespace", SHOW_JSON, 0, get_pod_namespace, NULL },
	{ NULL, "podName", SHOW_JSON, 0, get_pod_name, NULL },
	{ "POD", NULL, SHOW_WIDE, 0, get_pod, NULL },
	{ "POD", NULL, SHOW_TEXT, 14, get_pod_or_container, NULL },
	{ "CONTAINER", "containerID", FULL, 0, get_container, NULL },
	{ "IFNAME", "ifname", ANY, 15, get_ifname, NULL },
	{ "DEVICE", NULL, SHOW_TEXT, 15, get_pci_or_device, NULL },
	{ "DEVICE", "device", FULL, 0, get_device, NULL },
	{ "PCI", "pci", FULL, 0, get_pci, NULL },
	{ "PF", "pf", FULL, 0, get_pf, NULL },
	{ "VF", "vfIndex", FULL, 0, get_vf, NULL },
	{ "RDMA", "rdmaDevice", FULL, 0, get_rdma, NULL },
	{ "ADDRESSES", "addresses", ANY, 12, get_addresses, NULL },
	{ "ROCE", "roceMTU", ANY, 4, get_roce_mtu, NULL },
	{ "MTU", "mtu", ANY, 5, get_mtu, NULL },
	{ "STATE", "state", ANY, 7, get_state, NULL },
	{ "AGE", "ageSeconds", ANY, 4, get_age, print_age },
	{ "CREATED", "created", FULL, 0, get_created, NULL },
	{ NULL, "netns", SHOW_JSON, 0, get_netns, NULL },
	{ "REASON", "reason", FULL, 0, get_reason, NULL },
};

int show_add(struct show_list *list, const struct shown *shown)
{
	json_t **grown = reallocarray(list->rows, list->n + 1, sizeof(*grown));
	json_t *row = json_array();

	if (grown)
		list->rows = grown;
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		json_array_append_new(row, columns[i].get(shown));
	if (!grown || json_array_size(row) != ARRAY_SIZE(columns)) {
		json_decref(row);
		return -ENOMEM;
	}
	list->rows[list->n++] = row;
	return 0;
}

void show_free(struct show_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		json_decref(list->rows[i]);
	free(list->rows);
	*list = (struct show_list){ .n = 0 };
}

static int compare(const void *a, const void *b)
{
	const json_t *const *x = a, *const *y = b;
	int r = 0;

	for (size_t i = 0; r == 0 && i < SORT_COLUMNS; i++) {
		const char *left = json_string_value(json_array_get(*x, i));
		const char *right = json_string_value(json_array_get(*y, i));

		r = strcmp(left ? left : "", right ? right : "");
	}
	return r;
}

/* ---- text ---- */

/* A cell as text; bytes that could break a line or a terminal become '?'. The header for no row. */
static void cell_text(const json_t *row, size_t column, char buf[CELL_SIZE])
{
	const json_t *value = json_array_get(row, column);

	if (!row)
		snprintf(buf, CELL_SIZE, "%s", columns[column].header);
	else if (json_is_null(value))
		snprintf(buf, CELL_SIZE, "-");
	else if (columns[column].print)
		columns[column].print(value, buf);
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

static void measure(const struct show_list *list, unsigned int form, int *widths)
{
	char text[CELL_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (!(columns[i].forms & form))
			continue;
		widths[i] = (int)strlen(columns[i].header);
		for (size_t row = 0; row < list->n; row++) {
			cell_text(list->rows[row], i, text);
			if ((int)strlen(text) > widths[i])
				widths[i] = (int)strlen(text);
		}
	}
}

/* Takes from the columns that have most to spare until a line fits. */
static void shrink(int *widths)
{
	int total = -GAP;

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		total += widths[i] ? widths[i] + GAP : 0;
	for (; total > TEXT_WIDTH; total--) {
		size_t most = 0;

		for (size_t i = 1; i < ARRAY_SIZE(columns); i++)
			if (widths[i] - columns[i].least > widths[most] - columns[most].least)
				most = i;
		widths[most]--;
	}
}

static void print_line(const json_t *row, const int *widths)
{
	char text[CELL_SIZE];
	int pending = 0; /* blanks, printed only if something follows */

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (!widths[i])
			continue;
		cell_text(row, i, text);
		cut(text, widths[i]);
		printf("%*s%s", pending, "", text);
		pending = widths[i] - (int)strlen(text) + GAP;
	}
	putchar('\n');
}

/* ---- the answer ---- */

static int print_text(const struct show_list *list, unsigned int form)
{
	int widths[ARRAY_SIZE(columns)] = { 0 }; /* 0: not in this form */

	measure(list, form, widths);
	if (form == SHOW_TEXT)
		shrink(widths);
	print_line(NULL, widths);
	for (size_t i = 0; i < list->n; i++)
		print_line(list->rows[i], widths);
	return CTL_OK;
}

static int print_json(const struct show_list *list)
{
	json_t *attachments = json_array();

	for (size_t i = 0; i < list->n; i++) {
		json_t *object = json_object();

		for (size_t j = 0; j < ARRAY_SIZE(columns); j++)
			if (columns[j].key)
				json_object_set(object, columns[j].key,
						json_array_get(list->rows[i], j));
		json_array_append_new(attachments, object);
	}
	return ctl_print_json(json_pack("{ss so}", "schemaVersion", SHOW_SCHEMA_VERSION,
					"attachments", attachments));
}

int show_print(struct show_list *list, enum show_form form)
{
	if (list->n > 1)
		qsort(list->rows, list->n, sizeof(*list->rows), compare);
	return form == SHOW_JSON ? print_json(list) : print_text(list, form);
}
