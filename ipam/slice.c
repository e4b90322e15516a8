// SPDX-License-Identifier: Apache-2.0
#include "ipam/slice.h"

#include <errno.h>
#include <stdio.h>

#define PATH "ipam.nodeSlice"

/* 26, "26" or "/26", as Whereabouts writes it. */
static int read_length(const json_t *value, const char *path, int max, struct opt_int *ret,
		       struct err *err)
{
	const char *text = json_string_value(value);
	_cleanup_json_ json_t *number = NULL;
	size_t len;

	if (!text)
		return jx_int_in(value, path, 1, max, "a prefix length", ret, err);
	text += *text == '/';
	len = strspn(text, "0123456789");
	if (len == 0 || len > 3 || text[len])
		return jx_value_error(err, path,
				      "\"%.32s\" is not a prefix length such as 26 or \"/26\"",
				      json_string_value(value));
	number = json_integer(atoi(text));
	return jx_int_in(number, path, 1, max, "a prefix length", ret, err);
}

static int read_size(const json_t *value, const char *path, void *field, struct err *err)
{
	return read_length(value, path, 32, field, err);
}

static int read_size6(const json_t *value, const char *path, void *field, struct err *err)
{
	return read_length(value, path, 128, field, err);
}

static int read_index(const json_t *value, const char *path, void *field, struct err *err)
{
	return jx_int_in(value, path, 0, 65535, "the number of a slice", field, err);
}

int slice_read(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "size", read_size, offsetof(struct slice, size) },
		{ "size6", read_size6, offsetof(struct slice, size6) },
		{ "index", read_index, offsetof(struct slice, index) },
	};
	struct slice *slice = field;
	int r = jx_object(value, path, keys, ARRAY_SIZE(keys), JX_REFUSE, slice, err);

	if (r == 0 && !slice_is_set(slice))
		return jx_value_error(
			err, path,
			"needs \"size\" for IPv4 or \"size6\" for IPv6, such as {\"size\": 26}");
	return r;
}

static struct opt_int size_for(const struct slice *slice, int family)
{
	return family == AF_INET ? slice->size : slice->size6;
}

static const char *size_key(int family)
{
	return family == AF_INET ? PATH ".size" : PATH ".size6";
}

int slice_check(const struct slice *slice, struct inet_prefix subnet, struct err *err)
{
	struct opt_int size = size_for(slice, subnet.addr.family);
	char cidr[INET_PREFIX_TEXT_SIZE];

	if (!slice_is_set(slice))
		return 0;
	inet_format_prefix(subnet, cidr);
	if (!size.set)
		return jx_value_error(
			err, size_key(subnet.addr.family),
			"is missing; without it every node gives the same addresses of %s", cidr);
	if (size.value < subnet.len)
		return jx_value_error(err, size_key(subnet.addr.family),
				      "/%d is larger than the range %s", size.value, cidr);
	return 0;
}

int slice_settle(struct slice *slice, struct opt_int node_index, struct err *err)
{
	if (!slice_is_set(slice))
		return 0;
	if (!slice->index.set && !node_index.set)
		return jx_value_error(err, PATH ".index",
				      "is missing, and so is \"nodeIndex\" in the node profile: "
				      "which slice is this node's?");
	if (slice->index.set && node_index.set && slice->index.value != node_index.value)
		return jx_value_error(
			err, PATH ".index",
			"is %d, but the node profile says \"nodeIndex\": %d; leave it out",
			slice->index.value, node_index.value);
	if (!slice->index.set)
		slice->index = node_index;
	return 0;
}

static int refuse_index(const struct range *range, int index, int size, inet_num count,
			struct err *err)
{
	char cidr[INET_PREFIX_TEXT_SIZE], number[RANGE_NUM_TEXT_SIZE], last[RANGE_NUM_TEXT_SIZE];

	return jx_value_error(
		err, PATH ".index", "there is no slice %d: range %s has %s of /%d, 0 to %s", index,
		inet_format_prefix(range->subnet, cidr), range_num_format(count, number), size,
		range_num_format(count - 1, last));
}

static int refuse_empty(const struct range *range, int index, struct range_span part,
			struct err *err)
{
	int family = range->subnet.addr.family;
	char cidr[INET_PREFIX_TEXT_SIZE], text[RANGE_TEXT_SIZE], ends[RANGE_TEXT_SIZE];
	bool outside = part.lo > range->last || part.hi < range->first;

	return jx_value_error(err, PATH ".index", "slice %d of range %s is %s: %s %s", index,
			      inet_format_prefix(range->subnet, cidr),
			      range_span_format(family, part, text),
			      outside ? "outside of what the range gives out,"
				      : "all of it is excluded, or the gateway, from",
			      range_format(range, ends));
}

static inet_num larger(inet_num a, inet_num b)
{
	return a > b ? a : b;
}

static inet_num smaller(inet_num a, inet_num b)
{
	return a < b ? a : b;
}

/* Give out of a part only. Return: true if there is something left; if not, nothing changed. */
static bool narrow(struct range *range, struct range_span part)
{
	size_t n = 0;
	inet_num total = 0;

	for (size_t i = 0; i < range->n_spans; i++)
		n += range->spans[i].hi >= part.lo && range->spans[i].lo <= part.hi;
	if (n == 0)
		return false;
	n = 0;
	for (size_t i = 0; i < range->n_spans; i++) {
		struct range_span span = { larger(range->spans[i].lo, part.lo),
					   smaller(range->spans[i].hi, part.hi) };

		if (span.lo > span.hi)
			continue;
		range->spans[n++] = span;
		total += span.hi - span.lo + 1;
	}
	range->n_spans = n;
	range->total = total;
	range->first = larger(range->first, part.lo);
	range->last = smaller(range->last, part.hi);
	range->sliced = true;
	return true;
}

int slice_cut(const struct slice *slice, struct range *range, struct err *err)
{
	int family = range->subnet.addr.family, size = size_for(slice, family).value;
	inet_num count, block, lo;
	struct range_span part;

	if (!slice_is_set(slice))
		return 0;
	if (size - range->subnet.len < 127) { /* the shifts below stay within 128 bits */
		count = (inet_num)1 << (size - range->subnet.len);
		if ((inet_num)slice->index.value >= count)
			return refuse_index(range, slice->index.value, size, count, err);
	}
	block = (inet_num)1 << (inet_bits(family) - size);
	lo = range->subnet.addr.num + block * (inet_num)slice->index.value;
	part = (struct range_span){ lo, lo + block - 1 };
	return narrow(range, part) ? 0 : refuse_empty(range, slice->index.value, part, err);
}
