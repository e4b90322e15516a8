// SPDX-License-Identifier: Apache-2.0
#include "ipam/peek.h"

#include <dirent.h>
#include <errno.h>

/* The addresses that have a record. */
struct taken {
	inet_num *nums;
	size_t n;
};

static int compare(const void *a, const void *b)
{
	const inet_num *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int keep(struct taken *taken, inet_num num)
{
	inet_num *grown;

	if ((taken->n & (taken->n - 1)) != 0) { /* room doubles: 1, 2, 4, ... */
		taken->nums[taken->n++] = num;
		return 0;
	}
	grown = reallocarray(taken->nums, taken->n ? 2 * taken->n : 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	taken->nums = grown;
	taken->nums[taken->n++] = num;
	return 0;
}

/* A record's file is named by its address. */
static int read_names(DIR *dir, int family, struct taken *taken)
{
	struct dirent *entry;
	struct inet_addr addr;
	int r = 0;

	while (r == 0 && (entry = readdir(dir)))
		if (inet_parse(entry->d_name, &addr) == 0 && addr.family == family)
			r = keep(taken, addr.num);
	if (r == 0)
		qsort(taken->nums, taken->n, sizeof(*taken->nums), compare);
	return r;
}

static bool first_free(const struct taken *taken, const struct range *range, inet_num *ret_num)
{
	size_t next = 0;

	for (size_t i = 0; i < range->n_spans; i++) {
		inet_num num = range->spans[i].lo;

		while (next < taken->n && taken->nums[next] < num)
			next++;
		while (next < taken->n && taken->nums[next] == num && num <= range->spans[i].hi) {
			num++;
			next++;
		}
		if (num <= range->spans[i].hi) {
			*ret_num = num;
			return true;
		}
	}
	return false;
}

int peek_first_free(const char *path, const struct range *range, struct inet_addr *ret_addr)
{
	struct taken taken = { .n = 0 };
	DIR *dir = opendir(path);
	inet_num num;
	int r = 0;

	if (!dir && errno != ENOENT)
		return -errno;
	if (dir) {
		r = read_names(dir, range->subnet.addr.family, &taken);
		closedir(dir);
	}
	if (r == 0 && first_free(&taken, range, &num)) {
		*ret_addr = range_addr(range, num);
		r = 1;
	}
	free(taken.nums);
	return r;
}
