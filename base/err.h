/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one error object. It is the last argument of every function that can fail, which returns 0 or
 * a negative errno. The first error wins: callers add context in front (err_wrap) or behind
 * (err_detail), they never replace it.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/base.h"

/* CNI error codes: 1-99 are the CNI specification's, from 100 on they are this project's. */
enum err_code {
	CNI_OK = 0,
	CNI_VERSION_UNSUPPORTED = 1,
	CNI_FIELD_UNSUPPORTED = 2,
	CNI_CONTAINER_UNKNOWN = 3,
	CNI_ENVIRONMENT_INVALID = 4,
	CNI_IO_FAILURE = 5,
	CNI_DECODING_FAILURE = 6,
	CNI_CONFIG_INVALID = 7,
	CNI_NETNS_IS_HOST = 8,
	CNI_TRY_AGAIN = 11,
	CNI_UNAVAILABLE = 50,
	CNI_DEGRADED = 51,

	ROCE_MTU_MISMATCH = 100,
	ROCE_DEVICE_NOT_FOUND = 101,
	ROCE_DEVICE_BUSY = 102,
	ROCE_DEVICE_FORBIDDEN = 103,
	ROCE_NETNS_INVALID = 104,
	ROCE_IFNAME_TAKEN = 105,
	ROCE_IPAM_FAILED = 106,
	ROCE_IPAM_EXHAUSTED = 107,
	ROCE_KERNEL_REFUSED = 108,
	ROCE_STATE_BROKEN = 109,
	ROCE_UNDO_INCOMPLETE = 110,
	ROCE_DRIFT = 111,
	ROCE_PROFILE_INVALID = 112,
	ROCE_RDMA_UNUSABLE = 113,
};

/* One line of the table of codes: what the manual lists. */
struct err_info {
	enum err_code code;
	const char *name;    /* for example "MTU_MISMATCH" */
	const char *meaning; /* one sentence for the manual */
};

/**
 * struct err - an error on its way up to main()
 * @code:	CNI error code, CNI_OK while there is no error
 * @eno:	errno value (positive), for callers that must tell cases apart
 * @path:	JSON path of what is wrong in a configuration; "" if it is something else
 * @msg:	one self-contained sentence: what was found, what was needed, what to do.
 *		Multus keeps nothing else of an error
 * @details:	further lines: context, undo failures
 */
struct err {
	enum err_code code;
	int eno;
	char path[192];
	char msg[1024];
	char details[2048];
};

/**
 * err_set() - set an error unless one is set already
 * @err:	error object
 * @code:	CNI error code
 * @ret:	negative errno, returned as it is
 * @fmt:	message, as printf()
 *
 * Return: @ret, so that a caller can write "return err_set(...)".
 */
int err_set(struct err *err, enum err_code code, int ret, const char *fmt, ...) _printf_(4, 5);

/* err_wrap() - put context in front of the message: "context: message". Return: -err->eno. */
int err_wrap(struct err *err, const char *fmt, ...) _printf_(2, 3);

/* err_detail() - append one line to the details. */
void err_detail(struct err *err, const char *fmt, ...) _printf_(2, 3);

/* err_is_set() - true if @err holds an error. */
static inline bool err_is_set(const struct err *err)
{
	return err->code != CNI_OK;
}

/**
 * err_table() - every code this project can answer with
 * @ret_n:	number of entries
 *
 * Return: the table, ordered by code.
 */
const struct err_info *err_table(size_t *ret_n);

/* err_code_name() - the name of @code, for example "MTU_MISMATCH"; "UNKNOWN" if it has none. */
const char *err_code_name(enum err_code code);

#endif
