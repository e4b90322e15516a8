/* SPDX-License-Identifier: Apache-2.0 */
/* The MTU chain as the host shows it: which netdevs the frames of a device go by. Reads only. */
#ifndef CNI_CHAIN_H
#define CNI_CHAIN_H

#include "cni/side.h"
#include "conf/mtu.h"
#include "netlink/link.h"
#include "netlink/pci.h"

/**
 * struct chain_view - what the host shows
 * @hops, @n_hops: from the device outwards, without the switch
 * @tags:	VLAN tags that the device's own frames carry when they leave the port
 * @more:	further hops did not fit
 * @down:	what the device rides on and which must be up for it to be; "" if it is
 * @carries:	a netdev that rides on the device itself; "" for none
 */
struct chain_view {
	struct mtu_hop hops[MTU_HOPS_MAX];
	size_t n_hops;
	int tags;
	bool more;
	char down[LINK_NAME_SIZE];
	char carries[LINK_NAME_SIZE];
};

/**
 * chain_observe() - follow the frames of a device
 * @host:	the host's side
 * @pod:	the pod's side; closed while the device is on the host
 * @device:	the device, on either side
 * @pf:		its PF; NULL if it is neither VF nor subfunction
 * @ret_view:	the chain
 * @err:	ROCE_KERNEL_REFUSED
 *
 * The frames of a VF or subfunction leave by the hardware: a bond or team of its PF is a hop, since the port's MTU
 * is the bond's; a bridge or VLAN there is the host's own affair, and "beside".
 *
 * Return: 0 or a negative errno.
 */
int chain_observe(const struct side *host, const struct side *pod, const struct link *device,
		  const struct link *pf, struct chain_view *ret_view, struct err *err);

/**
 * chain_fabric() - the fabric a device is on
 * @profile:	node profile
 * @wanted:	"fabric" of the network, or NULL
 * @device:	its netdev, under its name on the host
 * @pci:	its PCI function or subfunction; @pci->addr is "" for a netdev that is neither
 * @pf:		its PF; NULL if it is neither VF nor subfunction
 * @ret_fabric:	the fabric, or NULL
 * @err:	see profile_fabric()
 *
 * Return: 0 or a negative errno.
 */
int chain_fabric(const struct profile *profile, const char *wanted, const struct link *device,
		 const struct pci_dev *pci, const struct link *pf, const struct fabric **ret_fabric,
		 struct err *err);

/**
 * chain_ask() - the question for mtu_plan(), but for what the network wants
 * @view:	from chain_observe()
 * @fabric:	from chain_fabric()
 * @driver:	the device's, "" for unknown
 * @tagged:	the PF tags the device's frames
 * @ret_chain:	hops, tags, fabric and driver are set, the rest is zero
 */
void chain_ask(const struct chain_view *view, const struct fabric *fabric, const char *driver,
	       bool tagged, struct mtu_chain *ret_chain);

#endif
