/*
 * The soft provider's objects. Each queue pair has an inbox (proto/qp_layout.h), which the daemons
 * pass to its other end as an export of kind RDMA_QP. That is the connection; the daemons take no
 * part in it afterwards.
 *
 * A message goes through the receiver's inbox, whose poll copies it into a receive. Receives are
 * therefore the receiver's own memory, shared by all its queue pairs, and a sender that dies or
 * misbehaves in the middle of a message holds none of them. A message that finds no receive waits
 * at the head of its queue pair. The receiver reads a long payload from the sender's memory itself,
 * if it may; otherwise the payload is cut into pieces.
 *
 * A send completes once the receiver has the message, which takes the receiver's poll. The receiver
 * reports it at once through a word of its inbox, and again with each message of its own. A sender
 * that gets replies learns it from the replies and leaves that word alone, so that the word's cache
 * line stays with the receiver.
 *
 * One-sided requests do not involve the other end: they are executed at once in the import's
 * memory, when all earlier requests of the queue pair are complete. They need the rights of both
 * the memory map's export and the other end's domain.
 *
 * Status codes:
 * - IO_FAILED: the other end refuses the request or its memory does not permit it (access, bounds,
 *   a send that is too long, no receive in time).
 * - TOO_BIG: for a receive that a message did not fit into.
 * - CONNECTION_RESET: the queue pair ended before the request completed.
 *
 * Files: domain.c has domains, their sleep and events; qp.c the life of queue pairs; addr.c
 * connections by address, and request.c their requests to the daemon; send.c and recv.c messages;
 * remote.c one-sided requests; soft.c the capabilities of a device. Threads: one at a time per
 * domain.
 */
#ifndef CLIENT_RMA_SOFT_DOMAIN_H
#define CLIENT_RMA_SOFT_DOMAIN_H

#include "client/control/rpc_watch.h"
#include "client/memory/export.h"
#include "client/memory/transport.h"
#include "client/rma/provider.h"
#include "client/rma/rendezvous.h"
#include "proto/event_ring.h"
#include "proto/qp_layout.h"
#include "proto/ring.h"
#include "util/list.h"

/* The time that a sender waits for a receive of its peer, for each of rnr_retry tries. */
#define SOFT_RNR_NS (100 * 1000 * 1000ull)
/* A longer payload is read from the sender's memory, if that is possible. */
#define SOFT_PULL_MIN 12288u
#define SOFT_MAX_SGES RDMA_MAX_SGES
/* The number of polls without a read of the other end's `taken`, for a sender that learns it from
 * messages. */
#define SOFT_SKIPS_MIN 8u
#define SOFT_SKIPS_MAX 256u
/* The most bytes that one call moves, unless a single request has more: other threads and queue
 * pairs need their turn. */
#define SOFT_PUSH_BYTES (1u << 20)

enum soft_state {
	SOFT_NEW,
	SOFT_CALLING, /* calls by address; not answered yet */
	SOFT_CALLED,  /* is called; not accepted yet */
	SOFT_UP,
	SOFT_ENDED, /* disconnected or broken; may be freed */
};

/* The request to the daemon that a queue pair has no reply to yet. */
enum soft_request {
	SOFT_REQUEST_NONE,
	SOFT_REQUEST_CALL,   /* for the result of its call */
	SOFT_REQUEST_MEMORY, /* for the memory of the other end, `other` */
};

/* A request that was posted and is not complete. */
struct soft_sent {
	struct rdma_wr *wr;
	uint64_t ack; /* the request completes when the other end has received this many messages */
};

struct soft_qp {
	struct rdma_qp base;
	/* Members that each poll reads. */
	struct qp_slot *rx_slots;
	uint64_t n_taken;    /* messages received from this end's inbox */
	uint64_t n_reported; /* the part of them that was reported through `taken` */
	struct soft_sent *sent;
	uint32_t mask;
	bool is_from_peer; /* messages come from the end that this queue pair connected to */
	bool is_starved;   /* a message waits for a receive, and its sender knows */
	bool is_written;   /* the next request is a WRITE_IMM whose write is complete */
	/* Requests, counted from the first: completed, sent or begun, posted. */
	uint64_t done, issued, posted;
	uint64_t n_sent; /* messages sent */
	uint64_t acked;  /* messages that the other end is known to have received */
	uint64_t reaped; /* the value of `acked` when requests were last completed */
	struct qp_slot *tx_slots;
	struct qp_inbox *inbox, *outbox;
	uint32_t tx_fence, rx_fence; /* barriers of their sleepers: proto/ring.h */
	uint32_t n_idle;             /* polls since the last sign of the other end */
	uint32_t n_skips;            /* the number of such polls that skip the read of `taken` */
	uint32_t at;                 /* bytes of the next request that were sent */
	uint32_t taken;              /* bytes that `partial` has received */
	struct rdma_wr *partial;     /* the receive of a message in pieces */
	uint8_t *rx_area, *tx_area;
	/* In this end's area: received; received as of the last report. */
	uint64_t rx_pos, rx_pos_reported;
	uint64_t tx_pos, tx_limit; /* in the other end's area: the next position; its limit */
	uint32_t permissions;      /* the rights that the other end's domain grants */
	/* Members off the data path. */
	enum soft_state state;
	uint32_t index; /* in domain->up */
	struct list node;
	struct list event_node;
	uint32_t events_due; /* bit n: the event with rdma_event_type n is to be reported */
	doca_error_t reason;
	uint64_t starved_since_ns; /* the other end has had no receive since; 0: it has one */
	int memfd, doorbell;       /* the inbox's memfd and doorbell */
	int peer_doorbell, pidfd;  /* the other end's doorbell and process */
	bool is_exported;
	bool is_peer_dead;
	struct export export;
	uint64_t peer_id; /* export id of the other end */
	uint64_t import_id;
	uint8_t import_daemon[16]; /* the daemon that assigned import_id */
	struct import_liveness liveness;
	struct transport_region pull; /* for long payloads; ops is NULL if they cannot be read */
	/* For connections by address. */
	uint64_t call_id; /* while the call is pending */
	uint64_t deadline_ns;
	bool has_end;
	struct rdma_endpoint end;
	uint8_t caller[EXPORT_DESCRIPTOR_LEN]; /* the caller's connection parameters */
	enum soft_request request;
	struct rpc_pending *pending; /* the pending request; NULL: not sent yet */
	struct export_descriptor other;
};

/* The most port numbers that one domain listens on. */
#define SOFT_MAX_LISTENERS 16u

struct soft_listener {
	uint16_t port_number;
	bool is_registered;          /* registered with the daemon */
	bool was_refused;            /* in the present attempt to register again */
	struct rpc_pending *pending; /* the request that registers it again; NULL: none */
};

/* A domain's rendezvous endpoint, for connections by address. */
struct soft_rendezvous {
	struct rendezvous base;
	/* Some listeners are not registered with the current daemon; another attempt follows. */
	bool has_unregistered;
	bool is_requesting;           /* that attempt is in progress */
	struct rpc_pending *opening;  /* its request that opens the endpoint; NULL: none */
	_Atomic bool is_disconnected; /* the session that the endpoint belongs to has ended */
	uint64_t retry_at_ns, pause_ns;
	uint64_t check_ns; /* the time when a polling user checks for the session's end */
	uint32_t check_polls, n_polls;
	struct soft_listener listeners[SOFT_MAX_LISTENERS];
	uint32_t n_listeners;
	uint32_t n_calling; /* queue pairs that wait for an answer */
};

struct soft_domain {
	struct rdma_domain base;
	struct rdma_conf conf;
	struct rdma_limits limits;
	/* Completed requests, to be polled. */
	struct rdma_wr *done_head, **done_tail;
	/* Posted receives. */
	struct rdma_wr *recv_head, **recv_tail;
	uint32_t n_recvs;
	/* Connected queue pairs. */
	struct soft_qp **up;
	uint32_t n_up, turn, watch_turn, n_polls;
	uint32_t n_quiet; /* polls for events since the last message, up to SOFT_BUSY_POLLS */
	uint32_t n_asked; /* counts the polls for events that may be skipped */
	/* Members off the data path. */
	uint32_t n_qps, n_checks;
	struct list qps;    /* list of struct soft_qp, by node */
	struct list events; /* list of struct soft_qp, by event_node */
	int epoll_fd;
	int timerfd;
	bool is_timed;
	bool is_removed, reports_removal; /* the device was removed; that is to be reported */
	/* Earliest time to ask whether the device or only a session is gone. */
	uint64_t removal_check_ns;
	struct soft_rendezvous rendezvous;
	uint32_t n_requesting; /* users of request.c that await replies */
	int wake_fd; /* an eventfd, signalled when a reply has arrived; -1: not created yet */
	struct rpc_watch session;             /* in epoll_fd */
	bool watches_hangup, watches_replies; /* the latter while requests are pending */
};

static inline struct soft_domain *soft_domain_of(const struct rdma_domain *domain)
{
	return container_of(domain, struct soft_domain, base);
}

static inline struct soft_qp *soft_qp_of(const struct rdma_qp *qp)
{
	return container_of(qp, struct soft_qp, base);
}

static inline struct soft_domain *soft_qp_domain(const struct soft_qp *qp)
{
	return soft_domain_of(qp->base.domain);
}

/* --- domain.c --- */

static inline void soft_done(struct soft_domain *domain, struct rdma_wr *wr, doca_error_t status)
{
	wr->status = status;
	wr->next = NULL;
	*domain->done_tail = wr;
	domain->done_tail = &wr->next;
}

doca_error_t soft_open(struct doca_dev *dev, const struct rdma_conf *conf,
		       struct rdma_domain **domain_out);
void soft_close(struct rdma_domain *domain);
int soft_get_fd(const struct rdma_domain *domain);
bool soft_arm(struct rdma_domain *domain);
void soft_disarm(struct rdma_domain *domain);
bool soft_next_event(struct rdma_domain *domain, struct rdma_event *event_out);
struct rdma_wr *soft_poll(struct rdma_domain *domain);
/* Queues an event of a queue pair. Several are reported in order of rdma_event_type. */
void soft_report(struct soft_qp *qp, enum rdma_event_type type, doca_error_t reason);

/* --- qp.c --- */

doca_error_t soft_qp_new(struct rdma_domain *domain, void *owner, struct rdma_qp **qp_out);
doca_error_t soft_qp_params(struct rdma_qp *qp, uint8_t params_out[RDMA_PARAMS_MAX],
			    size_t *len_out);
doca_error_t soft_qp_connect(struct rdma_qp *qp, const uint8_t *details, size_t len);
/* Decodes the other end's parameters. Returns INVALID_VALUE with an error sentence. */
doca_error_t soft_params_decode(const uint8_t *details, size_t len,
				struct export_descriptor *descriptor_out);
/* Connects to the other end's memory, which an ImportReply contains. On failure nothing of it is
 * kept. */
doca_error_t soft_qp_join(struct soft_qp *qp, struct rpc_reply *answer);
doca_error_t soft_qp_disconnect(struct rdma_qp *qp);
void soft_qp_free(struct rdma_qp *qp);
/* Ends a queue pair. Posted requests are returned with CONNECTION_RESET. `how` is reported to the
 * other end, and `type` to the user unless it is RDMA_QP_ESTABLISHED. */
void soft_qp_end(struct soft_qp *qp, enum qp_end how, enum rdma_event_type type,
		 doca_error_t reason);
/* Fails the first request that is not complete with the code, and ends the queue pair. */
void soft_qp_fail(struct soft_qp *qp, doca_error_t code);
/* Returns whether the other end reports that it has no receive for this end's next message. */
bool soft_qp_is_starved(const struct soft_qp *qp);
/* Ends a queue pair in the way that the other end did, once nothing more can arrive from it. 0: it
 * exited without a report. */
void soft_qp_end_as_reported(struct soft_qp *qp, uint32_t end);
/* Checks whether the other end still exists. */
void soft_qp_check(struct soft_qp *qp, bool ask_system);

/* --- send.c --- */

doca_error_t soft_post(struct rdma_qp *qp, struct rdma_wr *wr);
/* Sends requests that wait. */
void soft_push(struct soft_qp *qp);
/* Reads how much the other end has received. An invalid value ends the queue pair. */
void soft_learn(struct soft_qp *qp);
/* Completes requests that the other end has received. Reads `taken` unless there is news
 * already. */
void soft_reap(struct soft_qp *qp);
/* Returns true if the other end is known to have received more, or if it is time to read
 * `taken`. */
static inline bool soft_wants_reap(struct soft_qp *qp)
{
	return qp->acked != qp->reaped || qp->n_idle++ >= qp->n_skips;
}

/* Before a sleep: returns true if a request could advance. */
bool soft_send_has_work(struct soft_qp *qp);

/* --- recv.c --- */

doca_error_t soft_post_recv(struct rdma_domain *domain, struct rdma_wr *wr);
void soft_flush_recvs(struct rdma_domain *domain);
/* Returns the slot of the next message. */
static inline const struct qp_slot *soft_next_slot(const struct soft_qp *qp)
{
	return &qp->rx_slots[qp->n_taken % QP_N_SLOTS];
}

/* Returns whether the word is that of the next message. */
static inline bool soft_is_next(const struct soft_qp *qp, uint64_t word)
{
	return (uint32_t)word == (uint32_t)(qp->n_taken + 1);
}

/* Receives the next message, whose word this is. Returns the receive that it completes, or NULL. */
struct rdma_wr *soft_receive(struct soft_qp *qp, uint64_t word);
/* Reports to the other end what was received. */
void soft_acknowledge(struct soft_qp *qp);
/* Before a sleep: returns true if there is a message that can be received. */
bool soft_recv_has_work(const struct soft_qp *qp);

/* --- remote.c --- */

/* Executes a one-sided request completely. */
doca_error_t soft_remote(struct soft_qp *qp, struct rdma_wr *wr);

/* Returns the space that `len` bytes use in the area. */
static inline uint64_t soft_area_span(uint32_t len)
{
	return ALIGN_UP((uint64_t)len, (uint64_t)QP_AREA_ALIGN);
}

static inline uint64_t soft_sges_len(const struct rdma_wr *wr)
{
	uint64_t len = 0;

	for (uint32_t i = 0; i < wr->n_sges; i++)
		len += wr->sges[i].len;
	return len;
}

/* --- addr.c --- */

doca_error_t soft_listen(struct rdma_domain *domain, uint16_t port_number);
doca_error_t soft_unlisten(struct rdma_domain *domain, uint16_t port_number);
doca_error_t soft_qp_connect_addr(struct rdma_qp *qp, const struct rdma_endpoint *end);
doca_error_t soft_qp_accept(struct rdma_qp *qp, const void *private_data, uint8_t private_len);
doca_error_t soft_qp_reject(struct rdma_qp *qp);
int soft_qp_get_addr(const struct rdma_qp *qp, struct rdma_endpoint *end_out);
/* Handles the daemon's events, and calls that have timed out. */
void soft_rendezvous_poll(struct soft_domain *domain);
/* Before a sleep: returns true if there is something to do. Lowers *at_ns to the time of the next
 * check. */
bool soft_rendezvous_arm(struct soft_domain *domain, uint64_t *at_ns);
void soft_rendezvous_close(struct soft_domain *domain);
/* Ends the queue pair's call. */
void soft_qp_hang_up(struct soft_qp *qp);

/* --- watch.c --- */

/* In the data of epoll: a queue pair, plus SOFT_EVENT_PIDFD if the event is from its pidfd; or
 * SOFT_EVENT_SESSION alone. */
#define SOFT_EVENT_PIDFD   1u
#define SOFT_EVENT_SESSION 2u
/* Adds a descriptor that wakes the domain's user. Returns 0 or -errno. */
int soft_watch(struct soft_domain *domain, int fd, uint32_t events, struct soft_qp *qp);
void soft_unwatch(struct soft_domain *domain, int fd);

/* --- request.c --- */

/* Sends a request from the next poll on. An error sentence is recorded on failure. */
doca_error_t soft_qp_request(struct soft_qp *qp, enum soft_request request);
/* For others that await replies: the session is watched from begin to end. */
doca_error_t soft_requests_begin(struct soft_domain *domain);
void soft_requests_end(struct soft_domain *domain);
/* Wakes a sleeping user of the domain. */
struct rdma_waiter soft_request_waiter(struct soft_domain *domain);
void soft_qp_cancel_request(struct soft_qp *qp);
/* Handles the reply to the queue pair's request; may free the queue pair. */
typedef void soft_answered_fn(struct soft_qp *qp, doca_error_t result, struct rpc_reply *answer);
/* Advances the pending requests, if there are any. */
void soft_requests_poll(struct soft_domain *domain, soft_answered_fn *answered);
/* Before a sleep: returns true if it is time to poll. */
bool soft_requests_arm(struct soft_domain *domain);
/* Called when no queue pair has a pending request. */
void soft_requests_close(struct soft_domain *domain);

/* --- soft.c --- */

int soft_get_gid(const struct doca_devinfo *info, uint32_t index, uint8_t gid_out[RDMA_GID_LEN]);

bool soft_query(const struct doca_devinfo *info, struct rdma_limits *limits_out,
		char reason[RDMA_REASON_MAX]);

#endif
