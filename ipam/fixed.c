// SPDX-License-Identifier: Apache-2.0
#include "ipam/fixed.h"

#include "conf/result.h"

#include <errno.h>
#include <stdio.h>

int fixed_read(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "address", result_read_prefix, offsetof(struct fixed, address) },
		{ "gateway", result_read_addr, offsetof(struct fixed, gateway) },
	};

	return jx_object_of(value, path, keys, ARRAY_SIZE(keys), 1, field, err);
}

/* RFC 3021, RFC 6164: both addresses of a /31 or /127 are hosts. */
static const char *special(struct inet_prefix address)
{
	if (inet_bits(address.addr.family) - address.len <= 1)
		return NULL;
	if (inet_equal(address.addr, inet_first(address)))
		return "the network address of its subnet";
	return inet_equal(address.addr, inet_last(address)) ? "the last address of its subnet"
							    : NULL;
}

static bool is_twice(const struct fixed *list, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (inet_equal(list[j].address.addr, list[i].address.addr))
			return true;
	return false;
}

static int check_one(const struct fixed *list, size_t i, struct inet_addr gateway, struct err *err)
{
	const struct fixed *fixed = &list[i];
	struct inet_addr addr = fixed->address.addr;
	const char *what = special(fixed->address);
	char path[64], text[INET_PREFIX_TEXT_SIZE];

	if (is_twice(list, i))
		what = "there twice";
	if (inet_equal(fixed->gateway, addr) || inet_equal(gateway, addr))
		what = "the gateway";
	inet_format_prefix(fixed->address, text);
	snprintf(path, sizeof(path), "ipam.addresses[%zu].address", i);
	if (what)
		return jx_value_error(err, path, "\"%s\" is %s", text, what);
	snprintf(path, sizeof(path), "ipam.addresses[%zu].gateway", i);
	if (fixed->gateway.family != AF_UNSPEC && fixed->gateway.family != addr.family)
		return jx_value_error(err, path, "and %s are of different IP versions", text);
	return 0;
}

int fixed_check(const struct fixed *list, size_t n, struct inet_addr gateway, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = check_one(list, i, gateway, err);
	return r;
}
