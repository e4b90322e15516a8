// SPDX-License-Identifier: Apache-2.0
/* roce-ipam: the verbs of an IPAM plugin on a pool. */
#include "base/log.h"
#include "conf/cnicall.h"
#include "ipam/alloc.h"
#include "ipam/attachments.h"
#include "ipam/setting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

enum { OPERATION_MS = 10000 };

/* The slots that this ADD leased newly: what undo() takes back when nobody learns of them. */
static unsigned newly_leased;

static int open_pool(const struct cni_call *call, const struct home *home, enum home_mode mode,
		     struct pool *ret_pool, struct err *err)
{
	int64_t begin = log_clock();
	int r = pool_open(home, call->name, mode, file_deadline(OPERATION_MS), ret_pool, err);

	log_debug("pool %s/%s: %s after %.1f ms", home->path, call->name, r < 0 ? "not opened" : "open",
		  log_ms(begin));
	return r;
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

/* What an operator may wonder about later; never more than once a call. */
static void log_notes(const struct ipamconf *conf, const struct requests *requests,
		      const struct home *home, const char *network)
{
	for (size_t i = 0; i < requests->n_unheard; i++)
		log_info("%s has no effect: see \"Asking for an address\" in docs/ipam.md",
			 requests->unheard[i]);
	for (size_t i = 0; i < conf->n_notes; i++) {
		const struct ipamconf_note *note = conf->notes[i];

		if (note->loud)
			log_warn("ipam.%s has no effect: %s", note->key, note->why);
		else
			log_info("ipam.%s has no effect: %s", note->key, note->why);
	}
	if (conf->n_ranges > 0 && !ipamconf_is_sliced(conf) && home->durability == FILE_VOLATILE)
		log_info("network %s has no nodeSlice: its ranges are this node's alone only if no "
			 "other node has the network",
			 network);
}

static char *print_answer(const struct ipamconf *conf, const struct want *wants, size_t n,
			  const struct inet_prefix *addresses, const char *version)
{
	struct cni_result result = { .n_ips = n, .dns = conf->dns };

	for (size_t i = 0; i < n; i++) {
		result.ips[i].address = addresses[i];
		result.ips[i].gateway = want_gateway(conf, &wants[i], addresses[i].addr);
	}
	memcpy(result.routes, conf->routes, sizeof(result.routes));
	result.n_routes = conf->n_routes;
	return result_print(&result, NULL, NULL, version);
}

static int lease_all(const struct cni_call *call, const struct ipamconf *conf, struct pool *pool,
		     const struct want *wants, size_t n, char **ret_answer, struct err *err)
{
	struct inet_prefix addresses[LEASE_SLOTS_MAX];
	struct lease owner = owner_of(&call->args);
	char domain[LEASE_DOMAIN_SIZE], text[INET_PREFIX_TEXT_SIZE];
	int r;

	if (conf->shares)
		pool_share(pool, domain_name(conf->network_name, domain));
	r = alloc_add(pool, &owner, wants, n, addresses, &newly_leased, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		log_debug("leased %s", inet_format_prefix(addresses[i], text));
	*ret_answer = print_answer(conf, wants, n, addresses, call->version);
	if (*ret_answer)
		return 0;
	alloc_release(pool, owner.id, owner.ifname, newly_leased, err);
	return err_set(err, CNI_IO_FAILURE, -ENOMEM, "out of memory");
}

static int add_to(const struct cni_call *call, const struct ipamconf *conf, const struct home *home,
		  char **ret_answer, struct err *err)
{
	struct want wants[LEASE_SLOTS_MAX];
	struct requests requests;
	struct pool pool;
	size_t n;
	int r = request_read(call, &requests, err);

	if (r == 0)
		r = want_list(conf, &requests, wants, &n, err);
	if (r < 0)
		return r;
	log_notes(conf, &requests, home, call->name);
	r = open_pool(call, home, HOME_CREATE, &pool, err);
	if (r < 0)
		return r;
	r = lease_all(call, conf, &pool, wants, n, ret_answer, err);
	pool_close(&pool);
	return r;
}

static int add(const struct cni_call *call, char **ret_answer, struct err *err)
{
	struct ipamconf conf;
	struct home home;
	int r = setting_read(call, &conf, &home, err);

	if (r < 0)
		return r;
	r = add_to(call, &conf, &home, ret_answer, err);
	ipamconf_free(&conf);
	return r;
}

/* ---- DEL: needs name, container and interface, never the ranges ---- */

static int release(const struct cni_call *call, unsigned slots, struct err *err)
{
	struct home home;
	struct pool pool;
	int r = setting_guess(call, &home, err);

	if (r < 0)
		return r;
	r = open_pool(call, &home, HOME_EXISTING, &pool, err);
	if (r < 0)
		return r == -ENOENT && !err_is_set(err) ? 0 : r;
	r = alloc_release(&pool, call->args.container_id, call->args.ifname, slots, err);
	pool_close(&pool);
	return r;
}

static int del(const struct cni_call *call, char **ret_answer, struct err *err)
{
	(void)ret_answer;
	return release(call, ALLOC_ALL_SLOTS, err);
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

static int no_lease(const struct cni_call *call, const struct pool *pool, int slot, struct err *err)
{
	char what[32];

	snprintf(what, sizeof(what),
		 slot < LEASE_RANGES_MAX ? "address of range %d" : "static address %d",
		 slot % LEASE_RANGES_MAX);
	return err_set(
		err, ROCE_DRIFT, -ENOENT,
		"no %s of network %s is leased to container %s, interface %s; it was released "
		"or its record removed from %s: recreate the pod",
		what, call->name, call->args.container_id, call->args.ifname, pool->path);
}

static int check_lease(const struct cni_call *call, const struct pool *pool, int slot,
		       const struct cni_result *prev, struct err *err)
{
	const struct cni_args *args = &call->args;
	char text[INET_PREFIX_TEXT_SIZE];
	struct lease lease;
	int r = pool_find(pool, args->container_id, args->ifname, slot, &lease, err);

	if (r < 0 && r != -ESTALE)
		return r;
	if (r <= 0)
		return no_lease(call, pool, slot, err);
	if (prev->n_ips > 0 && !among(prev, lease.address.addr))
		return err_set(err, ROCE_DRIFT, -ESTALE,
			       "%s is leased to container %s, interface %s, but it is not among "
			       "the ips of prevResult: recreate the pod",
			       inet_format_prefix(lease.address, text), args->container_id,
			       args->ifname);
	return 0;
}

static int check_all(const struct cni_call *call, const struct ipamconf *conf,
		     const struct home *home, const struct cni_result *prev, struct err *err)
{
	struct pool pool;
	int r = open_pool(call, home, HOME_EXISTING, &pool, err);

	if (r == -ENOENT && !err_is_set(err))
		return err_set(
			err, ROCE_DRIFT, -ENOENT,
			"network %s has no address pool: all its leases are gone; recreate the pod",
			call->name);
	if (r < 0)
		return r;
	for (size_t i = 0; i < conf->n_sets && r == 0; i++)
		r = check_lease(call, &pool, (int)i, prev, err);
	for (size_t i = 0; i < conf->n_statics && r == 0; i++)
		r = check_lease(call, &pool, LEASE_RANGES_MAX + (int)i, prev, err);
	pool_close(&pool);
	return r;
}

static int check(const struct cni_call *call, char **ret_answer, struct err *err)
{
	const json_t *prev_json = json_object_get(call->json, "prevResult");
	struct cni_result prev = { 0 };
	struct ipamconf conf;
	struct home home;
	int r = setting_read(call, &conf, &home, err);

	(void)ret_answer;
	if (r < 0)
		return r;
	ipamconf_free(&conf); /* the numbers are enough */
	if (json_is_object(prev_json) && result_parse(prev_json, &prev, err) < 0)
		return err_wrap(err, "prevResult");
	return check_all(call, &conf, &home, &prev, err);
}

/* ---- GC ---- */

static int collect(const struct cni_call *call, const struct attachments *valid, struct err *err)
{
	const char *network_name = ipamconf_peek(call->json, "network_name");
	char domain[LEASE_DOMAIN_SIZE];
	struct home home;
	struct pool pool;
	int r = setting_home(call, &home, err);

	if (r < 0)
		return r;
	r = open_pool(call, &home, HOME_EXISTING, &pool, err);
	if (r < 0)
		return r == -ENOENT && !err_is_set(err) ? 0 : r;
	if (!network_name || cniargs_name_ok(network_name))
		pool_share(&pool, domain_name(network_name ? network_name : "", domain));
	r = alloc_collect(&pool, attachments_have, valid, err);
	pool_close(&pool);
	return r;
}

static int gc(const struct cni_call *call, char **ret_answer, struct err *err)
{
	struct attachments valid;
	int r = attachments_read(call->json, &valid, err);

	(void)ret_answer;
	if (r < 0)
		return r;
	r = collect(call, &valid, err);
	attachments_free(&valid);
	return r;
}

/* ---- STATUS ---- */

/* The only proof that a folder takes records is one that it took. */
static int try_write(const struct home *home, struct err *err)
{
	static const char name[] = ".status", text[LEASE_TEXT_MAX] = "status";
	_cleanup_close_ int dir = home_open(home, HOME_CREATE, err);
	int r;

	if (dir < 0)
		return -err->eno;
	r = file_write_atomic(dir, name, text, sizeof(text), home->durability);
	unlinkat(dir, name, 0);
	return r < 0 ? err_set(err, CNI_UNAVAILABLE, r,
			       "the state folder %s takes no files: %s; no address can be leased",
			       home->path, strerror(-r))
		     : 0;
}

static int status(const struct cni_call *call, char **ret_answer, struct err *err)
{
	struct ipamconf conf;
	struct home home;
	int r = setting_read(call, &conf, &home, err);

	(void)ret_answer;
	if (r == 0) {
		ipamconf_free(&conf);
		r = try_write(&home, err);
	}
	if (r < 0 && err->code != CNI_CONFIG_INVALID && err->code != CNI_DECODING_FAILURE)
		err->code =
			CNI_UNAVAILABLE; /* the node is not ready; the others are the network's */
	return r;
}

int main(void)
{
	static const struct cnicall_plugin plugin = {
		.name = "roce-ipam",
		.about = "roce-ipam " ROCE_VERSION
			 " - CNI IPAM plugin: gives IP addresses from the ranges of a network.\n"
			 "Another CNI plugin starts it, by \"ipam\": {\"type\": \"roce-ipam\"}: see roce-ipam(8).",
		.is_guest = true,
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
