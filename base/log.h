/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines for whoever looks after the node: to stderr, which the runtime keeps, and to a file if one is
 * set. One line a call and one write() a line, so that those of parallel plugins do not mix. Never part
 * of the answer. What would end a line or steer a terminal is written as "\x0a": messages quote tenants.
 * A log that cannot be written, or that nobody reads, is given up: it must not stop the work.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/base.h"

#include <stdint.h>

/* A line is written if its level is no higher than the one that was set. */
enum log_level {
	LOG_LEVEL_PANIC, /* of no line: silence */
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARNING,
	LOG_LEVEL_INFO, /* unless another one is set */
	LOG_LEVEL_DEBUG,
	LOG_LEVEL_MAX,
};

enum { LOG_LINE_SIZE = 4096 }; /* no line in the file is longer */

/* log_name() - set the program name that starts every line; @name must stay valid. */
void log_name(const char *name);

/* log_set_level() - the highest level that is written. */
void log_set_level(enum log_level level);

/* log_wants() - true if lines of this level are written. */
bool log_wants(enum log_level level);

/**
 * log_to_file() - write the lines to a file as well
 * @fd:		open for appending; the log keeps it
 * @torn:	the file ends within a line, which a full disk cut off
 */
void log_to_file(int fd, bool torn);

/* log_subject() - set what every line in the file is about: "ADD rail c1:net1". */
void log_subject(const char *fmt, ...) _printf_(1, 2);

/* log_is_line() - true if a text begins like a line in the file. */
bool log_is_line(const char *text);

/* log_error() - say why the call fails. */
void log_error(const char *fmt, ...) _printf_(1, 2);

/* log_warn() - say something that should be looked at although work goes on. */
void log_warn(const char *fmt, ...) _printf_(1, 2);

/* log_info() - say something the operator may want to read later. */
void log_info(const char *fmt, ...) _printf_(1, 2);

/* log_debug() - say what is being done. The arguments are not evaluated unless they are wanted. */
#define log_debug(...)                                                                             \
	do {                                                                                       \
		if (log_wants(LOG_LEVEL_DEBUG))                                                    \
			log_debug_line(__VA_ARGS__);                                               \
	} while (0)
void log_debug_line(const char *fmt, ...) _printf_(1, 2);

/* log_clock() - now, in microseconds, for log_ms(); 0 if no line would show it. */
int64_t log_clock(void);

/* log_ms() - milliseconds since log_clock(). */
double log_ms(int64_t since);

#endif
