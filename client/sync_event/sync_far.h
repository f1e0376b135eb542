/*
 * Sync events whose counter is on another machine, or is asked for by way of an RDMA device
 * (DOCOCORED_TRANSPORT=verbs): no processor of ours reaches it, but the exporter's device does, or
 * the exporter's process, asked by way of the daemons (relay). The event has a requester
 * (client/rma/requester.h) of its own. The synchronous calls send a request
 * and wait for it; tasks are requests that are posted and polled. Who waits for the counter reads
 * it again and again: nobody rings across machines.
 *
 * A request that fails breaks the connection, and the event with it: everything after that ends in
 * CONNECTION_RESET, as when the exporter is gone. Threads: those of the event.
 */
#ifndef CLIENT_SYNC_EVENT_SYNC_FAR_H
#define CLIENT_SYNC_EVENT_SYNC_FAR_H

#include "client/sync_event/sync_event.h"

/*
 * Connects while the caller goes on; where nobody can be called the calls and tasks say so. The
 * import must stay until it is closed. waits: for answers of this side's daemon, as synchronous
 * calls do; tasks do not, and stay in flight while it is away.
 */
doca_error_t sync_far_open(const struct sync_import *import, bool waits, struct sync_far **far_out);
/* NULL is fine. */
void sync_far_close(struct sync_far *far);

/* CONNECTION_RESET, with a sentence that begins with what. */
doca_error_t sync_far_get(struct sync_far *far, uint64_t *value_out, const char *what);
doca_error_t sync_far_set(struct sync_far *far, uint64_t value, const char *what);
doca_error_t sync_far_add(struct sync_far *far, uint64_t value, uint64_t *fetched_out,
			  const char *what);
/* rests: gives its core away between two looks. */
doca_error_t sync_far_wait(struct sync_far *far, enum sync_cond cond, uint64_t value, uint64_t mask,
			   bool rests, const char *what);

/* Makes a context and its tasks those of such an event; before it is started. */
void sync_far_ctx_init(struct doca_sync_event *event);

#endif
