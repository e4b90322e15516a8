// SPDX-License-Identifier: Apache-2.0
#include "netlink/pci.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#define SYSFS_PCI "/sys/bus/pci/devices"
#define SYSFS_AUXILIARY "/sys/bus/auxiliary/devices"

/* A PCI address has colons; "MODULE.NAME.ID" has none (drivers/base/auxiliary.c, __auxiliary_device_add()). */
static bool is_auxiliary(const char *addr)
{
	return !strchr(addr, ':');
}

/* The file @name of a device, or with "" the device itself. */
static void sysfs_path(const char *addr, const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s/%s", is_auxiliary(addr) ? SYSFS_AUXILIARY : SYSFS_PCI, addr,
		 name);
}

/* Or, with "", the device itself. */
static bool has_folder(const char *addr, const char *name)
{
	char path[PATH_MAX];

	sysfs_path(addr, name, path);
	return access(path, F_OK) == 0;
}

/* Last part of a symbolic link in the folder of a device. Return: 0 or a negative errno. */
static int read_link(const char *addr, const char *name, char *buf, size_t size)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *base;
	ssize_t n;

	sysfs_path(addr, name, path);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	base = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
	if (strlen(base) >= size)
		return -ENAMETOOLONG;
	strcpy(buf, base);
	return 0;
}

int pci_vf(const char *pf, int index, char ret_addr[PCI_ADDR_SIZE])
{
	char name[32];

	snprintf(name, sizeof(name), "virtfn%d", index);
	return read_link(pf, name, ret_addr, PCI_ADDR_SIZE) < 0 ? -ENODEV : 0;
}

/* The PF's virtfnN links say which number a VF has. */
static int find_vf_index(const char *pf, const char *addr, int *ret_index)
{
	char target[PCI_ADDR_SIZE];

	for (int i = 0;; i++) {
		if (pci_vf(pf, i, target) < 0)
			return -ENODEV;
		if (streq(target, addr)) {
			*ret_index = i;
			return 0;
		}
	}
}

/* A number of VFs: "sriov_numvfs", "sriov_totalvfs". 0 for a function that cannot have VFs. */
static int count_vfs(const char *addr, const char *name)
{
	char path[PATH_MAX], number[16];

	sysfs_path(addr, name, path);
	return file_read_line(path, number, sizeof(number)) < 0 ? 0 : atoi(number);
}

static void find_rdma(struct pci_dev *dev)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	sysfs_path(dev->addr, "infiniband", path);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && strlen(entry->d_name) < sizeof(dev->rdma))
			strcpy(dev->rdma, entry->d_name);
	closedir(dir);
}

static int look_at_function(struct pci_dev *dev, struct err *err)
{
	dev->is_vf = read_link(dev->addr, "physfn", dev->pf, sizeof(dev->pf)) == 0;
	if (dev->is_vf && find_vf_index(dev->pf, dev->addr, &dev->vf_index) < 0)
		return err_set(err, ROCE_DEVICE_NOT_FOUND, -ENODEV,
			       "PF %s does not list VF %s among its virtfn links", dev->pf, dev->addr);
	dev->num_vfs = count_vfs(dev->addr, "sriov_numvfs");
	dev->total_vfs = count_vfs(dev->addr, "sriov_totalvfs");
	return 0;
}

static bool is_pci(const char *name)
{
	return !is_auxiliary(name) && strlen(name) < PCI_ADDR_SIZE && has_folder(name, "");
}

/* The closest PCI function above: ".../0000:3b:00.0/mlx5_core.sf.4". */
static int find_parent(const char *name, char ret_addr[PCI_ADDR_SIZE])
{
	char path[PATH_MAX], target[PATH_MAX], *slash;

	sysfs_path(name, "", path);
	if (!realpath(path, target))
		return -errno;
	while ((slash = strrchr(target, '/'))) {
		if (is_pci(slash + 1)) {
			strcpy(ret_addr, slash + 1);
			return 0;
		}
		*slash = '\0';
	}
	return -ENODEV;
}

/* Its driver is called "MODULE.NAME", "mlx5_core.sf": of all that is told by a driver, the module decides. */
static int look_at_auxiliary(struct pci_dev *dev, struct err *err)
{
	dev->is_sf = true;
	dev->driver[strcspn(dev->driver, ".")] = '\0';
	if (find_parent(dev->addr, dev->pf) < 0)
		return err_set(err, ROCE_DEVICE_NOT_FOUND, -ENODEV,
			       "auxiliary device %s is below no PCI device, so it is no subfunction; see: readlink "
			       SYSFS_AUXILIARY "/%s", dev->addr, dev->addr);
	return 0;
}

static int not_there(const char *addr, struct err *err)
{
	if (is_auxiliary(addr))
		return err_set(err, ROCE_DEVICE_NOT_FOUND, -ENODEV,
			       "auxiliary device %s does not exist on this node; see: ls " SYSFS_AUXILIARY
			       " (is the subfunction active? devlink port show)",
			       addr);
	return err_set(err, ROCE_DEVICE_NOT_FOUND, -ENODEV,
		       "PCI device %s does not exist on this node; see: ls " SYSFS_PCI
		       " (are the VFs created? /sys/class/net/PF/device/sriov_numvfs)",
		       addr);
}

int pci_get(const char *addr, struct pci_dev *ret_dev, struct err *err)
{
	struct pci_dev dev = { 0 };
	int r;

	if (!has_folder(addr, ""))
		return not_there(addr, err);
	snprintf(dev.addr, sizeof(dev.addr), "%s", addr);
	if (read_link(addr, "driver", dev.driver, sizeof(dev.driver)) < 0)
		dev.driver[0] = '\0';
	r = is_auxiliary(addr) ? look_at_auxiliary(&dev, err) : look_at_function(&dev, err);
	if (r < 0)
		return r;
	find_rdma(&dev);
	*ret_dev = dev;
	return 0;
}

bool pci_has_netdev(const char *addr)
{
	return has_folder(addr, "net");
}

bool pci_has_rdma(const char *addr)
{
	return has_folder(addr, "infiniband");
}

/* vfio-pci and its variants (mlx5_vfio_pci), uio_pci_generic, igb_uio. */
bool pci_is_userspace(const struct pci_dev *dev)
{
	return strstr(dev->driver, "vfio") || strstr(dev->driver, "uio");
}

int pci_each_pf(pci_visitor visit, void *arg)
{
	struct dirent **entries;
	bool stop = false;
	int n = scandir(SYSFS_PCI, &entries, NULL, alphasort);

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		struct err ignored = { 0 };
		struct pci_dev dev;

		if (!stop && count_vfs(entries[i]->d_name, "sriov_totalvfs") > 0 &&
		    pci_get(entries[i]->d_name, &dev, &ignored) == 0)
			stop = visit(&dev, arg);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

/* /sys/bus/virtio/devices/virtio0 leads to ".../0000:00:03.0/virtio0". */
int pci_below_virtio(const char *name, char ret_addr[PCI_ADDR_SIZE])
{
	char path[PATH_MAX], target[PATH_MAX], *end;
	const char *addr;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/bus/virtio/devices/%s", name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	end = strrchr(target, '/');
	if (!end)
		return -ENODEV;
	*end = '\0';
	addr = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
	snprintf(path, sizeof(path), SYSFS_PCI "/%.12s", addr);
	if (strlen(addr) >= PCI_ADDR_SIZE || access(path, F_OK) < 0)
		return -ENODEV;
	strcpy(ret_addr, addr);
	return 0;
}
