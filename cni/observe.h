/* SPDX-License-Identifier: Apache-2.0 */
/* Observe: everything that a plan needs to know, read and never changed. */
#ifndef CNI_OBSERVE_H
#define CNI_OBSERVE_H

#include "cni/chain.h"
#include "conf/netconf.h"
#include "netlink/devconf.h"
#include "netlink/rdmadev.h"
#include "netlink/vf.h"

enum { DEVICE_KEY_SIZE = 64 };

/**
 * struct device - who a device is, whatever it is called at the moment
 * @key:	name of its lock and its claim: @pci.addr, or the ifindex
 * @pci:	the PCI function or subfunction; @pci.addr is "" for a netdev that is neither
 * @name:	its name on the host
 * @ifindex:	its index on the host
 * @pod_ifindex: its index in the pod
 * @kind:	"veth", "" for hardware
 * @mac:	its MAC before the ADD
 * @userspace:	its driver is one for userspace (vfio-pci, uio): it has no netdev, and @name is @pci.addr
 * @altnames, @n_altnames: its alternative names on the host
 * @conf, @conf_files: its sysctls on the host
 * @has_rdma, @rdma: its RDMA device
 */
struct device {
	char key[DEVICE_KEY_SIZE];
	struct pci_dev pci;
	char name[LINK_NAME_SIZE];
	int ifindex;
	int pod_ifindex;
	char kind[LINK_KIND_SIZE];
	unsigned char mac[LINK_MAC_LEN];
	bool userspace;
	char altnames[LINK_ALTNAMES_MAX][LINK_ALTNAME_SIZE];
	size_t n_altnames;
	struct link_conf conf;
	struct devconf_files conf_files;
	bool has_rdma;
	struct rdmadev rdma;
};

/*
 * A sysctl of the pod: its file, and what it has, or why that cannot be read (a negative errno). Of one that
 * comes with the device, @value and @error are lo's: whether there is such a sysctl at all.
 */
struct sysctl_state {
	char path[SETTING_PATH_SIZE];
	char value[SYSCTL_VALUE_SIZE];
	int error;
};

/**
 * struct host_state - what the host shows
 * @device:	the device
 * @link:	its netdev
 * @pf:		its PF's netdev, if @device.pci.pf is not ""
 * @vf:		the PF's settings for it, if @device.pci.is_vf
 * @has_address, @has_default_route: the host uses the device itself
 * @rdma_mode:	of the RDMA subsystem
 * @chardev:	the RDMA device's file below /dev/infiniband, if the network requires RDMA; "" if it has none
 * @rdma_holder: a process that has the RDMA device open; "" for none
 * @soft:	name that a soft-RoCE device of this pod and interface would have
 * @fabric:	the fabric it is on, or NULL
 * @chain:	the MTU chain
 * @pod_taken:	CNI_IFNAME, if something in the pod has that name; "" if not
 * @alt_taken:	bit N: something in the pod has the name @device.altnames[N]
 * @sysctls:	what the pod's namespace has now, for each of the configuration's sysctls
 */
struct host_state {
	struct device device;
	struct link link;
	struct link pf;
	struct vf vf;
	bool has_address;
	bool has_default_route;
	enum rdmadev_mode rdma_mode;
	char chardev[RDMADEV_NAME_SIZE];
	char rdma_holder[RDMADEV_HOLDER_SIZE];
	char soft[RDMADEV_NAME_SIZE];
	const struct fabric *fabric;
	struct chain_view chain;
	char pod_taken[LINK_NAME_SIZE];
	unsigned alt_taken;
	struct sysctl_state sysctls[SETTING_SYSCTLS_MAX];
};

/**
 * observe_device() - find the device that a network asks for
 * @conf:	configuration
 * @host:	the host's side
 * @ret_device:	who it is; enough to lock it
 * @err:	ROCE_DEVICE_NOT_FOUND
 *
 * Return: 0 or a negative errno.
 */
int observe_device(const struct netconf *conf, const struct side *host, struct device *ret_device,
		   struct err *err);

/**
 * observe_state() - read everything a step may change and everything a plan judges
 * @conf, @profile: what is asked and what is allowed
 * @device:	from observe_device(), locked
 * @host, @pod:	the two sides
 * @ifname:	CNI_IFNAME
 * @ret_state:	the state
 * @err:	ROCE_DEVICE_NOT_FOUND, ROCE_DEVICE_FORBIDDEN, ROCE_KERNEL_REFUSED
 *
 * Return: 0 or a negative errno.
 */
int observe_state(const struct netconf *conf, const struct profile *profile,
		  const struct device *device, const struct side *host, const struct side *pod,
		  const char *ifname, struct host_state *ret_state, struct err *err);

/**
 * observe_never_left() - is a netdev without PCI address on the host, by more than ifindex and kind
 * @device:	who it is
 * @host:	the host's side
 * @ret_link:	its netdev
 *
 * The same name or the same MAC. This comes before a look into the pod, where a stranger may have got the
 * ifindex that was meant for the device.
 *
 * Return: true if it is.
 */
bool observe_never_left(const struct device *device, const struct side *host,
			struct link *ret_link);

/**
 * observe_where() - find a device again
 * @device:	who it is
 * @host, @pod:	the two sides; @pod may be closed
 * @ret_link:	its netdev
 * @ret_place:	where it is
 *
 * A PCI device by its address, another netdev by ifindex and kind; never by a name.
 *
 * Return: 0, -ENODEV when it is on neither side, or another negative errno.
 */
int observe_where(const struct device *device, const struct side *host, const struct side *pod,
		  struct link *ret_link, enum place *ret_place);

#endif
