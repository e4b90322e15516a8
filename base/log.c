// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

enum { TEXT_SIZE = 2304, SUBJECT_SIZE = 512 };

enum { READER_WAIT_MS = 500 };

static const char *program = "roce";
static enum log_level highest = LOG_LEVEL_INFO;
static char subject[SUBJECT_SIZE];
static int file = -1;
static bool file_is_torn;

/* The names in the file, and what stderr has in front of the text. */
static const struct {
	const char *name, *label;
} levels[LOG_LEVEL_MAX] = {
	[LOG_LEVEL_PANIC] = { "panic", "panic: " },
	[LOG_LEVEL_ERROR] = { "error", "error: " },
	[LOG_LEVEL_WARNING] = { "warning", "warning: " },
	[LOG_LEVEL_INFO] = { "info", "" },
	[LOG_LEVEL_DEBUG] = { "debug", "debug: " },
};

void log_name(const char *name)
{
	program = name;
}

void log_set_level(enum log_level level)
{
	highest = level;
}

bool log_wants(enum log_level level)
{
	return level <= highest;
}

void log_to_file(int fd, bool torn)
{
	if (file >= 0)
		close(file);
	file = fd;
	file_is_torn = torn;
}

void log_subject(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(subject, sizeof(subject), fmt, ap);
	va_end(ap);
}

/* ---- one line ---- */

struct line {
	char text[LOG_LINE_SIZE];
	size_t len;
};

_printf_(2, 3) static void append(struct line *line, const char *fmt, ...)
{
	size_t room = sizeof(line->text) - 1 - line->len; /* one byte is the newline's */
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line->text + line->len, room, fmt, ap);
	va_end(ap);
	if (n > 0)
		line->len += (size_t)n < room ? (size_t)n : room - 1;
}

/* Control characters of ASCII, and U+0080 to U+009F, which terminals obey as well. */
static size_t control_length(const unsigned char *p)
{
	if (iscntrl(*p))
		return 1;
	return p[0] == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f ? 2 : 0;
}

static void append_safe(struct line *line, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p) {
		size_t n = control_length(p);

		for (size_t i = 0; i < n; i++)
			append(line, "\\x%02x", p[i]);
		if (n == 0 && line->len < sizeof(line->text) - 1)
			line->text[line->len++] = (char)*p;
		p += n ? n : 1;
	}
}

/* False for a pipe that stays full: its reader hangs, and would hang us for ever, locks in hand. */
static bool stderr_is_read(void)
{
	struct pollfd fd = { .fd = STDERR_FILENO, .events = POLLOUT };
	static bool given_up;

	given_up = given_up || poll(&fd, 1, READER_WAIT_MS) == 0;
	return !given_up;
}

/* Nobody reads the log, or its disk is full: that must not stop the work. */
static void write_line(int fd, struct line *line)
{
	line->text[line->len++] = '\n';
	if (write(fd, line->text, line->len) < 0)
		return;
}

static void append_time(struct line *line)
{
	struct timespec now;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	append(line, "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ", tm.tm_year + 1900, tm.tm_mon + 1,
	       tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, now.tv_nsec / 1000000);
}

static void write_to_file(enum log_level level, const char *text)
{
	struct line line = { .len = 0 };

	if (file_is_torn)
		append(&line, "\n");
	file_is_torn = false;
	append_time(&line);
	append(&line, " %s %s[%d] ", levels[level].name, program, getpid());
	append_safe(&line, subject);
	append(&line, "%s", *subject ? ": " : "");
	append_safe(&line, text);
	write_line(file, &line);
}

static void log_line(enum log_level level, const char *fmt, va_list ap)
{
	struct line line = { .len = 0 };
	char text[TEXT_SIZE];
	int errno_before = errno;

	if (!log_wants(level))
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	append(&line, "%s: %s", program, levels[level].label);
	append_safe(&line, text);
	if (stderr_is_read())
		write_line(STDERR_FILENO, &line);
	if (file >= 0)
		write_to_file(level, text);
	errno = errno_before;
}

/* A digit for each 0 of the pattern, then the name of a level and a program's. */
bool log_is_line(const char *text)
{
	static const char pattern[] = "0000-00-00T00:00:00.000Z ";

	for (const char *p = pattern; *p; p++, text++)
		if (*p == '0' ? !isdigit((unsigned char)*text) : *text != *p)
			return false;
	for (size_t i = 0; i < LOG_LEVEL_MAX; i++) {
		size_t len = strlen(levels[i].name);

		if (strncmp(text, levels[i].name, len) == 0 && text[len] == ' ')
			return strncmp(text + len + 1, "roce", 4) == 0;
	}
	return false;
}

/* ---- the levels ---- */

void log_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_LEVEL_ERROR, fmt, ap);
	va_end(ap);
}

void log_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_LEVEL_WARNING, fmt, ap);
	va_end(ap);
}

void log_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_LEVEL_INFO, fmt, ap);
	va_end(ap);
}

void log_debug_line(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_LEVEL_DEBUG, fmt, ap);
	va_end(ap);
}

/* ---- durations ---- */

int64_t log_clock(void)
{
	struct timespec now;

	if (!log_wants(LOG_LEVEL_DEBUG))
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

double log_ms(int64_t since)
{
	return (double)(log_clock() - since) / 1000;
}
