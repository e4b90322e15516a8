/* SPDX-License-Identifier: Apache-2.0 */
/* rocectl: its commands, and what they print with. */
#ifndef CTL_CTL_H
#define CTL_CTL_H

#include "cni/plan.h"

#include <stdio.h>

/* Exit statuses of every command. */
enum {
	CTL_OK = 0,
	CTL_ERRORS = 1, /* the answer is no */
	CTL_USAGE = 2,	/* the question could not be read */
};

/* How an answer is printed. */
enum ctl_output { CTL_TEXT, CTL_JSON };

/**
 * ctl_reader - read one option's argument
 * @text:	the argument; NULL for an option that takes none
 * @field:	the member that the table's offset names
 *
 * Return: 0 or -EINVAL.
 */
typedef int (*ctl_reader)(const char *text, void *field);

/**
 * struct ctl_option - one option of a command
 * @name:	long name, without dashes
 * @letter:	short name, or 0
 * @arg:	what the argument is called in the usage; NULL: none
 * @about:	one line for the usage
 * @read:	reader
 * @offset:	member of the command's options
 */
struct ctl_option {
	const char *name;
	char letter;
	const char *arg;
	const char *about;
	ctl_reader read;
	size_t offset;
};

/**
 * struct ctl_command - one command
 * @name:	as it is typed
 * @operands:	what follows the options in the usage, "" for nothing
 * @about:	one line for the usage
 * @options, @n_options: the only list of its options
 * @run:	gets arguments without the program's name. Return: exit status
 */
struct ctl_command {
	const char *name;
	const char *operands;
	const char *about;
	const struct ctl_option *options;
	size_t n_options;
	int (*run)(const struct ctl_command *command, int argc, char **argv);
};

extern const struct ctl_command ctl_validate, ctl_convert, ctl_show, ctl_gc, ctl_mtu, ctl_ipam;

/**
 * ctl_options() - read a command line by a command's table
 * @command:	the command
 * @argc, @argv: its arguments, argv[0] is its name
 * @out:	the struct that the table's offsets refer to
 *
 * Says on stderr what is wrong with it.
 *
 * Return: index of the first operand, or -EINVAL.
 */
int ctl_options(const struct ctl_command *command, int argc, char **argv, void *out);

/* ctl_usage() - how a command is called. Return: CTL_USAGE. */
int ctl_usage(const struct ctl_command *command, FILE *out);

/* Readers: a "const char *", a "bool" set by an option without argument, a struct opt_int, -o. */
int ctl_read_text(const char *text, void *field);
int ctl_read_flag(const char *text, void *field);
int ctl_read_int(const char *text, void *field);
int ctl_read_output(const char *text, void *field);

/* ctl_print_chain() - the MTU chain as a table on stdout. */
void ctl_print_chain(const struct mtu_chain *chain, const char *ifname);

/**
 * ctl_print_findings() - findings on stdout: where, what and a "fix:" line each
 * @findings:	the findings
 * @file:	name of the file that their lines are of; NULL: none
 */
void ctl_print_findings(const struct findings *findings, const char *file);

/* ctl_print_steps() - what an ADD would do, in order, on stdout. */
void ctl_print_steps(const struct plan *plan, const char *device);

/* ctl_print_json() - a document on stdout, which is released. Return: CTL_OK, or CTL_ERRORS. */
int ctl_print_json(json_t *json);

/* ctl_print_error() - an error on stderr. Return: CTL_ERRORS. */
int ctl_print_error(const char *where, const struct err *err);

#endif
