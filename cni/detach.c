// SPDX-License-Identifier: Apache-2.0
#include "cni/detach.h"

#include "base/log.h"
#include "base/stop.h"
#include "cni/apply.h"

#include <errno.h>

/* The pod's namespace, if it still is the one that the journal speaks of. */
static int open_pod(const struct journal *journal, const char *netns, struct side *ret_pod,
		    struct err *err)
{
	char boot_id[BOOT_ID_SIZE];
	int r;

	*ret_pod = (struct side)SIDE_CLOSED;
	journal_boot_id(boot_id);
	if (!streq(boot_id, journal->boot_id))
		return 0; /* no namespace outlives a boot, but its inode number comes again */
	r = side_reopen_pod(netns, journal->netns_id, ret_pod, err);
	if (r == 0 && ret_pod->netns < 0 && !(netns && streq(netns, journal->netns)))
		r = side_reopen_pod(journal->netns, journal->netns_id, ret_pod, err);
	return r;
}

/*
 * A VF that a process has never left the host: its pod lives as long as its namespace is where it was. By
 * the path alone, because the kernel gives the number of one that is gone to the next.
 */
static bool has_process(const struct journal *journal)
{
	_cleanup_close_ int fd = -1;
	char boot_id[BOOT_ID_SIZE];
	struct err ignored = { 0 };
	struct netns_id id;

	journal_boot_id(boot_id);
	fd = netns_open(journal->netns, &id, &ignored);
	return journal->active && streq(boot_id, journal->boot_id) && fd >= 0 &&
	       netns_same(id, journal->netns_id);
}

bool detach_is_live(const struct side *host, const struct journal *journal)
{
	_cleanup_side_ struct side pod = SIDE_CLOSED;
	struct err ignored = { 0 };
	enum place place;
	struct link link;

	if (journal->device.userspace)
		return has_process(journal);
	return open_pod(journal, NULL, &pod, &ignored) == 0 && pod.netns >= 0 &&
	       observe_where(&journal->device, host, &pod, &link, &place) == 0 && place == PLACE_POD;
}

static struct delegate journal_delegate(const struct journal *journal, const char *cni_path,
					const char *netns)
{
	return (struct delegate){
		.type = journal->ipam_type,
		.config = journal->config,
		.config_len = journal->config_len,
		.path = cni_path,
		.container_id = journal->attachment.container_id,
		.netns = netns ? netns : "",
		.ifname = journal->attachment.ifname,
		.cni_args = journal->cni_args,
	};
}

static bool owns_device(const struct store *store, const struct journal *journal)
{
	char owner[STORE_NAME_SIZE], name[STORE_NAME_SIZE];

	return store_owner(store, journal->device.key, owner) &&
	       streq(owner, store_name(&journal->attachment, name));
}

/* The device was never taken, or somebody else has it by now: only the addresses are still ours. */
static int release_addresses(struct apply *a, const struct journal *journal, struct err *err)
{
	log_info("device %s is not this attachment's: it is left alone", journal->device.key);
	return journal->ipam_type ? delegate_call(&a->delegate, CNI_DEL, err) : 0;
}

static int undo(const struct store *store, struct apply *a, const struct journal *journal,
		struct err *err)
{
	bool heed = stop_heed(false);
	int r;

	if (owns_device(store, journal))
		r = apply_undo(a, journal->steps, journal->n_steps, err);
	else
		r = release_addresses(a, journal, err);
	stop_heed(heed);
	if (r < 0) {
		err->code = ROCE_UNDO_INCOMPLETE;
		return err_wrap(err, "not everything could be restored, DEL or GC will try again");
	}
	if (owns_device(store, journal))
		store_unclaim(store, journal->device.key);
	journal_remove(store, &journal->attachment);
	return 0;
}

int detach(const struct store *store, const struct side *host, const struct journal *journal,
	   bool device_locked, const char *netns, const char *cni_path, struct err *err)
{
	_cleanup_lock_ struct store_lock lock = STORE_UNLOCKED;
	struct apply a = {
		.host = *host,
		.device = journal->device,
		.delegate = journal_delegate(journal, cni_path, netns),
	};
	int r = 0;

	if (!device_locked)
		r = store_lock_device(store, journal->device.key, &lock, err);
	if (r == 0)
		r = open_pod(journal, netns, &a.pod, err);
	if (r < 0)
		return r;
	r = undo(store, &a, journal, err);
	side_close(&a.pod);
	return r;
}
