/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of its own for each test. */
#ifndef TESTS_UNIT_FOLDER_H
#define TESTS_UNIT_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

/* folder_make() - a new, empty folder below /tmp; its path goes to @path. Return: 0 or -1. */
static inline int folder_make(char path[64])
{
	snprintf(path, 64, "/tmp/roce-test.XXXXXX");
	return mkdtemp(path) ? 0 : -1;
}

static inline int folder_remove_entry(const char *path, const struct stat *st, int type,
				      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* folder_remove() - remove it with all that is in it. Return: 0 or -1. */
static inline int folder_remove(const char *path)
{
	return nftw(path, folder_remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
