/*
 * Ports and queue pairs of the verbs provider. A port has one completion queue for all it does and
 * one shared receive queue. What is done waits in a list of requests until it is polled: whoever
 * empties the completion queue (poll, arm, or a queue pair that goes) puts it there.
 *
 * Every request is signalled: each is somebody's task, that is to be told of its end without
 * waiting for a later one. Requests of a queue pair end in order, so they are a list; receives end
 * as the peers send, so they have numbers.
 * Threads: one at a time per port. Of the device's thread a port has the bell and the alarms only.
 */
#ifndef CLIENT_RMA_VERBS_PORT_H
#define CLIENT_RMA_VERBS_PORT_H

#include "client/rma/verbs/device.h"
#include "client/rma/verbs/mem.h"

#define VERBS_SGES_MAX 32
_Static_assert(VERBS_SGES_MAX <= RDMA_MAX_SGES, "lists that no job can have");
/*
 * An acknowledgement is waited for 4.1 us * 2^17, about half a second, and seven times: a link that
 * was cut for less goes on as if nothing had been. With 7 retries soft-RoCE would never give up.
 */
#define VERBS_ACK_TIMEOUT 17
#define VERBS_ACK_RETRIES 6
/* Until who has seen no acknowledgement sends anew, and that has come. */
#define VERBS_LINGER_NS ((4096ull << VERBS_ACK_TIMEOUT) * 3 / 2)

struct verbs_wrs {
	struct rdma_wr *head, **tail;
};

/* A posted receive; its place in the table and its number are the work request's id. */
struct verbs_recv {
	struct rdma_wr *wr; /* NULL: free */
	uint32_t next_free;
	uint64_t number; /* in the order of posting, from 1: that in which the queue gives them */
};

struct verbs_port {
	struct rdma_port base;
	struct verbs_device *device;
	struct rdma_conf conf;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq; /* NULL: could not be made again */
	int epoll_fd;        /* what the user waits for: channel, bell and timer */
	int timer_fd;        /* for who sleeps until a connection takes too long */
	bool is_armed, is_timed;
	bool is_gone;    /* the device, as far as this port has noticed */
	bool tells_gone; /* and has to tell */
	struct verbs_bell bell;
	struct verbs_wrs done;
	uint64_t n_done, n_taken; /* ever appended to `done`, and polled */
	uint64_t gone_at;         /* n_done when the device was seen to go */
	uint64_t ask_ns;          /* when the daemon is asked again whether it has; 0: not */
	struct list qps;          /* struct verbs_qp, node */
	struct list told;         /* struct verbs_qp with events, told_node */
	uint32_t n_qps;
	uint32_t n_connecting;     /* that have a deadline, or end by one */
	uint32_t n_leaving;        /* of them: see leave.c */
	bool is_flush_due;         /* of receives, when none is leaving any more */
	struct verbs_qp **buckets; /* by number */
	uint32_t n_buckets;        /* a power of two */
	struct verbs_recv *recvs;
	uint32_t first_free; /* of recvs; conf.recv_queue: none */
	uint64_t last_recv;  /* number of the receive that was posted last */
	uint64_t high_recv;  /* the highest number of one that came back */
	/* Receives up to this number may be lost; 0: none is. Looked through up to that one. */
	uint64_t lost_until, lost_looked;
	unsigned looks; /* enum verbs_look: what an empty queue is a reason to look for */
	/* Queue pairs that stand still, see stall.c. */
	uint32_t n_idle_polls;
	uint64_t stall_ns; /* not looked for before */
	/* Connections by address; NULL until the first. */
	const struct cm_api *cm;
	struct rdma_event_channel *cm_channel;
	struct list listeners; /* struct verbs_listener */
};

enum verbs_look {                       /* bits */
		  VERBS_LOOK_LOST = 1,  /* more receives may be known to be lost */
		  VERBS_LOOK_STALL = 2, /* the device may forget queue pairs */
};

enum verbs_qp_state {
	VERBS_QP_NEW,
	VERBS_QP_CONNECTING, /* by address */
	VERBS_QP_REQUESTED,  /* by a peer */
	VERBS_QP_PREPARED,   /* by an identifier of the application */
	VERBS_QP_READY,
	VERBS_QP_LEAVING, /* it only answers, until its deadline */
	VERBS_QP_ENDED,   /* what is posted comes back */
};

enum verbs_tell { /* bits: told in this order */
		  VERBS_TELL_REQUESTED = 1,
		  VERBS_TELL_ESTABLISHED = 2,
		  VERBS_TELL_FAILED = 4,
		  VERBS_TELL_DISCONNECTED = 8,
		  VERBS_TELL_BROKEN = 16,
};

struct verbs_qp {
	struct rdma_qp base;
	struct verbs_alarm alarm; /* the device's thread */
	struct list node, told_node;
	struct verbs_qp *hash_next;
	struct ibv_qp *qp; /* NULL: has been taken away from under it */
	uint32_t number;   /* of qp, also when that is gone */
	enum verbs_qp_state state;
	uint32_t max_inline;
	uint32_t n_posted;
	struct verbs_wrs posted;         /* with the device, in order */
	const struct rdma_wr *waits_for; /* was the first with the device at the last look */
	struct verbs_wrs late; /* not with the device: come back after those, as they are */
	unsigned tells;        /* enum verbs_tell */
	uint64_t end_at;       /* its end is told when so much of port->done was polled */
	uint64_t recv_seen;    /* it holds no receive up to this number */
	bool is_drained;       /* ended; the alarm's, as before the queue was last emptied */
	doca_error_t reason;
	uint32_t psn;
	uint32_t first_psn; /* of the other end */
	bool is_freed;      /* the engine's no more */
	/* By address. */
	struct rdma_cm_id *id;
	bool is_users_id; /* the application's: its events, and its end */
	bool is_asked;    /* by a peer, who connected to a port number of this machine */
	bool is_accepted;
	bool has_deadline; /* until it is ready; then: its peer has left; until it has left */
	uint64_t deadline_ns;
	uint8_t n_started, n_answered; /* reads at a time, at most: ours, and the other end's */
};

static inline struct verbs_port *verbs_port_of(const struct rdma_port *base)
{
	return container_of(base, struct verbs_port, base);
}

static inline struct verbs_qp *verbs_qp_of(const struct rdma_qp *base)
{
	return container_of(base, struct verbs_qp, base);
}

static inline void verbs_wrs_init(struct verbs_wrs *wrs)
{
	wrs->head = NULL;
	wrs->tail = &wrs->head;
}

static inline void verbs_wrs_append(struct verbs_wrs *wrs, struct rdma_wr *wr)
{
	wr->next = NULL;
	*wrs->tail = wr;
	wrs->tail = &wr->next;
}

static inline struct rdma_wr *verbs_wrs_take(struct verbs_wrs *wrs)
{
	struct rdma_wr *wr = wrs->head;

	if (wr != NULL) {
		wrs->head = wr->next;
		if (wrs->head == NULL)
			wrs->tail = &wrs->head;
	}
	return wr;
}

/* --- port.c --- */

doca_error_t verbs_open(struct doca_dev *dev, const struct rdma_conf *conf,
			struct rdma_port **port_out);
/* Takes the reference to the device, also when it fails. */
doca_error_t verbs_port_new(struct verbs_device *device, struct doca_dev *dev,
			    const struct rdma_conf *conf, struct rdma_port **port_out);
void verbs_close(struct rdma_port *base);
/* With a sentence: what of it cannot be made, why, and what helps. */
doca_error_t verbs_port_failed(const struct verbs_port *port, const char *what, int error);
int verbs_get_fd(const struct rdma_port *base);
/* The GID that its queue pairs have; INVALID_VALUE with a sentence if the table has none there. */
doca_error_t verbs_port_gid(const struct verbs_port *port, union ibv_gid *gid_out);
/* port->srq; a sentence on failure. */
doca_error_t verbs_port_make_srq(struct verbs_port *port);
bool verbs_arm(struct rdma_port *base);
void verbs_disarm(struct rdma_port *base);
bool verbs_next_event(struct rdma_port *base, struct rdma_event *event_out);
struct rdma_wr *verbs_poll(struct rdma_port *base);
/* All that the completion queue has goes to port->done. */
void verbs_reap(struct verbs_port *port);

static inline void verbs_port_done(struct verbs_port *port, struct rdma_wr *wr)
{
	verbs_wrs_append(&port->done, wr);
	port->n_done++;
}

/* --- post.c --- */

/*
 * The list for the device, without empty elements. Keys are looked up unless the bytes go with the
 * request; the first request that names a mmap registers it.
 */
doca_error_t verbs_sges_fill(struct verbs_device *device, const struct rdma_wr *wr, bool needs_keys,
			     struct ibv_sge *sges, int *n_out);
/* wr->len; INVALID_VALUE with a sentence. */
doca_error_t verbs_wr_len(struct rdma_wr *wr, uint32_t max_sges, uint32_t max_len);
doca_error_t verbs_post(struct rdma_qp *base, struct rdma_wr *wr);

/* Both of them without a call, for the usual request: one piece, of a mmap that has its key. */
static inline bool verbs_wr_is_short(struct rdma_wr *wr, uint32_t max_len)
{
	if (unlikely(wr->n_sges != 1 || wr->sges[0].len - 1 >= max_len))
		return false;
	wr->len = (uint32_t)wr->sges[0].len;
	return true;
}

static inline bool verbs_sge_take(const struct verbs_device *device, const struct rdma_sge *from,
				  bool needs_key, struct ibv_sge *sge_out)
{
	uint32_t local = 0;

	if (needs_key) {
		const struct mem_key *key = verbs_mem_find(from->mmap, device);

		if (unlikely(key == NULL))
			return false;
		local = key->local;
	}
	sge_out->addr = (uintptr_t)from->addr;
	sge_out->length = (uint32_t)from->len;
	sge_out->lkey = local;
	return true;
}

/* --- recv.c --- */

doca_error_t verbs_post_recv(struct rdma_port *base, struct rdma_wr *wr);
void verbs_flush_recvs(struct rdma_port *base);
/* The device has given back a receive; NULL: it has none of that id. */
struct rdma_wr *verbs_recv_take(struct verbs_port *port, uint64_t id, struct verbs_qp *qp);
/* A queue pair has ended, perhaps with receives that the device will not give back. */
void verbs_recv_suspect(struct verbs_port *port);
/* Reaps, then gives back those that are lost for sure. */
void verbs_recv_look(struct verbs_port *port);
/* Before a queue pair is made: the queue again as it should be, if nobody else is on it. */
void verbs_recv_renew(struct verbs_port *port);

/* --- qp.c --- */

doca_error_t verbs_qp_new(struct rdma_port *base, void *owner, struct rdma_qp **qp_out);
doca_error_t verbs_qp_details(struct rdma_qp *base, uint8_t details_out[RDMA_DETAILS_MAX],
			      size_t *len_out);
doca_error_t verbs_qp_connect(struct rdma_qp *base, const uint8_t *details, size_t len);
doca_error_t verbs_qp_disconnect(struct rdma_qp *base);
void verbs_qp_free(struct rdma_qp *base);
void verbs_qp_tell(struct verbs_qp *qp, enum verbs_tell what, doca_error_t reason);
/* It works no more: everything posted comes back. Tells BROKEN if it was connected. */
void verbs_qp_break(struct verbs_qp *qp, doca_error_t reason);
/* All that is with the device or late goes to port->done; the device has let go of it. */
void verbs_qp_return_all(struct verbs_qp *qp);
/* Nothing of it works any more; who is connected by address was told. */
void verbs_qp_cut(struct verbs_qp *qp);
void verbs_qp_delete(struct verbs_qp *qp);
/* Takes the device's part away: from here on it touches no memory. */
void verbs_qp_strip(struct verbs_qp *qp);
struct verbs_qp *verbs_qp_find(const struct verbs_port *port, uint32_t number);
/* Reads that this end starts at most, and answers at most, of one queue pair. */
uint8_t verbs_max_depth(const struct verbs_port *port);
uint8_t verbs_max_resources(const struct verbs_port *port);
unsigned verbs_qp_access(const struct verbs_port *port);

/* --- stall.c --- */

bool verbs_may_stall(const struct verbs_device *device);
/* The completion queue is empty. Now and then: sets those going again that stand still. */
void verbs_stall_look(struct verbs_port *port);
/* When who sleeps has to look; UINT64_MAX: never. */
uint64_t verbs_stall_due(struct verbs_port *port);
/* It has slept until then. */
void verbs_stall_wake(struct verbs_port *port);

/* --- leave.c --- */

/* True: it leaves, and its end is not to be brought about otherwise. */
bool verbs_leave_begin(struct verbs_qp *qp);
/* It has answered all, or cannot any more: the next check ends it. */
void verbs_leave_hurry(struct verbs_qp *qp);
/* A receive that a message has come to for one which the engine gave back: the next one's. Who goes
 * on sending has no last acknowledgement to wait for. */
void verbs_leave_take(struct verbs_qp *qp, struct rdma_wr *wr);
/* Those whose time is up. */
void verbs_leave_check(struct verbs_port *port, uint64_t now_ns);
/* Of those that the engine gave back none stays. False: there was none. */
bool verbs_leave_make_room(struct verbs_port *port);
bool verbs_is_leaving(struct rdma_port *base);

/* --- cm.c --- */

doca_error_t verbs_listen(struct rdma_port *base, uint16_t port_number);
doca_error_t verbs_unlisten(struct rdma_port *base, uint16_t port_number);
doca_error_t verbs_qp_connect_addr(struct rdma_qp *base, const struct rdma_end *end);
doca_error_t verbs_qp_accept(struct rdma_qp *base, const void *private_data, uint8_t private_len);
doca_error_t verbs_qp_reject(struct rdma_qp *base);
int verbs_qp_get_addr(const struct rdma_qp *base, struct rdma_end *end_out);
/* Takes the state that the communication manager says; up to the last one. 0 or an errno. */
int verbs_cm_take_state(struct verbs_qp *qp, enum ibv_qp_state state);
int verbs_cm_make_ready(struct verbs_qp *qp);
struct rdma_conn_param verbs_cm_param(const struct verbs_qp *qp);
bool verbs_cm_is_own_device(const struct verbs_port *port, const struct rdma_cm_id *id);
/* What came on the channel; connections that took too long. */
void verbs_cm_progress(struct verbs_port *port);
void verbs_cm_check_deadlines(struct verbs_port *port);
/* Of one that is being made, or leaves: n_connecting is not 0. */
uint64_t verbs_cm_next_deadline(const struct verbs_port *port);
void verbs_cm_set_deadline(struct verbs_qp *qp, uint64_t in_ns);
void verbs_cm_clear_deadline(struct verbs_qp *qp);
/* The queue pair ends: tells the other end, if it is connected by address. */
void verbs_cm_leave(struct verbs_qp *qp);
void verbs_cm_qp_deinit(struct verbs_qp *qp);
void verbs_cm_deinit(struct verbs_port *port);

/* --- bridge.c --- */

doca_error_t verbs_qp_prepare(struct rdma_qp *base, struct rdma_cm_id *id);
doca_error_t verbs_qp_accept_prepared(struct rdma_qp *base, const void *private_data,
				      uint8_t private_len);
doca_error_t verbs_qp_established(struct rdma_qp *base);
/* The identifier is not touched any more. */
void verbs_bridge_let_go(struct verbs_qp *qp);

#endif
