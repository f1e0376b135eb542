/*
 * How a context reaches memory that other processes export to RDMA devices: a port, an agent at the
 * daemon, and one queue pair for each process that it reaches, however many imports it has of it.
 * A process is told by its responder's agent. Connections are made when they are first needed; the
 * daemons carry the call and the answer, while the caller polls on. A queue pair that broke stays
 * so until the requester is closed, or another process needs its place.
 * A daemon that was replaced by one that knows nothing of it takes the agent along, and streams;
 * who is looked for after that is called by a new agent. One that takes its clients up again has
 * lost the streams as well, but not the agent: of a requester that `renews` the same processes are
 * called anew, and what was posted goes on in other streams, without effect twice.
 * The daemon may be away when it is asked for something: a call waits for its answer until it is
 * there, or given up, and who polls goes on; unless the requester was opened as one that waits.
 * What is given up while another thread's call waits for the daemon is told after that call.
 * One that relays has a stream in place of each queue pair (client/rma/relay/provider.h), and
 * reaches only what was imported by that transport. Threads: those of the context.
 */
#ifndef CLIENT_RMA_REQUESTER_H
#define CLIENT_RMA_REQUESTER_H

#include <stdbool.h>
#include <stdint.h>

#include "client/control/deferred.h"
#include "client/rma/rendezvous.h"

struct doca_dev;
/* Who exports something: a process, by its responder's agent, and an import of it. */
struct requester_goal {
	const uint8_t *daemon_id; /* 16 bytes */
	uint64_t agent_id;
	uint64_t import_id;
	const uint8_t *import_daemon; /* 16 bytes: of the daemon here that gave it */
	bool is_pci;                  /* by relay: it was exported for PCI */
	uint32_t n_calls;             /* of the call that was waited for; 0: none was */
};

/* Who was called and has not answered after that long is not there. */
#define REQUESTER_PATIENCE_NS (10ull * 1000 * 1000 * 1000)

/* Between two calls to who is not reached again yet, each time twice as long. */
#define REQUESTER_PAUSE_NS (1ull * 1000 * 1000)

enum requester_state { REQUESTER_CALLING, REQUESTER_READY, REQUESTER_FAILED };

struct requester_peer {
	struct list node;
	enum requester_state state;
	struct rdma_qp *qp; /* NULL: it failed, and there was none to call it anew with */
	uint8_t daemon_id[16];
	uint64_t agent_id; /* of that daemon: its responder */
	bool is_pci;       /* a stream: exports for PCI are reached by one of their own */
	uint64_t call_id;
	uint64_t give_up_ns; /* while calling */
	/* Calling anew: by this import, if nothing is posted, and not before that time (0: once the
	 * daemon has said that it is there). */
	bool is_cut;
	uint64_t import_id;
	uint8_t import_daemon[16];
	uint64_t call_ns, pause_ns;
	/* What it was asked for by RdmaConnect, or RdmaFetch, and has not answered; or NULL. */
	struct session_later *asked;
	bool is_fetched;    /* it is what the call brought */
	const char *reason; /* of a failure: a clause, or the sentence of `refusal` */
	/* The daemon here refused the call: as requester_find says it for those that wait. */
	doca_error_t refusal;
	char refusal_text[256];
	uint32_t n_posted; /* requests that have not come back, as its user counts them */
	bool is_full;      /* it failed because the exporter's process serves as many as it can */
	bool is_stale;     /* it failed with the daemon, and may be called anew */
	bool is_untried;   /* it failed because the daemon here did not call it, or is_full; by the
			      next find but of who waited for that call it is called again */
	uint32_t n_calls;
};

struct requester {
	struct session_errand end; /* it is closed */
	struct doca_dev *dev;
	bool relays;
	bool renews;      /* to be set by its user */
	uint64_t wait_ns; /* for who was called before and is not reached any more */
	const struct rdma_port_ops *ops;
	struct rdma_port *port;
	struct rdma_limits limits;
	struct rdma_conf conf;
	struct rdma_agent agent;
	bool waits;                    /* for answers of the daemon */
	struct session_later *opening; /* of the agent; or NULL */
	uint32_t n_asked;              /* calls whose id is to be answered yet */
	int session_fd;                /* a duplicate, while answers are awaited; -1 */
	_Atomic bool has_come;         /* some are there, or the session may be had */
	/* By the thread whose call keeps something from being asked, once that is done. */
	struct session_errand knock;
	_Atomic bool is_knocking; /* it is left, and not done */
	bool is_asking;           /* there may be something of the above */
	bool has_moved;           /* a peer's state that a find has changed */
	/* The agent's eventfd, or session_fd, come and go: 0 or -errno. NULL: they may only go. */
	int (*watch)(void *user, int fd, bool is_there);
	void *user; /* for that */
	struct list peers;
	uint32_t n_calling;
	uint64_t look_ns; /* while it calls: when to look whether the daemon is there */
	int timerfd;
};

/* Requests of one queue pair, and pieces of memory of one request, at most. Waits for the daemon,
 * as its finds do, so that they say at once what it refuses. */
doca_error_t requester_open(struct doca_dev *dev, bool relays, uint32_t send_queue,
			    uint32_t max_sges, struct requester **requester_out);
/* One that does not. The user sets `watch`. */
doca_error_t requester_open_soon(struct doca_dev *dev, bool relays, uint32_t send_queue,
				 uint32_t max_sges, struct requester **requester_out);
/* Nothing is posted any more. Waits for nobody. NULL is fine. */
void requester_close(struct requester *requester);
/* A sentence on failure. It may be calling still, or have failed. One that failed, and that nothing
 * is posted to, may be gone after the next find of another. */
doca_error_t requester_find(struct requester *requester, const struct requester_goal *goal,
			    struct requester_peer **peer_out);
/* True: a peer is ready now, or has failed. Call it while poll has nothing. */
bool requester_attend(struct requester *requester);
/* All that is posted comes back. */
void requester_disconnect(struct requester *requester);
/* Descriptors to wait for, shared with others: four at most. */
#define REQUESTER_FDS 4
size_t requester_fds(const struct requester *requester, int fds_out[REQUESTER_FDS]);
/* The user is about to sleep. True if there is something already. */
bool requester_arm(struct requester *requester);
void requester_disarm(struct requester *requester);

#endif
