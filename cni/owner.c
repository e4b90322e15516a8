// SPDX-License-Identifier: Apache-2.0
#include "cni/owner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

int owner_busy(const struct journal *owner, struct err *err)
{
	return err_set(err, ROCE_DEVICE_BUSY, -EBUSY,
		       "device %s (%s) belongs to container %s (network %s, interface %s, namespace %s); choose another device, or delete that pod",
		       owner->device.name, owner->device.key, owner->attachment.container_id,
		       owner->attachment.network, owner->attachment.ifname, owner->netns);
}

static bool asks_for(const struct netconf *conf, const struct device *device)
{
	return conf->device ? streq(conf->device, device->name) : streq(conf->device_id, device->pci.addr);
}

int owner_explain(const struct store *store, const struct netconf *conf, struct err *err)
{
	int fd = openat(store->dir, "devices", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_cleanup_journal_ struct journal other = { 0 };
		struct err ignored = { 0 };
		char owner[STORE_NAME_SIZE];

		if (!store_owner(store, entry->d_name, owner) ||
		    journal_read(store, owner, &other, &ignored) < 0 ||
		    !asks_for(conf, &other.device))
			continue;
		memset(err, 0, sizeof(*err));
		owner_busy(&other, err);
		break;
	}
	if (dir)
		closedir(dir);
	return -err->eno;
}
