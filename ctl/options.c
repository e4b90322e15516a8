// SPDX-License-Identifier: Apache-2.0
/* Command lines by tables of options. */
#include "ctl/ctl.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>

enum { OPTIONS_MAX = 24, ABOUT_COLUMN = 40 };

int ctl_read_text(const char *text, void *field)
{
	*(const char **)field = text;
	return 0;
}

int ctl_read_flag(const char *text, void *field)
{
	(void)text;
	*(bool *)field = true;
	return 0;
}

int ctl_read_int(const char *text, void *field)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || !strchr("-0123456789", *text) || *end || value < INT_MIN || value > INT_MAX)
		return -EINVAL;
	*(struct opt_int *)field = (struct opt_int){ true, (int)value };
	return 0;
}

int ctl_read_output(const char *text, void *field)
{
	if (!streq(text, "text") && !streq(text, "json"))
		return -EINVAL;
	*(enum ctl_output *)field = streq(text, "json") ? CTL_JSON : CTL_TEXT;
	return 0;
}

int ctl_usage(const struct ctl_command *command, FILE *out)
{
	fprintf(out, "usage: rocectl %s%s%s%s\n  %s\n", command->name,
		command->n_options ? " [OPTION]..." : "", *command->operands ? " " : "",
		command->operands, command->about);
	for (size_t i = 0; i < command->n_options; i++) {
		const struct ctl_option *option = &command->options[i];
		char head[64], letter[6] = "    ";

		if (option->letter)
			snprintf(letter, sizeof(letter), "-%c, ", option->letter);
		snprintf(head, sizeof(head), "%s--%s%s%s", letter, option->name,
			 option->arg ? " " : "", option->arg ? option->arg : "");
		fprintf(out, "  %-*s %s\n", ABOUT_COLUMN, head, option->about);
	}
	return CTL_USAGE;
}

/* The same table in getopt's form; an option's value is its place in the table. */
static void to_getopt(const struct ctl_command *command, struct option *longs, char *shorts)
{
	for (size_t i = 0; i < command->n_options; i++) {
		const struct ctl_option *option = &command->options[i];

		longs[i] = (struct option){ option->name, option->arg ? required_argument : no_argument,
					    NULL, CHAR_MAX + 1 + (int)i };
		if (!option->letter)
			continue;
		*shorts++ = option->letter;
		if (option->arg)
			*shorts++ = ':';
	}
}

static const struct ctl_option *find(const struct ctl_command *command, int c)
{
	if (c > CHAR_MAX)
		return &command->options[c - CHAR_MAX - 1];
	for (size_t i = 0; i < command->n_options; i++)
		if (command->options[i].letter == c && c != '?')
			return &command->options[i];
	return NULL; /* getopt has said why */
}

int ctl_options(const struct ctl_command *command, int argc, char **argv, void *out)
{
	struct option longs[OPTIONS_MAX + 1] = { 0 };
	char shorts[2 * OPTIONS_MAX + 1] = "";
	int c;

	to_getopt(command, longs, shorts);
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct ctl_option *option = find(command, c);

		if (option && option->read(optarg, (char *)out + option->offset) == 0)
			continue;
		if (option)
			fprintf(stderr, "rocectl %s: --%s %s: must be %s\n", command->name,
				option->name, optarg, option->arg);
		ctl_usage(command, stderr);
		return -EINVAL;
	}
	return optind;
}
