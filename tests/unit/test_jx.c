// SPDX-License-Identifier: Apache-2.0
/* JSON by tables of keys: readers, their errors with the path, and the "did you mean". */
#include "conf/jx.h"

#include "tests/unit/row.h"

#include <stdio.h>

/* ---- documents ---- */

static const struct {
	const char *name, *text;
	const char *part; /* of the message; NULL: accepted */
} documents[] = {
	{ "empty object", "{}", NULL },
	{ "white space around", " \n{ } \n", NULL },
	{ "empty", "", "it is not valid JSON: line 1" },
	{ "array", "[]", "it must be a JSON object" },
	{ "string", "\"x\"", "it " },
	{ "null", "null", "it " },
	{ "second line", "{\n\"a\":x}", "line 2, column" },
	{ "duplicate", "{\"a\":1,\"a\":1}", "duplicate" },
	{ "duplicate below", "{\"a\":{\"b\":1,\"b\":2}}", "duplicate" },
	{ "junk behind", "{} x", "line 1, column" },
	{ "single quotes", "{'a':1}", "line 1, column" },
	{ "comma at the end", "{\"a\":1,}", "line 1, column" },
	{ "comment", "{/* x */}", "line 1, column" },
	{ "NaN", "{\"a\":NaN}", "line 1, column" },
	{ "integer beyond 64 bits", "{\"a\":99999999999999999999}", "too big integer" },
};

static void documents_are_parsed(void **state)
{
	(void)state;
	for_each_row(row, documents)
	{
		json_t *json = NULL;
		struct err err = { 0 };
		int r = jx_parse(row->text, strlen(row->text), "it", &json, &err);

		row_int(row->name, "refused", r < 0, row->part != NULL);
		row_int(row->name, "code", err.code, row->part ? CNI_DECODING_FAILURE : CNI_OK);
		row_part(row->name, "message", err.msg, row->part);
		row_int(row->name, "document", json != NULL, row->part == NULL);
		json_decref(json);
	}
}

/* The length counts, not a NUL: what a pipe delivers is not a string. */
static void length_counts(void **state)
{
	json_t *json = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(jx_parse("{}xxx", 2, "it", &json, &err), 0);
	json_decref(json);
	assert_true(jx_parse("{}\0{}", 5, "it", &json, &err) < 0);
	assert_int_equal(err.code, CNI_DECODING_FAILURE);
}

/* ---- an object by its table ---- */

struct thing {
	const char *text;
	struct opt_int number;
	bool flag;
	const json_t *any;
	struct opt_int items[3];
	size_t n_items;
	struct opt_int inner;
};

static int read_small(const json_t *value, const char *path, void *field, struct err *err)
{
	return jx_int_in(value, path, 1, 9, "a small number", field, err);
}

static int read_items(const json_t *value, const char *path, void *field, struct err *err)
{
	struct thing *thing = field;

	return jx_array(value, path, read_small, ARRAY_SIZE(thing->items), thing->items,
			sizeof(*thing->items), &thing->n_items, err);
}

static int read_inner(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = { { "small", read_small,
						offsetof(struct thing, inner) } };

	return jx_object(value, path, keys, ARRAY_SIZE(keys), JX_REFUSE, field, err);
}

static const struct jx_key thing_keys[] = {
	{ "text", jx_string, offsetof(struct thing, text) },
	{ "number", jx_int, offsetof(struct thing, number) },
	{ "flag", jx_bool, offsetof(struct thing, flag) },
	{ "any", jx_json, offsetof(struct thing, any) },
	{ "items", read_items, 0 },
	{ "inner", read_inner, 0 },
	{ "ignored", NULL, 0 },
};

static int read_thing(const char *text, enum jx_unknown unknown, json_t **ret_json,
		      struct thing *thing, struct err *err)
{
	*thing = (struct thing){ 0 };
	*ret_json = json_loads(text, JSON_DECODE_ANY, NULL);
	assert_non_null(*ret_json);
	return jx_object(*ret_json, "", thing_keys, ARRAY_SIZE(thing_keys), unknown, thing, err);
}

static void fields_are_filled(void **state)
{
	struct thing thing;
	struct err err = { 0 };
	json_t *json;

	(void)state;
	assert_int_equal(
		read_thing("{\"text\":\"t\",\"number\":-7,\"flag\":true,\"any\":[null],"
			   "\"items\":[1,9],\"inner\":{\"small\":3},\"ignored\":{\"x\":[]}}",
			   JX_REFUSE, &json, &thing, &err),
		0);
	assert_string_equal(thing.text, "t");
	assert_true(thing.number.set && thing.number.value == -7);
	assert_true(thing.flag);
	assert_true(json_is_array(thing.any));
	assert_int_equal(thing.n_items, 2);
	assert_int_equal(thing.items[1].value, 9);
	assert_int_equal(thing.inner.value, 3);
	json_decref(json);

	assert_int_equal(read_thing("{}", JX_REFUSE, &json, &thing, &err), 0);
	assert_null(thing.text);
	assert_false(thing.number.set || thing.flag || thing.inner.set);
	json_decref(json);
}

static const struct {
	const char *name, *text;
	enum err_code code; /* CNI_OK: accepted */
	const char *msg;
} things[] = {
	{ "not an object", "[]", CNI_DECODING_FAILURE,
	  "configuration: must be an object, is an array" },
	{ "text integer", "{\"text\":1}", CNI_DECODING_FAILURE,
	  "text: must be a string, is an integer" },
	{ "text null", "{\"text\":null}", CNI_DECODING_FAILURE, "text: must be a string, is null" },
	{ "number string", "{\"number\":\"1\"}", CNI_DECODING_FAILURE,
	  "number: must be an integer, is a string" },
	{ "number real", "{\"number\":1.0}", CNI_DECODING_FAILURE,
	  "number: must be an integer, is a real number" },
	{ "number INT_MAX", "{\"number\":2147483647}", CNI_OK, "" },
	{ "number INT_MIN", "{\"number\":-2147483648}", CNI_OK, "" },
	{ "number INT_MAX + 1", "{\"number\":2147483648}", CNI_CONFIG_INVALID,
	  "number: 2147483648 is not a number: it must be -2147483648 to 2147483647" },
	{ "number INT_MIN - 1", "{\"number\":-2147483649}", CNI_CONFIG_INVALID,
	  "number: -2147483649 is not a number: it must be -2147483648 to 2147483647" },
	{ "flag string", "{\"flag\":\"true\"}", CNI_DECODING_FAILURE,
	  "flag: must be true or false, is a string" },
	{ "flag object", "{\"flag\":{}}", CNI_DECODING_FAILURE,
	  "flag: must be true or false, is an object" },
	{ "items object", "{\"items\":{}}", CNI_DECODING_FAILURE,
	  "items: must be an array, is an object" },
	{ "items null", "{\"items\":null}", CNI_DECODING_FAILURE,
	  "items: must be an array, is null" },
	{ "items exactly full", "{\"items\":[1,2,3]}", CNI_OK, "" },
	{ "items too many", "{\"items\":[1,2,3,4]}", CNI_CONFIG_INVALID,
	  "items: has 4 elements, at most 3 are supported" },
	{ "item false", "{\"items\":[1,false]}", CNI_DECODING_FAILURE,
	  "items[1]: must be an integer, is false" },
	{ "item too large", "{\"items\":[1,2,10]}", CNI_CONFIG_INVALID,
	  "items[2]: 10 is not a small number: it must be 1 to 9" },
	{ "inner too small", "{\"inner\":{\"small\":0}}", CNI_CONFIG_INVALID,
	  "inner.small: 0 is not a small number: it must be 1 to 9" },
	{ "inner unknown", "{\"inner\":{\"smal\":1}}", CNI_CONFIG_INVALID,
	  "unknown key \"inner.smal\"; did you mean \"small\"?" },
	{ "unknown", "{\"numbr\":1}", CNI_CONFIG_INVALID,
	  "unknown key \"numbr\"; did you mean \"number\"?" },
	{ "unknown and far", "{\"zzzzzz\":1}", CNI_CONFIG_INVALID, "unknown key \"zzzzzz\"" },
	{ "dot in the key", "{\"io.example\":1}", CNI_OK, "" },
	{ "slash in the key", "{\"cni.dev/x\":1}", CNI_OK, "" },
	{ "ignored of any type", "{\"ignored\":null}", CNI_OK, "" },
};

static void errors_name_the_path(void **state)
{
	(void)state;
	for_each_row(row, things)
	{
		struct thing thing;
		struct err err = { 0 };
		json_t *json;
		int r = read_thing(row->text, JX_REFUSE, &json, &thing, &err);

		row_int(row->name, "refused", r < 0, row->code != CNI_OK);
		row_int(row->name, "code", err.code, row->code);
		row_text(row->name, "message", err.msg, row->msg);
		json_decref(json);
	}
}

static void unknown_keys_may_be_accepted(void **state)
{
	struct thing thing;
	struct err err = { 0 };
	json_t *json;

	(void)state;
	assert_int_equal(read_thing("{\"numbr\":1,\"number\":2}", JX_ACCEPT, &json, &thing, &err),
			 0);
	assert_int_equal(thing.number.value, 2);
	json_decref(json);
}

/* A reader may meet a value that is not there at all: json_object_get() gives NULL. */
static void absent_value_is_an_error_not_a_crash(void **state)
{
	struct err err = { 0 };
	bool flag = false;

	(void)state;
	assert_true(jx_bool(NULL, "have", &flag, &err) < 0);
	assert_int_equal(err.code, CNI_DECODING_FAILURE);
	row_part("absent", "message", err.msg, "have: must be true or false");
}

/* ---- words ---- */

static const char *const words[] = { "mtu", "mac", "vlan", "roceMTU", "mtuPolicy", "deviceID" };

static const struct {
	const char *word, *closest;
} misspelt[] = {
	{ "mtu", "mtu" },
	{ "MTU", "mtu" },
	{ "mt", "mtu" },
	{ "mtuu", "mtu" },
	{ "mttuu", "mtu" },
	{ "xyz", NULL },
	{ "mxx", NULL }, /* two edits are too many in a short word */
	{ "vlna", "vlan" },
	{ "rocemtu", "roceMTU" },
	{ "roce_mtu", "roceMTU" },
	{ "roce", NULL },
	{ "policy", NULL },
	{ "device", "deviceID" },
	{ "deviceId", "deviceID" },
	{ "", NULL },
	{ "aVeryLongWordThatIsLongerThanAnyOfTheNamesAndAllBuffersToo", NULL },
};

static void closest_word_is_found(void **state)
{
	(void)state;
	for_each_row(row, misspelt) row_text(
		row->word, "closest",
		jx_closest(row->word, words, ARRAY_SIZE(words), sizeof(*words)), row->closest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documents_are_parsed),
		cmocka_unit_test(length_counts),
		cmocka_unit_test(fields_are_filled),
		cmocka_unit_test(errors_name_the_path),
		cmocka_unit_test(unknown_keys_may_be_accepted),
		cmocka_unit_test(absent_value_is_an_error_not_a_crash),
		cmocka_unit_test(closest_word_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
