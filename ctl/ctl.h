/* SPDX-License-Identifier: Apache-2.0 */
/* rocectl: its commands, and what they print with. */
#ifndef CTL_CTL_H
#define CTL_CTL_H

#include "cni/plan.h"

/* Exit statuses of every command. */
enum {
	CTL_OK = 0,
	CTL_ERRORS = 1, /* the answer is no */
	CTL_USAGE = 2,	/* the question could not be read */
};

/* The commands: getopt-style arguments, argv[0] is the command's name. Return: exit status. */
int ctl_validate(int argc, char **argv);
int ctl_show(int argc, char **argv);

/* ctl_print_chain() - the MTU chain as a table on stdout. */
void ctl_print_chain(const struct mtu_chain *chain, const char *ifname);

/* ctl_print_findings() - findings on stdout, one line and a "fix:" line each. */
void ctl_print_findings(const struct findings *findings);

/* ctl_print_steps() - what an ADD would do, in order, on stdout. */
void ctl_print_steps(const struct plan *plan, const char *device);

/* ctl_print_error() - an error on stderr. Return: CTL_ERRORS. */
int ctl_print_error(const char *where, const struct err *err);

#endif
