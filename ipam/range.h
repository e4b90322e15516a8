/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges: which addresses of a subnet may be given out, as ascending spans. Pure. */
#ifndef IPAM_RANGE_H
#define IPAM_RANGE_H

#include "base/err.h"
#include "conf/inet.h"

enum {
	RANGE_EXCLUDES_MAX = 256,
	RANGE_NUM_TEXT_SIZE = 40, /* 2^128 in decimal */
	RANGE_TEXT_SIZE = 2 * INET_TEXT_SIZE + 8,
};

/* Addresses @lo to @hi, both included. */
struct range_span {
	inet_num lo, hi;
};

/* Whose words a range is written in. */
enum range_dialect {
	RANGE_WHEREABOUTS, /* range, range_start, range_end */
	RANGE_HOST_LOCAL,  /* subnet, rangeStart, rangeEnd */
};

/**
 * struct range_spec - one range as it was written; strings are borrowed
 * @path:	JSON path of the object that holds the keys, for errors ("ipam.ipRanges[0]")
 * @dialect:	whose words; host-local takes no host bits and no "FIRST-LAST/LENGTH", and its
 *		gateway is the first address unless one is written
 * @range:	"ADDRESS/LENGTH" (host bits are masked) or "FIRST-LAST/LENGTH"; NULL when absent
 * @start:	first address; NULL when absent
 * @end:	last address; NULL when absent
 * @gateway:	of this range alone; AF_UNSPEC: none
 * @exclude:	"exclude": each "ADDRESS/LENGTH" or one address
 * @n_exclude:	their number
 * @reserved, @n_reserved: addresses that are never given out either, of any family
 * @set:	index of the set that the range belongs to
 */
struct range_spec {
	char path[64];
	enum range_dialect dialect;
	const char *range, *start, *end;
	struct inet_addr gateway;
	const char *exclude[RANGE_EXCLUDES_MAX];
	size_t n_exclude;
	const struct inet_addr *reserved;
	size_t n_reserved;
	int set;
};

/**
 * struct range - one range, settled
 * @set:	ranges of one set give one address together
 * @subnet:	network address and prefix length: the length every address of it is given with
 * @gateway:	goes with every address of it and is never given out; AF_UNSPEC: none
 * @first:	lowest address that may be given out, before excludes
 * @last:	highest one
 * @spans:	what is left of @first to @last without excludes and gateway; ascending, disjoint
 * @n_spans:	at least one
 * @total:	number of addresses in @spans
 * @sliced:	slice_cut() left a part of it
 * @whole:	@first and @last before that
 */
struct range {
	int set;
	struct inet_prefix subnet;
	struct inet_addr gateway;
	inet_num first, last;
	struct range_span *spans;
	size_t n_spans;
	inet_num total;
	bool sliced;
	struct range_span whole;
};

/**
 * range_settle() - read and check a range
 * @spec:	as it was written
 * @gateway:	of the network, if the range has none itself; AF_UNSPEC, or of another family: none
 * @ret_range:	the range; the caller calls range_free()
 * @err:	CNI_CONFIG_INVALID with the JSON path
 *
 * Never given out: the network address and the last address of the subnet (in IPv6 too: all zeros
 * is the subnet-router anycast address, RFC 4291, and Whereabouts leaves all ones alone, so a pool
 * that moves here keeps its size), unless the subnet is a /31 or /127 (RFC 3021, RFC 6164: both are
 * hosts) or a /32 or /128 (the one).
 *
 * Nothing is ignored in silence: a start or end outside, an inverted range, an exclude that does
 * not parse, is of the other family or does not touch the subnet are errors, and so is a range in
 * which nothing is left.
 *
 * Return: 0 or a negative errno.
 */
int range_settle(const struct range_spec *spec, struct inet_addr gateway, struct range *ret_range,
		 struct err *err);

/* range_free() - release what range_settle() took. */
void range_free(struct range *range);

/* range_has() - true if @addr may be given out. */
bool range_has(const struct range *range, struct inet_addr addr);

/* range_addr() - a number of this range as an address. */
static inline struct inet_addr range_addr(const struct range *range, inet_num num)
{
	return (struct inet_addr){ range->subnet.addr.family, num };
}

/* range_span_format() - "FIRST .. LAST" of two addresses into @buf. Return: @buf. */
const char *range_span_format(int family, struct range_span span, char buf[RANGE_TEXT_SIZE]);

/* range_format() - "FIRST .. LAST" into @buf. Return: @buf. */
const char *range_format(const struct range *range, char buf[RANGE_TEXT_SIZE]);

/* range_num_format() - a number of addresses in decimal into @buf. Return: its first digit. */
const char *range_num_format(inet_num num, char buf[RANGE_NUM_TEXT_SIZE]);

#endif
