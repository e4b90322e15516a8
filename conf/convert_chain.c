// SPDX-License-Identifier: Apache-2.0
/* Plugins behind one of roce: rdma and what roce can do of tuning are folded into it. */
#include "conf/convert_run.h"

#include <strings.h>

static bool is_one_of(const char *key, const char *const *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(keys[i], key) == 0)
			return true;
	return false;
}

/* Keys that mean nothing without others. */
static bool is_envelope(const char *key)
{
	static const char *const keys[] = { "type", "name", "cniVersion", "dataDir" };

	return is_one_of(key, keys, ARRAY_SIZE(keys));
}

/* ---- rdma ---- */

static void fold_rdma(struct convert_run *run, const json_t *rdma, const char *base)
{
	static const char *const ours[] = { "deviceID", "capabilities" };
	char path[CONVERT_PATH_SIZE];
	const char *key;
	json_t *value;

	convert_say(run, CONVERT_NOTE, base, "goes: roce moves the RDMA device itself");
	json_object_foreach((json_t *)rdma, key, value)
		if (!is_envelope(key) && !is_one_of(key, ours, ARRAY_SIZE(ours)))
			convert_say(run, CONVERT_LOST, convert_join(path, base, key),
				    "was rdma's, which goes");
}

/* ---- tuning ---- */

static void fold_value(struct convert_run *run, const char *key, const json_t *value,
		       const char *path)
{
	const json_t *before = json_object_get(run->roce.object, key);

	if (convert_is_nothing(value) ||
	    (json_is_integer(value) && json_integer_value(value) == 0)) {
		convert_say(run, CONVERT_NOTE, path, "asks for nothing, left out");
		return;
	}
	if (before && !json_equal(before, value))
		convert_say(run, CONVERT_NOTE, path,
			    "comes last, so it counts, not the \"%s\" before", key);
	convert_put(&run->roce, key, value, path);
}

/* The MTU and the MAC leave the object. */
static void fold_values(struct convert_run *run, json_t *from, const char *origin)
{
	static const char *const keys[] = { "mtu", "mac" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		char path[CONVERT_PATH_SIZE];
		const char *key;
		json_t *value;
		void *next;

		json_object_foreach_safe(from, next, key, value) {
			if (strcasecmp(key, keys[i]) != 0)
				continue;
			fold_value(run, keys[i], value, convert_join(path, origin, key));
			json_object_del(from, key);
		}
	}
}

static void drop_if_empty(json_t *object, const char *key)
{
	json_t *member = json_object_get(object, key);

	if (json_is_object(member) && json_object_size(member) == 0)
		json_object_del(object, key);
}

/* A MAC that a pod asks for is roce's, too. */
static void fold_capability(json_t *roce, json_t *tuning)
{
	json_t *theirs = json_object_get(tuning, "capabilities");
	json_t *ours = json_object_get(roce, "capabilities");

	if (json_is_true(json_object_get(theirs, "mac"))) {
		if (!json_is_object(ours))
			json_object_set_new(roce, "capabilities", json_pack("{sb}", "mac", 1));
		else
			json_object_set_new(ours, "mac", json_true());
		json_object_del(theirs, "mac");
	}
	drop_if_empty(tuning, "capabilities");
}

static bool has_work(const json_t *plugin)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)plugin, key, value)
		if (!is_envelope(key))
			return true;
	return false;
}

static void fold_tuning(struct convert_run *run, const json_t *plugin, const char *base)
{
	_cleanup_json_ json_t *tuning = json_deep_copy(plugin);
	json_t *args = json_object_get(tuning, "args");
	char path[CONVERT_PATH_SIZE];

	fold_values(run, tuning, base);
	fold_values(run, json_object_get(args, "cni"), convert_join(path, base, "args.cni"));
	fold_capability(run->roce.object, tuning);
	drop_if_empty(args, "cni");
	drop_if_empty(tuning, "args");
	if (has_work(tuning))
		json_array_append(run->plugins, tuning);
	else
		convert_say(run, CONVERT_NOTE, base, "nothing is left for tuning: roce does it");
}

/* ---- any ---- */

void convert_chained(struct convert_run *run, const json_t *plugin, const char *base)
{
	const char *type = jx_text(plugin, "type");

	if (streq(type, "rdma"))
		fold_rdma(run, plugin, base);
	else if (streq(type, "tuning"))
		fold_tuning(run, plugin, base);
	else
		json_array_append_new(run->plugins, json_deep_copy(plugin));
}
