/*
 * Domains and queue pairs of the verbs provider. A domain has one completion queue for everything
 * and one shared receive queue. Completed requests wait in a list until they are polled. Poll, arm
 * and the destruction of a queue pair move completions into that list.
 *
 * Every request is signalled, because each is a separate task whose completion must be reported
 * without waiting for a later one. Requests of a queue pair complete in order, so they are a list.
 * Receives complete in the order in which peers send, so they have numbers. Threads: one at a time
 * per domain. The device's thread accesses the wake-up and the alarms of a domain only.
 */
#ifndef CLIENT_RMA_VERBS_DOMAIN_H
#define CLIENT_RMA_VERBS_DOMAIN_H

#include "client/rma/verbs/device.h"
#include "client/rma/verbs/mem.h"

#define VERBS_SGES_MAX 32
_Static_assert(VERBS_SGES_MAX <= RDMA_MAX_SGES, "lists that no job can have");
/*
 * The timeout for an acknowledgement is 4.1 us * 2^17, about half a second, and it is tried seven
 * times. A link that is interrupted for less time resumes without an error. With 7 retries
 * soft-RoCE would never stop trying.
 */
#define VERBS_ACK_TIMEOUT 17
#define VERBS_ACK_RETRIES 6
/* The time in which a sender that has seen no acknowledgement sends again, and the repeated packet
 * arrives. */
#define VERBS_DRAIN_NS ((4096ull << VERBS_ACK_TIMEOUT) * 3 / 2)

struct verbs_wrs {
	struct rdma_wr *head, **tail;
};

/* A posted receive. The work request's id contains its index in the table and its number. */
struct verbs_recv {
	struct rdma_wr *wr; /* NULL: the entry is free */
	uint32_t next_free;
	/* Counts receives in the order of posting, from 1; the queue hands them out in this
	 * order. */
	uint64_t number;
};

struct verbs_domain {
	struct rdma_domain base;
	struct verbs_device *device;
	struct rdma_conf conf;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq; /* NULL: it could not be created again */
	int epoll_fd;        /* the descriptor for the user: channel, wake-up and timer */
	int timer_fd;        /* wakes a sleeping user when a connection times out */
	bool is_armed, is_timed;
	bool is_removed;      /* the device was removed, as far as this domain has noticed */
	bool reports_removal; /* the removal is still to be reported */
	struct verbs_wakeup wakeup;
	struct verbs_wrs done;
	uint64_t n_done, n_taken; /* requests ever appended to `done`, and polled */
	uint64_t removed_at;      /* the value of n_done when the removal was noticed */
	/* The next time to ask the daemon whether the device was removed; 0: none. */
	uint64_t check_ns;
	struct list qps;       /* list of struct verbs_qp, by node */
	struct list reporting; /* queue pairs with events: struct verbs_qp, by report_node */
	uint32_t n_qps;
	uint32_t n_connecting;     /* queue pairs with a deadline, connecting or ending */
	uint32_t n_draining;       /* the part of them that drains: see drain.c */
	bool is_flush_due;         /* receives are to be flushed once no queue pair drains */
	struct verbs_qp **buckets; /* hash table of queue pairs by number */
	uint32_t n_buckets;        /* its size, a power of two */
	struct verbs_recv *recvs;
	uint32_t first_free; /* first free entry of recvs; conf.recv_queue: none */
	uint64_t last_recv;  /* number of the last receive that was posted */
	uint64_t high_recv;  /* highest number of a receive that was returned */
	/* Receives up to lost_until may be lost; 0: none. Those up to lost_checked were checked. */
	uint64_t lost_until, lost_checked;
	unsigned checks; /* enum verbs_check: what to check for when the queue is empty */
	/* Stalled queue pairs, see stall.c. */
	uint32_t n_idle_polls;
	uint64_t stall_ns; /* the earliest time of the next check */
	/* For connections by address; NULL until the first one. */
	const struct cm_api *cm;
	struct rdma_event_channel *cm_channel;
	struct list listeners; /* list of struct verbs_listener */
};

enum verbs_check {                        /* bits of `checks` */
		   VERBS_CHECK_LOST = 1,  /* further receives may turn out to be lost */
		   VERBS_CHECK_STALL = 2, /* the device may stall queue pairs */
};

enum verbs_qp_state {
	VERBS_QP_NEW,
	VERBS_QP_CONNECTING, /* connecting by address */
	VERBS_QP_REQUESTED,  /* requested by a peer */
	VERBS_QP_PREPARED,   /* prepared with an identifier of the application */
	VERBS_QP_READY,
	VERBS_QP_DRAINING, /* drains: it only answers, until its deadline */
	VERBS_QP_ENDED,    /* posted requests are being returned */
};

enum verbs_event { /* bits: events are reported in this order */
		   VERBS_EVENT_REQUESTED = 1,
		   VERBS_EVENT_ESTABLISHED = 2,
		   VERBS_EVENT_FAILED = 4,
		   VERBS_EVENT_DISCONNECTED = 8,
		   VERBS_EVENT_BROKEN = 16,
};

struct verbs_qp {
	struct rdma_qp base;
	struct verbs_alarm alarm; /* accessed by the device's thread */
	struct list node, report_node;
	struct verbs_qp *hash_next;
	struct ibv_qp *qp; /* NULL: destroyed early */
	uint32_t number;   /* the number of qp, still valid when qp is destroyed */
	enum verbs_qp_state state;
	uint32_t max_inline;
	uint32_t n_posted;
	struct verbs_wrs posted;         /* posted to the device, in order */
	const struct rdma_wr *waits_for; /* the first of `posted` at the last check for a stall */
	struct verbs_wrs late; /* never posted to the device; returned after `posted`, unchanged */
	unsigned events;       /* bits of enum verbs_event */
	uint64_t end_at;       /* its end is reported once this many of domain->done were polled */
	uint64_t recv_seen;    /* the queue pair holds no receive up to this number */
	/* ended; a copy of the alarm's flag as of the last check for lost receives. */
	bool is_drained;
	doca_error_t reason;
	uint32_t psn;
	uint32_t first_psn; /* the other end's first packet number */
	bool is_freed;      /* the engine has freed it */
	/* For connections by address. */
	struct rdma_cm_id *id;
	bool is_users_id; /* its events and its end belong to the application */
	bool is_asked;    /* requested by a peer that connected to a port number of this machine */
	bool is_accepted;
	/* connecting: until it is ready; connected: its peer has disconnected; draining: until it
	 * ends. */
	bool has_deadline;
	uint64_t deadline_ns;
	/* The most parallel reads: started by this end, and by the other. */
	uint8_t n_started, n_answered;
};

static inline struct verbs_domain *verbs_domain_of(const struct rdma_domain *base)
{
	return container_of(base, struct verbs_domain, base);
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

static inline struct rdma_wr *verbs_wrs_pop(struct verbs_wrs *wrs)
{
	struct rdma_wr *wr = wrs->head;

	if (wr != NULL) {
		wrs->head = wr->next;
		if (wrs->head == NULL)
			wrs->tail = &wrs->head;
	}
	return wr;
}

/* --- domain.c --- */

doca_error_t verbs_open(struct doca_dev *dev, const struct rdma_conf *conf,
			struct rdma_domain **domain_out);
/* Owns the reference to the device, even on failure. */
doca_error_t verbs_domain_new(struct verbs_device *device, struct doca_dev *dev,
			      const struct rdma_conf *conf, struct rdma_domain **domain_out);
void verbs_close(struct rdma_domain *base);
/* Records an error sentence: what cannot be created, the cause and the remedy. */
doca_error_t verbs_domain_failed(const struct verbs_domain *domain, const char *what, int error);
int verbs_get_fd(const struct rdma_domain *base);
/* Returns the GID of the domain's queue pairs; INVALID_VALUE with an error sentence if the table
 * has none at that index. */
doca_error_t verbs_domain_gid(const struct verbs_domain *domain, union ibv_gid *gid_out);
/* Creates domain->srq. An error sentence is recorded on failure. */
doca_error_t verbs_domain_make_srq(struct verbs_domain *domain);
bool verbs_arm(struct rdma_domain *base);
void verbs_disarm(struct rdma_domain *base);
bool verbs_next_event(struct rdma_domain *base, struct rdma_event *event_out);
struct rdma_wr *verbs_poll(struct rdma_domain *base);
/* Moves all completions of the completion queue to domain->done. */
void verbs_reap(struct verbs_domain *domain);

static inline void verbs_domain_complete(struct verbs_domain *domain, struct rdma_wr *wr)
{
	verbs_wrs_append(&domain->done, wr);
	domain->n_done++;
}

/* --- post.c --- */

doca_error_t verbs_post(struct rdma_qp *base, struct rdma_wr *wr);

/* --- sge.c --- */

/* Fills the device's list of memory pieces, without empty ones. Looks up keys unless the bytes are
 * sent inline. The first request that uses a memory map registers it. */
doca_error_t verbs_sges_fill(struct verbs_device *device, const struct rdma_wr *wr, bool needs_keys,
			     struct ibv_sge *sges, int *n_out);
/* Computes wr->len. Returns INVALID_VALUE with an error sentence if the request is invalid. */
doca_error_t verbs_wr_len(struct rdma_wr *wr, uint32_t max_sges, uint32_t max_len);

/* Fast paths of the two functions above: one piece, of a memory map that has its key. */
static inline bool verbs_wr_is_short(struct rdma_wr *wr, uint32_t max_len)
{
	if (unlikely(wr->n_sges != 1 || wr->sges[0].len - 1 >= max_len))
		return false;
	wr->len = (uint32_t)wr->sges[0].len;
	return true;
}

static inline bool verbs_sge_fill(const struct verbs_device *device, const struct rdma_sge *from,
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

doca_error_t verbs_post_recv(struct rdma_domain *base, struct rdma_wr *wr);
void verbs_flush_recvs(struct rdma_domain *base);
/* Returns the receive that the device has completed, or NULL if there is none with that id. */
struct rdma_wr *verbs_recv_complete(struct verbs_domain *domain, uint64_t id, struct verbs_qp *qp);
/* Notes that a queue pair has ended, perhaps with receives that the device will not return. */
void verbs_recv_suspect(struct verbs_domain *domain);
/* Moves completions to domain->done, then returns the receives that are certainly lost. */
void verbs_recv_check(struct verbs_domain *domain);
/* Called before a queue pair is created: restores the queue with all its receives if no other queue
 * pair uses it. */
void verbs_recv_renew(struct verbs_domain *domain);

/* --- qp.c --- */

doca_error_t verbs_qp_new(struct rdma_domain *base, void *owner, struct rdma_qp **qp_out);
doca_error_t verbs_qp_params(struct rdma_qp *base, uint8_t params_out[RDMA_PARAMS_MAX],
			     size_t *len_out);
doca_error_t verbs_qp_connect(struct rdma_qp *base, const uint8_t *details, size_t len);
doca_error_t verbs_qp_disconnect(struct rdma_qp *base);
void verbs_qp_free(struct rdma_qp *base);
void verbs_qp_report(struct verbs_qp *qp, enum verbs_event what, doca_error_t reason);
/* Breaks the queue pair: all posted requests are returned. Reports BROKEN if it was connected. */
void verbs_qp_break(struct verbs_qp *qp, doca_error_t reason);
/* Moves all posted and late requests to domain->done. The device no longer uses them. */
void verbs_qp_return_all(struct verbs_qp *qp);
/* Puts the queue pair into the error state. A peer that is connected by address was notified
 * before. */
void verbs_qp_to_error(struct verbs_qp *qp);
void verbs_qp_delete(struct verbs_qp *qp);
/* Destroys the device's queue pair, which then accesses no memory any more. */
void verbs_qp_destroy(struct verbs_qp *qp);
struct verbs_qp *verbs_qp_find(const struct verbs_domain *domain, uint32_t number);
/* The most parallel reads of one queue pair: started by this end, and answered by it. */
uint8_t verbs_max_depth(const struct verbs_domain *domain);
uint8_t verbs_max_resources(const struct verbs_domain *domain);
unsigned verbs_qp_access(const struct verbs_domain *domain);

/* --- stall.c --- */

bool verbs_may_stall(const struct verbs_device *device);
/* Called when the completion queue is empty. At intervals, restarts queue pairs that are
 * stalled. */
void verbs_stall_check(struct verbs_domain *domain);
/* Returns when a sleeping user must check; UINT64_MAX: never. */
uint64_t verbs_stall_due(struct verbs_domain *domain);
/* Called when the user has slept until then. */
void verbs_stall_wake(struct verbs_domain *domain);

/* --- drain.c --- */

/* Starts to drain. Returns false if the queue pair need not drain; the caller ends it then. */
bool verbs_drain_begin(struct verbs_qp *qp);
/* Ends draining at the next check, because the queue pair has answered everything or cannot answer
 * any more. */
void verbs_drain_expire(struct verbs_qp *qp);
/* Handles a message for a queue pair that the engine has freed: its receive serves the next
 * message. A peer that goes on sending does not wait for a last acknowledgement. */
void verbs_drain_recv(struct verbs_qp *qp, struct rdma_wr *wr);
/* Ends the queue pairs whose time has passed. */
void verbs_drain_check(struct verbs_domain *domain, uint64_t now_ns);
/* Ends draining for all queue pairs that the engine has freed. Returns false if there was none. */
bool verbs_drain_end_freed(struct verbs_domain *domain);
bool verbs_is_draining(struct rdma_domain *base);

/* --- cm.c --- */

doca_error_t verbs_listen(struct rdma_domain *base, uint16_t port_number);
doca_error_t verbs_unlisten(struct rdma_domain *base, uint16_t port_number);
doca_error_t verbs_qp_connect_addr(struct rdma_qp *base, const struct rdma_endpoint *end);
doca_error_t verbs_qp_accept(struct rdma_qp *base, const void *private_data, uint8_t private_len);
doca_error_t verbs_qp_reject(struct rdma_qp *base);
int verbs_qp_get_addr(const struct rdma_qp *base, struct rdma_endpoint *end_out);
/* Changes to the state with the communication manager's attributes; the second function changes
 * through all states. Return 0 or an errno. */
int verbs_cm_modify(struct verbs_qp *qp, enum ibv_qp_state state);
int verbs_cm_make_ready(struct verbs_qp *qp);
struct rdma_conn_param verbs_cm_param(const struct verbs_qp *qp);
bool verbs_cm_is_own_device(const struct verbs_domain *domain, const struct rdma_cm_id *id);
/* Handles the channel's events, and connections that have timed out. */
void verbs_cm_progress(struct verbs_domain *domain);
void verbs_cm_check_deadlines(struct verbs_domain *domain);
/* Returns the next deadline of a connecting or draining queue pair; n_connecting must not be 0. */
uint64_t verbs_cm_next_deadline(const struct verbs_domain *domain);
void verbs_cm_set_deadline(struct verbs_qp *qp, uint64_t in_ns);
void verbs_cm_clear_deadline(struct verbs_qp *qp);
/* Disconnects from the other end if the queue pair is connected by address. */
void verbs_cm_disconnect(struct verbs_qp *qp);
/* Stops using an identifier that belongs to the application. */
void verbs_cm_release_id(struct verbs_qp *qp);
void verbs_cm_qp_deinit(struct verbs_qp *qp);
void verbs_cm_deinit(struct verbs_domain *domain);

/* --- bridge.c --- */

doca_error_t verbs_qp_prepare(struct rdma_qp *base, struct rdma_cm_id *id);
doca_error_t verbs_qp_accept_prepared(struct rdma_qp *base, const void *private_data,
				      uint8_t private_len);
doca_error_t verbs_qp_established(struct rdma_qp *base);

#endif
