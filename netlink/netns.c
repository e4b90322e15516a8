// SPDX-License-Identifier: Apache-2.0
#include "netlink/netns.h"

#include "base/file.h"
#include "base/log.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

enum { RETURN_TRIES = 100 };

static int identify(int fd, struct netns_id *ret_id)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	*ret_id = (struct netns_id){ .dev = st.st_dev, .ino = st.st_ino };
	return 0;
}

int netns_open(const char *path, struct netns_id *ret_id, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int r;

	if (fd < 0)
		return err_set(err, ROCE_NETNS_INVALID, -errno,
			       "cannot open the network namespace %s: %m; is the pod gone?", path);
	if (ioctl(fd, NS_GET_NSTYPE) != CLONE_NEWNET)
		return err_set(err, ROCE_NETNS_INVALID, -EINVAL,
			       "%s is not a network namespace (its mount is gone?)", path);
	r = identify(fd, ret_id);
	if (r < 0)
		return err_set(err, ROCE_NETNS_INVALID, r, "%s: %s", path, strerror(-r));
	return steal_fd(&fd);
}

int netns_at(const char *path, struct netns_id id)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	return netns_same((struct netns_id){ .dev = st.st_dev, .ino = st.st_ino }, id) ? 0 : -ENOENT;
}

int netns_here(struct netns_id *ret_id, struct err *err)
{
	return netns_open("/proc/self/ns/net", ret_id, err);
}

int netns_new(struct netns_id *ret_id)
{
	_cleanup_close_ int back = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	struct err ignored = { 0 };
	int fd;

	if (back < 0 || unshare(CLONE_NEWNET) < 0)
		return -errno;
	fd = netns_here(ret_id, &ignored);
	netns_return(steal_fd(&back));
	return fd;
}

int netns_search(struct netns_id id)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int found = -ENOENT;

	while (proc && found < 0 && (entry = readdir(proc))) {
		struct err ignored = { 0 };
		struct netns_id other;
		char path[300];
		int fd;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/ns/net", entry->d_name);
		fd = netns_open(path, &other, &ignored);
		if (fd >= 0 && netns_same(id, other))
			found = fd;
		else if (fd >= 0)
			close(fd);
	}
	if (proc)
		closedir(proc);
	return found;
}

int netns_enter(int fd, int *ret_back, struct err *err)
{
	_cleanup_close_ int back = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	if (back < 0 || setns(fd, CLONE_NEWNET) < 0)
		return err_set(err, ROCE_NETNS_INVALID, -errno,
			       "cannot enter the pod's network namespace: %m");
	*ret_back = steal_fd(&back);
	return 0;
}

void netns_return(int back)
{
	for (int tries = 0; setns(back, CLONE_NEWNET) < 0; tries++) {
		if (tries == RETURN_TRIES) {
			log_warn("cannot return to the host's network namespace: %m");
			_exit(1); /* whatever came next would happen in the pod */
		}
		poll(NULL, 0, 1);
	}
	close(back);
}

/* The file of a sysctl as @fd's processes see it: /proc/sys/net shows the opener's namespace. */
static int open_sysctl(int fd, const char *name, int flags)
{
	struct err ignored = { 0 };
	char path[256];
	int back, file, r;

	snprintf(path, sizeof(path), "/proc/sys/%s", name);
	r = netns_enter(fd, &back, &ignored);
	if (r < 0)
		return r;
	file = open(path, flags | O_CLOEXEC);
	r = file < 0 ? -errno : file;
	netns_return(back);
	return r;
}

int netns_sysctl(int fd, const char *name, const char *value)
{
	_cleanup_close_ int file = open_sysctl(fd, name, O_WRONLY);

	if (!*value)
		value = "\n"; /* an empty write is none */
	return file < 0 ? file : file_write_fd(file, value, strlen(value));
}

int netns_sysctl_writable(int fd, const char *name)
{
	_cleanup_close_ int file = open_sysctl(fd, name, O_WRONLY);

	return file < 0 ? file : 0;
}

int netns_sysctl_read(int fd, const char *name, char *buf, size_t size)
{
	_cleanup_close_ int file = open_sysctl(fd, name, O_RDONLY);
	ssize_t n = file < 0 ? file : read(file, buf, size);

	if (n < 0)
		return file < 0 ? file : -errno;
	if ((size_t)n == size)
		return -E2BIG;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}
