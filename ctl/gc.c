// SPDX-License-Identifier: Apache-2.0
/*
 * rocectl gc: attachments whose pod is gone, or whose device has come back. What is left over is found
 * here; the plugin detaches it, network by network, and judges each once more under its lock.
 */
#include "cni/leftover.h"
#include "ctl/attached.h"
#include "ctl/ctl.h"
#include "ctl/plugin.h"

#include <errno.h>
#include <fcntl.h>

#define GC_SCHEMA_VERSION "1.0"

enum { COLUMNS_MAX = 32 };

/* ---- options ---- */

struct options {
	enum table_form form;
	bool dry_run;
	const char *plugin;
};

static const struct ctl_option options_table[] = {
	{ "dry-run", 0, NULL, "change nothing, only list what is left over", ctl_read_flag,
	  offsetof(struct options, dry_run) },
	{ "plugin", 0, "PATH", "the installed plugin roce", ctl_read_text,
	  offsetof(struct options, plugin) },
	{ "output", 'o', "text|wide|json", "in which form, text if not given", table_read_form,
	  offsetof(struct options, form) },
};

/* ---- the list ---- */

/* A row; the columns of rocectl show see its first member. */
struct left {
	struct shown shown;
	enum leftover what;
};

/* What the plugin will do, in order. */
static json_t *get_actions(const void *item)
{
	const struct left *left = item;
	const struct journal *journal = left->shown.journal;
	json_t *actions = json_array();

	if (left->what == LEFTOVER_RETURNED ||
	    (left->what == LEFTOVER_DEAD && !*journal->device.kind))
		json_array_append_new(actions, json_string("restore"));
	if (journal->ipam_type)
		json_array_append_new(actions, json_string("release"));
	json_array_append_new(actions, json_string("forget"));
	return actions;
}

static json_t *get_result(const void *item)
{
	(void)item;
	return json_string("planned");
}

static const struct table_column own_columns[] = {
	{ "ACTIONS", "actions", TABLE_ANY, 22, get_actions, NULL },
	{ "RESULT", "result", TABLE_ANY, 7, get_result, NULL },
};

static bool is_spared_in_text(const struct table_column *column)
{
	static const char *const keys[] = { "addresses", "roceMTU", "mtu", "ageSeconds" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (column->key && streq(column->key, keys[i]))
			return true;
	return false;
}

/* The columns of rocectl show, some of them not in text, and our own. */
static struct table make_table(struct table_column columns[COLUMNS_MAX])
{
	struct table table = show_table();

	memcpy(columns, table.columns, table.n_columns * sizeof(*columns));
	for (size_t i = 0; i < table.n_columns; i++)
		if (is_spared_in_text(&columns[i]))
			columns[i].forms &= ~TABLE_TEXT;
	memcpy(columns + table.n_columns, own_columns, sizeof(own_columns));
	table.n_columns += ARRAY_SIZE(own_columns);
	table.columns = columns;
	return table;
}

/* ---- looking ---- */

/* A network that has attachments. */
struct network {
	char name[CNI_NAME_MAX + 1];
	json_t *valid; /* what is to stay, as the plugin reads it */
	size_t n_left;
};

/**
 * struct gc - one run
 * @options:	what was asked
 * @attached:	the node
 * @networks, @n_networks: seen so far
 * @journals:	names of the journals of what is left over, in the order of @list
 * @list:	what is left over
 */
struct gc {
	struct options options;
	struct attached attached;
	struct network *networks;
	size_t n_networks;
	char (*journals)[STORE_NAME_SIZE];
	struct table list;
};

/* The attachments of a network come one after the other. Return: NULL without memory. */
static struct network *network_of(struct gc *gc, const char *name)
{
	struct network *grown = gc->networks, *network;

	if (gc->n_networks > 0 && streq(grown[gc->n_networks - 1].name, name))
		return &grown[gc->n_networks - 1];
	grown = base_grow(gc->networks, gc->n_networks, sizeof(*grown));
	if (!grown)
		return NULL;
	gc->networks = grown;
	network = &grown[gc->n_networks++];
	*network = (struct network){ .valid = json_array() };
	snprintf(network->name, sizeof(network->name), "%s", name);
	return network;
}

static int note_left(struct gc *gc, struct network *network, const struct left *left)
{
	char (*grown)[STORE_NAME_SIZE] = base_grow(gc->journals, gc->list.n, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	gc->journals = grown;
	store_name(left->shown.attachment, grown[gc->list.n]);
	network->n_left++;
	return table_add(&gc->list, left);
}

static int note_valid(struct network *network, const struct attachment *attachment)
{
	return json_array_append_new(network->valid,
				     json_pack("{ss ss}", "containerID", attachment->container_id,
					       "ifname", attachment->ifname));
}

/* Whoever holds its lock is about to finish it, or to remove it. */
static enum leftover judge(struct gc *gc, const struct shown *shown)
{
	struct attached *attached = &gc->attached;
	enum leftover what = LEFTOVER_NONE;
	struct err err = { 0 };

	if (!store_is_busy(&attached->store, shown->attachment) &&
	    leftover_judge(&attached->store, &attached->host, shown->journal, &what, &err) < 0)
		attached->status = ctl_print_error("rocectl", &err);
	return what;
}

static void see(struct shown *shown, void *arg)
{
	struct gc *gc = arg;
	struct left left = { .shown = *shown, .what = judge(gc, shown) };
	struct network *network = network_of(gc, shown->attachment->network);
	int r = -ENOMEM;

	if (network && left.what != LEFTOVER_NONE)
		r = note_left(gc, network, &left);
	else if (network)
		r = note_valid(network, shown->attachment);
	if (r < 0)
		attached_complain(&gc->attached, "out of memory");
}

/* ---- having it done ---- */

static void collect(struct gc *gc, const char *plugin, const struct network *network)
{
	_cleanup_json_ json_t *config =
		json_pack("{ss ss ss sO}", "cniVersion", "1.1.0", "name", network->name, "type",
			  "roce", "cni.dev/valid-attachments", network->valid);
	_cleanup_free_ char *text = config ? json_dumps(config, JSON_COMPACT) : NULL;
	struct err err = { 0 };

	if (!text)
		attached_complain(&gc->attached, "out of memory");
	else if (plugin_run(plugin, text, &err) < 0)
		gc->attached.status = ctl_print_error(network->name, &err);
}

static void note_results(struct gc *gc)
{
	for (size_t i = 0; i < gc->list.n; i++) {
		bool gone = faccessat(gc->attached.store.dir, gc->journals[i], F_OK, 0) < 0;

		table_set(&gc->list, i, "result", json_string(gone ? "done" : "failed"));
		if (!gone)
			gc->attached.status = CTL_ERRORS;
	}
}

static void collect_all(struct gc *gc)
{
	struct err err = { 0 };
	char plugin[PATH_MAX];

	int r = plugin_find(gc->options.plugin, plugin, &err);

	if (r == 0)
		r = plugin_prepare(plugin, &err);
	if (r < 0)
		ctl_print_error("rocectl gc", &err);
	for (size_t i = 0; r == 0 && i < gc->n_networks; i++)
		if (gc->networks[i].n_left > 0)
			collect(gc, plugin, &gc->networks[i]);
	note_results(gc);
}

static void gc_free(struct gc *gc)
{
	for (size_t i = 0; i < gc->n_networks; i++)
		json_decref(gc->networks[i].valid);
	free(gc->networks);
	free(gc->journals);
	table_free(&gc->list);
	attached_close(&gc->attached);
}

static int run(const struct ctl_command *command, int argc, char **argv)
{
	struct table_column columns[COLUMNS_MAX];
	struct gc gc = { .options = { .form = TABLE_TEXT }, .list = make_table(columns) };
	int first = ctl_options(command, argc, argv, &gc.options);
	int r;

	if (first != argc)
		return first < 0 ? CTL_USAGE : ctl_usage(command, stderr);
	r = attached_open(&gc.attached);
	if (r == 0)
		attached_each(&gc.attached, NULL, see, &gc);
	if (gc.list.n > 0 && !gc.options.dry_run)
		collect_all(&gc);
	if ((r == 0 || r == -ENOENT) &&
	    table_print(&gc.list, gc.options.form, GC_SCHEMA_VERSION, "attachments") != CTL_OK)
		gc.attached.status = CTL_ERRORS;
	gc_free(&gc);
	return gc.attached.status;
}

const struct ctl_command ctl_gc = {
	.name = "gc",
	.operands = "",
	.about = "what dead pods have left, and its removal",
	.options = options_table,
	.n_options = ARRAY_SIZE(options_table),
	.run = run,
};
