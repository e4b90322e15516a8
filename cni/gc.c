// SPDX-License-Identifier: Apache-2.0
/*
 * GC: attachments of this network that the runtime no longer knows are detached from their journals, and
 * devices that have come back from any other are restored. STATUS restores those, too.
 */
#include "cni/verbs.h"

#include "base/log.h"
#include "base/stop.h"
#include "cni/detach.h"
#include "cni/leftover.h"
#include "cni/repair.h"

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

/* What one GC works with; @err collects. */
struct gc {
	const struct cni_call *call;
	const struct store *store;
	const struct side *host;
	const json_t *valid;
	struct err *err;
};

/* An administrator's list is as old as his look: what has begun since is alive. */
static int may_collect(const struct gc *gc, const struct journal *journal, struct err *err)
{
	enum leftover left;
	int r;

	if (!gc->call->args.only_leftovers)
		return 0;
	r = leftover_judge(gc->store, gc->host, journal, &left, err);
	return r == 0 && left == LEFTOVER_NONE ? -ENOENT : r;
}

/* One journal, read under its lock: a DEL may have been faster, or an ADD at work. */
static int collect_one(const struct gc *gc, const struct attachment *attachment, struct err *err)
{
	_cleanup_lock_ struct store_lock lock = STORE_UNLOCKED;
	_cleanup_journal_ struct journal journal = { 0 };
	char name[STORE_NAME_SIZE];
	int r = store_lock_attachment(gc->store, attachment, &lock, err);

	if (r == 0)
		r = journal_read(gc->store, store_name(attachment, name), &journal, err);
	if (r == 0)
		r = may_collect(gc, &journal, err);
	if (r == 0) {
		log_info("GC: detaching %s of container %s", attachment->ifname,
			 attachment->container_id);
		r = detach(gc->store, gc->host, &journal, false, NULL, gc->call->args.path, err);
	}
	return r == -ENOENT && !err_is_set(err) ? 0 : r;
}

static void collect(const struct attachment *attachment, void *arg)
{
	struct gc *gc = arg;
	struct err one = { 0 };

	if (is_valid(gc->valid, attachment) || collect_one(gc, attachment, &one) == 0)
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
		repair_all(&store);
		store_sweep(&store);
		store_sweep_network(&store, call->name);
		verbs_forward(call, err);
	}
	profile_free(&profile);
	return err_is_set(err) ? -err->eno : r;
}

/*
 * STATUS is asked every few seconds: the profile is sound, state folder and IPAM can be used. It is also
 * what a runtime calls without being asked to: devices that have come back are restored. One that cannot
 * be is no reason to refuse pods that get other devices.
 */
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
	if (r == 0) {
		repair_all(&store);
		r = verbs_forward(call, err);
	}
	if (r < 0)
		err->code = CNI_UNAVAILABLE;
	profile_free(&profile);
	return r;
}
