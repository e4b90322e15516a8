// SPDX-License-Identifier: Apache-2.0
/* rocectl validate: the plan that an ADD would run, printed and not run. */
#include "ctl/lint.h"
#include "ctl/node.h"
#include "ctl/report.h"

#include <errno.h>

/* What the command line says. */
struct options {
	const char *profile;
	const char *netns;
	const char *ifname;
	const char *device;
	bool offline;
	bool strict;
	enum ctl_output output;
};

static const struct ctl_option options_table[] = {
	{ "offline", 0, NULL, "look at no host, only at the files", ctl_read_flag,
	  offsetof(struct options, offline) },
	{ "profile", 0, "FILE", "node profile (default " PROFILE_PATH ")", ctl_read_text,
	  offsetof(struct options, profile) },
	{ "device", 0, "DEVICE", "the VF or subfunction that Multus would name (default: the first free VF)",
	  ctl_read_text, offsetof(struct options, device) },
	{ "netns", 0, "PATH", "the pod's network namespace (default: an empty one)", ctl_read_text,
	  offsetof(struct options, netns) },
	{ "ifname", 0, "NAME", "interface name in the pod (default net1)", ctl_read_text,
	  offsetof(struct options, ifname) },
	{ "strict", 0, NULL, "a warning counts as an error", ctl_read_flag,
	  offsetof(struct options, strict) },
	{ "output", 'o', "text|json", "form of the answer", ctl_read_output,
	  offsetof(struct options, output) },
};

/* One run of the command. */
struct validation {
	struct options options;
	struct profile profile;
	bool has_node;
	struct node node;
	struct source source;
	struct lint_seen seen;
	struct tally tally;
	size_t networks, profiles; /* found in the files */
	json_t *reports;	   /* NULL: text is printed as it comes */
};

static void deliver(struct validation *v, const struct report *report)
{
	report_count(report, &v->tally);
	if (v->reports)
		json_array_append_new(v->reports, report_to_json(report));
	else
		report_print(report);
}

/* ---- one network ---- */

static bool named(const struct netconf *conf)
{
	return conf->device || (!conf->pf && !streq(conf->device_id, LINT_ANY_DEVICE));
}

static void validate_offline(struct validation *v, const struct netconf *conf, struct report *report)
{
	plan_forbidden(conf, &v->profile, &report->findings);
	if (device_id_is_auxiliary(conf->device_id))
		plan_check_no_vf(conf, &report->findings);
	lint_mtu(conf, &v->profile, report);
}

static void validate_on_node(struct validation *v, struct netconf *conf, struct report *report)
{
	struct err err = { 0 };

	if (!named(conf) &&
	    node_pick(&v->node, &v->profile, conf, conf->device_id, &err) < 0) {
		lint_error(&err, "man 8 roce", &report->findings);
		validate_offline(v, conf, report);
		return;
	}
	node_plan(&v->node, &v->profile, conf, v->options.ifname, report);
}

static void validate_ipam(struct validation *v, const struct document *document,
			  struct cni_call *call, struct report *report)
{
	struct ipamconf ipam;

	if (!lint_ipam(document, call, &v->profile, &ipam, report))
		return;
	lint_routes(&report->plan.chain, &ipam, &report->findings);
	lint_remember(&v->seen, report, &ipam);
	if (v->has_node)
		node_addresses(&v->profile, call->name, &ipam, report);
	ipamconf_free(&ipam);
}

static void validate_call(struct validation *v, const struct document *document,
			  struct cni_call *call, struct report *report)
{
	struct netconf conf;

	if (lint_config(document, v->options.device, call, &conf, report)) {
		if (v->has_node) {
			validate_on_node(v, &conf, report);
		} else {
			lint_pf(&conf, &v->profile, &report->findings);
			validate_offline(v, &conf, report);
		}
		if (lint_log(&conf, &v->profile, &report->findings) && v->has_node)
			node_log(&v->profile, conf.log.file, &report->findings);
	}
	validate_ipam(v, document, call, report);
}

static struct report new_report(struct validation *v, const struct document *document,
				const char *what)
{
	struct report report = { .file = v->source.what, .what = what };
	const char *name = document->name ? document->name : jx_text(document->config, "name");

	snprintf(report.name, sizeof(report.name), "%.250s", name);
	snprintf(report.namespace, sizeof(report.namespace), "%.250s",
		 document->namespace ? document->namespace : "");
	report.line = source_line(&v->source, document->doc, document->path, NULL);
	return report;
}

static void validate_plugin(struct validation *v, const struct document *document, size_t i)
{
	struct report report = new_report(v, document, "network");
	struct cni_call call;
	struct err err = { 0 };

	if (document_call(document, i, &call, &err) < 0) {
		lint_error(&err, "man 8 roce", &report.findings);
	} else {
		snprintf(report.name, sizeof(report.name), "%.250s", call.name);
		validate_call(v, document, &call, &report);
	}
	lint_locate(&v->source, document, i, &report.findings);
	v->networks++;
	deliver(v, &report);
	document_free_call(&call); /* the plan's steps borrow from it */
}

static const char *type_of(const struct document *document, size_t i)
{
	return jx_text(document_plugin(document, i), "type");
}

/* A network without a plugin of ours is somebody else's; in the list of a cluster that is usual. */
static void skip_network(struct validation *v, const struct document *document)
{
	struct report report = new_report(v, document, "network");
	const char *type = type_of(document, 0);

	if (err_is_set(&document->err))
		lint_error(&document->err, "man 8 roce", &report.findings);
	else if (!document->config)
		finding_fix(finding_add(&report.findings, SEVERITY_WARNING, CNI_OK, "no-config",
					"spec.config is missing: Multus looks for a file that has the name %s in /etc/cni/multus/net.d of each node",
					report.name),
			    "write the configuration into spec.config, or validate that file");
	else
		finding_fix(finding_add(&report.findings, SEVERITY_INFO, CNI_OK, "not-roce",
					"no configuration of type \"roce\" in it: its type is \"%.64s\"",
					type),
			    "rocectl convert prints what it would be");
	deliver(v, &report);
}

/* ---- one file ---- */

static void validate_network(struct validation *v, const struct document *document)
{
	size_t ours = 0;

	for (size_t i = 0; i < document_plugins(document); i++) {
		if (!streq(type_of(document, i), "roce"))
			continue;
		validate_plugin(v, document, i);
		ours++;
	}
	if (!ours)
		skip_network(v, document);
}

static void validate_profile(struct validation *v, const struct document *document)
{
	struct report report = new_report(v, document, "profile");
	struct profile profile;
	struct err err = { 0 };

	if (profile_read(document->json, &profile, &err) < 0)
		lint_error(&err, "man 5 roce-profile", &report.findings);
	for (size_t i = 0; i < report.findings.n; i++)
		report.findings.items[i].line = source_line(&v->source, document->doc,
							    report.findings.items[i].path, NULL);
	v->profiles++;
	deliver(v, &report);
}

static void visit(const struct document *document, void *arg)
{
	struct validation *v = arg;
	struct report report;

	switch (document->kind) {
	case DOCUMENT_NETWORK:
		validate_network(v, document);
		return;
	case DOCUMENT_PROFILE:
		validate_profile(v, document);
		return;
	case DOCUMENT_OTHER:
		return;
	case DOCUMENT_UNKNOWN:
		break;
	}
	report = new_report(v, document, "document");
	finding_add(&report.findings, SEVERITY_ERROR, CNI_CONFIG_INVALID, "not-a-network",
		    "neither a network (\"type\", \"plugins\", kind NetworkAttachmentDefinition) nor a node profile (\"version\", \"fabrics\")");
	deliver(v, &report);
}

/* Return: CTL_OK, or CTL_USAGE when the file cannot be read at all. */
static int validate_file(struct validation *v, const char *path)
{
	struct report report = { .file = path, .what = "file" };
	struct err err = { 0 };
	int r = source_open(path, &v->source, &err);

	if (r < 0) {
		lint_error(&err, "man 8 roce", &report.findings);
		deliver(v, &report);
		return err.code == CNI_IO_FAILURE ? CTL_USAGE : CTL_OK;
	}
	document_each(&v->source, visit, v);
	source_close(&v->source);
	return CTL_OK;
}

/* ---- the whole ---- */

static void validate_together(struct validation *v)
{
	struct report report = { .file = "all files", .what = "networks" };

	lint_overlaps(&v->seen, &report.findings);
	if (v->networks + v->profiles + v->tally.n[SEVERITY_ERROR] == 0)
		finding_add(&report.findings, SEVERITY_ERROR, CNI_CONFIG_INVALID, "nothing-to-validate",
			    "no configuration of type \"roce\" in any of the files");
	if (report.findings.n > 0)
		deliver(v, &report);
}

static int conclude(struct validation *v)
{
	const size_t *n = v->tally.n;
	bool bad = n[SEVERITY_ERROR] > 0 || (v->options.strict && n[SEVERITY_WARNING] > 0);

	if (!v->reports)
		printf("networks: %zu, errors: %zu, warnings: %zu\n", v->networks, n[SEVERITY_ERROR],
		       n[SEVERITY_WARNING]);
	else
		ctl_print_json(json_pack("{ss sb si si si sO}", "schemaVersion",
					 REPORT_SCHEMA_VERSION, "ok", !bad, "networks",
					 (int)v->networks, "errors", (int)n[SEVERITY_ERROR],
					 "warnings", (int)n[SEVERITY_WARNING], "reports", v->reports));
	return bad ? CTL_ERRORS : CTL_OK;
}

static int validate_files(struct validation *v, int n, char **paths)
{
	int unreadable = CTL_OK, status;

	for (int i = 0; i < n; i++) {
		status = validate_file(v, paths[i]);
		unreadable = status > unreadable ? status : unreadable;
	}
	validate_together(v);
	status = conclude(v);
	return unreadable > status ? unreadable : status;
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

/* Without a file at the usual place there is no profile; a file that was named must be there. */
static int open_profile(struct validation *v, struct err *err)
{
	const char *path = v->options.profile ? v->options.profile : PROFILE_PATH;

	if (v->options.profile && !exists(path))
		return err_set(err, CNI_IO_FAILURE, -ENOENT, "cannot read the node profile %s: %m",
			       path);
	return profile_load(path, &v->profile, err);
}

static int validate_all(struct validation *v, int n, char **paths)
{
	const char *profile = v->options.profile ? v->options.profile : PROFILE_PATH;
	struct report report = { .file = profile, .what = "file" };
	struct err err = { 0 };
	int r = open_profile(v, &err);

	if (r == 0 && !v->options.offline) {
		r = node_open(v->options.netns, &v->node, &err);
		v->has_node = r == 0;
	}
	if (r == 0)
		return validate_files(v, n, paths);
	lint_error(&err, "man 5 roce-profile", &report.findings);
	deliver(v, &report);
	conclude(v);
	return err.code == CNI_IO_FAILURE ? CTL_USAGE : CTL_ERRORS;
}

static int run(const struct ctl_command *command, int argc, char **argv)
{
	struct validation v = { .options = { .ifname = "net1" } };
	int first = ctl_options(command, argc, argv, &v.options);
	int status;

	if (first < 0 || first == argc)
		return first < 0 ? CTL_USAGE : ctl_usage(command, stderr);
	if (v.options.output == CTL_JSON)
		v.reports = json_array();
	status = validate_all(&v, argc - first, argv + first);
	if (v.has_node)
		node_close(&v.node);
	lint_forget(&v.seen);
	json_decref(v.reports);
	profile_free(&v.profile);
	return status;
}

const struct ctl_command ctl_validate = {
	.name = "validate",
	.operands = "FILE...",
	.about = "check network configurations: the plan of an ADD, not run",
	.options = options_table,
	.n_options = ARRAY_SIZE(options_table),
	.run = run,
};
