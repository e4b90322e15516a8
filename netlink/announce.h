/* SPDX-License-Identifier: Apache-2.0 */
/* Tell the neighbours on the link whose addresses a pod has now. */
#ifndef NETLINK_ANNOUNCE_H
#define NETLINK_ANNOUNCE_H

#include "netlink/addr.h"
#include "netlink/link.h"

/**
 * announce_wait() - wait until an interface can send
 * @netns:	its namespace
 * @sock:	socket of that
 * @ifindex:	interface, up
 * @wait_ms:	longest wait; 0: none
 *
 * An interface that has carrier costs one look. No carrier in time is no failure: a cable may be plugged
 * in later.
 */
void announce_wait(int netns, struct nlsock *sock, int ifindex, int wait_ms);

/**
 * struct announcer - where addresses are announced
 * @netns:	namespace of the interface
 * @sock:	socket of that
 * @link:	the interface, Ethernet; its MAC is what is announced. @ifindex 0: none, and nothing is done
 * @echoes:	it may get its own multicasts back
 */
struct announcer {
	int netns;
	struct nlsock *sock;
	const struct link *link;
	bool echoes;
};

/**
 * announce_send() - announce addresses
 * @announcer:	the interface that has them
 * @addrs, @n:	the addresses; 0: nothing is done
 *
 * For each IPv4 address an ARP announcement (RFC 5227, 2.3 and 3: a broadcast request with sender and
 * target address the same), for each IPv6 address an unsolicited neighbour advertisement (RFC 4861,
 * 7.2.6) to all nodes, with the target's link-layer address and Override set: whoever still has the MAC
 * of the pod that had the address before replaces it. RFC 4429 (3.3) wants Override clear while an
 * address is optimistic, so that a mistaken claim does no harm. Here the entry of that earlier pod is
 * exactly what must go, and IPAM gives an address once: Override is set, deliberately.
 *
 * The frames leave by a packet socket: no IP socket sends ARP, and this one does not wait for DAD. But an
 * advertisement that comes back makes the DAD of its address fail: the kernel tells its own probes by a
 * nonce (RFC 7527), an advertisement has none (net/ipv6/ndisc.c, ndisc_recv_na()). Adapters do not send
 * a VF's multicasts back to it; where one does all the same (the emulated 82576), the address is set anew.
 * To know that takes up to 20 ms, for interfaces with @echoes and IPv6 addresses alone.
 *
 * A failure is a line in the log, and so is a missing carrier: the neighbours learn later.
 */
void announce_send(const struct announcer *announcer, const struct addr *addrs, size_t n);

#endif
