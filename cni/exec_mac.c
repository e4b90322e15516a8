// SPDX-License-Identifier: Apache-2.0
/* The MAC of the device: what the PF orders, and what the netdev has. */
#include "cni/exec.h"

#include "base/log.h"

#include <errno.h>

/*
 * Not every driver takes "none" back once an administrative MAC was set. The VF's own one ordered is the
 * nearest to it: never the pod's.
 */
static int clear_admin_mac(struct apply *a, const struct step *step, int pf, struct err *err)
{
	struct err refused = { 0 };
	int index = a->device.pci.vf_index;
	int r = vf_set_mac(a->host.rt, pf, index, step->want.mac.admin, &refused);

	if (r != -EINVAL && r != -EADDRNOTAVAIL && r != -EOPNOTSUPP) {
		*err = refused;
		return r; /* done, or a matter of another moment */
	}
	if (vf_set_mac(a->host.rt, pf, index, step->want.mac.link, err) < 0)
		return -err->eno;
	log_warn("VF %s had no administrative MAC, and none cannot be set again (%s): it has its own one now",
		 a->device.pci.addr, refused.msg);
	return 0;
}

static int set_admin_mac(struct apply *a, const struct step *step, enum apply_mode mode,
			 struct err *err)
{
	static const unsigned char none[LINK_MAC_LEN];
	const unsigned char *want = step->want.mac.admin;
	int index = a->device.pci.vf_index;
	struct link pf;
	struct vf vf;
	int r;

	if (!a->device.pci.is_vf)
		return 0;
	r = exec_find_pf(a, mode, &pf, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = vf_get(a->host.rt, pf.ifindex, index, &vf, err);
	if (r < 0 || memcmp(vf.mac, want, LINK_MAC_LEN) == 0)
		return r;
	if (mode == APPLY_UNDO && memcmp(want, none, LINK_MAC_LEN) == 0 && !a->device.userspace)
		return clear_admin_mac(a, step, pf.ifindex, err);
	return vf_set_mac(a->host.rt, pf.ifindex, index, want, err);
}

/*
 * A driver may refuse to set the MAC that the PF has just ordered, and take it over at its next reset
 * instead (igbvf: EADDRNOTAVAIL). Going up and down is such a reset.
 */
static void bounce(struct nlsock *rt, int ifindex)
{
	struct link_change up = { .set_up = true, .up = true }, down = { .set_up = true };
	struct err ignored = { 0 };

	link_set(rt, ifindex, &up, &ignored);
	link_set(rt, ifindex, &down, &ignored);
}

static int set_link_mac(struct apply *a, const struct step *step, enum apply_mode mode,
			struct err *err)
{
	struct link_change change = { .mac = step->want.mac.link };
	struct err refused = { 0 };
	struct link link;
	struct nlsock *rt;
	int r;

	if (a->device.userspace)
		return 0;
	r = exec_find(a, mode, &link, &rt, NULL, err);
	if (r != 0)
		return r < 0 ? r : 0;
	if (memcmp(link.mac, step->want.mac.link, LINK_MAC_LEN) == 0)
		return 0;
	if (mode == APPLY_DO && memcmp(link.mac, step->have.mac.link, LINK_MAC_LEN) != 0)
		return exec_changed(a, "MAC", err);
	if (link_set(rt, link.ifindex, &change, &refused) < 0)
		bounce(rt, link.ifindex);
	r = link_get(rt, link.ifindex, &link);
	if (r == 0 && memcmp(link.mac, step->want.mac.link, LINK_MAC_LEN) == 0)
		return 0;
	return err_set(err, ROCE_KERNEL_REFUSED, -EIO, "the driver keeps another MAC%s%s",
		       err_is_set(&refused) ? ": " : "", refused.msg);
}

/*
 * The administrative MAC first: while the PF orders another one, the VF cannot have its own back. And
 * once more afterwards: some PFs (igb) note what a VF asks for as if the administrator had set it.
 */
int exec_mac(struct apply *a, const struct step *step, enum apply_mode mode, struct err *err)
{
	int r = set_admin_mac(a, step, mode, err);

	if (r == 0)
		r = set_link_mac(a, step, mode, err);
	return r < 0 ? r : set_admin_mac(a, step, mode, err);
}
