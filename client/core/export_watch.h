/*
 * Exports whose end by an operator's hand their process has to act upon, because what they gave
 * away works past the library: the key of an RDMA device. A thread of ours sleeps until the daemon
 * says that it revoked something, so that an exporter who sleeps needs not wake. It is there as
 * long as such an export is, and otherwise never.
 * Threads: any; not under the session's lock.
 */
#ifndef CLIENT_CORE_EXPORT_WATCH_H
#define CLIENT_CORE_EXPORT_WATCH_H

#include "client/core/export.h"

struct export_watch {
	struct list node;
	struct export *export;
	pid_t pid; /* that started it; 0: nobody */
	/* Once, by the thread; it starts and stops no watch and calls no daemon. */
	void (*on_revoked)(struct export_watch *watch);
};

/* `export` is open, and `on_revoked` set. 0 or -errno. */
int export_watch_start(struct export_watch *watch);
/* on_revoked is over, or will not be called. Of one that was not started: nothing. */
void export_watch_stop(struct export_watch *watch);
/* Another daemon has the exports now. The session's lock is held. */
void export_watch_moved_locked(void);

#endif
