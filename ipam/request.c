// SPDX-License-Identifier: Apache-2.0
#include "ipam/request.h"

#include <errno.h>
#include <stdio.h>

static int read_text(const char *text, const char *path, struct requests *requests, struct err *err)
{
	struct request *request = &requests->items[requests->n];
	struct inet_prefix prefix;

	*request = (struct request){ .len = -1 };
	if (inet_parse(text, &request->addr) < 0) {
		if (inet_parse_prefix(text, &prefix) < 0)
			return jx_value_error(
				err, path, "\"%.64s\" is neither an IP address nor ADDRESS/LENGTH",
				text);
		request->addr = prefix.addr;
		request->len = prefix.len;
	}
	for (size_t i = 0; i < requests->n; i++)
		if (inet_equal(requests->items[i].addr, request->addr))
			return jx_value_error(err, path, "\"%.64s\" is there twice", text);
	snprintf(request->path, sizeof(request->path), "%s", path);
	requests->n++;
	return 0;
}

static int read_item(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);

	if (!text)
		return jx_type_error(value, path, "a string", err);
	return read_text(text, path, field, err);
}

/* jx_array() gives each element the same place: read_item() appends. */
static int read_list(const json_t *list, const char *path, struct requests *requests,
		     struct err *err)
{
	size_t n;

	if (!list || json_is_null(list))
		return 0;
	return jx_array(list, path, read_item, REQUESTS_MAX, requests, 0, &n, err);
}

static int read_words(char *text, struct requests *requests, struct err *err)
{
	char *save = NULL;

	for (char *word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (requests->n == REQUESTS_MAX)
			return jx_value_error(err, "CNI_ARGS IP", "has more than %d addresses",
					      REQUESTS_MAX);
		if (read_text(word, "CNI_ARGS IP", requests, err) < 0)
			return -err->eno;
	}
	return 0;
}

/* "IP=10.56.0.5,fd00::5" */
static int read_args(const struct cni_call *call, struct requests *requests, struct err *err)
{
	size_t size = strlen(call->args.args) + 1;
	_cleanup_free_ char *text = malloc(size);

	if (!text)
		return err_set(err, CNI_IO_FAILURE, -ENOMEM, "out of memory");
	return cniargs_find(call->args.args, "IP", text, size) ? read_words(text, requests, err)
							       : 0;
}

static int refuse_ranges(const json_t *runtime, struct err *err)
{
	const json_t *ranges = json_object_get(runtime, "ipRanges");

	if (!ranges || json_is_null(ranges) || json_array_size(ranges) == 0)
		return 0;
	return jx_value_error(
		err, "runtimeConfig.ipRanges",
		"ranges are the network's to name: write \"ipam\": {\"ranges\": ...}, "
		"and take ipRanges out of \"capabilities\"");
}

/* True if CNI_ARGS has the key with some value. */
static bool has_arg(const struct cni_call *call, const char *key)
{
	size_t len = strlen(key);

	for (const char *p = call->args.args; *p; p += strspn(p, ";")) {
		size_t pair = strcspn(p, ";");

		if (pair > len + 1 && strncmp(p, key, len) == 0 && p[len] == '=')
			return true;
		p += pair;
	}
	return false;
}

static void note_unheard(const struct cni_call *call, const json_t *args_ips,
			 const struct request *heard, struct requests *requests)
{
	bool by_runtime = heard && strncmp(heard->path, "runtimeConfig", 13) == 0;
	bool by_args = heard && strncmp(heard->path, "args", 4) == 0;

	if (by_runtime && json_array_size(args_ips) > 0)
		requests->unheard[requests->n_unheard++] = "args.cni.ips";
	if ((by_runtime || by_args) && has_arg(call, "IP"))
		requests->unheard[requests->n_unheard++] = "CNI_ARGS IP";
	if (has_arg(call, "GATEWAY"))
		requests->unheard[requests->n_unheard++] = "CNI_ARGS GATEWAY";
}

int request_read(const struct cni_call *call, struct requests *ret_requests, struct err *err)
{
	const json_t *runtime = json_object_get(call->json, "runtimeConfig");
	const json_t *cni = json_object_get(json_object_get(call->json, "args"), "cni");
	const json_t *ips = json_object_get(cni, "ips");
	struct requests *requests = ret_requests;
	int r = refuse_ranges(runtime, err);

	requests->n = requests->n_unheard = 0;
	if (r == 0)
		r = read_list(json_object_get(runtime, "ips"), "runtimeConfig.ips", requests, err);
	if (r == 0 && requests->n == 0)
		r = read_list(ips, "args.cni.ips", requests, err);
	if (r == 0 && requests->n == 0)
		r = read_args(call, requests, err);
	if (r == 0)
		note_unheard(call, ips, requests->n > 0 ? requests->items : NULL, requests);
	return r;
}
