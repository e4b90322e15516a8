// SPDX-License-Identifier: Apache-2.0
#include "conf/logconf.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <strings.h>

#define SUFFIX ".log"

enum { FILE_MAX = 255 };

/* ---- the level ---- */

/* sriov-cni's words, in any case. Its "verbose" is beyond "debug"; here nothing is. */
static const struct word {
	const char *name;
	enum log_level level;
} words[] = {
	{ "panic", LOG_LEVEL_PANIC },	  { "error", LOG_LEVEL_ERROR },
	{ "warning", LOG_LEVEL_WARNING }, { "info", LOG_LEVEL_INFO },
	{ "debug", LOG_LEVEL_DEBUG },	  { "verbose", LOG_LEVEL_DEBUG },
};

static int unknown_level(const char *text, const char *path, struct err *err)
{
	const char *meant = jx_closest(text, &words[0].name, ARRAY_SIZE(words), sizeof(words[0]));
	char hint[64] = "";

	if (meant)
		snprintf(hint, sizeof(hint), "; did you mean \"%s\"?", meant);
	return jx_value_error(err, path,
			      "\"%.64s\" is not known; it must be \"panic\", \"error\", "
			      "\"warning\", \"info\" or \"debug\"%s",
			      text, hint);
}

/* "" is what templates leave; it asks for nothing. */
int logconf_read_level(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);
	struct logconf *conf = field;

	if (!text)
		return jx_type_error(value, path, "a string", err);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcasecmp(words[i].name, text) != 0)
			continue;
		conf->has_level = true;
		conf->level = words[i].level;
		return 0;
	}
	return *text ? unknown_level(text, path, err) : 0;
}

/* ---- the name of the file ---- */

static bool ends_in(const char *text, const char *suffix)
{
	size_t len = strlen(text), suffix_len = strlen(suffix);

	return len > suffix_len && streq(text + len - suffix_len, suffix);
}

static bool has_control(const char *text)
{
	for (const char *p = text; *p; p++)
		if (iscntrl((unsigned char)*p))
			return true;
	return false;
}

/* One spelling for each file, so that comparing texts is comparing places. */
static bool is_plain_path(const char *text)
{
	return text[0] == '/' && !strstr(text, "/.") && !strstr(text, "//") && !has_control(text) &&
	       strlen(text) <= FILE_MAX;
}

int logconf_read_file(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);
	struct logconf *conf = field;

	if (!text)
		return jx_type_error(value, path, "a string", err);
	if (!*text)
		return 0;
	if (!is_plain_path(text))
		return jx_value_error(
			err, path,
			"\"%.255s\" must be an absolute path of at most %d bytes, without \"//\", "
			"control characters or a part that begins with \".\"",
			text, FILE_MAX);
	if (!ends_in(text, SUFFIX))
		return jx_value_error(err, path, "\"%s\" must end in \"" SUFFIX "\"", text);
	conf->file = text;
	return 0;
}

/* ---- whether a node allows it ---- */

/* Folders of others below the usual root; whoever names a root may know the rest. */
static const struct {
	const char *folder, *whose;
} foreign[] = {
	{ "/var/log/pods", "the kubelet's" },
	{ "/var/log/containers", "the kubelet's" },
	{ "/var/log/journal", "journald's" },
	{ "/var/log/audit", "auditd's" },
};

static bool is_below(const char *file, const char *folder)
{
	size_t len = strlen(folder);

	return strncmp(file, folder, len) == 0 && file[len] == '/';
}

static const char *find_root(const struct profile *profile, const char *file)
{
	const char *const *roots;
	size_t n = profile_log_roots(profile, &roots);

	for (size_t i = 0; i < n; i++)
		if (is_below(file, roots[i]))
			return roots[i];
	return NULL;
}

static const char *whose(const char *file)
{
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++)
		if (is_below(file, foreign[i].folder))
			return foreign[i].whose;
	return NULL;
}

static int refuse_root(const struct profile *profile, const char *file, struct err *err)
{
	const char *const *roots;
	size_t n = profile_log_roots(profile, &roots), len = 0;
	char list[200] = "";

	for (size_t i = 0; i < n && len < sizeof(list); i++)
		len += snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "", roots[i]);
	return jx_value_error(
		err, "logFile",
		"\"%.128s\" is not below one of the node's log roots (%s); write such a path or "
		"leave it out, or have the node's administrator add a root to logRoots in %s",
		file, *list ? list : "there are none", PROFILE_PATH);
}

bool logconf_is_usual(const char *file)
{
	const struct profile none = { .present = false };

	return find_root(&none, file) && !whose(file);
}

int logconf_allowed(const struct profile *profile, const char *file, const char **ret_root,
		    struct err *err)
{
	const char *root = find_root(profile, file);

	if (!root)
		return refuse_root(profile, file, err);
	if (whose(file))
		return jx_value_error(err, "logFile",
				      "\"%s\" lies among files that are %s; write another path",
				      file, whose(file));
	if (ret_root)
		*ret_root = root;
	return 0;
}

int logconf_open(const struct profile *profile, const char *file, enum logfile_mode mode,
		 bool *ret_torn, struct err *err)
{
	struct err why = { 0 };
	const char *root;
	int r = logconf_allowed(profile, file, &root, err), fd;

	if (r < 0)
		return r;
	fd = logfile_open(root, file + strlen(root) + 1, mode, ret_torn, &why);
	if (fd >= 0 || !err_is_set(&why))
		return fd;
	jx_value_error(err, "logFile", "\"%s\": %s", file, why.msg);
	err->code = why.code;
	err->eno = why.eno;
	return fd;
}

/* ---- a call ---- */

static void describe(const struct cni_call *call)
{
	const struct cni_args *args = &call->args;
	const char *verb = cniargs_verb_name(args->verb);

	if (args->container_id && args->ifname)
		log_subject("%s %s %s:%s", verb, call->name, args->container_id, args->ifname);
	else
		log_subject("%s %s", verb, call->name);
}

static int start_level(const json_t *value, struct err *err)
{
	struct logconf conf = { .has_level = false };
	int r = logconf_read_level(value, "logLevel", &conf, err);

	if (r == 0 && conf.has_level)
		log_set_level(conf.level);
	return r;
}

static int start_file(const json_t *value, struct err *err)
{
	struct logconf conf = { .file = NULL };
	struct profile profile;
	bool torn;
	int r = logconf_read_file(value, "logFile", &conf, err), fd;

	if (r < 0 || !conf.file)
		return r;
	r = profile_load(PROFILE_PATH, &profile, err);
	if (r < 0)
		return r;
	fd = logconf_open(&profile, conf.file, LOGFILE_APPEND, &torn, err);
	profile_free(&profile);
	if (fd < 0)
		return fd;
	log_to_file(fd, torn);
	return 0;
}

/* A full disk of the node stops no pod; neither does anything stop a verb that is to clean up. */
static int start(const struct cni_call *call, const char *key, bool may_refuse,
		 int (*use)(const json_t *value, struct err *err), struct err *err)
{
	const json_t *value = json_object_get(call->json, key);
	struct err bad = { 0 };
	int r = value ? use(value, &bad) : 0;

	if (r == 0)
		return 0;
	if (may_refuse && bad.code != CNI_IO_FAILURE) {
		*err = bad;
		return r;
	}
	log_warn("%s; going on without it", bad.msg);
	json_object_del(call->json, key);
	return 0;
}

int logconf_start(const struct cni_call *call, bool may_refuse, struct err *err)
{
	int r;

	describe(call);
	r = start(call, "logLevel", may_refuse, start_level, err);
	return r < 0 ? r : start(call, "logFile", may_refuse, start_file, err);
}
