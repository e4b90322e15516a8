// SPDX-License-Identifier: Apache-2.0
#include "ctl/plugin.h"

#include "base/file.h"
#include "conf/jx.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define PLUGIN_NAME "roce"
#define PLUGIN_FOLDER "/opt/cni/bin"

enum { ANSWER_MAX = 1 << 20 };

/* ---- where it is ---- */

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool is_in(const char *folder, int len, char buf[PATH_MAX])
{
	return len > 0 && snprintf(buf, PATH_MAX, "%.*s/" PLUGIN_NAME, len, folder) < PATH_MAX &&
	       is_program(buf);
}

static bool is_beside_us(char buf[PATH_MAX])
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	return strrchr(self, '/') && is_in(self, (int)(strrchr(self, '/') - self), buf);
}

int plugin_find(const char *given, char buf[PATH_MAX], struct err *err)
{
	const char *path = getenv("CNI_PATH");

	if (given && is_program(given) && snprintf(buf, PATH_MAX, "%s", given) < PATH_MAX)
		return 0;
	if (given)
		return err_set(err, CNI_IO_FAILURE, -ENOENT, "--plugin %s is no program", given);
	for (const char *dir = path ? path : ""; *dir; dir += strspn(dir, ":")) {
		int len = (int)strcspn(dir, ":");

		if (is_in(dir, len, buf))
			return 0;
		dir += len;
	}
	if (is_in(PLUGIN_FOLDER, (int)strlen(PLUGIN_FOLDER), buf) || is_beside_us(buf))
		return 0;
	return err_set(err, CNI_IO_FAILURE, -ENOENT,
		       "the plugin " PLUGIN_NAME " is neither in CNI_PATH (%s) nor in " PLUGIN_FOLDER
		       " nor beside rocectl; name it by --plugin PATH", path ? path : "not set");
}

/* ---- running it ---- */

int plugin_prepare(const char *path, struct err *err)
{
	static char command[] = "CNI_COMMAND=GC", spare[] = "ROCE_GC=leftovers";
	const char *old = getenv("CNI_PATH"), *slash = strrchr(path, '/');
	_cleanup_free_ char *folders = NULL;

	if (asprintf(&folders, "%s%s%.*s", old ? old : "", old && *old ? ":" : "",
		     slash ? (int)(slash - path) : 1, slash ? path : ".") < 0)
		return err_set(err, CNI_IO_FAILURE, -ENOMEM, "out of memory");
	if (putenv(command) || putenv(spare) || setenv("CNI_PATH", folders, 1))
		return err_set(err, CNI_IO_FAILURE, -errno, "the environment: %m");
	return 0;
}

/* In memory: whatever the plugin reads of it, and when, nobody waits for the other. */
static int make_stdin(const char *config)
{
	_cleanup_close_ int fd = memfd_create("config", MFD_CLOEXEC);
	int r = fd < 0 ? -errno : file_write_fd(fd, config, strlen(config));

	if (r < 0)
		return r;
	return lseek(fd, 0, SEEK_SET) < 0 ? -errno : steal_fd(&fd);
}

static int spawn(const char *path, int in, int out, pid_t *ret_pid)
{
	char *argv[] = { (char *)path, NULL };
	posix_spawn_file_actions_t actions;
	int r;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	r = -posix_spawn(ret_pid, path, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return r;
}

static int run(const char *path, const char *config, char **ret_answer, int *ret_status)
{
	_cleanup_close_ int in = make_stdin(config), from = -1, to = -1;
	int out[2], r;
	pid_t pid;

	if (in < 0)
		return in;
	if (pipe2(out, O_CLOEXEC) < 0)
		return -errno;
	from = out[0];
	to = out[1];
	r = spawn(path, in, to, &pid);
	close(steal_fd(&to));
	if (r < 0)
		return r;
	r = file_read_fd(from, ANSWER_MAX, ret_answer, NULL);
	close(steal_fd(&from));
	while (waitpid(pid, ret_status, 0) < 0 && errno == EINTR)
		;
	return r;
}

static int refuse(const char *path, const char *answer, int status, struct err *err)
{
	_cleanup_json_ json_t *json = json_loads(answer, 0, NULL);
	const char *msg = jx_text(json, "msg"), *details = jx_text(json, "details");
	int code = (int)json_integer_value(json_object_get(json, "code"));

	if (*details)
		err_detail(err, "%s", details);
	if (*msg)
		return err_set(err, code ? code : CNI_IO_FAILURE, -EIO, "%s", msg);
	if (WIFSIGNALED(status))
		return err_set(err, CNI_IO_FAILURE, -EIO, "%s was killed by signal %d", path,
			       WTERMSIG(status));
	return err_set(err, CNI_IO_FAILURE, -EIO, "%s failed with status %d and said: %.200s", path,
		       WEXITSTATUS(status), *answer ? answer : "nothing");
}

int plugin_run(const char *path, const char *config, struct err *err)
{
	_cleanup_free_ char *answer = NULL;
	int status = 0;
	int r = run(path, config, &answer, &status);

	if (r < 0)
		return err_set(err, CNI_IO_FAILURE, r, "%s cannot be run: %s", path, strerror(-r));
	return status ? refuse(path, answer, status, err) : 0;
}
