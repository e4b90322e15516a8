// SPDX-License-Identifier: Apache-2.0
#include "cni/verbs.h"

#include "base/log.h"
#include "base/stop.h"
#include "cni/apply.h"
#include "cni/detach.h"
#include "cni/deviceinfo.h"
#include "cni/owner.h"
#include "cni/pick.h"
#include "cni/plan.h"
#include "cni/ready.h"
#include "netlink/announce.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

/* All that one ADD holds; add_release() lets go of it. */
struct add {
	const struct cni_call *call;
	struct netconf conf;
	struct profile profile;
	struct store store;
	struct store_lock attachment_lock;
	struct store_lock device_lock;
	struct apply apply;
	struct host_state state;
	struct plan plan;
	struct link link; /* in the pod, when all is done */
	struct journal journal;
};

static void add_release(struct add *add)
{
	store_unlock(&add->device_lock);
	store_unlock(&add->attachment_lock);
	json_decref(add->apply.result_json);
	side_close(&add->apply.pod);
	side_close(&add->apply.host);
	store_close(&add->store);
	profile_free(&add->profile);
}

/* ---- what is asked, and where ---- */

static int read_request(struct add *add, struct err *err)
{
	const struct cni_call *call = add->call;
	int r = netconf_read(call, &add->conf, err);

	if (r < 0)
		return r;
	add->apply.delegate = verbs_delegate(call, add->conf.ipam_type);
	if (add->conf.ipam_type)
		r = delegate_find(&add->apply.delegate, err);
	return r < 0 ? r : profile_load(PROFILE_PATH, &add->profile, err);
}

static int open_sides(struct add *add, struct err *err)
{
	const struct cni_args *args = &add->call->args;
	int r = side_open_host(&add->apply.host, err);

	if (r == 0)
		r = side_open_pod(args->netns, &add->apply.host, args->netns_override,
				  &add->apply.pod, err);
	return r;
}

/* ---- who has the device ---- */

/* A journal that an earlier ADD of the same attachment left: finished, or cut off in the middle. */
static int settle_attachment(struct add *add, const struct attachment *attachment, struct err *err)
{
	_cleanup_journal_ struct journal old = { 0 };
	char name[STORE_NAME_SIZE];
	int r = journal_read(&add->store, store_name(attachment, name), &old, err);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	if (old.active)
		return err_set(err, ROCE_DEVICE_BUSY, -EEXIST,
			       "container %s has interface %s in network %s already (device %s); DEL comes before another ADD",
			       attachment->container_id, attachment->ifname, attachment->network,
			       old.device.key);
	log_warn("an earlier ADD of this attachment was cut off: undoing it first");
	return detach(&add->store, &add->apply.host, &old, false, add->call->args.netns,
		      add->call->args.path, err);
}

/*
 * The device is on the host and locked, so whoever has the claim does not have the device: a pod that
 * died without a DEL. Its leftovers, the name among them, must not become the next pod's baseline.
 */
static int settle_device(struct add *add, const char *key, struct err *err)
{
	_cleanup_journal_ struct journal old = { 0 };
	char owner[STORE_NAME_SIZE];
	int r;

	if (!store_owner(&add->store, key, owner))
		return 0;
	r = journal_read(&add->store, owner, &old, err);
	if (r == -ENOENT) {
		store_unclaim(&add->store, key);
		return 0;
	}
	if (r < 0)
		return r;
	if (detach_is_live(&add->apply.host, &old)) /* another device of this ifindex, or a process has it */
		return owner_busy(&old, err);
	log_warn("device %s comes back from container %s, which was never deleted: restoring it first",
		 key, old.attachment.container_id);
	r = detach(&add->store, &add->apply.host, &old, true, NULL, add->call->args.path, err);
	return r < 0 ? r : observe_device(&add->conf, &add->apply.host, &add->apply.device, err);
}

static int settle_picked(const char *pci, void *arg, struct err *err)
{
	struct add *add = arg;
	struct apply *a = &add->apply;
	int r;

	snprintf(add->conf.device_id, sizeof(add->conf.device_id), "%s", pci);
	r = observe_device(&add->conf, &a->host, &a->device, err);
	return r < 0 ? r : settle_device(add, a->device.key, err);
}

static int take_picked(struct add *add, struct err *err)
{
	const struct pick pick = {
		.host = &add->apply.host,
		.profile = &add->profile,
		.store = &add->store,
		.pf = add->conf.pf,
		.fabric = add->conf.fabric,
	};

	return pick_take(&pick, settle_picked, add, &add->device_lock, err);
}

static int take_device(struct add *add, struct err *err)
{
	const struct attachment attachment = verbs_attachment(add->call);
	struct apply *a = &add->apply;
	int r;

	r = store_open(&add->profile, &add->store, err);
	if (r == 0)
		r = store_lock_attachment(&add->store, &attachment, &add->attachment_lock, err);
	if (r == 0)
		r = settle_attachment(add, &attachment, err);
	if (r < 0)
		return r;
	if (add->conf.pf)
		return take_picked(add, err);
	r = observe_device(&add->conf, &a->host, &a->device, err);
	if (r < 0)
		return owner_explain(&add->store, &add->conf, err);
	r = store_lock_device(&add->store, a->device.key, &add->device_lock, err);
	if (r < 0)
		return r;
	r = observe_device(&add->conf, &a->host, &a->device, err); /* while we waited it may have left */
	return r < 0 ? owner_explain(&add->store, &add->conf, err) : settle_device(add, a->device.key, err);
}

/* ---- plan ---- */

static void log_findings(const struct findings *findings)
{
	for (size_t i = 0; i < findings->n; i++)
		if (findings->items[i].severity == SEVERITY_WARNING)
			log_warn("%s", findings->items[i].text);
}

static void log_rdma(const struct netconf *conf, const struct host_state *state)
{
	static const char *const modes[] = {
		[RDMADEV_NONE] = "the kernel has no RDMA subsystem loaded",
		[RDMADEV_SHARED] = "mode shared, it stays visible everywhere",
		[RDMADEV_EXCLUSIVE] = "mode exclusive, it moves with the netdev",
	};

	if (!*state->device.pci.addr || conf->rdma == RDMA_SOFT)
		return;
	if (conf->rdma == RDMA_OFF)
		log_info("rdma is off: an RDMA device of device %s stays where it is",
			 state->device.key);
	else if (!state->device.has_rdma)
		log_info("device %s has no RDMA device", state->device.key);
	else
		log_info("device %s has RDMA device %s: %s", state->device.key,
			 state->device.rdma.name, modes[state->rdma_mode]);
}

static void log_chain(const struct add *add)
{
	const struct device *device = &add->apply.device;
	const struct mtu_chain *chain = &add->plan.chain;

	log_debug("device %s is %s, driver or kind %s, ifindex %d", device->key, device->name,
		  *device->pci.driver ? device->pci.driver : device->kind, device->ifindex);
	for (size_t i = 0; i < chain->n_hops; i++)
		log_debug("%s %s has MTU %d, needs %d", mtu_hop_kind_name(chain->hops[i].kind),
			  chain->hops[i].name, chain->hops[i].mtu, chain->hops[i].need);
	log_debug("the pod gets MTU %d, which carries RoCE path MTU %d", chain->pod_mtu,
		  chain->pod_roce_mtu);
}

static int make_plan(struct add *add, struct err *err)
{
	struct apply *a = &add->apply;
	const char *ifname = add->call->args.ifname;
	struct host_state *state = &add->state;
	int r;

	r = observe_state(&add->conf, &add->profile, &a->device, &a->host, &a->pod, ifname, state,
			  err);
	if (r < 0)
		return r;
	a->device = state->device;
	a->device.has_rdma &= netconf_takes_rdma(&add->conf);
	a->pf_ifindex = state->pf.ifindex;
	plan_add(&add->conf, &add->profile, state, ifname, &add->plan);
	log_chain(add);
	log_findings(&add->plan.findings);
	log_rdma(&add->conf, state);
	return finding_refuse(&add->plan.findings, err);
}

/* ---- do ---- */

static int start_journal(struct add *add, struct err *err)
{
	const struct cni_call *call = add->call;
	struct journal *journal = &add->journal;
	int r;

	*journal = (struct journal){
		.attachment = verbs_attachment(call),
		.netns = call->args.netns,
		.netns_id = add->apply.pod.id,
		.time = time(NULL),
		.device = add->apply.device,
		.n_steps = add->plan.n_steps,
		.ipam_type = add->conf.ipam_type,
		.cni_args = call->args.args,
		.config = call->text,
		.config_len = call->text_len,
	};
	journal_boot_id(journal->boot_id);
	memcpy(journal->steps, add->plan.steps, add->plan.n_steps * sizeof(*journal->steps));
	plan_home(journal->device.pci.is_vf ? add->state.fabric : NULL, journal->steps,
		  journal->n_steps);
	r = journal_write(&add->store, journal, err);
	if (r == 0)
		r = store_claim(&add->store, journal->device.key, &journal->attachment, err);
	return r;
}

/* A route of the IPAM plugin may ask for an MTU of its own. */
static int settle_routes(struct add *add, struct err *err)
{
	struct cni_result *result = &add->apply.result;
	struct findings findings = { .n = 0 };
	char dst[INET_PREFIX_TEXT_SIZE];

	for (size_t i = 0; i < result->n_routes; i++) {
		struct cni_route *route = &result->routes[i];

		if (route->mtu.set)
			route->mtu.value = mtu_route(&add->plan.chain,
						     inet_format_prefix(route->dst, dst),
						     route->mtu.value, &findings);
	}
	log_findings(&findings);
	return finding_refuse(&findings, err);
}

static int run_steps(struct add *add, struct err *err)
{
	struct apply *a = &add->apply;
	struct plan addresses;
	int r = apply_do(a, add->plan.steps, add->plan.n_steps, err);

	if (r < 0 || !add->conf.ipam_type || a->device.userspace)
		return r;
	r = settle_routes(add, err);
	if (r < 0)
		return r;
	plan_addresses(&a->result, &addresses);
	if (a->result.n_ips > 0) /* before them: see addr_prepare_ipv6() */
		announce_wait(a->pod.netns, a->pod.rt, a->device.pod_ifindex,
			      add->profile.carrier_wait_ms);
	return apply_do(a, addresses.steps, addresses.n_steps, err);
}

/* A subfunction is no PCI device, and its PF's address would tell one from another as little as none. */
static void set_pci_id(const struct device *device, struct cni_iface *iface)
{
	if (!device->pci.is_sf)
		snprintf(iface->pci, sizeof(iface->pci), "%.12s", device->pci.addr);
}

/* A VF in the hands of a process: what was ordered on its PF, and the MTU only if somebody named one. */
static int read_back_vf(struct add *add, struct cni_iface *ret_iface, struct err *err)
{
	const struct apply *a = &add->apply;
	const struct fabric *fabric = add->state.fabric;
	struct opt_int mtu = add->conf.set.mtu;
	struct vf vf;
	int r = vf_get(a->host.rt, add->state.pf.ifindex, a->device.pci.vf_index, &vf, err);

	if (r < 0)
		return r;
	if (!mtu.set && fabric && fabric->pod_mtu.set)
		mtu = (struct opt_int){ true, add->plan.chain.pod_mtu };
	*ret_iface = (struct cni_iface){ .mtu = mtu.set ? add->plan.chain.pod_mtu : 0,
					 .sandbox = add->call->args.netns };
	snprintf(ret_iface->name, sizeof(ret_iface->name), "%s", add->call->args.ifname);
	set_pci_id(&a->device, ret_iface);
	if (mac_is_unicast(vf.mac))
		mac_format(vf.mac, ret_iface->mac);
	return 0;
}

/* What the pod has now, as the kernel says: the answer never repeats the request. */
static int read_back(struct add *add, struct cni_iface *ret_iface, struct err *err)
{
	const struct device *device = &add->apply.device;
	struct link link;
	int r = link_get(add->apply.pod.rt, device->pod_ifindex, &link);

	if (r < 0)
		return err_set(err, ROCE_DEVICE_NOT_FOUND, r, "%s left the pod while ADD was running",
			       device->name);
	if (link.mtu != add->plan.chain.pod_mtu)
		return err_set(err, ROCE_MTU_MISMATCH, -EIO,
			       "MTU_MISMATCH at the pod: MTU %d was planned, %s has %d",
			       add->plan.chain.pod_mtu, link.name, link.mtu);
	add->link = link;
	*ret_iface = (struct cni_iface){ .mtu = link.mtu, .sandbox = add->call->args.netns };
	memcpy(ret_iface->name, link.name, sizeof(ret_iface->name));
	set_pci_id(device, ret_iface);
	mac_format(link.mac, ret_iface->mac);
	return 0;
}

static int wait_ready(struct add *add, struct err *err)
{
	if (!add->apply.device.has_rdma)
		return 0;
	return ready_wait(&add->apply, &add->plan.chain, add->conf.rdma == RDMA_REQUIRED,
			  add->profile.gid_wait_ms, err);
}

static int finish(struct add *add, char **ret_answer, struct err *err)
{
	struct apply *a = &add->apply;
	struct cni_iface iface;
	int r = a->device.userspace ? read_back_vf(add, &iface, err) : read_back(add, &iface, err);

	if (r < 0)
		return r;
	add->journal.active = true;
	add->journal.device = a->device;
	add->journal.n_addresses = a->result.n_ips;
	for (size_t i = 0; i < a->result.n_ips; i++)
		add->journal.addresses[i] = a->result.ips[i].address;
	r = journal_write(&add->store, &add->journal, err);
	if (r < 0)
		return r;
	deviceinfo_write(add->conf.device_info_file, &a->device);
	if (json_object_size(add->conf.dns) > 0)
		a->result.dns = add->conf.dns;
	*ret_answer = result_print(&a->result, &iface, add->conf.prev_result, add->call->version);
	return *ret_answer ? 0 : err_set(err, CNI_IO_FAILURE, -ENOMEM, "out of memory");
}

/* Best effort, and the last thing that is done. */
static void announce(const struct add *add)
{
	const struct apply *a = &add->apply;
	const struct announcer announcer = {
		.netns = a->pod.netns,
		.sock = a->pod.rt,
		.link = &add->link,
		.echoes = *a->device.pci.pf,
	};
	struct addr addrs[RESULT_IPS_MAX];
	struct plan addresses;
	size_t n = 0;

	plan_addresses(&a->result, &addresses);
	for (size_t i = 0; i < addresses.n_steps; i++)
		if (addresses.steps[i].type == STEP_ADDR)
			addrs[n++] = addresses.steps[i].addr;
	announce_send(&announcer, addrs, n);
}

/* After a failure: as before, or, if even that fails, with the journal kept and a word about it. */
static void undo_all(struct add *add, struct err *err)
{
	struct err undo = { 0 };

	add->journal.device = add->apply.device;
	if (detach(&add->store, &add->apply.host, &add->journal, true, add->call->args.netns,
		   add->call->args.path, &undo) == 0)
		return;
	err_detail(err, "%s", undo.msg);
	if (*undo.details)
		err_detail(err, "%s", undo.details);
}

static int run(struct add *add, char **ret_answer, struct err *err)
{
	int r = stop_check(err);

	if (r < 0)
		return r;
	r = start_journal(add, err);
	if (r == 0)
		r = run_steps(add, err);
	if (r == 0)
		r = wait_ready(add, err);
	if (r == 0)
		r = finish(add, ret_answer, err);
	if (r == 0)
		announce(add);
	else
		undo_all(add, err);
	return r;
}

int verb_add(const struct cni_call *call, char **ret_answer, struct err *err)
{
	struct add add = {
		.call = call,
		.store = STORE_CLOSED,
		.attachment_lock = STORE_UNLOCKED,
		.device_lock = STORE_UNLOCKED,
		.apply = { .host = SIDE_CLOSED, .pod = SIDE_CLOSED },
	};
	int r;

	stop_hold();
	stop_heed(true);
	r = read_request(&add, err);
	if (r == 0)
		r = open_sides(&add, err);
	if (r == 0)
		r = take_device(&add, err);
	if (r == 0)
		r = make_plan(&add, err);
	if (r == 0)
		r = run(&add, ret_answer, err);
	stop_heed(false);
	add_release(&add);
	return r;
}
