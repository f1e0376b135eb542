/* Messages to the service manager, if there is one (NOTIFY_SOCKET). */
#ifndef DAEMON_BASE_NOTIFY_H
#define DAEMON_BASE_NOTIFY_H

#include "util/util.h"

/*
 * State messages. None blocks if the manager does not read: they stay pending in order, and
 * notify_flush() and each notify_status() send them.
 */
void notify_ready(void);
void notify_reloading(void);
void notify_stopping(void);
/* Sends the watchdog's keep-alive. */
void notify_watchdog(void);
/* Sends pending messages. Returns 0, or -EAGAIN if some are still pending: try again later. */
int notify_flush(void);
/* Closes the connection to the manager; the next message opens it again. */
void notify_close(void);
/*
 * Sends a message for the fd store, with a descriptor or -1. Blocks for at most wait_ms if the
 * manager does not read. Returns 0; -ENOTCONN without a manager; -EAGAIN; or another -errno.
 */
int notify_fd(const char *text, int fd, unsigned wait_ms);
/* Never blocks. Returns 0; -EAGAIN: send it again later; or another -errno. */
int notify_status(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
