/*
 * Work items: functions that call the daemon, or wait for other threads that do, and that therefore
 * run on a thread of the library. Callers that must not block, such as progress, submit them. Items
 * run one at a time, in order of submission. The thread exists while there are items. A connected
 * daemon that does not answer is waited for without limit. The environment is the snapshot that the
 * application's thread took. Threads: any, also with the session's lock held. A forked child has
 * none of its parent's items.
 */
#ifndef CLIENT_CONTROL_WORKER_H
#define CLIENT_CONTROL_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "client/base/env.h"
#include "util/list.h"

struct work_item {
	struct list node;
	/* Runs once. The callee owns the item. */
	void (*run)(struct work_item *work);
	_Atomic bool is_cancelled;
	struct env_snapshot env; /* the snapshot taken at submission */
};

/* Submits an item. Returns false if the thread could not be started; the item was not accepted. */
bool work_submit(struct work_item *work);
/* Submits an item. If there is no thread, runs it on the calling thread before returning. */
void work_run_or_submit(struct work_item *work);
/* Cancels an item that has not finished: it still runs, but no longer waits for the daemon's
 * replies. Must not be called after the item has run. */
void work_cancel(struct work_item *work);
/* Waits until all items submitted before have run and the thread has ended. After RPC_TIMEOUT_NS
 * the remaining items stop waiting for the daemon. Must not be called with the session's lock
 * held. */
void work_await_all(void);

#endif
