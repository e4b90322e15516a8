// SPDX-License-Identifier: Apache-2.0
#include "ipam/home.h"

#include "conf/cniargs.h"
#include "ipam/lease.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>

static void identify_host(struct home *home)
{
	struct utsname host;

	if (uname(&host) == 0)
		lease_copy_text(home->node, sizeof(home->node), host.nodename);
	if (file_read_line("/proc/sys/kernel/random/boot_id", home->boot, sizeof(home->boot)) < 0)
		home->boot[0] = '\0';
}

int home_at(const char *path, enum file_durability durability, struct home *ret_home,
	    struct err *err)
{
	*ret_home = (struct home){ .durability = durability };
	if (snprintf(ret_home->path, sizeof(ret_home->path), "%s", path) >=
	    (int)sizeof(ret_home->path))
		return err_set(err, ROCE_PROFILE_INVALID, -ENAMETOOLONG,
			       "the state folder's name is longer than %d bytes: %.200s...",
			       HOME_PATH_SIZE - 1, path);
	identify_host(ret_home);
	return 0;
}

/* The root that @dir is directly below, or NULL. */
static const char *find_root(const struct profile *profile, const char *dir)
{
	for (size_t i = 0; i < profile->n_data_roots; i++) {
		const char *root = profile->data_roots[i];
		size_t len = strlen(root);

		if (strncmp(dir, root, len) == 0 && dir[len] == '/' &&
		    cniargs_name_ok(dir + len + 1))
			return root;
	}
	return NULL;
}

static int refuse_data_dir(const struct profile *profile, const char *dir, struct err *err)
{
	char roots[512] = "";
	size_t len = 0;

	for (size_t i = 0; i < profile->n_data_roots && len < sizeof(roots) - 1; i++)
		len += snprintf(roots + len, sizeof(roots) - len, "%s%s", i ? ", " : "",
				profile->data_roots[i]);
	return jx_value_error(
		err, "ipam.dataDir",
		"\"%.128s\" is not one folder directly below one of the node profile's "
		"ipam.dataRoots (%.128s); leave it out, or have the node's administrator add a "
		"root",
		dir, *roots ? roots : "there are none");
}

int home_find(const struct profile *profile, const char *data_dir, struct home *ret_home,
	      struct err *err)
{
	const char *root = data_dir ? find_root(profile, data_dir) : NULL;
	char path[HOME_PATH_SIZE + 16];
	int r;

	if (data_dir && !root)
		return refuse_data_dir(profile, data_dir, err);
	if (data_dir) {
		r = home_at(data_dir, profile_durability(root), ret_home, err);
		ret_home->chosen = strlen(root) + 1;
		return r;
	}
	snprintf(path, sizeof(path), "%s/roce-ipam", profile->state_dir);
	return home_at(path, profile->durability, ret_home, err);
}

static int open_part(const char *path, enum home_mode mode, struct err *err)
{
	int fd;

	if (mode == HOME_CREATE)
		return file_opendir(path, err);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	return errno == ENOENT ? -ENOENT
			       : err_set(err, CNI_IO_FAILURE, -errno,
					 "cannot open the folder %s: %m", path);
}

int home_open(const struct home *home, enum home_mode mode, struct err *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
	const char *chosen = home->path + home->chosen;
	_cleanup_close_ int root = -1;
	char path[HOME_PATH_SIZE];
	int fd;

	if (!home->chosen)
		return open_part(home->path, mode, err);
	snprintf(path, sizeof(path), "%.*s", (int)home->chosen - 1, home->path);
	root = open_part(path, mode, err);
	if (root < 0)
		return root;
	fd = openat(root, chosen, flags);
	if (fd < 0 && errno == ENOENT && mode == HOME_CREATE &&
	    (mkdirat(root, chosen, 0700) == 0 || errno == EEXIST))
		fd = openat(root, chosen, flags);
	if (fd >= 0)
		return fd;
	return errno == ENOENT && mode == HOME_EXISTING
		       ? -ENOENT
		       : err_set(err, CNI_IO_FAILURE, -errno, "cannot open the folder %s: %m",
				 home->path);
}

bool home_is_earlier_boot(const struct home *home, const char *node, const char *boot)
{
	return streq(node, home->node) && *boot && *home->boot && !streq(boot, home->boot);
}
