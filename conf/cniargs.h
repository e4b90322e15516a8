/* SPDX-License-Identifier: Apache-2.0 */
/* The CNI_* environment, checked by the rules of the CNI specification. */
#ifndef CONF_CNIARGS_H
#define CONF_CNIARGS_H

#include "base/err.h"

enum cni_verb {
	CNI_ADD,
	CNI_DEL,
	CNI_CHECK,
	CNI_GC,
	CNI_STATUS,
	CNI_VERSION,
	CNI_VERB_MAX,
};

enum {
	CNI_NAME_MAX = 200,	/* bytes of a network name or container ID: they become file names */
	CNI_IFNAME_SIZE = 16,	/* IFNAMSIZ */
};

/**
 * struct cni_args - one invocation, strings borrowed from the environment
 * @verb:		CNI_COMMAND
 * @container_id:	CNI_CONTAINERID; NULL for GC, STATUS and VERSION
 * @netns:		CNI_NETNS; NULL when unset or empty
 * @ifname:		CNI_IFNAME; NULL for GC, STATUS and VERSION
 * @args:		CNI_ARGS; "" when unset
 * @path:		CNI_PATH; NULL when unset or empty
 * @netns_override:	CNI_NETNS_OVERRIDE is "1" or "true"
 * @only_leftovers:	ROCE_GC is "leftovers": a GC spares attachments that are alive, whatever the list
 *			says. No part of the configuration, which is a tenant's
 */
struct cni_args {
	enum cni_verb verb;
	const char *container_id;
	const char *netns;
	const char *ifname;
	const char *args;
	const char *path;
	bool netns_override;
	bool only_leftovers;
};

/* cniargs_verb_name() - "ADD" and so on. */
const char *cniargs_verb_name(enum cni_verb verb);

/**
 * cniargs_read() - read and check the environment
 * @ret_args:	the invocation
 * @err:	CNI_ENVIRONMENT_INVALID; all missing variables in one message
 *
 * Return: 0 or a negative errno.
 */
int cniargs_read(struct cni_args *ret_args, struct err *err);

/**
 * cniargs_name_ok() - true if @name may be a container ID or a network name
 *
 * CNI SPEC: an alphanumeric, then alphanumerics, '_', '.' and '-'; at most CNI_NAME_MAX bytes.
 */
bool cniargs_name_ok(const char *name);

/**
 * cniargs_ifname_ok() - true if the kernel takes @name as an interface name
 *
 * net/core/dev.c dev_valid_name(); '%' is refused too, the kernel would expand "%d".
 */
bool cniargs_ifname_ok(const char *name);

/**
 * cniargs_find() - value of a key in CNI_ARGS ("K=V;K=V"); the first of several counts
 * @args:	CNI_ARGS
 * @key:	key
 * @buf:	receives the value
 * @size:	of @buf
 *
 * Return: true if the key is there and its value fits.
 */
bool cniargs_find(const char *args, const char *key, char *buf, size_t size);

#endif
