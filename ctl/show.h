/* SPDX-License-Identifier: Apache-2.0 */
/* The list of rocectl show: rows of one table of columns, printed as text or JSON. */
#ifndef CTL_SHOW_H
#define CTL_SHOW_H

#include "cni/journal.h"

/* Version of the JSON answer; docs/show.md describes it. */
#define SHOW_SCHEMA_VERSION "1.0"

/* How the list is printed; a column is in some of the forms. */
enum show_form {
	SHOW_TEXT = 1, /* at most 100 columns wide */
	SHOW_WIDE = 2, /* as wide as it gets */
	SHOW_JSON = 4,
};

/**
 * struct shown - all that the columns are made of
 * @attachment:	whose, by the journal's name
 * @journal:	its journal
 * @pod_namespace, @pod_name: from CNI_ARGS; "" when the caller is not Kubernetes
 * @state:	"active", "orphan", "dirty" or "unknown"
 * @reason:	why it is not "active", "" if it is
 * @now:	seconds since 1970
 */
struct shown {
	const struct attachment *attachment;
	const struct journal *journal;
	const char *pod_namespace;
	const char *pod_name;
	const char *state;
	const char *reason;
	int64_t now;
};

/* Rows: arrays of one JSON value a column. */
struct show_list {
	json_t **rows;
	size_t n;
};

/* show_add() - append a row. Return: 0 or -ENOMEM. */
int show_add(struct show_list *list, const struct shown *shown);

/* show_print() - sort the rows and print them on stdout. Return: CTL_OK or CTL_ERRORS. */
int show_print(struct show_list *list, enum show_form form);

/* show_free() - release the rows. */
void show_free(struct show_list *list);

#endif
