/* SPDX-License-Identifier: Apache-2.0 */
/* A text of YAML or JSON documents: their values, and in which line a value stands. */
#ifndef CONF_SOURCE_H
#define CONF_SOURCE_H

#include "conf/jx.h"

/**
 * struct source - an open text
 * @text, @len:	the text
 * @what:	its name, for errors
 * @docs:	array of the documents' values
 * @trees:	where everything stands; opaque
 */
struct source {
	char *text;
	size_t len;
	const char *what;
	json_t *docs;
	struct source_trees *trees;
};

/**
 * source_open() - read a text
 * @path:	file, "-" for stdin; must live as long as the source
 * @ret_source:	the text and its documents; the caller calls source_close()
 * @err:	CNI_IO_FAILURE, or CNI_DECODING_FAILURE with the line
 *
 * A text that starts with '{' or '[' is JSON, strictly; any other is YAML 1.1 as Kubernetes reads it
 * (several documents, no merge keys). A key twice in one object is refused.
 *
 * Return: 0 or a negative errno.
 */
int source_open(const char *path, struct source *ret_source, struct err *err);

/**
 * source_line() - the line of a value
 * @source:	the text
 * @doc:	index of the document
 * @path:	JSON path of the value in the document; "" for the document itself
 * @inner:	JSON path inside the value, which is a string that holds JSON; NULL: the value itself
 *
 * What is not there stands in the line of the innermost object that is.
 *
 * Return: line, from 1; 0 when it cannot be told.
 */
int source_line(struct source *source, size_t doc, const char *path, const char *inner);

/* source_close() - release what source_open() took. */
void source_close(struct source *source);

#endif
