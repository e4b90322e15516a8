// SPDX-License-Identifier: Apache-2.0
#include "conf/vfset.h"

#include <ctype.h>

/* A number of one to five digits. Return: what follows, or NULL. */
static const char *read_number(const char *text, int *ret)
{
	int n = 0;

	for (*ret = 0; n < 5 && isdigit((unsigned char)text[n]); n++)
		*ret = 10 * *ret + text[n] - '0';
	return n > 0 ? text + n : NULL;
}

static bool parse_range(const char *text, struct vfset_range *ret)
{
	const char *rest = read_number(text, &ret->first);

	if (!rest || *rest != '-')
		return false;
	rest = read_number(rest + 1, &ret->last);
	return rest && !*rest && ret->last <= VFSET_NUMBER_MAX;
}

static int read_range(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);
	struct vfset_range *range = field;
	struct opt_int number;
	int r;

	if (!text && !json_is_integer(value))
		return jx_type_error(value, path, "a VF number or a range such as \"4-7\"", err);
	if (!text) {
		r = jx_int_in(value, path, 0, VFSET_NUMBER_MAX, "a VF number", &number, err);
		if (r == 0)
			*range = (struct vfset_range){ number.value, number.value };
		return r;
	}
	if (!parse_range(text, range))
		return jx_value_error(err, path, "\"%s\" is no range of VF numbers such as \"4-7\"", text);
	if (range->first > range->last)
		return jx_value_error(err, path, "\"%s\" ends before it begins", text);
	return 0;
}

int vfset_read(const json_t *value, const char *path, void *field, struct err *err)
{
	struct vfset *set = field;

	return jx_array(value, path, read_range, VFSET_RANGES_MAX, set->ranges, sizeof(*set->ranges),
			&set->n, err);
}

bool vfset_has(const struct vfset *set, int number)
{
	for (size_t i = 0; i < set->n; i++)
		if (number >= set->ranges[i].first && number <= set->ranges[i].last)
			return true;
	return false;
}
