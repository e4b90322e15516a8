/* SPDX-License-Identifier: Apache-2.0 */
/* The executor: runs steps, and their inverses when something fails or when the pod goes. */
#ifndef CNI_APPLY_H
#define CNI_APPLY_H

#include "cni/delegate.h"
#include "cni/observe.h"
#include "cni/step.h"

enum apply_mode {
	APPLY_DO,   /* have must be what is there; stop at the first failure */
	APPLY_UNDO, /* "already so" and "already gone" are success; go on after a failure */
};

/**
 * struct apply - what steps work on
 * @host, @pod:	the two sides; @pod closed: the namespace is gone
 * @device:	the device; ifindexes are kept up to date
 * @waited:	in vain for the device to come back from a dead namespace
 * @delegate:	the IPAM plugin; type NULL: none
 * @pf_ifindex:	where the PF of the device was seen last; 0: not yet
 * @result:	receives the IPAM plugin's answer
 * @result_json: the document @result borrows from
 */
struct apply {
	struct side host;
	struct side pod;
	struct device device;
	bool waited;
	int pf_ifindex;
	struct delegate delegate;
	struct cni_result result;
	json_t *result_json;
};

/**
 * apply_do() - run steps in order
 * @a:		context
 * @steps, @n:	steps
 * @err:	the failure; the step's text in front. CNI_TRY_AGAIN: a signal came (base/stop.h)
 *
 * Return: 0 or a negative errno; nothing is undone.
 */
int apply_do(struct apply *a, const struct step *steps, size_t n, struct err *err);

/**
 * apply_undo() - run the inverses of steps, backwards, all of them
 * @a:		context
 * @steps, @n:	the steps to undo
 * @err:	the first failure; the others in its details
 *
 * Return: 0 when everything is restored, or a negative errno.
 */
int apply_undo(struct apply *a, const struct step *steps, size_t n, struct err *err);

/**
 * step_exec() - run one step
 * @a:		context
 * @step:	step
 * @mode:	see enum apply_mode
 * @err:	ROCE_KERNEL_REFUSED, CNI_TRY_AGAIN (somebody else changed the device), ROCE_IPAM_*
 *
 * Every change is read back and compared.
 *
 * Return: 0 or a negative errno.
 */
int step_exec(struct apply *a, const struct step *step, enum apply_mode mode, struct err *err);

#endif
