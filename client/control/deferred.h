/*
 * What is done under the session's lock, by whoever has it: for who must not wait for a call that
 * another thread makes. It is done at once if the lock is free, else by that thread when it gives
 * the lock back, in the order in which it was left. Threads: any.
 */
#ifndef CLIENT_CONTROL_DEFERRED_H
#define CLIENT_CONTROL_DEFERRED_H

#include <stdbool.h>

#include "util/list.h"

struct session_errand {
	struct list node;
	/* Once, with the lock held, on any thread. Waits for nobody; the errand is its own. */
	void (*run_locked)(struct session_errand *errand);
};

/* May be called with any other lock of the library's held that no `run_locked` takes. */
void session_leave_errand(struct session_errand *errand);

/* --- for the session --- */

bool session_has_errands(void);
/* Before the lock is given back. */
void session_errands_run_locked(void);
/* In a child: they are the parent's. */
void session_errands_forget(void);

#endif
