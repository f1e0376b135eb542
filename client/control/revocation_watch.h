/*
 * Watches for events that the daemon reports through this process's liveness page and that the
 * library must act on even if the application is idle. One is the revocation of an export by an
 * operator, because its memory key works without the library. Another is the removal of a device
 * that a thread sleeps on. A library thread sleeps until the daemon reports an event. The thread
 * exists only while there is at least one watch. Threads: any.
 */
#ifndef CLIENT_CONTROL_REVOCATION_WATCH_H
#define CLIENT_CONTROL_REVOCATION_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/list.h"

struct revocation_watch {
	struct list node;
	pid_t pid; /* the process that started it; 0: not started */
	/*
	 * Called by the thread once at the start and after each event, with the session's lock
	 * held. Must neither start nor stop a watch nor call the daemon. Returns true when the
	 * watch is finished; it is not called again.
	 */
	bool (*check_locked)(struct revocation_watch *watch);
};

/* Starts a watch whose `check_locked` is set. Returns 0 or -errno. */
int revocation_watch_start(struct revocation_watch *watch);
/* Stops a watch. On return, `check_locked` is not running
 * and will not be called again. Does nothing if the watch was not started. */
void revocation_watch_stop(struct revocation_watch *watch);
/* Makes the thread follow a new daemon connection and its page. The session's lock is held. */
void revocation_watch_renew_locked(void);

#endif
