// SPDX-License-Identifier: Apache-2.0
#include "conf/profile.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

enum {
	PROFILE_SIZE_MAX = 1 << 20,
	NODE_INDEX_MAX = 65535,
	WAIT_MAX_MS = 10000,
};

static const struct profile defaults = {
	.state_dir = PROFILE_STATE_DIR,
	.carrier_wait_ms = PROFILE_CARRIER_WAIT_MS,
	.gid_wait_ms = PROFILE_GID_WAIT_MS,
};

static const char *const policy_names[MTU_POLICY_MAX] = {
	[MTU_STRICT] = "strict",
	[MTU_CLAMP] = "clamp",
	[MTU_WARN] = "warn",
};

const char *profile_policy_name(enum mtu_policy policy)
{
	return policy_names[policy];
}

int profile_read_policy(const json_t *value, const char *path, void *field, struct err *err)
{
	int policy, r;

	r = jx_word(value, path, policy_names, MTU_POLICY_MAX,
		    "\"strict\" (refuse), \"clamp\" (lower the pod's MTU) or \"warn\" (go on)", &policy, err);
	if (r == 0)
		*(enum mtu_policy *)field = policy;
	return r;
}

/* One port on two fabrics: which of them holds would be a matter of luck. */
static int check_pfs(const struct profile *profile, const struct fabric *fabric, const char *path,
		     struct err *err)
{
	for (size_t i = 0; i < fabric->n_pfs; i++)
		for (const struct fabric *other = profile->fabrics; other < fabric; other++)
			for (size_t j = 0; j < other->n_pfs; j++)
				if (fabric_pf_equal(&fabric->pfs[i], &other->pfs[j]))
					return jx_value_error(
						err, path,
						"pfs[%zu] is on fabric \"%s\", too; a port is on one fabric",
						i, other->name);
	return 0;
}

static int read_fabrics(const json_t *value, const char *path, void *field, struct err *err)
{
	struct profile *profile = field;
	const char *name;
	json_t *object;

	if (!json_is_object(value))
		return jx_type_error(value, path, "an object of fabrics by name", err);
	if (json_object_size(value) > PROFILE_FABRICS_MAX)
		return jx_value_error(err, path, "has more than %d fabrics", PROFILE_FABRICS_MAX);
	json_object_foreach((json_t *)value, name, object) {
		struct fabric *fabric = &profile->fabrics[profile->n_fabrics];
		char sub[128];
		int r;

		snprintf(sub, sizeof(sub), "%s.%s", path, name);
		r = fabric_read(object, sub, fabric, err);
		if (r == 0)
			r = check_pfs(profile, fabric, sub, err);
		if (r < 0)
			return r;
		fabric->name = name;
		profile->n_fabrics++;
	}
	return 0;
}

static int read_version(const json_t *value, const char *path, void *field, struct err *err)
{
	struct opt_int version;

	(void)field;
	return jx_int_in(value, path, 1, 1, "a supported profile version", &version, err);
}

static int read_policies(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "mtu", profile_read_policy, offsetof(struct profile, mtu) },
		{ "mayLoosen", jx_bool, offsetof(struct profile, may_loosen) },
	};

	return jx_object(value, path, keys, ARRAY_SIZE(keys), JX_REFUSE, field, err);
}

static bool lies_below(const char *dir, const char *root)
{
	size_t len = strlen(root);

	return strncmp(dir, root, len) == 0 && (dir[len] == '\0' || dir[len] == '/');
}

enum file_durability profile_durability(const char *dir)
{
	return lies_below(dir, "/run") ? FILE_VOLATILE : FILE_DURABLE;
}

static int read_state_dir(const json_t *value, const char *path, void *field, struct err *err)
{
	struct profile *profile = field;
	const char *dir = json_string_value(value);

	if (!dir)
		return jx_type_error(value, path, "a string", err);
	if (dir[0] != '/' || strstr(dir, "/.."))
		return jx_value_error(err, path, "\"%s\" must be an absolute path without \"..\"", dir);
	profile->state_dir = dir;
	profile->durability = profile_durability(dir);
	return 0;
}

/* One spelling for each folder, so that comparing texts is comparing folders. */
static int read_root(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *dir = json_string_value(value);
	size_t len = dir ? strlen(dir) : 0;

	if (!dir)
		return jx_type_error(value, path, "a string", err);
	if (len < 2 || dir[0] != '/' || dir[len - 1] == '/' || strstr(dir, "/.") || strstr(dir, "//"))
		return jx_value_error(err, path,
				      "\"%s\" must be an absolute path, without \"//\", a part that begins with \".\" or a \"/\" at its end",
				      dir);
	*(const char **)field = dir;
	return 0;
}

static int read_data_roots(const json_t *value, const char *path, void *field, struct err *err)
{
	struct profile *profile = field;

	return jx_array(value, path, read_root, PROFILE_DATA_ROOTS_MAX, profile->data_roots,
			sizeof(*profile->data_roots), &profile->n_data_roots, err);
}

static int read_ipam(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "dataRoots", read_data_roots, 0 },
	};

	return jx_object(value, path, keys, ARRAY_SIZE(keys), JX_REFUSE, field, err);
}

static int read_setting(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *name = json_string_value(value), *meant;
	const struct setting *table;
	size_t n;

	if (!name)
		return jx_type_error(value, path, "a string", err);
	table = setting_table(&n);
	for (size_t i = 0; i < n; i++) {
		if (streq(table[i].name, name)) {
			*(const struct setting **)field = &table[i];
			return 0;
		}
	}
	meant = jx_closest(name, &table->name, n, sizeof(*table));
	return jx_value_error(err, path, "\"%s\" is no setting%s%s%s", name,
			      meant ? "; did you mean \"" : "", meant ? meant : "",
			      meant ? "\"?" : "");
}

static int read_forbid(const json_t *value, const char *path, void *field, struct err *err)
{
	struct profile *profile = field;

	return jx_array(value, path, read_setting, PROFILE_FORBID_MAX, profile->forbid,
			sizeof(*profile->forbid), &profile->n_forbid, err);
}

/* None at all is an answer, too: no network may have a log. */
static int read_log_roots(const json_t *value, const char *path, void *field, struct err *err)
{
	struct profile *profile = field;

	profile->has_log_roots = true;
	return jx_array(value, path, read_root, PROFILE_LOG_ROOTS_MAX, profile->log_roots,
			sizeof(*profile->log_roots), &profile->n_log_roots, err);
}

static int read_node_index(const json_t *value, const char *path, void *field, struct err *err)
{
	return jx_int_in(value, path, 0, NODE_INDEX_MAX, "the number of a node", field, err);
}

static int read_wait(const json_t *value, const char *path, void *field, struct err *err)
{
	struct opt_int ms;
	int r = jx_int_in(value, path, 0, WAIT_MAX_MS, "a number of milliseconds", &ms, err);

	if (r == 0)
		*(int *)field = ms.value;
	return r;
}

static bool overlap(const char *a, const char *b)
{
	return lies_below(a, b) || lies_below(b, a);
}

/* A network chooses a place below a root; nobody else's state may be there. */
static int check_root(const struct profile *profile, const char *path, const char *root,
		      struct err *err)
{
	static const char *const own[] = { "roce-ipam", "roce-cni" };
	char dir[1024];

	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		snprintf(dir, sizeof(dir), "%s/%s", profile->state_dir, own[i]);
		if (overlap(root, dir))
			return jx_value_error(
				err, path, "\"%s\" overlaps %s, which is not for networks to choose",
				root, dir);
	}
	return 0;
}

/* A root against others; of its own list those before it. */
static int check_apart(const char *path, const char *root, const char *const *others, size_t n_others,
		       struct err *err)
{
	for (size_t i = 0; i < n_others; i++)
		if (overlap(root, others[i]))
			return jx_value_error(err, path, "\"%s\" and \"%s\": one lies in the other",
					      root, others[i]);
	return 0;
}

/* One list of roots; it must touch the first @n_data of the folders for leases neither. */
static int check_roots(const struct profile *profile, const char *key, const char *const *roots,
		       size_t n, size_t n_data, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s[%zu]", key, i);
		r = check_apart(path, roots[i], roots, i, err);
		if (r == 0)
			r = check_apart(path, roots[i], profile->data_roots, n_data, err);
		if (r == 0)
			r = check_root(profile, path, roots[i], err);
	}
	return r;
}

static int check_all_roots(const struct profile *profile, struct err *err)
{
	int r = check_roots(profile, "ipam.dataRoots", profile->data_roots, profile->n_data_roots, 0,
			    err);

	return r < 0 ? r
		     : check_roots(profile, "logRoots", profile->log_roots, profile->n_log_roots,
				   profile->n_data_roots, err);
}

static const struct fabric *find_fabric(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->n_fabrics; i++)
		if (streq(profile->fabrics[i].name, name))
			return &profile->fabrics[i];
	return NULL;
}

int profile_read(const json_t *json, struct profile *ret_profile, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "version", read_version, 0 },
		{ "defaultFabric", jx_string, offsetof(struct profile, default_fabric) },
		{ "fabrics", read_fabrics, 0 },
		{ "policy", read_policies, 0 },
		{ "forbid", read_forbid, 0 },
		{ "allowPF", jx_bool, offsetof(struct profile, allow_pf) },
		{ "stateDir", read_state_dir, 0 },
		{ "nodeIndex", read_node_index, offsetof(struct profile, node_index) },
		{ "ipam", read_ipam, 0 },
		{ "logRoots", read_log_roots, 0 },
		{ "carrierWait", read_wait, offsetof(struct profile, carrier_wait_ms) },
		{ "gidWait", read_wait, offsetof(struct profile, gid_wait_ms) },
	};
	struct profile *profile = ret_profile;
	int r;

	*profile = defaults;
	profile->present = true;
	r = jx_object(json, "", keys, ARRAY_SIZE(keys), JX_REFUSE, profile, err);
	if (r == 0 && !json_object_get(json, "version"))
		r = jx_value_error(err, "version", "is missing; write \"version\": 1");
	if (r == 0 && profile->default_fabric && !find_fabric(profile, profile->default_fabric))
		r = jx_value_error(err, "defaultFabric", "\"%s\" is not one of the fabrics",
				   profile->default_fabric);
	return r < 0 ? r : check_all_roots(profile, err);
}

int profile_load(const char *path, struct profile *ret_profile, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_json_ json_t *doc = NULL;
	size_t len;
	int r;

	*ret_profile = defaults;
	r = file_read(AT_FDCWD, path, PROFILE_SIZE_MAX, &text, &len);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return err_set(err, ROCE_PROFILE_INVALID, r, "cannot read the node profile %s: %s",
			       path, strerror(-r));
	r = jx_parse(text, len, path, &doc, err);
	if (r == 0)
		r = profile_read(doc, ret_profile, err);
	if (r < 0) {
		err->code = ROCE_PROFILE_INVALID; /* whatever is wrong in it, the node is not ready */
		return err_wrap(err, "node profile %s", path);
	}
	ret_profile->doc = steal_ptr(doc);
	return 0;
}

void profile_load_for_del(const char *path, struct profile *ret_profile, struct err *ret_broken)
{
	if (profile_load(path, ret_profile, ret_broken) == 0)
		return;
	log_warn("%s; looking for state below %s", ret_broken->msg, PROFILE_STATE_DIR);
	*ret_profile = defaults;
}

size_t profile_log_roots(const struct profile *profile, const char *const **ret_roots)
{
	static const char *const usual[] = { PROFILE_LOG_ROOT };

	*ret_roots = profile->has_log_roots ? profile->log_roots : usual;
	return profile->has_log_roots ? profile->n_log_roots : ARRAY_SIZE(usual);
}

void profile_free(struct profile *profile)
{
	json_decref(profile->doc);
	profile->doc = NULL;
}

static int refuse_port(const struct fabric_port *port, const char *fabric, struct err *err)
{
	return err_set(err, ROCE_DEVICE_FORBIDDEN, -EPERM,
		       "port %s (PCI %s, driver %s) is not on fabric %s of the node profile; have the node's administrator add it to fabrics.%s.pfs in %s",
		       port->name, *port->pci ? port->pci : "none",
		       *port->driver ? port->driver : "unknown", fabric, fabric, PROFILE_PATH);
}

/* Where neither the network nor the port decides; NULL: nothing does. */
static const struct fabric *standard_fabric(const struct profile *profile)
{
	if (profile->default_fabric)
		return find_fabric(profile, profile->default_fabric);
	return profile->n_fabrics == 1 ? &profile->fabrics[0] : NULL;
}

static int unknown_fabric(const char *wanted, struct err *err)
{
	return jx_value_error(err, "fabric", "\"%s\" is not in the node profile %s", wanted, PROFILE_PATH);
}

int profile_network_fabric(const struct profile *profile, const char *wanted,
			   const struct fabric **ret_fabric, struct err *err)
{
	const struct fabric *fabric = wanted ? find_fabric(profile, wanted) : standard_fabric(profile);

	if (wanted && !fabric)
		return unknown_fabric(wanted, err);
	if (!fabric)
		return jx_value_error(
			err, "pf",
			"\"*\" is any PF of a fabric, but which one is not said: write \"fabric\", or name a PF, or have the node's administrator write \"defaultFabric\" in %s",
			PROFILE_PATH);
	*ret_fabric = fabric;
	return 0;
}

bool profile_port_is_on(const struct profile *profile, const struct fabric *fabric,
			const struct fabric_port *port)
{
	for (size_t i = 0; fabric->n_pfs == 0 && i < profile->n_fabrics; i++)
		if (profile->fabrics[i].n_pfs > 0 && fabric_has(&profile->fabrics[i], port))
			return false;
	return fabric_has(fabric, port);
}

/* The fabric that names the port wins over one that takes any port; the default breaks ties. */
static const struct fabric *choose_fabric(const struct profile *profile,
					  const struct fabric_port *port)
{
	const struct fabric *standard =
		profile->default_fabric ? find_fabric(profile, profile->default_fabric) : NULL;

	for (size_t i = 0; i < profile->n_fabrics; i++) {
		const struct fabric *fabric = &profile->fabrics[i];

		if (fabric->n_pfs > 0 && fabric_has(fabric, port) &&
		    !(standard && standard->n_pfs > 0 && fabric_has(standard, port)))
			return fabric;
	}
	return standard_fabric(profile);
}

int profile_fabric(const struct profile *profile, const char *wanted,
		   const struct fabric_port *port, const struct fabric **ret_fabric,
		   struct err *err)
{
	const struct fabric *fabric;

	*ret_fabric = NULL;
	if (wanted && !find_fabric(profile, wanted))
		return unknown_fabric(wanted, err);
	if (profile->n_fabrics == 0)
		return 0;
	fabric = wanted ? find_fabric(profile, wanted) : choose_fabric(profile, port);
	if (!fabric || !fabric_has(fabric, port))
		return refuse_port(port, fabric ? fabric->name : profile->fabrics[0].name, err);
	*ret_fabric = fabric;
	return 0;
}
