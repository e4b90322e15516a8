// SPDX-License-Identifier: Apache-2.0
#include "cni/deviceinfo.h"

#include "base/file.h"
#include "base/log.h"
#include "conf/jx.h"

#include <errno.h>
#include <fcntl.h>

enum { DEVICEINFO_SIZE_MAX = 1 << 16 };

/* /var/run is a link to /run; Multus writes the first, the kernel knows the second. */
static const char *const folders[] = {
	"/var/run/k8s.cni.cncf.io/devinfo/cni/",
	"/run/k8s.cni.cncf.io/devinfo/cni/",
};

static const char *name_in_folder(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		size_t len = strlen(folders[i]);

		if (strncmp(path, folders[i], len) == 0 && path[len] && path[len] != '.' &&
		    !strchr(path + len, '/'))
			return path + len;
	}
	return NULL;
}

static void set_absent(json_t *object, const char *key, const char *value)
{
	if (*value && !json_object_get(object, key))
		json_object_set_new(object, key, json_string(value));
}

/* What is there, or a new document; of the type "pci" in either case. */
static json_t *load(int dir, const char *name)
{
	_cleanup_free_ char *text = NULL;
	struct err ignored = { 0 };
	json_t *json = NULL;
	size_t len;

	if (file_read(dir, name, DEVICEINFO_SIZE_MAX, &text, &len) == 0)
		jx_parse(text, len, name, &json, &ignored);
	if (!json)
		json = json_pack("{ss}", "type", "pci");
	return json;
}

/* A subfunction has no PCI address; the specification wants one, and means the hardware: that is the PF. */
static const char *pci_address(const struct pci_dev *pci)
{
	return pci->is_sf ? pci->pf : pci->addr;
}

static int complete(int dir, const char *name, const struct device *device)
{
	_cleanup_json_ json_t *json = load(dir, name);
	_cleanup_free_ char *text = NULL;
	json_t *pci = json_object_get(json, "pci");

	if (!streq(json_string_value(json_object_get(json, "type")) ?: "", "pci"))
		return -EINVAL; /* vdpa and the like: not ours to change */
	if (!json_is_object(pci)) {
		pci = json_object();
		json_object_set_new(json, "pci", pci);
	}
	json_object_set_new(json, "version", json_string("1.1.0"));
	set_absent(pci, "pci-address", pci_address(&device->pci));
	set_absent(pci, "pf-pci-address", device->pci.pf);
	set_absent(pci, "rdma-device", device->has_rdma ? device->rdma.name : "");
	text = json_dumps(json, JSON_COMPACT);
	return text ? file_write_atomic(dir, name, text, strlen(text), FILE_VOLATILE) : -ENOMEM;
}

void deviceinfo_write(const char *path, const struct device *device)
{
	const char *name = path ? name_in_folder(path) : NULL;
	_cleanup_close_ int dir = -1;
	struct err err = { 0 };
	int r;

	if (!path || !*device->pci.addr)
		return;
	if (!name) {
		log_warn("CNIDeviceInfoFile %s is not in %s: not written", path, folders[0]);
		return;
	}
	dir = file_opendir(folders[1], &err);
	r = dir < 0 ? dir : complete(dir, name, device);
	if (r < 0)
		log_warn("CNIDeviceInfoFile %s could not be written: %s", path, strerror(-r));
}
