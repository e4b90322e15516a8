// SPDX-License-Identifier: Apache-2.0
#include "ctl/lint.h"

#include "cni/plan.h"

#include <ctype.h>
#include <errno.h>

enum { ERRORS_MAX = 16 };

/* ---- errors as findings ---- */

static const char *error_id(const struct err *err, char buf[FINDING_ID_SIZE])
{
	const char *name = err_code_name(err->code);
	size_t i;

	if (*err->path && err->code == CNI_DECODING_FAILURE)
		return "wrong-type";
	if (strncmp(err->msg, "unknown key", 11) == 0)
		return "unknown-key";
	if (*err->path)
		return "wrong-value";
	for (i = 0; name[i] && i < FINDING_ID_SIZE - 1; i++)
		buf[i] = name[i] == '_' ? '-' : (char)tolower((unsigned char)name[i]);
	buf[i] = '\0';
	return buf;
}

void lint_error(const struct err *err, const char *manual, struct findings *findings)
{
	char id[FINDING_ID_SIZE];
	struct finding *f = finding_add(findings, SEVERITY_ERROR, err->code, error_id(err, id), "%s",
					err->msg);

	snprintf(f->path, sizeof(f->path), "%s", err->path);
	if (*err->path)
		finding_fix(f, "correct \"%s\"; all keys: %s", err->path, manual);
}

/*
 * A reader stops at its first error. What that was about is taken out and the rest read again, so
 * that one run tells everything; that it is missing then is no news. Return: true to read again.
 */
static bool go_on(json_t *json, const struct err *err, const char *manual,
		  struct findings *findings)
{
	const struct finding *last = findings->n ? &findings->items[findings->n - 1] : NULL;

	if (last && *err->path && streq(last->path, err->path))
		return false;
	lint_error(err, manual, findings);
	return *err->path && jx_remove(json, err->path);
}

void lint_locate(struct source *source, const struct document *document, size_t plugin,
		 struct findings *findings)
{
	for (size_t i = 0; i < findings->n; i++) {
		struct finding *f = &findings->items[i];

		if (*f->path && !f->line)
			f->line = document_line(source, document, plugin, f->path);
	}
}

static struct finding *at(struct findings *findings, enum severity severity, const char *id,
			  const char *path, const char *text)
{
	struct finding *f = finding_add(findings, severity, CNI_CONFIG_INVALID, id, "%s", text);

	snprintf(f->path, sizeof(f->path), "%s", path);
	return f;
}

/* ---- the configuration ---- */

/* Multus takes the device from the resource and writes it into deviceID. */
static void check_resource(const struct document *document, const struct cni_call *call,
			   struct findings *findings)
{
	bool id = json_object_get(call->json, "deviceID") || json_object_get(call->json, "pciBusID");
	bool device = json_object_get(call->json, "device");
	bool pf = json_object_get(call->json, "pf");

	if (!document->is_nad || !document->resource)
		return;
	if (device)
		finding_fix(at(findings, SEVERITY_ERROR, "device-with-resource", "device",
			       "\"device\" names a netdev, while Multus adds a deviceID for the annotated resource: ADD refuses both together"),
			    "remove \"device\", or the annotation k8s.v1.cni.cncf.io/resourceName");
	else if (pf)
		finding_fix(at(findings, SEVERITY_ERROR, "device-with-resource", "pf",
			       "\"pf\" picks a free VF, while Multus adds a deviceID for the annotated resource: ADD refuses both together"),
			    "remove \"pf\", or the annotation k8s.v1.cni.cncf.io/resourceName");
	else if (id)
		finding_fix(at(findings, SEVERITY_WARNING, "device-id-with-resource", "deviceID",
			       "a deviceID is written here, but Multus replaces it by the one that the device plugin allots"),
			    "remove \"deviceID\"");
}

static void check_version(const struct cni_call *call, struct findings *findings)
{
	if (call->version && !result_version_at_least(call->version, "1.0.0"))
		finding_fix(at(findings, SEVERITY_WARNING, "cni-version-hides-mtu", "cniVersion",
			       "results before cniVersion 1.0.0 carry no MTU: the pod's network-status does not show it"),
			    "write \"cniVersion\": \"1.1.0\"");
}

static bool names_device(const json_t *json)
{
	return json_object_get(json, "deviceID") || json_object_get(json, "pciBusID") ||
	       json_object_get(json, "device") || json_object_get(json, "pf");
}

/* A device comes at run time: the parser is told of one. Where none can come, that is said. */
static void stand_in_device(const struct document *document, const char *device, json_t *json,
			    struct findings *findings)
{
	if (device) {
		json_object_set_new(json, "deviceID", json_string(device));
		return;
	}
	if (names_device(json))
		return;
	json_object_set_new(json, "deviceID", json_string(LINT_ANY_DEVICE));
	if (!document->resource)
		finding_fix(finding_add(findings, document->is_nad ? SEVERITY_ERROR : SEVERITY_WARNING,
					CNI_CONFIG_INVALID, "no-device",
					"no device: nothing in the configuration names one, and no resource stands for one"),
			    "annotate the definition with k8s.v1.cni.cncf.io/resourceName and have pods request that resource, or write \"deviceID\", \"pf\" or \"device\"");
}

bool lint_config(const struct document *document, const char *device, struct cni_call *call,
		 struct netconf *ret_conf, struct report *report)
{
	check_resource(document, call, &report->findings);
	check_version(call, &report->findings);
	stand_in_device(document, device, call->json, &report->findings);
	for (int i = 0; i < ERRORS_MAX; i++) {
		struct err err = { 0 };

		if (netconf_read(call, ret_conf, &err) == 0)
			return true;
		if (!go_on(call->json, &err, "man 8 roce", &report->findings))
			break;
	}
	return false;
}

bool lint_log(const struct netconf *conf, const struct profile *profile, struct findings *findings)
{
	struct err err = { 0 };

	if (conf->log.file && logconf_allowed(profile, conf->log.file, NULL, &err) < 0)
		lint_error(&err, "man 8 roce", findings);
	return conf->log.file && !err_is_set(&err);
}

/* ---- ipam ---- */

static void check_slice(const struct document *document, const struct profile *profile,
			const struct ipamconf *ipam, struct findings *findings)
{
	if (document->is_nad && profile->durability == FILE_VOLATILE && !ipamconf_is_sliced(ipam))
		finding_fix(at(findings, SEVERITY_WARNING, "range-on-every-node", "ipam",
			       "every node hands out of this range by itself, so two nodes give the same address"),
			    "write \"nodeSlice\": {\"size\": N}, and \"nodeIndex\" into each node's profile; or give all nodes one \"stateDir\" on a shared folder");
}

/* Keys of other IPAM plugins, accepted so that a configuration moves over by changing its type. */
static void report_notes(const struct ipamconf *ipam, struct findings *findings)
{
	for (size_t i = 0; i < ipam->n_notes; i++) {
		const struct ipamconf_note *note = ipam->notes[i];
		struct finding *f = finding_add(findings,
						note->loud ? SEVERITY_WARNING : SEVERITY_INFO,
						CNI_OK, "key-without-effect", "ipam.%s: %s",
						note->key, note->why);

		snprintf(f->path, sizeof(f->path), "ipam.%s", note->key);
	}
}

bool lint_ipam(const struct document *document, struct cni_call *call, const struct profile *profile,
	       struct ipamconf *ret_ipam, struct report *report)
{
	const json_t *ipam = json_object_get(call->json, "ipam");

	if (!streq(jx_text(ipam, "type"), "roce-ipam"))
		return false;
	for (int i = 0; i < ERRORS_MAX; i++) {
		struct err err = { 0 };

		if (ipamconf_read(call->json, ret_ipam, &err) == 0) {
			report_notes(ret_ipam, &report->findings);
			check_slice(document, profile, ret_ipam, &report->findings);
			return true;
		}
		if (!go_on(call->json, &err, "man 8 roce-ipam", &report->findings))
			break;
	}
	return false;
}

/* ---- the PF ---- */

void lint_pf(const struct netconf *conf, const struct profile *profile, struct findings *findings)
{
	const struct fabric *fabric;
	struct err err = { 0 };

	if (conf->pf && streq(conf->pf, NETCONF_ANY_PF) && !conf->fabric && profile->present &&
	    profile_network_fabric(profile, NULL, &fabric, &err) < 0)
		lint_error(&err, "man 8 roce", findings);
}

/* ---- MTU ---- */

static void lint_on(const struct netconf *conf, const struct fabric *fabric, enum mtu_policy policy,
		    struct report *report)
{
	struct findings *findings = &report->findings;
	struct mtu_chain *chain = &report->plan.chain;
	size_t before = findings->n;
	struct finding *f;

	*chain = (struct mtu_chain){
		.mtu = conf->set.mtu,
		.roce_mtu = conf->roce_mtu,
		.policy = policy,
		.vlan_tags = conf->set.vlan.set && conf->set.vlan.value > 0,
		.fabric = fabric,
		.hops = { { .kind = MTU_HOP_DEVICE, .name = "of the pod" } },
		.n_hops = 1,
	};
	mtu_plan(chain, findings);
	if (findings->n > before)
		return;
	f = finding_add(findings, SEVERITY_INFO, CNI_OK, "mtu-consistent",
			"%s %.64s: netdev MTU %d carries RoCE path MTU %d",
			fabric ? "on fabric" : "on any", fabric ? fabric->name : "fabric",
			chain->pod_mtu, chain->pod_roce_mtu);
	snprintf(f->hop, sizeof(f->hop), "pod");
}

static bool can_be_on(const struct netconf *conf, const struct fabric *fabric)
{
	return !conf->fabric || streq(conf->fabric, fabric->name);
}

void lint_mtu(const struct netconf *conf, const struct profile *profile, struct report *report)
{
	struct findings *findings = &report->findings;
	enum mtu_policy policy = plan_policy(conf, profile, findings);
	size_t looked = 0;

	for (size_t i = 0; i < profile->n_fabrics; i++) {
		if (!can_be_on(conf, &profile->fabrics[i]))
			continue;
		lint_on(conf, &profile->fabrics[i], policy, report);
		looked++;
	}
	if (looked)
		return;
	if (conf->fabric)
		finding_fix(at(findings, SEVERITY_ERROR, "unknown-fabric", "fabric",
			       profile->present ? "this fabric is not in the node profile" :
						  "there is no node profile that could have this fabric"),
			    "write \"fabric\": \"%.64s\", or leave it out",
			    profile->n_fabrics ? profile->fabrics[0].name : "NAME");
	else
		lint_on(conf, NULL, policy, report);
}

void lint_routes(const struct mtu_chain *chain, const struct ipamconf *ipam,
		 struct findings *findings)
{
	char dst[INET_PREFIX_TEXT_SIZE];

	for (size_t i = 0; chain->n_hops > 0 && i < ipam->n_routes; i++)
		if (ipam->routes[i].mtu.set)
			mtu_route(chain, inet_format_prefix(ipam->routes[i].dst, dst),
				  ipam->routes[i].mtu.value, findings);
}

/* ---- networks together ---- */

int lint_remember(struct lint_seen *seen, const struct report *report, const struct ipamconf *ipam)
{
	for (size_t i = 0; i < ipam->n_ranges; i++) {
		const struct range *range = &ipam->ranges[i];
		struct lint_range *grown = base_grow(seen->ranges, seen->n, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		seen->ranges = grown;
		grown[seen->n] = (struct lint_range){
			.file = report->file,
			.line = report->line,
			.shares = ipam->shares,
			.family = range->subnet.addr.family,
			.first = range->first,
			.last = range->last,
		};
		snprintf(grown[seen->n].name, sizeof(grown->name), "%.200s", report->name);
		snprintf(grown[seen->n].namespace, sizeof(grown->namespace), "%.63s",
			 report->namespace);
		snprintf(grown[seen->n].domain, sizeof(grown->domain), "%.63s",
			 ipam->network_name);
		seen->n++;
	}
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct lint_range *x = a, *y = b;

	if (x->family != y->family)
		return x->family - y->family;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void report_overlap(const struct lint_range *a, const struct lint_range *b,
			   struct findings *findings)
{
	bool one_pool = streq(a->name, b->name);
	struct finding *f;

	if (one_pool && streq(a->namespace, b->namespace))
		return; /* the same network twice, in two files or for two plugins */
	if (!one_pool && a->shares && b->shares && streq(a->domain, b->domain))
		return; /* roce-ipam looks at both */
	f = finding_add(findings, SEVERITY_WARNING, CNI_CONFIG_INVALID,
			one_pool ? "network-name-shared" : "ranges-overlap",
			one_pool ? "%s:%d and %s:%d: networks of two namespaces have the name %s and share one pool of addresses"
				 : "%s:%d and %s:%d: the ranges of networks %s and %s overlap: one address can be given twice",
			a->file, a->line, b->file, b->line, a->name, b->name);
	finding_fix(f, one_pool ? "write a \"name\" of its own into each configuration" :
				  "give each network a range of its own");
}

/* By ascending address a range can only overlap the one that reaches furthest so far. */
void lint_overlaps(struct lint_seen *seen, struct findings *findings)
{
	const struct lint_range *furthest = NULL;

	if (seen->n == 0)
		return;
	qsort(seen->ranges, seen->n, sizeof(*seen->ranges), by_address);
	for (size_t i = 0; i < seen->n; i++) {
		const struct lint_range *range = &seen->ranges[i];

		if (furthest && furthest->family == range->family && range->first <= furthest->last)
			report_overlap(furthest, range, findings);
		if (!furthest || furthest->family != range->family || range->last > furthest->last)
			furthest = range;
	}
}

void lint_forget(struct lint_seen *seen)
{
	free(seen->ranges);
	*seen = (struct lint_seen){ .n = 0 };
}
