/* SPDX-License-Identifier: Apache-2.0 */
/* The device-info file that Multus shows in the pod's network-status. */
#ifndef CNI_DEVICEINFO_H
#define CNI_DEVICEINFO_H

#include "cni/observe.h"

/**
 * deviceinfo_write() - write or complete the file of device-info-spec 1.1.0
 * @path:	runtimeConfig.CNIDeviceInfoFile; NULL: nothing to do
 * @device:	device; without a PCI address there is nothing to write
 *
 * Fields that a device plugin wrote first are kept. A network's author can name any path, so only
 * files right in the folder that Multus uses are written, through no symbolic link. Failures are
 * logged: the file is information, the pod works without it.
 */
void deviceinfo_write(const char *path, const struct device *device);

#endif
