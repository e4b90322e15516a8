/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the executor: one short function per step type, and what they share. See cni/apply.h. */
#ifndef CNI_EXEC_H
#define CNI_EXEC_H

#include "cni/apply.h"

enum { EXEC_RETURN_WAIT_MS = 3000 }; /* a dead namespace gives its devices back after about 0.2 s */

/* exec_side() - one of the two sides. */
struct side *exec_side(struct apply *a, enum place place);

/**
 * exec_find() - find the device for a step
 * @a, @mode:	as step_exec()
 * @ret_link:	its netdev
 * @ret_rt:	socket of the namespace it is in
 * @ret_place:	which of the two that is; may be NULL
 * @err:	when it is lost
 *
 * Return: 0; 1 if an undo has nothing left to do: the device is gone for good; a negative errno.
 */
int exec_find(struct apply *a, enum apply_mode mode, struct link *ret_link, struct nlsock **ret_rt,
	      enum place *ret_place, struct err *err);

/* exec_has_no_driver() - whether the device is unplugged, or has no driver that would make a netdev of it. */
bool exec_has_no_driver(const struct apply *a);

/* exec_changed() - somebody else is at work on the device. Return: -EBUSY. */
int exec_changed(const struct apply *a, const char *what, struct err *err);

/**
 * exec_find_pf() - find the PF of the device: by PCI address, since names and indexes change hands
 * @a, @mode:	as step_exec()
 * @ret_pf:	its netdev
 * @err:	ROCE_DEVICE_NOT_FOUND
 *
 * Return: 0; 1 if the VF is gone, which for an undo is success; a negative errno.
 */
int exec_find_pf(struct apply *a, enum apply_mode mode, struct link *ret_pf, struct err *err);

/* exec_vf() - a setting of the VF on its PF, any type STEP_VF_*. Return: as step_exec(). */
int exec_vf(struct apply *a, const struct step *step, enum apply_mode mode, struct err *err);

/* exec_link() - a setting of the netdev, wherever it is. Return: as step_exec(). */
int exec_link(struct apply *a, const struct step *step, enum apply_mode mode, struct err *err);

/* exec_drop_names() - remove the altnames that a pod has given. Return: 0 or a negative errno. */
int exec_drop_names(const struct apply *a, struct nlsock *rt, int ifindex, struct err *err);

/* exec_rdma_soft() - idempotent in both directions. Return: as step_exec(). */
int exec_rdma_soft(struct apply *a, const struct step *step, struct err *err);

/* exec_mac(), exec_move(), exec_rdma_move(), exec_sysctl() - Return: as step_exec(). */
int exec_mac(struct apply *a, const struct step *step, enum apply_mode mode, struct err *err);
int exec_move(struct apply *a, const struct step *step, enum apply_mode mode, struct err *err);
int exec_rdma_move(struct apply *a, const struct step *step, enum apply_mode mode, struct err *err);
int exec_sysctl(struct apply *a, const struct step *step, enum apply_mode mode, struct err *err);

#endif
