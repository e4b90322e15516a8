// SPDX-License-Identifier: Apache-2.0
/* What stands against an ADD on the RDMA side. Pure. */
#include "cni/plan.h"

#include <stdio.h>

static void refuse_rdma(struct findings *findings, const char *id, const char *text, const char *fix)
{
	struct finding *f = finding_add(findings, SEVERITY_ERROR, ROCE_RDMA_UNUSABLE, id, "%s",
					text);

	snprintf(f->path, sizeof(f->path), "rdma");
	finding_fix(f, "%s", fix);
}

/* The module that makes an RDMA device of a function with this driver; NULL: unknown. */
static const char *rdma_module(const char *driver)
{
	static const struct {
		const char *driver, *module;
	} rows[] = {
		{ "mlx5_core", "mlx5_ib" }, { "mlx4_core", "mlx4_ib" }, { "bnxt_en", "bnxt_re" },
		{ "ice", "irdma" },	    { "i40e", "irdma" },	{ "iavf", "irdma" },
		{ "hns3", "hns_roce_hw_v2" }, { "hclgevf", "hns_roce_hw_v2" },
		{ "qede", "qedr" },	    { "mana", "mana_ib" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (streq(driver, rows[i].driver))
			return rows[i].module;
	return NULL;
}

/* Why there is no RDMA device, from the outside in: kernel, driver, module. */
static void explain_no_rdma(const struct host_state *state, struct findings *findings)
{
	const char *driver = state->device.pci.driver, *module = rdma_module(driver);
	char text[192], fix[128];

	if (state->rdma_mode == RDMADEV_NONE) {
		refuse_rdma(findings, "rdma-no-subsystem",
			    "rdma \"required\": the kernel has no RDMA subsystem loaded",
			    "modprobe ib_uverbs, and the RDMA module of the adapter's driver");
		return;
	}
	snprintf(text, sizeof(text), "rdma \"required\": device %s has no RDMA device on the host; its driver is %.60s",
		 state->device.name, *driver ? driver : "not bound");
	snprintf(fix, sizeof(fix), module ? "modprobe %s" : "use an adapter with RoCE, or \"rdma\": \"soft\"; in mode exclusive another namespace may have it: rdma dev show",
		 module);
	refuse_rdma(findings, "rdma-no-device", text, fix);
}

void plan_check_rdma(const struct netconf *conf, const struct host_state *state, struct findings *findings)
{
	struct finding *f;

	if (conf->rdma == RDMA_REQUIRED && !state->device.has_rdma)
		explain_no_rdma(state, findings);
	else if (conf->rdma == RDMA_REQUIRED && !*state->chardev)
		refuse_rdma(findings, "rdma-no-chardev",
			    "rdma \"required\": the RDMA device has no uverbs file below /dev/infiniband, no application could open it",
			    "modprobe ib_uverbs, and see: ls /dev/infiniband");
	if (conf->rdma == RDMA_SOFT && state->device.userspace)
		refuse_rdma(findings, "setting-needs-netdev",
			    "rdma \"soft\": the VF's driver is one for userspace, there is no netdev to set it on",
			    "leave it out, or bind the VF to its network driver");
	if (conf->rdma == RDMA_SOFT && state->rdma_mode == RDMADEV_EXCLUSIVE)
		refuse_rdma(findings, "rdma-soft-exclusive",
			    "rdma \"soft\": in RDMA mode exclusive the kernel leaves a soft-RoCE device on the host, and rxe cannot be moved",
			    "use \"rdma\": \"off\", or mode shared on this node: options ib_core netns_mode=1 in /etc/modprobe.d, and boot");
	if (!*state->rdma_holder || conf->rdma == RDMA_OFF || state->rdma_mode != RDMADEV_EXCLUSIVE)
		return;
	f = finding_add(findings, SEVERITY_WARNING, CNI_OK, "rdma-in-use",
			"RDMA device %s is open on the host by %s: the move cuts it off",
			state->device.rdma.name, state->rdma_holder);
	finding_fix(f, "end it, or give its users a device of their own");
}
