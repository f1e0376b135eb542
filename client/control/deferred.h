/*
 * Deferred calls: functions that run under the session's lock, on whichever thread holds it. They
 * serve callers that must not wait for another thread's daemon call. If the lock is free, the call
 * runs at once. Otherwise the thread that holds the lock runs it before unlocking, in order of
 * submission. Threads: any.
 */
#ifndef CLIENT_CONTROL_DEFERRED_H
#define CLIENT_CONTROL_DEFERRED_H

#include <stdbool.h>

#include "util/list.h"

struct session_deferred {
	struct list node;
	/* Runs once, on any thread, with the session's lock held. Must not block. The callee owns
	 * the object from then on. */
	void (*run_locked)(struct session_deferred *deferred);
};

/* Submits a deferred call. The caller may hold any other lock of the library that no `run_locked`
 * takes. */
void session_defer(struct session_deferred *deferred);

/* --- used by the session only --- */

bool session_has_deferred(void);
/* Runs all queued calls. Called before the session's lock is released. */
void session_deferred_run_locked(void);
/* Empties the queue in a forked child, because the queued calls are the parent's. */
void session_deferred_forget(void);

#endif
