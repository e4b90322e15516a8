// SPDX-License-Identifier: Apache-2.0
#include "ctl/ctl.h"

#include <stdio.h>

/* The table of commands: the only list of them. */
static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *about;
} commands[] = {
	{ "validate", ctl_validate, "check network configurations: the plan of an ADD, not run" },
	{ "show", ctl_show, "the attachments on this node" },
};

static int usage(FILE *out)
{
	fprintf(out, "rocectl " ROCE_VERSION " - the administrator's view of roce-cni\n\n"
		     "usage: rocectl COMMAND [OPTION]... [FILE]...\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].about);
	fprintf(out, "\nExit status: 0 all is well, 1 it is not, 2 the question could not be read.\n");
	return CTL_USAGE;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return usage(stderr);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (streq(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	if (streq(argv[1], "help") || streq(argv[1], "--help") || streq(argv[1], "--version")) {
		usage(stdout);
		return CTL_OK;
	}
	fprintf(stderr, "rocectl: unknown command \"%s\"\n", argv[1]);
	return usage(stderr);
}
