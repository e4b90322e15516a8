// SPDX-License-Identifier: Apache-2.0
#include "cni/verbs.h"

#include "base/stop.h"
#include "cni/detach.h"

#include <errno.h>

/*
 * Without a usable journal the addresses are given back all the same; @broken then is the answer: what
 * is wrong with the journal, or with the profile that says where it is.
 */
static int release_without_journal(const struct cni_call *call, const struct err *broken,
				   struct err *err)
{
	if (verbs_forward(call, err) == 0 && err_is_set(broken))
		*err = *broken;
	return -err->eno;
}

static int detach_attachment(const struct cni_call *call, const struct store *store,
			     struct err *broken, struct err *err)
{
	const struct attachment attachment = verbs_attachment(call);
	_cleanup_journal_ struct journal journal = { 0 };
	_cleanup_side_ struct side host = SIDE_CLOSED;
	char name[STORE_NAME_SIZE];
	int r;

	r = journal_read(store, store_name(&attachment, name), &journal, broken);
	if (r == -ENOENT)
		journal_remove(store, &attachment); /* half-written, by an ADD that was killed */
	if (r < 0) {
		store_sweep(store);
		return release_without_journal(call, broken, err);
	}
	r = side_open_host(&host, err);
	return r < 0 ? r
		     : detach(store, &host, &journal, false, call->args.netns, call->args.path, err);
}

int verb_del(const struct cni_call *call, char **ret_answer, struct err *err)
{
	const struct attachment attachment = verbs_attachment(call);
	_cleanup_lock_ struct store_lock lock = STORE_UNLOCKED;
	_cleanup_store_ struct store store = STORE_CLOSED;
	struct err broken = { 0 };
	struct profile profile;
	int r;

	(void)ret_answer;
	stop_hold();
	profile_load_for_del(PROFILE_PATH, &profile, &broken);
	r = store_open(&profile, &store, err);
	if (r == 0)
		r = store_lock_attachment(&store, &attachment, &lock, err);
	if (r == 0)
		r = detach_attachment(call, &store, &broken, err);
	store_unlock(&lock);
	profile_free(&profile);
	return r;
}
