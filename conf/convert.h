/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Networks of other plugins as networks of roce: JSON to JSON. What is known of the other plugins is
 * here; what roce knows is asked of its own tables of keys and of its own parsers.
 */
#ifndef CONF_CONVERT_H
#define CONF_CONVERT_H

#include "conf/jx.h"

enum convert_weight {
	CONVERT_NOTE, /* what has become of a field */
	CONVERT_LOST, /* a field that has no place in the new configuration */
};

/**
 * convert_report - called for each field that there is something to say about
 * @weight:	how bad it is
 * @path:	JSON path in the configuration that is read; "" for the whole
 * @text:	why
 * @arg:	from struct convert
 */
typedef void (*convert_report)(enum convert_weight weight, const char *path, const char *text,
			       void *arg);

/**
 * struct convert - what a conversion has to know
 * @is_nad:		the configuration is of a NetworkAttachmentDefinition
 * @name:		its metadata.name, which stands in for a missing "name"; NULL: none
 * @has_resource:	it has an annotation that makes Multus pass on a device
 * @ipam_keys, @n_ipam_keys: what the "ipam" object of type roce-ipam may have
 * @ipam_check:		what roce-ipam says of the "ipam" object in a configuration: 0 or a negative
 *			errno and @err
 * @report:		called for each field
 * @arg:		for @report
 */
struct convert {
	bool is_nad;
	const char *name;
	bool has_resource;
	const struct jx_key *ipam_keys;
	size_t n_ipam_keys;
	int (*ipam_check)(const json_t *config, struct err *err);
	convert_report report;
	void *arg;
};

/**
 * convert_config() - a configuration or a list as one of roce
 * @config:	the configuration
 * @how:	see struct convert
 *
 * A list stays a list. Nothing is dropped in silence: every field is in the result, or reported.
 *
 * Return: the new configuration, for the caller to release; NULL when there is nothing to convert:
 * it is of roce already, or of a plugin that roce cannot take the place of.
 */
json_t *convert_config(const json_t *config, const struct convert *how);

#endif
