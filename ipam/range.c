// SPDX-License-Identifier: Apache-2.0
#include "ipam/range.h"

#include "conf/jx.h"

#include <errno.h>
#include <stdio.h>

/* The addresses of a subnet that hosts may have. */
static struct range_span usable(struct inet_prefix subnet)
{
	struct range_span span = { inet_first(subnet).num, inet_last(subnet).num };

	if (inet_bits(subnet.addr.family) - subnet.len > 1) {
		span.lo++;
		span.hi--;
	}
	return span;
}

enum { WORD_RANGE, WORD_START, WORD_END, WORD_MAX };

static const char *const words[][WORD_MAX] = {
	[RANGE_WHEREABOUTS] = { "range", "range_start", "range_end" },
	[RANGE_HOST_LOCAL] = { "subnet", "rangeStart", "rangeEnd" },
};

static int refuse(const struct range_spec *spec, const char *key, const char *why, const char *text,
		  struct err *err)
{
	char path[128];

	snprintf(path, sizeof(path), "%s.%s", spec->path, key);
	return jx_value_error(err, path, "\"%.96s\" %s", text, why);
}

const char *range_span_format(int family, struct range_span span, char buf[RANGE_TEXT_SIZE])
{
	char lo[INET_TEXT_SIZE], hi[INET_TEXT_SIZE];

	snprintf(buf, RANGE_TEXT_SIZE, "%s .. %s",
		 inet_format((struct inet_addr){ family, span.lo }, lo),
		 inet_format((struct inet_addr){ family, span.hi }, hi));
	return buf;
}

const char *range_format(const struct range *range, char buf[RANGE_TEXT_SIZE])
{
	return range_span_format(range->subnet.addr.family,
				 (struct range_span){ range->first, range->last }, buf);
}

/* A bound must be one of the subnet's usable addresses; Whereabouts drops any other in silence. */
static int read_bound(const struct range_spec *spec, const char *key, const char *text,
		      struct inet_prefix subnet, inet_num *ret, struct err *err)
{
	char window[RANGE_TEXT_SIZE], cidr[INET_PREFIX_TEXT_SIZE], why[256];
	struct range_span span = usable(subnet);
	struct inet_addr addr;

	if (inet_parse(text, &addr) < 0)
		return refuse(spec, key, "is not an IP address", text, err);
	if (addr.family == subnet.addr.family && addr.num >= span.lo && addr.num <= span.hi) {
		*ret = addr.num;
		return 0;
	}
	snprintf(why, sizeof(why), "is not one of the usable addresses of %s: %s",
		 inet_format_prefix(subnet, cidr),
		 range_span_format(subnet.addr.family, span, window));
	return refuse(spec, key, why, text, err);
}

/* What the key "range" says: a subnet, and with "FIRST-LAST/LENGTH" both ends. */
struct written {
	struct inet_prefix subnet;
	bool has_ends;
	char first[INET_TEXT_SIZE], last[INET_TEXT_SIZE];
};

static int check_host_bits(const struct range_spec *spec, struct inet_prefix prefix,
			   struct err *err)
{
	struct inet_prefix subnet = { inet_first(prefix), prefix.len };
	char cidr[INET_PREFIX_TEXT_SIZE], why[128];

	if (spec->dialect != RANGE_HOST_LOCAL || inet_equal(subnet.addr, prefix.addr))
		return 0;
	snprintf(why, sizeof(why), "has host bits set; the subnet is %s",
		 inet_format_prefix(subnet, cidr));
	return refuse(spec, "subnet", why, spec->range, err);
}

static int read_written(const struct range_spec *spec, struct written *ret, struct err *err)
{
	const char *text = spec->range;
	const char *dash = spec->dialect == RANGE_HOST_LOCAL ? NULL : strchr(text, '-');
	size_t len = dash ? (size_t)(dash - text) : 0;
	struct inet_prefix prefix;

	if (len >= INET_TEXT_SIZE || inet_parse_prefix(dash ? dash + 1 : text, &prefix) < 0)
		return refuse(spec, words[spec->dialect][WORD_RANGE],
			      spec->dialect == RANGE_HOST_LOCAL
				      ? "is not ADDRESS/LENGTH, such as \"10.56.0.0/24\""
				      : "is neither ADDRESS/LENGTH nor FIRST-LAST/LENGTH, such as "
					"\"10.56.0.0/24\" or \"10.56.0.10-10.56.0.99/24\"",
			      text, err);
	ret->has_ends = dash;
	memcpy(ret->first, text, len);
	ret->first[len] = '\0';
	inet_format(prefix.addr, ret->last);
	ret->subnet = (struct inet_prefix){ inet_first(prefix), prefix.len };
	return check_host_bits(spec, prefix, err);
}

/* One end of the range: from "range" itself or from its own key, but not two different ones. */
static int settle_bound(const struct range_spec *spec, int word, const char *own,
			const char *in_range, struct inet_prefix subnet, inet_num *bound,
			struct err *err)
{
	const char *key = words[spec->dialect][word];
	inet_num first;
	int r = 0;

	if (in_range)
		r = read_bound(spec, "range", in_range, subnet, bound, err);
	if (r < 0 || !own || !*own) /* templates leave "" where nothing is wanted */
		return r;
	first = *bound;
	r = read_bound(spec, key, own, subnet, bound, err);
	if (r == 0 && in_range && *bound != first)
		return refuse(spec, key,
			      "contradicts \"range\", which names both ends already; keep one", own,
			      err);
	return r;
}

static int missing(const struct range_spec *spec, struct err *err)
{
	char path[128];

	snprintf(path, sizeof(path), "%s.%s", spec->path, words[spec->dialect][WORD_RANGE]);
	return jx_value_error(err, path, "is missing; write for example \"10.56.0.0/24\"");
}

static int settle_bounds(const struct range_spec *spec, struct range *range, struct err *err)
{
	char text[RANGE_TEXT_SIZE];
	struct range_span span;
	struct written in;
	int r = spec->range ? read_written(spec, &in, err) : missing(spec, err);

	if (r < 0)
		return r;
	span = usable(in.subnet);
	*range = (struct range){ .subnet = in.subnet, .first = span.lo, .last = span.hi };
	r = settle_bound(spec, WORD_START, spec->start, in.has_ends ? in.first : NULL, in.subnet,
			 &range->first, err);
	if (r == 0)
		r = settle_bound(spec, WORD_END, spec->end, in.has_ends ? in.last : NULL, in.subnet,
				 &range->last, err);
	if (r < 0 || range->first <= range->last)
		return r;
	return refuse(spec,
		      words[spec->dialect][spec->end	 ? WORD_END
					   : spec->start ? WORD_START
							 : WORD_RANGE],
		      "is inverted: the first address lies behind the last",
		      range_format(range, text), err);
}

static int read_exclude(const struct range_spec *spec, size_t i, struct inet_prefix subnet,
			struct range_span *ret_cut, struct err *err)
{
	char key[40], cidr[INET_PREFIX_TEXT_SIZE], why[128];
	const char *text = spec->exclude[i];
	struct inet_prefix prefix;

	snprintf(key, sizeof(key), "exclude[%zu]", i);
	if (inet_parse(text, &prefix.addr) == 0)
		prefix.len = inet_bits(prefix.addr.family);
	else if (inet_parse_prefix(text, &prefix) < 0)
		return refuse(spec, key, "is neither ADDRESS/LENGTH nor an IP address", text, err);
	*ret_cut = (struct range_span){ inet_first(prefix).num, inet_last(prefix).num };
	if (prefix.addr.family == subnet.addr.family && ret_cut->lo <= inet_last(subnet).num &&
	    ret_cut->hi >= inet_first(subnet).num)
		return 0;
	snprintf(why, sizeof(why), "does not touch the range %s", inet_format_prefix(subnet, cidr));
	return refuse(spec, key, why, text, err);
}

static int compare_spans(const void *a, const void *b)
{
	const struct range_span *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void add_span(struct range *range, inet_num lo, inet_num hi)
{
	range->spans[range->n_spans++] = (struct range_span){ lo, hi };
	range->total += hi - lo + 1;
}

/* What the cuts, sorted, leave of first to last. Careful at the top: hi + 1 may not exist. */
static void cut_out(struct range *range, const struct range_span *cuts, size_t n)
{
	inet_num next = range->first;

	for (size_t i = 0; i < n; i++) {
		if (cuts[i].hi < next)
			continue;
		if (cuts[i].lo > range->last)
			break;
		if (cuts[i].lo > next)
			add_span(range, next, cuts[i].lo - 1);
		if (cuts[i].hi >= range->last)
			return;
		next = cuts[i].hi + 1;
	}
	add_span(range, next, range->last);
}

static void cut_address(const struct range *range, struct inet_addr addr, struct range_span *cuts,
			size_t *n)
{
	if (addr.family == range->subnet.addr.family)
		cuts[(*n)++] = (struct range_span){ addr.num, addr.num };
}

static int settle_spans(const struct range_spec *spec, struct range *range, struct err *err)
{
	_cleanup_free_ struct range_span *cuts =
		calloc(spec->n_exclude + spec->n_reserved + 1, sizeof(*cuts));
	char text[RANGE_TEXT_SIZE];
	size_t n = spec->n_exclude;

	range->spans = calloc(spec->n_exclude + spec->n_reserved + 2, sizeof(*range->spans));
	if (!cuts || !range->spans)
		return err_set(err, CNI_IO_FAILURE, -ENOMEM, "out of memory");

	for (size_t i = 0; i < n; i++) {
		int r = read_exclude(spec, i, range->subnet, &cuts[i], err);

		if (r < 0)
			return r;
	}
	cut_address(range, range->gateway, cuts, &n);
	for (size_t i = 0; i < spec->n_reserved; i++)
		cut_address(range, spec->reserved[i], cuts, &n);
	qsort(cuts, n, sizeof(*cuts), compare_spans);
	cut_out(range, cuts, n);
	if (range->n_spans == 0)
		return refuse(spec, words[spec->dialect][WORD_RANGE],
			      "has no address to give out: all are excluded, or the gateway",
			      range_format(range, text), err);
	return 0;
}

/* host-local's default is the first address, where there is more than that one to give. */
static int settle_gateway(const struct range_spec *spec, struct inet_addr gateway,
			  struct range *range, struct err *err)
{
	int family = range->subnet.addr.family;
	char text[INET_TEXT_SIZE], cidr[INET_PREFIX_TEXT_SIZE], why[128];

	if (spec->gateway.family != AF_UNSPEC && spec->gateway.family != family) {
		snprintf(why, sizeof(why), "and %s are of different IP versions",
			 inet_format_prefix(range->subnet, cidr));
		return refuse(spec, "gateway", why, inet_format(spec->gateway, text), err);
	}
	if (spec->gateway.family == family)
		range->gateway = spec->gateway;
	else if (gateway.family == family)
		range->gateway = gateway;
	else if (spec->dialect == RANGE_HOST_LOCAL && inet_bits(family) - range->subnet.len > 1)
		range->gateway = range_addr(range, range->subnet.addr.num + 1);
	return 0;
}

int range_settle(const struct range_spec *spec, struct inet_addr gateway, struct range *ret_range,
		 struct err *err)
{
	struct range range = { 0 };
	int r = settle_bounds(spec, &range, err);

	range.set = spec->set;
	range.whole = (struct range_span){ range.first, range.last };
	if (r == 0)
		r = settle_gateway(spec, gateway, &range, err);
	if (r == 0)
		r = settle_spans(spec, &range, err);
	if (r < 0)
		range_free(&range);
	else
		*ret_range = range;
	return r;
}

void range_free(struct range *range)
{
	free(range->spans);
	range->spans = NULL;
	range->n_spans = 0;
}

bool range_has(const struct range *range, struct inet_addr addr)
{
	if (addr.family != range->subnet.addr.family)
		return false;
	for (size_t i = 0; i < range->n_spans; i++)
		if (addr.num >= range->spans[i].lo && addr.num <= range->spans[i].hi)
			return true;
	return false;
}

const char *range_num_format(inet_num num, char buf[RANGE_NUM_TEXT_SIZE])
{
	char *p = buf + RANGE_NUM_TEXT_SIZE - 1;

	*p = '\0';
	do {
		*--p = (char)('0' + (int)(num % 10));
		num /= 10;
	} while (num > 0);
	return p;
}
