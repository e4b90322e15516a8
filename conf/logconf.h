/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "logLevel" and "logFile" of a network of type roce. A network's author is no administrator: the file
 * must lie below one of the node profile's log roots, and be one that roce made (base/logfile.h).
 */
#ifndef CONF_LOGCONF_H
#define CONF_LOGCONF_H

#include "base/log.h"
#include "base/logfile.h"
#include "conf/cnicall.h"
#include "conf/profile.h"

/**
 * struct logconf - what a network says of the log
 * @has_level, @level: the highest level that is written
 * @file:	written to besides stderr; NULL: none
 */
struct logconf {
	bool has_level;
	enum log_level level;
	const char *file;
};

/* logconf_read_level() - jx_reader of "logLevel" into a struct logconf. */
int logconf_read_level(const json_t *value, const char *path, void *field, struct err *err);

/* logconf_read_file() - jx_reader of "logFile" into a struct logconf: what holds on every node. */
int logconf_read_file(const json_t *value, const char *path, void *field, struct err *err);

/* logconf_is_usual() - true if a node whose profile says nothing of log roots allows the file. */
bool logconf_is_usual(const char *file);

/**
 * logconf_allowed() - whether a node's profile allows the file
 * @profile:	the profile
 * @file:	from logconf_read_file()
 * @ret_root:	the root that it is below; may be NULL
 * @err:	CNI_CONFIG_INVALID: what is allowed, and who can change that
 *
 * Return: 0 or a negative errno.
 */
int logconf_allowed(const struct profile *profile, const char *file, const char **ret_root,
		    struct err *err);

/**
 * logconf_open() - open the file
 * @profile, @file: as for logconf_allowed()
 * @mode, @ret_torn: as for logfile_open()
 * @err:	CNI_CONFIG_INVALID; CNI_IO_FAILURE where only the node's disk is to blame
 *
 * Return: a descriptor that the caller closes, or a negative errno; with LOGFILE_LOOK -ENOENT with @err
 * unset when there is no file yet.
 */
int logconf_open(const struct profile *profile, const char *file, enum logfile_mode mode,
		 bool *ret_torn, struct err *err);

/**
 * logconf_start() - from here on log as the network of a call says
 * @call:	the call; what cannot be used is removed from its JSON, with a warning
 * @may_refuse:	return an error instead
 * @err:	what is wrong with "logLevel" or "logFile", or with the profile
 *
 * Return: 0 or, with @may_refuse, a negative errno.
 */
int logconf_start(const struct cni_call *call, bool may_refuse, struct err *err);

#endif
