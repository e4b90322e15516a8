// SPDX-License-Identifier: Apache-2.0
/* The netdev between the host and the pod. */
#include "cni/exec.h"

#include <errno.h>
#include <stdio.h>

static int move_to_pod(struct apply *a, const struct step *step, const struct link *link,
		       struct err *err)
{
	const struct step_at *want = &step->want.at;
	struct link_change change = { .move = true, .netns = a->pod.netns };
	struct link moved;
	int r;

	if (!streq(link->name, want->name))
		change.name = want->name;
	if (link->ifindex != want->ifindex)
		change.new_ifindex = want->ifindex;
	r = link_set(a->host.rt, link->ifindex, &change, err);
	if (r < 0)
		return r;
	r = link_find(a->pod.rt, want->name, &moved);
	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r,
			       "%s is not in the pod after the kernel moved it", want->name);
	a->device.pod_ifindex = moved.ifindex; /* kernels before 5.13 choose their own */
	return 0;
}

static bool name_free(struct nlsock *rt, const char *name)
{
	struct link other;

	return link_find(rt, name, &other) == -ENODEV;
}

/* The kernel moves no device of which the host has a name: those that the pod gave go, and so do others. */
static void drop_clashing_names(struct apply *a, int ifindex)
{
	struct err ignored = { 0 };
	struct link link;

	exec_drop_names(a, a->pod.rt, ifindex, &ignored);
	if (link_get(a->pod.rt, ifindex, &link) < 0)
		return;
	for (size_t i = 0; i < link.n_altnames; i++)
		if (!name_free(a->host.rt, link.altnames[i]))
			link_altname(a->pod.rt, ifindex, link.altnames[i], false, &ignored);
}

/* udev gives a device an altname that it cannot have as its name. */
static int make_way(struct apply *a, const struct link *link, const char *name, struct err *err)
{
	struct link other;
	int r = link_find(a->host.rt, name, &other);

	if (r == -ENODEV)
		return 0;
	if (r == 0 && other.ifindex == link->ifindex)
		return link_altname(a->host.rt, link->ifindex, name, false, err);
	return err_set(err, ROCE_KERNEL_REFUSED, -EEXIST,
		       "the host has another interface %s by now; the device came back as %s, rename one of them",
		       name, link->name);
}

/* On the host, but under the pod's name, "devN", or a name of our own. */
static int rename_on_host(struct apply *a, const struct step *step, const struct link *link,
			  struct err *err)
{
	const char *name = step->want.at.name;
	struct link_change down = { .set_up = true }, rename = { .name = name };

	a->device.ifindex = link->ifindex;
	if (streq(link->name, name))
		return 0;
	if (make_way(a, link, name, err) < 0)
		return -err->eno;
	if (link->up && link_set(a->host.rt, link->ifindex, &down, err) < 0)
		return -err->eno;
	return link_set(a->host.rt, link->ifindex, &rename, err);
}

/* Down and renamed while still in the pod, where nobody watches for it. Return: the name it has. */
static const char *prepare_return(struct apply *a, const struct step *step, const struct link *link)
{
	const char *name = step->want.at.name;
	struct link_change down = { .set_up = true }, rename = { .name = name };
	struct err ignored = { 0 };

	if (link->up)
		link_set(a->pod.rt, link->ifindex, &down, &ignored);
	if (link->n_altnames > 0)
		drop_clashing_names(a, link->ifindex);
	if (streq(link->name, name) || !name_free(a->host.rt, name) ||
	    link_set(a->pod.rt, link->ifindex, &rename, &ignored) < 0)
		return link->name;
	return name;
}

/*
 * Home again, so that the host sees the device appear under the name it had. If that cannot be, it
 * comes back under another one: better on the host under a strange name than lost with the pod.
 */
static int move_to_host(struct apply *a, const struct step *step, const struct link *link,
			struct err *err)
{
	const char *name = prepare_return(a, step, link);
	struct link_change move = { .move = true, .netns = a->host.netns };
	int ifindex = step->want.at.ifindex, r;
	char stray[LINK_NAME_SIZE];
	struct link moved;

	if (!name_free(a->host.rt, name)) {
		snprintf(stray, sizeof(stray), "roce%d", link->ifindex);
		move.name = name = stray;
	}
	if (link->ifindex != ifindex && link_get(a->host.rt, ifindex, &moved) == -ENODEV)
		move.new_ifindex = ifindex;
	r = link_set(a->pod.rt, link->ifindex, &move, err);
	if (r < 0)
		return r;
	r = link_find(a->host.rt, name, &moved);
	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r, "reading %s, just moved to the host: %s",
			       name, nlsock_words(a->host.rt));
	return rename_on_host(a, step, &moved, err);
}

int exec_move(struct apply *a, const struct step *step, enum apply_mode mode, struct err *err)
{
	struct link link;
	struct nlsock *rt;
	enum place place;
	int r = exec_find(a, mode, &link, &rt, &place, err);

	if (r != 0)
		return r < 0 ? r : 0;
	if (step->want.at.place == PLACE_HOST)
		return place == PLACE_POD ? move_to_host(a, step, &link, err)
					  : rename_on_host(a, step, &link, err);
	if (place == PLACE_POD)
		return exec_changed(a, "network namespace", err);
	return move_to_pod(a, step, &link, err);
}
