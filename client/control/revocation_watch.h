/*
 * What the daemon says in this process's liveness page and that has to be acted upon whatever the
 * program does: an export that an operator revoked, for the key that it gave away works past the
 * library; a device that was taken away, for whoever sleeps on it. A thread of ours sleeps until
 * the daemon says that there is news. It is there as long as such a watch is, and otherwise never.
 * Threads: any.
 */
#ifndef CLIENT_CONTROL_REVOCATION_WATCH_H
#define CLIENT_CONTROL_REVOCATION_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/list.h"

struct news_watch {
	struct list node;
	pid_t pid; /* that started it; 0: nobody */
	/*
	 * By the thread, at each news and once at the start; the session's lock is held. It starts
	 * and stops no watch and calls no daemon. True: what was waited for has come, and it is
	 * called no more.
	 */
	bool (*look_locked)(struct news_watch *watch);
};

/* `look_locked` is set. Waits for no call of another thread. 0 or -errno. */
int news_watch_start(struct news_watch *watch);
/* The same. A look is over, or will not be taken. Of one that was not started: nothing. */
void news_watch_stop(struct news_watch *watch);
/* Another daemon has what is watched now, and another page. The session's lock is held. */
void news_watch_moved_locked(void);

#endif
