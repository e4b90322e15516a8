/* SPDX-License-Identifier: Apache-2.0 */
/* Findings: what a check has to say, as data. ADD turns errors into a refusal, a dry run prints all. */
#ifndef CONF_FINDING_H
#define CONF_FINDING_H

#include "conf/jx.h"

enum { FINDINGS_MAX = 40, FINDING_ID_SIZE = 40, FINDING_HOP_SIZE = 64, FINDING_PATH_SIZE = 192 };

enum severity {
	SEVERITY_INFO,
	SEVERITY_WARNING,
	SEVERITY_ERROR,
	SEVERITY_MAX,
};

/**
 * struct finding - one finding
 * @severity:	an error refuses the ADD
 * @code:	CNI error code that a refusal carries
 * @id:		stable short name, for example "pf-mtu-too-small"
 * @hop:	where on the host: "PF ens1f0", "switch of fabric rail"; "" for nowhere
 * @path, @line: where in the file: JSON path and line; "" and 0 for nowhere
 * @have, @want: the value found and the value needed; 0 when there is no number
 * @text:	one sentence that stands alone
 * @fix:	the command or edit that would mend it; never run by itself
 */
struct finding {
	enum severity severity;
	enum err_code code;
	char id[FINDING_ID_SIZE];
	char hop[FINDING_HOP_SIZE];
	char path[FINDING_PATH_SIZE];
	int line;
	int have, want;
	char text[512];
	char fix[256];
};

struct findings {
	struct finding items[FINDINGS_MAX];
	size_t n;
};

/**
 * finding_add() - append a finding
 * @list:	the list; one that does not fit replaces the last (there are fewer kinds than room)
 * @severity, @code, @id: see struct finding
 * @fmt:	its text
 *
 * Return: the finding, for the caller to fill in hop, numbers and fix.
 */
struct finding *finding_add(struct findings *list, enum severity severity, enum err_code code,
			    const char *id, const char *fmt, ...) _printf_(5, 6);

/* finding_fix() - set what would mend the finding. */
void finding_fix(struct finding *finding, const char *fmt, ...) _printf_(2, 3);

/* finding_fix_or() - another way to mend it: "..., or ...". */
void finding_fix_or(struct finding *finding, const char *fmt, ...) _printf_(2, 3);

/**
 * finding_refuse() - turn the errors of a list into one error
 * @list:	findings
 * @err:	set to the first error finding; further ones become details
 *
 * Return: 0 when there is no error finding, else -EINVAL.
 */
int finding_refuse(const struct findings *list, struct err *err);

/* finding_to_json() - the list as an array, for the caller to release; NULL without memory. */
json_t *finding_to_json(const struct findings *list);

/* finding_severity_name() - "info", "warning", "error". */
const char *finding_severity_name(enum severity severity);

#endif
