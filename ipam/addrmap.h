/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The map of a pool: one bit for every address whose name is in the pool's folder. A cache and
 * nothing more: it may be deleted at any time, and what it says is checked where it is used.
 */
#ifndef IPAM_ADDRMAP_H
#define IPAM_ADDRMAP_H

#include "conf/inet.h"

#define ADDRMAP_NAME "map"

struct addrmap_file;

enum addrmap_state {
	ADDRMAP_UNREAD,
	ADDRMAP_USABLE, /* it shows the folder */
	ADDRMAP_ABSENT, /* missing, or the folder changed behind its back */
};

/**
 * struct addrmap - the map of one pool, in the hands of the holder of the pool's lock
 * @dir:	the pool's folder, borrowed
 * @fd:		the map's file, -1 while it is not open
 * @file:	its content
 * @n_blocks:	number of blocks in @file
 * @room:	number of blocks that fit
 * @state:	whether @file can be used
 * @rebuilt:	it was read from the folder's names by this process
 * @rewrite:	the file must be written whole
 * @touched:	the folder was changed by this process: the stamp must be renewed
 */
struct addrmap {
	int dir;
	int fd;
	struct addrmap_file *file;
	size_t n_blocks, room;
	enum addrmap_state state;
	bool rebuilt, rewrite, touched;
};

/* addrmap_init() - a map that nobody has read yet; @dir stays the caller's. */
void addrmap_init(struct addrmap *map, int dir);

/**
 * addrmap_load() - read the map unless that was done already
 * @map:	the map
 * @boot:	boot ID: what an earlier boot wrote may be half of the truth
 *
 * Return: true if it can be used.
 */
bool addrmap_load(struct addrmap *map, const char *boot);

/**
 * addrmap_rebuild() - make the map from the names in the folder
 * @map:	the map
 * @boot:	boot ID
 *
 * Return: 0 or a negative errno.
 */
int addrmap_rebuild(struct addrmap *map, const char *boot);

/**
 * addrmap_first_free() - lowest address without a name
 * @map:	a usable map
 * @family:	AF_INET or AF_INET6
 * @lo, @hi:	where to look, both included
 * @ret_num:	the address
 *
 * Return: true if there is one.
 */
bool addrmap_first_free(const struct addrmap *map, int family, inet_num lo, inet_num hi,
			inet_num *ret_num);

/* addrmap_set() - the name of @addr was created. Call it after the fact. */
void addrmap_set(struct addrmap *map, struct inet_addr addr);

/* addrmap_clear() - the name of @addr will be removed. Call it before the fact. */
void addrmap_clear(struct addrmap *map, struct inet_addr addr);

/*
 * addrmap_swept(), addrmap_set_swept() - whether the leases of earlier boots were taken back. Kept
 * here because both are true for exactly as long: until the next boot.
 */
bool addrmap_swept(const struct addrmap *map);
void addrmap_set_swept(struct addrmap *map);

/**
 * addrmap_agrees() - whether the map of a folder, if it would be used, shows what is in there
 * @dir:	the folder
 * @boot:	boot ID
 *
 * Only reads, and opens its own map. One that would not be used agrees with anything.
 */
bool addrmap_agrees(int dir, const char *boot);

/* addrmap_close() - write what changed and the new stamp, and release the memory. */
void addrmap_close(struct addrmap *map);

#endif
