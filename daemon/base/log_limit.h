/*
 * The only limit of log lines that other processes cause. A line that is logged while the daemon
 * works for another process (between journal_enter() and journal_leave()) begins with that
 * process's user, or with its name if it is a daemon. Of the lines about one user from one place in
 * the source, LOG_LIMIT_BURST are written per LOG_LIMIT_NS. The others are counted, and at the end
 * of that period one line gives their number. Debug lines are not limited.
 *
 * There is room for LOG_LIMIT_MAX pairs of user and place. When that is used up, further users
 * share one limit. Single-threaded: lines of other threads are about no other process.
 */
#ifndef DAEMON_BASE_LOG_LIMIT_H
#define DAEMON_BASE_LOG_LIMIT_H

#include <stdint.h>

#include "daemon/base/loop.h"
#include "util/clock.h"

#define LOG_LIMIT_BURST 10u
#define LOG_LIMIT_NS    (30 * NS_PER_SEC)
#define LOG_LIMIT_MAX   256u

/* Starts limiting. period_ns: period instead of LOG_LIMIT_NS, if not 0. Returns 0 or -ENOMEM. */
int log_limit_start(struct loop *loop, uint64_t period_ns);
/* Writes the counts and stops limiting. Idempotent; needs no start. */
void log_limit_stop(void);

#endif
