// SPDX-License-Identifier: Apache-2.0
/*
 * Theory of operation
 *
 * The host is changed here and nowhere else. What makes a failure, a kill or a vanished namespace
 * harmless is an order that must not be broken:
 *
 *  1. The journal holds every step that concerns the host, and is on disk before the first one runs.
 *     It is removed after the last inverse has run, never before.
 *  2. A step acts on a device wherever that is now. It is found by PCI address (or by ifindex on the
 *     side where it must be), so any prefix of the steps, however cut off, can be undone by running
 *     all inverses backwards: an inverse that has nothing to do says so by succeeding.
 *  3. The step that failed is undone like those before it. The kernel can fail in the middle of a
 *     request: a move whose new name is taken has moved the device all the same.
 *  4. Undo goes on after a failure and reports them all. What could not be restored keeps the
 *     journal, so that the next DEL, GC or ADD tries again.
 *  5. The RDMA device follows its netdev into the pod and leaves before it.
 *  6. A signal (base/stop.h) ends an ADD between two steps, or while it waits for a lock or for the IPAM
 *     plugin, and that is a failure like any other. Nothing ends an undo.
 */
#include "cni/apply.h"

#include "base/log.h"
#include "base/stop.h"

#include <errno.h>

/* step_exec(), whose failures always say something. */
static int exec(struct apply *a, const struct step *step, enum apply_mode mode, struct err *err)
{
	int64_t begin = log_clock();
	char text[STEP_TEXT_SIZE];
	int r;

	log_debug("%s: %s", mode == APPLY_DO ? "step" : "undo",
		  step_print(step, a->device.name, text));
	r = step_exec(a, step, mode, err);
	log_debug("%s in %.1f ms", r < 0 ? "failed" : "done", log_ms(begin));
	return r < 0 ? err_set(err, ROCE_KERNEL_REFUSED, r, "%s", strerror(-r)) : 0;
}

int apply_do(struct apply *a, const struct step *steps, size_t n, struct err *err)
{
	char text[STEP_TEXT_SIZE];

	for (size_t i = 0; i < n; i++) {
		if (!step_changes(&steps[i]))
			continue; /* what stays is in the plan for the sake of the undo */
		if (stop_check(err) < 0)
			return err_wrap(err, "before \"%s\"",
					step_print(&steps[i], a->device.name, text));
		if (exec(a, &steps[i], APPLY_DO, err) < 0)
			return err_wrap(err, "%s", step_print(&steps[i], a->device.name, text));
	}
	return 0;
}

static void collect(struct err *all, const struct step *step, const char *device,
		    const struct err *one)
{
	char text[STEP_TEXT_SIZE];

	step_print(step, device, text);
	if (err_is_set(all)) {
		err_detail(all, "%s: %s", text, one->msg);
		return;
	}
	*all = *one;
	err_wrap(all, "%s", text);
}

int apply_undo(struct apply *a, const struct step *steps, size_t n, struct err *err)
{
	struct err all = { 0 };

	while (n-- > 0) {
		struct step inverse = step_inverse(&steps[n]);
		struct err one = { 0 };

		if (exec(a, &inverse, APPLY_UNDO, &one) < 0)
			collect(&all, &inverse, a->device.name, &one);
	}
	if (!err_is_set(&all))
		return 0;
	*err = all;
	return -err->eno;
}
