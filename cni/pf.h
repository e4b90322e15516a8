/* SPDX-License-Identifier: Apache-2.0 */
/* Which PFs the "pf" of a network stands for. Reads only. */
#ifndef CNI_PF_H
#define CNI_PF_H

#include "cni/side.h"
#include "conf/netconf.h"
#include "netlink/link.h"
#include "netlink/pci.h"

/**
 * struct pf - one PF
 * @pci:	its PCI function
 * @link:	its netdev
 * @fabric:	the fabric it is on, or NULL
 */
struct pf {
	struct pci_dev pci;
	struct link link;
	const struct fabric *fabric;
};

/* PFs by ascending PCI address; at least one of them has VFs. */
struct pf_list {
	struct pf *items;
	size_t n;
};

/**
 * pf_find() - find the PFs that a network may get a VF of
 * @host:	the host's side
 * @profile:	node profile
 * @name:	"pf" of the network: interface name, altname, PCI address or NETCONF_ANY_PF; NULL: any PF
 *		that the profile allows
 * @fabric:	"fabric" of the network, or NULL
 * @ret_list:	the PFs; the caller calls pf_free()
 * @err:	ROCE_DEVICE_NOT_FOUND: none, no PF, no VFs; ROCE_DEVICE_FORBIDDEN: not on the fabric;
 *		CNI_CONFIG_INVALID: which fabric?
 *
 * Return: 0 or a negative errno.
 */
int pf_find(const struct side *host, const struct profile *profile, const char *name,
	    const char *fabric, struct pf_list *ret_list, struct err *err);

/* pf_free() - release what pf_find() took. */
void pf_free(struct pf_list *list);

#endif
