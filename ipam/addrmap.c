// SPDX-License-Identifier: Apache-2.0
/*
 * File format: a header, then blocks in ascending order, each with one bit for each of 4096
 * neighbouring addresses; a block without a set bit need not be there. So the file grows with the
 * leases, not with the range, and it knows nothing of ranges: it is a picture of the folder, which
 * a changed configuration does not make wrong and which DEL can keep without any configuration.
 *
 * The header's stamp is what stat(2) said of the folder when the map was last right, and the boot.
 * Any name that somebody else made or removed, and any call of ours that was killed half-way,
 * changes the folder's time (or, on tmpfs, its size), so the map is absent then and rebuilt from
 * the names alone: no record is opened for it.
 *
 * What remains are changes by others within one tick of the file system's clock after our own. A
 * bit that is wrongly 0 costs one failed link(2). A bit that is wrongly 1 hides a free address
 * until the next rebuild, at the latest when the range seems full. Neither ever gives an address
 * out twice.
 *
 * Only pread(2) and pwrite(2): a mapped hole on a full tmpfs would kill the process.
 */
#include "ipam/addrmap.h"

#include "ipam/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

enum {
	BLOCK_SHIFT = 12, /* 4096 addresses a block */
	BLOCK_WORDS = (1 << BLOCK_SHIFT) / 64,
	BLOCKS_MAX = 1 << 18, /* 2^30 addresses: more is not a map of ours */
};

static const char magic[8] = "ripmap1";

struct addrmap_block {
	inet_num key; /* the addresses' numbers without their lowest BLOCK_SHIFT bits */
	uint32_t family;
	uint32_t zero[3];
	uint64_t bits[BLOCK_WORDS];
};

struct addrmap_header {
	char magic[8];
	char boot[40];
	uint64_t dev, ino, seconds, nanoseconds, size;
	uint64_t swept; /* leases of earlier boots were taken back */
};

struct addrmap_file {
	struct addrmap_header header;
	struct addrmap_block blocks[];
};

void addrmap_init(struct addrmap *map, int dir)
{
	*map = (struct addrmap){ .dir = dir, .fd = -1 };
}

static int stamp(const struct addrmap *map, const char *boot, struct addrmap_header *header)
{
	struct stat st;

	if (fstat(map->dir, &st) < 0)
		return -errno;
	memcpy(header->magic, magic, sizeof(magic));
	memset(header->boot, 0, sizeof(header->boot));
	snprintf(header->boot, sizeof(header->boot), "%s", boot);
	header->dev = st.st_dev;
	header->ino = st.st_ino;
	header->seconds = st.st_mtim.tv_sec;
	header->nanoseconds = st.st_mtim.tv_nsec;
	header->size = st.st_size;
	return 0;
}

/* ---- blocks ---- */

static int compare_block(const struct addrmap_block *block, int family, inet_num key)
{
	if ((int)block->family != family)
		return (int)block->family < family ? -1 : 1;
	return block->key < key ? -1 : block->key > key;
}

/* Index of the block, or where it would have to stand. */
static size_t find_block(const struct addrmap *map, int family, inet_num key, bool *ret_found)
{
	size_t lo = 0, hi = map->n_blocks;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (compare_block(&map->file->blocks[mid], family, key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	*ret_found = lo < map->n_blocks && compare_block(&map->file->blocks[lo], family, key) == 0;
	return lo;
}

static int reserve(struct addrmap *map, size_t n_blocks)
{
	size_t room = n_blocks * 2;
	struct addrmap_file *file;

	if (map->file && n_blocks <= map->room)
		return 0;
	file = realloc(map->file, sizeof(*file) + room * sizeof(*file->blocks));
	if (!file)
		return -ENOMEM;
	if (!map->file)
		memset(&file->header, 0, sizeof(file->header));
	map->file = file;
	map->room = room;
	return 0;
}

static struct addrmap_block *insert_block(struct addrmap *map, size_t at, int family, inet_num key)
{
	struct addrmap_block *block;

	if (reserve(map, map->n_blocks + 1) < 0)
		return NULL;
	block = &map->file->blocks[at];
	memmove(block + 1, block, (map->n_blocks - at) * sizeof(*block));
	*block = (struct addrmap_block){ .key = key, .family = (uint32_t)family };
	map->n_blocks++;
	map->rewrite = true;
	return block;
}

static uint64_t *find_word(struct addrmap *map, struct inet_addr addr, bool create)
{
	inet_num key = addr.num >> BLOCK_SHIFT;
	struct addrmap_block *block;
	bool found;
	size_t at = find_block(map, addr.family, key, &found);

	if (found)
		block = &map->file->blocks[at];
	else
		block = create ? insert_block(map, at, addr.family, key) : NULL;
	return block ? &block->bits[addr.num / 64 % BLOCK_WORDS] : NULL;
}

/* ---- reading ---- */

static bool blocks_ascend(const struct addrmap *map)
{
	for (size_t i = 1; i < map->n_blocks; i++) {
		const struct addrmap_block *b = &map->file->blocks[i];

		if (compare_block(b - 1, (int)b->family, b->key) >= 0)
			return false;
	}
	return true;
}

static bool read_file(struct addrmap *map, int access)
{
	struct stat st;
	size_t body;

	map->fd = openat(map->dir, ADDRMAP_NAME, access | O_CLOEXEC | O_NOFOLLOW);
	if (map->fd < 0 || fstat(map->fd, &st) < 0 ||
	    st.st_size < (off_t)sizeof(struct addrmap_header))
		return false;
	body = (size_t)st.st_size - sizeof(struct addrmap_header);
	map->n_blocks = body / sizeof(struct addrmap_block);
	if (body % sizeof(struct addrmap_block) != 0 || map->n_blocks > BLOCKS_MAX ||
	    reserve(map, map->n_blocks + 1) < 0)
		return false;
	return pread(map->fd, map->file, st.st_size, 0) == st.st_size && blocks_ascend(map);
}

static bool load(struct addrmap *map, const char *boot, int access)
{
	struct addrmap_header now;

	if (map->state != ADDRMAP_UNREAD)
		return map->state == ADDRMAP_USABLE;
	map->state = ADDRMAP_ABSENT;
	if (!read_file(map, access))
		return false;
	now = map->file->header;
	if (stamp(map, boot, &now) == 0 && memcmp(&now, &map->file->header, sizeof(now)) == 0)
		map->state = ADDRMAP_USABLE;
	return map->state == ADDRMAP_USABLE;
}

bool addrmap_load(struct addrmap *map, const char *boot)
{
	return load(map, boot, O_RDWR);
}

static int read_names(struct addrmap *map)
{
	_cleanup_names_ DIR *names = record_list(map->dir);
	struct inet_addr addr;

	if (!names)
		return -errno;
	while (record_next(names, &addr)) {
		uint64_t *word = find_word(map, addr, true);

		if (!word)
			return -ENOMEM;
		*word |= 1ull << addr.num % 64;
	}
	return 0;
}

int addrmap_rebuild(struct addrmap *map, const char *boot)
{
	bool same_boot = map->state == ADDRMAP_USABLE;
	int r = reserve(map, 1);

	map->n_blocks = 0;
	if (r == 0)
		r = read_names(map);
	map->state = r == 0 ? ADDRMAP_USABLE : ADDRMAP_ABSENT;
	if (r < 0)
		return r;
	if (!same_boot)
		map->file->header.swept = 0;
	snprintf(map->file->header.boot, sizeof(map->file->header.boot), "%s", boot);
	map->rebuilt = map->rewrite = map->touched = true;
	return 0;
}

/* True if every bit of @a is set in @b, too. */
static bool is_part_of(const struct addrmap *a, const struct addrmap *b)
{
	for (size_t i = 0; i < a->n_blocks; i++) {
		const struct addrmap_block *block = &a->file->blocks[i];
		bool found;
		size_t at = find_block(b, (int)block->family, block->key, &found);

		for (int w = 0; w < BLOCK_WORDS; w++)
			if (block->bits[w] & ~(found ? b->file->blocks[at].bits[w] : 0))
				return false;
	}
	return true;
}

bool addrmap_agrees(int dir, const char *boot)
{
	struct addrmap map, names;
	bool agrees = true;

	addrmap_init(&map, dir);
	addrmap_init(&names, dir);
	if (load(&map, boot, O_RDONLY) && reserve(&names, 1) == 0 && read_names(&names) == 0)
		agrees = is_part_of(&map, &names) && is_part_of(&names, &map);
	addrmap_close(&map);
	addrmap_close(&names);
	return agrees;
}

bool addrmap_first_free(const struct addrmap *map, int family, inet_num lo, inet_num hi,
			inet_num *ret_num)
{
	inet_num num = lo;

	for (;;) {
		inet_num key = num >> BLOCK_SHIFT, next = (key + 1) << BLOCK_SHIFT;
		uint64_t mask = ~0ull << num % 64;
		bool found;
		size_t at = find_block(map, family, key, &found);

		if (!found) {
			*ret_num = num;
			return true;
		}
		for (int w = num / 64 % BLOCK_WORDS; w < BLOCK_WORDS; w++, mask = ~0ull) {
			uint64_t clear = ~map->file->blocks[at].bits[w] & mask;

			if (!clear)
				continue;
			*ret_num = (key << BLOCK_SHIFT) + 64 * w + __builtin_ctzll(clear);
			return *ret_num <= hi;
		}
		if (next > hi || next == 0) /* 0: behind the last address of all */
			return false;
		num = next;
	}
}

/* ---- writing ---- */

/* Give the map up: without a file the next caller rebuilds it. */
static void drop(struct addrmap *map)
{
	unlinkat(map->dir, ADDRMAP_NAME, 0);
	if (map->fd >= 0)
		close(steal_fd(&map->fd));
	map->state = ADDRMAP_ABSENT;
}

static void write_word(struct addrmap *map, const uint64_t *word)
{
	off_t offset = (const char *)word - (const char *)map->file;

	if (map->rewrite)
		return; /* addrmap_close() writes all */
	if (pwrite(map->fd, word, sizeof(*word), offset) != sizeof(*word))
		drop(map);
}

void addrmap_set(struct addrmap *map, struct inet_addr addr)
{
	uint64_t *word = map->state == ADDRMAP_USABLE ? find_word(map, addr, true) : NULL;

	map->touched = true;
	if (!word) {
		map->state = ADDRMAP_ABSENT;
		return;
	}
	*word |= 1ull << addr.num % 64;
	write_word(map, word);
}

void addrmap_clear(struct addrmap *map, struct inet_addr addr)
{
	uint64_t *word = map->state == ADDRMAP_USABLE ? find_word(map, addr, false) : NULL;

	map->touched = true;
	if (!word)
		return;
	*word &= ~(1ull << addr.num % 64);
	write_word(map, word);
}

bool addrmap_swept(const struct addrmap *map)
{
	return map->state == ADDRMAP_USABLE && map->file->header.swept;
}

void addrmap_set_swept(struct addrmap *map)
{
	if (map->state == ADDRMAP_USABLE)
		map->file->header.swept = 1;
}

/* All blocks under a header that is not valid, so that half of it is never taken for a map. */
static bool write_all(struct addrmap *map)
{
	size_t size = sizeof(*map->file) + map->n_blocks * sizeof(*map->file->blocks);

	if (map->fd < 0)
		map->fd = openat(map->dir, ADDRMAP_NAME,
				 O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	memset(map->file->header.magic, 0, sizeof(magic));
	return map->fd >= 0 && pwrite(map->fd, map->file, size, 0) == (ssize_t)size &&
	       ftruncate(map->fd, (off_t)size) == 0;
}

static bool save(struct addrmap *map)
{
	struct addrmap_header *header = &map->file->header;
	char boot[sizeof(header->boot)];

	if (map->rewrite && !write_all(map))
		return false;
	memcpy(boot, header->boot, sizeof(boot));
	return stamp(map, boot, header) == 0 &&
	       pwrite(map->fd, header, sizeof(*header), 0) == sizeof(*header);
}

void addrmap_close(struct addrmap *map)
{
	if (map->touched && (map->state != ADDRMAP_USABLE || !save(map)))
		drop(map);
	if (map->fd >= 0)
		close(map->fd);
	free(map->file);
	addrmap_init(map, -1);
}
