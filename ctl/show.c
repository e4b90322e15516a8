// SPDX-License-Identifier: Apache-2.0
/* rocectl show: the attachments on this node, from their journals. */
#include "ctl/show.h"

#include "ctl/ctl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>

enum { ARG_SIZE = 512 };

/* ---- options ---- */

struct options {
	enum table_form form;
	const char *network;
	const char *pod;
};

static int read_pod(const char *text, void *field)
{
	const char *slash = strchr(text, '/');

	return slash && slash > text && slash[1] ? ctl_read_text(text, field) : -EINVAL;
}

static int read_network(const char *text, void *field)
{
	return cniargs_name_ok(text) ? ctl_read_text(text, field) : -EINVAL;
}

static const struct ctl_option options_table[] = {
	{ "output", 'o', "text|wide|json", "in which form, text if not given", table_read_form,
	  offsetof(struct options, form) },
	{ "network", 0, "NAME", "only attachments to this network", read_network,
	  offsetof(struct options, network) },
	{ "pod", 0, "NAMESPACE/NAME", "only attachments of this pod", read_pod,
	  offsetof(struct options, pod) },
};

/* ---- what the command works with ---- */

/**
 * struct show - one run
 * @options:	what was asked
 * @folder:	the state folder, for messages
 * @store:	it, open
 * @host:	the host's side
 * @boot_id:	of the running kernel
 * @now:	seconds since 1970
 * @list:	what was found
 * @status:	exit status so far
 */
struct show {
	struct options options;
	char folder[4096];
	struct store store;
	struct side host;
	char boot_id[BOOT_ID_SIZE];
	int64_t now;
	struct table list;
	int status;
};

/* Something cannot be shown; the rest still can. */
static void complain(struct show *show, const char *why)
{
	fprintf(stderr, "rocectl: %s: %s\n", show->folder, why);
	show->status = CTL_ERRORS;
}

static void complain_unreadable(struct show *show, const char *folder, int eno)
{
	fprintf(stderr, "rocectl: cannot read %s%s: %s%s\n", show->folder, folder, strerror(eno),
		eno == EACCES ? "; root can" : "");
	show->status = CTL_ERRORS;
}

/* ---- state ---- */

/* Without its claim an attachment no longer has the device: DEL was almost done, or failed. */
static bool has_claim(const struct show *show, const struct shown *shown)
{
	char owner[STORE_NAME_SIZE], name[STORE_NAME_SIZE];

	if (faccessat(show->store.dir, "devices", X_OK, 0) < 0)
		return true; /* nobody can say */
	return store_owner(&show->store, shown->journal->device.key, owner) &&
	       streq(owner, store_name(shown->attachment, name));
}

/* The pod's namespace by its path alone. Return: 0, -ENOENT if it is another one, or what open() says. */
static int is_at_path(const struct journal *journal)
{
	struct err ignored = { 0 };
	struct netns_id id;
	int fd = netns_open(journal->netns, &id, &ignored);

	if (fd < 0)
		return fd;
	close(fd);
	return netns_same(id, journal->netns_id) ? 0 : -ENOENT;
}

/* A VF without a netdev never left the host; its pod is all that can be looked at. */
static bool is_in_pod(const struct show *show, const struct journal *journal,
		      const struct side *pod)
{
	enum place place;
	struct link link;

	if (journal->device.userspace)
		return is_at_path(journal) == 0;
	return observe_where(&journal->device, &show->host, pod, &link, &place) == 0 &&
	       place == PLACE_POD;
}

static void set_state(struct shown *shown, const char *state, const char *reason)
{
	shown->state = state;
	shown->reason = reason;
}

/* A namespace that can be opened but not entered says at least that it is there. */
static void judge_unprivileged(struct shown *shown)
{
	int r = is_at_path(shown->journal);

	if (r == -EACCES || r == -EPERM)
		set_state(shown, "unknown", "no permission to look at the network namespace");
	else if (r < 0)
		set_state(shown, "orphan", "the network namespace is gone");
}

/*
 * The kernel gives the number of a namespace that is gone to the next one: what is at another path, and
 * without the device, is a stranger.
 */
static void judge_pod(const struct show *show, struct shown *shown)
{
	_cleanup_side_ struct side pod = SIDE_CLOSED;
	struct err ignored = { 0 };

	if (side_reopen_pod(shown->journal->netns, shown->journal->netns_id, &pod, &ignored) < 0)
		set_state(shown, "unknown", "the network namespace cannot be looked at");
	else if (pod.netns >= 0 && is_in_pod(show, shown->journal, &pod))
		return;
	else if (pod.netns >= 0 && is_at_path(shown->journal) == 0)
		set_state(shown, "dirty", "the device is not in the pod");
	else
		set_state(shown, "orphan", "the network namespace is gone");
}

static void judge(const struct show *show, struct shown *shown)
{
	set_state(shown, "active", "");
	if (!shown->journal->active)
		set_state(shown, "dirty", "an ADD did not come to its end, or is at work");
	else if (!streq(show->boot_id, shown->journal->boot_id))
		set_state(shown, "orphan", "the node has booted since");
	else if (geteuid() != 0)
		judge_unprivileged(shown);
	else
		judge_pod(show, shown);
	if (streq(shown->state, "active") && !has_claim(show, shown))
		set_state(shown, "dirty", "the device is not this attachment's any more");
}

/* ---- the journals ---- */

static bool is_pod(const struct shown *shown, const char *wanted)
{
	size_t len = strlen(shown->pod_namespace);

	return strncmp(wanted, shown->pod_namespace, len) == 0 && wanted[len] == '/' &&
	       streq(wanted + len + 1, shown->pod_name);
}

static void show_journal(struct show *show, const struct attachment *attachment,
			 const struct journal *journal)
{
	char namespace[ARG_SIZE] = "", name[ARG_SIZE] = "";
	struct shown shown = {
		.attachment = attachment,
		.journal = journal,
		.pod_namespace = namespace,
		.pod_name = name,
		.now = show->now,
	};

	cniargs_find(journal->cni_args, "K8S_POD_NAMESPACE", namespace, sizeof(namespace));
	cniargs_find(journal->cni_args, "K8S_POD_NAME", name, sizeof(name));
	if (show->options.pod && !is_pod(&shown, show->options.pod))
		return;
	judge(show, &shown);
	if (table_add(&show->list, &shown) < 0)
		complain(show, "out of memory");
}

static void show_one(const struct attachment *attachment, void *arg)
{
	_cleanup_journal_ struct journal journal = { 0 };
	struct show *show = arg;
	char name[STORE_NAME_SIZE];
	struct err err = { 0 };
	int r = journal_read(&show->store, store_name(attachment, name), &journal, &err);

	if (r == 0)
		show_journal(show, attachment, &journal);
	else if (r != -ENOENT) /* then a DEL was faster */
		complain(show, err.msg);
}

/* A folder, from its "/": one that cannot be read must not look like an empty one. */
static DIR *list_folder(struct show *show, const char *name)
{
	int fd = openat(show->store.dir, name + 1, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 && errno != ENOENT)
		complain_unreadable(show, name, errno);
	return fd < 0 ? NULL : fdopendir(fd);
}

static void show_network(struct show *show, const char *network)
{
	char folder[STORE_NAME_SIZE];
	DIR *dir;

	snprintf(folder, sizeof(folder), "/attachments/%s", network);
	dir = list_folder(show, folder);
	if (!dir)
		return;
	closedir(dir);
	store_each(&show->store, network, show_one, show);
}

static void show_all(struct show *show)
{
	DIR *dir = list_folder(show, "/attachments");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (cniargs_name_ok(entry->d_name))
			show_network(show, entry->d_name);
	if (dir)
		closedir(dir);
}

/* ---- the whole ---- */

/* A broken profile is no reason to show nothing: the standard folder is the best guess. */
static void read_profile(struct show *show, struct profile *ret_profile)
{
	struct err err = { 0 };

	profile_load_for_del(PROFILE_PATH, ret_profile, &err);
	if (err_is_set(&err))
		show->status = ctl_print_error("rocectl", &err);
	snprintf(show->folder, sizeof(show->folder), "%s/roce-cni", ret_profile->state_dir);
}

/* Return: 0 or a negative errno; -ENOENT: there never was an attachment. */
static int open_store(struct show *show)
{
	struct profile profile;
	int r;

	read_profile(show, &profile);
	r = store_peek(&profile, &show->store);
	profile_free(&profile);
	if (r == 0 && faccessat(show->store.dir, "attachments", R_OK | X_OK, 0) < 0)
		r = -errno;
	if (r < 0 && r != -ENOENT)
		complain_unreadable(show, "", -r);
	return r;
}

/* Return: 0, or a negative errno when there is nothing to print, not even an empty list. */
static int gather(struct show *show)
{
	struct err err = { 0 };
	int r = open_store(show);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	r = side_open_host(&show->host, &err);
	if (r < 0)
		show->status = ctl_print_error("rocectl", &err);
	else if (show->options.network)
		show_network(show, show->options.network);
	else
		show_all(show);
	return r;
}

static int run(const struct ctl_command *command, int argc, char **argv)
{
	struct show show = {
		.options = { .form = TABLE_TEXT },
		.store = STORE_CLOSED,
		.host = SIDE_CLOSED,
		.now = time(NULL),
		.list = show_table(),
	};
	int first = ctl_options(command, argc, argv, &show.options);

	if (first != argc)
		return first < 0 ? CTL_USAGE : ctl_usage(command, stderr);
	journal_boot_id(show.boot_id);
	if (gather(&show) == 0 && table_print(&show.list, show.options.form, SHOW_SCHEMA_VERSION,
					 "attachments") != CTL_OK)
		show.status = CTL_ERRORS;
	table_free(&show.list);
	side_close(&show.host);
	store_close(&show.store);
	return show.status;
}

const struct ctl_command ctl_show = {
	.name = "show",
	.operands = "",
	.about = "the attachments on this node",
	.options = options_table,
	.n_options = ARRAY_SIZE(options_table),
	.run = run,
};
