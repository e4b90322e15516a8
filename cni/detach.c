// SPDX-License-Identifier: Apache-2.0
#include "cni/detach.h"

#include "base/log.h"
#include "base/stop.h"
#include "cni/apply.h"

#include <errno.h>

/* A VF that a process has never left the host: its pod lives as long as its namespace is where it was. */
static bool has_process(const struct journal *journal)
{
	return journal->active && journal_of_this_boot(journal) &&
	       netns_at(journal->netns, journal->netns_id) == 0;
}

bool detach_is_live(const struct side *host, const struct journal *journal)
{
	_cleanup_side_ struct side pod = SIDE_CLOSED;
	struct err ignored = { 0 };
	enum place place;
	struct link link;

	if (journal->device.userspace)
		return has_process(journal);
	return journal_open_pod(journal, NULL, &pod, &ignored) == 0 && pod.netns >= 0 &&
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

/*
 * After a boot a netdev without PCI address cannot be told from another one with its ifindex; and what it
 * had been set to is gone.
 */
static bool outlived_by_boot(const struct journal *journal)
{
	return !*journal->device.pci.addr && !journal_of_this_boot(journal);
}

/* Every step but the IPAM plugin's. */
static int undo_device(struct apply *a, const struct journal *journal, struct err *err)
{
	struct step steps[JOURNAL_STEPS_MAX];
	size_t n = 0;

	if (outlived_by_boot(journal))
		return 0;
	for (size_t i = 0; i < journal->n_steps; i++)
		if (journal->steps[i].type != STEP_IPAM)
			steps[n++] = journal->steps[i];
	return apply_undo(a, steps, n, err);
}

/* The device was never taken, or somebody else has it by now: only the addresses are still ours. */
static int release_addresses(struct apply *a, const struct journal *journal, struct err *err)
{
	log_info("device %s is not this attachment's: it is left alone", journal->device.key);
	return journal->ipam_type ? delegate_call(&a->delegate, CNI_DEL, err) : 0;
}

static int incomplete(struct err *err)
{
	err->code = ROCE_UNDO_INCOMPLETE;
	return err_wrap(err, "not everything could be restored, DEL or GC will try again");
}

static int undo(const struct store *store, struct apply *a, const struct journal *journal,
		struct err *err)
{
	bool owned = store_owns(store, &journal->attachment, journal->device.key);
	bool heed = stop_heed(false);
	int r;

	if (owned && !outlived_by_boot(journal))
		r = apply_undo(a, journal->steps, journal->n_steps, err);
	else
		r = release_addresses(a, journal, err);
	stop_heed(heed);
	if (r < 0)
		return incomplete(err);
	if (owned)
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
		r = journal_open_pod(journal, netns, &a.pod, err);
	if (r < 0)
		return r;
	r = undo(store, &a, journal, err);
	side_close(&a.pod);
	return r;
}

int detach_device(const struct store *store, const struct side *host, const struct journal *journal,
		  struct err *err)
{
	struct apply a = { .host = *host, .device = journal->device };
	int r = journal_open_pod(journal, NULL, &a.pod, err);

	if (r < 0)
		return r;
	r = undo_device(&a, journal, err);
	side_close(&a.pod);
	if (r < 0)
		return incomplete(err);
	store_unclaim(store, journal->device.key);
	return 0;
}
