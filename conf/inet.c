// SPDX-License-Identifier: Apache-2.0
#include "conf/inet.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>

struct inet_addr inet_from_bytes(const void *bytes, size_t len)
{
	struct inet_addr addr = { .family = len == 4 ? AF_INET : AF_INET6 };
	const unsigned char *p = bytes;

	for (size_t i = 0; i < len; i++)
		addr.num = addr.num << 8 | p[i];
	return addr;
}

size_t inet_to_bytes(struct inet_addr addr, unsigned char buf[16])
{
	size_t len = inet_bits(addr.family) / 8;

	for (size_t i = 0; i < len; i++)
		buf[len - 1 - i] = (unsigned char)(addr.num >> 8 * i);
	return len;
}

int inet_parse(const char *text, struct inet_addr *ret_addr)
{
	unsigned char bytes[16];

	if (inet_pton(AF_INET, text, bytes) == 1)
		*ret_addr = inet_from_bytes(bytes, 4);
	else if (inet_pton(AF_INET6, text, bytes) == 1)
		*ret_addr = inet_from_bytes(bytes, 16);
	else
		return -EINVAL;
	return 0;
}

int inet_parse_prefix(const char *text, struct inet_prefix *ret_prefix)
{
	const char *slash = strchr(text, '/');
	struct inet_prefix prefix;
	char addr[INET_TEXT_SIZE];
	size_t digits;

	if (!slash || (size_t)(slash - text) >= sizeof(addr))
		return -EINVAL;
	memcpy(addr, text, slash - text);
	addr[slash - text] = '\0';
	digits = strspn(slash + 1, "0123456789");
	if (inet_parse(addr, &prefix.addr) < 0 || digits < 1 || digits > 3 || slash[1 + digits] ||
	    (slash[1] == '0' && digits > 1))
		return -EINVAL;
	prefix.len = atoi(slash + 1);
	if (prefix.len > inet_bits(prefix.addr.family))
		return -EINVAL;
	*ret_prefix = prefix;
	return 0;
}

const char *inet_format(struct inet_addr addr, char buf[INET_TEXT_SIZE])
{
	unsigned char bytes[16];

	inet_to_bytes(addr, bytes);
	if (!inet_ntop(addr.family, bytes, buf, INET_TEXT_SIZE))
		snprintf(buf, INET_TEXT_SIZE, "none");
	return buf;
}

const char *inet_format_prefix(struct inet_prefix prefix, char buf[INET_PREFIX_TEXT_SIZE])
{
	char addr[INET_TEXT_SIZE];

	snprintf(buf, INET_PREFIX_TEXT_SIZE, "%s/%d", inet_format(prefix.addr, addr), prefix.len);
	return buf;
}

int inet_bits(int family)
{
	return family == AF_INET ? 32 : 128;
}

/* The bits of an address that the prefix leaves to the host. */
static inet_num host_mask(struct inet_prefix prefix)
{
	int host_bits = inet_bits(prefix.addr.family) - prefix.len;

	return host_bits == 128 ? ~(inet_num)0 : ((inet_num)1 << host_bits) - 1;
}

struct inet_addr inet_first(struct inet_prefix prefix)
{
	return (struct inet_addr){ prefix.addr.family, prefix.addr.num & ~host_mask(prefix) };
}

struct inet_addr inet_last(struct inet_prefix prefix)
{
	return (struct inet_addr){ prefix.addr.family, prefix.addr.num | host_mask(prefix) };
}

bool inet_contains(struct inet_prefix prefix, struct inet_addr addr)
{
	return addr.family == prefix.addr.family && addr.num >= inet_first(prefix).num &&
	       addr.num <= inet_last(prefix).num;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int mac_parse(const char *text, struct mac *ret_mac)
{
	struct mac mac = { .set = true };

	if (strlen(text) != MAC_TEXT_SIZE - 1)
		return -EINVAL;
	for (int i = 0; i < MAC_LEN; i++) {
		int high = hex_digit(text[3 * i]), low = hex_digit(text[3 * i + 1]);
		char separator = text[3 * i + 2];

		if (high < 0 || low < 0 || (i < MAC_LEN - 1 && separator != ':' && separator != '-'))
			return -EINVAL;
		mac.bytes[i] = (unsigned char)(high << 4 | low);
	}
	*ret_mac = mac;
	return 0;
}

const char *mac_format(const unsigned char b[MAC_LEN], char buf[MAC_TEXT_SIZE])
{
	snprintf(buf, MAC_TEXT_SIZE, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4],
		 b[5]);
	return buf;
}

bool mac_is_unicast(const unsigned char bytes[MAC_LEN])
{
	static const unsigned char zero[MAC_LEN];

	return !(bytes[0] & 1) && memcmp(bytes, zero, MAC_LEN) != 0;
}

int pci_addr_parse(const char *text, char ret_addr[PCI_TEXT_SIZE])
{
	static const char form[] = "xxxx:xx:xx.f";

	if (strlen(text) != sizeof(form) - 1)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(form); i++) {
		bool ok = form[i] == 'x'   ? hex_digit(text[i]) >= 0
			  : form[i] == 'f' ? text[i] >= '0' && text[i] <= '7'
					   : text[i] == form[i];

		if (!ok)
			return -EINVAL;
		ret_addr[i] = (char)tolower((unsigned char)text[i]);
	}
	return 0;
}

/* "MODULE.NAME.ID": a module's name has no hyphen (KBUILD_MODNAME), the other name may have. */
static bool is_auxiliary_name(const char *text)
{
	static const char digits[] = "0123456789";
	static const char name[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
	size_t module = strcspn(text, "-"), n = strspn(text, name);

	if (n == 0 || n > module || text[n] != '.')
		return false;
	text += n + 1;
	n = strspn(text, name);
	if (n == 0 || text[n] != '.')
		return false;
	text += n + 1;
	n = strspn(text, digits);
	return n > 0 && !text[n];
}

int device_id_parse(const char *text, char ret_id[DEVICE_ID_SIZE])
{
	if (pci_addr_parse(text, ret_id) == 0)
		return 0;
	if (strlen(text) >= DEVICE_ID_SIZE || !is_auxiliary_name(text))
		return -EINVAL;
	strcpy(ret_id, text);
	return 0;
}

bool device_id_is_auxiliary(const char *id)
{
	return is_auxiliary_name(id);
}
