/* SPDX-License-Identifier: Apache-2.0 */
/* The attachments that a GC says are valid. */
#ifndef IPAM_ATTACHMENTS_H
#define IPAM_ATTACHMENTS_H

#include "conf/jx.h"

struct attachment {
	const char *id;
	const char *ifname;
};

/* Sorted; the strings are borrowed from the document. */
struct attachments {
	struct attachment *items;
	size_t n;
};

/**
 * attachments_read() - read "cni.dev/valid-attachments", or its older name "cni.dev/attachments"
 * @json:	the network configuration
 * @ret_valid:	the list; the caller calls attachments_free()
 * @err:	CNI_DECODING_FAILURE or CNI_CONFIG_INVALID
 *
 * Null and [] say that nothing is valid; without the key nothing is known, which is an error.
 *
 * Return: 0 or a negative errno.
 */
int attachments_read(const json_t *json, struct attachments *ret_valid, struct err *err);

/* attachments_have() - an alloc_keep: true if the list @arg has this one. */
bool attachments_have(const char *id, const char *ifname, const void *arg);

/* attachments_free() - release what attachments_read() took. */
void attachments_free(struct attachments *valid);

#endif
