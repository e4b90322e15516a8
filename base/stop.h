/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIGTERM, SIGINT and SIGHUP as a question, asked where work can stop.
 *
 * No handler runs: the signals are blocked, and stop_signal() looks whether one is pending. So they cut
 * no system call short, neither ours (no EINTR: no reply of the kernel is lost) nor a driver's that waits
 * for its firmware with signals allowed. What waits for long asks every STOP_TICK_MS.
 */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include "base/err.h"

#include <signal.h>

enum { STOP_TICK_MS = 100 };

/**
 * stop_hold() - from now until the process ends these signals do not end it
 *
 * One that the caller has set to be ignored (nohup) stays ignored. Calling it again is harmless.
 */
void stop_hold(void);

/**
 * stop_heed() - whether a signal that is held back stops what can be stopped
 * @heed:	true in an ADD; false, as at the start, in an undo, which runs to its end
 *
 * Return: what it was before.
 */
bool stop_heed(bool heed);

/* stop_signal() - the signal that came, while they are held and heeded; 0: none. */
int stop_signal(void);

/**
 * stop_check() - an error if a signal came
 * @err:	CNI_TRY_AGAIN, with the signal's name
 *
 * Return: 0 or -EINTR.
 */
int stop_check(struct err *err);

/**
 * stop_defaults() - the signals that a child must not inherit as we have them
 * @ret_set:	those whose disposition is to be the default one
 */
void stop_defaults(sigset_t *ret_set);

#endif
