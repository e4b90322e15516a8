// SPDX-License-Identifier: Apache-2.0
#include "cni/verbs.h"

#include "base/log.h"
#include "cni/delegate.h"
#include "cni/detach.h"

#include <errno.h>

/* Without a journal there is no device of ours; addresses may be left all the same. */
static int release_addresses(const struct cni_call *call, struct err *err)
{
	struct delegate delegate = {
		.type = netconf_ipam_type(call->json),
		.config = call->text,
		.config_len = call->text_len,
		.path = call->args.path,
		.container_id = call->args.container_id,
		.netns = call->args.netns ? call->args.netns : "",
		.ifname = call->args.ifname,
		.cni_args = call->args.args,
	};

	return delegate.type ? delegate_call(&delegate, CNI_DEL, err) : 0;
}

static int detach_attachment(const struct cni_call *call, const struct store *store,
			     struct err *err)
{
	const struct attachment attachment = verbs_attachment(call);
	_cleanup_journal_ struct journal journal = { 0 };
	_cleanup_side_ struct side host = SIDE_CLOSED;
	struct err broken = { 0 };
	char name[STORE_NAME_SIZE];
	int r;

	r = journal_read(store, store_name(&attachment, name), &journal, &broken);
	if (r < 0) {
		int released = release_addresses(call, err);

		if (released == 0 && err_is_set(&broken))
			*err = broken;
		return -err->eno;
	}
	r = side_open_host(&host, err);
	return r < 0 ? r
		     : detach(store, &host, &journal, false, call->args.netns, call->args.path, err);
}

/* A broken profile must not keep a pod alive: the standard folder is the best guess then. */
static void load_profile(struct profile *ret_profile)
{
	struct err err = { 0 };

	if (profile_load(PROFILE_PATH, ret_profile, &err) == 0)
		return;
	log_warn("%s; looking for state below %s", err.msg, PROFILE_STATE_DIR);
	*ret_profile = (struct profile){ .state_dir = PROFILE_STATE_DIR };
}

int verb_del(const struct cni_call *call, char **ret_answer, struct err *err)
{
	const struct attachment attachment = verbs_attachment(call);
	_cleanup_lock_ struct store_lock lock = STORE_UNLOCKED;
	_cleanup_store_ struct store store = STORE_CLOSED;
	struct profile profile;
	int r;

	(void)ret_answer;
	load_profile(&profile);
	r = store_open(&profile, &store, err);
	if (r == 0)
		r = store_lock_attachment(&store, &attachment, &lock, err);
	if (r == 0)
		r = detach_attachment(call, &store, err);
	store_unlock(&lock);
	profile_free(&profile);
	return r;
}
