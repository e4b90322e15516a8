/* SPDX-License-Identifier: Apache-2.0 */
/* Node slices: each node gives out of its own part of every range, and needs no server for that. */
#ifndef IPAM_SLICE_H
#define IPAM_SLICE_H

#include "conf/jx.h"
#include "ipam/range.h"

/**
 * struct slice - "nodeSlice"
 * @size:	prefix length of a part of an IPv4 range
 * @size6:	the same for IPv6
 * @index:	which part, from 0 on; absent: the node profile says
 */
struct slice {
	struct opt_int size, size6, index;
};

/* slice_read() - jx_reader for "nodeSlice" into a struct slice. */
int slice_read(const json_t *value, const char *path, void *field, struct err *err);

/* slice_is_set() - true if ranges are to be divided. */
static inline bool slice_is_set(const struct slice *slice)
{
	return slice->size.set || slice->size6.set;
}

/**
 * slice_check() - whether a range can be divided so at all
 * @slice:	what the network says
 * @subnet:	of the range
 * @err:	CNI_CONFIG_INVALID
 *
 * Return: 0 or a negative errno.
 */
int slice_check(const struct slice *slice, struct inet_prefix subnet, struct err *err);

/**
 * slice_settle() - which part is this node's
 * @slice:	what the network says; @slice->index is set
 * @node_index:	what the node profile says
 * @err:	CNI_CONFIG_INVALID when neither says it, or both and not the same
 *
 * Return: 0 or a negative errno.
 */
int slice_settle(struct slice *slice, struct opt_int node_index, struct err *err);

/**
 * slice_cut() - leave of a range what is this node's
 * @slice:	settled
 * @range:	the range; part I of its subnet is the I-th block of that prefix length, and of that
 *		what the range gives out: between its ends and without its excludes
 * @err:	CNI_CONFIG_INVALID when there is no such part, or nothing in it
 *
 * Return: 0 or a negative errno.
 */
int slice_cut(const struct slice *slice, struct range *range, struct err *err);

#endif
