/*
 * Tells the service manager that the loop is alive, when it asks for that (WATCHDOG_USEC). A timer
 * alone would prove little: the word is sent by the loop's handling of a descriptor that the timer
 * made readable, so timers, polling and dispatch all took part. Without WATCHDOG_USEC there is no
 * timer and an idle daemon sleeps.
 */
#ifndef DAEMON_BASE_WATCHDOG_H
#define DAEMON_BASE_WATCHDOG_H

#include "daemon/base/loop.h"

struct watchdog;

/* *watchdog_out is NULL when nobody asks. 0 or -errno, logged. */
int watchdog_new(struct loop *loop, struct watchdog **watchdog_out);
/* NULL is fine. Returns NULL. */
struct watchdog *watchdog_free(struct watchdog *watchdog);

#endif
