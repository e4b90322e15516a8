// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>

enum { READER_WAIT_MS = 500 };

static const char *program = "roce";

void log_name(const char *name)
{
	program = name;
}

/* False for a pipe that stays full: its reader hangs, and would hang us for ever, locks in hand. */
static bool stderr_is_read(void)
{
	struct pollfd fd = { .fd = STDERR_FILENO, .events = POLLOUT };
	static bool given_up;

	given_up = given_up || poll(&fd, 1, READER_WAIT_MS) == 0;
	return !given_up;
}

/* One write() a line, so that lines of parallel plugins do not mix in the runtime's log. */
static void log_line(const char *level, const char *fmt, va_list ap)
{
	char line[1536];
	int n, m;

	n = snprintf(line, sizeof(line), "%s: %s", program, level);
	m = vsnprintf(line + n, sizeof(line) - n - 1, fmt, ap);
	if (m < 0)
		return;
	n += m;
	if ((size_t)n > sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	if (!stderr_is_read() || write(STDERR_FILENO, line, n) < 0)
		return; /* nobody reads the log: that must not stop the work */
}

void log_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line("", fmt, ap);
	va_end(ap);
}

void log_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line("warning: ", fmt, ap);
	va_end(ap);
}
