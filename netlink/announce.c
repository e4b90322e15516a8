// SPDX-License-Identifier: Apache-2.0
#include "netlink/announce.h"

#include "base/file.h"
#include "base/log.h"
#include "netlink/netns.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/io_uring.h>
#include <linux/netlink.h>
#include <net/ethernet.h>
#include <netinet/icmp6.h>
#include <netinet/if_ether.h>
#include <netinet/ip6.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

enum { ECHO_WAIT_MS = 20 };

/* ---- the frames ---- */

struct arp_frame {
	struct ether_header eth;
	struct ether_arp arp;
} __attribute__((packed));

struct na_frame {
	struct ether_header eth;
	struct ip6_hdr ip;
	struct nd_neighbor_advert na;
	struct nd_opt_hdr option;
	unsigned char option_mac[LINK_MAC_LEN];
} __attribute__((packed));

enum { HOP_LIMIT = 255, NA_LEN = sizeof(struct na_frame) - offsetof(struct na_frame, na) };

static struct ether_header ether(const unsigned char *mac, const unsigned char *to, uint16_t type)
{
	struct ether_header eth = { .ether_type = htons(type) };

	memcpy(eth.ether_shost, mac, LINK_MAC_LEN);
	memcpy(eth.ether_dhost, to, LINK_MAC_LEN);
	return eth;
}

static struct arp_frame arp_announcement(const unsigned char *mac, const struct addr *addr)
{
	static const unsigned char broadcast[LINK_MAC_LEN] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	struct arp_frame frame = {
		.eth = ether(mac, broadcast, ETHERTYPE_ARP),
		.arp.ea_hdr = {
			.ar_hrd = htons(ARPHRD_ETHER),
			.ar_pro = htons(ETHERTYPE_IP),
			.ar_hln = LINK_MAC_LEN,
			.ar_pln = sizeof(frame.arp.arp_spa),
			.ar_op = htons(ARPOP_REQUEST),
		},
	};

	memcpy(frame.arp.arp_sha, mac, LINK_MAC_LEN);
	memcpy(frame.arp.arp_spa, addr->bytes, sizeof(frame.arp.arp_spa));
	memcpy(frame.arp.arp_tpa, addr->bytes, sizeof(frame.arp.arp_tpa));
	return frame;
}

/* The checksum of RFC 4443 (2.3): over the pseudo-header, and all that follows the IPv6 header. */
static uint16_t na_checksum(const struct na_frame *frame)
{
	const unsigned char *bytes = (const unsigned char *)frame;
	uint32_t sum = NA_LEN + IPPROTO_ICMPV6;

	for (size_t i = offsetof(struct na_frame, ip.ip6_src); i < sizeof(*frame); i += 2)
		sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~(sum + (sum >> 16)));
}

static struct na_frame advertisement(const unsigned char *mac, const struct addr *addr)
{
	static const unsigned char all_nodes[] = { 0xff, 0x02, [15] = 1 };
	static const unsigned char all_nodes_mac[] = { 0x33, 0x33, 0, 0, 0, 1 };
	struct na_frame frame = {
		.eth = ether(mac, all_nodes_mac, ETHERTYPE_IPV6),
		.ip.ip6_flow = htonl(6 << 28),
		.ip.ip6_plen = htons(NA_LEN),
		.ip.ip6_nxt = IPPROTO_ICMPV6,
		.ip.ip6_hlim = HOP_LIMIT,
		.na.nd_na_type = ND_NEIGHBOR_ADVERT,
		.na.nd_na_flags_reserved = ND_NA_FLAG_OVERRIDE,
		.option = { .nd_opt_type = ND_OPT_TARGET_LINKADDR, .nd_opt_len = 1 },
	};

	memcpy(&frame.ip.ip6_src, addr->bytes, sizeof(frame.ip.ip6_src));
	memcpy(&frame.ip.ip6_dst, all_nodes, sizeof(frame.ip.ip6_dst));
	memcpy(&frame.na.nd_na_target, addr->bytes, sizeof(frame.na.nd_na_target));
	memcpy(frame.option_mac, mac, LINK_MAC_LEN);
	frame.na.nd_na_cksum = na_checksum(&frame);
	return frame;
}

/* ---- sending ---- */

/* One that listens receives what the link brings, and not what is sent here. */
static int open_packet(int netns, const struct link *link, bool listen)
{
	struct sockaddr_ll here = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_IPV6),
		.sll_ifindex = link->ifindex,
	};
	struct err ignored = { 0 };
	int back, fd, r = netns_enter(netns, &back, &ignored);

	if (r < 0)
		return r;
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	r = fd < 0 ? -errno : fd;
	netns_return(back);
	if (fd >= 0 && listen)
		bind(fd, (struct sockaddr *)&here, sizeof(here));
	return r;
}

/*
 * The last close() of a packet socket waits for an RCU grace period, 15 ms and more, whether the socket
 * received anything or not (net/packet/af_packet.c, packet_release()); so does the exit of a process that
 * leaves it open. The files of an io_uring are closed by a kernel thread, after the process that let go of
 * the ring has gone on (io_uring/io_uring.c, io_ring_ctx_wait_and_kill()). Where io_uring is not allowed,
 * ADD takes that much longer.
 */
static void close_packet(int fd)
{
	struct io_uring_params params = { 0 };
	_cleanup_close_ int ring = (int)syscall(SYS_io_uring_setup, 1, &params);

	if (ring >= 0)
		syscall(SYS_io_uring_register, ring, IORING_REGISTER_FILES, &fd, 1);
	close(fd);
}

static int send_frame(int fd, const struct link *link, const void *frame, size_t len)
{
	const struct ether_header *eth = frame;
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = eth->ether_type,
		.sll_ifindex = link->ifindex,
	};

	return sendto(fd, frame, len, 0, (struct sockaddr *)&to, sizeof(to)) < 0 ? -errno : 0;
}

static bool comes_back(int fd, const struct na_frame *sent)
{
	int64_t deadline = file_deadline(ECHO_WAIT_MS);
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct na_frame frame;

	while (file_time_left(deadline) > 0 && poll(&pfd, 1, file_time_left(deadline)) > 0)
		if (recv(fd, &frame, sizeof(frame), MSG_DONTWAIT) == sizeof(frame) &&
		    memcmp(&frame, sent, sizeof(frame)) == 0)
			return true;
	return false;
}

static int announce_ipv4(const struct link *link, int fd, const struct addr *addr)
{
	struct arp_frame frame = arp_announcement(link->mac, addr);

	return send_frame(fd, link, &frame, sizeof(frame));
}

static int announce_ipv6(const struct announcer *announcer, int fd, const struct addr *addr,
			 bool *echoes)
{
	struct na_frame frame = advertisement(announcer->link->mac, addr);
	int r = send_frame(fd, announcer->link, &frame, sizeof(frame));

	if (r < 0 || !*echoes)
		return r;
	*echoes = comes_back(fd, &frame);
	if (*echoes)
		addr_renew(announcer->sock, announcer->link->ifindex, addr);
	return 0;
}

static void announce_all(const struct announcer *announcer, int fd, const struct addr *addrs, size_t n)
{
	bool echoes = announcer->echoes;
	char text[INET6_ADDRSTRLEN];

	for (size_t i = 0; i < n; i++) {
		int r = addrs[i].family == AF_INET
				? announce_ipv4(announcer->link, fd, &addrs[i])
				: announce_ipv6(announcer, fd, &addrs[i], &echoes);

		if (r < 0)
			log_warn("cannot announce %s on %s: %s",
				 inet_ntop(addrs[i].family, addrs[i].bytes, text, sizeof(text)),
				 announcer->link->name, strerror(-r));
	}
}

void announce_send(const struct announcer *announcer, const struct addr *addrs, size_t n)
{
	const struct link *link = announcer->link;
	int fd;

	if (n == 0 || link->ifindex == 0)
		return;
	if (!link->carrier)
		log_warn("%s has no carrier: nobody hears of its addresses; where it comes late, raise carrierWait in the node profile",
			 link->name);
	fd = open_packet(announcer->netns, link, announcer->echoes);
	if (fd < 0) {
		log_warn("cannot announce the addresses of %s: %s", link->name, strerror(-fd));
		return;
	}
	announce_all(announcer, fd, addrs, n);
	close_packet(fd);
}

/* ---- waiting ---- */

void announce_wait(int netns, struct nlsock *sock, int ifindex, int wait_ms)
{
	int64_t deadline = file_deadline(wait_ms);
	_cleanup_nlsock_ struct nlsock *watch = NULL;
	struct err ignored = { 0 };
	struct link link;

	if (wait_ms == 0 || link_get(sock, ifindex, &link) < 0 || link.carrier)
		return;
	if (nlsock_open(NETLINK_ROUTE, netns, &watch, &ignored) < 0 || link_watch(watch) < 0)
		return;
	while (link_get(sock, ifindex, &link) == 0 && !link.carrier && file_time_left(deadline) > 0)
		link_wait(watch, file_time_left(deadline));
}
