// SPDX-License-Identifier: Apache-2.0
#include "ipam/peek.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>

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
	inet_num *grown = base_grow(taken->nums, taken->n, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	taken->nums = grown;
	taken->nums[taken->n++] = num;
	return 0;
}

/* A record's file is named by its address. */
static int read_names(const char *path, int family, struct taken *taken)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	struct inet_addr addr;
	int r = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while (r == 0 && (entry = readdir(dir)))
		if (inet_parse(entry->d_name, &addr) == 0 && addr.family == family)
			r = keep(taken, addr.num);
	closedir(dir);
	return r;
}

static bool first_free(const struct taken *taken, const struct range *range, inet_num *ret_num)
{
	size_t next = 0;

	for (size_t i = 0; i < range->n_spans; i++) {
		inet_num num = range->spans[i].lo;

		while (next < taken->n && taken->nums[next] < num)
			next++;
		for (; next < taken->n && num <= range->spans[i].hi; next++) {
			if (taken->nums[next] > num)
				break;
			num += taken->nums[next] == num; /* an address may be there twice */
		}
		if (num <= range->spans[i].hi) {
			*ret_num = num;
			return true;
		}
	}
	return false;
}

int peek_first_free(const char *path, const char *domain, const struct range *range,
		    struct inet_addr *ret_addr)
{
	struct taken taken = { .n = 0 };
	char beside[PATH_MAX];
	inet_num num;
	int r = read_names(path, range->subnet.addr.family, &taken);

	if (r == 0 && domain) {
		snprintf(beside, sizeof(beside), "%.*s%s", (int)(strrchr(path, '/') - path + 1),
			 path, domain);
		r = read_names(beside, range->subnet.addr.family, &taken);
	}
	if (r == 0 && taken.n > 0)
		qsort(taken.nums, taken.n, sizeof(*taken.nums), compare);
	if (r == 0 && first_free(&taken, range, &num)) {
		*ret_addr = range_addr(range, num);
		r = 1;
	}
	free(taken.nums);
	return r;
}
