// SPDX-License-Identifier: Apache-2.0
#include "ipam/lease.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static const char first_line[] = "roce-ipam 1\n";
static const char crc_key[] = "crc32 ";
enum { CRC_LINE_LEN = sizeof(crc_key) - 1 + 8 + 1 };

/* CRC-32 of IEEE 802.3, bit by bit: a record is a few hundred bytes. */
static uint32_t crc32(const char *text, size_t len)
{
	uint32_t crc = ~0u;

	for (size_t i = 0; i < len; i++) {
		crc ^= (unsigned char)text[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

void lease_copy_text(char *buf, size_t size, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	if (len >= size)
		len = 0;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		buf[i] = c < ' ' || c == 0x7f ? '?' : text[i];
	}
	buf[len] = '\0';
}

size_t lease_format(const struct lease *lease, char buf[LEASE_TEXT_MAX])
{
	char address[INET_PREFIX_TEXT_SIZE];
	size_t len;

	len = snprintf(buf, LEASE_TEXT_MAX,
		       "%snetwork %s\ndomain %s\naddress %s\nrange %d\nid %s\nifname %s\npod "
		       "%s\nnetns %s\n"
		       "node %s\nboot %s\ntime %" PRId64 "\n",
		       first_line, lease->network, lease->domain,
		       inet_format_prefix(lease->address, address), lease->range, lease->id,
		       lease->ifname, lease->pod, lease->netns, lease->node, lease->boot,
		       lease->time);
	len += snprintf(buf + len, LEASE_TEXT_MAX - len, "%s%08x\n", crc_key, crc32(buf, len));
	return len;
}

/* ---- reading: one table of keys ---- */

typedef bool (*field_reader)(const char *value, void *field, size_t size);

static bool read_text(const char *value, void *field, size_t size)
{
	size_t len = strlen(value);

	if (len >= size)
		return false;
	memcpy(field, value, len + 1); /* as it was: names are compared byte by byte */
	return true;
}

static bool read_address(const char *value, void *field, size_t size)
{
	(void)size;
	return inet_parse_prefix(value, field) == 0;
}

static bool read_range(const char *value, void *field, size_t size)
{
	size_t len = strspn(value, "0123456789");

	(void)size;
	*(int *)field = len < 3 ? atoi(value) : LEASE_SLOTS_MAX;
	return len > 0 && value[len] == '\0' && *(int *)field < LEASE_SLOTS_MAX;
}

static bool read_time(const char *value, void *field, size_t size)
{
	char *end;

	(void)size;
	errno = 0;
	*(int64_t *)field = strtoll(value, &end, 10);
	return end != value && *end == '\0' && errno == 0;
}

struct field {
	const char *key;
	field_reader read;
	size_t offset, size;
};

#define TEXT_FIELD(key, member)                                                                    \
	{                                                                                          \
		key, read_text, offsetof(struct lease, member),                                    \
			sizeof(((struct lease *)0)->member)                                        \
	}

enum { DOMAIN_FIELD = 0 };

static const struct field fields[] = {
	[DOMAIN_FIELD] = TEXT_FIELD("domain", domain),
	TEXT_FIELD("network", network),
	{ "address", read_address, offsetof(struct lease, address), 0 },
	{ "range", read_range, offsetof(struct lease, range), 0 },
	TEXT_FIELD("id", id),
	TEXT_FIELD("ifname", ifname),
	TEXT_FIELD("pod", pod),
	TEXT_FIELD("netns", netns),
	TEXT_FIELD("node", node),
	TEXT_FIELD("boot", boot),
	{ "time", read_time, offsetof(struct lease, time), 0 },
};

static int broken(struct err *err, const char *fmt, ...) _printf_(2, 3);
static int broken(struct err *err, const char *fmt, ...)
{
	char why[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return err_set(err, ROCE_STATE_BROKEN, -EBADMSG, "damaged lease record: %s", why);
}

/* Read the line at @line into the member it belongs to; @seen has a bit for every key that came. */
static int read_line(const char *line, size_t len, struct lease *lease, unsigned *seen,
		     struct err *err)
{
	char text[512];
	const char *value;

	if (len >= sizeof(text))
		return broken(err, "a line of %zu bytes", len);
	memcpy(text, line, len);
	text[len] = '\0';
	value = strchr(text, ' ');
	if (!value)
		return broken(err, "line \"%.32s\" has no value", text);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct field *f = &fields[i];

		if (strlen(f->key) != (size_t)(value - text) ||
		    strncmp(text, f->key, value - text) != 0)
			continue;
		if (!f->read(value + 1, (char *)lease + f->offset, f->size))
			return broken(err, "\"%.64s\" cannot be read", text);
		*seen |= 1u << i;
	}
	return 0;
}

static int check_frame(const char *text, size_t len, struct err *err)
{
	char want[CRC_LINE_LEN + 1];
	size_t body;

	if (len == 0)
		return broken(err, "the file is empty");
	if (len < sizeof(first_line) - 1 + CRC_LINE_LEN)
		return broken(err, "only %zu bytes", len);
	if (memchr(text, '\0', len))
		return broken(err, "not a text");
	if (strncmp(text, first_line, sizeof(first_line) - 1) != 0)
		return broken(err, "it starts with \"%.*s\", this version reads \"roce-ipam 1\"",
			      (int)strcspn(text, "\n") < 32 ? (int)strcspn(text, "\n") : 32, text);
	body = len - CRC_LINE_LEN;
	snprintf(want, sizeof(want), "%s%08x\n", crc_key, crc32(text, body));
	if (strncmp(text + body, want, CRC_LINE_LEN) != 0)
		return broken(err, "the checksum does not match: cut short or edited");
	return 0;
}

int lease_parse(const char *text, size_t len, struct lease *ret_lease, struct err *err)
{
	struct lease lease = { 0 };
	const char *line, *end;
	unsigned seen = 0;
	int r = check_frame(text, len, err);

	if (r < 0)
		return r;
	line = text + sizeof(first_line) - 1;
	end = text + len - CRC_LINE_LEN;
	while (line < end) {
		size_t n = strcspn(line, "\n");

		r = read_line(line, n, &lease, &seen, err);
		if (r < 0)
			return r;
		line += n + 1;
	}
	seen |= 1u << DOMAIN_FIELD; /* older records have none */
	if (seen != (1u << ARRAY_SIZE(fields)) - 1)
		return broken(err, "a line is missing");
	*ret_lease = lease;
	return 0;
}

void lease_salvage(const char *text, size_t len, struct lease *lease)
{
	const char *end = text + strnlen(text, len), *line = text, *newline;

	for (; (newline = memchr(line, '\n', end - line)); line = newline + 1) {
		struct err ignored = { 0 };
		struct lease read = *lease;
		unsigned seen = 0;

		if (read_line(line, newline - line, &read, &seen, &ignored) == 0)
			*lease = read;
	}
}

const char *lease_key(const char *id, const char *ifname, int range, char buf[LEASE_KEY_SIZE])
{
	snprintf(buf, LEASE_KEY_SIZE, "%s:%s:%d", id, ifname, range);
	return buf;
}

bool lease_is_of(const struct lease *lease, const char *id, const char *ifname, int range)
{
	return lease->range == range && streq(lease->id, id) && streq(lease->ifname, ifname);
}
