// SPDX-License-Identifier: Apache-2.0
#include "ipam/attachments.h"

#include <errno.h>

static int compare_attachments(const void *a, const void *b)
{
	const struct attachment *x = a, *y = b;
	int order = strcmp(x->id, y->id);

	return order ? order : strcmp(x->ifname, y->ifname);
}

bool attachments_have(const char *id, const char *ifname, const void *arg)
{
	const struct attachments *valid = arg;
	const struct attachment wanted = { id, ifname };

	return bsearch(&wanted, valid->items, valid->n, sizeof(*valid->items), compare_attachments);
}

static int read_attachment(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "containerID", jx_string, offsetof(struct attachment, id) },
		{ "ifname", jx_string, offsetof(struct attachment, ifname) },
	};
	struct attachment *attachment = field;
	int r = jx_object(value, path, keys, ARRAY_SIZE(keys), JX_ACCEPT, attachment, err);

	if (r == 0 && (!attachment->id || !attachment->ifname))
		return jx_value_error(err, path, "needs \"containerID\" and \"ifname\"");
	return r;
}

int attachments_read(const json_t *json, struct attachments *ret_valid, struct err *err)
{
	const char *key = "cni.dev/valid-attachments";
	const json_t *list = json_object_get(json, key);
	int r = 0;

	if (!list) {
		list = json_object_get(json, "cni.dev/attachments");
		key = list ? "cni.dev/attachments" : key;
	}
	if (!list)
		return jx_value_error(
			err, key, "is missing: GC cannot tell what is valid and has freed nothing");
	*ret_valid = (struct attachments){ .items = calloc(json_array_size(list) + 1,
							   sizeof(*ret_valid->items)) };
	if (!ret_valid->items)
		return err_set(err, CNI_IO_FAILURE, -ENOMEM, "out of memory");
	if (!json_is_null(list))
		r = jx_array(list, key, read_attachment, json_array_size(list), ret_valid->items,
			     sizeof(*ret_valid->items), &ret_valid->n, err);
	if (r < 0)
		base_freep(&ret_valid->items);
	else
		qsort(ret_valid->items, ret_valid->n, sizeof(*ret_valid->items),
		      compare_attachments);
	return r;
}

void attachments_free(struct attachments *valid)
{
	base_freep(&valid->items);
	valid->n = 0;
}
