// SPDX-License-Identifier: Apache-2.0
#include "ctl/report.h"

#include "conf/roce.h"

void report_count(const struct report *report, struct tally *tally)
{
	for (size_t i = 0; i < report->findings.n; i++)
		tally->n[report->findings.items[i].severity]++;
}

/* ---- text ---- */

static void print_addresses(const struct report *report)
{
	char text[INET_PREFIX_TEXT_SIZE];

	if (report->n_next == 0)
		return;
	printf("Addresses: next is");
	for (size_t i = 0; i < report->n_next; i++)
		printf("%s %s", i ? "," : "", inet_format_prefix(report->next[i], text));
	printf(" (not reserved)\n");
}

void report_print(const struct report *report)
{
	printf("%s %s%s%s%s(%s", report->what, report->namespace, *report->namespace ? "/" : "",
	       report->name, *report->name ? " " : "", report->file);
	if (report->line)
		printf(":%d", report->line);
	printf(")\n");
	if (report->planned) {
		ctl_print_chain(&report->plan.chain, report->ifname);
		ctl_print_steps(&report->plan, report->device);
		print_addresses(report);
		if (*report->rdma)
			printf("RDMA: %s\n", report->rdma);
	}
	ctl_print_findings(&report->findings, report->file);
}

/* ---- JSON ---- */

static json_t *chain_to_json(const struct mtu_chain *chain)
{
	json_t *hops = json_array();

	for (size_t i = 0; i < chain->n_hops; i++) {
		const struct mtu_hop *hop = &chain->hops[i];
		bool max_known = hop->max > 0;

		json_array_append_new(
			hops,
			json_pack("{ss ss si si so sb sb}", "kind", mtu_hop_kind_name(hop->kind),
				  "name", hop->name, "has", hop->mtu, "needs", hop->need, "maximum",
				  max_known ? json_integer(hop->max) : json_null(), "ok", hop->ok,
				  "bottleneck", i == chain->bottleneck));
	}
	return json_pack("{si si si so}", "podMTU", chain->pod_mtu, "roceMTU", chain->pod_roce_mtu,
			 "wireFrame", mtu_frame(chain), "hops", hops);
}

static json_t *steps_to_json(const struct report *report)
{
	json_t *steps = json_array();
	char text[STEP_TEXT_SIZE];

	for (size_t i = 0; i < report->plan.n_steps; i++) {
		const struct step *step = &report->plan.steps[i];

		json_array_append_new(
			steps, json_pack("{ss sb ss}", "type", step_type_name(step->type), "changes",
					 step_changes(step), "text",
					 step_print(step, report->device, text)));
	}
	return steps;
}

json_t *report_to_json(const struct report *report)
{
	json_t *json = json_pack("{so si ss so so so}", "file", jx_readable(report->file), "line",
				 report->line, "what", report->what, "name",
				 jx_readable(report->name), "namespace",
				 jx_readable(report->namespace), "findings",
				 finding_to_json(&report->findings));

	if (!json || !report->planned)
		return json;
	json_object_set_new(json, "device", json_string(report->device));
	json_object_set_new(json, "pci", json_string(report->pci));
	json_object_set_new(json, "rdma", json_string(report->rdma));
	json_object_set_new(json, "chain", chain_to_json(&report->plan.chain));
	json_object_set_new(json, "steps", steps_to_json(report));
	json_object_set_new(json, "nextAddresses", result_prefixes(report->next, report->n_next));
	return json;
}
