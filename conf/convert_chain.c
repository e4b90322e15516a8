// SPDX-License-Identifier: Apache-2.0
/* Plugins behind one of roce: rdma and tuning are folded into it. */
#include "conf/convert_run.h"

#include <stdio.h>
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

/* It gives no pod without an RDMA device, and so do we. */
static void fold_rdma(struct convert_run *run, const json_t *rdma, const char *base)
{
	static const char *const ours[] = { "deviceID", "capabilities" };
	_cleanup_json_ json_t *required = json_string("required");
	char path[CONVERT_PATH_SIZE];
	const char *key;
	json_t *value;

	convert_put(&run->roce, "rdma", required, base);
	convert_say(run, CONVERT_NOTE, base,
		    "becomes \"rdma\": \"required\": roce moves the RDMA device itself");
	json_object_foreach((json_t *)rdma, key, value)
		if (!is_envelope(key) && !is_one_of(key, ours, ARRAY_SIZE(ours)))
			convert_say(run, CONVERT_LOST, convert_join(path, base, key),
				    "was rdma's, which goes");
}

/* ---- tuning ---- */

/* What tuning takes as if it were not there; its allmulti may be false, its txQLen 0. */
static bool asks_nothing(const char *key, const json_t *value)
{
	return convert_is_nothing(value) || (streq(key, "promisc") && json_is_false(value)) ||
	       (streq(key, "mtu") && json_is_integer(value) && json_integer_value(value) == 0);
}

/* Arguments without a value take back what the same plugin asks for. */
static void fold_nothing(struct convert_run *run, const char *key, const char *path, const char *base)
{
	char origin[CONVERT_PATH_SIZE];

	convert_origin(run, key, origin);
	if (strncmp(origin, base, strlen(base)) == 0)
		json_object_del(run->roce.object, key);
	convert_say(run, CONVERT_NOTE, path, "asks for nothing, left out");
}

static void say_if_last(struct convert_run *run, const json_t *before, const json_t *value,
			const char *key, const char *path)
{
	if (before && !json_equal(before, value))
		convert_say(run, CONVERT_NOTE, path,
			    "comes last, so it counts, not the \"%.120s\" before", key);
}

/* The sysctls of tuning, and of its arguments, become one object. */
static void fold_sysctls(struct convert_run *run, const json_t *sysctls, const char *origin)
{
	json_t *roce = run->roce.object, *ours = json_object_get(roce, "sysctl"), *value;
	char path[CONVERT_PATH_SIZE], target[CONVERT_PATH_SIZE], word[CONVERT_PATH_SIZE];
	const char *key;

	if (!json_is_object(sysctls)) {
		convert_say(run, CONVERT_LOST, origin, "must be an object of sysctls");
		return;
	}
	if (!ours)
		json_object_set_new(roce, "sysctl", ours = json_object());
	json_object_foreach((json_t *)sysctls, key, value) {
		snprintf(word, sizeof(word), "[\"%.100s\"]", key);
		convert_join(path, origin, word);
		say_if_last(run, json_object_get(ours, key), value, key, path);
		json_object_set(ours, key, value);
		json_object_set_new(run->origins, convert_join(target, "sysctl", word),
				    json_string(path));
	}
}

static void fold_value(struct convert_run *run, const char *key, const json_t *value,
		       const char *path, const char *base)
{
	if (asks_nothing(key, value)) {
		fold_nothing(run, key, path, base);
		return;
	}
	if (streq(key, "sysctl")) {
		fold_sysctls(run, value, path);
		return;
	}
	say_if_last(run, json_object_get(run->roce.object, key), value, key, path);
	convert_put(&run->roce, key, value, path);
}

/* What roce does, too, leaves the object, which is at @origin in the plugin at @base. */
static void fold_values(struct convert_run *run, json_t *from, const char *origin, const char *base)
{
	static const char *const keys[] = { "mtu", "mac", "promisc", "allmulti", "txQLen", "sysctl" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		char path[CONVERT_PATH_SIZE];
		const char *key;
		json_t *value;
		void *next;

		json_object_foreach_safe(from, next, key, value) {
			if (strcasecmp(key, keys[i]) != 0)
				continue;
			fold_value(run, keys[i], value, convert_join(path, origin, key), base);
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

	fold_values(run, tuning, base, base);
	fold_values(run, json_object_get(args, "cni"), convert_join(path, base, "args.cni"), base);
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
