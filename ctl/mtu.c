// SPDX-License-Identifier: Apache-2.0
/* rocectl mtu: the MTU engine as a calculator; it looks at no host. */
#include "ctl/ctl.h"

#include "conf/roce.h"

#include <errno.h>

/* What the command line says. */
struct options {
	struct opt_int roce_mtu;
	struct opt_int netdev_mtu;
	struct opt_int vlan_tags;
	struct opt_int switch_mtu;
	bool has_semantics;
	enum switch_semantics semantics;
	const struct switch_platform *platform;
	const char *driver;
	bool ipv6;
	enum ctl_output output;
};

static int read_semantics(const char *text, void *field)
{
	struct options *options = field;

	options->has_semantics = true;
	return switch_semantics_parse(text, &options->semantics);
}

static int read_platform(const char *text, void *field)
{
	const struct switch_platform **platform = field, *known;
	size_t n;

	known = switch_platforms(&n);
	*platform = switch_platform(text);
	if (*platform)
		return 0;
	fprintf(stderr, "rocectl mtu: platforms:");
	for (size_t i = 0; i < n; i++)
		fprintf(stderr, " %s", known[i].name);
	fputc('\n', stderr);
	return -EINVAL;
}

static const struct ctl_option options_table[] = {
	{ "roce-mtu", 0, "BYTES", "RoCE path MTU: 256, 512, 1024, 2048, 4096 (default 4096)",
	  ctl_read_int, offsetof(struct options, roce_mtu) },
	{ "netdev-mtu", 0, "BYTES", "MTU of the pod's netdev (default: the least that is needed)",
	  ctl_read_int, offsetof(struct options, netdev_mtu) },
	{ "vlan-tags", 0, "N", "VLAN tags on the wire: 0, 1, 2", ctl_read_int,
	  offsetof(struct options, vlan_tags) },
	{ "ipv6", 0, NULL, "RoCE over IPv6", ctl_read_flag, offsetof(struct options, ipv6) },
	{ "switch-mtu", 0, "BYTES", "MTU in the switch's configuration", ctl_read_int,
	  offsetof(struct options, switch_mtu) },
	{ "switch-semantics", 0, "l3|l2hdr|l2frame", "what that number counts", read_semantics, 0 },
	{ "platform", 0, "NAME", "switch operating system, instead: sonic, junos, ...",
	  read_platform, offsetof(struct options, platform) },
	{ "driver", 0, "NAME", "the device's driver: mlx5_core, ice, irdma, rdma_rxe, ...",
	  ctl_read_text, offsetof(struct options, driver) },
	{ "output", 'o', "text|json", "form of the answer", ctl_read_output,
	  offsetof(struct options, output) },
};

/* ---- the question ---- */

static int complain(const char *what)
{
	fprintf(stderr, "rocectl mtu: %s\n", what);
	return -EINVAL;
}

static bool in_range(struct opt_int n, int least, int most)
{
	return !n.set || (n.value >= least && n.value <= most);
}

static int check_numbers(const struct options *o)
{
	const int *roce = &o->roce_mtu.value;

	if (*roce < ROCE_MTU_MIN || *roce > ROCE_MTU_MAX || (*roce & (*roce - 1)))
		return complain("--roce-mtu must be 256, 512, 1024, 2048 or 4096 (a netdev MTU is --netdev-mtu)");
	if (!in_range(o->netdev_mtu, NETDEV_MTU_MIN, NETDEV_MTU_MAX) ||
	    !in_range(o->switch_mtu, NETDEV_MTU_MIN, NETDEV_MTU_MAX))
		return complain("--netdev-mtu and --switch-mtu must be 68 to 65535");
	if (!in_range(o->vlan_tags, 0, SWITCH_TAGS_MAX))
		return complain("--vlan-tags must be 0, 1 or 2");
	if (o->driver && !roce_driver_known(o->driver))
		fprintf(stderr, "rocectl mtu: driver %s is not known: taking the kernel's formula\n",
			o->driver);
	return 0;
}

static int settle_switch(const struct options *o, struct fabric_switch *sw)
{
	const struct switch_platform *p = o->platform;

	if (p && o->has_semantics && p->semantics != o->semantics)
		return complain("--platform and --switch-semantics contradict each other");
	if (!p && o->switch_mtu.set != o->has_semantics)
		return complain("--switch-mtu needs --switch-semantics or --platform, and the other way round");
	*sw = (struct fabric_switch){ .mtu = o->switch_mtu, .platform = p, .semantics = o->semantics };
	if (!p)
		return 0;
	if (sw->mtu.set && !switch_takes(p, sw->mtu.value)) {
		fprintf(stderr, "rocectl mtu: platform %s takes an MTU of %d to %d\n", p->name,
			p->least ? p->least : NETDEV_MTU_MIN, p->most);
		return -EINVAL;
	}
	fabric_adopt_platform(sw);
	return sw->mtu.set ? 0 : complain("--platform: delivered with different MTUs; add --switch-mtu");
}

static struct mtu_chain ask(const struct options *o, const struct fabric *fabric)
{
	int need = roce_need(o->roce_mtu.value);
	struct mtu_chain chain = {
		.mtu = { true, o->netdev_mtu.set ? o->netdev_mtu.value : need },
		.roce_mtu = o->roce_mtu,
		.vlan_tags = o->vlan_tags.value,
		.ipv4_only = !o->ipv6,
		.fabric = fabric,
		.hops = { { .kind = MTU_HOP_DEVICE, .name = "of the pod" } },
		.n_hops = 1,
	};

	snprintf(chain.driver, sizeof(chain.driver), "%s", o->driver ? o->driver : "");
	return chain;
}

/* ---- the answer ---- */

static void print_text(const struct mtu_chain *chain, const struct findings *findings,
		       bool consistent)
{
	const struct fabric *fabric = chain->fabric;

	printf("RoCE path MTU          %d\n", chain->roce_mtu.value);
	printf("least netdev MTU       %d\n", roce_need(chain->roce_mtu.value));
	printf("netdev MTU             %d\n", chain->pod_mtu);
	printf("gives RoCE path MTU    %d\n", chain->device_roce_mtu);
	printf("largest RoCE frame     %d (with %d VLAN tags and FCS)\n", mtu_frame(chain),
	       chain->vlan_tags);
	if (fabric->sw.mtu.set)
		printf("switch permits         %d (its MTU %d counts %s)\n",
		       fabric_permits(fabric, chain->vlan_tags), fabric->sw.mtu.value,
		       switch_semantics_name(fabric->sw.semantics));
	printf("verdict                %s\n", consistent ? "consistent" : "NOT consistent");
	ctl_print_findings(findings, NULL);
}

static int print_json(const struct mtu_chain *chain, const struct findings *findings, bool consistent)
{
	const struct fabric *fabric = chain->fabric;
	json_t *permits = fabric->sw.mtu.set ?
				  json_integer(fabric_permits(fabric, chain->vlan_tags)) :
				  json_null();

	return ctl_print_json(json_pack("{si si si si si so sb so}", "roceMTU", chain->roce_mtu.value,
					"minNetdevMTU", roce_need(chain->roce_mtu.value), "netdevMTU",
					chain->pod_mtu, "activeMTU", chain->device_roce_mtu,
					"wireFrame", mtu_frame(chain), "switchPermits", permits,
					"consistent", consistent, "findings",
					finding_to_json(findings)));
}

static int run(const struct ctl_command *command, int argc, char **argv)
{
	struct options o = { .roce_mtu = { true, ROCE_MTU_MAX } };
	struct fabric fabric = { .name = NULL };
	struct findings findings = { .n = 0 };
	struct err refusal = { 0 };
	struct mtu_chain chain;
	bool consistent;
	int first = ctl_options(command, argc, argv, &o);

	if (first < 0 || check_numbers(&o) < 0 || settle_switch(&o, &fabric.sw) < 0)
		return CTL_USAGE;
	if (first < argc)
		return ctl_usage(command, stderr);
	chain = ask(&o, &fabric);
	mtu_plan(&chain, &findings);
	consistent = finding_refuse(&findings, &refusal) == 0;
	if (o.output == CTL_JSON)
		print_json(&chain, &findings, consistent);
	else
		print_text(&chain, &findings, consistent);
	return consistent ? CTL_OK : CTL_ERRORS;
}

const struct ctl_command ctl_mtu = {
	.name = "mtu",
	.operands = "",
	.about = "MTU arithmetic: what a path MTU needs, what a switch permits",
	.options = options_table,
	.n_options = ARRAY_SIZE(options_table),
	.run = run,
};
