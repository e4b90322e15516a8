// SPDX-License-Identifier: Apache-2.0
#include "ipam/ipamconf.h"

#include <errno.h>
#include <stdio.h>

/* While reading: a range can only be settled once the gateway is known. */
struct reading {
	struct ipamconf conf;
	struct range_spec top;
	struct range_spec more[LEASE_RANGES_MAX];
	size_t n_more;
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
};

static int settle_range(struct reading *in, const struct range_spec *spec, struct err *err)
{
	struct ipamconf *conf = &in->conf;
	int r;

	if (conf->n_ranges == LEASE_RANGES_MAX)
		return jx_value_error(
			err, "ipam.ipRanges",
			"with \"range\" these are %d ranges, at most %d are supported",
			LEASE_RANGES_MAX + 1, LEASE_RANGES_MAX);
	r = range_settle(spec, conf->gateway, &conf->ranges[conf->n_ranges], err);
	if (r == 0)
		conf->n_ranges++;
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
	return jx_value_error(
		err, "ipam.gateway", "\"%s\" and range %s are of different IP versions",
		inet_format(conf->gateway, text), inet_format_prefix(conf->ranges[0].subnet, cidr));
}

static int settle(struct reading *in, struct err *err)
{
	const struct range_spec *top = &in->top;
	bool has_top = top->range || top->start || top->end || top->n_exclude > 0;
	int r = 0;

	if (has_top || in->n_more == 0)
		r = settle_range(in, top, err);
	for (size_t i = 0; i < in->n_more && r == 0; i++)
		r = settle_range(in, &in->more[i], err);
	return r == 0 ? check_gateway(&in->conf, err) : r;
}

int ipamconf_read(const json_t *json, struct ipamconf *ret_conf, struct err *err)
{
	struct reading in = { .top.path = "ipam" };
	const json_t *ipam = json_object_get(json, "ipam");
	int r;

	if (!ipam)
		return jx_value_error(err, "ipam",
				      "is missing; write for example {\"type\": \"roce-ipam\", "
				      "\"range\": \"10.56.0.0/24\"}");
	r = jx_object(ipam, "ipam", ipam_keys, ARRAY_SIZE(ipam_keys), JX_REFUSE, &in, err);
	if (r == 0)
		r = settle(&in, err);
	if (r < 0)
		ipamconf_free(&in.conf);
	else
		*ret_conf = in.conf;
	return r;
}

void ipamconf_free(struct ipamconf *conf)
{
	for (size_t i = 0; i < conf->n_ranges; i++)
		range_free(&conf->ranges[i]);
	conf->n_ranges = 0;
}
