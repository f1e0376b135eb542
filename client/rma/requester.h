/*
 * Requester: the way in which a context accesses memory that other processes export to RDMA
 * devices. It has a domain, a rendezvous endpoint, and one queue pair for each process, however
 * many imports of that process there are. A process is identified by its responder's endpoint.
 * Connections are made when they are first needed; the daemons carry the call and its answer while
 * the caller polls. A broken queue pair stays broken until the requester is closed or another
 * process needs its place.
 *
 * If a daemon is replaced by one without its state, the endpoint and all streams are lost; later
 * calls use a new endpoint. If a daemon resumes its clients, only the streams are lost. A requester
 * with `renews` set then calls the same processes again, and posted requests continue in new
 * streams without being executed twice.
 *
 * No function waits for a daemon. If the daemon is away when it is needed, the call is pending
 * until the reply arrives or the call is cancelled, while the poller goes on. A requester that
 * relays has a stream in place of each queue pair (client/rma/relay/provider.h), and reaches only
 * imports of the transport `relay`. Threads: those of the context.
 */
#ifndef CLIENT_RMA_REQUESTER_H
#define CLIENT_RMA_REQUESTER_H

#include <stdbool.h>
#include <stdint.h>

#include "client/control/rpc_watch.h"
#include "client/memory/mmap.h"
#include "client/rma/rendezvous.h"

struct doca_dev;
struct doca_pe;

/* An exporting process, identified by its responder's endpoint, and an import of it. */
struct peer_address {
	const uint8_t *daemon_id; /* 16 bytes */
	uint64_t endpoint_id;
	uint64_t import_id;
	const uint8_t *import_daemon; /* 16 bytes: the local daemon that assigned import_id */
	bool is_pci;                  /* for relayed streams: the export is over PCI */
	uint32_t n_calls;             /* the call whose result the user waited for; 0: none */
};

/* Returns the address of the process that exported an imported memory map. */
static inline struct peer_address peer_address_of(const struct doca_mmap *import)
{
	return (struct peer_address){
		.daemon_id = import->exporter_daemon,
		.endpoint_id = import->endpoint_id,
		.import_id = import->import_id,
		.import_daemon = import->import_daemon,
		.is_pci = import->relay_pci,
	};
}

/* A process that has not answered a call after this time counts as unreachable. */
#define REQUESTER_TIMEOUT_NS (10ull * 1000 * 1000 * 1000)

/* The pause before a process is called again; it doubles with each attempt. */
#define REQUESTER_PAUSE_NS (1ull * 1000 * 1000)

/* The life cycle of a peer; client/rma/requester_state.c has the transitions. */
enum requester_state {
	REQUESTER_CALL_DUE,   /* the call is to be sent at call_ns */
	REQUESTER_CALL_SENT,  /* the RdmaConnect request is pending */
	REQUESTER_CALLED,     /* an event will report the answer */
	REQUESTER_FETCH_DUE,  /* answered: the RdmaFetch request is to be sent */
	REQUESTER_FETCH_SENT, /* the RdmaFetch request is pending */
	REQUESTER_CONNECTING, /* the domain connects the queue pair */
	REQUESTER_LOST,       /* the stream is lost; an event will report whether to call again */
	REQUESTER_READY,
	REQUESTER_FAILED,
	REQUESTER_NEW, /* not called yet */
	REQUESTER_N_STATES,
};

/* Why a peer has failed, as far as that decides whether it is called again. */
enum requester_failure {
	REQUESTER_REFUSED, /* it is not called again */
	/* The local daemon did not make the call, or that process has no room for more connections.
	 * The next find calls it again, unless its caller waited for that very call. */
	REQUESTER_UNTRIED,
	REQUESTER_FULL,
	REQUESTER_STALE, /* it failed with the daemon; the next find calls it again */
};

struct requester_peer {
	struct list node;
	enum requester_state state; /* changed by requester_peer_enter() only */
	/* NULL: the peer failed, and no queue pair was available to call it again. */
	struct rdma_qp *qp;
	uint8_t daemon_id[16];
	uint64_t endpoint_id; /* the responder's endpoint at that daemon */
	bool is_pci;          /* for a stream: exports over PCI have streams of their own */
	uint64_t call_id;
	uint64_t deadline_ns; /* while calling */
	bool is_reconnecting; /* calling again, because the stream was lost with a daemon */
	/* The import to call by if nothing is posted. */
	uint64_t import_id;
	uint8_t import_daemon[16];
	uint64_t call_ns, pause_ns; /* the time when a request is due; the pause before the next */
	/* The pending RdmaConnect or RdmaFetch request, or NULL. */
	struct rpc_pending *pending;
	const char *reason; /* why the peer failed: a clause, or the sentence in refusal_text */
	/* The local daemon's error code if it refused the call; otherwise SUCCESS. */
	doca_error_t refusal;
	char refusal_text[256];
	uint32_t n_posted; /* requests that have not been returned, counted by the user */
	enum requester_failure failure;
	uint32_t n_calls;
};

struct requester {
	struct doca_dev *dev;
	bool relays;
	bool renews;      /* set by the user */
	uint64_t wait_ns; /* the time to wait for a process that was connected before */
	const struct rdma_provider *ops;
	struct rdma_domain *domain;
	struct rdma_limits limits;
	struct rdma_conf conf;
	struct rendezvous rendezvous;
	struct rpc_pending *opening; /* the pending request that opens the endpoint, or NULL */
	uint32_t n_unanswered;       /* calls whose id is not known yet */
	bool watches_session;        /* for replies, while some are pending */
	_Atomic bool has_reply;      /* replies have arrived */
	bool is_requesting;          /* a request may be pending */
	bool has_changed;            /* requester_find() has changed a peer's state */
	struct doca_pe *pe; /* watches the descriptors; NULL: synchronous calls use the requester */
	int epoll_fd; /* the set that a synchronous call sleeps on; -1: made by the next sleep */
	struct rpc_watch session; /* in that set; the engine has one of its own */
	struct list peers;
	uint32_t n_calling;
	uint64_t check_ns; /* the time of the next check of the daemon, while a call is pending */
	int timerfd;
};

/* Returns whether the peer is being connected. */
static inline bool requester_is_calling(const struct requester_peer *peer)
{
	return peer->state < REQUESTER_READY;
}

/*
 * Opens a requester. Until it is closed, its descriptors wake the engine `pe`; NULL: the requester
 * is for synchronous calls, which sleep by requester_sleep(). send_queue and max_sges limit the
 * requests of one queue pair and the pieces of memory of one request.
 */
doca_error_t requester_open(struct doca_dev *dev, struct doca_pe *pe, bool relays,
			    uint32_t send_queue, uint32_t max_sges,
			    struct requester **requester_out);
/* Closes the requester; nothing may be posted any more. Does not block. Accepts NULL. */
void requester_close(struct requester *requester);
/*
 * Returns the peer, calling it if needed; an error sentence is recorded on failure. The peer may
 * still be connecting, or may have failed. A failed peer without posted requests may be freed by
 * the next find of another peer.
 */
doca_error_t requester_find(struct requester *requester, const struct peer_address *address,
			    struct requester_peer **peer_out);
/* Advances connections. Returns true if a peer has become ready or has failed. Call it whenever
 * poll returns nothing. */
bool requester_poll(struct requester *requester);
/* Returns all posted requests. */
void requester_disconnect(struct requester *requester);
/* Arms the descriptors before the user sleeps. Returns true if there is something to do already. */
bool requester_arm(struct requester *requester);
void requester_disarm(struct requester *requester);
/* For synchronous calls: sleeps until there may be something to do, at most timeout_ms. */
void requester_sleep(struct requester *requester, int timeout_ms);

/* --- the requester's own files: its descriptors --- */

#define REQUESTER_FDS 3
/* Returns the descriptors that exist now, at most REQUESTER_FDS. */
size_t requester_fds(const struct requester *requester, int fds_out[REQUESTER_FDS]);
/* Has the engine watch them. Records an error sentence on failure. */
doca_error_t requester_watch(struct requester *requester, struct doca_pe *pe);
/* Ends the watch. The descriptors still exist. */
void requester_unwatch(struct requester *requester);
/* Called for a descriptor that appears later, or before it disappears. Returns 0 or -errno. */
int requester_watch_fd(struct requester *requester, int fd);
void requester_unwatch_fd(struct requester *requester, int fd);
/* Returns the watch of the daemon's connection: the engine's or the requester's own. */
struct rpc_watch *requester_session(struct requester *requester);

#endif
