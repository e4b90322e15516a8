// SPDX-License-Identifier: Apache-2.0
#include "conf/result.h"

#include <errno.h>
#include <stdio.h>

static const char *const versions[] = { "0.3.1", "0.4.0", "1.0.0", CNI_VERSION_NEWEST };

int result_version_check(const char *version, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		if (streq(version, versions[i]))
			return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		err_detail(err, "supported: %s", versions[i]);
	return err_set(err, CNI_VERSION_UNSUPPORTED, -EINVAL,
		       "cniVersion \"%s\" is not supported; write one of 0.3.1, 0.4.0, 1.0.0, 1.1.0",
		       version);
}

bool result_version_at_least(const char *version, const char *least)
{
	int a[3] = { 0 }, b[3] = { 0 };

	sscanf(version, "%d.%d.%d", &a[0], &a[1], &a[2]);
	sscanf(least, "%d.%d.%d", &b[0], &b[1], &b[2]);
	for (int i = 0; i < 3; i++)
		if (a[i] != b[i])
			return a[i] > b[i];
	return true;
}

/* ---- reading ---- */

int result_read_addr(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);

	if (!text)
		return jx_type_error(value, path, "an IP address in a string", err);
	if (*text && inet_parse(text, field) < 0) /* "" stands for none: Go's zero value */
		return jx_value_error(err, path, "\"%s\" is not an IP address", text);
	return 0;
}

int result_read_prefix(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);

	if (!text)
		return jx_type_error(value, path, "ADDRESS/LENGTH in a string", err);
	if (inet_parse_prefix(text, field) < 0)
		return jx_value_error(err, path, "\"%s\" is not ADDRESS/LENGTH", text);
	return 0;
}

static int read_route(const json_t *value, const char *path, enum jx_unknown unknown, void *field,
		      struct err *err)
{
	static const struct jx_key keys[] = {
		{ "dst", result_read_prefix, offsetof(struct cni_route, dst) },
		{ "gw", result_read_addr, offsetof(struct cni_route, gw) },
		{ "mtu", jx_int, offsetof(struct cni_route, mtu) },
		{ "advmss", jx_int, offsetof(struct cni_route, advmss) },
		{ "priority", jx_int, offsetof(struct cni_route, priority) },
		{ "table", jx_int, offsetof(struct cni_route, table) },
		{ "scope", jx_int, offsetof(struct cni_route, scope) },
	};
	struct cni_route *route = field;
	int r = jx_object(value, path, keys, ARRAY_SIZE(keys), unknown, route, err);

	if (r < 0)
		return r;
	if (route->dst.addr.family == AF_UNSPEC)
		return jx_value_error(err, path, "a route needs \"dst\"");
	if (route->gw.family != AF_UNSPEC && route->gw.family != route->dst.addr.family)
		return jx_value_error(err, path, "\"dst\" and \"gw\" are of different IP versions");
	return 0;
}

int result_read_route(const json_t *value, const char *path, void *field, struct err *err)
{
	return read_route(value, path, JX_REFUSE, field, err);
}

/* In somebody's answer, as libcni reads it: what is not known is not ours to judge. */
static int read_answered_route(const json_t *value, const char *path, void *field, struct err *err)
{
	return read_route(value, path, JX_ACCEPT, field, err);
}

static int read_interface(const json_t *value, const char *path, void *field, struct err *err)
{
	return json_is_null(value) ? 0 : jx_int(value, path, field, err);
}

static int read_ip(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "address", result_read_prefix, offsetof(struct cni_ip, address) },
		{ "gateway", result_read_addr, offsetof(struct cni_ip, gateway) },
		{ "interface", read_interface, offsetof(struct cni_ip, interface) },
	};
	struct cni_ip *ip = field;
	int r = jx_object(value, path, keys, ARRAY_SIZE(keys), JX_ACCEPT, ip, err);

	if (r == 0 && ip->address.addr.family == AF_UNSPEC)
		return jx_value_error(err, path, "\"address\" is missing");
	return r;
}

static int read_ips(const json_t *value, const char *path, void *field, struct err *err)
{
	struct cni_result *result = field;

	return jx_array(value, path, read_ip, RESULT_IPS_MAX, result->ips, sizeof(*result->ips),
			&result->n_ips, err);
}

static int read_routes(const json_t *value, const char *path, void *field, struct err *err)
{
	struct cni_result *result = field;

	if (json_is_null(value))
		return 0;
	return jx_array(value, path, read_answered_route, RESULT_ROUTES_MAX, result->routes,
			sizeof(*result->routes), &result->n_routes, err);
}

int result_parse(const json_t *json, struct cni_result *ret_result, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "ips", read_ips, 0 },
		{ "routes", read_routes, 0 },
		{ "dns", jx_json, offsetof(struct cni_result, dns) },
	};

	memset(ret_result, 0, sizeof(*ret_result));
	return jx_object(json, "", keys, ARRAY_SIZE(keys), JX_ACCEPT, ret_result, err);
}

int result_find_iface(const json_t *prev, const char *name, const char *sandbox,
		      struct cni_iface *ret_iface)
{
	const json_t *interfaces = json_object_get(prev, "interfaces");

	for (size_t i = 0; i < json_array_size(interfaces); i++) {
		const json_t *iface = json_array_get(interfaces, i);

		if (!streq(jx_text(iface, "name"), name) || !streq(jx_text(iface, "sandbox"), sandbox))
			continue;
		*ret_iface = (struct cni_iface){
			.mtu = (int)json_integer_value(json_object_get(iface, "mtu")),
			.sandbox = sandbox,
		};
		snprintf(ret_iface->name, sizeof(ret_iface->name), "%s", name);
		snprintf(ret_iface->mac, sizeof(ret_iface->mac), "%s", jx_text(iface, "mac"));
		return (int)i;
	}
	return -1;
}

/* ---- printing ---- */

static void set_string(json_t *object, const char *key, const char *value)
{
	json_object_set_new(object, key, json_string(value));
}

static void set_opt_int(json_t *object, const char *key, struct opt_int value)
{
	if (value.set)
		json_object_set_new(object, key, json_integer(value.value));
}

static json_t *print_iface(const struct cni_iface *iface, const char *version)
{
	json_t *object = json_object();

	set_string(object, "name", iface->name);
	if (*iface->mac)
		set_string(object, "mac", iface->mac);
	if (result_version_at_least(version, "1.0.0")) {
		if (iface->mtu)
			json_object_set_new(object, "mtu", json_integer(iface->mtu));
		if (*iface->pci)
			set_string(object, "pciID", iface->pci);
	}
	set_string(object, "sandbox", iface->sandbox);
	return object;
}

static json_t *print_ip(const struct cni_ip *ip, int interface, const char *version)
{
	char text[INET_PREFIX_TEXT_SIZE];
	json_t *object = json_object();

	if (!result_version_at_least(version, "1.0.0"))
		set_string(object, "version", ip->address.addr.family == AF_INET ? "4" : "6");
	if (interface >= 0)
		json_object_set_new(object, "interface", json_integer(interface));
	set_string(object, "address", inet_format_prefix(ip->address, text));
	if (ip->gateway.family != AF_UNSPEC)
		set_string(object, "gateway", inet_format(ip->gateway, text));
	return object;
}

static json_t *print_route(const struct cni_route *route, const char *version)
{
	char text[INET_PREFIX_TEXT_SIZE];
	json_t *object = json_object();

	set_string(object, "dst", inet_format_prefix(route->dst, text));
	if (route->gw.family != AF_UNSPEC)
		set_string(object, "gw", inet_format(route->gw, text));
	if (result_version_at_least(version, "1.1.0")) {
		set_opt_int(object, "mtu", route->mtu);
		set_opt_int(object, "advmss", route->advmss);
		set_opt_int(object, "priority", route->priority);
		set_opt_int(object, "table", route->table);
		set_opt_int(object, "scope", route->scope);
	}
	return object;
}

/* The array @key of @object, created at the first use. */
static json_t *array_of(json_t *object, const char *key)
{
	json_t *array = json_object_get(object, key);

	if (!json_is_array(array)) {
		array = json_array();
		json_object_set_new(object, key, array);
	}
	return array;
}

json_t *result_prefixes(const struct inet_prefix *prefixes, size_t n)
{
	char text[INET_PREFIX_TEXT_SIZE];
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_string(inet_format_prefix(prefixes[i], text)));
	return array;
}

char *result_print(const struct cni_result *result, const struct cni_iface *iface,
		   const json_t *prev, const char *version)
{
	_cleanup_json_ json_t *root = json_is_object(prev) ? json_deep_copy(prev) : json_object();
	int index = -1;

	set_string(root, "cniVersion", version);
	if (iface) {
		json_t *interfaces = array_of(root, "interfaces");

		index = (int)json_array_size(interfaces);
		json_array_append_new(interfaces, print_iface(iface, version));
	}
	for (size_t i = 0; i < result->n_ips; i++)
		json_array_append_new(array_of(root, "ips"),
				      print_ip(&result->ips[i], index, version));
	for (size_t i = 0; i < result->n_routes; i++)
		json_array_append_new(array_of(root, "routes"),
				      print_route(&result->routes[i], version));
	if (result->dns)
		json_object_set(root, "dns", (json_t *)result->dns);
	else if (!json_object_get(root, "dns"))
		json_object_set_new(root, "dns", json_object());
	return json_dumps(root, JSON_COMPACT);
}

char *result_print_error(const struct err *err, const char *version)
{
	_cleanup_json_ json_t *root = json_object();

	set_string(root, "cniVersion", version ? version : CNI_VERSION_NEWEST);
	json_object_set_new(root, "code", json_integer(err->code));
	json_object_set_new(root, "msg", jx_readable(err->msg));
	if (*err->details)
		json_object_set_new(root, "details", jx_readable(err->details));
	return json_dumps(root, JSON_COMPACT);
}

char *result_print_versions(void)
{
	_cleanup_json_ json_t *root = json_object();

	set_string(root, "cniVersion", CNI_VERSION_NEWEST);
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		json_array_append_new(array_of(root, "supportedVersions"), json_string(versions[i]));
	return json_dumps(root, JSON_COMPACT);
}
