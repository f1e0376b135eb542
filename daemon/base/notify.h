/* Word to the service manager, when there is one (NOTIFY_SOCKET). */
#ifndef DAEMON_BASE_NOTIFY_H
#define DAEMON_BASE_NOTIFY_H

#include "util/util.h"

/* None of these waits for a manager that does not read. What says how far the daemon is comes in
 * its order then: notify_settle() says it, and so does each status. */
void notify_ready(void);
void notify_reloading(void);
void notify_stopping(void);
/* The watchdog's word. */
void notify_watchdog(void);
/* 0, or -EAGAIN: something is still to be said, try again later. */
int notify_settle(void);
/* The connection to the manager; made anew by whatever is said next. */
void notify_close(void);
/* For the fd store: with a descriptor, or -1. Waits for a manager that does not read for wait_ms.
 * 0; -ENOTCONN: there is none; -EAGAIN; -errno. */
int notify_fd(const char *text, int fd, unsigned wait_ms);
/* Does not wait for a manager that does not read. 0, or -EAGAIN: say it again later; -errno. */
int notify_status(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
