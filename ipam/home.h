/* SPDX-License-Identifier: Apache-2.0 */
/* The folder that the pools of all networks are in, and the node that works there. */
#ifndef IPAM_HOME_H
#define IPAM_HOME_H

#include "conf/profile.h"

enum { HOME_PATH_SIZE = 1024 };

/* Whether a folder is made that does not exist yet. */
enum home_mode {
	HOME_CREATE,
	HOME_EXISTING,
};

/**
 * struct home - where the pools are, and who we are
 * @path:	the folder
 * @chosen:	where in @path the part begins that a network chose; 0: it chose nothing. Symbolic
 *		links are followed in what the node's administrator wrote, and nowhere else
 * @durability:	whether records must survive power loss
 * @node:	host name, written into records
 * @boot:	boot ID, written into records
 */
struct home {
	char path[HOME_PATH_SIZE];
	size_t chosen;
	enum file_durability durability;
	char node[65];
	char boot[37];
};

/**
 * home_find() - where a network's pool is kept
 * @profile:	the node's profile
 * @data_dir:	what the network says ("ipam.dataDir"), or NULL
 * @ret_home:	the folder
 * @err:	CNI_CONFIG_INVALID when the profile does not allow @data_dir, ROCE_PROFILE_INVALID
 *
 * A network's author is no administrator. @data_dir must be one folder directly below one of the
 * profile's roots: then every pool lies equally deep, and none can be placed inside another.
 *
 * Return: 0 or a negative errno.
 */
int home_find(const struct profile *profile, const char *data_dir, struct home *ret_home,
	      struct err *err);

/* home_at() - a folder that the administrator chose. Return: 0 or -ENAMETOOLONG with @err set. */
int home_at(const char *path, enum file_durability durability, struct home *ret_home,
	    struct err *err);

/**
 * home_open() - open the folder
 * @home:	the folder
 * @mode:	what to do when there is none
 * @err:	set on failure, except for -ENOENT
 *
 * Return: a descriptor the caller closes, -ENOENT when @mode is HOME_EXISTING, or another negative
 * errno.
 */
int home_open(const struct home *home, enum home_mode mode, struct err *err);

/* home_is_earlier_boot() - true if a record of @node and @boot is this node's, of a boot before. */
bool home_is_earlier_boot(const struct home *home, const char *node, const char *boot);

#endif
