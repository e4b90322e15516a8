/* SPDX-License-Identifier: Apache-2.0 */
/* The "ipam" object of a network configuration, as one struct. */
#ifndef IPAM_IPAMCONF_H
#define IPAM_IPAMCONF_H

#include "conf/result.h"
#include "ipam/fixed.h"
#include "ipam/lease.h"
#include "ipam/range.h"
#include "ipam/slice.h"

enum { IPAMCONF_NOTES_MAX = 32 };

/**
 * struct ipamconf_note - a key of another IPAM plugin that has no effect here
 * @key:	its name
 * @why:	why that is so, and what to write instead
 * @loud:	something may be missed without it: a warning
 */
struct ipamconf_note {
	const char *key;
	const char *why;
	bool loud;
};

/**
 * struct ipamconf - what a network wants of its IPAM plugin
 * @ranges:	"range" or "subnet" first, then "ipRanges", then "ranges"; one address of each set,
 *		and ranges of one set stand side by side
 * @n_ranges:	their number
 * @n_sets:	number of sets
 * @gateway:	goes with every address of its family, unless a range has its own, and is never
 *		given out; AF_UNSPEC: none
 * @statics, @n_statics: "addresses"; there is at least one range or static address
 * @routes:	handed through
 * @n_routes:	their number
 * @dns:	handed through, borrowed from the document; NULL when absent
 * @shares:	an address of another network of the collision domain is not given out
 * @network_name: of the collision domain; ""
 * @data_dir:	folder that the network wants its pool in, or NULL; home_find() checks it
 * @slice:	how the ranges are divided among nodes
 * @notes, @n_notes: what has no effect, for the log
 */
struct ipamconf {
	struct range ranges[LEASE_RANGES_MAX];
	size_t n_ranges;
	size_t n_sets;
	struct inet_addr gateway;
	struct fixed statics[LEASE_STATICS_MAX];
	size_t n_statics;
	struct cni_route routes[RESULT_ROUTES_MAX];
	size_t n_routes;
	const json_t *dns;
	bool shares;
	const char *network_name;
	const char *data_dir;
	struct slice slice;
	const struct ipamconf_note *notes[IPAMCONF_NOTES_MAX];
	size_t n_notes;
};

/**
 * ipamconf_read() - read and check the "ipam" object
 * @json:	the network configuration
 * @ret_conf:	the result; the caller calls ipamconf_free()
 * @err:	CNI_DECODING_FAILURE (wrong type) or CNI_CONFIG_INVALID (unknown key, wrong value,
 *		contradiction), with the JSON path
 *
 * The ranges are those of all nodes; see ipamconf_slice().
 *
 * Return: 0 or a negative errno.
 */
int ipamconf_read(const json_t *json, struct ipamconf *ret_conf, struct err *err);

/* ipamconf_is_sliced() - true if each node gives out of its own part of the ranges. */
bool ipamconf_is_sliced(const struct ipamconf *conf);

/**
 * ipamconf_slice() - leave of the ranges what is this node's; nothing happens without "nodeSlice"
 * @conf:	the configuration
 * @node_index:	"nodeIndex" of the node profile
 * @err:	CNI_CONFIG_INVALID, see slice_settle() and slice_cut()
 *
 * Return: 0 or a negative errno.
 */
int ipamconf_slice(struct ipamconf *conf, struct opt_int node_index, struct err *err);

/**
 * ipamconf_keys() - the only list of the keys of "ipam"
 * @ret_n:	number of those that a new configuration should be written with; behind them the
 *		table has host-local's words for the same
 *
 * Return: the table.
 */
const struct jx_key *ipamconf_keys(size_t *ret_n);

/**
 * ipamconf_peek() - one string of "ipam", for a DEL that must not fail because of another key
 * @json:	the network configuration
 * @key:	the key
 *
 * Return: the string, borrowed; NULL when it is missing, empty or no string.
 */
const char *ipamconf_peek(const json_t *json, const char *key);

/* ipamconf_free() - release what ipamconf_read() took. */
void ipamconf_free(struct ipamconf *conf);

#endif
