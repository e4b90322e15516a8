// SPDX-License-Identifier: Apache-2.0
#include "conf/cnicall.h"

#include "base/file.h"
#include "conf/logconf.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

enum { STDIN_MAX = 4 << 20 };

/*
 * A runtime may start us with 0-2 closed; the first file we open must not become stdout. What stands
 * in for stdout cannot be written: an answer that nobody gets must undo the ADD.
 */
static void keep_standard_fds(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) != fd)
			_exit(1);
}

static void prepare_process(const char *name)
{
	keep_standard_fds();
	signal(SIGPIPE, SIG_IGN);
	umask(077);
	log_name(name);
}

static int read_network_name(struct cni_call *call, struct err *err)
{
	const json_t *name = json_object_get(call->json, "name");

	if (name && !json_is_string(name))
		return jx_type_error(name, "name", "a string", err);
	call->name = json_string_value(name);
	if (!call->name || !*call->name)
		return err_set(err, CNI_CONFIG_INVALID, -EINVAL,
			       "missing network name: the configuration needs \"name\"");
	if (!cniargs_name_ok(call->name))
		return err_set(err, CNI_CONFIG_INVALID, -EINVAL,
			       "invalid network name \"%.64s\": at most %d of A-Z a-z 0-9 _ . -, the first alphanumeric",
			       call->name, CNI_NAME_MAX);
	return 0;
}

static int read_version(struct cni_call *call, struct err *err)
{
	const json_t *version = json_object_get(call->json, "cniVersion");
	const char *text = json_string_value(version);
	int r;

	if (version && !text)
		return jx_type_error(version, "cniVersion", "a string", err);
	r = result_version_check(text && *text ? text : "0.1.0", err); /* absent: the spec's first */
	if (r == 0)
		call->version = text;
	return r;
}

int cnicall_check(struct cni_call *call, struct err *err)
{
	int r = read_network_name(call, err);

	return r < 0 ? r : read_version(call, err);
}

static int read_stdin(struct cni_call *call, struct err *err)
{
	int r = file_read_fd(STDIN_FILENO, STDIN_MAX, &call->text, &call->text_len);

	if (r < 0)
		return err_set(err, CNI_IO_FAILURE, r, "cannot read the configuration from stdin: %s",
			       strerror(-r));
	r = jx_parse(call->text, call->text_len, "the network configuration on stdin", &call->json,
		     err);
	return r < 0 ? r : cnicall_check(call, err);
}

/* From this version of the specification on a verb exists. */
static int check_verb_version(const struct cni_call *call, struct err *err)
{
	static const char *const since[CNI_VERB_MAX] = {
		[CNI_CHECK] = "0.4.0",
		[CNI_GC] = "1.1.0",
		[CNI_STATUS] = "1.1.0",
	};
	const char *least = since[call->args.verb];

	if (!least || result_version_at_least(call->version, least))
		return 0;
	return err_set(err, CNI_VERSION_UNSUPPORTED, -EINVAL, "%s needs cniVersion %s or later, is %s",
		       cniargs_verb_name(call->args.verb), least, call->version);
}

/* Only an ADD can be refused for the log's sake: every other verb must do its work. */
static int start_log(const struct cnicall_plugin *plugin, const struct cni_call *call,
		     struct err *err)
{
	if (plugin->is_guest && !streq(jx_text(call->json, "type"), "roce"))
		return 0;
	return logconf_start(call, !plugin->is_guest && call->args.verb == CNI_ADD, err);
}

/* The verb itself, with what a log of everything has to say of it. */
static int run_verb(cnicall_handler handler, const struct cni_call *call, char **ret_answer,
		    struct err *err)
{
	const struct cni_args *args = &call->args;
	int64_t begin = log_clock();
	int r;

	log_debug("version " ROCE_VERSION ", CNI_NETNS %s, CNI_ARGS \"%s\"",
		  args->netns ? args->netns : "(none)", args->args);
	r = handler(call, ret_answer, err);
	log_debug("%s %s in %.1f ms", cniargs_verb_name(args->verb), r < 0 ? "failed" : "done",
		  log_ms(begin));
	return r;
}

static int serve(const struct cnicall_plugin *plugin, struct cni_call *call, char **ret_answer,
		 struct err *err)
{
	cnicall_handler handler;
	int r = cniargs_read(&call->args, err);

	if (r < 0)
		return r;
	if (call->args.verb == CNI_VERSION) {
		*ret_answer = result_print_versions();
		return 0;
	}
	r = read_stdin(call, err);
	if (r < 0)
		return r;
	handler = plugin->verbs[call->args.verb];
	if (!handler)
		return err_set(err, CNI_ENVIRONMENT_INVALID, -EINVAL, "unknown CNI_COMMAND: %s",
			       cniargs_verb_name(call->args.verb));
	r = check_verb_version(call, err);
	if (r == 0)
		r = start_log(plugin, call, err);
	return r < 0 ? r : run_verb(handler, call, ret_answer, err);
}

static int write_answer(const char *answer)
{
	int r = file_write_fd(STDOUT_FILENO, answer, strlen(answer));

	return r < 0 ? r : file_write_fd(STDOUT_FILENO, "\n", 1);
}

static int finish_error(const struct cni_call *call, const struct err *err)
{
	_cleanup_free_ char *text = result_print_error(err, call->version);

	log_error("%s", err->msg);
	if (*err->details)
		log_error("details: %s", err->details);
	if (text && write_answer(text) < 0)
		log_warn("the error could not be written to stdout: nobody reads it");
	return 1;
}

int cnicall_main(const struct cnicall_plugin *plugin)
{
	_cleanup_free_ char *answer = NULL;
	struct cni_call call = { 0 };
	struct err err = { 0 };
	const char *command;
	int status = 0;

	prepare_process(plugin->name);
	command = getenv("CNI_COMMAND");
	if (!command || !*command) {
		fprintf(stderr, "%s\nCNI protocol versions supported: 0.3.1, 0.4.0, 1.0.0, 1.1.0\n",
			plugin->about);
		return 0;
	}
	if (serve(plugin, &call, &answer, &err) < 0) {
		status = finish_error(&call, &err);
	} else if (answer && write_answer(answer) < 0) {
		log_warn("the answer could not be written to stdout: undoing the %s",
			 cniargs_verb_name(call.args.verb));
		if (call.args.verb == CNI_ADD && plugin->undo)
			plugin->undo(&call);
		status = 1;
	}
	json_decref(call.json);
	free(call.text);
	return status;
}
