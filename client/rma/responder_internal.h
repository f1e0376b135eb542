/*
 * The parts of a responder that two files share: client/rma/responder.c has its opening and
 * closing, its thread and its queue pairs; client/rma/responder_relay.c serves relayed requests.
 * Threads: as in client/rma/responder.h.
 */
#ifndef CLIENT_RMA_RESPONDER_INTERNAL_H
#define CLIENT_RMA_RESPONDER_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "client/rma/relay/serve.h"
#include "client/rma/rendezvous.h"
#include "client/rma/responder.h"

/* Rings that can wait for the thread; further ones wait at the importer. */
#define RESPONDER_RECVS 64u

struct served_export {
	struct list node; /* the responder's exports */
	struct export *export;
	struct responder *responder;
	struct relay_export relayed; /* if the daemons may relay copies of it */
};

struct responder {
	struct list node; /* in the process's list of responders */
	struct doca_dev *dev;
	bool is_changing; /* being opened or closed, without the lock of the list */
	pthread_mutex_t lock;
	struct list exports; /* struct served_export; under the lock */
	struct relay_exports relayed;
	pthread_t thread;
	bool has_thread;
	_Atomic bool ends_async; /* closing does not wait for importers */
	int stop_fd, epoll_fd;
	/* Used by the thread only. */
	const struct rdma_provider *ops;
	struct rdma_domain *domain; /* NULL if there is no RDMA device */
	struct rdma_wr recvs[RESPONDER_RECVS];
	struct rendezvous rendezvous;
	struct list links;   /* list of struct link */
	struct list streams; /* list of struct relay_link */
	struct list ended;   /* list of links that ended, the oldest first */
	uint32_t n_streams, n_ended;
	_Atomic bool is_disconnected; /* the session's connection has ended; set by any thread */
	bool is_orphaned;             /* the endpoint may be unknown to the daemon */
	uint64_t search_ns, pause_ns;
};

/* Adds a descriptor to the thread's epoll set. Returns 0 or -errno. */
int responder_watch(const struct responder *responder, int fd, uint32_t events);

/* --- client/rma/responder_relay.c; on the thread, or after it has ended --- */

struct relay_link *responder_stream_find(struct responder *responder, uint64_t call_id);
/* Serves the export to importers by relay from now on. The responder's lock is held. */
void responder_relay_export(struct served_export *served);
/* Accepts a call and serves the caller from here on. */
doca_error_t responder_stream_make(struct responder *responder, uint64_t call_id,
				   const struct rdma_params *other);
/* Ends a stream. Its deduplication window is kept, because the importer may return once the daemons
 * are back. */
void responder_stream_end(struct responder *responder, struct relay_link *stream);
void responder_streams_end(struct responder *responder);
/* Frees the links that have ended. */
void responder_streams_free_ended(struct responder *responder);
/* Returns true if there is more to do. */
bool responder_streams_serve(struct responder *responder);
bool responder_streams_arm(struct responder *responder);
void responder_streams_disarm(struct responder *responder);
/* Notes that the daemon with this pidfd has exited. */
void responder_streams_lose(struct responder *responder, int pidfd);

#endif
