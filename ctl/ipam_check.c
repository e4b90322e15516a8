// SPDX-License-Identifier: Apache-2.0
/* rocectl ipam check: what the audit finds, as text or JSON. */
#include "ctl/ipam.h"

#include "ipam/audit.h"

#include <errno.h>

enum { PATH_SIZE = HOME_PATH_SIZE + LEASE_DOMAIN_SIZE + 300 };

static const char *path_of(const struct home *home, const struct audit_finding *finding,
			   char buf[PATH_SIZE])
{
	snprintf(buf, PATH_SIZE, "%s%s%s%s%s", home->path, *finding->folder ? "/" : "",
		 finding->folder, *finding->name ? "/" : "", finding->name);
	return buf;
}

static const char *outcome_name(const struct audit_finding *finding)
{
	static const char *const names[] = { [AUDIT_FOUND] = "found",
					     [AUDIT_MENDED] = "mended",
					     [AUDIT_KEPT] = "kept" };

	return names[finding->outcome];
}

/* Names come from the store: whatever is in them, it stays one line. */
static void print_line(const char *before, const char *text, const char *after)
{
	fputs(before, stdout);
	for (; *text; text++)
		putchar(*text < ' ' || *text > '~' ? '?' : *text);
	fputs(after, stdout);
}

static void print_finding(const struct home *home, const struct audit_finding *finding)
{
	char path[PATH_SIZE];

	print_line("", path_of(home, finding, path), ": ");
	print_line(audit_kind_name(finding->kind), ": ", "");
	print_line("", finding->why, "\n");
	if (finding->outcome != AUDIT_FOUND)
		print_line(finding->outcome == AUDIT_MENDED ? "  mended: " : "  NOT mended: ",
			   finding->did, "\n");
}

static json_t *finding_json(const struct home *home, const struct audit_finding *finding)
{
	char path[PATH_SIZE];

	return json_pack("{ss so so ss so so}", "kind", audit_kind_name(finding->kind), "path",
			 jx_readable(path_of(home, finding, path)), "folder",
			 jx_readable(finding->folder), "outcome", outcome_name(finding), "what",
			 jx_readable(finding->why), "action",
			 *finding->did ? jx_readable(finding->did) : json_null());
}

/**
 * struct check - one run
 * @found, @left: numbers of findings, and of those that are still there
 * @json:	the findings; NULL: print them as text
 */
struct check {
	size_t found, left;
	json_t *json;
};

static int check_store(struct check *check, const struct home *home, bool repair)
{
	struct audit_list list = { .n = 0 };
	int r = audit_home(home, repair, &list);

	for (size_t i = 0; i < list.n; i++) {
		check->found++;
		check->left += list.items[i].outcome != AUDIT_MENDED;
		if (check->json)
			json_array_append_new(check->json, finding_json(home, &list.items[i]));
		else
			print_finding(home, &list.items[i]);
	}
	audit_free(&list);
	if (r < 0)
		fprintf(stderr, "rocectl: %s: %s\n", home->path, strerror(-r));
	return r < 0 ? CTL_ERRORS : CTL_OK;
}

static int finish(const struct check *check, bool repair)
{
	if (check->json)
		return ctl_print_json(json_pack("{ss sb sO}", "schemaVersion", IPAM_SCHEMA_VERSION,
						"clean", check->left == 0, "findings", check->json));
	printf("findings: %zu", check->found);
	if (repair)
		printf(", mended: %zu", check->found - check->left);
	putchar('\n');
	return CTL_OK;
}

int ipam_check(const struct ipam_options *options)
{
	struct check check = { .json = options->form == TABLE_JSON ? json_array() : NULL };
	struct ipam_stores stores;
	int status = ipam_stores_find(&stores);

	for (size_t i = 0; i < stores.n; i++)
		if (check_store(&check, &stores.items[i], options->repair) != CTL_OK)
			status = CTL_ERRORS;
	if (finish(&check, options->repair) != CTL_OK || check.left > 0 || stores.status != CTL_OK)
		status = CTL_ERRORS;
	json_decref(check.json);
	ipam_stores_free(&stores);
	return status;
}
