// SPDX-License-Identifier: Apache-2.0
/* What stands against an ADD on the RDMA side. Pure. */
#include "cni/plan.h"

#include <stdio.h>

static void refuse_rdma(struct findings *findings, const char *id, const char *text, const char *fix)
{
	struct finding *f = finding_add(findings, SEVERITY_ERROR, ROCE_RDMA_UNUSABLE, id, "%s", text);

	snprintf(f->path, sizeof(f->path), "rdma");
	finding_fix(f, "%s", fix);
}

/* The module that makes an RDMA device of a function with this driver; NULL: unknown. */
static const char *rdma_module(const char *driver)
{
	static const struct {
		const char *driver, *module;
	} rows[] = {
		{ "mlx5_core", "mlx5_ib" },
		{ "mlx4_core", "mlx4_ib" },
		{ "bnxt_en", "bnxt_re" },
		{ "ice", "irdma" },
		{ "i40e", "irdma" },
		{ "iavf", "irdma" },
		{ "hns3", "hns_roce_hw_v2" },
		{ "qede", "qedr" },
		{ "ionic", "ionic_rdma" },
		{ "mana", "mana_ib" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (streq(driver, rows[i].driver))
			return rows[i].module;
	return NULL;
}

static void explain_no_device(const struct host_state *state, struct findings *findings)
{
	const struct pci_dev *pci = &state->device.pci;
	const char *module = rdma_module(pci->driver);
	char text[192], fix[160];

	snprintf(text, sizeof(text), "device %s has no RDMA device on the host; %s%.60s",
		 state->device.name, *pci->addr ? "its driver is " : "it is no PCI device",
		 pci->driver);
	if (state->device.userspace)
		snprintf(fix, sizeof(fix), "bind the VF to its network driver");
	else if (module)
		snprintf(fix, sizeof(fix), "modprobe %s; if it is loaded, another network namespace may have the device: rdma dev show",
			 module);
	else
		snprintf(fix, sizeof(fix), "name a device of an adapter with RoCE, or, where there is none, \"rdma\": \"soft\"");
	refuse_rdma(findings, "rdma-no-device", text, fix);
}

/* From the outside in: kernel, driver, module, file. */
static void check_required(const struct host_state *state, struct findings *findings)
{
	if (state->rdma_mode == RDMADEV_NONE)
		refuse_rdma(findings, "rdma-no-subsystem",
			    "the kernel has no RDMA subsystem loaded",
			    "modprobe ib_uverbs, and the RDMA module of the adapter's driver");
	else if (!state->device.has_rdma)
		explain_no_device(state, findings);
	else if (!*state->chardev)
		refuse_rdma(findings, "rdma-no-chardev",
			    "the RDMA device has no uverbs file below /dev/infiniband, no application could open it",
			    "modprobe ib_uverbs, and see: ls /dev/infiniband");
}

static void check_soft(const struct host_state *state, struct findings *findings)
{
	struct finding *f;

	if (state->rdma_mode == RDMADEV_EXCLUSIVE)
		refuse_rdma(findings, "rdma-soft-exclusive",
			    "rdma \"soft\": in RDMA mode exclusive the kernel leaves a soft-RoCE device on the host, and rxe cannot be moved",
			    "use \"rdma\": \"off\", or mode shared on this node: options ib_core netns_mode=1 in /etc/modprobe.d, and boot");
	if (!state->device.userspace)
		return;
	f = finding_add(findings, SEVERITY_ERROR, CNI_CONFIG_INVALID, "setting-needs-netdev",
			"rdma \"soft\": the VF's driver is one for userspace, there is no netdev to make it on");
	snprintf(f->path, sizeof(f->path), "rdma");
	finding_fix(f, "leave it out, or bind the VF to its network driver");
}

/* Who has it open now will not after the move. */
static void check_holder(const struct host_state *state, struct findings *findings)
{
	struct finding *f;

	if (!*state->rdma_holder || state->rdma_mode != RDMADEV_EXCLUSIVE)
		return;
	f = finding_add(findings, SEVERITY_WARNING, CNI_OK, "rdma-in-use",
			"RDMA device %s is open on the host by %s: the move cuts it off",
			state->device.rdma.name, state->rdma_holder);
	finding_fix(f, "end it, or give its users a device of their own");
}

void plan_check_rdma(const struct netconf *conf, const struct host_state *state,
		     struct findings *findings)
{
	if (conf->rdma == RDMA_REQUIRED)
		check_required(state, findings);
	if (conf->rdma == RDMA_SOFT)
		check_soft(state, findings);
	if (netconf_takes_rdma(conf))
		check_holder(state, findings);
}
