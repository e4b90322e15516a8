// SPDX-License-Identifier: Apache-2.0
#include "ipam/want.h"

#include <errno.h>
#include <stdio.h>

static struct want *add_want(struct want *wants, size_t *n, int slot)
{
	struct want *want = &wants[(*n)++];

	*want = (struct want){ .slot = slot };
	return want;
}

/* The ranges of a set stand side by side. */
static void list_sets(const struct ipamconf *conf, struct want *wants, size_t *n)
{
	for (size_t i = 0; i < conf->n_ranges; i++) {
		const struct range *range = &conf->ranges[i];

		if (i == 0 || range->set != range[-1].set)
			add_want(wants, n, range->set)->ranges = range;
		wants[*n - 1].n_ranges++;
	}
}

static void list_statics(const struct ipamconf *conf, struct want *wants, size_t *n)
{
	for (size_t i = 0; i < conf->n_statics; i++) {
		struct want *want = add_want(wants, n, LEASE_RANGES_MAX + (int)i);

		want->exact = conf->statics[i].address;
		snprintf(want->path, sizeof(want->path), "ipam.addresses[%zu].address", i);
	}
}

/* ---- requests ---- */

static const struct range *find_range(const struct want *want, struct inet_addr addr)
{
	for (size_t i = 0; i < want->n_ranges; i++)
		if (inet_contains(want->ranges[i].subnet, addr))
			return &want->ranges[i];
	return NULL;
}

static bool is_static(const struct want *want, struct inet_addr addr)
{
	return want->n_ranges == 0 && inet_equal(want->exact.addr, addr);
}

static int refuse_outside(const struct ipamconf *conf, const struct request *request,
			  struct err *err)
{
	char text[INET_TEXT_SIZE], list[LEASE_RANGES_MAX * (INET_PREFIX_TEXT_SIZE + 2)] = "";
	size_t len = 0;

	for (size_t i = 0; i < conf->n_ranges; i++) {
		char cidr[INET_PREFIX_TEXT_SIZE];

		len += snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "",
				inet_format_prefix(conf->ranges[i].subnet, cidr));
	}
	return jx_value_error(err, request->path, "%s is in none of the network's ranges: %s",
			      inet_format(request->addr, text), *list ? list : "it has none");
}

/* Why @range does not give the address, although its subnet has it. */
static int refuse_inside(const struct range *range, const struct request *request, struct err *err)
{
	char text[INET_TEXT_SIZE], cidr[INET_PREFIX_TEXT_SIZE], ends[RANGE_TEXT_SIZE];
	inet_num num = request->addr.num;

	inet_format(request->addr, text);
	inet_format_prefix(range->subnet, cidr);
	range_format(range, ends);
	if (inet_equal(range->gateway, request->addr))
		return jx_value_error(err, request->path, "%s is the gateway of range %s", text,
				      cidr);
	if (num >= range->first && num <= range->last)
		return jx_value_error(err, request->path, "%s is excluded from range %s", text,
				      cidr);
	if (range->sliced && num >= range->whole.lo && num <= range->whole.hi)
		return jx_value_error(
			err, request->path,
			"%s is in another node's slice of range %s; this node gives %s", text, cidr,
			ends);
	return jx_value_error(err, request->path, "%s is outside of %s, which range %s gives", text,
			      ends, cidr);
}

static int check_length(const struct request *request, int len, struct err *err)
{
	char text[INET_TEXT_SIZE];

	if (request->len < 0 || request->len == len)
		return 0;
	return jx_value_error(
		err, request->path,
		"%s/%d: the address is given with prefix length %d; write that or none",
		inet_format(request->addr, text), request->len, len);
}

static int take(struct want *want, const struct request *request, const struct range *range,
		struct err *err)
{
	char a[INET_TEXT_SIZE], b[INET_TEXT_SIZE], cidr[INET_PREFIX_TEXT_SIZE];

	if (want->exact.addr.family != AF_UNSPEC)
		return jx_value_error(err, request->path,
				      "%s and %s are both of range %s, which gives one address",
				      inet_format(want->exact.addr, a),
				      inet_format(request->addr, b),
				      inet_format_prefix(range->subnet, cidr));
	want->exact = (struct inet_prefix){ request->addr, range->subnet.len };
	memcpy(want->path, request->path, sizeof(want->path));
	return check_length(request, range->subnet.len, err);
}

/* The first set that may give the address and was asked for no other. */
static struct want *find_taker(struct want *wants, size_t n, struct inet_addr addr,
			       const struct range **ret_range)
{
	struct want *asked = NULL;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < wants[i].n_ranges; j++) {
			if (!range_has(&wants[i].ranges[j], addr))
				continue;
			*ret_range = &wants[i].ranges[j];
			if (wants[i].exact.addr.family == AF_UNSPEC)
				return &wants[i];
			asked = &wants[i];
		}
	}
	return asked;
}

static int meet(const struct ipamconf *conf, const struct request *request, struct want *wants,
		size_t n, struct err *err)
{
	const struct range *range = NULL;
	struct want *taker;

	for (size_t i = 0; i < n; i++)
		if (is_static(&wants[i], request->addr))
			return check_length(request, wants[i].exact.len, err);
	taker = find_taker(wants, n, request->addr, &range);
	if (taker)
		return take(taker, request, range, err);
	for (size_t i = 0; i < n && !range; i++)
		range = find_range(&wants[i], request->addr);
	return range ? refuse_inside(range, request, err) : refuse_outside(conf, request, err);
}

int want_list(const struct ipamconf *conf, const struct requests *requests,
	      struct want ret_wants[LEASE_SLOTS_MAX], size_t *ret_n, struct err *err)
{
	size_t n = 0;
	int r = 0;

	list_sets(conf, ret_wants, &n);
	list_statics(conf, ret_wants, &n);
	for (size_t i = 0; i < requests->n && r == 0; i++)
		r = meet(conf, &requests->items[i], ret_wants, n, err);
	*ret_n = n;
	return r;
}

struct inet_addr want_gateway(const struct ipamconf *conf, const struct want *want,
			      struct inet_addr addr)
{
	const struct range *range = find_range(want, addr);

	if (want->n_ranges == 0)
		return conf->statics[want->slot - LEASE_RANGES_MAX].gateway;
	if (range)
		return range->gateway;
	/* a lease from before the configuration changed */
	return conf->gateway.family == addr.family ? conf->gateway : (struct inet_addr){ 0 };
}
