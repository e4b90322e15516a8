// SPDX-License-Identifier: Apache-2.0
/*
 * One field of another plugin: it goes under the name that roce's own table of keys has for it, or is
 * reported. The origin of each is kept, for what the parsers may say of it later.
 */
#include "conf/convert_run.h"

#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

void convert_say(struct convert_run *run, enum convert_weight weight, const char *path,
		 const char *fmt, ...)
{
	char text[1280];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	run->how->report(weight, path, text, run->how->arg);
}

/* ---- paths ---- */

const char *convert_join(char buf[CONVERT_PATH_SIZE], const char *base, const char *key)
{
	bool dot = *base && *key && *key != '[';

	snprintf(buf, CONVERT_PATH_SIZE, "%.120s%s%.120s", base, dot ? "." : "", key);
	return buf;
}

/* What has no origin of its own has come with the innermost object that has one. */
const char *convert_origin(const struct convert_run *run, const char *path,
			   char buf[CONVERT_PATH_SIZE])
{
	char head[CONVERT_PATH_SIZE];

	snprintf(head, sizeof(head), "%s", path);
	for (size_t len = strlen(head); len > 0; len--) {
		const char *origin;

		if (!strchr(".[", path[len])) /* a part ends there, or all of it */
			continue;
		head[len] = '\0';
		origin = json_string_value(json_object_get(run->origins, head));
		if (origin) {
			snprintf(buf, CONVERT_PATH_SIZE, "%.120s%.120s", origin, path + len);
			return buf;
		}
	}
	return convert_join(buf, run->base, path);
}

/* ---- fields ---- */

bool convert_is_nothing(const json_t *value)
{
	const char *text = json_string_value(value);

	return json_is_null(value) || (text && !*text);
}

void convert_put(struct convert_place *to, const char *key, const json_t *value, const char *path)
{
	char target[CONVERT_PATH_SIZE];

	json_object_set_new(to->object, key, json_deep_copy(value));
	json_object_set_new(to->run->origins, convert_join(target, to->path, key),
			    json_string(path));
}

bool convert_add(struct convert_place *to, const char *key, const json_t *value, const char *path)
{
	bool is_nothing = convert_is_nothing(value), is_there = json_object_get(to->object, key);

	if (is_nothing)
		convert_say(to->run, CONVERT_NOTE, path, "is empty, left out");
	else if (is_there)
		convert_say(to->run, CONVERT_LOST, path, "\"%s\" is there, too", key);
	else
		convert_put(to, key, value, path);
	return !is_nothing && !is_there;
}

static void leave_out(const struct convert_place *from, const char *key, const json_t *value,
		      const char *path)
{
	const char *why = convert_why_lost(from->of, key);
	const char *meant = jx_closest(key, &from->keys->name, from->n, sizeof(*from->keys));

	if (convert_is_nothing(value))
		convert_say(from->run, CONVERT_NOTE, path, "is empty, left out");
	else if (why)
		convert_say(from->run, CONVERT_LOST, path, "%s", why);
	else if (meant)
		convert_say(from->run, CONVERT_LOST, path,
			    "%s has no such key; did you mean \"%s\"?", from->whose, meant);
	else
		convert_say(from->run, CONVERT_LOST, path, "%s has no such key", from->whose);
}

/* A key with '.' or '/' in it belongs to somebody else. */
static const char *find_key(const struct convert_place *place, const char *word)
{
	if (strpbrk(word, "./"))
		return word;
	for (size_t i = 0; i < place->n; i++)
		if (strcasecmp(place->keys[i].name, word) == 0)
			return place->keys[i].name;
	return NULL;
}

void convert_carry(struct convert_place *to, const char *key, const json_t *value)
{
	const char *known = find_key(to, key), *remark = convert_remark(to->of, key);
	char path[CONVERT_PATH_SIZE];

	convert_join(path, to->origin, key);
	if (!known)
		leave_out(to, key, value, path);
	if (!known || !convert_add(to, known, value, path))
		return;
	if (!streq(known, key))
		convert_say(to->run, CONVERT_NOTE, path, "is now spelled \"%s\"", known);
	if (remark)
		convert_say(to->run, CONVERT_NOTE, path, "%s", remark);
}
