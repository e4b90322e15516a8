/* SPDX-License-Identifier: Apache-2.0 */
/* Network namespaces: open, compare, enter for a moment, find again. */
#ifndef NETLINK_NETNS_H
#define NETLINK_NETNS_H

#include "base/err.h"

#include <stdint.h>

enum { SYSCTL_VALUE_SIZE = 256 };

/* A namespace by its inode on nsfs: a path may be mounted over, the inode is the namespace. */
struct netns_id {
	uint64_t dev, ino;
};

/**
 * netns_open() - open the network namespace a path stands for
 * @path:	for example /run/netns/x or /proc/PID/ns/net
 * @ret_id:	its identity
 * @err:	ROCE_NETNS_INVALID: missing, or something that is no network namespace
 *
 * Return: a descriptor the caller closes, or a negative errno (-ENOENT: gone).
 */
int netns_open(const char *path, struct netns_id *ret_id, struct err *err);

/**
 * netns_at() - is a namespace still at its path
 * @path:	path
 * @id:		the namespace
 *
 * One system call, and no permission to open it is needed.
 *
 * Return: 0, -ENOENT (nothing is there, or something else), or another negative errno (-EACCES).
 */
int netns_at(const char *path, struct netns_id id);

/* netns_here() - the caller's own namespace. Return: as netns_open(). */
int netns_here(struct netns_id *ret_id, struct err *err);

static inline bool netns_same(struct netns_id a, struct netns_id b)
{
	return a.dev == b.dev && a.ino == b.ino;
}

/**
 * netns_search() - find a namespace through the processes that live in it
 * @id:		the namespace
 *
 * For a namespace whose path is gone although a process keeps it alive.
 *
 * Return: a descriptor the caller closes, or -ENOENT.
 */
int netns_search(struct netns_id id);

/**
 * netns_new() - a new, empty network namespace that is gone when its descriptor is closed
 * @ret_id:	its identity
 *
 * Return: a descriptor the caller closes, or a negative errno (-EPERM: not root).
 */
int netns_new(struct netns_id *ret_id);

/**
 * netns_enter() - make a namespace the calling process's own
 * @fd:		the namespace
 * @ret_back:	descriptor for netns_return(), which closes it
 * @err:	ROCE_NETNS_INVALID
 *
 * Return: 0 or a negative errno.
 */
int netns_enter(int fd, int *ret_back, struct err *err);

/* netns_return() - go back; a process that cannot go back ends itself. */
void netns_return(int back);

/**
 * netns_sysctl() - write one sysctl below /proc/sys in a namespace
 * @fd:		the namespace
 * @name:	for example "net/ipv6/conf/net1/disable_ipv6"
 * @value:	text
 *
 * Return: 0 or a negative errno (-ENOENT: the kernel has no such sysctl).
 */
int netns_sysctl(int fd, const char *name, const char *value);

/*
 * netns_sysctl_writable() - whether a namespace may change a sysctl: some show what holds for the whole
 * kernel. Return: 0 or a negative errno (-EACCES: it may not).
 */
int netns_sysctl_writable(int fd, const char *name);

/**
 * netns_sysctl_read() - read one sysctl below /proc/sys in a namespace
 * @fd:		the namespace
 * @name:	as netns_sysctl()
 * @buf, @size:	receives its text, without the newline at the end
 *
 * Return: 0 or a negative errno; -E2BIG: it is longer than @size.
 */
int netns_sysctl_read(int fd, const char *name, char *buf, size_t size);

#endif
