/*
 * What the parts of a responder have in common: responder.c has its life, its thread and its queue
 * pairs, client/rma/responder_relay.c what it serves by relay. Threads: as in
 * client/rma/responder.h.
 */
#ifndef CLIENT_RMA_RESPONDER_INTERNAL_H
#define CLIENT_RMA_RESPONDER_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "client/rma/relay/serve.h"
#include "client/rma/rendezvous.h"
#include "client/rma/responder.h"

/* Rings of exports that wait for the thread; more of them wait at the other end. */
#define RESPONDER_RECVS 64u

struct responder {
	struct list node; /* all of the process */
	struct doca_dev *dev;
	bool is_moving; /* somebody makes it, or ends it, without the lock of the list */
	pthread_mutex_t lock;
	struct list exports; /* struct export, served_node; under the lock */
	struct relay_exports relayed;
	pthread_t thread;
	bool has_thread;
	_Atomic bool ends_soon; /* who waits for its end has no time for importers */
	int stop_fd, epoll_fd;
	/* The thread's. */
	const struct rdma_port_ops *ops;
	struct rdma_port *port; /* NULL: there is no RDMA device */
	struct rdma_wr recvs[RESPONDER_RECVS];
	struct rdma_agent agent;
	struct list links;   /* struct link */
	struct list streams; /* struct relay_link */
	struct list pasts;   /* those that ended; the oldest first */
	uint32_t n_streams, n_pasts;
	_Atomic bool is_cut; /* the session's connection has ended; set by any thread */
	bool is_adrift;      /* perhaps no daemon has the agent */
	uint64_t seek_ns, pause_ns;
};

/* Watched by the thread. 0 or -errno. */
int responder_watch(const struct responder *responder, int fd, uint32_t events);

/* --- client/rma/responder_relay.c; the thread's, or nobody's any more --- */

struct relay_link *responder_stream_find(struct responder *responder, uint64_t call_id);
/* Answers a call, and serves who called from here on. */
doca_error_t responder_stream_make(struct responder *responder, uint64_t call_id,
				   const struct rdma_details *other);
/* What it did is remembered: its importer may come back, once the daemons are there again. */
void responder_stream_end(struct responder *responder, struct relay_link *stream);
void responder_streams_end(struct responder *responder);
/* Those that have ended. */
void responder_streams_forget(struct responder *responder);
/* True if there is more to be done. */
bool responder_streams_serve(struct responder *responder);
bool responder_streams_arm(struct responder *responder);
void responder_streams_disarm(struct responder *responder);
/* One of them says that its daemon is no more. */
void responder_streams_lose(struct responder *responder, int pidfd);

#endif
