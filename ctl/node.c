// SPDX-License-Identifier: Apache-2.0
#include "ctl/node.h"

#include "cni/owner.h"
#include "cni/pick.h"
#include "ctl/lint.h"
#include "ipam/domain.h"
#include "ipam/peek.h"

#include <errno.h>

int node_open(const char *netns, struct node *ret_node, struct err *err)
{
	struct node node = { .host = SIDE_CLOSED, .pod = SIDE_CLOSED };
	int r = side_open_host(&node.host, err);

	if (r == 0 && netns)
		r = side_open_pod(netns, &node.host, false, &node.pod, err);
	else if (r == 0)
		side_open_empty(&node.pod, &node.pod_err); /* without it: only the host's side */
	if (r < 0)
		node_close(&node);
	else
		*ret_node = node;
	return r;
}

void node_close(struct node *node)
{
	side_close(&node->pod);
	side_close(&node->host);
}

/* ---- which device ---- */

static void look_for_vf(const struct node *node, const struct profile *profile,
			const struct netconf *conf, struct node_picked *ret_picked)
{
	_cleanup_store_ struct store store = STORE_CLOSED;
	const struct pick pick = { &node->host, profile, &store, conf->pf, conf->fabric };

	store_peek(profile, &store); /* no folder, no claim */
	pick_look(&pick, ret_picked->pci, &ret_picked->err);
	if (!conf->pf && err_is_set(&ret_picked->err))
		err_wrap(&ret_picked->err, "no VF was named by --device");
}

int node_pick(struct node *node, const struct profile *profile, const struct netconf *conf,
	      char ret_pci[PCI_TEXT_SIZE], struct err *err)
{
	struct node_picked *picked = &node->picked;
	struct node_picked asked = { .asked = true };

	snprintf(asked.pf, sizeof(asked.pf), "%s", conf->pf ? conf->pf : "");
	snprintf(asked.fabric, sizeof(asked.fabric), "%s", conf->fabric ? conf->fabric : "");
	if (!picked->asked || !streq(picked->pf, asked.pf) || !streq(picked->fabric, asked.fabric)) {
		*picked = asked;
		look_for_vf(node, profile, conf, picked);
	}
	memcpy(ret_pci, picked->pci, PCI_TEXT_SIZE);
	*err = picked->err;
	return -err->eno;
}

/* ---- the plan ---- */

static void say_unknown(struct findings *findings, const char *what, const char *why)
{
	finding_fix(finding_add(findings, SEVERITY_WARNING, CNI_OK, "unknown", "%s: unknown: %s", what,
				why),
		    "run as root");
}

static void describe_rdma(const struct netconf *conf, const struct host_state *state,
			  struct report *report)
{
	static const char *const modes[] = {
		[RDMADEV_NONE] = "this kernel has no RDMA subsystem loaded",
		[RDMADEV_SHARED] = "mode shared: it stays visible everywhere",
		[RDMADEV_EXCLUSIVE] = "mode exclusive: it moves into the pod",
	};
	const struct device *device = &state->device;

	if (conf->rdma == RDMA_SOFT)
		snprintf(report->rdma, sizeof(report->rdma),
			 "soft: whether this kernel can in a pod shows only at ADD");
	else if (conf->rdma == RDMA_OFF)
		snprintf(report->rdma, sizeof(report->rdma), "off: it stays as and where it is");
	else if (device->has_rdma)
		snprintf(report->rdma, sizeof(report->rdma), "device %s, %s", device->rdma.name,
			 modes[state->rdma_mode]);
	else if (*device->pci.addr)
		snprintf(report->rdma, sizeof(report->rdma), "none on this device%s%s",
			 state->rdma_mode == RDMADEV_NONE ? "; " : "",
			 state->rdma_mode == RDMADEV_NONE ? modes[RDMADEV_NONE] : "");
}

/* A plan starts with its own list of findings; what was found before goes in front. */
static void join(const struct findings *before, struct findings *findings)
{
	struct findings all = *before;

	for (size_t i = 0; i < findings->n && all.n < FINDINGS_MAX; i++)
		all.items[all.n++] = findings->items[i];
	*findings = all;
}

/* An attachment of this node may have it; where the folder cannot be read, that is not known. */
static void explain_missing(const struct profile *profile, const struct netconf *conf,
			    struct err *err)
{
	_cleanup_store_ struct store store = STORE_CLOSED;

	if (store_peek(profile, &store) == 0)
		owner_explain(&store, conf, err);
}

/* A device with a netdev would be in its owner's pod; one in the hands of a process looks as if it were free. */
static int check_owner(const struct profile *profile, const struct device *device, struct err *err)
{
	_cleanup_store_ struct store store = STORE_CLOSED;
	_cleanup_journal_ struct journal owner = { 0 };
	struct err ignored = { 0 };
	char name[STORE_NAME_SIZE];

	if (!device->userspace || store_peek(profile, &store) < 0 ||
	    !store_owner(&store, device->key, name) ||
	    journal_read(&store, name, &owner, &ignored) < 0 || !journal_of_this_boot(&owner) ||
	    netns_at(owner.netns, owner.netns_id) < 0)
		return 0;
	return owner_busy(&owner, err);
}

void node_plan(const struct node *node, const struct profile *profile, const struct netconf *conf,
	       const char *ifname, struct report *report)
{
	struct host_state *state = &report->state;
	struct device device;
	struct err err = { 0 };
	int r = observe_device(conf, &node->host, &device, &err);

	if (r < 0)
		explain_missing(profile, conf, &err);
	else
		r = check_owner(profile, &device, &err);
	if (r == 0)
		r = observe_state(conf, profile, &device, &node->host, &node->pod, ifname, state,
				  &err);
	if (r < 0) {
		lint_error(&err, "man 8 roce", &report->findings);
		return;
	}
	plan_add(conf, profile, state, ifname, &report->plan);
	join(&report->findings, &report->plan.findings);
	report->findings = report->plan.findings;
	report->planned = true;
	report->ifname = ifname;
	memcpy(report->device, device.name, sizeof(report->device));
	memcpy(report->pci, device.pci.addr, sizeof(report->pci));
	describe_rdma(conf, state, report);
	if (node->pod.netns < 0)
		say_unknown(&report->findings, "the pod's side", node->pod_err.msg);
}

/* ---- the log ---- */

void node_log(const struct profile *profile, const char *file, struct findings *findings)
{
	_cleanup_close_ int fd = -1;
	struct err err = { 0 };

	fd = logconf_open(profile, file, LOGFILE_LOOK, NULL, &err);
	if (err.eno == EACCES || err.code == CNI_IO_FAILURE)
		say_unknown(findings, "the log", err.msg);
	else if (err_is_set(&err))
		lint_error(&err, "man 8 roce", findings);
}

/* ---- addresses ---- */

/* Where a network's leases are, and whom it shares its addresses with. */
struct pool_place {
	char path[HOME_PATH_SIZE + CNI_NAME_MAX + 2];
	char domain[LEASE_DOMAIN_SIZE];
	bool shares;
};

/* The ranges of one set give one address together: the first that has one. */
static void next_of_set(const struct pool_place *place, const struct range *ranges, size_t n,
			struct report *report)
{
	struct inet_prefix *next = &report->next[report->n_next];
	char what[INET_PREFIX_TEXT_SIZE + 32], cidr[INET_PREFIX_TEXT_SIZE];
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		r = peek_first_free(place->path, place->shares ? place->domain : NULL, &ranges[i],
				    &next->addr);
		next->len = ranges[i].subnet.len;
	}
	snprintf(what, sizeof(what), "next address of %s", inet_format_prefix(ranges[0].subnet, cidr));
	if (r > 0)
		report->n_next++;
	else if (r < 0)
		say_unknown(&report->findings, what, strerror(-r));
	else
		finding_fix(finding_add(&report->findings, SEVERITY_ERROR, ROCE_IPAM_EXHAUSTED,
					"range-exhausted", "%s: all are taken", what),
			    "widen the range or delete unused pods; who holds them: ls %s/by-id",
			    place->path);
}

void node_addresses(const struct profile *profile, const char *network, struct ipamconf *ipam,
		    struct report *report)
{
	struct pool_place place = { .shares = ipam->shares };
	struct err err = { 0 };
	struct home home;
	size_t n;

	if (home_find(profile, ipam->data_dir, &home, &err) < 0 ||
	    ipamconf_slice(ipam, profile->node_index, &err) < 0) {
		lint_error(&err, "man 8 roce-ipam", &report->findings);
		return;
	}
	snprintf(place.path, sizeof(place.path), "%s/%s", home.path, network);
	domain_name(ipam->network_name, place.domain);
	for (size_t i = 0; i < ipam->n_ranges; i += n) {
		for (n = 1; i + n < ipam->n_ranges; n++)
			if (ipam->ranges[i + n].set != ipam->ranges[i].set)
				break;
		next_of_set(&place, &ipam->ranges[i], n, report);
	}
}
