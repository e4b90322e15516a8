// SPDX-License-Identifier: Apache-2.0
/* Signals that are held back: who is told of them, and who is not. */
#include "base/stop.h"

#include "tests/unit/row.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a process sees of a signal; it exits with the number of stop_signal(), or dies. */
static const struct {
	const char *name;
	bool ignore, hold, heed;
	int signal;
	int seen; /* by stop_signal() */
	int death;
} rows[] = {
	{ "not held", .heed = true, .signal = SIGTERM, .death = SIGTERM },
	{ "held", .hold = true, .signal = SIGTERM },
	{ "SIGTERM heeded", .hold = true, .heed = true, .signal = SIGTERM, .seen = SIGTERM },
	{ "SIGINT heeded", .hold = true, .heed = true, .signal = SIGINT, .seen = SIGINT },
	{ "SIGHUP heeded", .hold = true, .heed = true, .signal = SIGHUP, .seen = SIGHUP },
	{ "ignored before", .ignore = true, .hold = true, .heed = true, .signal = SIGHUP },
	{ "no signal", .hold = true, .heed = true },
	{ "another signal", .hold = true, .heed = true, .signal = SIGUSR1, .death = SIGUSR1 },
};

static void signals_are_held(void **state)
{
	(void)state;
	for_each_row(row, rows)
	{
		int status = 0;
		pid_t child = fork();

		if (child == 0) {
			if (row->ignore)
				signal(row->signal, SIG_IGN);
			if (row->hold)
				stop_hold();
			stop_heed(row->heed);
			kill(getpid(), row->signal);
			_exit(stop_signal());
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		row_int(row->name, "death", WIFSIGNALED(status) ? WTERMSIG(status) : 0, row->death);
		if (WIFEXITED(status))
			row_int(row->name, "stop_signal()", WEXITSTATUS(status), row->seen);
	}
}

static void the_error_names_the_signal(void **state)
{
	struct err err = { 0 };
	sigset_t set;
	int got;

	(void)state;
	stop_hold();
	assert_false(stop_heed(true));
	assert_int_equal(stop_check(&err), 0);
	assert_false(err_is_set(&err));
	kill(getpid(), SIGINT);
	assert_int_equal(stop_check(&err), -EINTR);
	assert_int_equal(err.code, CNI_TRY_AGAIN);
	assert_int_equal(err.eno, EINTR);
	assert_string_equal(err.msg, "stopped by SIGINT; try again");
	assert_int_equal(stop_signal(), SIGINT); /* asking does not take it away */
	assert_true(stop_heed(false));
	assert_int_equal(stop_signal(), 0);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	assert_int_equal(sigwait(&set, &got), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_are_held),
		cmocka_unit_test(the_error_names_the_signal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
