// SPDX-License-Identifier: Apache-2.0
/* Settings of the netdev, wherever it is: look, change, read back. */
#include "cni/exec.h"

#include "base/log.h"
#include "netlink/devconf.h"

#include <errno.h>
#include <net/if.h>

/* ---- MTU ---- */

/*
 * On the way back: a macvlan, ipvlan or VLAN takes no more than what it rides on, which may have been
 * lowered while the pod was running. It gets the most there is; keeping its pod alive would help nobody.
 */
static int restore_what_fits(struct nlsock *rt, const struct link *link, int want, struct err *err)
{
	struct link_change change = { .mtu = 0 };
	struct link lower;

	if (link_get(rt, link->lower, &lower) < 0 || lower.mtu >= want)
		return -EINVAL;
	log_warn("%s had MTU %d, but %s, which it rides on, has %d by now: restoring that",
		 link->name, want, lower.name, lower.mtu);
	change.mtu = lower.mtu;
	return link_set(rt, link->ifindex, &change, err);
}

static int set_mtu(struct nlsock *rt, const struct link *link, int mtu, enum apply_mode mode,
		   struct err *err)
{
	struct link_change change = { .mtu = mtu };
	struct err refused = { 0 };
	int r = link_set(rt, link->ifindex, &change, &refused);

	if ((r == -EINVAL || r == -ERANGE) && mode == APPLY_UNDO &&
	    restore_what_fits(rt, link, mtu, err) == 0)
		return 1;
	if (r < 0)
		*err = refused;
	return r;
}

/* ---- altnames ---- */

static unsigned names_of(const struct device *device, const struct link *link)
{
	unsigned names = 0;

	for (size_t i = 0; i < device->n_altnames; i++)
		for (size_t j = 0; j < link->n_altnames; j++)
			if (streq(device->altnames[i], link->altnames[j]))
				names |= 1U << i;
	return names;
}

/* So many names are all that was noted down: then nobody can say which others are the pod's. */
static bool knows(const struct device *device, const char *name)
{
	for (size_t i = 0; i < device->n_altnames; i++)
		if (streq(device->altnames[i], name))
			return true;
	return device->n_altnames == LINK_ALTNAMES_MAX;
}

static bool strange_names(const struct device *device, const struct link *link)
{
	for (size_t i = 0; i < link->n_altnames; i++)
		if (!knows(device, link->altnames[i]))
			return true;
	return false;
}

int exec_drop_names(const struct apply *a, struct nlsock *rt, int ifindex, struct err *err)
{
	struct link link;
	int r = link_get(rt, ifindex, &link);

	while (r == 0 && strange_names(&a->device, &link)) { /* a link shows only so many */
		for (size_t i = 0; r == 0 && i < link.n_altnames; i++)
			if (!knows(&a->device, link.altnames[i]))
				r = link_altname(rt, ifindex, link.altnames[i], false, err);
		if (r == 0)
			r = link_get(rt, ifindex, &link);
	}
	return r;
}

/* Those that are wanted, and in an undo no other. */
static int set_names(const struct apply *a, struct nlsock *rt, const struct link *link,
		     unsigned want, enum apply_mode mode, struct err *err)
{
	const struct device *device = &a->device;
	unsigned have = names_of(device, link);
	int r = mode == APPLY_UNDO ? exec_drop_names(a, rt, link->ifindex, err) : 0;

	for (size_t i = 0; r == 0 && i < device->n_altnames; i++) {
		if (!((have ^ want) & 1U << i))
			continue;
		r = link_altname(rt, link->ifindex, device->altnames[i], want >> i & 1, err);
		if (r < 0)
			err_wrap(err, "altname %s", device->altnames[i]);
	}
	return r;
}

/* ---- what the pod has made of it ---- */

enum { RIDERS_MAX = 32 };

struct riders {
	int on;
	int found[RIDERS_MAX];
	size_t n;
};

static bool rides(const struct link *link, void *arg)
{
	struct riders *riders = arg;

	if (link->lower == riders->on && !streq(link->kind, "veth")) /* its peer points at it, too */
		riders->found[riders->n++] = link->ifindex;
	return riders->n == RIDERS_MAX;
}

/*
 * A VLAN, macvlan or ipvlan that the pod has put on the device stays there when the device goes, and goes
 * on working: on what is the next pod's by then. It must go while the device is up, whose filters do not
 * follow when it is down.
 */
static void drop_riders(struct apply *a, int ifindex)
{
	struct riders riders;
	bool dropped;

	do {
		dropped = false;
		riders = (struct riders){ .on = ifindex };
		link_list(a->pod.rt, rides, &riders);
		for (size_t i = 0; i < riders.n; i++) {
			struct err ignored = { 0 };

			dropped |= link_del(a->pod.rt, riders.found[i], &ignored) == 0;
		}
	} while (dropped && riders.n == RIDERS_MAX);
}

/* ---- all ---- */

static union step_value value_of(const struct apply *a, enum step_type type, const struct link *link)
{
	if (type == STEP_ALTNAMES)
		return (union step_value){ .names = names_of(&a->device, link) };
	return step_value_of_link(type, link);
}

static int set(struct apply *a, const struct step *step, enum apply_mode mode, struct nlsock *rt,
	       const struct link *link, struct err *err)
{
	struct link_change change = { .flags = step->want.on ? IFF_PROMISC | IFF_ALLMULTI : 0 };

	if (step->type == STEP_LINK_MTU)
		return set_mtu(rt, link, step->want.number, mode, err);
	if (step->type == STEP_ALTNAMES)
		return set_names(a, rt, link, step->want.names, mode, err);
	if (step->type == STEP_TXQLEN) {
		change = (struct link_change){ .set_txqlen = true, .txqlen = step->want.number };
	} else if (step->type == STEP_LINK_STATE) {
		change = (struct link_change){ .set_up = true, .up = step->want.on };
	} else {
		change.mask = step->type == STEP_PROMISC ? IFF_PROMISC : IFF_ALLMULTI;
		change.flags &= change.mask;
	}
	return link_set(rt, link->ifindex, &change, err);
}

static bool is_so(const struct apply *a, const struct step *step, enum apply_mode mode,
		  const struct link *link, const union step_value *value)
{
	struct step now = { .type = step->type, .have = value_of(a, step->type, link), .want = *value };

	if (step->type == STEP_ALTNAMES && mode == APPLY_UNDO && strange_names(&a->device, link))
		return false;
	return !step_changes(&now);
}

static int read_back(const struct apply *a, const struct step *step, enum apply_mode mode,
		     struct nlsock *rt, int ifindex, struct err *err)
{
	char text[STEP_TEXT_SIZE];
	struct link link;
	int r = link_get(rt, ifindex, &link);
	struct step now = { .type = step->type, .want = step->want };

	if (r < 0 || is_so(a, step, mode, &link, &step->want))
		return r;
	if (step->type == STEP_LINK_MTU)
		return err_set(err, ROCE_MTU_MISMATCH, -EIO,
			       "MTU_MISMATCH: the driver was asked for MTU %d and reports %d",
			       step->want.number, link.mtu);
	now.have = value_of(a, step->type, &link);
	return err_set(err, ROCE_KERNEL_REFUSED, -EIO, "the kernel took it, and reports: %s",
		       step_print(&now, a->device.name, text));
}

/* Only what was on the host is restored, there; in a pod the kernel's defaults hold. */
static int exec_conf(struct apply *a, struct nlsock *rt, const struct link *link, struct err *err)
{
	return rt == a->host.rt ? devconf_restore(rt, link, &a->device.conf, &a->device.conf_files, err) : 0;
}

int exec_link(struct apply *a, const struct step *step, enum apply_mode mode, struct err *err)
{
	struct nlsock *rt;
	struct link link;
	int r = exec_find(a, mode, &link, &rt, NULL, err);

	if (r != 0)
		return r < 0 ? r : 0;
	if (step->type == STEP_CONF)
		return exec_conf(a, rt, &link, err);
	if (step->type == STEP_LINK_STATE && mode == APPLY_UNDO && rt == a->pod.rt)
		drop_riders(a, link.ifindex);
	if (is_so(a, step, mode, &link, &step->want))
		return 0;
	if (mode == APPLY_DO && step->type != STEP_LINK_STATE &&
	    !is_so(a, step, mode, &link, &step->have))
		return exec_changed(a, step_type_name(step->type), err);
	r = set(a, step, mode, rt, &link, err);
	if (r != 0)
		return r < 0 ? r : 0;
	return read_back(a, step, mode, rt, link.ifindex, err);
}
