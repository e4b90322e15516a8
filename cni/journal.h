/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of an attachment: the whole undo, on disk before the first change. It stays as long as
 * the attachment does, and DEL works from it alone.
 */
#ifndef CNI_JOURNAL_H
#define CNI_JOURNAL_H

#include "cni/observe.h"
#include "cni/step.h"
#include "cni/store.h"
#include "conf/jx.h"
#include "conf/result.h"

enum { BOOT_ID_SIZE = 40, JOURNAL_STEPS_MAX = 24 + SETTING_SYSCTLS_MAX };

/**
 * struct journal - one attachment; strings are borrowed, when read from @doc
 * @attachment:	whose
 * @active:	ADD came to its end; false: it was interrupted, or is at work
 * @boot_id:	boot in which it was written
 * @netns, @netns_id: the pod's namespace, path and identity
 * @time:	when the ADD was, in seconds since 1970; 0: an older journal does not say
 * @device:	the device
 * @addresses, @n_addresses: what the IPAM plugin answered and the pod has, once @active
 * @steps, @n_steps: what ADD does, in order; undo runs the inverses backwards
 * @ipam_type:	IPAM plugin, or NULL
 * @cni_args:	CNI_ARGS of the ADD
 * @config, @config_len: stdin of the ADD, for the IPAM plugin's DEL
 * @doc:	the document, NULL unless read
 */
struct journal {
	struct attachment attachment;
	bool active;
	char boot_id[BOOT_ID_SIZE];
	const char *netns;
	struct netns_id netns_id;
	int64_t time;
	struct device device;
	struct inet_prefix addresses[RESULT_IPS_MAX];
	size_t n_addresses;
	struct step steps[JOURNAL_STEPS_MAX];
	size_t n_steps;
	const char *ipam_type;
	const char *cni_args;
	const char *config;
	size_t config_len;
	json_t *doc;
};

/* journal_boot_id() - the running kernel's boot ID; "" if it cannot be read. */
void journal_boot_id(char ret_id[BOOT_ID_SIZE]);

/* journal_of_this_boot() - false for an attachment that a boot has ended: no namespace outlives one. */
bool journal_of_this_boot(const struct journal *journal);

/**
 * journal_open_pod() - the pod's namespace, if it still is the one that the journal speaks of
 * @journal:	the attachment
 * @netns:	CNI_NETNS of this call, or NULL; the journal's path is tried as well
 * @ret_pod:	the side; closed (netns -1) when the namespace is gone
 * @err:	for what is no answer, such as EMFILE
 *
 * A namespace that only has the number of the pod's, at another path, is a stranger's.
 *
 * Return: 0, also when the namespace is gone, or a negative errno.
 */
int journal_open_pod(const struct journal *journal, const char *netns, struct side *ret_pod,
		     struct err *err);

/* journal_write() - publish a journal, whole or not at all. Return: 0 or a negative errno. */
int journal_write(const struct store *store, const struct journal *journal, struct err *err);

/**
 * journal_read() - read a journal
 * @store:	state folder
 * @name:	from store_name()
 * @ret_journal: the journal; the caller calls journal_free()
 * @err:	ROCE_STATE_BROKEN; not set for -ENOENT
 *
 * Return: 0, -ENOENT, or another negative errno.
 */
int journal_read(const struct store *store, const char *name, struct journal *ret_journal,
		 struct err *err);

/* journal_remove() - remove the journal of an attachment. */
void journal_remove(const struct store *store, const struct attachment *attachment);

/* journal_free() - release what journal_read() took. */
void journal_free(struct journal *journal);
#define _cleanup_journal_ _cleanup_(journal_free)

#endif
