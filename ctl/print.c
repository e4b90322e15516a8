// SPDX-License-Identifier: Apache-2.0
#include "ctl/ctl.h"

#include "conf/roce.h"

/* A number of bytes; 0 is unknown or none. */
static const char *bytes(int n, char buf[12])
{
	if (n)
		snprintf(buf, 12, "%d", n);
	else
		strcpy(buf, "-");
	return buf;
}

static void print_hop(const char *kind, const char *name, int has, int needs, int max,
		      const char *verdict)
{
	char a[12], b[12], c[12];

	printf("  %-7s %-24s %6s %6s %6s  %s\n", kind, name, bytes(has, a), bytes(needs, b),
	       bytes(max, c), verdict);
}

static const char *verdict(const struct mtu_hop *hop)
{
	if (!hop->ok)
		return "TOO SMALL";
	if (hop->kind == MTU_HOP_BESIDE)
		return "-";
	return hop->kind == MTU_HOP_DEVICE && hop->mtu != hop->need ? "ok, will be set" : "ok";
}

void ctl_print_chain(const struct mtu_chain *chain, const char *ifname)
{
	int needs = chain->roce_mtu.set ? roce_need(chain->roce_mtu.value) : 0;
	char text[48];

	printf("MTU chain (bytes; a switch has what it permits as a netdev MTU)\n");
	printf("  %-7s %-24s %6s %6s %6s  %s\n", "HOP", "NAME", "HAS", "NEEDS", "MAX", "VERDICT");
	snprintf(text, sizeof(text), "%sRoCE path MTU %d",
		 chain->pod_mtu < needs ? "TOO SMALL: " : "", chain->pod_roce_mtu);
	print_hop("pod", ifname, chain->pod_mtu, needs, 0, text);
	for (size_t i = 0; i < chain->n_hops; i++) {
		const struct mtu_hop *hop = &chain->hops[i];

		snprintf(text, sizeof(text), "%s%s", verdict(hop),
			 i == chain->bottleneck ? ", bottleneck" : "");
		print_hop(mtu_hop_kind_name(hop->kind), hop->name, hop->mtu, hop->need, hop->max,
			  text);
	}
}

/* Words up to the right margin; further lines are indented. */
static void print_wrapped(const char *text, int column)
{
	enum { MARGIN = 100, INDENT = 4 };

	for (bool first = true; *text; first = false) {
		int len = (int)strcspn(text, " ");

		if (!first && column + 1 + len > MARGIN) {
			printf("\n%*s", INDENT, "");
			column = INDENT;
		} else if (!first) {
			putchar(' ');
			column++;
		}
		printf("%.*s", len, text);
		column += len;
		text += len;
		text += strspn(text, " ");
	}
	putchar('\n');
}

/* A severity, in colour on a terminal unless NO_COLOR asks for none (no-color.org). */
static void print_severity(enum severity severity)
{
	static const char *const colours[SEVERITY_MAX] = {
		[SEVERITY_INFO] = "36",
		[SEVERITY_WARNING] = "33",
		[SEVERITY_ERROR] = "1;31",
	};
	const char *no_color = getenv("NO_COLOR");

	if (isatty(STDOUT_FILENO) && !(no_color && *no_color))
		printf("\033[%sm%s\033[0m: ", colours[severity], finding_severity_name(severity));
	else
		printf("%s: ", finding_severity_name(severity));
}

static void print_finding(const struct finding *f, const char *file)
{
	char line[FINDING_ID_SIZE + sizeof(f->text) + 8];
	int column = 0;

	if (file && f->line)
		column = printf("%s:%d: ", file, f->line);
	print_severity(f->severity);
	column += (int)strlen(finding_severity_name(f->severity)) + 2;
	snprintf(line, sizeof(line), "%s: %s", f->id, f->text);
	print_wrapped(line, column);
	if (!*f->fix)
		return;
	printf("  fix: ");
	print_wrapped(f->fix, 7);
}

void ctl_print_findings(const struct findings *findings, const char *file)
{
	for (size_t i = 0; i < findings->n; i++)
		print_finding(&findings->items[i], file);
}

/* A pod may change these, the next one must not find that. */
static void print_kept(const struct plan *plan, const char *device)
{
	char text[STEP_TEXT_SIZE], line[1024];
	size_t len = 0;

	for (size_t i = 0; i < plan->n_steps; i++) {
		const char *kept = strstr(step_print(&plan->steps[i], device, text), ": keep ");

		if (step_changes(&plan->steps[i]) || !kept)
			continue;
		len += snprintf(line + len, sizeof(line) - len, "%s%s", len ? ", " : "", kept + 7);
		len = len < sizeof(line) ? len : sizeof(line) - 1;
	}
	if (len == 0)
		return;
	printf("  kept, and restored after the pod: ");
	print_wrapped(line, 36);
}

void ctl_print_steps(const struct plan *plan, const char *device)
{
	char text[STEP_TEXT_SIZE];
	size_t number = 0;

	printf("Steps of an ADD\n");
	for (size_t i = 0; i < plan->n_steps; i++)
		if (step_changes(&plan->steps[i]))
			printf("  %zu. %s\n", ++number, step_print(&plan->steps[i], device, text));
	print_kept(plan, device);
}

int ctl_print_error(const char *where, const struct err *err)
{
	fprintf(stderr, "%s: %s\n", where, err->msg);
	if (*err->details)
		fprintf(stderr, "  %s\n", err->details);
	return CTL_ERRORS;
}

int ctl_print_json(json_t *json)
{
	_cleanup_free_ char *text = json ? json_dumps(json, JSON_INDENT(2)) : NULL;

	json_decref(json);
	if (!text) {
		fprintf(stderr, "rocectl: out of memory\n");
		return CTL_ERRORS;
	}
	puts(text);
	return CTL_OK;
}
