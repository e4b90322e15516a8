/* SPDX-License-Identifier: Apache-2.0 */
/* Small things that every file needs: ownership attributes and array helpers. */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* _cleanup_(f): call f(&variable) when the variable goes out of scope. */
#define _cleanup_(f) __attribute__((cleanup(f)))
#define _cleanup_free_ _cleanup_(base_freep)
#define _cleanup_close_ _cleanup_(base_closep)

#define _printf_(fmt, first) __attribute__((format(printf, fmt, first)))

static inline void base_freep(void *p)
{
	free(*(void **)p);
}

static inline void base_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* steal_fd() - pass ownership of *@fd on; the cleanup attribute then closes nothing. */
static inline int steal_fd(int *fd)
{
	int stolen = *fd;

	*fd = -1;
	return stolen;
}

/* steal_ptr(p) - pass ownership of the pointer in @p on; the cleanup attribute then frees nothing. */
#define steal_ptr(p)                                                                               \
	({                                                                                         \
		__typeof__(p) stolen_ = (p);                                                       \
		(p) = NULL;                                                                        \
		stolen_;                                                                           \
	})

/**
 * base_grow() - room for one more element; the room doubles: 1, 2, 4, ...
 * @items:	the array, NULL while it is empty
 * @n:		elements in it
 * @size:	of one element
 *
 * Return: the array, perhaps elsewhere; NULL without memory, and @items stays as it is.
 */
static inline void *base_grow(void *items, size_t n, size_t size)
{
	return n & (n - 1) ? items : reallocarray(items, n ? 2 * n : 1, size);
}

static inline bool streq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

#endif
