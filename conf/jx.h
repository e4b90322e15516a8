/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON into plain structs by tables of keys. Every error names the JSON path, what stands there and
 * what would be right; a key that no table knows is an error with a "did you mean".
 */
#ifndef CONF_JX_H
#define CONF_JX_H

#include "base/err.h"

#include <jansson.h>

/* An integer that may be absent: presence is a flag, never a magic number. */
struct opt_int {
	bool set;
	int value;
};

/**
 * jx_reader - read one JSON value into one field of a struct
 * @value:	the value
 * @path:	its JSON path, for errors ("ipam.routes[1].dst")
 * @field:	the struct member that the table's offset names
 * @err:	CNI_DECODING_FAILURE for a wrong type, CNI_CONFIG_INVALID for a wrong value
 *
 * Return: 0 or a negative errno.
 */
typedef int (*jx_reader)(const json_t *value, const char *path, void *field, struct err *err);

/* One key of an object. A NULL @read means: the key is accepted and left to others. */
struct jx_key {
	const char *name;
	jx_reader read;
	size_t offset;
};

/* What happens to a key that is not in the table. */
enum jx_unknown {
	JX_REFUSE, /* CNI_CONFIG_INVALID, naming it */
	JX_ACCEPT, /* ignored */
};

/**
 * jx_parse() - parse one JSON document that is an object
 * @text:	the document
 * @len:	its length in bytes
 * @what:	what it is, for the error ("the network configuration on stdin")
 * @ret_json:	the object; the caller calls json_decref()
 * @err:	CNI_DECODING_FAILURE with line and column
 *
 * Duplicate keys are refused: which of the two would win differs between readers.
 *
 * Return: 0 or a negative errno.
 */
int jx_parse(const char *text, size_t len, const char *what, json_t **ret_json, struct err *err);

/**
 * jx_object() - read an object by a table of keys
 * @json:	the value, which must be an object
 * @path:	its JSON path, "" for the document
 * @keys:	the table
 * @n:		its length
 * @unknown:	what to do with keys that the table lacks; a key with '.' or '/' in it belongs to
 *		somebody else and is always accepted
 * @out:	the struct that the offsets refer to
 * @err:	see jx_reader
 *
 * Return: 0 or a negative errno.
 */
int jx_object(const json_t *json, const char *path, const struct jx_key *keys, size_t n,
	      enum jx_unknown unknown, void *out, struct err *err);

/**
 * jx_object_of() - jx_object() on an object that must be complete
 * @n_required:	this many keys from the start of the table must be there
 *
 * The other parameters are jx_object()'s; unknown keys are refused.
 *
 * Return: 0 or a negative errno.
 */
int jx_object_of(const json_t *json, const char *path, const struct jx_key *keys, size_t n,
		 size_t n_required, void *out, struct err *err);

/**
 * jx_array() - read every element of an array
 * @json:	the value, which must be an array
 * @path:	its JSON path
 * @read:	reader of one element
 * @max:	most elements accepted
 * @items:	room for @max elements
 * @size:	size of one element
 * @ret_n:	number read
 * @err:	see jx_reader
 *
 * Return: 0 or a negative errno.
 */
int jx_array(const json_t *json, const char *path, jx_reader read, size_t max, void *items,
	     size_t size, size_t *ret_n, struct err *err);

/* jx_text() - a string of an object, borrowed; "" if it is missing or no string. */
const char *jx_text(const json_t *object, const char *key);

/* jx_string() - reader for a "const char *" borrowed from the document. */
int jx_string(const json_t *value, const char *path, void *field, struct err *err);

/**
 * jx_word() - one of a few words
 * @value, @path, @err: see jx_reader
 * @words, @n:	the words
 * @must:	what it must be, for the error: "\"on\" or \"off\""
 * @ret_index:	which one it is
 *
 * Return: 0 or a negative errno.
 */
int jx_word(const json_t *value, const char *path, const char *const words[], int n,
	    const char *must, int *ret_index, struct err *err);

/* jx_int() - reader for a "struct opt_int" of any value that fits an int. */
int jx_int(const json_t *value, const char *path, void *field, struct err *err);

/* jx_bool() - reader for a "bool". */
int jx_bool(const json_t *value, const char *path, void *field, struct err *err);

/* jx_json() - reader for a "const json_t *" borrowed from the document. */
int jx_json(const json_t *value, const char *path, void *field, struct err *err);

/**
 * jx_int_in() - an integer within limits
 * @value, @path, @err: see jx_reader
 * @min, @max:	inclusive limits
 * @unit:	what the number is, for the error ("bytes", "a VLAN ID")
 * @ret:	the number
 *
 * Return: 0 or a negative errno.
 */
int jx_int_in(const json_t *value, const char *path, int min, int max, const char *unit,
	      struct opt_int *ret, struct err *err);

/* jx_type_error() - set "PATH: must be WANTED, is ACTUAL". Return: -EINVAL. */
int jx_type_error(const json_t *value, const char *path, const char *wanted, struct err *err);

/* jx_value_error() - set "PATH: TEXT" as CNI_CONFIG_INVALID. Return: -EINVAL. */
int jx_value_error(struct err *err, const char *path, const char *fmt, ...) _printf_(3, 4);

/**
 * jx_readable() - a text as a JSON string, whatever its bytes are
 * @text:	may quote a caller's bytes, or be cut off inside a character: such a byte becomes '?'
 *
 * Return: the string, for the caller to release.
 */
json_t *jx_readable(const char *text);

/**
 * jx_remove() - remove a value from a document
 * @json:	the document
 * @path:	its JSON path; of an element of an array the whole array goes
 *
 * Return: true if something was removed.
 */
bool jx_remove(json_t *json, const char *path);

/**
 * jx_closest() - the entry of a list that a misspelled word most likely stands for
 * @word:	what was written
 * @names:	first name; the others follow at distance @stride bytes
 * @n:		number of names
 * @stride:	bytes from one name pointer to the next
 *
 * Return: a name at most two edits away, or NULL.
 */
const char *jx_closest(const char *word, const char *const *names, size_t n, size_t stride);

static inline void jx_decrefp(json_t **json)
{
	json_decref(*json);
}
#define _cleanup_json_ _cleanup_(jx_decrefp)

#endif
