/*
 * Reports to the service manager that the event loop is alive, if the manager requests it
 * (WATCHDOG_USEC). A timer alone would prove little: the keep-alive is sent by the handler of a
 * descriptor that the timer makes readable, so timers, polling and dispatch were all working.
 * Without WATCHDOG_USEC there is no timer, and an idle daemon sleeps.
 */
#ifndef DAEMON_BASE_WATCHDOG_H
#define DAEMON_BASE_WATCHDOG_H

#include "daemon/base/loop.h"

struct watchdog;

/* *watchdog_out is NULL if no keep-alives are requested. Returns 0 or -errno, logged. */
int watchdog_new(struct loop *loop, struct watchdog **watchdog_out);
/* Accepts NULL. Returns NULL. */
struct watchdog *watchdog_free(struct watchdog *watchdog);

#endif
