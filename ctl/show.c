// SPDX-License-Identifier: Apache-2.0
/* rocectl show: the attachments on this node, from their journals. */
#include "ctl/attached.h"
#include "ctl/ctl.h"

#include <errno.h>

/* ---- options ---- */

struct options {
	enum table_form form;
	const char *network;
	const char *pod;
};

static int read_pod(const char *text, void *field)
{
	const char *slash = strchr(text, '/');

	return slash && slash > text && slash[1] ? ctl_read_text(text, field) : -EINVAL;
}

static int read_network(const char *text, void *field)
{
	return cniargs_name_ok(text) ? ctl_read_text(text, field) : -EINVAL;
}

static const struct ctl_option options_table[] = {
	{ "output", 'o', "text|wide|json", "in which form, text if not given", table_read_form,
	  offsetof(struct options, form) },
	{ "network", 0, "NAME", "only attachments to this network", read_network,
	  offsetof(struct options, network) },
	{ "pod", 0, "NAMESPACE/NAME", "only attachments of this pod", read_pod,
	  offsetof(struct options, pod) },
};

/* What one run works with. */
struct show {
	struct options options;
	struct attached attached;
	struct table list;
};

static bool is_pod(const struct shown *shown, const char *wanted)
{
	size_t len = strlen(shown->pod_namespace);

	return strncmp(wanted, shown->pod_namespace, len) == 0 && wanted[len] == '/' &&
	       streq(wanted + len + 1, shown->pod_name);
}

static void show_one(struct shown *shown, void *arg)
{
	struct show *show = arg;

	if (show->options.pod && !is_pod(shown, show->options.pod))
		return;
	if (table_add(&show->list, shown) < 0)
		attached_complain(&show->attached, "out of memory");
}

static int run(const struct ctl_command *command, int argc, char **argv)
{
	struct show show = { .options = { .form = TABLE_TEXT }, .list = show_table() };
	int first = ctl_options(command, argc, argv, &show.options);
	int r;

	if (first != argc)
		return first < 0 ? CTL_USAGE : ctl_usage(command, stderr);
	r = attached_open(&show.attached);
	if (r == 0)
		attached_each(&show.attached, show.options.network, show_one, &show);
	if ((r == 0 || r == -ENOENT) &&
	    table_print(&show.list, show.options.form, SHOW_SCHEMA_VERSION, "attachments") != CTL_OK)
		show.attached.status = CTL_ERRORS;
	table_free(&show.list);
	attached_close(&show.attached);
	return show.attached.status;
}

const struct ctl_command ctl_show = {
	.name = "show",
	.operands = "",
	.about = "the attachments on this node",
	.options = options_table,
	.n_options = ARRAY_SIZE(options_table),
	.run = run,
};
