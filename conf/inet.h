/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses as values: IP, prefix, MAC, PCI, auxiliary device. Parse, print, compare, count. Pure. */
#ifndef CONF_INET_H
#define CONF_INET_H

#include "base/base.h"

#include <netinet/in.h>
#include <stdint.h>

enum {
	INET_TEXT_SIZE = INET6_ADDRSTRLEN,	   /* "fd00::1" */
	INET_PREFIX_TEXT_SIZE = INET_TEXT_SIZE + 4, /* "fd00::1/128" */
	MAC_LEN = 6,
	MAC_TEXT_SIZE = 18, /* "02:00:5e:00:53:01" */
	PCI_TEXT_SIZE = 13, /* "0000:3b:00.2" */
	DEVICE_ID_SIZE = 64, /* that, or "mlx5_core.sf.4" */
};

/* All address arithmetic is in 128 bits: an IPv6 pool must not alias at 2^64. */
typedef unsigned __int128 inet_num;

/**
 * struct inet_addr - one IP address
 * @family:	AF_INET or AF_INET6; AF_UNSPEC (0) for "none"
 * @num:	the address as a number, in host order
 */
struct inet_addr {
	int family;
	inet_num num;
};

/* An address with the length of its prefix: "192.0.2.5/24". */
struct inet_prefix {
	struct inet_addr addr;
	int len;
};

/* inet_parse() - strict text (no leading zeros) to address. Return: 0 or -EINVAL. */
int inet_parse(const char *text, struct inet_addr *ret_addr);

/* inet_parse_prefix() - "ADDRESS/LENGTH"; host bits are kept. Return: 0 or -EINVAL. */
int inet_parse_prefix(const char *text, struct inet_prefix *ret_prefix);

/* inet_from_bytes() - from network order; @len is 4 or 16. */
struct inet_addr inet_from_bytes(const void *bytes, size_t len);

/* inet_to_bytes() - to network order in @buf of 16 bytes. Return: number of bytes, 4 or 16. */
size_t inet_to_bytes(struct inet_addr addr, unsigned char buf[16]);

/* inet_format() - canonical text (RFC 5952) into @buf. Return: @buf. */
const char *inet_format(struct inet_addr addr, char buf[INET_TEXT_SIZE]);

/* inet_format_prefix() - "ADDRESS/LENGTH" into @buf. Return: @buf. */
const char *inet_format_prefix(struct inet_prefix prefix, char buf[INET_PREFIX_TEXT_SIZE]);

/* inet_bits() - 32 or 128. */
int inet_bits(int family);

/* inet_first(), inet_last() - the lowest and the highest address of a prefix. */
struct inet_addr inet_first(struct inet_prefix prefix);
struct inet_addr inet_last(struct inet_prefix prefix);

/* inet_contains() - true if @addr lies in @prefix (and is of its family). */
bool inet_contains(struct inet_prefix prefix, struct inet_addr addr);

static inline bool inet_equal(struct inet_addr a, struct inet_addr b)
{
	return a.family == b.family && a.num == b.num;
}

/* A hardware address; @set is false for "none". */
struct mac {
	bool set;
	unsigned char bytes[MAC_LEN];
};

/* mac_parse() - "02:00:5e:00:53:01", also with '-'. Return: 0 or -EINVAL. */
int mac_parse(const char *text, struct mac *ret_mac);

/* mac_format() - lower-case text with colons into @buf. Return: @buf. */
const char *mac_format(const unsigned char bytes[MAC_LEN], char buf[MAC_TEXT_SIZE]);

/* mac_is_unicast() - false for multicast, broadcast and all zero: no interface may have those. */
bool mac_is_unicast(const unsigned char bytes[MAC_LEN]);

/* pci_addr_parse() - "dddd:bb:dd.f" in any case to lower case. Return: 0 or -EINVAL. */
int pci_addr_parse(const char *text, char ret_addr[PCI_TEXT_SIZE]);

/**
 * device_id_parse() - a PCI address, or the name of an auxiliary device
 * @text:	"0000:3b:00.2", "mlx5_core.sf.4"
 * @ret_id:	the same; an address in lower case
 *
 * The kernel makes the name of module, device and number (drivers/base/auxiliary.c, __auxiliary_device_add()).
 * Neither form can be a path.
 *
 * Return: 0 or -EINVAL.
 */
int device_id_parse(const char *text, char ret_id[DEVICE_ID_SIZE]);

/* device_id_is_auxiliary() - whether what device_id_parse() accepted is an auxiliary device. */
bool device_id_is_auxiliary(const char *id);

#endif
