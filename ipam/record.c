// SPDX-License-Identifier: Apache-2.0
#include "ipam/record.h"

#include <errno.h>
#include <fcntl.h>

int record_read(int dir, const char *name, struct lease *ret_lease, struct stat *ret_st,
		struct err *err)
{
	_cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char text[LEASE_TEXT_MAX + 1];
	ssize_t len;

	if (fd < 0 && errno == ELOOP && fstatat(dir, name, ret_st, AT_SYMLINK_NOFOLLOW) == 0)
		return err_set(err, ROCE_STATE_BROKEN, -EBADMSG,
			       "damaged lease record: a symbolic link");
	if (fd < 0 || fstat(fd, ret_st) < 0)
		return -errno;
	if (!S_ISREG(ret_st->st_mode))
		return err_set(err, ROCE_STATE_BROKEN, -EBADMSG,
			       "damaged lease record: not a file");
	len = read(fd, text, sizeof(text) - 1);
	if (len < 0)
		return -errno;
	text[len] = '\0';
	return lease_parse(text, (size_t)len, ret_lease, err);
}

bool record_same_file(int dir, const char *name, const struct stat *st)
{
	struct stat named;

	return fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_ino == st->st_ino &&
	       named.st_dev == st->st_dev;
}

bool record_is_lease(int dir, const char *name, const struct stat *st, const struct lease *lease)
{
	struct err ignored = { 0 };
	struct lease other;
	struct stat other_st;

	if (record_same_file(dir, name, st))
		return true;
	return record_read(dir, name, &other, &other_st, &ignored) == 0 &&
	       streq(other.network, lease->network) &&
	       lease_is_of(&other, lease->id, lease->ifname, lease->range);
}

int record_unlink(int dir, const char *name)
{
	return unlinkat(dir, name, 0) < 0 && errno != ENOENT ? -errno : 0;
}

/* The folder is opened anew: a duplicate of @dir would share its position with other readers. */
DIR *record_list(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *names = fd < 0 ? NULL : fdopendir(fd);

	if (!names && fd >= 0)
		close(fd);
	return names;
}

const char *record_next(DIR *names, struct inet_addr *ret_addr)
{
	const struct dirent *entry;

	while ((entry = readdir(names))) {
		char text[INET_TEXT_SIZE];

		if (inet_parse(entry->d_name, ret_addr) == 0 &&
		    streq(inet_format(*ret_addr, text), entry->d_name))
			return entry->d_name;
	}
	return NULL;
}
