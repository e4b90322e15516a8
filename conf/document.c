// SPDX-License-Identifier: Apache-2.0
#include "conf/document.h"

#include <errno.h>
#include <stdio.h>

#define RESOURCE_ANNOTATION "k8s.v1.cni.cncf.io/resourceName"

static const char *text_of(const json_t *json, const char *key)
{
	return json_string_value(json_object_get(json, key));
}

static const json_t *plugin_list(const struct document *document)
{
	return json_object_get(document->config, "plugins");
}

/* ---- what it is ---- */

static enum document_kind kind_of(const json_t *json)
{
	const char *what = text_of(json, "kind");

	if (what && streq(what, "NetworkAttachmentDefinition"))
		return DOCUMENT_NETWORK;
	if (what && json_object_get(json, "apiVersion"))
		return DOCUMENT_OTHER;
	if (json_object_get(json, "plugins") || json_object_get(json, "type") ||
	    json_object_get(json, "cniVersion"))
		return DOCUMENT_NETWORK;
	if (json_object_get(json, "version") || json_object_get(json, "fabrics"))
		return DOCUMENT_PROFILE;
	return DOCUMENT_UNKNOWN;
}

static void read_definition(struct document *document)
{
	const json_t *meta = json_object_get(document->json, "metadata");
	const json_t *config = json_object_get(json_object_get(document->json, "spec"), "config");
	const char *text = json_string_value(config);

	document->is_nad = true;
	document->name = text_of(meta, "name");
	document->namespace = text_of(meta, "namespace");
	document->resource = text_of(json_object_get(meta, "annotations"), RESOURCE_ANNOTATION);
	if (!text && config && !json_is_null(config))
		jx_type_error(config, "spec.config", "a string that holds JSON", &document->err);
	else if (text && *text)
		jx_parse(text, strlen(text), "spec.config", &document->config, &document->err);
}

static void visit_one(const json_t *json, size_t doc, const char *path, document_visitor visit,
		      void *arg)
{
	struct document document = { .kind = kind_of(json), .doc = doc, .json = json };

	snprintf(document.path, sizeof(document.path), "%s", path);
	document.what = jx_text(json, "kind");
	if (document.kind == DOCUMENT_NETWORK && *document.what)
		read_definition(&document);
	else if (document.kind == DOCUMENT_NETWORK)
		document.config = json_incref((json_t *)json);
	visit(&document, arg);
	json_decref(document.config);
}

void document_each(const struct source *source, document_visitor visit, void *arg)
{
	for (size_t doc = 0; doc < json_array_size(source->docs); doc++) {
		const json_t *json = json_array_get(source->docs, doc);
		const json_t *items = json_object_get(json, "items");
		const char *kind = text_of(json, "kind");

		if (json_is_null(json))
			continue; /* nothing between two "---" */
		if (!json_is_array(items) || !kind || !strstr(kind, "List")) {
			visit_one(json, doc, "", visit, arg);
			continue;
		}
		for (size_t i = 0; i < json_array_size(items); i++) {
			char path[DOCUMENT_PATH_SIZE];

			snprintf(path, sizeof(path), "items[%zu]", i);
			visit_one(json_array_get(items, i), doc, path, visit, arg);
		}
	}
}

/* ---- its plugins ---- */

size_t document_plugins(const struct document *document)
{
	if (!document->config)
		return 0;
	return plugin_list(document) ? json_array_size(plugin_list(document)) : 1;
}

const json_t *document_plugin(const struct document *document, size_t i)
{
	const json_t *list = plugin_list(document);
	const json_t *plugin = list ? json_array_get(list, i) : document->config;

	return json_is_object(plugin) ? plugin : NULL;
}

int document_line(struct source *source, const struct document *document, size_t plugin,
		  const char *path)
{
	const char *dot = *document->path ? "." : "";
	char outer[2 * DOCUMENT_PATH_SIZE], inner[256];

	if (plugin_list(document))
		snprintf(inner, sizeof(inner), "plugins[%zu]%s%.200s", plugin, *path ? "." : "", path);
	else
		snprintf(inner, sizeof(inner), "%.200s", path);
	if (document->is_nad)
		snprintf(outer, sizeof(outer), "%s%sspec.config", document->path, dot);
	else
		return source_line(source, document->doc, inner, NULL);
	return source_line(source, document->doc, outer, inner);
}

static void inherit(json_t *plugin, const char *key, const char *value)
{
	if (value)
		json_object_set_new(plugin, key, json_string(value));
}

int document_call(const struct document *document, size_t i, struct cni_call *ret_call,
		  struct err *err)
{
	const json_t *plugin = document_plugin(document, i);
	const char *name = text_of(document->config, "name");
	json_t *json = json_deep_copy(plugin);

	*ret_call = (struct cni_call){ .args.args = "", .json = json };
	if (plugin_list(document)) {
		inherit(json, "cniVersion", text_of(document->config, "cniVersion"));
		inherit(json, "name", name);
	}
	if (!text_of(json, "name"))
		inherit(json, "name", document->name);
	ret_call->text = json_dumps(json, JSON_COMPACT);
	if (!ret_call->text)
		return err_set(err, CNI_IO_FAILURE, -ENOMEM, "out of memory");
	ret_call->text_len = strlen(ret_call->text);
	return cnicall_check(ret_call, err);
}

void document_free_call(struct cni_call *call)
{
	json_decref(call->json);
	free(call->text);
}
