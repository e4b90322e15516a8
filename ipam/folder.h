/* SPDX-License-Identifier: Apache-2.0 */
/* A folder below the home, under its lock: a network's pool, or the addresses that networks share. */
#ifndef IPAM_FOLDER_H
#define IPAM_FOLDER_H

#include "ipam/home.h"

/**
 * struct folder - an open folder: whoever has one holds its lock
 * @dir:	the folder
 * @lock:	the lock
 */
struct folder {
	int dir, lock;
};

#define FOLDER_CLOSED ((struct folder){ -1, -1 })

/**
 * folder_open() - open a folder and lock it
 * @home:	what it lies in
 * @name:	its name; a symbolic link is refused
 * @mode:	what to do when there is none
 * @deadline:	from file_deadline(); after it CNI_TRY_AGAIN
 * @ret_folder:	the folder; the caller calls folder_close()
 * @err:	set on failure, except for -ENOENT
 *
 * When somebody removed or replaced the folder before we had the lock, it is opened anew.
 *
 * Return: 0, -ENOENT when there is no such folder and @mode is HOME_EXISTING, or another negative
 * errno; after an error @ret_folder is closed.
 */
int folder_open(const struct home *home, const char *name, enum home_mode mode, int64_t deadline,
		struct folder *ret_folder, struct err *err);

/* folder_close() - release the lock. */
void folder_close(struct folder *folder);

#endif
