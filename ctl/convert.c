// SPDX-License-Identifier: Apache-2.0
/* rocectl convert: networks of other plugins as networks of roce, on stdout. */
#include "ctl/ctl.h"

#include "conf/convert.h"
#include "conf/document.h"
#include "ipam/ipamconf.h"

#include <ctype.h>

/* One run of the command. */
struct conversion {
	struct source source;
	const struct document *document;
	json_t *out;	   /* what will be printed */
	bool is_list;	   /* something came in a list */
	bool is_all_kinds; /* everything is a Kubernetes object */
	size_t networks;
	int status;
};

/* ---- what is said ---- */

/* Names come from the file: whatever is in them, it stays one line. */
static void print_text(const char *text)
{
	for (; *text; text++)
		fputc(iscntrl((unsigned char)*text) ? '?' : *text, stderr);
}

static void print_name(const struct document *document)
{
	const char *name = document->name ? document->name : jx_text(document->config, "name");

	if (document->namespace && *document->namespace) {
		print_text(document->namespace);
		fputc('/', stderr);
	}
	print_text(*name ? name : "(no name)");
}

static void report(enum convert_weight weight, const char *path, const char *text, void *arg)
{
	struct conversion *c = arg;

	fprintf(stderr, "%s: ", c->source.what);
	print_name(c->document);
	fputs(": ", stderr);
	if (weight == CONVERT_NOTE)
		fputs("note: ", stderr);
	print_text(path);
	fputs(*path ? ": " : "", stderr);
	print_text(text);
	fputc('\n', stderr);
	if (weight == CONVERT_LOST && c->status == CTL_OK)
		c->status = CTL_ERRORS;
}

static void report_unreadable(struct conversion *c, const char *text)
{
	report(CONVERT_LOST, "", text, c);
	c->status = CTL_USAGE;
}

/* ---- one network ---- */

static int check_ipam(const json_t *config, struct err *err)
{
	struct ipamconf conf;
	int r = ipamconf_read(config, &conf, err);

	if (r == 0)
		ipamconf_free(&conf);
	return r;
}

static json_t *convert(struct conversion *c, const struct document *document)
{
	struct convert how = {
		.is_nad = document->is_nad,
		.name = document->name,
		.has_resource = document->resource,
		.ipam_check = check_ipam,
		.report = report,
		.arg = c,
	};

	how.ipam_keys = ipamconf_keys(&how.n_ipam_keys);
	return convert_config(document->config, &how);
}

/* An operator that wrote a definition writes it again. */
static void report_owners(struct conversion *c, const struct document *document)
{
	const json_t *meta = json_object_get(document->json, "metadata");
	const json_t *owners = json_object_get(meta, "ownerReferences");
	char text[256];

	for (size_t i = 0; i < json_array_size(owners); i++) {
		const json_t *owner = json_array_get(owners, i);

		snprintf(text, sizeof(text),
			 "%.64s %.64s owns this definition and may write the old one back",
			 jx_text(owner, "kind"), jx_text(owner, "name"));
		report(CONVERT_NOTE, "metadata.ownerReferences", text, c);
	}
}

static json_t *rewrite(const struct document *document, const json_t *config)
{
	json_t *nad = json_deep_copy(document->json);
	_cleanup_free_ char *text = json_dumps(config, JSON_INDENT(2));

	json_object_set_new(json_object_get(nad, "spec"), "config", json_string(text));
	return nad;
}

/* Return: what is printed for it, to be released. */
static json_t *convert_network(struct conversion *c, const struct document *document)
{
	_cleanup_json_ json_t *config = document->config ? convert(c, document) : NULL;

	if (!config)
		return json_incref((json_t *)document->json);
	if (!document->is_nad)
		return steal_ptr(config);
	report_owners(c, document);
	return rewrite(document, config);
}

static void append(struct conversion *c, const struct document *document, json_t *json)
{
	json_array_append_new(c->out, json);
	c->is_list |= *document->path;
	c->is_all_kinds &= *document->what != '\0';
}

static void visit_network(struct conversion *c, const struct document *document)
{
	c->networks++;
	if (err_is_set(&document->err)) {
		report_unreadable(c, document->err.msg);
		return;
	}
	if (!document->config)
		report(CONVERT_LOST, "spec.config",
		       "is missing: convert the file that has this network's name, in /etc/cni/multus/net.d of a node",
		       c);
	append(c, document, convert_network(c, document));
}

/* ---- one file ---- */

/* Operators make NetworkAttachmentDefinitions of these. */
static bool is_made_into_network(const char *kind)
{
	static const char *const kinds[] = { "SriovNetwork", "HostDeviceNetwork",
					     "MacvlanNetwork" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (streq(kinds[i], kind))
			return true;
	return false;
}

static void visit_other(struct conversion *c, const struct document *document)
{
	if (is_made_into_network(document->what)) {
		c->networks++;
		report(CONVERT_LOST, "kind",
		       "an operator makes a NetworkAttachmentDefinition of this: convert that one",
		       c);
	}
	append(c, document, json_incref((json_t *)document->json));
}

static void visit(const struct document *document, void *arg)
{
	struct conversion *c = arg;

	c->document = document;
	switch (document->kind) {
	case DOCUMENT_NETWORK:
		visit_network(c, document);
		break;
	case DOCUMENT_PROFILE:
	case DOCUMENT_OTHER:
		visit_other(c, document);
		break;
	case DOCUMENT_UNKNOWN:
		report_unreadable(c, "is neither a network nor a Kubernetes object, left out");
		break;
	}
}

static int print_each(const json_t *out)
{
	int status = CTL_OK;

	for (size_t i = 0; i < json_array_size(out) && status == CTL_OK; i++)
		status = ctl_print_json(json_incref(json_array_get(out, i)));
	return status;
}

/* In the form that it came in: one object, a list as kubectl has it, or one after the other. */
static int print_all(const struct conversion *c)
{
	size_t n = json_array_size(c->out);

	if (n == 0 || !c->is_all_kinds || (n == 1 && !c->is_list))
		return print_each(c->out);
	return ctl_print_json(
		json_pack("{ss ss sO}", "apiVersion", "v1", "kind", "List", "items", c->out));
}

static int convert_file(const char *path)
{
	struct conversion c = { .is_all_kinds = true };
	struct err err = { 0 };

	if (source_open(path, &c.source, &err) < 0) {
		ctl_print_error("rocectl convert", &err);
		return CTL_USAGE;
	}
	c.out = json_array();
	document_each(&c.source, visit, &c);
	if (print_all(&c) != CTL_OK)
		c.status = CTL_USAGE;
	if (c.networks == 0) {
		fprintf(stderr, "%s: there is no network in it\n", c.source.what);
		c.status = CTL_USAGE;
	}
	json_decref(c.out);
	source_close(&c.source);
	return c.status;
}

static int run(const struct ctl_command *command, int argc, char **argv)
{
	int first = ctl_options(command, argc, argv, NULL);

	if (first < 0)
		return CTL_USAGE;
	if (argc - first != 1)
		return ctl_usage(command, stderr);
	return convert_file(argv[first]);
}

const struct ctl_command ctl_convert = {
	.name = "convert",
	.operands = "FILE",
	.about = "print networks of sriov, host-device, ... as networks of roce",
	.run = run,
};
