/*
 * Sync events whose counter is on another machine, or is accessed by an RDMA device on request
 * (DOCOCORED_TRANSPORT=verbs). This process cannot access the counter directly. The exporter's
 * device can, or the exporter's process, asked through the daemons (relay). Each event has a
 * requester (client/rma/requester.h) of its own. Synchronous calls send a request and wait for it;
 * tasks are requests that are posted and polled. A waiter reads the counter repeatedly, because no
 * wake-up crosses machines.
 *
 * A request that fails breaks the connection and with it the event. Everything afterwards ends with
 * CONNECTION_RESET, as when the exporter is gone. Threads: those of the event.
 */
#ifndef CLIENT_SYNC_EVENT_SYNC_REMOTE_H
#define CLIENT_SYNC_EVENT_SYNC_REMOTE_H

#include "client/sync_event/sync_event.h"

/*
 * Begins to connect while the caller goes on. If that fails, calls and tasks report it. The import
 * must remain until the connection is closed. pe: the engine of the event's tasks, which stay in
 * flight while the daemon is away. NULL: the event is for synchronous calls, so wait until this
 * side's daemon has accepted or refused the call of the exporter's process, at most 5 s.
 */
doca_error_t sync_remote_open(const struct sync_import *import, struct doca_pe *pe,
			      struct sync_remote **out);
/* Accepts NULL. */
void sync_remote_close(struct sync_remote *remote);

/* Synchronous calls. On failure they return CONNECTION_RESET with an error sentence that begins
 * with `what`. */
doca_error_t sync_remote_get(struct sync_remote *remote, uint64_t *value_out, const char *what);
doca_error_t sync_remote_set(struct sync_remote *remote, uint64_t value, const char *what);
doca_error_t sync_remote_add(struct sync_remote *remote, uint64_t value, uint64_t *fetched_out,
			     const char *what);
/* rests: releases the CPU between two reads. */
doca_error_t sync_remote_wait(struct sync_remote *remote, enum sync_cond cond, uint64_t value,
			      uint64_t mask, bool yields, const char *what);

/* Makes a context and its tasks those of such an event. Called before it is started. */
void sync_remote_ctx_init(struct doca_sync_event *event);

#endif
