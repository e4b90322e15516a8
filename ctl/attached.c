// SPDX-License-Identifier: Apache-2.0
#include "ctl/attached.h"

#include "ctl/ctl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>

enum { ARG_SIZE = 512 };

void attached_complain(struct attached *attached, const char *why)
{
	fprintf(stderr, "rocectl: %s: %s\n", attached->folder, why);
	attached->status = CTL_ERRORS;
}

static void complain_unreadable(struct attached *attached, const char *folder, int eno)
{
	fprintf(stderr, "rocectl: cannot read %s%s: %s%s\n", attached->folder, folder, strerror(eno),
		eno == EACCES ? "; root can" : "");
	attached->status = CTL_ERRORS;
}

/* ---- state ---- */

/* Without its claim an attachment no longer has the device: DEL was almost done, or failed. */
static bool has_claim(const struct attached *attached, const struct shown *shown)
{
	if (faccessat(attached->store.dir, "devices", X_OK, 0) < 0)
		return true; /* nobody can say */
	return store_owns(&attached->store, shown->attachment, shown->journal->device.key);
}

static bool is_in_pod(const struct attached *attached, const struct journal *journal,
		      const struct side *pod)
{
	enum place place;
	struct link link;

	if (journal->device.userspace) /* it never left the host; its pod is all that can be looked at */
		return netns_at(journal->netns, journal->netns_id) == 0;
	return observe_where(&journal->device, &attached->host, pod, &link, &place) == 0 &&
	       place == PLACE_POD;
}

static void set_state(struct shown *shown, const char *state, const char *reason)
{
	shown->state = state;
	shown->reason = reason;
}

/* A namespace that can be seen but not entered says at least that it is there. */
static void judge_unprivileged(struct shown *shown)
{
	int r = netns_at(shown->journal->netns, shown->journal->netns_id);

	if (r == -EACCES || r == -EPERM)
		set_state(shown, "unknown", "no permission to look at the network namespace");
	else if (r < 0)
		set_state(shown, "orphan", "the network namespace is gone");
}

/*
 * The kernel gives the number of a namespace that is gone to the next one: what is at another path, and
 * without the device, is a stranger.
 */
static void judge_pod(const struct attached *attached, struct shown *shown)
{
	const struct journal *journal = shown->journal;
	_cleanup_side_ struct side pod = SIDE_CLOSED;
	struct err ignored = { 0 };

	if (side_reopen_pod(journal->netns, journal->netns_id, &pod, &ignored) < 0)
		set_state(shown, "unknown", "the network namespace cannot be looked at");
	else if (pod.netns >= 0 && is_in_pod(attached, journal, &pod))
		return;
	else if (pod.netns >= 0 && netns_at(journal->netns, journal->netns_id) == 0)
		set_state(shown, "dirty", "the device is not in the pod");
	else
		set_state(shown, "orphan", "the network namespace is gone");
}

static void judge(const struct attached *attached, struct shown *shown)
{
	set_state(shown, "active", "");
	if (!shown->journal->active)
		set_state(shown, "dirty", "an ADD did not come to its end, or is at work");
	else if (!streq(attached->boot_id, shown->journal->boot_id))
		set_state(shown, "orphan", "the node has booted since");
	else if (geteuid() != 0)
		judge_unprivileged(shown);
	else
		judge_pod(attached, shown);
	if (streq(shown->state, "active") && !has_claim(attached, shown))
		set_state(shown, "dirty", "the device is not this attachment's any more");
}

/* ---- the journals ---- */

/* What is visited, and by whom. */
struct visit {
	struct attached *attached;
	attached_visitor visit;
	void *arg;
};

static void visit_journal(const struct visit *visit, const struct attachment *attachment,
			  const struct journal *journal)
{
	char namespace[ARG_SIZE] = "", name[ARG_SIZE] = "";
	struct shown shown = {
		.attachment = attachment,
		.journal = journal,
		.pod_namespace = namespace,
		.pod_name = name,
		.now = visit->attached->now,
	};

	cniargs_find(journal->cni_args, "K8S_POD_NAMESPACE", namespace, sizeof(namespace));
	cniargs_find(journal->cni_args, "K8S_POD_NAME", name, sizeof(name));
	judge(visit->attached, &shown);
	visit->visit(&shown, visit->arg);
}

static void visit_one(const struct attachment *attachment, void *arg)
{
	_cleanup_journal_ struct journal journal = { 0 };
	const struct visit *visit = arg;
	struct store *store = &visit->attached->store;
	char name[STORE_NAME_SIZE];
	struct err err = { 0 };
	int r = journal_read(store, store_name(attachment, name), &journal, &err);

	if (r == 0)
		visit_journal(visit, attachment, &journal);
	else if (r != -ENOENT) /* then a DEL was faster */
		attached_complain(visit->attached, err.msg);
}

/* A folder, from its "/": one that cannot be read must not look like an empty one. */
static DIR *list_folder(struct attached *attached, const char *name)
{
	int fd = openat(attached->store.dir, name + 1, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 && errno != ENOENT)
		complain_unreadable(attached, name, errno);
	return fd < 0 ? NULL : fdopendir(fd);
}

static void visit_network(struct visit *visit, const char *network)
{
	char folder[STORE_NAME_SIZE];
	DIR *dir;

	snprintf(folder, sizeof(folder), "/attachments/%s", network);
	dir = list_folder(visit->attached, folder);
	if (!dir)
		return;
	closedir(dir);
	store_each(&visit->attached->store, network, visit_one, visit);
}

void attached_each(struct attached *attached, const char *network, attached_visitor visitor,
		   void *arg)
{
	struct visit visit = { attached, visitor, arg };
	DIR *dir = network ? NULL : list_folder(attached, "/attachments");
	struct dirent *entry;

	if (network)
		visit_network(&visit, network);
	while (dir && (entry = readdir(dir)))
		if (cniargs_name_ok(entry->d_name))
			visit_network(&visit, entry->d_name);
	if (dir)
		closedir(dir);
}

/* ---- open and close ---- */

/* A broken profile is no reason to show nothing: the standard folder is the best guess. */
static void read_profile(struct attached *attached, struct profile *ret_profile)
{
	struct err err = { 0 };

	profile_load_for_del(PROFILE_PATH, ret_profile, &err);
	if (err_is_set(&err))
		attached->status = ctl_print_error("rocectl", &err);
	snprintf(attached->folder, sizeof(attached->folder), "%s/roce-cni", ret_profile->state_dir);
}

static int open_store(struct attached *attached)
{
	struct profile profile;
	int r;

	read_profile(attached, &profile);
	r = store_peek(&profile, &attached->store);
	profile_free(&profile);
	if (r == 0 && faccessat(attached->store.dir, "attachments", R_OK | X_OK, 0) < 0)
		r = -errno;
	if (r < 0 && r != -ENOENT)
		complain_unreadable(attached, "", -r);
	return r;
}

int attached_open(struct attached *attached)
{
	struct err err = { 0 };
	int r;

	*attached = (struct attached)ATTACHED_CLOSED;
	attached->now = time(NULL);
	journal_boot_id(attached->boot_id);
	r = open_store(attached);
	if (r == 0)
		r = side_open_host(&attached->host, &err);
	if (err_is_set(&err))
		attached->status = ctl_print_error("rocectl", &err);
	return r;
}

void attached_close(struct attached *attached)
{
	side_close(&attached->host);
	store_close(&attached->store);
}
