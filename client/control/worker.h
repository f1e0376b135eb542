/*
 * Chores: what takes calls of the daemon, or waits for other threads that make some, left to a
 * thread of the library's own by who must not wait, as within progress. One at a time, in the order
 * in which they were left; the thread is there while there are any. A daemon that is connected and
 * does not answer is waited for as long as that takes, without the session's lock
 * (client/control/blocking_call.h). Of the environment it knows what the program's thread saw.
 * Threads: any, also under the session's lock. A child of the process has none of its parent's.
 */
#ifndef CLIENT_CONTROL_WORKER_H
#define CLIENT_CONTROL_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "client/base/env.h"
#include "util/list.h"

struct chore {
	struct list node;
	/* Once; the chore is its own. */
	void (*run)(struct chore *chore);
	_Atomic bool is_dropped;
	struct env_copy env; /* when it was left */
};

/* False: there is no thread to be had, and it was not taken. */
bool chore_leave(struct chore *chore);
/* In that case it is done here, and waited for. */
void chore_leave_surely(struct chore *chore);
/* Nobody wants it any more: it is run, but its calls of the daemon are waited for no longer. Until
 * it has run. */
void chore_drop(struct chore *chore);
/* Returns when all that were left before are done, and no thread is there: after a call's time,
 * they wait for no daemon any more. Not under the session's lock. */
void chores_await(void);

#endif
