/* SPDX-License-Identifier: Apache-2.0 */
/* Network configurations in a file: a CNI configuration, a list, or a NetworkAttachmentDefinition. */
#ifndef CONF_DOCUMENT_H
#define CONF_DOCUMENT_H

#include "conf/cnicall.h"

enum { DOCUMENT_CALLS_MAX = 16 };

/**
 * struct document - the configurations of type "roce" in one file, as a runtime would pass them
 * @calls, @n_calls:	one for each; only @text, @json, @name and @version are set
 */
struct document {
	struct cni_call calls[DOCUMENT_CALLS_MAX];
	size_t n_calls;
};

/**
 * document_load() - read a file
 * @path:	file, "-" for stdin
 * @ret_doc:	its configurations; the caller calls document_free()
 * @err:	CNI_IO_FAILURE, CNI_DECODING_FAILURE or CNI_CONFIG_INVALID
 *
 * As Multus and libcni do: a NetworkAttachmentDefinition's name stands in for a missing "name", a
 * list's name and cniVersion are given to each of its plugins.
 *
 * Return: 0 or a negative errno.
 */
int document_load(const char *path, struct document *ret_doc, struct err *err);

/* document_free() - release what document_load() took. */
void document_free(struct document *doc);

#endif
