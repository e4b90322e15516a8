/* SPDX-License-Identifier: Apache-2.0 */
/* Find and run the IPAM plugin, by the delegation rules of the CNI specification. */
#ifndef CNI_DELEGATE_H
#define CNI_DELEGATE_H

#include "conf/cniargs.h"
#include "conf/result.h"

/**
 * struct delegate - an IPAM plugin and what it is given
 * @type:	its file name
 * @config:	the network configuration, byte for byte as it came on stdin
 * @config_len:	its length in bytes
 * @path:	CNI_PATH; NULL when unset
 * @container_id, @netns, @ifname, @cni_args: what it sees of the environment; "" for none
 */
struct delegate {
	const char *type;
	const char *config;
	size_t config_len;
	const char *path;
	const char *container_id;
	const char *netns;
	const char *ifname;
	const char *cni_args;
};

/**
 * delegate_find() - make sure that the plugin is there, before anything is changed
 * @delegate:	the plugin
 * @err:	CNI_ENVIRONMENT_INVALID without CNI_PATH, ROCE_IPAM_FAILED when no folder has it
 *
 * Return: 0 or a negative errno.
 */
int delegate_find(const struct delegate *delegate, struct err *err);

/**
 * delegate_add() - have the plugin allocate addresses
 * @delegate:	the plugin
 * @ret_result:	its answer
 * @ret_json:	the document that @ret_result borrows from; the caller calls json_decref()
 * @err:	ROCE_IPAM_FAILED; the plugin's own code if it is ROCE_IPAM_EXHAUSTED or CNI_TRY_AGAIN
 *
 * Return: 0 or a negative errno. The plugin may have allocated something before it failed.
 */
int delegate_add(const struct delegate *delegate, struct cni_result *ret_result, json_t **ret_json,
		 struct err *err);

/* delegate_call() - run the plugin for a verb without an answer (DEL, CHECK, GC, STATUS). */
int delegate_call(const struct delegate *delegate, enum cni_verb verb, struct err *err);

#endif
