// SPDX-License-Identifier: Apache-2.0
#include "conf/jx.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

enum { PATH_SIZE = 192, WORD_MAX = 48 };

int jx_parse(const char *text, size_t len, const char *what, json_t **ret_json, struct err *err)
{
	_cleanup_json_ json_t *json = NULL;
	json_error_t je;

	json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &je);
	if (!json)
		return err_set(err, CNI_DECODING_FAILURE, -EINVAL,
			       "%s is not valid JSON: line %d, column %d: %s", what, je.line, je.column,
			       je.text);
	if (!json_is_object(json))
		return err_set(err, CNI_DECODING_FAILURE, -EINVAL, "%s must be a JSON object", what);
	*ret_json = steal_ptr(json);
	return 0;
}

static const char *type_name(const json_t *value)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object",   [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
		[JSON_INTEGER] = "an integer", [JSON_REAL] = "a real number",
		[JSON_TRUE] = "true",	       [JSON_FALSE] = "false",	  [JSON_NULL] = "null",
	};

	return value ? names[json_typeof(value)] : "missing";
}

/* The first error wins, and so does its path. */
static void set_path(struct err *err, const char *path)
{
	if (!err_is_set(err))
		snprintf(err->path, sizeof(err->path), "%s", path);
}

int jx_type_error(const json_t *value, const char *path, const char *wanted, struct err *err)
{
	set_path(err, path);
	return err_set(err, CNI_DECODING_FAILURE, -EINVAL, "%s: must be %s, is %s",
		       *path ? path : "configuration", wanted, type_name(value));
}

int jx_value_error(struct err *err, const char *path, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	set_path(err, path);
	return err_set(err, CNI_CONFIG_INVALID, -EINVAL, "%s: %s", path, text);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Edits between two short words, ignoring case; two letters swapped are one edit. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), d[WORD_MAX + 1][WORD_MAX + 1];

	if (la > WORD_MAX || lb > WORD_MAX)
		return WORD_MAX;
	for (size_t i = 0; i <= la; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= lb; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		for (size_t j = 1; j <= lb; j++) {
			d[i][j] = least(d[i - 1][j] + 1, d[i][j - 1] + 1);
			d[i][j] = least(d[i][j],
					d[i - 1][j - 1] + !same_letter(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]))
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[la][lb];
}

const char *jx_closest(const char *word, const char *const *names, size_t n, size_t stride)
{
	const char *closest = NULL;
	size_t best = strlen(word) > 3 ? 3 : 2; /* at most two edits, one in a short word */

	for (size_t i = 0; i < n; i++) {
		const char *name = *(const char *const *)((const char *)names + i * stride);
		size_t distance = edit_distance(word, name);

		if (distance < best) {
			best = distance;
			closest = name;
		}
	}
	return closest;
}

static int unknown_key(const char *path, const char *key, const struct jx_key *keys, size_t n,
		       struct err *err)
{
	const char *meant = jx_closest(key, &keys->name, n, sizeof(*keys));
	char hint[64] = "", full[PATH_SIZE];

	if (meant)
		snprintf(hint, sizeof(hint), "; did you mean \"%s\"?", meant);
	snprintf(full, sizeof(full), "%s%s%s", path, *path ? "." : "", key);
	set_path(err, full);
	return err_set(err, CNI_CONFIG_INVALID, -EINVAL, "unknown key \"%s\"%s", full, hint);
}

static const struct jx_key *find_key(const struct jx_key *keys, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (streq(keys[i].name, name))
			return &keys[i];
	return NULL;
}

int jx_object(const json_t *json, const char *path, const struct jx_key *keys, size_t n,
	      enum jx_unknown unknown, void *out, struct err *err)
{
	const char *name;
	json_t *value;

	if (!json_is_object(json))
		return jx_type_error(json, path, "an object", err);
	json_object_foreach((json_t *)json, name, value) {
		const struct jx_key *key = find_key(keys, n, name);
		char sub[PATH_SIZE];
		int r;

		if (!key && (unknown == JX_ACCEPT || strpbrk(name, "./")))
			continue;
		if (!key)
			return unknown_key(path, name, keys, n, err);
		if (!key->read)
			continue;
		snprintf(sub, sizeof(sub), "%s%s%s", path, *path ? "." : "", name);
		r = key->read(value, sub, (char *)out + key->offset, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int jx_object_of(const json_t *json, const char *path, const struct jx_key *keys, size_t n,
		 size_t n_required, void *out, struct err *err)
{
	for (size_t i = 0; json_is_object(json) && i < n_required; i++)
		if (!json_object_get(json, keys[i].name))
			return jx_value_error(err, *path ? path : "document", "\"%s\" is missing",
					      keys[i].name);
	return jx_object(json, path, keys, n, JX_REFUSE, out, err);
}

int jx_array(const json_t *json, const char *path, jx_reader read, size_t max, void *items,
	     size_t size, size_t *ret_n, struct err *err)
{
	size_t n = json_array_size(json);

	if (!json_is_array(json))
		return jx_type_error(json, path, "an array", err);
	if (n > max)
		return jx_value_error(err, path, "has %zu elements, at most %zu are supported", n, max);
	for (size_t i = 0; i < n; i++) {
		char sub[PATH_SIZE];
		int r;

		snprintf(sub, sizeof(sub), "%s[%zu]", path, i);
		r = read(json_array_get(json, i), sub, (char *)items + i * size, err);
		if (r < 0)
			return r;
	}
	*ret_n = n;
	return 0;
}

bool jx_remove(json_t *json, const char *path)
{
	char key[PATH_SIZE];
	const char *dot;

	while ((dot = strpbrk(path, ".[")) && *dot == '.') {
		snprintf(key, sizeof(key), "%.*s", (int)(dot - path), path);
		json = json_object_get(json, key);
		path = dot + 1;
	}
	snprintf(key, sizeof(key), "%.*s", dot ? (int)(dot - path) : PATH_SIZE - 1, path);
	return json_object_del(json, key) == 0;
}

const char *jx_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

int jx_string(const json_t *value, const char *path, void *field, struct err *err)
{
	if (!json_is_string(value))
		return jx_type_error(value, path, "a string", err);
	*(const char **)field = json_string_value(value);
	return 0;
}

int jx_bool(const json_t *value, const char *path, void *field, struct err *err)
{
	if (!json_is_boolean(value))
		return jx_type_error(value, path, "true or false", err);
	*(bool *)field = json_is_true(value);
	return 0;
}

int jx_json(const json_t *value, const char *path, void *field, struct err *err)
{
	(void)path;
	(void)err;
	*(const json_t **)field = value;
	return 0;
}

int jx_int_in(const json_t *value, const char *path, int min, int max, const char *unit,
	      struct opt_int *ret, struct err *err)
{
	json_int_t n = json_integer_value(value);

	if (!json_is_integer(value))
		return jx_type_error(value, path, "an integer", err);
	if (n < min || n > max)
		return jx_value_error(err, path, "%lld is not %s: it must be %d to %d", (long long)n,
				      unit, min, max);
	*ret = (struct opt_int){ .set = true, .value = (int)n };
	return 0;
}

int jx_word(const json_t *value, const char *path, const char *const words[], int n,
	    const char *must, int *ret_index, struct err *err)
{
	const char *text = json_string_value(value);

	if (!text)
		return jx_type_error(value, path, "a string", err);
	for (int i = 0; i < n; i++) {
		if (streq(words[i], text)) {
			*ret_index = i;
			return 0;
		}
	}
	return jx_value_error(err, path, "\"%s\" is not known; it must be %s", text, must);
}

int jx_int(const json_t *value, const char *path, void *field, struct err *err)
{
	return jx_int_in(value, path, INT_MIN, INT_MAX, "a number", field, err);
}

/* Length of the UTF-8 character at @text; 0 if there is none. jansson is the judge. */
static size_t character_length(const char *text)
{
	for (size_t len = 1; len <= 4 && text[len - 1]; len++) {
		_cleanup_json_ json_t *one = json_stringn(text, len);

		if (one)
			return len;
	}
	return 0;
}

json_t *jx_readable(const char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	json_t *string = json_string(text);

	for (char *p = copy; !string && p && *p;) {
		size_t len = character_length(p);

		if (len == 0)
			*p = '?';
		p += len ? len : 1;
	}
	return string ? string : json_string(copy ? copy : "out of memory");
}
