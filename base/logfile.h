/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file that lines are appended to. Its name comes from a network, whose author is no administrator:
 * so nothing is followed on the way to it, and nothing is written to a file that is somebody else's.
 */
#ifndef BASE_LOGFILE_H
#define BASE_LOGFILE_H

#include "base/err.h"

enum logfile_mode {
	LOGFILE_APPEND, /* made if it is missing; its folder never is */
	LOGFILE_LOOK,	/* nothing is made or written */
};

/**
 * logfile_open() - open a log that is ours
 * @root:	folder that the administrator chose; symbolic links in it are followed
 * @name:	path below it, without ".." (the caller has checked); no part may be a symbolic link
 * @mode:	what for
 * @ret_torn:	the file ends within a line; may be NULL
 * @err:	CNI_CONFIG_INVALID: there is something else, or somebody else's file; CNI_IO_FAILURE: the
 *		disk is full, read-only or broken, which is not the network's fault
 *
 * A file is ours if it belongs to root, has no other name, begins with our header and ends with one of
 * our lines. An empty one becomes ours: that is what logrotate leaves. The last line tells when somebody
 * else took to a file that was made before they started, such as auth.log.
 *
 * Return: a descriptor that the caller closes, or a negative errno; with LOGFILE_LOOK -ENOENT with @err
 * unset when only the file itself is missing.
 */
int logfile_open(const char *root, const char *name, enum logfile_mode mode, bool *ret_torn,
		 struct err *err);

#endif
