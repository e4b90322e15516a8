// SPDX-License-Identifier: Apache-2.0
#include "ctl/ctl.h"

/* The only list of commands. */
static const struct ctl_command *const commands[] = { &ctl_validate, &ctl_convert, &ctl_mtu,
						      &ctl_show, &ctl_gc, &ctl_ipam };

static int usage(FILE *out)
{
	fprintf(out, "rocectl " ROCE_VERSION " - the administrator's view of roce-cni\n\n"
		     "usage: rocectl COMMAND [OPTION]... [ARGUMENT]...\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->about);
	fprintf(out, "\nOptions of a command: rocectl help COMMAND\n"
		     "Exit status: 0 all is well, 1 it is not, 2 the question could not be read.\n");
	return CTL_USAGE;
}

static const struct ctl_command *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (streq(name, commands[i]->name))
			return commands[i];
	fprintf(stderr, "rocectl: unknown command \"%s\"\n", name);
	return NULL;
}

static int help(int argc, char **argv)
{
	const struct ctl_command *command = argc > 1 ? find(argv[1]) : NULL;

	if (argc > 1 && !command)
		return usage(stderr);
	if (command)
		ctl_usage(command, stdout);
	else
		usage(stdout);
	return CTL_OK;
}

/* getopt's complaints start with argv[0]. */
static int run(const struct ctl_command *command, int argc, char **argv)
{
	static char name[64];

	if (argc > 1 && streq(argv[1], "--help")) {
		ctl_usage(command, stdout);
		return CTL_OK;
	}
	snprintf(name, sizeof(name), "rocectl %s", command->name);
	argv[0] = name;
	return command->run(command, argc, argv);
}

/* An answer that could not be written was not given. */
static int finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "rocectl: the answer cannot be written: %m\n");
	return CTL_USAGE;
}

int main(int argc, char **argv)
{
	const struct ctl_command *command;

	if (argc < 2)
		return usage(stderr);
	if (streq(argv[1], "help") || streq(argv[1], "--help") || streq(argv[1], "--version"))
		return help(argc - 1, argv + 1);
	command = find(argv[1]);
	return command ? finish(run(command, argc - 1, argv + 1)) : usage(stderr);
}
