// SPDX-License-Identifier: Apache-2.0
/*
 * Each field of the other plugin is carried over under the name that roce's own table of keys has
 * for it, or reported. Then roce's parsers read the result, and what they refuse is taken out and
 * reported, too: so the result is one that an ADD accepts, and no rule is written here twice.
 */
#include "conf/convert_run.h"

#include "conf/netconf.h"
#include "conf/result.h"

#include <stdio.h>
#include <strings.h>

/* ---- the device ---- */

static void drop_selector(struct convert_run *run, const char *key, const char *kept)
{
	json_t *roce = run->roce.object;
	char path[CONVERT_PATH_SIZE];

	convert_origin(run, key, path);
	if (strcasecmp(jx_text(roce, key), jx_text(roce, kept)) == 0)
		convert_say(run, CONVERT_NOTE, path, "says the same as \"%s\", left out", kept);
	else
		convert_say(run, CONVERT_LOST, path,
			    "\"%s\" names the device, and %s goes by that one", kept,
			    run->peer->type);
	json_object_del(roce, key);
}

static void settle_device(struct convert_run *run)
{
	json_t *roce = run->roce.object;
	const char *kept = NULL;
	char path[CONVERT_PATH_SIZE];

	if (run->how->has_resource && json_object_get(roce, "device")) {
		convert_say(run, CONVERT_LOST, convert_origin(run, "device", path),
			    "Multus passes on the device that the annotated resource allots");
		json_object_del(roce, "device");
	}
	for (size_t i = 0; i < ARRAY_SIZE(run->peer->selectors); i++) {
		const char *key = run->peer->selectors[i];

		if (!json_object_get(roce, key))
			continue;
		if (kept)
			drop_selector(run, key, kept);
		else
			kept = key;
	}
}

static void report_no_device(struct convert_run *run)
{
	if (convert_names_device(run->roce.object) || run->how->has_resource)
		return;
	convert_say(run, run->how->is_nad ? CONVERT_LOST : CONVERT_NOTE, run->base,
		    "names no device: annotate the NetworkAttachmentDefinition with k8s.v1.cni.cncf.io/resourceName, or write \"deviceID\" or \"device\"");
}

/* ---- plugins ---- */

/* The last plugin of roce is complete: nothing more will be folded into it. */
static void finish(struct convert_run *run)
{
	if (!run->roce.object)
		return;
	settle_device(run);
	convert_check(run);
	report_no_device(run);
	json_decref(run->origins);
	run->origins = NULL;
	run->roce.object = NULL;
	run->ipam = NULL;
}

static void begin(struct convert_run *run, const struct convert_peer *peer, const char *base)
{
	finish(run);
	snprintf(run->base, sizeof(run->base), "%s", base);
	run->peer = peer;
	run->origins = json_object();
	run->roce = (struct convert_place){
		.run = run,
		.object = json_object(),
		.path = "",
		.whose = "roce",
		.of = peer->type,
		.origin = run->base,
	};
	run->roce.keys = netconf_keys(&run->roce.n);
	json_array_append_new(run->plugins, run->roce.object);
}

/* libcni gives a list's own to each plugin of it. */
static bool is_the_lists(const char *base, const char *key)
{
	return *base && (strcasecmp(key, "name") == 0 || strcasecmp(key, "cniVersion") == 0);
}

static void convert_field(struct convert_run *run, const char *key, const json_t *value)
{
	char path[CONVERT_PATH_SIZE];

	if (streq(key, "type"))
		json_object_set_new(run->roce.object, key, json_string("roce"));
	else if (is_the_lists(run->base, key))
		convert_say(run, CONVERT_NOTE, convert_join(path, run->base, key),
			    "the list's own counts, left out");
	else if (strcasecmp(key, "ipam") == 0 && json_is_object(value))
		convert_ipam(&run->roce, key, value);
	else
		convert_carry(&run->roce, key, value);
}

static void convert_plugin(struct convert_run *run, const json_t *plugin, const char *base)
{
	const struct convert_peer *peer = convert_find_peer(jx_text(plugin, "type"));
	const char *key;
	json_t *value;

	if (!peer && run->roce.object) {
		convert_chained(run, plugin, base);
		return;
	}
	if (!peer) {
		json_array_append_new(run->plugins, json_deep_copy(plugin));
		return;
	}
	begin(run, peer, base);
	json_object_foreach((json_t *)plugin, key, value)
		convert_field(run, key, value);
	if (run->ipam)
		convert_ipam_capabilities(run);
}

/* ---- the whole ---- */

/* Return: whether the version can stay. */
static bool check_version(struct convert_run *run, const json_t *version)
{
	const char *text = json_string_value(version);
	struct err err = { 0 };

	if (version && !text) {
		convert_say(run, CONVERT_LOST, "cniVersion",
			    "must be a string, is now " CNI_VERSION_NEWEST);
		return false;
	}
	if (!text || !*text || !result_version_at_least(text, "0.3.1")) {
		convert_say(run, CONVERT_NOTE, "cniVersion", "%.16s is now " CNI_VERSION_NEWEST,
			    text && *text ? text : "(missing)");
		return false;
	}
	if (result_version_check(text, &err) < 0) {
		convert_say(run, CONVERT_LOST, "cniVersion",
			    "%.32s is not supported, is now " CNI_VERSION_NEWEST, text);
		return false;
	}
	if (!streq(text, CNI_VERSION_NEWEST))
		convert_say(run, CONVERT_NOTE, "cniVersion",
			    "%s is kept; " CNI_VERSION_NEWEST " adds GC and STATUS%s", text,
			    result_version_at_least(text, "1.0.0") ? ""
								   : ", and the MTU to results");
	return true;
}

/* Return: the configuration, perhaps another object, which has the version first. */
static json_t *settle_version(struct convert_run *run, json_t *config)
{
	json_t *first;

	if (check_version(run, json_object_get(config, "cniVersion")))
		return config;
	first = json_pack("{ss}", "cniVersion", CNI_VERSION_NEWEST);
	json_object_del(config, "cniVersion");
	json_object_update(first, config);
	json_decref(config);
	return first;
}

static void settle_name(struct convert_run *run, json_t *config)
{
	const json_t *name = json_object_get(config, "name");
	const char *text = json_string_value(name), *other = run->how->name;
	bool stands_in = other && cniargs_name_ok(other);

	if (text && cniargs_name_ok(text))
		return;
	if (name && convert_is_nothing(name))
		json_object_del(config, "name");
	if (!json_object_get(config, "name") && stands_in)
		return;
	convert_say(run, CONVERT_LOST, "name", "%s",
		    text && *text ? "cannot be the name of a network: A-Z a-z 0-9 _ . - may be in it"
				  : "is missing: a network needs a name");
	if (stands_in)
		json_object_del(config, "name");
}

/* Is there anything to convert? Says why not. */
static bool can_convert(struct convert_run *run, const json_t *plugins, bool is_list)
{
	const char *first = jx_text(json_array_get(plugins, 0), "type");
	size_t found = 0;

	for (size_t i = 0; i < json_array_size(plugins); i++) {
		const char *type = jx_text(json_array_get(plugins, i), "type");

		if (streq(type, "roce")) {
			convert_say(run, CONVERT_NOTE, "",
				    "is of type \"roce\" already, left as it is");
			return false;
		}
		found += convert_find_peer(type) != NULL;
	}
	if (!found)
		convert_say(run, CONVERT_LOST, is_list ? "plugins[0].type" : "type",
			    "\"%.64s\": %s", first, convert_why_not(first));
	return found;
}

static void convert_plugins(struct convert_run *run, const json_t *plugins, bool is_list)
{
	char base[sizeof(run->base)] = "";

	for (size_t i = 0; i < json_array_size(plugins); i++) {
		if (is_list)
			snprintf(base, sizeof(base), "plugins[%zu]", i);
		convert_plugin(run, json_array_get(plugins, i), base);
	}
	finish(run);
}

json_t *convert_config(const json_t *config, const struct convert *how)
{
	json_t *list = json_object_get(config, "plugins"), *out;
	_cleanup_json_ json_t *plugins =
		list ? json_incref(list) : json_pack("[O]", (json_t *)config);
	_cleanup_json_ json_t *written = json_array();
	struct convert_run run = { .how = how, .plugins = written };

	if (!can_convert(&run, plugins, list))
		return NULL;
	convert_plugins(&run, plugins, list);
	if (list) {
		out = json_copy((json_t *)config);
		json_object_set(out, "plugins", written);
	} else {
		out = json_incref(json_array_get(written, 0));
	}
	out = settle_version(&run, out);
	settle_name(&run, out);
	return out;
}
