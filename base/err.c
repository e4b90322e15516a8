// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* CNI SPEC 1.1.0, section "Error"; code 8 is what the Go library's skeleton answers. */
static const struct err_info table[] = {
	{ CNI_VERSION_UNSUPPORTED, "VERSION_UNSUPPORTED", "cniVersion is not one of those supported" },
	{ CNI_FIELD_UNSUPPORTED, "FIELD_UNSUPPORTED", "a field's value is not supported here" },
	{ CNI_CONTAINER_UNKNOWN, "CONTAINER_UNKNOWN", "the container is not known" },
	{ CNI_ENVIRONMENT_INVALID, "ENVIRONMENT_INVALID", "a CNI_* variable is missing or invalid" },
	{ CNI_IO_FAILURE, "IO_FAILURE", "a file or pipe could not be read or written" },
	{ CNI_DECODING_FAILURE, "DECODING_FAILURE", "the configuration is not JSON of the right types" },
	{ CNI_CONFIG_INVALID, "CONFIG_INVALID", "the configuration says something that cannot be" },
	{ CNI_NETNS_IS_HOST, "NETNS_IS_HOST", "CNI_NETNS is the namespace the plugin runs in" },
	{ CNI_TRY_AGAIN, "TRY_AGAIN", "somebody else is busy with it, or a signal stopped the ADD" },
	{ CNI_UNAVAILABLE, "UNAVAILABLE", "the plugin cannot serve an ADD now" },
	{ CNI_DEGRADED, "DEGRADED", "the plugin cannot serve an ADD, attachments are limited" },
	{ ROCE_MTU_MISMATCH, "MTU_MISMATCH", "a hop of the MTU chain does not carry what is asked" },
	{ ROCE_DEVICE_NOT_FOUND, "DEVICE_NOT_FOUND", "the device does not exist or has no netdev, or a PF has no VF to give" },
	{ ROCE_DEVICE_BUSY, "DEVICE_BUSY", "the device belongs to another attachment" },
	{ ROCE_DEVICE_FORBIDDEN, "DEVICE_FORBIDDEN", "the node's administrator did not allow this" },
	{ ROCE_NETNS_INVALID, "NETNS_INVALID", "CNI_NETNS is no network namespace" },
	{ ROCE_IFNAME_TAKEN, "IFNAME_TAKEN", "the pod has an interface of that name already" },
	{ ROCE_IPAM_FAILED, "IPAM_FAILED", "the IPAM plugin is missing, failed or hung" },
	{ ROCE_IPAM_EXHAUSTED, "IPAM_EXHAUSTED", "no address is free in the range" },
	{ ROCE_KERNEL_REFUSED, "KERNEL_REFUSED", "the kernel or a driver refused a setting" },
	{ ROCE_STATE_BROKEN, "STATE_BROKEN", "a file of our own state cannot be used" },
	{ ROCE_UNDO_INCOMPLETE, "UNDO_INCOMPLETE", "something could not be restored; the journal is kept" },
	{ ROCE_DRIFT, "DRIFT", "CHECK: the attachment is not as ADD left it" },
	{ ROCE_PROFILE_INVALID, "PROFILE_INVALID", "the node profile cannot be used" },
	{ ROCE_RDMA_UNUSABLE, "RDMA_UNUSABLE", "the network asks for RDMA, and the pod could not use it" },
};

int err_set(struct err *err, enum err_code code, int ret, const char *fmt, ...)
{
	va_list ap;

	if (err_is_set(err))
		return ret;
	err->code = code;
	err->eno = -ret;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return ret;
}

int err_wrap(struct err *err, const char *fmt, ...)
{
	char old[sizeof(err->msg)];
	size_t len;
	va_list ap;

	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	len = strlen(err->msg);
	if (snprintf(err->msg + len, sizeof(err->msg) - len, ": %s", old) < 0)
		return -EINVAL;
	return -err->eno;
}

void err_detail(struct err *err, const char *fmt, ...)
{
	size_t len = strlen(err->details);
	va_list ap;

	if (len > 0 && len + 1 < sizeof(err->details))
		err->details[len++] = '\n';
	va_start(ap, fmt);
	vsnprintf(err->details + len, sizeof(err->details) - len, fmt, ap);
	va_end(ap);
}

const struct err_info *err_table(size_t *ret_n)
{
	*ret_n = ARRAY_SIZE(table);
	return table;
}

const char *err_code_name(enum err_code code)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].code == code)
			return table[i].name;
	return "UNKNOWN";
}
