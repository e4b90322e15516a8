/* SPDX-License-Identifier: Apache-2.0 */
/* The installed plugin roce: rocectl changes nothing itself, it has the plugin do it. */
#ifndef CTL_PLUGIN_H
#define CTL_PLUGIN_H

#include "base/err.h"

#include <limits.h>

/**
 * plugin_find() - where the plugin is
 * @given:	where it is said to be, or NULL: the first of CNI_PATH, /opt/cni/bin, rocectl's own folder
 * @buf:	receives the path
 * @err:	CNI_IO_FAILURE; where it was looked for
 *
 * Return: 0 or a negative errno.
 */
int plugin_find(const char *given, char buf[PATH_MAX], struct err *err);

/**
 * plugin_prepare() - make this process's environment what the plugin needs, once
 * @path:	from plugin_find()
 * @err:	CNI_IO_FAILURE
 *
 * GC, but of what is left over only (ROCE_GC); IPAM plugins are looked for in CNI_PATH, then beside it.
 *
 * Return: 0 or a negative errno.
 */
int plugin_prepare(const char *path, struct err *err);

/**
 * plugin_run() - run the plugin; it logs to our stderr
 * @path:	from plugin_find()
 * @config:	what it reads on stdin
 * @err:	the plugin's own code and words, or CNI_IO_FAILURE
 *
 * Return: 0 or a negative errno.
 */
int plugin_run(const char *path, const char *config, struct err *err);

#endif
