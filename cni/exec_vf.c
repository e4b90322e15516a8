// SPDX-License-Identifier: Apache-2.0
/* What the PF does with the frames of a VF. */
#include "cni/exec.h"

#include "base/log.h"

#include <errno.h>
#include <stdio.h>

static int set(struct apply *a, const struct step *step, int pf, struct err *err)
{
	const union step_value *want = &step->want;
	int index = a->device.pci.vf_index;

	if (step->type == STEP_VF_VLAN)
		return vf_set_vlan(a->host.rt, pf, index, want->vlan, err);
	if (step->type == STEP_VF_RATE)
		return vf_set_rate(a->host.rt, pf, index, want->rate, err);
	if (step->type == STEP_VF_LINK)
		return vf_set_link(a->host.rt, pf, index, want->link, err);
	if (step->type == STEP_VF_TRUST)
		return vf_set_trust(a->host.rt, pf, index, want->on, err);
	return vf_set_spoofchk(a->host.rt, pf, index, want->on, err);
}

/* What a VF has, as a step from there. */
static struct step from(const struct step *step, const struct vf *vf, const union step_value *to)
{
	return (struct step){
		.type = step->type,
		.have = step_value_of_vf(step->type, vf),
		.want = *to,
	};
}

/* Who refused: the same setting is fine with another adapter's driver. */
static int refused(const struct apply *a, const struct link *pf, struct err *err)
{
	struct err ignored = { 0 };
	struct pci_dev pci = { 0 };

	pci_get(a->device.pci.pf, &pci, &ignored);
	return err_wrap(err, "PF %s%s with driver %s", pf->name, pf->up ? "" : ", which is down,",
			*pci.driver ? pci.driver : "unknown");
}

/*
 * On the way back: what a driver cannot do at all it never had, so it is the profile's vfBaseline that asks
 * for it. No later DEL would fare better.
 */
static bool is_beyond_driver(enum apply_mode mode, int r)
{
	return mode == APPLY_UNDO && (r == -EOPNOTSUPP || r == -EPROTONOSUPPORT);
}

int exec_vf(struct apply *a, const struct step *step, enum apply_mode mode, struct err *err)
{
	int index = a->device.pci.vf_index;
	char text[STEP_TEXT_SIZE];
	struct err no = { 0 };
	struct step now;
	struct link pf;
	struct vf vf;
	int r = exec_find_pf(a, mode, &pf, err);

	if (r != 0)
		return r < 0 ? r : 0;
	r = vf_get(a->host.rt, pf.ifindex, index, &vf, err);
	now = from(step, &vf, &step->want);
	if (r < 0 || !step_changes(&now))
		return r;
	now = from(step, &vf, &step->have);
	if (mode == APPLY_DO && step_changes(&now))
		return exec_changed(a, step_type_name(step->type), err);
	r = set(a, step, pf.ifindex, &no);
	if (is_beyond_driver(mode, r)) {
		log_warn("VF %d of PF %s stays as it is: %s", index, pf.name, no.msg);
		return 0;
	}
	if (r < 0) {
		*err = no;
		return refused(a, &pf, err);
	}
	r = vf_get(a->host.rt, pf.ifindex, index, &vf, err);
	now = from(step, &vf, &step->want);
	if (r == 0 && step_changes(&now))
		return err_set(err, ROCE_KERNEL_REFUSED, -EIO,
			       "the driver of PF %s took it, and reports: %s", pf.name,
			       step_print(&now, a->device.name, text));
	return r;
}
