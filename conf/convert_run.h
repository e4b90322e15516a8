/* SPDX-License-Identifier: Apache-2.0 */
/* One conversion at work; only the files conf/convert*.c include this. */
#ifndef CONF_CONVERT_RUN_H
#define CONF_CONVERT_RUN_H

#include "conf/convert.h"

enum { CONVERT_PATH_SIZE = 256 };

/**
 * struct convert_peer - a plugin that roce takes the place of
 * @type:	its name
 * @selectors:	keys that name a device; the first of them that is there counts
 */
struct convert_peer {
	const char *type;
	const char *selectors[3];
};

/**
 * struct convert_place - an object that is filled with another plugin's fields
 * @run:	the conversion
 * @object:	the object
 * @path:	its path in the new plugin: "" or "ipam"
 * @keys, @n:	what it may have
 * @whose:	the plugin that says so: "roce" or "roce-ipam"
 * @of:		the plugin that the fields are from
 * @origin:	path of the object that they are from
 */
struct convert_place {
	struct convert_run *run;
	json_t *object;
	const char *path;
	const struct jx_key *keys;
	size_t n;
	const char *whose;
	const char *of;
	const char *origin;
};

/**
 * struct convert_run - one conversion
 * @how:	what the caller said
 * @plugins:	what is written
 * @roce:	the last plugin of roce in it; what follows is folded into this one. No object: none yet
 * @peer:	what that was
 * @base:	where that was: "" or "plugins[3]"
 * @ipam:	IPAM plugin that roce-ipam has taken the place of, or NULL
 * @origins:	where the fields of @roce have come from, if not from the same path: path to path
 */
struct convert_run {
	const struct convert *how;
	json_t *plugins;
	struct convert_place roce;
	const struct convert_peer *peer;
	char base[32];
	const char *ipam;
	json_t *origins;
};

/* ---- convert_keys.c: what is known of other plugins ---- */

/* convert_find_peer() - a plugin that roce takes the place of, or NULL. */
const struct convert_peer *convert_find_peer(const char *type);

/* convert_why_not() - why roce cannot take the place of a plugin. */
const char *convert_why_not(const char *type);

/* convert_why_lost() - why a plugin's key has no place, or NULL: nothing is known of it. */
const char *convert_why_lost(const char *of, const char *key);

/* convert_remark() - what changes the meaning of a key that has a place, or NULL. */
const char *convert_remark(const char *of, const char *key);

/* ---- convert_field.c: one field is carried over, or reported ---- */

/* convert_say() - call the report. */
void convert_say(struct convert_run *run, enum convert_weight weight, const char *path,
		 const char *fmt, ...) _printf_(4, 5);

/* convert_join() - "BASE.KEY" into @buf; no dot beside an empty part or before a "[". Return: @buf. */
const char *convert_join(char buf[CONVERT_PATH_SIZE], const char *base, const char *key);

/* convert_origin() - where in the file stands what is at @path of the new plugin. Return: @buf. */
const char *convert_origin(const struct convert_run *run, const char *path,
			   char buf[CONVERT_PATH_SIZE]);

/* convert_is_nothing() - null or "", which templates leave; to Go no different from absent. */
bool convert_is_nothing(const json_t *value);

/* convert_put() - set a key of a place, whatever was there; @path is where the value is from. */
void convert_put(struct convert_place *to, const char *key, const json_t *value, const char *path);

/**
 * convert_add() - set a key of a place, unless the value is nothing or the key is there
 * @to:		the place
 * @key:	the key
 * @value:	its value
 * @path:	where that is from
 *
 * Return: whether it was set; if not, that was reported.
 */
bool convert_add(struct convert_place *to, const char *key, const json_t *value, const char *path);

/* convert_carry() - a field of the other plugin into the key of this name, in any case, or reported. */
void convert_carry(struct convert_place *to, const char *key, const json_t *value);

/* ---- convert_ipam.c ---- */

/**
 * convert_ipam() - an "ipam" object into the new plugin
 * @roce:	the new plugin
 * @key:	the object's key there, which may be in another case
 * @ipam:	the object
 *
 * whereabouts and host-local become roce-ipam. Any other stays: roce calls it as it was called before.
 */
void convert_ipam(struct convert_place *roce, const char *key, const json_t *ipam);

/* convert_ipam_capabilities() - report what pods could ask of the IPAM plugin, and now cannot. */
void convert_ipam_capabilities(struct convert_run *run);

/* ---- convert_chain.c ---- */

/**
 * convert_chained() - a plugin that stands behind one of roce
 * @run:	the conversion
 * @plugin:	the plugin
 * @base:	where it is
 *
 * What roce does itself is folded into it. What is left of the plugin, if anything, is appended.
 */
void convert_chained(struct convert_run *run, const json_t *plugin, const char *base);

/* ---- convert_check.c ---- */

/* convert_names_device() - whether a configuration of roce says which device. */
bool convert_names_device(const json_t *roce);

/* convert_check() - let the parsers read the new plugin; take out and report what they refuse. */
void convert_check(struct convert_run *run);

#endif
