// SPDX-License-Identifier: Apache-2.0
#include "cni/delegate.h"

#include "base/file.h"
#include "base/log.h"
#include "base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum {
	DELEGATE_TIMEOUT_MS = 20000, /* with our own work well below CRI-O's 60 s for a DEL */
	DELEGATE_GRACE_MS = 500, /* from SIGTERM to SIGKILL, when a signal ends the ADD */
	DELEGATE_ANSWER_MAX = 1 << 20,
	ENV_MAX = 1024,
	N_OWN = 5, /* variables of our own making */
};

/* A running plugin. */
struct child {
	pid_t pid;
	int in, out;
};

static int find_plugin(const struct delegate *delegate, char *buf, size_t size, struct err *err)
{
	const char *dir = delegate->path;

	if (!dir)
		return err_set(err, CNI_ENVIRONMENT_INVALID, -EINVAL,
			       "required environment variables are missing: CNI_PATH (to find IPAM plugin %s)",
			       delegate->type);
	while (*dir) {
		int len = (int)strcspn(dir, ":");
		struct stat st;

		snprintf(buf, size, "%.*s/%s", len, dir, delegate->type);
		if (len > 0 && stat(buf, &st) == 0 && S_ISREG(st.st_mode))
			return 0;
		dir += len + (dir[len] == ':');
	}
	return err_set(err, ROCE_IPAM_FAILED, -ENOENT,
		       "IPAM plugin %s is in none of the folders of CNI_PATH (%s); install it, or correct \"ipam.type\"",
		       delegate->type, delegate->path);
}

/* The variables that the plugin gets from us and not from our environment. */
static bool make_own(const struct delegate *delegate, enum cni_verb verb, char *own[N_OWN])
{
	return asprintf(&own[0], "CNI_COMMAND=%s", cniargs_verb_name(verb)) > 0 &&
	       asprintf(&own[1], "CNI_CONTAINERID=%s", delegate->container_id) > 0 &&
	       asprintf(&own[2], "CNI_NETNS=%s", delegate->netns) > 0 &&
	       asprintf(&own[3], "CNI_IFNAME=%s", delegate->ifname) > 0 &&
	       asprintf(&own[4], "CNI_ARGS=%s", delegate->cni_args) > 0;
}

/* Our environment with some variables replaced; the strings in @own must outlive the result. */
static void make_env(char **own, size_t n_own, char *env[ENV_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < n_own; i++)
		env[n++] = own[i];
	for (char **e = environ; *e && n < ENV_MAX - 1; e++) {
		bool replaced = false;

		for (size_t i = 0; i < n_own; i++)
			replaced |= strncmp(*e, own[i], strcspn(own[i], "=") + 1) == 0;
		if (!replaced)
			env[n++] = *e;
	}
	env[n] = NULL;
}

static int spawn(const char *file, char **env, struct child *ret_child)
{
	int in[2], out[2], r;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t defaults, none;
	char *argv[] = { (char *)file, NULL };

	if (pipe2(in, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(out, O_CLOEXEC) < 0) {
		close(in[0]);
		close(in[1]);
		return -errno;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	stop_defaults(&defaults);
	sigaddset(&defaults, SIGPIPE); /* we ignore it; the plugin shall not inherit that */
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
						POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setsigmask(&attr, &none);
	r = -posix_spawn(&ret_child->pid, file, &actions, &attr, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	close(in[0]);
	close(out[1]);
	ret_child->in = in[1];
	ret_child->out = out[0];
	if (r < 0) {
		close(in[1]);
		close(out[0]);
	}
	return r;
}

/* The config in and the answer out at the same time: either pipe may fill up. */
static int converse(struct child *child, const struct delegate *delegate, int64_t deadline,
		    char **ret_answer)
{
	_cleanup_free_ char *answer = malloc(DELEGATE_ANSWER_MAX + 1);
	size_t sent = 0, got = 0;

	if (!answer)
		return -ENOMEM;
	for (;;) {
		struct pollfd fds[] = { { child->out, POLLIN, 0 }, { child->in, POLLOUT, 0 } };
		ssize_t n;

		if (file_time_left(deadline) == 0)
			return -ETIMEDOUT;
		if (stop_signal())
			return -EINTR;
		if (poll(fds, ARRAY_SIZE(fds), STOP_TICK_MS) <= 0)
			continue;
		if (fds[1].revents) {
			n = write(child->in, delegate->config + sent, delegate->config_len - sent);
			sent += n > 0 ? (size_t)n : 0;
			if (n < 0 || sent == delegate->config_len) {
				close(child->in); /* done, or the plugin does not read it */
				child->in = -1;
			}
		}
		if (!fds[0].revents)
			continue;
		n = read(child->out, answer + got, DELEGATE_ANSWER_MAX - got);
		if (n <= 0)
			break;
		got += n;
	}
	answer[got] = '\0';
	*ret_answer = steal_ptr(answer);
	return 0;
}

/* The plugin stays a zombie: until it is waited for, its process group is nobody else's. */
static bool has_ended(const struct child *child)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, child->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid != 0;
}

/* End the plugin and what it has started; for a signal's sake gently at first. */
static void end(const struct child *child)
{
	int64_t deadline = file_deadline(DELEGATE_GRACE_MS);

	if (stop_signal()) {
		kill(-child->pid, SIGTERM);
		while (!has_ended(child) && file_time_left(deadline) > 0)
			poll(NULL, 0, 1);
	}
	kill(-child->pid, SIGKILL);
}

static int reap(const struct child *child, bool failed, int64_t deadline)
{
	int status = 0;

	while (!failed && !has_ended(child) && file_time_left(deadline) > 0 && !stop_signal())
		poll(NULL, 0, 1);
	if (failed || !has_ended(child))
		end(child);
	waitpid(child->pid, &status, 0);
	return status;
}

static int run(const char *file, char **env, const struct delegate *delegate, char **ret_answer,
	       int *ret_status, struct err *err)
{
	int64_t deadline = file_deadline(DELEGATE_TIMEOUT_MS), begin = log_clock();
	struct child child = { 0 };
	int r = spawn(file, env, &child);

	if (r < 0)
		return err_set(err, ROCE_IPAM_FAILED, r, "IPAM plugin %s cannot be run: %s", file,
			       strerror(-r));
	fcntl(child.in, F_SETFL, O_NONBLOCK);
	r = converse(&child, delegate, deadline, ret_answer);
	if (child.in >= 0)
		close(child.in);
	close(child.out);
	*ret_status = reap(&child, r < 0, deadline);
	log_debug("%s ran for %.1f ms and ended with %s %d", file, log_ms(begin),
		  WIFSIGNALED(*ret_status) ? "signal" : "status",
		  WIFSIGNALED(*ret_status) ? WTERMSIG(*ret_status) : WEXITSTATUS(*ret_status));
	if ((r == -EINTR || *ret_status != 0) && stop_check(err) < 0)
		return err_wrap(err, "IPAM plugin %s was ended", delegate->type);
	if (r == -ETIMEDOUT)
		return err_set(err, ROCE_IPAM_FAILED, r,
			       "IPAM plugin %s gave no answer in %d s and was killed; run it by hand with the same configuration",
			       file, DELEGATE_TIMEOUT_MS / 1000);
	if (r < 0)
		return err_set(err, ROCE_IPAM_FAILED, r, "IPAM plugin %s: %s", file, strerror(-r));
	return 0;
}

/* The error document of a plugin that failed, or whatever it printed instead. */
static int refuse(const struct delegate *delegate, const char *answer, int status, struct err *err)
{
	_cleanup_json_ json_t *json = json_loads(answer, 0, NULL);
	const char *msg = json_string_value(json_object_get(json, "msg"));
	const char *details = json_string_value(json_object_get(json, "details"));
	int code = (int)json_integer_value(json_object_get(json, "code"));

	if (code != ROCE_IPAM_EXHAUSTED && code != CNI_TRY_AGAIN)
		code = ROCE_IPAM_FAILED;
	if (details && *details)
		err_detail(err, "%s", details);
	if (msg)
		return err_set(err, code, -EIO, "IPAM plugin %s: %s", delegate->type, msg);
	if (WIFSIGNALED(status))
		return err_set(err, code, -EIO, "IPAM plugin %s was killed by signal %d",
			       delegate->type, WTERMSIG(status));
	return err_set(err, code, -EIO, "IPAM plugin %s failed with status %d and said: %.200s",
		       delegate->type, WEXITSTATUS(status), *answer ? answer : "nothing");
}

static int call(const struct delegate *delegate, enum cni_verb verb, char **ret_answer,
		struct err *err)
{
	_cleanup_free_ char *answer = NULL;
	char *env[ENV_MAX], *own[N_OWN] = { NULL };
	char file[4096];
	int status = 0, r;

	r = find_plugin(delegate, file, sizeof(file), err);
	if (r < 0)
		return r;
	r = make_own(delegate, verb, own) ? 0 : err_set(err, CNI_IO_FAILURE, -ENOMEM, "out of memory");
	if (r == 0) {
		make_env(own, N_OWN, env);
		r = run(file, env, delegate, &answer, &status, err);
	}
	for (size_t i = 0; i < N_OWN; i++)
		free(own[i]);
	if (r == 0 && status != 0)
		r = refuse(delegate, answer, status, err);
	if (r == 0 && ret_answer)
		*ret_answer = steal_ptr(answer);
	return r;
}

int delegate_find(const struct delegate *delegate, struct err *err)
{
	char file[4096];

	return find_plugin(delegate, file, sizeof(file), err);
}

int delegate_call(const struct delegate *delegate, enum cni_verb verb, struct err *err)
{
	return call(delegate, verb, NULL, err);
}

static int understand(const struct delegate *delegate, json_t *json, const json_error_t *je,
		      const char *answer, struct cni_result *ret_result, struct err *err)
{
	struct err detail = { 0 };

	if (!json)
		return err_set(err, ROCE_IPAM_FAILED, -EINVAL,
			       "IPAM plugin %s printed no JSON (%s): %.200s", delegate->type, je->text,
			       answer);
	if (json_object_get(json, "code") && json_object_get(json, "msg"))
		return refuse(delegate, answer, 0, err);
	if (result_parse(json, ret_result, &detail) < 0)
		return err_set(err, ROCE_IPAM_FAILED, -EINVAL,
			       "IPAM plugin %s gave a result that is not understood: %s",
			       delegate->type, detail.msg);
	if (ret_result->n_ips == 0)
		return err_set(err, ROCE_IPAM_FAILED, -EINVAL,
			       "IPAM plugin %s gave no address; leave \"ipam\" out if none is wanted",
			       delegate->type);
	return 0;
}

int delegate_add(const struct delegate *delegate, struct cni_result *ret_result, json_t **ret_json,
		 struct err *err)
{
	_cleanup_free_ char *answer = NULL;
	_cleanup_json_ json_t *json = NULL;
	json_error_t je;
	int r = call(delegate, CNI_ADD, &answer, err);

	if (r < 0)
		return r;
	json = json_loads(answer, 0, &je);
	r = understand(delegate, json, &je, answer, ret_result, err);
	if (r == 0)
		*ret_json = steal_ptr(json);
	return r;
}
