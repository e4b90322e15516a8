/* SPDX-License-Identifier: Apache-2.0 */
/* A netlink socket, in this or another network namespace, with the kernel's own words on errors. */
#ifndef NETLINK_NLSOCK_H
#define NETLINK_NLSOCK_H

#include "base/err.h"

struct nl_msg;
struct nlmsghdr;
struct nlsock;

enum { NLSOCK_HERE = -1 };

/**
 * nlsock_open() - open a netlink socket
 * @protocol:	NETLINK_ROUTE, NETLINK_RDMA
 * @netns:	descriptor of the namespace the socket is to work in; NLSOCK_HERE: the caller's
 * @ret_sock:	the socket; the caller calls nlsock_close()
 * @err:	ROCE_KERNEL_REFUSED; not set for -EPROTONOSUPPORT (the kernel lacks @protocol)
 *
 * A socket stays in the namespace it was made in, so this enters @netns only for a moment.
 *
 * Return: 0 or a negative errno.
 */
int nlsock_open(int protocol, int netns, struct nlsock **ret_sock, struct err *err);

/* nlsock_close() - close a socket; NULL is fine. */
void nlsock_close(struct nlsock *sock);

static inline void nlsock_closep(struct nlsock **sock)
{
	nlsock_close(*sock);
}
#define _cleanup_nlsock_ _cleanup_(nlsock_closep)

/* One reply message, inside netlink/ only. Return: 0, or a negative errno to stop. */
typedef int (*nlsock_reply)(struct nlmsghdr *reply, void *arg);

/**
 * nlsock_talk() - send one request and read its replies to the end
 * @sock:	socket
 * @msg:	the request, freed in any case
 * @reply:	called for every reply message, or NULL
 * @arg:	for @reply
 *
 * Return: 0 or the kernel's negative errno; nlsock_words() then has its words.
 */
int nlsock_talk(struct nlsock *sock, struct nl_msg *msg, nlsock_reply reply, void *arg);

/* nlsock_words() - what the kernel said to the last failed request: extended ACK, else strerror. */
const char *nlsock_words(const struct nlsock *sock);

/* nlsock_fd() - descriptor to poll(). */
int nlsock_fd(const struct nlsock *sock);

/* nlsock_join() - join a multicast group. Return: 0 or a negative errno. */
int nlsock_join(struct nlsock *sock, int group);

/* nlsock_drain() - throw away what multicast brought so far, without blocking. */
void nlsock_drain(struct nlsock *sock);

#endif
