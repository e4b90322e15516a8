/* SPDX-License-Identifier: Apache-2.0 */
/* Record files: read one, list them, tell whether two names are one file. */
#ifndef IPAM_RECORD_H
#define IPAM_RECORD_H

#include "ipam/lease.h"

#include <dirent.h>
#include <sys/stat.h>

/**
 * record_read() - read one record
 * @dir, @name:	its file
 * @ret_lease:	what it says; undefined after -EBADMSG
 * @ret_st:	of the file
 * @err:	ROCE_STATE_BROKEN; not set for other errors
 *
 * Return: 0, -EBADMSG when it is damaged, or another negative errno.
 */
int record_read(int dir, const char *name, struct lease *ret_lease, struct stat *ret_st,
		struct err *err);

/* record_same_file() - true if @name is the file that @st is of. */
bool record_same_file(int dir, const char *name, const struct stat *st);

/**
 * record_is_lease() - true if @name is the record of a lease
 * @dir, @name:	the file in question
 * @st:		of the lease's own file
 * @lease:	the lease
 *
 * The same file; or, since a store that was restored by a copy has no hard links, a record that
 * says the same.
 */
bool record_is_lease(int dir, const char *name, const struct stat *st, const struct lease *lease);

/* record_unlink() - remove a name. Return: 0, also when there is none, or a negative errno. */
int record_unlink(int dir, const char *name);

/* record_list() - open a folder for record_next(), from its beginning; NULL with errno set. */
DIR *record_list(int dir);

/**
 * record_next() - the next record of a folder
 * @names:	from record_list()
 * @ret_addr:	the address that names it
 *
 * Return: its name, which is an address in canonical text; NULL after the last.
 */
const char *record_next(DIR *names, struct inet_addr *ret_addr);

static inline void record_closep(DIR **names)
{
	if (*names)
		closedir(*names);
}
#define _cleanup_names_ _cleanup_(record_closep)

#endif
