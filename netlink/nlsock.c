// SPDX-License-Identifier: Apache-2.0
#include "netlink/nlsock.h"

#include "netlink/netns.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <stdio.h>
#include <sys/socket.h>

struct nlsock {
	struct nl_sock *nl;
	char words[256];
};

/* The state of one nlsock_talk(). */
struct talk {
	struct nlsock *sock;
	nlsock_reply reply;
	void *arg;
	unsigned seq;
	bool done;
	int result;
};

/*
 * Only answers to this request count. libnl's own check would refuse everything once a request could
 * not be sent: it had counted that one already.
 */
static int on_sequence(struct nl_msg *msg, void *arg)
{
	struct talk *talk = arg;

	return nlmsg_hdr(msg)->nlmsg_seq == talk->seq ? NL_OK : NL_SKIP;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct talk *talk = arg;
	int r = talk->reply ? talk->reply(nlmsg_hdr(msg), talk->arg) : 0;

	if (r < 0 && talk->result == 0)
		talk->result = r;
	return NL_OK;
}

static int on_end(struct nl_msg *msg, void *arg)
{
	struct talk *talk = arg;

	(void)msg;
	talk->done = true;
	return NL_STOP;
}

/*
 * Extended ACK: attributes behind struct nlmsgerr, and behind the request where the kernel repeats it
 * (include/uapi/linux/netlink.h, enum nlmsgerr_attrs). libnl 3.7 does not decode them.
 */
static void keep_words(struct nlsock *sock, struct nlmsgerr *e)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)((char *)e - NLMSG_HDRLEN);
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1] = { NULL };
	size_t skip = sizeof(*e);

	snprintf(sock->words, sizeof(sock->words), "%s", strerror(-e->error));
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip += e->msg.nlmsg_len - NLMSG_HDRLEN;
	if (NLMSG_HDRLEN + skip > nlh->nlmsg_len)
		return;
	nla_parse(tb, NLMSGERR_ATTR_MAX, (struct nlattr *)((char *)e + NLMSG_ALIGN(skip)),
		  (int)(nlh->nlmsg_len - NLMSG_HDRLEN - NLMSG_ALIGN(skip)), NULL);
	if (tb[NLMSGERR_ATTR_MSG])
		snprintf(sock->words, sizeof(sock->words), "%s (%s)",
			 nla_get_string(tb[NLMSGERR_ATTR_MSG]), strerror(-e->error));
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *e, void *arg)
{
	struct talk *talk = arg;

	(void)from;
	talk->result = e->error;
	talk->done = true;
	if (e->error)
		keep_words(talk->sock, e);
	return NL_STOP;
}

static int open_here(int protocol, struct nlsock *sock)
{
	int one = 1;
	int r;

	sock->nl = nl_socket_alloc();
	if (!sock->nl)
		return -ENOMEM;
	r = nl_connect(sock->nl, protocol);
	if (r < 0)
		return errno ? -errno : -EIO;
	setsockopt(nl_socket_get_fd(sock->nl), SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	return 0;
}

int nlsock_open(int protocol, int netns, struct nlsock **ret_sock, struct err *err)
{
	_cleanup_nlsock_ struct nlsock *sock = calloc(1, sizeof(*sock));
	int back = -1;
	int r;

	if (!sock)
		return err_set(err, ROCE_KERNEL_REFUSED, -ENOMEM, "out of memory");
	if (netns != NLSOCK_HERE) {
		r = netns_enter(netns, &back, err);
		if (r < 0)
			return r;
	}
	r = open_here(protocol, sock);
	if (netns != NLSOCK_HERE)
		netns_return(back);
	if (r == -EPROTONOSUPPORT)
		return r;
	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r, "cannot open a netlink socket: %s",
			       strerror(-r));
	*ret_sock = steal_ptr(sock);
	return 0;
}

void nlsock_close(struct nlsock *sock)
{
	if (!sock)
		return;
	nl_socket_free(sock->nl);
	free(sock);
}

int nlsock_talk(struct nlsock *sock, struct nl_msg *msg, nlsock_reply reply, void *arg)
{
	struct talk talk = { .sock = sock, .reply = reply, .arg = arg };
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int r = msg && cb ? nl_send_auto(sock->nl, msg) : -NLE_NOMEM;

	if (r >= 0)
		talk.seq = nlmsg_hdr(msg)->nlmsg_seq;
	nlmsg_free(msg);
	if (r >= 0) {
		nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_sequence, &talk);
		nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, &talk);
		nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_end, &talk);
		nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_end, &talk);
		nl_cb_err(cb, NL_CB_CUSTOM, on_error, &talk);
		while (!talk.done && r >= 0)
			r = nl_recvmsgs(sock->nl, cb);
	}
	if (cb)
		nl_cb_put(cb);
	if (!talk.done) {
		snprintf(sock->words, sizeof(sock->words), "netlink: %s", nl_geterror(r));
		return -EIO;
	}
	return talk.result;
}

const char *nlsock_words(const struct nlsock *sock)
{
	return sock->words;
}

int nlsock_fd(const struct nlsock *sock)
{
	return nl_socket_get_fd(sock->nl);
}

int nlsock_join(struct nlsock *sock, int group)
{
	return nl_socket_add_membership(sock->nl, group) < 0 ? -EIO : 0;
}

void nlsock_drain(struct nlsock *sock)
{
	char buf[8192];

	while (recv(nlsock_fd(sock), buf, sizeof(buf), MSG_DONTWAIT) > 0)
		;
}
