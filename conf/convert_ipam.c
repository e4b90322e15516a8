// SPDX-License-Identifier: Apache-2.0
/* The "ipam" objects of whereabouts and host-local as ones of roce-ipam; those of any other stay. */
#include "conf/convert_run.h"

#include "conf/inet.h"

#include <stdio.h>
#include <strings.h>

/* ---- whereabouts: its keys are roce-ipam's ---- */

static void from_whereabouts(struct convert_place *to, const json_t *ipam)
{
	char path[CONVERT_PATH_SIZE];
	const char *key;
	json_t *value;

	convert_say(to->run, CONVERT_NOTE, convert_join(path, to->origin, "type"), "%s",
		    convert_remark(to->of, "type"));
	json_object_foreach((json_t *)ipam, key, value)
		if (strcasecmp(key, "type") != 0)
			convert_carry(to, key, value);
}

/* ---- host-local: one range gets our words, several keep theirs ---- */

/* host-local's words for ranges, and ours for one. */
static const struct word {
	const char *theirs;
	const char *ours;
} words[] = {
	{ "subnet", "range" },
	{ "rangeStart", "range_start" },
	{ "rangeEnd", "range_end" },
	{ "gateway", "gateway" },
	{ "ranges", NULL },
};

static const struct word *find_word(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcasecmp(words[i].theirs, key) == 0)
			return &words[i];
	return NULL;
}

/* host-local is written in Go, whose reader takes a key in any case. */
static const json_t *find_any_case(const json_t *object, const char *word)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
		if (strcasecmp(key, word) == 0)
			return value;
	return NULL;
}

/* The only range: at top level or in "ranges"; NULL when there are several, or none. */
static const json_t *only_range(const json_t *ipam)
{
	const json_t *sets = find_any_case(ipam, "ranges");
	const json_t *set = json_array_get(sets, 0), *range = json_array_get(set, 0);

	if (find_any_case(ipam, "subnet"))
		return sets ? NULL : ipam;
	if (json_array_size(sets) != 1 || json_array_size(set) != 1 || !json_is_object(range))
		return NULL;
	return range;
}

/* host-local takes the first address when no gateway is written. */
static void write_gateway(struct convert_place *to, const char *origin)
{
	char path[CONVERT_PATH_SIZE], text[INET_TEXT_SIZE];
	_cleanup_json_ json_t *gateway = NULL;
	struct inet_prefix subnet;
	struct inet_addr first;

	if (json_object_get(to->object, "gateway") ||
	    inet_parse_prefix(jx_text(to->object, "range"), &subnet) < 0)
		return;
	first = inet_first(subnet);
	first.num++;
	gateway = json_string(inet_format(first, text));
	convert_put(to, "gateway", gateway, convert_join(path, origin, "gateway"));
	convert_say(to->run, CONVERT_NOTE, path, "host-local's default %s is now written out",
		    text);
}

/* The range may be the "ipam" object itself: its other keys are not of the range. */
static void translate(struct convert_place *to, const json_t *range, const json_t *ipam)
{
	char origin[CONVERT_PATH_SIZE], path[CONVERT_PATH_SIZE];
	const char *key;
	json_t *value;

	convert_join(origin, to->origin, range == ipam ? "" : "ranges[0][0]");
	json_object_foreach((json_t *)range, key, value) {
		const struct word *word = find_word(key);

		convert_join(path, origin, key);
		if (word && word->ours)
			convert_add(to, word->ours, value, path);
		else if (range != ipam)
			convert_say(to->run, CONVERT_LOST, path, "a range has no such key");
	}
	write_gateway(to, origin);
}

/* roce-ipam reads these words, too: its parser will tell whether it can do what they say. */
static void keep_words(struct convert_place *to, const json_t *ipam)
{
	char path[CONVERT_PATH_SIZE];
	const char *key;
	json_t *value;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		json_object_foreach((json_t *)ipam, key, value)
			if (strcasecmp(key, words[i].theirs) == 0)
				convert_add(to, words[i].theirs, value,
					    convert_join(path, to->origin, key));
}

static void from_host_local(struct convert_place *to, const json_t *ipam)
{
	const json_t *range = only_range(ipam);
	char path[CONVERT_PATH_SIZE];
	const char *key;
	json_t *value;

	if (range)
		translate(to, range, ipam);
	else
		keep_words(to, ipam);
	json_object_foreach((json_t *)ipam, key, value) {
		const struct word *word = find_word(key);

		if (!word && strcasecmp(key, "type") != 0)
			convert_carry(to, key, value);
		else if (word && word->ours && range && range != ipam)
			convert_say(to->run, CONVERT_LOST, convert_join(path, to->origin, key),
				    "host-local reads this only beside \"subnet\"");
	}
}

/* ---- any ---- */

/* IPAM plugins that roce-ipam takes the place of. */
static const struct {
	const char *type;
	void (*convert)(struct convert_place *to, const json_t *ipam);
} ipams[] = {
	{ "whereabouts", from_whereabouts },
	{ "host-local", from_host_local },
};

void convert_ipam(struct convert_place *roce, const char *key, const json_t *ipam)
{
	const struct convert *how = roce->run->how;
	char origin[CONVERT_PATH_SIZE];
	struct convert_place place = {
		.run = roce->run,
		.path = "ipam",
		.keys = how->ipam_keys,
		.n = how->n_ipam_keys,
		.whose = "roce-ipam",
		.origin = convert_join(origin, roce->origin, key),
	};

	if (!convert_add(roce, "ipam", ipam, origin))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(ipams); i++) {
		if (!streq(ipams[i].type, jx_text(ipam, "type")))
			continue;
		place.of = roce->run->ipam = ipams[i].type;
		place.object = json_pack("{ss}", "type", "roce-ipam");
		json_object_set_new(roce->object, "ipam", place.object);
		ipams[i].convert(&place, ipam);
	}
}

void convert_ipam_capabilities(struct convert_run *run)
{
	const json_t *capabilities = json_object_get(run->roce.object, "capabilities");
	char path[CONVERT_PATH_SIZE], full[CONVERT_PATH_SIZE];
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)capabilities, key, value) {
		const char *why;

		why = convert_remark(run->ipam, convert_join(path, "capabilities", key));
		if (why && json_is_true(value))
			convert_say(run, CONVERT_LOST, convert_join(full, run->base, path), "%s",
				    why);
	}
}
