/* SPDX-License-Identifier: Apache-2.0 */
/* A set of VF numbers: [0, "4-7"]. */
#ifndef CONF_VFSET_H
#define CONF_VFSET_H

#include "conf/jx.h"

enum {
	VFSET_RANGES_MAX = 32,
	VFSET_NUMBER_MAX = 65534, /* TotalVFs of the SR-IOV capability has 16 bits */
};

/* VF numbers, as inclusive ranges. */
struct vfset {
	struct vfset_range {
		int first, last;
	} ranges[VFSET_RANGES_MAX];
	size_t n;
};

/**
 * vfset_read() - jx_reader for a "struct vfset"
 *
 * A list of numbers and of texts "FIRST-LAST".
 */
int vfset_read(const json_t *value, const char *path, void *field, struct err *err);

/* vfset_has() - whether a VF number is in the set. */
bool vfset_has(const struct vfset *set, int number);

#endif
