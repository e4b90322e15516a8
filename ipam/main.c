// SPDX-License-Identifier: Apache-2.0
/* roce-ipam: the verbs of an IPAM plugin on a pool. */
#include "base/log.h"
#include "conf/cnicall.h"
#include "conf/profile.h"
#include "ipam/alloc.h"
#include "ipam/ipamconf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

enum { OPERATION_MS = 10000 };

/* The ranges that this ADD leased newly: what undo() takes back when nobody learns of them. */
static unsigned newly_leased;

/* Where the pools of all networks are. */
struct home {
	char path[POOL_PATH_SIZE];
	enum file_durability durability;
};

static int find_home(enum cni_verb verb, struct home *ret_home, struct err *err)
{
	struct err broken = { 0 };
	struct profile profile;
	int r = 0;

	if (verb == CNI_DEL)
		profile_load_for_del(PROFILE_PATH, &profile, &broken);
	else
		r = profile_load(PROFILE_PATH, &profile, err);
	if (r < 0)
		return r;
	ret_home->durability = profile.durability;
	if (snprintf(ret_home->path, sizeof(ret_home->path), "%s/roce-ipam", profile.state_dir) >=
	    (int)sizeof(ret_home->path))
		r = err_set(err, ROCE_PROFILE_INVALID, -ENAMETOOLONG,
			    "stateDir of the node profile is longer than %d bytes", POOL_PATH_SIZE);
	profile_free(&profile);
	return r;
}

static int open_pool(const struct cni_call *call, enum pool_mode mode, struct pool *ret_pool,
		     struct err *err)
{
	char path[POOL_PATH_SIZE + CNI_NAME_MAX + 2];
	struct home home;
	int r = find_home(call->args.verb, &home, err);

	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s/%s", home.path, call->name);
	return pool_open(path, call->name, mode, home.durability, file_deadline(OPERATION_MS),
			 ret_pool, err);
}

/* ---- ADD ---- */

static struct lease owner_of(const struct cni_args *args)
{
	char namespace[64] = "", name[254] = "", pod[sizeof(namespace) + sizeof(name)] = "";
	struct lease owner = { 0 };

	/* both were checked: they fit and have no line break */
	snprintf(owner.id, sizeof(owner.id), "%s", args->container_id);
	snprintf(owner.ifname, sizeof(owner.ifname), "%s", args->ifname);
	lease_copy_text(owner.netns, sizeof(owner.netns), args->netns);
	if (cniargs_find(args->args, "K8S_POD_NAMESPACE", namespace, sizeof(namespace)) &&
	    cniargs_find(args->args, "K8S_POD_NAME", name, sizeof(name)))
		snprintf(pod, sizeof(pod), "%s/%s", namespace, name);
	lease_copy_text(owner.pod, sizeof(owner.pod), pod);
	return owner;
}

static char *print_answer(const struct ipamconf *conf, const struct inet_prefix *addresses,
			  const char *version)
{
	struct cni_result result = { .n_ips = conf->n_ranges, .dns = conf->dns };

	for (size_t i = 0; i < conf->n_ranges; i++) {
		result.ips[i].address = addresses[i];
		if (conf->gateway.family == addresses[i].addr.family)
			result.ips[i].gateway = conf->gateway;
	}
	memcpy(result.routes, conf->routes, sizeof(result.routes));
	result.n_routes = conf->n_routes;
	return result_print(&result, NULL, NULL, version);
}

static int lease_all(const struct cni_call *call, const struct ipamconf *conf, char **ret_answer,
		     struct err *err)
{
	struct inet_prefix addresses[LEASE_RANGES_MAX];
	struct lease owner = owner_of(&call->args);
	struct pool pool;
	int r = open_pool(call, POOL_CREATE, &pool, err);

	if (r < 0)
		return r;
	r = alloc_add(&pool, &owner, conf->ranges, conf->n_ranges, addresses, &newly_leased, err);
	if (r == 0) {
		*ret_answer = print_answer(conf, addresses, call->version);
		if (!*ret_answer) {
			alloc_release(&pool, owner.id, owner.ifname, newly_leased, err);
			r = err_set(err, CNI_IO_FAILURE, -ENOMEM, "out of memory");
		}
	}
	pool_close(&pool);
	return r;
}

static int add(const struct cni_call *call, char **ret_answer, struct err *err)
{
	struct ipamconf conf;
	int r = ipamconf_read(call->json, &conf, err);

	if (r < 0)
		return r;
	r = lease_all(call, &conf, ret_answer, err);
	ipamconf_free(&conf);
	return r;
}

/* ---- DEL: needs name, container and interface, never the ranges ---- */

static int release(const struct cni_call *call, unsigned ranges, struct err *err)
{
	struct pool pool;
	int r = open_pool(call, POOL_EXISTING, &pool, err);

	if (r < 0)
		return r == -ENOENT && !err_is_set(err) ? 0 : r;
	r = alloc_release(&pool, call->args.container_id, call->args.ifname, ranges, err);
	pool_close(&pool);
	return r;
}

static int del(const struct cni_call *call, char **ret_answer, struct err *err)
{
	(void)ret_answer;
	return release(call, ALLOC_ALL_RANGES, err);
}

static void undo_add(const struct cni_call *call)
{
	struct err err = { 0 };

	if (release(call, newly_leased, &err) < 0)
		log_warn("the undo failed, DEL or GC will release the address: %s", err.msg);
}

/* ---- CHECK ---- */

static bool among(const struct cni_result *result, struct inet_addr addr)
{
	for (size_t i = 0; i < result->n_ips; i++)
		if (inet_equal(result->ips[i].address.addr, addr))
			return true;
	return false;
}

static int check_lease(const struct cni_call *call, const struct pool *pool, int range,
		       const struct cni_result *prev, struct err *err)
{
	const struct cni_args *args = &call->args;
	char text[INET_PREFIX_TEXT_SIZE];
	struct lease lease;
	int r = pool_find(pool, args->container_id, args->ifname, range, &lease, err);

	if (r < 0)
		return r;
	if (r == 0)
		return err_set(
			err, ROCE_DRIFT, -ENOENT,
			"no address of range %d of network %s is leased to container %s, interface "
			"%s; it was released or its record removed from %s: recreate the pod",
			range, call->name, args->container_id, args->ifname, pool->path);
	if (prev->n_ips > 0 && !among(prev, lease.address.addr))
		return err_set(err, ROCE_DRIFT, -ESTALE,
			       "%s is leased to container %s, interface %s, but it is not among "
			       "the ips of prevResult: recreate the pod",
			       inet_format_prefix(lease.address, text), args->container_id,
			       args->ifname);
	return 0;
}

static int check_all(const struct cni_call *call, size_t n_ranges, const struct cni_result *prev,
		     struct err *err)
{
	struct pool pool;
	int r = open_pool(call, POOL_EXISTING, &pool, err);

	if (r == -ENOENT && !err_is_set(err))
		return err_set(
			err, ROCE_DRIFT, -ENOENT,
			"network %s has no address pool: all its leases are gone; recreate the pod",
			call->name);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n_ranges && r == 0; i++)
		r = check_lease(call, &pool, (int)i, prev, err);
	pool_close(&pool);
	return r;
}

static int check(const struct cni_call *call, char **ret_answer, struct err *err)
{
	const json_t *prev_json = json_object_get(call->json, "prevResult");
	struct cni_result prev = { 0 };
	struct ipamconf conf;
	size_t n_ranges;
	int r = ipamconf_read(call->json, &conf, err);

	(void)ret_answer;
	if (r < 0)
		return r;
	n_ranges = conf.n_ranges;
	ipamconf_free(&conf);
	if (json_is_object(prev_json) && result_parse(prev_json, &prev, err) < 0)
		return err_wrap(err, "prevResult");
	return check_all(call, n_ranges, &prev, err);
}

/* ---- GC ---- */

struct attachment {
	const char *id;
	const char *ifname;
};

struct attachments {
	struct attachment *items;
	size_t n;
};

static int compare_attachments(const void *a, const void *b)
{
	const struct attachment *x = a, *y = b;
	int order = strcmp(x->id, y->id);

	return order ? order : strcmp(x->ifname, y->ifname);
}

static bool is_valid(const char *id, const char *ifname, const void *arg)
{
	const struct attachments *valid = arg;
	const struct attachment wanted = { id, ifname };

	return bsearch(&wanted, valid->items, valid->n, sizeof(*valid->items), compare_attachments);
}

static int read_attachment(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "containerID", jx_string, offsetof(struct attachment, id) },
		{ "ifname", jx_string, offsetof(struct attachment, ifname) },
	};
	struct attachment *attachment = field;
	int r = jx_object(value, path, keys, ARRAY_SIZE(keys), JX_ACCEPT, attachment, err);

	if (r == 0 && (!attachment->id || !attachment->ifname))
		return jx_value_error(err, path, "needs \"containerID\" and \"ifname\"");
	return r;
}

/* Null and [] say that nothing is valid; without the key nothing is known, and nothing is freed. */
static int read_attachments(const json_t *json, struct attachments *ret_valid, struct err *err)
{
	const char *key = "cni.dev/valid-attachments";
	const json_t *list = json_object_get(json, key);
	int r = 0;

	if (!list) {
		list = json_object_get(json, "cni.dev/attachments");
		key = list ? "cni.dev/attachments" : key;
	}
	if (!list)
		return jx_value_error(
			err, key, "is missing: GC cannot tell what is valid and has freed nothing");
	*ret_valid = (struct attachments){ .items = calloc(json_array_size(list) + 1,
							   sizeof(*ret_valid->items)) };
	if (!ret_valid->items)
		return err_set(err, CNI_IO_FAILURE, -ENOMEM, "out of memory");
	if (!json_is_null(list))
		r = jx_array(list, key, read_attachment, json_array_size(list), ret_valid->items,
			     sizeof(*ret_valid->items), &ret_valid->n, err);
	if (r < 0)
		base_freep(&ret_valid->items);
	else
		qsort(ret_valid->items, ret_valid->n, sizeof(*ret_valid->items),
		      compare_attachments);
	return r;
}

static int gc(const struct cni_call *call, char **ret_answer, struct err *err)
{
	struct attachments valid;
	struct pool pool;
	int r = read_attachments(call->json, &valid, err);

	(void)ret_answer;
	if (r < 0)
		return r;
	r = open_pool(call, POOL_EXISTING, &pool, err);
	if (r == 0) {
		r = alloc_collect(&pool, is_valid, &valid, err);
		pool_close(&pool);
	} else if (r == -ENOENT && !err_is_set(err)) {
		r = 0;
	}
	free(valid.items);
	return r;
}

/* ---- STATUS ---- */

/* The only proof that a folder takes records is one that it took. */
static int try_write(const char *path, enum file_durability durability, struct err *err)
{
	static const char name[] = ".status", text[LEASE_TEXT_MAX] = "status";
	_cleanup_close_ int dir = file_opendir(path, err);
	int r;

	if (dir < 0)
		return -err->eno;
	r = file_write_atomic(dir, name, text, sizeof(text), durability);
	unlinkat(dir, name, 0);
	return r < 0 ? err_set(err, CNI_UNAVAILABLE, r,
			       "the state folder %s takes no files: %s; no address can be leased",
			       path, strerror(-r))
		     : 0;
}

static int status(const struct cni_call *call, char **ret_answer, struct err *err)
{
	struct ipamconf conf;
	struct home home;
	int r = ipamconf_read(call->json, &conf, err);

	(void)ret_answer;
	if (r < 0)
		return r;
	ipamconf_free(&conf);
	r = find_home(call->args.verb, &home, err);
	if (r == 0)
		r = try_write(home.path, home.durability, err);
	if (r < 0)
		err->code = CNI_UNAVAILABLE;
	return r;
}

int main(void)
{
	static const struct cnicall_plugin plugin = {
		.name = "roce-ipam",
		.about = "roce-ipam: leases IP addresses to containers, one pool a network.\n"
			 "Other CNI plugins call it, by \"ipam\": {\"type\": \"roce-ipam\", ...}.",
		.verbs = {
			[CNI_ADD] = add,
			[CNI_DEL] = del,
			[CNI_CHECK] = check,
			[CNI_GC] = gc,
			[CNI_STATUS] = status,
		},
		.undo = undo_add,
	};

	return cnicall_main(&plugin);
}
