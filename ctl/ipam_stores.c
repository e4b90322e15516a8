// SPDX-License-Identifier: Apache-2.0
/* The stores of this node, and every record in them. Nothing is locked or changed. */
#include "ctl/ipam.h"

#include "ipam/record.h"

#include <errno.h>
#include <fcntl.h>

static int complain(const char *path, const char *name, int r)
{
	fprintf(stderr, "rocectl: cannot read %s%s%s: %s%s\n", path, *name ? "/" : "", name,
		strerror(-r), r == -EACCES ? "; root can" : "");
	return CTL_ERRORS;
}

/* ---- the stores ---- */

static int add(struct ipam_stores *stores, const struct profile *profile, const char *data_dir)
{
	struct home *grown = base_grow(stores->items, stores->n, sizeof(*grown));
	struct err err = { 0 };

	if (!grown) {
		fprintf(stderr, "rocectl: out of memory\n");
		return CTL_ERRORS;
	}
	stores->items = grown;
	if (home_find(profile, data_dir, &grown[stores->n], &err) < 0)
		stores->status = ctl_print_error("rocectl", &err);
	else
		stores->n++;
	return 0;
}

static int add_below(struct ipam_stores *stores, const struct profile *profile, const char *root)
{
	_cleanup_close_ int dir = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_names_ DIR *names = dir < 0 ? NULL : record_list(dir);
	const struct dirent *entry;
	char path[HOME_PATH_SIZE];
	struct stat st;
	int r = 0;

	if (!names && errno != ENOENT)
		stores->status = complain(root, "", -errno);
	while (names && r == 0 && (entry = readdir(names))) {
		if (!cniargs_name_ok(entry->d_name) ||
		    fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode))
			continue;
		snprintf(path, sizeof(path), "%s/%s", root, entry->d_name);
		r = add(stores, profile, path);
	}
	return r;
}

/* A broken profile is no reason to see nothing: the standard folder is the best guess. */
int ipam_stores_find(struct ipam_stores *stores)
{
	struct profile profile;
	struct err err = { 0 };
	int r;

	*stores = (struct ipam_stores){ .status = CTL_OK };
	profile_load_for_del(PROFILE_PATH, &profile, &err);
	if (err_is_set(&err))
		stores->status = ctl_print_error("rocectl", &err);
	r = add(stores, &profile, NULL);
	for (size_t i = 0; i < profile.n_data_roots && r == 0; i++)
		r = add_below(stores, &profile, profile.data_roots[i]);
	profile_free(&profile);
	return r;
}

void ipam_stores_free(struct ipam_stores *stores)
{
	free(stores->items);
	*stores = (struct ipam_stores){ .n = 0 };
}

/* ---- the records ---- */

/**
 * struct walk - through all stores
 * @visit, @arg: what is called
 * @home:	the store
 * @network:	the network
 * @status:	exit status so far
 */
struct walk {
	ipam_visitor visit;
	void *arg;
	const struct home *home;
	const char *network;
	int status;
};

static void see_record(struct walk *walk, int dir, const char *name, struct inet_addr addr)
{
	struct ipam_seen seen = { walk->home, walk->network, addr, NULL, NULL, "" };
	struct err why = { 0 };
	struct lease lease;
	struct stat st;
	int r = record_read(dir, name, &lease, &st, &why);

	if (r == 0 && !inet_equal(lease.address.addr, addr))
		r = err_set(&why, ROCE_STATE_BROKEN, -EBADMSG,
			    "damaged lease record: it names another address");
	if (r == 0 || r == -EBADMSG) {
		seen.st = &st;
		seen.lease = r == 0 ? &lease : NULL;
		seen.why = why.msg;
		walk->visit(&seen, walk->arg);
	} else if (r != -ENOENT) { /* then a DEL was faster */
		fprintf(stderr, "rocectl: cannot read %s/%s/%s: %s%s\n", walk->home->path,
			walk->network, name, strerror(-r), r == -EACCES ? "; root can" : "");
		walk->status = CTL_ERRORS;
	}
}

static void walk_network(struct walk *walk, int home)
{
	_cleanup_close_ int dir = openat(home, walk->network,
					 O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	_cleanup_names_ DIR *names = dir < 0 ? NULL : record_list(dir);
	struct inet_addr addr;
	const char *name;

	if (!names && errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
		walk->status = complain(walk->home->path, walk->network, -errno);
	while (names && (name = record_next(names, &addr)))
		see_record(walk, dir, name, addr);
}

static void walk_store(struct walk *walk, const char *network)
{
	struct err err = { 0 };
	_cleanup_close_ int home = home_open(walk->home, HOME_EXISTING, &err);
	_cleanup_names_ DIR *names = home < 0 ? NULL : record_list(home);
	const struct dirent *entry;

	if (!names && home != -ENOENT)
		walk->status = complain(walk->home->path, "", home < 0 ? home : -errno);
	while (names && (entry = readdir(names))) {
		walk->network = entry->d_name;
		if (cniargs_name_ok(entry->d_name) && (!network || streq(network, entry->d_name)))
			walk_network(walk, home);
	}
}

int ipam_each(const struct ipam_stores *stores, const char *network, ipam_visitor visit, void *arg)
{
	struct walk walk = { .visit = visit, .arg = arg, .status = CTL_OK };

	for (size_t i = 0; i < stores->n; i++) {
		walk.home = &stores->items[i];
		walk_store(&walk, network);
	}
	return walk.status;
}

static void print_text(const char *text)
{
	for (; *text; text++)
		putchar(*text < ' ' || *text > '~' ? '?' : *text);
}

void ipam_print_holder(const struct ipam_seen *seen, const char *reason)
{
	const struct lease *lease = seen->lease;
	char text[INET_TEXT_SIZE];

	printf("%s %s: ", seen->network, inet_format(seen->addr, text));
	if (lease) {
		printf("container %s, interface ", lease->id);
		print_text(lease->ifname);
		if (*lease->pod)
			printf(", pod ");
		print_text(lease->pod);
	} else {
		print_text(seen->why);
	}
	printf("%s%s\n", *reason ? "; " : "", reason);
}
