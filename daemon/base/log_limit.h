/*
 * The one limit of log lines that other processes cause. A line that is written while the daemon
 * does something for another process (between journal_enter() and journal_leave()) begins with that
 * process's user, or its name if it is another daemon. Of the lines of one user that come from one
 * place of the source, LOG_LIMIT_BURST are written in LOG_LIMIT_NS. The others are counted, and the
 * end of that time writes one line that says how many there were. Debug lines are not limited.
 *
 * There is room for LOG_LIMIT_MAX pairs of user and place; if that is used up, further users share
 * one limit. Single-threaded: lines of other threads are about no other process.
 */
#ifndef DAEMON_BASE_LOG_LIMIT_H
#define DAEMON_BASE_LOG_LIMIT_H

#include <stdint.h>

#include "daemon/base/loop.h"
#include "util/clock.h"

#define LOG_LIMIT_BURST 10u
#define LOG_LIMIT_NS    (30 * NS_PER_SEC)
#define LOG_LIMIT_MAX   256u

/* From now on, with this time instead of LOG_LIMIT_NS if it is not 0. 0 or -ENOMEM. */
int log_limit_start(struct loop *loop, uint64_t period_ns);
/* Writes the counts and limits nothing any more. May be called twice, and without a start. */
void log_limit_stop(void);

#endif
