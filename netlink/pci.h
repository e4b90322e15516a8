/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PCI functions, and auxiliary devices below them, by sysfs: which PF a VF or subfunction belongs to, which
 * driver and which RDMA device it has.
 */
#ifndef NETLINK_PCI_H
#define NETLINK_PCI_H

#include "base/err.h"

enum { PCI_ADDR_SIZE = 13, PCI_ID_SIZE = 64, PCI_NAME_SIZE = 64 };

/**
 * struct pci_dev - one PCI function, or a subfunction of one
 * @addr:	"0000:3b:00.2"; of a subfunction the name of its auxiliary device, "mlx5_core.sf.4"
 * @driver:	bound driver, "" for none; of a subfunction the driver's module
 * @is_vf:	it is a virtual function
 * @is_sf:	it is a subfunction: an auxiliary device, whose frames leave by @pf as a VF's do
 * @pf:		PCI address of its PF, if @is_vf or @is_sf; "" if not
 * @vf_index:	number of the VF on its PF, if @is_vf
 * @num_vfs:	VFs it has itself, if it is a PF
 * @total_vfs:	VFs it can have at most: more than 0 says that it is a PF
 * @rdma:	name of its RDMA device; "" when there is none in the namespace of sysfs
 */
struct pci_dev {
	char addr[PCI_ID_SIZE];
	char driver[PCI_NAME_SIZE];
	bool is_vf;
	bool is_sf;
	char pf[PCI_ADDR_SIZE];
	int vf_index;
	int num_vfs;
	int total_vfs;
	char rdma[PCI_NAME_SIZE];
};

/**
 * pci_get() - look a PCI function or an auxiliary device up
 * @addr:	PCI address, lower case, or the name of an auxiliary device; without a slash
 * @ret_dev:	the function
 * @err:	ROCE_DEVICE_NOT_FOUND
 *
 * Return: 0 or a negative errno.
 */
int pci_get(const char *addr, struct pci_dev *ret_dev, struct err *err);

/* pci_is_userspace() - whether the bound driver hands the function to a process: no netdev. */
bool pci_is_userspace(const struct pci_dev *dev);

/* pci_vf() - PCI address of VF @index of a PF. Return: 0, or -ENODEV if there is none. */
int pci_vf(const char *pf, int index, char ret_addr[PCI_ADDR_SIZE]);

/*
 * pci_has_netdev() - true if a device as of pci_get() has a netdev, in whatever network namespace: its folder
 * "net" is in every one's sysfs, only what is in it differs (drivers/base/core.c, get_device_parent()).
 */
bool pci_has_netdev(const char *addr);

/* pci_has_rdma() - the same of an RDMA device and the folder "infiniband". */
bool pci_has_rdma(const char *addr);

/* pci_visitor - called for each function; returns true to stop. */
typedef bool (*pci_visitor)(const struct pci_dev *dev, void *arg);

/* pci_each_pf() - visit every PF of this node, by ascending address. Return: 0 or a negative errno. */
int pci_each_pf(pci_visitor visit, void *arg);

/**
 * pci_below_virtio() - PCI address of a virtio device
 * @name:	the device, such as "virtio0"
 * @ret_addr:	the address; stays as it is if the device is not on PCI. May be @name
 *
 * Return: 0 or a negative errno.
 */
int pci_below_virtio(const char *name, char ret_addr[PCI_ADDR_SIZE]);

#endif
