// SPDX-License-Identifier: Apache-2.0
#include "cni/leftover.h"

#include <errno.h>

bool leftover_comes_back(const struct device *device)
{
	return !*device->kind && !device->userspace;
}

/*
 * The kernel gives the number of a namespace that is gone to the next one: what is at another path, and
 * does not have the device, is a stranger.
 */
static bool is_alive(const struct journal *journal, const struct side *pod)
{
	return pod->netns >= 0 && netns_at(journal->netns, journal->netns_id) == 0;
}

/* In the pod, on the host, or with the namespace wherever that went. Return: as leftover_judge(). */
static int judge_pci(const struct side *host, const struct journal *journal, const struct side *pod,
		     enum leftover *ret)
{
	enum place place;
	struct link link;
	int r = observe_where(&journal->device, host, pod, &link, &place);

	if (r == 0)
		*ret = place == PLACE_HOST ? LEFTOVER_RETURNED : LEFTOVER_NONE;
	else if (r == -ENODEV)
		*ret = is_alive(journal, pod) ? LEFTOVER_NONE : LEFTOVER_DEAD;
	return r == -ENODEV ? 0 : r;
}

/* Its name and MAC may both be others by now, but not if its pod destroyed it: that is a stranger. */
static int judge_other(const struct side *host, const struct journal *journal,
		       const struct side *pod, enum leftover *ret)
{
	const struct device *device = &journal->device;
	enum place place;
	struct link link;
	int r;

	if (observe_never_left(device, host, &link)) {
		*ret = LEFTOVER_RETURNED;
		return 0;
	}
	r = observe_where(device, host, pod, &link, &place);
	if (r < 0 && r != -ENODEV)
		return r;
	if (r == -ENODEV && !is_alive(journal, pod))
		*ret = LEFTOVER_DEAD;
	else if (r == 0 && place == PLACE_HOST && (!*device->kind || is_alive(journal, pod)))
		*ret = LEFTOVER_RETURNED;
	return 0;
}

/* A claim can get lost; a pod that has its device keeps its addresses all the same. */
static enum leftover judge_unclaimed(const struct side *host, const struct journal *journal,
				     const struct side *pod)
{
	enum place place;
	struct link link;

	if (is_alive(journal, pod) &&
	    observe_where(&journal->device, host, pod, &link, &place) == 0 && place == PLACE_POD)
		return LEFTOVER_NONE;
	return LEFTOVER_RELEASED;
}

static int judge(const struct store *store, const struct side *host, const struct journal *journal,
		 const struct side *pod, enum leftover *ret)
{
	const struct device *device = &journal->device;

	if (pod->netns >= 0 && netns_same(pod->id, host->id))
		return 0; /* CNI_NETNS_OVERRIDE: the pod is the host */
	if (!store_owns(store, &journal->attachment, device->key)) {
		*ret = judge_unclaimed(host, journal, pod);
		return 0;
	}
	if (!*device->pci.addr && !journal_of_this_boot(journal)) {
		*ret = LEFTOVER_DEAD; /* and whatever has its ifindex now is another netdev */
		return 0;
	}
	return *device->pci.addr ? judge_pci(host, journal, pod, ret)
				 : judge_other(host, journal, pod, ret);
}

int leftover_judge(const struct store *store, const struct side *host,
		   const struct journal *journal, enum leftover *ret, struct err *err)
{
	_cleanup_side_ struct side pod = SIDE_CLOSED;
	int r = journal_open_pod(journal, NULL, &pod, err);

	*ret = LEFTOVER_NONE;
	if (r == 0)
		r = judge(store, host, journal, &pod, ret);
	if (r == 0)
		return 0;
	return err_set(err, ROCE_KERNEL_REFUSED, r, "looking for device %s: %s",
		       journal->device.key, strerror(-r));
}
