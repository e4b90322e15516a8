// SPDX-License-Identifier: Apache-2.0
#include "conf/cniargs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

static const char *const verb_names[CNI_VERB_MAX] = {
	[CNI_ADD] = "ADD", [CNI_DEL] = "DEL",	    [CNI_CHECK] = "CHECK",
	[CNI_GC] = "GC",   [CNI_STATUS] = "STATUS", [CNI_VERSION] = "VERSION",
};

const char *cniargs_verb_name(enum cni_verb verb)
{
	return verb_names[verb];
}

static bool ascii_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool cniargs_name_ok(const char *name)
{
	if (!ascii_alnum(name[0]) || strlen(name) > CNI_NAME_MAX)
		return false;
	for (const char *p = name; *p; p++)
		if (!ascii_alnum(*p) && !strchr("_.-", *p))
			return false;
	return true;
}

bool cniargs_ifname_ok(const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || len >= CNI_IFNAME_SIZE || streq(name, ".") || streq(name, ".."))
		return false;
	if (strchr(name, '\xa0') || strstr(name, "\xc2\x85")) /* lib/ctype.c: byte a0 is a space */
		return false;
	for (const char *p = name; *p; p++)
		if (strchr("/:%", *p) || isspace((unsigned char)*p))
			return false;
	return true;
}

static const char *env(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static int find_verb(const char *command, enum cni_verb *ret_verb, struct err *err)
{
	for (int v = 0; v < CNI_VERB_MAX; v++) {
		if (streq(command, verb_names[v])) {
			*ret_verb = v;
			return 0;
		}
	}
	return err_set(err, CNI_ENVIRONMENT_INVALID, -EINVAL,
		       "unknown CNI_COMMAND \"%s\": it must be ADD, DEL, CHECK, GC, STATUS or VERSION",
		       command);
}

static int check_format(const struct cni_args *args, struct err *err)
{
	if (args->container_id && !cniargs_name_ok(args->container_id)) {
		err_detail(err, "%s", args->container_id);
		return err_set(err, CNI_ENVIRONMENT_INVALID, -EINVAL,
			       "invalid CNI_CONTAINERID \"%.64s\": at most %d of A-Z a-z 0-9 _ . -, the first alphanumeric",
			       args->container_id, CNI_NAME_MAX);
	}
	if (args->ifname && !cniargs_ifname_ok(args->ifname)) {
		err_detail(err, "%s", args->ifname);
		return err_set(err, CNI_ENVIRONMENT_INVALID, -EINVAL,
			       "invalid CNI_IFNAME \"%.64s\": 1 to 15 bytes without '/', ':', '%%' or space",
			       args->ifname);
	}
	return 0;
}

/* All missing names in one message, as the Go library's skeleton does. */
static int check_missing(const struct cni_args *args, struct err *err)
{
	char names[64] = "";

	if (!args->container_id)
		strcat(names, " CNI_CONTAINERID");
	if (!args->netns && args->verb != CNI_DEL)
		strcat(names, " CNI_NETNS");
	if (!args->ifname)
		strcat(names, " CNI_IFNAME");
	if (!*names)
		return 0;
	return err_set(err, CNI_ENVIRONMENT_INVALID, -EINVAL,
		       "required environment variables are missing:%s", names);
}

int cniargs_read(struct cni_args *ret_args, struct err *err)
{
	const char *command = env("CNI_COMMAND"), *override = env("CNI_NETNS_OVERRIDE");
	const char *gc = env("ROCE_GC");
	struct cni_args args = { .args = getenv("CNI_ARGS"),
				 .path = env("CNI_PATH"),
				 .only_leftovers = gc && streq(gc, "leftovers") };
	int r;

	if (!command)
		return err_set(err, CNI_ENVIRONMENT_INVALID, -EINVAL,
			       "required environment variables are missing: CNI_COMMAND");
	if (!args.args)
		args.args = "";
	r = find_verb(command, &args.verb, err);
	if (r < 0)
		return r;
	if (args.verb == CNI_ADD || args.verb == CNI_DEL || args.verb == CNI_CHECK) {
		args.container_id = env("CNI_CONTAINERID");
		args.netns = env("CNI_NETNS");
		args.ifname = env("CNI_IFNAME");
		args.netns_override =
			override && (streq(override, "1") || strcasecmp(override, "true") == 0);
		r = check_format(&args, err);
		if (r == 0)
			r = check_missing(&args, err);
	}
	*ret_args = args;
	return r;
}

bool cniargs_find(const char *args, const char *key, char *buf, size_t size)
{
	size_t key_len = strlen(key);

	for (const char *pair = args; *pair; pair += strspn(pair, ";")) {
		size_t len = strcspn(pair, ";");

		if (len > key_len && strncmp(pair, key, key_len) == 0 && pair[key_len] == '=') {
			size_t value_len = len - key_len - 1;

			if (value_len >= size)
				return false;
			memcpy(buf, pair + key_len + 1, value_len);
			buf[value_len] = '\0';
			return true;
		}
		pair += len;
	}
	return false;
}
