// SPDX-License-Identifier: Apache-2.0
/* Texts: YAML into the values that Kubernetes would see, and the line in which each stands. */
#include "conf/source.h"

#include "tests/unit/row.h"

#include <stdio.h>
#include <unistd.h>

static char path[] = "/tmp/test_source.XXXXXX";

static void write_text(const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static int open_text(const char *text, struct source *source, struct err *err)
{
	write_text(text, strlen(text));
	*err = (struct err){ 0 };
	return source_open(path, source, err);
}

/* ---- values ---- */

static const struct {
	const char *name, *text, *json;
} values[] = {
	{ "nothing", "", "[]" },
	{ "a comment", "# nothing\n", "[]" },
	{ "words", "a: b\nc: d e\n", "[{\"a\":\"b\",\"c\":\"d e\"}]" },
	{ "numbers", "[1, -2, +3, 0x10, 010, 1.5, .5, 1e3]", "[[1,-2,3,16,8,1.5,0.5,1000.0]]" },
	{ "no numbers", "[1a, 0000:3b:00.2, 10.56.0.0/24, 1.2.3, '1', \"2\", -, +]",
	  "[[\"1a\",\"0000:3b:00.2\",\"10.56.0.0/24\",\"1.2.3\",\"1\",\"2\",\"-\",\"+\"]]" },
	{ "true and false", "- [true, True, yes, on]\n- [false, no, off]\n- ['true', \"no\"]\n",
	  "[[[true,true,true,true],[false,false,false],[\"true\",\"no\"]]]" },
	{ "null", "a:\nb: ~\nc: null\nd: ''\n", "[{\"a\":null,\"b\":null,\"c\":null,\"d\":\"\"}]" },
	{ "literal block", "a: |\n  x\n   y\nb: 1\n", "[{\"a\":\"x\\n y\\n\",\"b\":1}]" },
	{ "folded block", "a: >-\n  x\n  y\n", "[{\"a\":\"x y\"}]" },
	{ "anchor and alias", "a: &x {b: 1}\nc: *x\n", "[{\"a\":{\"b\":1},\"c\":{\"b\":1}}]" },
	{ "documents", "a: 1\n---\nb: 2\n...\n---\n", "[{\"a\":1},{\"b\":2},null]" },
	{ "Windows line ends", "a: 1\r\nb: x\r\n", "[{\"a\":1,\"b\":\"x\"}]" },
	{ "UTF-8", "a: Straße\n", "[{\"a\":\"Straße\"}]" },
	{ "JSON", "{\"a\": [1, true, null, \"x\\u00e9\"]}", "[{\"a\":[1,true,null,\"xé\"]}]" },
	{ "JSON documents", "\n{\"a\": 1}\n{\"b\": 2}\n", "[{\"a\":1},{\"b\":2}]" },
};

static void values_are_those_of_kubernetes(void **state)
{
	(void)state;
	for_each_row(row, values)
	{
		_cleanup_json_ json_t *want = json_loads(row->json, 0, NULL);
		struct source source;
		struct err err;

		assert_non_null(want);
		if (row->text[0] == '[' && open_text(row->text, &source, &err) < 0) {
			char yaml[256]; /* a flow sequence of YAML, which looks like JSON */

			snprintf(yaml, sizeof(yaml), "--- %s", row->text);
			row_int(row->name, "source_open()", open_text(yaml, &source, &err), 0);
		} else if (row->text[0] != '[') {
			row_int(row->name, "source_open()", open_text(row->text, &source, &err), 0);
		}
		if (!json_equal(source.docs, want)) {
			_cleanup_free_ char *got = json_dumps(source.docs, 0);

			fail_msg("row \"%s\": got %s, want %s", row->name, got, row->json);
		}
		source_close(&source);
	}
}

/* ---- refusals ---- */

static const struct {
	const char *name, *text, *message;
} refused[] = {
	{ "broken YAML", "a: [1\nb: 2\n", "is not valid YAML: line 2" },
	{ "tab as indentation", "a:\n\tb: 1\n", "is not valid YAML: line 2" },
	{ "broken JSON", "{\"a\": 1,\n \"b\" 2}", "is not valid JSON: line 2, column" },
	{ "second JSON document broken", "{\"a\": 1}\n{\"b\": }", "is not valid JSON: line 2, column" },
	{ "JSON with a comma too many", "{\"a\": 1,}", "is not valid JSON: line 1" },
	{ "key twice, JSON", "{\"a\": 1, \"a\": 2}", "duplicate object key" },
	{ "key twice, YAML", "a: 1\nb: 2\na: 3\n", "line 3: this key is in the same object twice" },
	{ "merge key", "x: &x {a: 1}\ny:\n  <<: *x\n", "line 3: merge keys (<<) are not supported" },
	{ "key that is no word", "? [1, 2]\n: x\n", "line 1: a key must be a word" },
	{ "a NUL in a text", "a: 1\nb: \"x\\0y\"\n", "line 2: has a NUL in it" },
	{ "text that is no UTF-8", "a: \"\\xff\xff\"\n", "line 1" },
};

static void what_is_broken_is_refused(void **state)
{
	(void)state;
	for_each_row(row, refused)
	{
		struct source source;
		struct err err;

		row_true(row->name, "it is refused", open_text(row->text, &source, &err) < 0);
		row_int(row->name, "code", err.code, CNI_DECODING_FAILURE);
		row_part(row->name, "message", err.msg, row->message);
		row_true(row->name, "nothing is left open", !source.text && !source.docs);
	}
}

/* Few lines that stand for very much, and very deep nesting: an error, and soon. */
static void bombs_do_not_explode(void **state)
{
	static char deep[4096], wide[4096];
	struct source source;
	struct err err;
	int n = 0;

	(void)state;
	memset(deep, '[', 2000);
	deep[0] = ' ';
	for (int i = 0; i < 30; i++)
		n += snprintf(wide + n, sizeof(wide) - (size_t)n, "%c%d: &l%d [%s%d, %s%d]\n", 'k', i,
			      i, i ? "*l" : "x", i ? i - 1 : 0, i ? "*l" : "x", i ? i - 1 : 0);
	assert_true(open_text(deep, &source, &err) < 0);
	assert_true(open_text(wide, &source, &err) < 0);
	row_part("aliases", "message", err.msg, "expands to too many values");
}

static void a_file_that_is_not_there(void **state)
{
	struct source source;
	struct err err = { 0 };

	(void)state;
	assert_true(source_open("/no/such/file", &source, &err) < 0);
	assert_int_equal(err.code, CNI_IO_FAILURE);
	row_part("missing", "message", err.msg, "cannot read /no/such/file: No such file");
}

/* ---- lines ---- */

static const char definitions[] = "# a comment\n"			     /* 1 */
				  "apiVersion: k8s.cni.cncf.io/v1\n"	     /* 2 */
				  "spec:\n"				     /* 3 */
				  "  config: |\n"			     /* 4 */
				  "    {\"type\": \"roce\",\n"		     /* 5 */
				  "     \"ipam\": {\n"			     /* 6 */
				  "       \"routes\": [{\"dst\": \"a\"},\n" /* 7 */
				  "                  {\"dst\": \"b\"}],\n"  /* 8 */
				  "     \"range\": \"x\"}}\n"		     /* 9 */
				  "---\n"				     /* 10 */
				  "items:\n"				     /* 11 */
				  "- name: one\n"			     /* 12 */
				  "- name: two\n"			     /* 13 */
				  "  spec: {config: '{\"type\": \"roce\"}'}\n"; /* 14 */

static const struct {
	const char *name;
	size_t doc;
	const char *path, *inner;
	int line;
} lines[] = {
	{ "a document", 0, "", NULL, 2 },
	{ "a key", 0, "spec", NULL, 3 },
	{ "a key in an object", 0, "spec.config", NULL, 4 },
	{ "the first key inside the string", 0, "spec.config", "type", 5 },
	{ "an object inside", 0, "spec.config", "ipam", 6 },
	{ "an element", 0, "spec.config", "ipam.routes[1].dst", 8 },
	{ "after the elements", 0, "spec.config", "ipam.range", 9 },
	{ "a key that is missing: its object", 0, "spec.config", "ipam.gateway", 6 },
	{ "an element that is missing: its array", 0, "spec.config", "ipam.routes[7]", 7 },
	{ "the second document", 1, "items", NULL, 11 },
	{ "an item", 1, "items[1]", NULL, 13 },
	{ "a string in one line", 1, "items[1].spec.config", "type", 14 },
	{ "a key that is missing: its item", 1, "items[0].spec", NULL, 12 },
	{ "a document that is missing", 2, "", NULL, 0 },
};

static void everything_stands_in_its_line(void **state)
{
	struct source source;
	struct err err;

	(void)state;
	assert_int_equal(open_text(definitions, &source, &err), 0);
	for_each_row(row, lines)
		row_int(row->name, "line", source_line(&source, row->doc, row->path, row->inner),
			row->line);
	source_close(&source);
	assert_int_equal(open_text("{\n \"a\":\n  [1,\n   {\"b\": 2}]}\n", &source, &err), 0);
	row_int("JSON", "line", source_line(&source, 0, "a[1].b", NULL), 4);
	source_close(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_those_of_kubernetes),
		cmocka_unit_test(what_is_broken_is_refused),
		cmocka_unit_test(bombs_do_not_explode),
		cmocka_unit_test(a_file_that_is_not_there),
		cmocka_unit_test(everything_stands_in_its_line),
	};
	int fd = mkstemp(path), status;

	close(fd);
	status = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return status;
}
