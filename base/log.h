/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines for the runtime's log: stderr only, one line a call, never part of the answer. A log that cannot be
 * written, or that nobody reads, is given up: it must not stop the work.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/base.h"

/* log_name() - set the program name that starts every line; @name must stay valid. */
void log_name(const char *name);

/* log_info() - say something the operator may want to read later. */
void log_info(const char *fmt, ...) _printf_(1, 2);

/* log_warn() - say something that should be looked at although work goes on. */
void log_warn(const char *fmt, ...) _printf_(1, 2);

#endif
