/*
 * The soft provider's objects. Each queue pair has an inbox (proto/qp_layout.h) that the daemons
 * hand to its other end, as an export of kind RDMA_QP: that is the connection, and the daemons have
 * no part in it afterwards.
 *
 * Messages go through the inbox of the receiver, whose poll takes them into receives: so receives
 * are its own memory, shared by all its queue pairs, and nobody who dies or lies in the middle of a
 * message has hold of one. A message that finds no receive waits at the head of its queue pair.
 * What is long the receiver reads from the sender's memory itself, if it may; else it is cut into
 * pieces. A send is done once the receiver has it, which takes the receiver's poll. It says so at
 * once, by a word of its inbox, and again with each message of its own: a sender that is answered
 * learns it from the answer, and leaves that word alone, whose line so stays with the receiver.
 *
 * One-sided requests go past the other end: they are done at once in the memory of the import, when
 * all that was posted to the queue pair before is done. Their rights are those of the mmap's export
 * and of the other end's port, both.
 *
 * Statuses: IO_FAILED for what the other end refuses or what its memory does not bear (access,
 * bounds, a send that is too long, no receive in time), TOO_BIG for a receive that a message did
 * not fit into, CONNECTION_RESET for what comes to nothing because its queue pair is no more.
 *
 * port.c: ports, their sleep and events; qp.c: life of queue pairs; addr.c: connections by address,
 * and ask.c: what they ask the daemon for; send.c and recv.c: messages; remote.c: one-sided
 * requests; soft.c: what a device can do. Threads: one at a time per port.
 */
#ifndef CLIENT_RMA_SOFT_PORT_H
#define CLIENT_RMA_SOFT_PORT_H

#include "client/control/deferred.h"
#include "client/memory/export.h"
#include "client/memory/transport.h"
#include "client/rma/provider.h"
#include "client/rma/rendezvous.h"
#include "proto/event_ring.h"
#include "proto/qp_layout.h"
#include "proto/ring.h"
#include "util/list.h"

/* A sender whose peer has no receive waits as long for each of rnr_retry tries. */
#define SOFT_RNR_NS (100 * 1000 * 1000ull)
/* A payload above this is read from the sender's memory, where that can be done. */
#define SOFT_PULL_MIN 12288u
#define SOFT_MAX_SGES RDMA_MAX_SGES
/* Polls without a look at the other end's word, for who learns the same from its messages. */
#define SOFT_PATIENCE_MIN 8u
#define SOFT_PATIENCE_MAX 256u
/* One call moves no more, or one request: others and the other queue pairs want their turn. */
#define SOFT_PUSH_BYTES (1u << 20)

enum soft_state {
	SOFT_NEW,
	SOFT_CALLING, /* by address; not answered yet */
	SOFT_CALLED,  /* somebody calls; not accepted yet */
	SOFT_UP,
	SOFT_ENDED, /* left or broken; free it */
};

/* What a queue pair asks the daemon for, and has no answer to yet. */
enum soft_ask {
	SOFT_ASK_NOTHING,
	SOFT_ASK_CALL,   /* what its call brought */
	SOFT_ASK_MEMORY, /* of the other end, `other` */
};

/* A request that was posted and is not done. */
struct soft_sent {
	struct rdma_wr *wr;
	uint64_t ack; /* it is done when the other end has taken so many messages */
};

struct soft_qp {
	struct rdma_qp base;
	/* Each poll reads these. */
	struct qp_slot *rx_slots;
	uint64_t n_taken; /* messages, out of our inbox */
	uint64_t n_told;  /* of them, by `taken` */
	struct soft_sent *sent;
	uint32_t mask;
	bool is_greeted; /* the messages are of the end that we connected to */
	bool is_starved; /* one waits for a receive, and its sender knows */
	bool is_written; /* the next request is a WRITE_IMM whose write is done */
	/* Requests, counted from the first: done, handed on or begun, posted. */
	uint64_t done, issued, posted;
	uint64_t n_sent; /* messages */
	uint64_t acked;  /* messages that the other end has taken, as far as we know */
	uint64_t reaped; /* acked when requests were last finished */
	struct qp_slot *tx_slots;
	struct qp_inbox *inbox, *outbox;
	uint32_t tx_fence, rx_fence; /* of their sleepers: proto/ring.h */
	uint32_t n_idle;             /* polls since the other end was last heard of */
	uint32_t patience;           /* so many of them do without a look at `taken` */
	uint32_t at;                 /* bytes of the next request that were handed on */
	uint32_t taken;              /* bytes of the taker */
	struct rdma_wr *taker;       /* of a message in pieces */
	uint8_t *rx_area, *tx_area;
	uint64_t rx_pos, rx_pos_told; /* in our area: taken; as n_told */
	uint64_t tx_pos, tx_limit;    /* in the other end's: next; may not be passed */
	uint32_t permissions;         /* of the other end's port */
	/* Cold. */
	enum soft_state state;
	uint32_t index; /* in port->up */
	struct list node;
	struct list event_node;
	uint32_t told; /* bit n: rdma_event_type n is to be told */
	doca_error_t reason;
	uint64_t starved_since_ns; /* the other end has no receive for us; 0: it has */
	int memfd, bell;           /* of the inbox */
	int peer_bell, pidfd;      /* of the other end */
	bool is_exported;
	bool is_peer_dead;
	struct export export;
	struct session_errand freed; /* and exported still */
	uint64_t peer_id;            /* export id of the other end */
	uint64_t import_id;
	uint8_t import_daemon[16]; /* that gave this number */
	struct import_liveness liveness;
	struct xport_region pull; /* ops NULL: not to be had */
	/* Of one that is, or was, connected by address. */
	uint64_t call_id; /* while it is being made */
	uint64_t give_up_ns;
	bool has_end;
	struct rdma_end end;
	uint8_t caller[BLOB_LEN]; /* details of who calls */
	enum soft_ask ask;
	struct session_later *asked; /* NULL: that is still to be asked for */
	struct blob other;
};

/* How many port numbers one port listens on. */
#define SOFT_MAX_LISTENERS 16u

struct soft_listener {
	uint16_t port_number;
	bool is_told; /* the daemon knows */
};

/* What a port has at the daemon once it has to do with addresses. */
struct soft_agent {
	struct rdma_agent base;
	/* The daemon after it could not be told of all listeners: it is tried again. */
	bool is_deaf;
	_Atomic bool is_cut; /* the session that the agent is of has ended */
	uint64_t retry_at_ns, pause_ns;
	uint64_t look_ns; /* who polls looks for the session's end then */
	uint32_t look_polls, n_polls;
	struct soft_listener listeners[SOFT_MAX_LISTENERS];
	uint32_t n_listeners;
	uint32_t n_calling; /* queue pairs that wait for an answer */
};

struct soft_port {
	struct rdma_port base;
	struct rdma_conf conf;
	struct rdma_limits limits;
	/* Done, to be polled. */
	struct rdma_wr *done_head, **done_tail;
	/* Receives that are posted. */
	struct rdma_wr *recv_head, **recv_tail;
	uint32_t n_recvs;
	/* Queue pairs that are connected. */
	struct soft_qp **up;
	uint32_t n_up, turn, watch_turn, n_polls;
	uint32_t n_quiet; /* questions for events since the last message, up to some */
	uint32_t n_asked; /* those that need not be answered each time */
	/* Cold. */
	uint32_t n_qps, n_looks;
	struct list qps;    /* struct soft_qp, node */
	struct list events; /* struct soft_qp, event_node */
	int epoll_fd;
	int timerfd;
	bool is_timed;
	bool is_gone, tells_gone; /* the device; and that is to be told */
	uint64_t ask_ns;          /* not before: whether it is, or a session has ended */
	struct soft_agent agent;
	uint32_t n_asking; /* queue pairs */
	struct soft_waker *waker;
	int session_fd;     /* a duplicate, while they do; -1 */
	unsigned session_n; /* the number of that connection */
};

static inline struct soft_port *soft_port_of(const struct rdma_port *port)
{
	return container_of(port, struct soft_port, base);
}

static inline struct soft_qp *soft_qp_of(const struct rdma_qp *qp)
{
	return container_of(qp, struct soft_qp, base);
}

static inline struct soft_port *soft_qp_port(const struct soft_qp *qp)
{
	return soft_port_of(qp->base.port);
}

/* --- port.c --- */

static inline void soft_done(struct soft_port *port, struct rdma_wr *wr, doca_error_t status)
{
	wr->status = status;
	wr->next = NULL;
	*port->done_tail = wr;
	port->done_tail = &wr->next;
}

doca_error_t soft_open(struct doca_dev *dev, const struct rdma_conf *conf,
		       struct rdma_port **port_out);
void soft_close(struct rdma_port *port);
int soft_get_fd(const struct rdma_port *port);
bool soft_arm(struct rdma_port *port);
void soft_disarm(struct rdma_port *port);
bool soft_next_event(struct rdma_port *port, struct rdma_event *event_out);
struct rdma_wr *soft_poll(struct rdma_port *port);
/* Something is told of a queue pair, in order of rdma_event_type. */
void soft_tell(struct soft_qp *qp, enum rdma_event_type type, doca_error_t reason);
/* Descriptors that wake the port's user; 0 or -errno. */
int soft_watch(struct soft_port *port, int fd, uint32_t events, struct soft_qp *qp);
/* The process's connection to the daemon, for its end. It may be watched already. */
int soft_watch_session(struct soft_port *port, int fd);
void soft_unwatch(struct soft_port *port, int fd);

/* --- qp.c --- */

doca_error_t soft_qp_new(struct rdma_port *port, void *owner, struct rdma_qp **qp_out);
doca_error_t soft_qp_details(struct rdma_qp *qp, uint8_t details_out[RDMA_DETAILS_MAX],
			     size_t *len_out);
doca_error_t soft_qp_connect(struct rdma_qp *qp, const uint8_t *details, size_t len);
/* The other end's details. INVALID_VALUE with a sentence. */
doca_error_t soft_details_decode(const uint8_t *details, size_t len, struct blob *blob_out);
/* Its memory, an ImportReply: the queue pair is up then, or has nothing of it. */
doca_error_t soft_qp_join(struct soft_qp *qp, struct session_answer *answer);
doca_error_t soft_qp_disconnect(struct rdma_qp *qp);
void soft_qp_free(struct rdma_qp *qp);
/*
 * Ends it: what is posted comes back with CONNECTION_RESET, the other end is told `how`, and the
 * user, unless type is RDMA_QP_ESTABLISHED.
 */
void soft_qp_end(struct soft_qp *qp, enum qp_end how, enum rdma_event_type type,
		 doca_error_t reason);
/* The first request that is not done fails with the code, and with it the queue pair. */
void soft_qp_fail(struct soft_qp *qp, doca_error_t code);
/* The other end says that it has no receive for our next message. */
bool soft_qp_is_starved(const struct soft_qp *qp);
/* Ends it as the other end did, of whom nothing else is to come; 0: it went without a word. */
void soft_qp_end_as_told(struct soft_qp *qp, uint32_t end);
/* Looks whether the other end is still there. */
void soft_qp_check(struct soft_qp *qp, bool ask_system);

/* --- send.c --- */

doca_error_t soft_post(struct rdma_qp *qp, struct rdma_wr *wr);
/* Hands on what waits. */
void soft_push(struct soft_qp *qp);
/* Looks how much the other end has taken. What it says may end the queue pair. */
void soft_learn(struct soft_qp *qp);
/* Finishes what the other end has taken; looks, unless there is news already. */
void soft_reap(struct soft_qp *qp);
/* True: what the other end has taken is news, or it is time to look. */
static inline bool soft_wants_reap(struct soft_qp *qp)
{
	return qp->acked != qp->reaped || qp->n_idle++ >= qp->patience;
}

/* Before a sleep: true if one of them would move something. */
bool soft_send_has_news(struct soft_qp *qp);

/* --- recv.c --- */

doca_error_t soft_post_recv(struct rdma_port *port, struct rdma_wr *wr);
void soft_flush_recvs(struct rdma_port *port);
/* Where the next message will be, or is. */
static inline const struct qp_slot *soft_next_slot(const struct soft_qp *qp)
{
	return &qp->rx_slots[qp->n_taken % QP_N_SLOTS];
}

/* True: the word is that of the next message. */
static inline bool soft_is_next(const struct soft_qp *qp, uint64_t word)
{
	return (uint32_t)word == (uint32_t)(qp->n_taken + 1);
}

/* The next message, whose word this is. A receive that is done by it, or NULL. */
struct rdma_wr *soft_receive(struct soft_qp *qp, uint64_t word);
/* The other end learns what was taken. */
void soft_acknowledge(struct soft_qp *qp);
/* Before a sleep: true if there is a message that can be taken. */
bool soft_recv_has_news(const struct soft_qp *qp);

/* --- remote.c --- */

/* A one-sided request, to its end. */
doca_error_t soft_remote(struct soft_qp *qp, struct rdma_wr *wr);

/* What so many bytes take of the area. */
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

doca_error_t soft_listen(struct rdma_port *port, uint16_t port_number);
doca_error_t soft_unlisten(struct rdma_port *port, uint16_t port_number);
doca_error_t soft_qp_connect_addr(struct rdma_qp *qp, const struct rdma_end *end);
doca_error_t soft_qp_accept(struct rdma_qp *qp, const void *private_data, uint8_t private_len);
doca_error_t soft_qp_reject(struct rdma_qp *qp);
int soft_qp_get_addr(const struct rdma_qp *qp, struct rdma_end *end_out);
/* The daemon has said something, or has not for too long. */
void soft_agent_look(struct soft_port *port);
/* Before a sleep: true if there is something to look at. The time of the next look, if it is
 * earlier than *at_ns. */
bool soft_agent_arm(struct soft_port *port, uint64_t *at_ns);
void soft_agent_close(struct soft_port *port);
/* It does not want to be connected any more. */
void soft_qp_hang_up(struct soft_qp *qp);

/* What it asked for; the queue pair may be gone after this. */
void soft_qp_answered(struct soft_qp *qp, doca_error_t result, struct session_answer *answer);

/* --- ask.c --- */

struct soft_waker;

/* From the next look on. A sentence on failure. */
doca_error_t soft_qp_ask(struct soft_qp *qp, enum soft_ask ask);
void soft_qp_ask_no_more(struct soft_qp *qp);
/* If one asks. */
void soft_asks_look(struct soft_port *port);
/* Before a sleep: true if it is time to look. */
bool soft_asks_arm(struct soft_port *port);
/* None asks any more. */
void soft_asks_close(struct soft_port *port);

/* --- soft.c --- */

int soft_get_gid(const struct doca_devinfo *info, uint32_t index, uint8_t gid_out[RDMA_GID_LEN]);

bool soft_query(const struct doca_devinfo *info, struct rdma_limits *limits_out,
		char reason[RDMA_REASON_MAX]);

#endif
