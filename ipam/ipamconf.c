// SPDX-License-Identifier: Apache-2.0
#include "ipam/ipamconf.h"

#include "ipam/foreign.h"

#include <errno.h>
#include <stdio.h>

/**
 * struct reading - while reading: a range can only be settled once the gateway is known
 * @top:	the range on top level
 * @subnet, @start, @end: the same in host-local's words
 * @more:	"ipRanges"
 * @sets:	"ranges"
 * @n_sets:	number of sets in @sets
 */
struct reading {
	struct ipamconf conf;
	struct range_spec top;
	const char *subnet, *start, *end;
	struct range_spec more[LEASE_RANGES_MAX];
	size_t n_more;
	struct range_spec sets[LEASE_RANGES_MAX];
	size_t n_in_sets;
	int n_sets;
};

static int read_exclude(const json_t *value, const char *path, void *field, struct err *err)
{
	struct range_spec *spec = field;

	return jx_array(value, path, jx_string, RANGE_EXCLUDES_MAX, spec->exclude,
			sizeof(*spec->exclude), &spec->n_exclude, err);
}

static int read_top_exclude(const json_t *value, const char *path, void *field, struct err *err)
{
	return read_exclude(value, path, &((struct reading *)field)->top, err);
}

static int read_ip_range(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "range", jx_string, offsetof(struct range_spec, range) },
		{ "range_start", jx_string, offsetof(struct range_spec, start) },
		{ "range_end", jx_string, offsetof(struct range_spec, end) },
		{ "exclude", read_exclude, 0 },
	};
	struct range_spec *spec = field;

	snprintf(spec->path, sizeof(spec->path), "%s", path);
	return jx_object(value, path, keys, ARRAY_SIZE(keys), JX_REFUSE, spec, err);
}

static int read_ip_ranges(const json_t *value, const char *path, void *field, struct err *err)
{
	struct reading *in = field;

	return jx_array(value, path, read_ip_range, ARRAY_SIZE(in->more), in->more,
			sizeof(*in->more), &in->n_more, err);
}

/* ---- host-local's "ranges": a list of sets, each a list of ranges ---- */

static int read_range_of_set(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "subnet", jx_string, offsetof(struct range_spec, range) },
		{ "rangeStart", jx_string, offsetof(struct range_spec, start) },
		{ "rangeEnd", jx_string, offsetof(struct range_spec, end) },
		{ "gateway", result_read_addr, offsetof(struct range_spec, gateway) },
	};
	struct reading *in = field;
	struct range_spec *spec = &in->sets[in->n_in_sets];

	if (in->n_in_sets == ARRAY_SIZE(in->sets))
		return jx_value_error(err, "ipam.ranges", "has more than %d ranges",
				      LEASE_RANGES_MAX);
	spec->dialect = RANGE_HOST_LOCAL;
	spec->set = in->n_sets;
	snprintf(spec->path, sizeof(spec->path), "%s", path);
	in->n_in_sets++;
	return jx_object(value, path, keys, ARRAY_SIZE(keys), JX_REFUSE, spec, err);
}

static int read_set(const json_t *value, const char *path, void *field, struct err *err)
{
	struct reading *in = field;
	size_t n;
	int r = jx_array(value, path, read_range_of_set, LEASE_RANGES_MAX, in, 0, &n, err);

	if (r == 0 && n == 0)
		return jx_value_error(
			err, path, "is empty; write for example [{\"subnet\": \"10.56.0.0/24\"}]");
	in->n_sets++;
	return r;
}

static int read_sets(const json_t *value, const char *path, void *field, struct err *err)
{
	size_t n;

	return jx_array(value, path, read_set, LEASE_RANGES_MAX, field, 0, &n, err);
}

/* ---- the other keys ---- */

static int read_statics(const json_t *value, const char *path, void *field, struct err *err)
{
	struct ipamconf *conf = field;

	return jx_array(value, path, fixed_read, LEASE_STATICS_MAX, conf->statics,
			sizeof(*conf->statics), &conf->n_statics, err);
}

static int read_network_name(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);

	if (!text)
		return jx_type_error(value, path, "a string", err);
	if (*text && !cniargs_name_ok(text))
		return jx_value_error(
			err, path,
			"\"%.64s\" must be at most %d of A-Z a-z 0-9 _ . -, the first alphanumeric",
			text, CNI_NAME_MAX);
	*(const char **)field = text;
	return 0;
}

static int read_routes(const json_t *value, const char *path, void *field, struct err *err)
{
	struct ipamconf *conf = field;

	return jx_array(value, path, result_read_route, RESULT_ROUTES_MAX, conf->routes,
			sizeof(*conf->routes), &conf->n_routes, err);
}

static int read_dns(const json_t *value, const char *path, void *field, struct err *err)
{
	if (!json_is_object(value))
		return jx_type_error(value, path, "an object", err);
	return jx_json(value, path, field, err);
}

static const struct jx_key ipam_keys[] = {
	{ "type", NULL, 0 },
	{ "range", jx_string, offsetof(struct reading, top.range) },
	{ "range_start", jx_string, offsetof(struct reading, top.start) },
	{ "range_end", jx_string, offsetof(struct reading, top.end) },
	{ "exclude", read_top_exclude, 0 },
	{ "ipRanges", read_ip_ranges, 0 },
	{ "gateway", result_read_addr, offsetof(struct reading, conf.gateway) },
	{ "routes", read_routes, offsetof(struct reading, conf) },
	{ "dns", read_dns, offsetof(struct reading, conf.dns) },
	{ "addresses", read_statics, offsetof(struct reading, conf) },
	{ "network_name", read_network_name, offsetof(struct reading, conf.network_name) },
	{ "enable_overlapping_ranges", jx_bool, offsetof(struct reading, conf.shares) },
	{ "nodeSlice", slice_read, offsetof(struct reading, conf.slice) },
	/* host-local's words */
	{ "ranges", read_sets, 0 },
	{ "subnet", jx_string, offsetof(struct reading, subnet) },
	{ "rangeStart", jx_string, offsetof(struct reading, start) },
	{ "rangeEnd", jx_string, offsetof(struct reading, end) },
	{ "dataDir", jx_string, offsetof(struct reading, conf.data_dir) },
};
enum { N_HOST_LOCAL = 5 };

const struct jx_key *ipamconf_keys(size_t *ret_n)
{
	*ret_n = ARRAY_SIZE(ipam_keys) - N_HOST_LOCAL;
	return ipam_keys;
}

/* ---- settling ---- */

/* One of the two dialects on top level, not a mixture: their rules differ. */
static int settle_top(struct reading *in, struct err *err)
{
	struct range_spec *top = &in->top;

	if (in->subnet && top->range)
		return jx_value_error(err, "ipam.subnet", "and \"range\" are both given; keep one");
	if (in->start && !in->subnet)
		return jx_value_error(
			err, "ipam.rangeStart",
			"belongs to \"subnet\"; to \"range\" belongs \"range_start\"");
	if (in->end && !in->subnet)
		return jx_value_error(err, "ipam.rangeEnd",
				      "belongs to \"subnet\"; to \"range\" belongs \"range_end\"");
	if (!in->subnet)
		return 0;
	if (top->start || top->end)
		return jx_value_error(err, top->start ? "ipam.range_start" : "ipam.range_end",
				      "belongs to \"range\"; to \"subnet\" belongs \"%s\"",
				      top->start ? "rangeStart" : "rangeEnd");
	top->dialect = RANGE_HOST_LOCAL;
	top->range = in->subnet;
	top->start = in->start;
	top->end = in->end;
	top->gateway = in->conf.gateway;
	in->conf.gateway = (struct inet_addr){ 0 };
	return 0;
}

static int check_set(const struct ipamconf *conf, const char *path, struct err *err)
{
	const struct range *range = &conf->ranges[conf->n_ranges - 1];
	char a[INET_PREFIX_TEXT_SIZE], b[INET_PREFIX_TEXT_SIZE];

	if (conf->n_ranges == 1 || range->set != range[-1].set ||
	    range->subnet.addr.family == range[-1].subnet.addr.family)
		return 0;
	return jx_value_error(err, path, "%s and %s are in one set, but of different IP versions",
			      inet_format_prefix(range[-1].subnet, a),
			      inet_format_prefix(range->subnet, b));
}

static int settle_range(struct reading *in, struct range_spec *spec, int set, struct err *err)
{
	struct inet_addr reserved[LEASE_STATICS_MAX];
	struct ipamconf *conf = &in->conf;
	int r;

	if (conf->n_ranges == LEASE_RANGES_MAX)
		return jx_value_error(
			err, spec->dialect == RANGE_HOST_LOCAL ? "ipam.ranges" : "ipam.ipRanges",
			"with \"range\" these are %d ranges, at most %d are supported",
			LEASE_RANGES_MAX + 1, LEASE_RANGES_MAX);
	for (size_t i = 0; i < conf->n_statics; i++)
		reserved[i] = conf->statics[i].address.addr;
	spec->reserved = reserved;
	spec->n_reserved = conf->n_statics;
	spec->set = set;
	r = range_settle(spec, conf->gateway, &conf->ranges[conf->n_ranges], err);
	if (r < 0)
		return r;
	conf->n_ranges++;
	r = check_set(conf, spec->path, err);
	return r < 0 ? r : slice_check(&conf->slice, conf->ranges[conf->n_ranges - 1].subnet, err);
}

static int settle_ranges(struct reading *in, struct err *err)
{
	const struct range_spec *top = &in->top;
	bool has_top = top->range || top->start || top->end || top->n_exclude > 0;
	int set = 0, r = 0;

	if (has_top || in->n_more + in->n_in_sets + in->conf.n_statics == 0)
		r = settle_range(in, &in->top, set++, err);
	for (size_t i = 0; i < in->n_more && r == 0; i++)
		r = settle_range(in, &in->more[i], set++, err);
	for (size_t i = 0; i < in->n_in_sets && r == 0; i++)
		r = settle_range(in, &in->sets[i], set + in->sets[i].set, err);
	in->conf.n_sets = set + in->n_sets;
	return r;
}

/* The gateway may lie outside a range, but somebody must be able to use it. */
static int check_gateway(const struct ipamconf *conf, struct err *err)
{
	char text[INET_TEXT_SIZE], cidr[INET_PREFIX_TEXT_SIZE];

	if (conf->gateway.family == AF_UNSPEC)
		return 0;
	for (size_t i = 0; i < conf->n_ranges; i++)
		if (conf->ranges[i].subnet.addr.family == conf->gateway.family)
			return 0;
	inet_format(conf->gateway, text);
	if (conf->n_ranges == 0)
		return jx_value_error(err, "ipam.gateway",
				      "\"%s\" is a range's, and there is none; addresses have a "
				      "\"gateway\" each",
				      text);
	return jx_value_error(err, "ipam.gateway",
			      "\"%s\" and range %s are of different IP versions", text,
			      inet_format_prefix(conf->ranges[0].subnet, cidr));
}

static int settle(struct reading *in, struct err *err)
{
	int r = settle_top(in, err);

	if (in->conf.data_dir && !*in->conf.data_dir)
		in->conf.data_dir = NULL;
	if (r == 0)
		r = fixed_check(in->conf.statics, in->conf.n_statics, in->conf.gateway, err);
	if (r == 0)
		r = settle_ranges(in, err);
	return r == 0 ? check_gateway(&in->conf, err) : r;
}

int ipamconf_read(const json_t *json, struct ipamconf *ret_conf, struct err *err)
{
	struct reading in = { .top.path = "ipam", .conf = { .shares = true, .network_name = "" } };
	const json_t *ipam = json_object_get(json, "ipam");
	_cleanup_json_ json_t *own = json_copy((json_t *)ipam); /* the values stay the document's */
	int r;

	if (!ipam)
		return jx_value_error(err, "ipam",
				      "is missing; write for example {\"type\": \"roce-ipam\", "
				      "\"range\": \"10.56.0.0/24\"}");
	r = foreign_take_out(own, &in.conf, err);
	if (r == 0)
		r = jx_object(own, "ipam", ipam_keys, ARRAY_SIZE(ipam_keys), JX_REFUSE, &in, err);
	if (r == 0)
		r = settle(&in, err);
	if (r < 0)
		ipamconf_free(&in.conf);
	else
		*ret_conf = in.conf;
	return r;
}

bool ipamconf_is_sliced(const struct ipamconf *conf)
{
	return slice_is_set(&conf->slice);
}

int ipamconf_slice(struct ipamconf *conf, struct opt_int node_index, struct err *err)
{
	int r = slice_settle(&conf->slice, node_index, err);

	for (size_t i = 0; i < conf->n_ranges && r == 0; i++)
		r = slice_cut(&conf->slice, &conf->ranges[i], err);
	return r;
}

const char *ipamconf_peek(const json_t *json, const char *key)
{
	const char *text = jx_text(json_object_get(json, "ipam"), key);

	return *text ? text : NULL;
}

void ipamconf_free(struct ipamconf *conf)
{
	for (size_t i = 0; i < conf->n_ranges; i++)
		range_free(&conf->ranges[i]);
	conf->n_ranges = 0;
}
