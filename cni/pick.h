/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pick: which VF a network with "pf" gets. Free is a VF that is on the host, that nobody has claimed or
 * works on, and that a plan would not refuse. First the VFs of the fabric's "vfs"; of these, and of the
 * others, the lowest number first, on each PF in turn.
 */
#ifndef CNI_PICK_H
#define CNI_PICK_H

#include "cni/side.h"
#include "cni/store.h"
#include "conf/netconf.h"

/**
 * struct pick - where to look, and for what
 * @host:	the host's side
 * @profile:	node profile
 * @store:	state folder; closed if there is none
 * @pf, @fabric: of the network, see pf_find()
 */
struct pick {
	const struct side *host;
	const struct profile *profile;
	const struct store *store;
	const char *pf;
	const char *fabric;
};

/**
 * pick_look() - the VF that would be picked now; changes nothing
 * @pick:	where to look
 * @ret_pci:	its PCI address
 * @err:	pf_find()'s, or that no VF is free, and what became of each: CNI_TRY_AGAIN if somebody
 *		works on one, else ROCE_DEVICE_BUSY if one is in a pod, else ROCE_DEVICE_NOT_FOUND
 *
 * Return: 0 or a negative errno.
 */
int pick_look(const struct pick *pick, char ret_pci[PCI_TEXT_SIZE], struct err *err);

/**
 * pick_settle - the caller's part: make a VF ready that is locked and was free
 * @pci:	its PCI address
 * @arg:	of pick_take()
 * @err:	why it cannot be used; the next VF is tried then
 *
 * Return: 0 or a negative errno.
 */
typedef int (*pick_settle)(const char *pci, void *arg, struct err *err);

/**
 * pick_take() - pick a VF and lock it
 * @pick:	where to look
 * @settle, @arg: called with the VF before it is taken
 * @ret_lock:	the lock of the device
 * @err:	as of pick_look()
 *
 * A VF that somebody works on is passed over. If no other is free, all of these are waited for together,
 * for as long as one lock is.
 *
 * Return: 0 or a negative errno.
 */
int pick_take(const struct pick *pick, pick_settle settle, void *arg, struct store_lock *ret_lock,
	      struct err *err);

#endif
