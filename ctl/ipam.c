// SPDX-License-Identifier: Apache-2.0
/* rocectl ipam: the leases on this node, and the store that they are in. */
#include "ctl/ipam.h"

#include <errno.h>

/* A network or a container. */
static int read_name(const char *text, void *field)
{
	return cniargs_name_ok(text) ? ctl_read_text(text, field) : -EINVAL;
}

/* The only list of options; which action takes one is in the table of actions. */
static const struct ctl_option options_table[] = {
	{ "output", 'o', "text|wide|json", "show, check: in which form (check: text or json)", table_read_form,
	  offsetof(struct ipam_options, form) },
	{ "network", 0, "NAME", "show, gc, release: only this network", read_name,
	  offsetof(struct ipam_options, network) },
	{ "repair", 0, NULL, "check: mend what is found", ctl_read_flag,
	  offsetof(struct ipam_options, repair) },
	{ "dead", 0, NULL, "gc: also leases whose namespace's path is gone", ctl_read_flag,
	  offsetof(struct ipam_options, dead) },
	{ "container", 0, "ID", "release: all leases of this container", read_name,
	  offsetof(struct ipam_options, container) },
	{ "force", 0, NULL, "release: even if the container may be alive", ctl_read_flag,
	  offsetof(struct ipam_options, force) },
	{ "dry-run", 0, NULL, "gc, release: change nothing, print the same", ctl_read_flag,
	  offsetof(struct ipam_options, dry_run) },
};

/* One bit for each option, in the order of the table; the last two are no options. */
enum {
	OUTPUT = 1 << 0,
	NETWORK = 1 << 1,
	REPAIR = 1 << 2,
	DEAD = 1 << 3,
	CONTAINER = 1 << 4,
	FORCE = 1 << 5,
	DRY_RUN = 1 << 6,
	WIDE = 1 << 7,
	OPERAND = 1 << 8,
};

static const struct action {
	const char *name;
	unsigned int takes;
	int (*run)(const struct ipam_options *options);
} actions[] = {
	{ "show", OUTPUT | WIDE | NETWORK, ipam_show },
	{ "check", OUTPUT | REPAIR, ipam_check },
	{ "gc", NETWORK | DEAD | DRY_RUN, ipam_gc },
	{ "release", NETWORK | CONTAINER | FORCE | DRY_RUN | OPERAND, ipam_release },
};

static unsigned int given(const struct ipam_options *o)
{
	return (o->form ? OUTPUT : 0) | (o->form == TABLE_WIDE ? WIDE : 0) |
	       (o->network ? NETWORK : 0) | (o->repair ? REPAIR : 0) | (o->dead ? DEAD : 0) |
	       (o->container ? CONTAINER : 0) | (o->force ? FORCE : 0) |
	       (o->dry_run ? DRY_RUN : 0) | (o->operand ? OPERAND : 0);
}

static const struct action *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		if (streq(name, actions[i].name))
			return &actions[i];
	fprintf(stderr, "rocectl ipam: unknown action \"%s\"\n", name);
	return NULL;
}

/* Says what is wrong with the options that were given. Return: true if nothing is. */
static bool takes_all(const struct action *action, const struct ipam_options *options)
{
	unsigned int wrong = given(options) & ~action->takes;

	for (size_t i = 0; i < ARRAY_SIZE(options_table); i++)
		if (wrong & 1u << i)
			fprintf(stderr, "rocectl ipam %s: it takes no --%s\n", action->name,
				options_table[i].name);
	if ((wrong & (WIDE | OUTPUT)) == WIDE)
		fprintf(stderr, "rocectl ipam %s: --output must be text|json\n", action->name);
	if (wrong & OPERAND)
		fprintf(stderr, "rocectl ipam %s: it takes no \"%s\"\n", action->name,
			options->operand);
	return !wrong;
}

static int run(const struct ctl_command *command, int argc, char **argv)
{
	struct ipam_options options = { 0 };
	int first = ctl_options(command, argc, argv, &options);
	const struct action *action;

	if (first < 0)
		return CTL_USAGE;
	action = first < argc ? find(argv[first]) : NULL;
	if (!action || first + 2 < argc)
		return ctl_usage(command, stderr);
	options.operand = argv[first + 1];
	if (!takes_all(action, &options))
		return ctl_usage(command, stderr);
	return action->run(&options);
}

const struct ctl_command ctl_ipam = {
	.name = "ipam",
	.operands = "show|check|gc|release [ADDRESS]",
	.about = "the addresses that are leased on this node",
	.options = options_table,
	.n_options = ARRAY_SIZE(options_table),
	.run = run,
};
