// SPDX-License-Identifier: Apache-2.0
/* Sysctls of the pod's namespace. */
#include "cni/exec.h"

#include <errno.h>

static int refuse(const struct step *step, int r, struct err *err)
{
	return err_set(err, ROCE_KERNEL_REFUSED, r, "writing \"%s\" to %s: %s", step->want.text,
		       step->sysctl, strerror(-r));
}

int exec_sysctl(struct apply *a, const struct step *step, enum apply_mode mode, struct err *err)
{
	char now[SYSCTL_VALUE_SIZE];
	int r;

	if (!step->want.text || a->pod.netns < 0)
		return 0; /* gone with the device, or with the pod */
	r = netns_sysctl_read(a->pod.netns, step->sysctl, now, sizeof(now));
	if (r == 0 && setting_same_value(now, step->want.text))
		return 0;
	if (r < 0 && mode == APPLY_UNDO)
		return 0; /* the interface it belongs to is gone */
	if (r < 0 && (r != -EIO || step->have.text)) /* cni/observe.c */
		return err_set(err, ROCE_KERNEL_REFUSED, r, "reading %s: %s", step->sysctl,
			       strerror(-r));
	if (mode == APPLY_DO && step->have.text && !setting_same_value(now, step->have.text))
		return exec_changed(a, step->sysctl, err);
	r = netns_sysctl(a->pod.netns, step->sysctl, step->want.text);
	if (r < 0)
		return refuse(step, r, err);
	r = netns_sysctl_read(a->pod.netns, step->sysctl, now, sizeof(now));
	if (r < 0 || !setting_same_value(now, step->want.text))
		return err_set(err, ROCE_KERNEL_REFUSED, -EIO,
			       "%s was set to \"%s\", and the kernel shows \"%s\"", step->sysctl,
			       step->want.text, r < 0 ? strerror(-r) : now);
	return 0;
}
