/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of rocectl show. */
#ifndef CTL_SHOW_H
#define CTL_SHOW_H

#include "cni/journal.h"
#include "ctl/table.h"

/* Version of the JSON answer; docs/show.md describes it. */
#define SHOW_SCHEMA_VERSION "1.0"

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

/* show_table() - an empty list of struct shown. */
struct table show_table(void);

#endif
