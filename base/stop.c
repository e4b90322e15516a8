// SPDX-License-Identifier: Apache-2.0
#include "base/stop.h"

#include <errno.h>
#include <string.h>

static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
static sigset_t held; /* all zero: the empty set */
static bool heeded;

void stop_hold(void)
{
	sigemptyset(&held);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		struct sigaction now;

		if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaddset(&held, signals[i]);
	}
	sigprocmask(SIG_BLOCK, &held, NULL);
}

bool stop_heed(bool heed)
{
	bool before = heeded;

	heeded = heed;
	return before;
}

int stop_signal(void)
{
	sigset_t pending;

	if (!heeded || sigpending(&pending) < 0)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (sigismember(&pending, signals[i]) && sigismember(&held, signals[i]))
			return signals[i];
	return 0;
}

int stop_check(struct err *err)
{
	int signal = stop_signal();

	if (signal == 0)
		return 0;
	return err_set(err, CNI_TRY_AGAIN, -EINTR, "stopped by SIG%s; try again",
		       sigabbrev_np(signal));
}

void stop_defaults(sigset_t *ret_set)
{
	sigemptyset(ret_set);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(ret_set, signals[i]);
}
