// SPDX-License-Identifier: Apache-2.0
#include "conf/document.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>

enum { DOCUMENT_SIZE_MAX = 16 << 20 };

static int read_text(const char *path, char **ret_text, size_t *ret_len, struct err *err)
{
	int r = streq(path, "-") ? file_read_fd(STDIN_FILENO, DOCUMENT_SIZE_MAX, ret_text, ret_len)
				 : file_read(AT_FDCWD, path, DOCUMENT_SIZE_MAX, ret_text, ret_len);

	if (r < 0)
		return err_set(err, CNI_IO_FAILURE, r, "cannot read %s: %s", path, strerror(-r));
	return 0;
}

static const char *text_of(const json_t *json, const char *key)
{
	return json_string_value(json_object_get(json, key));
}

/* One plugin's configuration, if it is ours; @name and @version where it has none of its own. */
static int add_plugin(struct document *doc, json_t *plugin, const char *name, const char *version,
		      struct err *err)
{
	const char *type = text_of(plugin, "type");
	struct cni_call *call = &doc->calls[doc->n_calls];

	if (!type || !streq(type, "roce"))
		return 0;
	if (doc->n_calls == DOCUMENT_CALLS_MAX)
		return err_set(err, CNI_CONFIG_INVALID, -E2BIG, "more than %d networks",
			       DOCUMENT_CALLS_MAX);
	call->json = json_deep_copy(plugin);
	if (name && !text_of(plugin, "name"))
		json_object_set_new(call->json, "name", json_string(name));
	if (version)
		json_object_set_new(call->json, "cniVersion", json_string(version));
	call->args.args = "";
	call->text = json_dumps(call->json, JSON_COMPACT);
	call->text_len = strlen(call->text);
	doc->n_calls++;
	return cnicall_check(call, err);
}

static int add_config(struct document *doc, json_t *config, const char *name, struct err *err)
{
	json_t *plugins = json_object_get(config, "plugins");
	int r = 0;

	if (!plugins)
		return add_plugin(doc, config, name, NULL, err);
	if (!json_is_array(plugins))
		return jx_type_error(plugins, "plugins", "an array", err);
	if (text_of(config, "name"))
		name = text_of(config, "name");
	for (size_t i = 0; r == 0 && i < json_array_size(plugins); i++)
		r = add_plugin(doc, json_array_get(plugins, i), name,
			       text_of(config, "cniVersion"), err);
	return r;
}

static int add_definition(struct document *doc, json_t *definition, struct err *err)
{
	_cleanup_json_ json_t *config = NULL;
	const char *text = text_of(json_object_get(definition, "spec"), "config");
	int r;

	if (!text)
		return err_set(err, CNI_CONFIG_INVALID, -EINVAL,
			       "spec.config: the configuration as a string is missing");
	r = jx_parse(text, strlen(text), "spec.config", &config, err);
	return r < 0 ? r
		     : add_config(doc, config, text_of(json_object_get(definition, "metadata"), "name"),
				  err);
}

int document_load(const char *path, struct document *ret_doc, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_json_ json_t *json = NULL;
	const char *kind;
	size_t len;
	int r;

	memset(ret_doc, 0, sizeof(*ret_doc));
	r = read_text(path, &text, &len, err);
	if (r == 0)
		r = jx_parse(text, len, path, &json, err);
	if (r < 0)
		return r;
	kind = text_of(json, "kind");
	if (kind && streq(kind, "NetworkAttachmentDefinition"))
		r = add_definition(ret_doc, json, err);
	else
		r = add_config(ret_doc, json, NULL, err);
	if (r == 0 && ret_doc->n_calls == 0)
		r = err_set(err, CNI_CONFIG_INVALID, -EINVAL, "no configuration of type \"roce\" in it");
	if (r < 0)
		document_free(ret_doc);
	return r;
}

void document_free(struct document *doc)
{
	for (size_t i = 0; i < doc->n_calls; i++) {
		json_decref(doc->calls[i].json);
		free(doc->calls[i].text);
	}
	doc->n_calls = 0;
}
