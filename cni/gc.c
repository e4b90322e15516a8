// SPDX-License-Identifier: Apache-2.0
/* GC: attachments of this network that the runtime no longer knows are detached from their journals. */
#include "cni/verbs.h"

#include "base/log.h"
#include "base/stop.h"
#include "cni/detach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

/* The list of what is to stay; "cni.dev/attachments" is its older name. */
static int valid_list(const json_t *json, const json_t **ret_list, struct err *err)
{
	const json_t *list = json_object_get(json, "cni.dev/valid-attachments");

	if (!list)
		list = json_object_get(json, "cni.dev/attachments");
	if (!list)
		return err_set(err, CNI_CONFIG_INVALID, -EINVAL,
			       "GC needs \"cni.dev/valid-attachments\"; without it nothing is freed");
	if (!json_is_array(list) && !json_is_null(list))
		return jx_type_error(list, "cni.dev/valid-attachments", "an array or null", err);
	*ret_list = list;
	return 0;
}

static bool is_valid(const json_t *list, const struct attachment *attachment)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *entry = json_array_get(list, i);

		if (streq(jx_text(entry, "containerID"), attachment->container_id) &&
		    streq(jx_text(entry, "ifname"), attachment->ifname))
			return true;
	}
	return false;
}

/* One journal: read again under its lock, because a DEL may have been faster. */
static int collect_one(const struct cni_call *call, const struct store *store,
		       const struct side *host, const char *name, struct err *err)
{
	_cleanup_lock_ struct store_lock lock = STORE_UNLOCKED;
	_cleanup_journal_ struct journal journal = { 0 };
	int r = journal_read(store, name, &journal, err);

	if (r == 0)
		r = store_lock_attachment(store, &journal.attachment, &lock, err);
	if (r == 0)
		r = faccessat(store->dir, name, F_OK, 0) == 0 ? 0 : -ENOENT;
	if (r == 0)
		r = detach(store, host, &journal, false, NULL, call->args.path, err);
	return r == -ENOENT && !err_is_set(err) ? 0 : r;
}

/* What one GC works with; @err collects. */
struct gc {
	const struct cni_call *call;
	const struct store *store;
	const struct side *host;
	const json_t *valid;
	struct err *err;
};

static void collect(const struct attachment *attachment, void *arg)
{
	struct gc *gc = arg;
	char name[STORE_NAME_SIZE];
	struct err one = { 0 };

	if (is_valid(gc->valid, attachment))
		return;
	log_info("GC: detaching %s of container %s", attachment->ifname, attachment->container_id);
	if (collect_one(gc->call, gc->store, gc->host, store_name(attachment, name), &one) == 0)
		return;
	if (err_is_set(gc->err))
		err_detail(gc->err, "%s", one.msg);
	else
		*gc->err = one;
}

int verb_gc(const struct cni_call *call, char **ret_answer, struct err *err)
{
	_cleanup_store_ struct store store = STORE_CLOSED;
	_cleanup_side_ struct side host = SIDE_CLOSED;
	struct profile profile = { 0 };
	const json_t *valid = NULL;
	int r;

	(void)ret_answer;
	stop_hold();
	r = valid_list(call->json, &valid, err);
	if (r == 0)
		r = profile_load(PROFILE_PATH, &profile, err);
	if (r == 0)
		r = store_open(&profile, &store, err);
	if (r == 0)
		r = side_open_host(&host, err);
	if (r == 0) {
		struct gc gc = { call, &store, &host, valid, err };

		store_each(&store, call->name, collect, &gc);
		store_sweep(&store);
		verbs_forward(call, err);
	}
	profile_free(&profile);
	return err_is_set(err) ? -err->eno : r;
}

/* STATUS is asked every few seconds: the profile is sound, state folder and IPAM can be used. */
int verb_status(const struct cni_call *call, char **ret_answer, struct err *err)
{
	_cleanup_store_ struct store store = STORE_CLOSED;
	struct profile profile = { 0 };
	int r = profile_load(PROFILE_PATH, &profile, err);

	(void)ret_answer;
	if (r == 0)
		r = store_open(&profile, &store, err);
	if (r == 0 && faccessat(store.dir, "attachments", W_OK, 0) < 0)
		r = err_set(err, CNI_UNAVAILABLE, -errno, "the state folder %s/roce-cni: %m",
			    profile.state_dir);
	if (r == 0)
		r = verbs_forward(call, err);
	if (r < 0)
		err->code = CNI_UNAVAILABLE;
	profile_free(&profile);
	return r;
}
