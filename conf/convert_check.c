// SPDX-License-Identifier: Apache-2.0
/* roce's and roce-ipam's parsers read the new plugin, so that it is one that an ADD accepts. */
#include "conf/convert_run.h"

#include "conf/netconf.h"

#include <stdio.h>

/* Stands for a device that only comes at run time, while the parser reads. */
#define ANY_DEVICE "0000:00:00.0"

bool convert_names_device(const json_t *roce)
{
	return json_object_get(roce, "deviceID") || json_object_get(roce, "pciBusID") ||
	       json_object_get(roce, "device");
}

static int read_roce(const struct convert_run *run, struct err *err)
{
	json_t *roce = run->roce.object;
	struct cni_call call = { .json = roce, .args.args = "" };
	bool stand_in = !convert_names_device(roce);
	struct netconf conf;
	int r;

	if (stand_in)
		json_object_set_new(roce, "deviceID", json_string(ANY_DEVICE));
	r = netconf_read(&call, &conf, err);
	if (stand_in)
		json_object_del(roce, "deviceID");
	return r;
}

static int read_ipam(const struct convert_run *run, struct err *err)
{
	return run->ipam ? run->how->ipam_check(run->roce.object, err) : 0;
}

/* A key with any characters in it: ["net.ipv4.ip_forward"], always the last part of a path. */
static bool take_quoted(json_t *object, const char *path)
{
	char key[CONVERT_PATH_SIZE];

	snprintf(key, sizeof(key), "%.*s", (int)strlen(path) - 4, path + 2);
	return json_object_del(object, key) == 0;
}

/* Remove what a path of the parsers leads to, of an array one element. Return: was it there? */
static bool take_out(json_t *json, const char *path)
{
	size_t len = strcspn(path + 1, ".[") + 1;
	char key[CONVERT_PATH_SIZE];
	json_t *next;

	if (strncmp(path, "[\"", 2) == 0 && strlen(path) > 3)
		return take_quoted(json, path);

	if (json_object_del(json, path) == 0)
		return true;
	if (*path == '[') {
		size_t i = strtoul(path + 1, NULL, 10);

		if (!path[len])
			return json_array_remove(json, i) == 0;
		next = json_array_get(json, i);
	} else {
		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		next = json_object_get(json, key);
	}
	path += len;
	path += *path == '.';
	return next && *path && take_out(next, path);
}

/* The message without the path, which is the new one. */
static const char *message(const struct err *err)
{
	size_t len = strlen(err->path);

	if (len && strncmp(err->msg, err->path, len) == 0 && strncmp(err->msg + len, ": ", 2) == 0)
		return err->msg + len + 2;
	return err->msg;
}

/* Which element of a list it was has changed when another was taken out before. */
static void cut_index(char *path)
{
	size_t len = strlen(path);
	char *bracket = strrchr(path, '[');

	if (bracket && bracket[1] != '"' && path[len - 1] == ']')
		*bracket = '\0';
}

/* Without a range there is no allocating: it stays, for its author to correct. */
static bool is_vital(const char *path)
{
	const char *dot = strrchr(path, '.'), *key = dot ? dot + 1 : path;

	return streq(key, "range") || streq(key, "subnet");
}

static void obey(struct convert_run *run,
		 int (*read)(const struct convert_run *run, struct err *err))
{
	for (bool again = true; again;) {
		struct err err = { 0 };
		char path[CONVERT_PATH_SIZE];

		if (read(run, &err) == 0)
			return;
		convert_origin(run, err.path, path);
		again = *err.path && !is_vital(err.path) && take_out(run->roce.object, err.path);
		cut_index(path);
		convert_say(run, CONVERT_LOST, path, "%s", message(&err));
	}
}

/* What only a node can say of the file, which is one of the other plugin's until now. */
static void remark_on_log(struct convert_run *run)
{
	const char *file = jx_text(run->roce.object, "logFile");
	char path[CONVERT_PATH_SIZE];

	if (!*file)
		return;
	convert_origin(run, "logFile", path);
	convert_say(run, CONVERT_NOTE, path,
		    "a file that %s has begun is refused: move it away on each node", run->peer->type);
	if (!logconf_is_usual(file))
		convert_say(run, CONVERT_NOTE, path,
			    "is refused unless each node's profile has a folder above it in \"logRoots\": without these only "
			    PROFILE_LOG_ROOT " is allowed");
}

void convert_check(struct convert_run *run)
{
	json_t *sysctls;

	obey(run, read_roce);
	obey(run, read_ipam);
	remark_on_log(run);
	sysctls = json_object_get(run->roce.object, "sysctl");
	if (json_is_object(sysctls) && json_object_size(sysctls) == 0)
		json_object_del(run->roce.object, "sysctl"); /* none was one */
}
