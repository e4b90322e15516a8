// SPDX-License-Identifier: Apache-2.0
/*
 * libyaml reads both forms: JSON is YAML in flow style, and only libyaml tells where a value stands.
 * The values of JSON come from jansson, which is strict, and its trees are made when a line is asked
 * for.
 */
#include "conf/source.h"

#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <yaml.h>

enum {
	TEXT_MAX = 64 << 20,
	DEPTH_MAX = 64,
	NODES_MAX = 4 << 20, /* aliases make few lines into many values */
};

struct source_trees {
	yaml_document_t *docs;
	size_t n;
};

/* ---- libyaml's trees ---- */

static void free_trees(struct source_trees *trees)
{
	for (size_t i = 0; trees && i < trees->n; i++)
		yaml_document_delete(&trees->docs[i]);
	if (trees)
		free(trees->docs);
	free(trees);
}

static int syntax_error(const yaml_parser_t *parser, const char *what, struct err *err)
{
	return err_set(err, CNI_DECODING_FAILURE, -EINVAL, "%s is not valid YAML: line %zu, column %zu: %s",
		       what, parser->problem_mark.line + 1, parser->problem_mark.column + 1,
		       parser->problem ? parser->problem : "cannot be read");
}

static int keep(struct source_trees *trees, const yaml_document_t *doc)
{
	yaml_document_t *grown = base_grow(trees->docs, trees->n, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	trees->docs = grown;
	trees->docs[trees->n++] = *doc;
	return 0;
}

static int load_all(yaml_parser_t *parser, const char *what, struct source_trees *trees,
		    struct err *err)
{
	yaml_document_t doc;

	for (;;) {
		if (!yaml_parser_load(parser, &doc))
			return syntax_error(parser, what, err);
		if (!yaml_document_get_root_node(&doc)) {
			yaml_document_delete(&doc);
			return 0;
		}
		if (keep(trees, &doc) < 0) {
			yaml_document_delete(&doc);
			return err_set(err, CNI_IO_FAILURE, -ENOMEM, "out of memory");
		}
	}
}

static struct source_trees *plant(const char *text, size_t len, const char *what, struct err *err)
{
	struct source_trees *trees = calloc(1, sizeof(*trees));
	yaml_parser_t parser;
	int r;

	if (!trees || !yaml_parser_initialize(&parser)) {
		free(trees);
		err_set(err, CNI_IO_FAILURE, -ENOMEM, "out of memory");
		return NULL;
	}
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	r = load_all(&parser, what, trees, err);
	yaml_parser_delete(&parser);
	if (r == 0)
		return trees;
	free_trees(trees);
	return NULL;
}

/* ---- values ---- */

struct conversion {
	yaml_document_t *doc;
	const char *what;
	size_t nodes;
	struct err *err;
};

static json_t *refuse(struct conversion *c, const yaml_node_t *node, const char *why)
{
	err_set(c->err, CNI_DECODING_FAILURE, -EINVAL, "%s: line %zu: %s", c->what,
		node->start_mark.line + 1, why);
	return NULL;
}

static const char *scalar_text(const yaml_node_t *node)
{
	return (const char *)node->data.scalar.value;
}

/* A plain scalar is what YAML 1.1's schema makes of it, as in Kubernetes' reader. */
static json_t *plain_scalar(const char *text)
{
	static const char *const nulls[] = { "", "~", "null", "Null", "NULL" };
	static const char *const trues[] = { "true", "True", "TRUE", "yes", "Yes", "on", "On" };
	static const char *const falses[] = { "false", "False", "FALSE", "no", "No", "off", "Off" };
	long long number;
	double real;
	char *end;

	for (size_t i = 0; i < ARRAY_SIZE(nulls); i++)
		if (streq(text, nulls[i]))
			return json_null();
	for (size_t i = 0; i < ARRAY_SIZE(trues); i++)
		if (streq(text, trues[i]) || streq(text, falses[i]))
			return json_boolean(streq(text, trues[i]));
	if (!isdigit((unsigned char)*text) && !strchr("+-.", *text))
		return json_string(text);
	errno = 0;
	number = strtoll(text, &end, 0);
	if (!*end && end != text && errno == 0)
		return json_integer(number);
	real = strtod(text, &end);
	return !*end && end != text && errno == 0 ? json_real(real) : json_string(text);
}

static json_t *convert_scalar(struct conversion *c, const yaml_node_t *node)
{
	const char *text = scalar_text(node);
	bool plain = node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	json_t *json;

	if (strlen(text) != node->data.scalar.length)
		return refuse(c, node, "has a NUL in it");
	json = plain ? plain_scalar(text) : json_string(text);
	return json ? json : refuse(c, node, "is no valid text (UTF-8)");
}

static json_t *convert(struct conversion *c, int index, int depth);

static json_t *convert_sequence(struct conversion *c, const yaml_node_t *node, int depth)
{
	_cleanup_json_ json_t *array = json_array();

	for (const int *item = node->data.sequence.items.start; item < node->data.sequence.items.top;
	     item++) {
		json_t *value = convert(c, *item, depth);

		if (!value || json_array_append_new(array, value) < 0)
			return NULL;
	}
	return steal_ptr(array);
}

static int add_member(struct conversion *c, json_t *object, const yaml_node_pair_t *pair, int depth)
{
	const yaml_node_t *key = yaml_document_get_node(c->doc, pair->key);
	json_t *value;

	if (key->type != YAML_SCALAR_NODE)
		refuse(c, key, "a key must be a word");
	else if (streq(scalar_text(key), "<<"))
		refuse(c, key, "merge keys (<<) are not supported; write the keys out");
	else if (json_object_get(object, scalar_text(key)))
		refuse(c, key, "this key is in the same object twice");
	if (err_is_set(c->err))
		return -EINVAL;
	value = convert(c, pair->value, depth);
	return value ? json_object_set_new(object, scalar_text(key), value) : -EINVAL;
}

static json_t *convert_mapping(struct conversion *c, const yaml_node_t *node, int depth)
{
	_cleanup_json_ json_t *object = json_object();

	for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++)
		if (add_member(c, object, pair, depth) < 0)
			return NULL;
	return steal_ptr(object);
}

static json_t *convert(struct conversion *c, int index, int depth)
{
	const yaml_node_t *node = yaml_document_get_node(c->doc, index);

	if (depth >= DEPTH_MAX)
		return refuse(c, node, "is nested too deeply");
	if (c->nodes++ >= NODES_MAX)
		return refuse(c, node, "expands to too many values");
	switch (node->type) {
	case YAML_SEQUENCE_NODE:
		return convert_sequence(c, node, depth + 1);
	case YAML_MAPPING_NODE:
		return convert_mapping(c, node, depth + 1);
	case YAML_SCALAR_NODE:
	case YAML_NO_NODE:
		break;
	}
	return convert_scalar(c, node);
}

static int read_yaml(struct source *source, struct err *err)
{
	source->trees = plant(source->text, source->len, source->what, err);
	for (size_t i = 0; source->trees && i < source->trees->n; i++) {
		struct conversion c = { &source->trees->docs[i], source->what, 0, err };

		json_array_append_new(source->docs, convert(&c, 1, 0)); /* 1 is the root */
	}
	return err_is_set(err) ? -err->eno : 0;
}

/* ---- JSON ---- */

static int line_of(const char *text, const char *at)
{
	int line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

/* One document after the other, as "kubectl get -o json" and jq print them. */
static int read_json(struct source *source, struct err *err)
{
	const char *at = source->text, *end = source->text + source->len;

	while (at < end) {
		json_error_t je;
		json_t *json = json_loadb(at, (size_t)(end - at),
					  JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &je);

		if (!json)
			return err_set(err, CNI_DECODING_FAILURE, -EINVAL,
				       "%s is not valid JSON: line %d, column %d: %s", source->what,
				       je.line + line_of(source->text, at) - 1, je.column, je.text);
		json_array_append_new(source->docs, json);
		at += je.position;
		while (at < end && isspace((unsigned char)*at))
			at++;
	}
	return 0;
}

/* ---- the whole ---- */

static bool looks_like_json(const struct source *source)
{
	size_t i = 0;

	while (i < source->len && isspace((unsigned char)source->text[i]))
		i++;
	return i < source->len && (source->text[i] == '{' || source->text[i] == '[');
}

int source_open(const char *path, struct source *ret_source, struct err *err)
{
	struct source *source = ret_source;
	bool standard = streq(path, "-");
	int r;

	*source = (struct source){ .what = standard ? "stdin" : path, .docs = json_array() };
	r = standard ? file_read_fd(STDIN_FILENO, TEXT_MAX, &source->text, &source->len)
		     : file_read(AT_FDCWD, path, TEXT_MAX, &source->text, &source->len);
	if (r < 0)
		err_set(err, CNI_IO_FAILURE, r, "cannot read %s: %s", source->what, strerror(-r));
	else
		r = looks_like_json(source) ? read_json(source, err) : read_yaml(source, err);
	if (r < 0)
		source_close(source);
	return r;
}

void source_close(struct source *source)
{
	free_trees(source->trees);
	json_decref(source->docs);
	free(source->text);
	*source = (struct source){ .len = 0 };
}

/* ---- lines ---- */

static const yaml_node_t *member(yaml_document_t *doc, const yaml_node_t *node, const char *name,
				 size_t len, const yaml_node_t **ret_key)
{
	for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     node->type == YAML_MAPPING_NODE && pair < node->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = yaml_document_get_node(doc, pair->key);

		if (key->type == YAML_SCALAR_NODE && key->data.scalar.length == len &&
		    memcmp(key->data.scalar.value, name, len) == 0) {
			*ret_key = key;
			return yaml_document_get_node(doc, pair->value);
		}
	}
	return NULL;
}

static const yaml_node_t *element(yaml_document_t *doc, const yaml_node_t *node, long i)
{
	const yaml_node_item_t *start = node->data.sequence.items.start;

	if (node->type != YAML_SEQUENCE_NODE || i < 0 || i >= node->data.sequence.items.top - start)
		return NULL;
	return yaml_document_get_node(doc, start[i]);
}

/* Follow "a.b[1].c". Return: the value, or NULL; @ret_near is the last key or value on the way. */
static const yaml_node_t *follow(yaml_document_t *doc, const char *path, const yaml_node_t **ret_near)
{
	const yaml_node_t *node = yaml_document_get_root_node(doc);

	*ret_near = node;
	while (node && *path) {
		size_t len = strcspn(path + 1, ".[") + 1;

		if (*path == '[') {
			node = element(doc, node, strtol(path + 1, NULL, 10));
			*ret_near = node ? node : *ret_near;
		} else {
			node = member(doc, node, path, len, ret_near);
		}
		path += len;
		path += *path == '.';
	}
	return node;
}

/* A literal block (|) starts in the line after its mark; other strings are taken for one line. */
static int inner_line(const yaml_node_t *node, const char *inner)
{
	const yaml_node_t *near;
	struct err ignored = { 0 };
	struct source_trees *trees;
	int line = (int)node->start_mark.line + 1, within = 1;

	if (node->type != YAML_SCALAR_NODE || node->data.scalar.style != YAML_LITERAL_SCALAR_STYLE)
		return line;
	trees = plant(scalar_text(node), node->data.scalar.length, "", &ignored);
	if (trees && trees->n > 0) {
		follow(&trees->docs[0], inner, &near);
		within = (int)near->start_mark.line + 1;
	}
	free_trees(trees);
	return line + within;
}

int source_line(struct source *source, size_t doc, const char *path, const char *inner)
{
	const yaml_node_t *node, *near;
	struct err ignored = { 0 };

	if (!source->trees)
		source->trees = plant(source->text, source->len, source->what, &ignored);
	if (!source->trees || doc >= source->trees->n)
		return 0;
	node = follow(&source->trees->docs[doc], path, &near);
	if (inner && node)
		return inner_line(node, inner);
	return (int)near->start_mark.line + 1;
}
