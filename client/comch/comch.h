/*
 * Comch, the message channel between host and DPU programs: what server and client share, and the
 * defaults, such as the size of a message. The limits of devices are in daemon/topology/profile.c.
 *
 * A server or client is a context with an event ring (comch_events), on which its daemon reports
 * channels that come and go. It has connections; each is a pair of message rings in a memfd that
 * both processes map. Once the daemon has passed the memfd on, messages go between the two
 * processes alone. A send task is complete at submission, because its message is in the ring; the
 * completion follows from the progress engine. A received message is passed to a callback as a
 * pointer to a copy.
 *
 * A connection's life: CONNECTING (client only); UP; then DRAINING when the peer has closed it or
 * died; and DOWN when nothing more will be delivered. While DRAINING, messages that the peer sent
 * before are still delivered, and so are the daemon's events of consumers that came and went
 * before. A server puts a connection that is DOWN into `down`, from where progress runs the
 * disconnect callback and frees it; a client's context fails. A server keeps freed connections for
 * later clients until it is idle. A task that still refers to one therefore finds its memory with
 * another `generation`, not memory of another object.
 *
 * Endpoints of the comm channel (client/compat/comm_channel/channel.h) are servers and clients too,
 * with other callbacks and without tasks.
 *
 * Threads: everything belongs to the thread of the progress engine, except `on_reconnect`. That
 * runs with the session's lock held on the thread that first calls a returning daemon.
 */
#ifndef CLIENT_COMCH_COMCH_H
#define CLIENT_COMCH_COMCH_H

#include <stddef.h>

#include <doca_comch.h>

#include "client/base/error.h"
#include "client/comch/connection/fetch.h"
#include "client/comch/fast_path/link.h"
#include "client/comch/remote/ring.h"
#include "client/progress/task.h"
#include "proto/event_ring.h"
#include "proto/ring.h"
#include "util/copy.h"
#include "util/doorbell.h"

/* Defaults if the application sets no values; the message size is the one that public
 * programs use. */
#define COMCH_DEFAULT_MSG_SIZE   4080u
#define COMCH_DEFAULT_RECV_QUEUE 64u

/* The end of the stream is checked in one of so many empty polls, because it lies in another cache
 * line. */
#define COMCH_CLOSE_CHECK 16u

/*
 * The daemon reports the death of a peer. While there is no daemon, the peer's pidfd does. It wakes
 * a sleeping owner. A polling owner checks it once per COMCH_PEER_CHECK empty polls, which take a
 * good part of a second, or for an idle connection once per COMCH_PEER_CHECK_IDLE polls.
 */
#define COMCH_PEER_CHECK      (1u << 26)
#define COMCH_PEER_CHECK_IDLE (1u << 16)

/* Delivered messages are released in parts of 1/8 of the ring or queue, or when the ring is
 * empty. */
#define COMCH_PUBLISH_PART 8u

/*
 * A message of at most this length is copied out of the ring before its callback runs, because the
 * sender can write to the ring at any time. That covers every message unless the program allows
 * longer ones. Longer ones are passed in place, because copying them would cost more than
 * everything else.
 */
#define COMCH_COPY_MAX COMCH_DEFAULT_MSG_SIZE

struct comch;

struct doca_comch_event_msg_recv {
	struct comch *comch;
};

struct doca_comch_event_connection_status_changed {
	struct doca_comch_server *server;
};

struct doca_comch_event_consumer {
	struct comch *comch;
	doca_comch_event_consumer_cb_t new_cb;
	doca_comch_event_consumer_cb_t expired_cb;
};

/* The state of a registration after a restart of the daemon. */
enum comch_events_status {
	COMCH_EVENTS_CURRENT = 0,
	COMCH_EVENTS_RENEWED = 1, /* `next` contains a new ring; the owner has to swap it in */
	COMCH_EVENTS_LOST = 2,    /* there is no daemon, or it has refused so far */
};

/* The duties of a polling owner, besides the daemon's events. */
enum comch_duties {
	COMCH_DUTY_FETCH = 1, /* a fetch is in progress */
};

/* The connection from the daemon to this owner. All members but the ring's contents change under
 * the session's lock. */
struct comch_events {
	struct event_reader reader;
	/* The id of the server or channel at the daemon; 0: the daemon does not know it. */
	_Atomic uint64_t id;
	struct event_reader next;
	uint64_t next_id;
	_Atomic uint32_t status; /* enum comch_events_status */
	uint32_t duties;         /* owner's: bits of enum comch_duties */
	uint64_t retry_ns;       /* owner's: when to try to register again */
	uint64_t give_up_ns;
	int timer_fd;         /* wakes the owner at that time; -1: not created yet */
	bool absence_logged;  /* owner's: the absence of a daemon was logged */
	bool watches_session; /* for the daemon's hang-up */
	/* The connection whose daemon has refused since the time limit was set. */
	unsigned connection;
	/* For a polling owner: when to check whether the daemon is there, and after how many polls
	 * to read the clock. */
	uint64_t check_ns;
	uint32_t n_polls, check_polls;
};

/* Registers with the daemon. Called with the session's lock held. */
typedef doca_error_t (*comch_register_t)(struct comch *comch, struct event_reader *reader_out,
					 uint64_t *id_out);

struct comch {
	struct doca_ctx ctx;
	struct task_pool send_pool;
	doca_comch_event_msg_recv_cb_t recv_cb;
	uint8_t *copy;     /* a copy of the message, for the callback */
	uint32_t copy_max; /* the longest message that is copied; 0: none is */
	struct doca_comch_event_msg_recv recv_event;
	struct doca_comch_event_consumer consumer_event;
	struct comch_events events;
	struct comch_fetch fetch;
	struct session_item item;
	/* NULL: it needs no daemon any more; changes under the session's lock. */
	comch_register_t register_locked;
	/* Unregisters from the daemon, by the request function that is passed. */
	void (*unregister_locked)(uint64_t id, void (*send_locked)(struct rpc_request *request));
	/* Called when an idle connection must be polled. NULL: the owner has no idle
	 * connections. */
	void (*activate)(struct doca_comch_connection *conn);
	struct comch_remote_rings *remote_rings; /* NULL: the owner has no remote rings */
	uint32_t max_msg_size;
	uint32_t recv_queue_size;
	bool is_server;
	bool disables_remote_rings; /* the owner does not handle remote rings */
	/* recv_cb copies the message itself, so the library passes every length in place */
	bool has_own_copy;
	char *name;
	void (*recv_cb_2_5)(void); /* the program's callback behind recv_cb, for a program of 2.5 */
};

enum comch_state {
	COMCH_FREE = 0, /* no connection uses the memory */
	COMCH_CONNECTING = 1,
	COMCH_UP = 2,
	COMCH_DRAINING = 3, /* the peer has left; its last messages and events are delivered */
	COMCH_DOWN = 4,     /* ended; the program may still hold it */
};

struct doca_comch_connection {
	/* Members that each message uses. */
	struct ring_producer tx;
	struct ring_consumer rx;
	struct comch *comch;
	uint32_t state;        /* enum comch_state */
	uint32_t n_empty;      /* consecutive polls that found no message */
	uint32_t n_unreleased; /* messages received and not yet released */
	uint32_t unreleased_max;
	uint64_t publish_at; /* the position at which received messages must be released */
	/* NULL: it has no remote ring; every empty poll reads this too. */
	struct comch_remote_ring *remote_ring;
	uint32_t generation; /* incremented each time the memory is reused */
	/* Low half of the number of messages received when the last one was sent. */
	uint32_t n_received_at_send;
	struct counters_line *line; /* counters of the rings' messages */
	int doorbell_fd;            /* wakes the peer */
	struct pe_doorbell wait;    /* the eventfd by which the peer wakes this owner */
	/* Members off the message path. */
	uint32_t max_msg; /* the smaller limit of both ends; tx contains it too */
	/* Pidfd of the peer's process, wakes this owner when it exits; -1: unknown. */
	struct pe_doorbell peer;
	struct list node; /* a server's list: active, idle, down or free */
	struct list hash_node;
	struct comch_link *link; /* the part that producers and consumers use; NULL: never UP */
	uint64_t channel_id;     /* 0: the daemon does not know it, or has closed it */
	uint8_t daemon_id[16];   /* the daemon that assigned channel_id */
	struct comch_counters counters_snapshot;
	struct comch_counters
		closed_counters; /* after the close: the counters of producers and consumers */
	struct counters counters;
	union doca_data user_data;
	doca_error_t end_code;
	uint32_t space_len; /* the length of a submission that met a full ring; 0: none did */
	/* DRAINING: the most messages that the peer can have left in the ring. */
	uint32_t n_unread_max;
	uint64_t await_until_ns; /* DRAINING: how long to wait for the daemon's event */
	bool armed, idle, closed_tx;
	bool is_dropped;     /* the server's program ended it: no callback runs for it any more */
	bool may_be_offered; /* the other end's library may offer a remote ring */
	void *header;
	void *areas[2];
	uint32_t ring_len;
};
_Static_assert(offsetof(struct doca_comch_connection, remote_ring) / SHM_CACHE_LINE ==
		       offsetof(struct doca_comch_connection, state) / SHM_CACHE_LINE,
	       "a poll that finds no message reads two cache lines of the connection");

struct doca_comch_task_send {
	struct doca_task base;
	struct doca_comch_connection *peer;
	const void *msg;
	uint32_t len;
	uint32_t generation;
};

/* --- comch.c: configuration; `what` is the public call's name for error sentences --- */

doca_error_t comch_init(struct comch *comch, const struct ctx_ops *ops, struct doca_dev *dev,
			const char *name, bool is_server);
/* Returns IN_USE unless the context is idle. */
doca_error_t comch_deinit(struct comch *comch);
doca_error_t comch_set_msg_size(struct comch *comch, uint32_t size, const char *what);
doca_error_t comch_set_recv_queue(struct comch *comch, uint32_t size, const char *what);
doca_error_t comch_set_consumer_cbs(struct comch *comch, doca_comch_event_consumer_cb_t new_cb,
				    doca_comch_event_consumer_cb_t expired_cb, const char *what);
/* Allocates the memory for the copy of a received message, unless recv_cb copies by itself
 * (has_own_copy). Called at start. Returns NO_MEMORY with an error sentence. */
doca_error_t comch_make_copy(struct comch *comch);
doca_error_t comch_set_recv_cb(struct comch *comch, doca_comch_event_msg_recv_cb_t cb,
			       const char *what);
doca_error_t comch_get_msg_size(const struct comch *comch, uint32_t *size_out, const char *what);
doca_error_t comch_get_recv_queue(const struct comch *comch, uint32_t *size_out, const char *what);
doca_error_t comch_get_dev(const struct comch *comch, struct doca_dev **dev_out, const char *what);

/* --- client/comch/connection/send.c --- */

doca_error_t comch_send_set_conf(struct comch *comch, doca_comch_task_send_completion_cb_t ok_cb,
				 doca_comch_task_send_completion_cb_t err_cb, uint32_t n_tasks,
				 const char *what);
doca_error_t comch_send_alloc(struct comch *comch, struct doca_comch_connection *peer,
			      const void *msg, uint32_t len, struct doca_comch_task_send **task_out,
			      const char *what);
/*
 * Sends a message at once, without a task; the connection is UP and permits this length. Returns 1
 * on success, 0 if the peer's queue is full, or -EPROTO if the connection is broken, which the next
 * poll reports to its owner.
 */
int comch_connection_send(struct doca_comch_connection *conn, const void *msg, uint32_t len);

/* --- client/comch/connection/events.c --- */

/* Registers with the daemon and the progress engine. Records an error sentence on failure. */
doca_error_t comch_events_open(struct comch *comch);
/* Unregisters from the daemon: `on_reconnect` is not called any more, and fetches are cancelled.
 * Idempotent. Within progress, does not wait for the daemon. */
void comch_events_unregister(struct comch *comch);
static inline bool comch_events_is_fetching(const struct comch *comch)
{
	return (comch->events.duties & COMCH_DUTY_FETCH) != 0;
}
/* Releases the ring and its descriptors. Idempotent. */
void comch_events_close(struct comch *comch);
/* Swaps in the event ring that a reconnect brought; returns true if there was one. Owner's
 * thread. */
bool comch_events_swap(struct comch *comch);
/* While LOST: tries at intervals to register again, for one minute with a daemon that refuses.
 * Returns true when the status is no longer LOST. Owner's thread. */
bool comch_events_retry(struct comch *comch);
/* Implements ctx_ops.arm. Returns true if there is something to do now. Otherwise a timer wakes the
 * owner when the next attempt is due. */
bool comch_events_arm(struct comch *comch);
/* Like comch_events_arm(), but without the events themselves. */
bool comch_events_arm_duties(struct comch *comch);
/* Sets a timer that wakes the owner at the given time. Returns true if there is no timer. */
bool comch_events_arm_at(struct comch *comch, uint64_t at_ns);
/* Implements `on_disconnect` for a server: sets LOST, so that the server registers with the next
 * daemon. The session's lock is held. */
void comch_events_disconnect_locked(struct comch *comch);
/* For a polling owner: checks once per second whether the daemon is still there. The clock is read
 * only after as many polls as take about that time. */
void comch_events_check_daemon(struct comch *comch);
static inline void comch_events_count(struct comch *comch)
{
	if (unlikely(++comch->events.n_polls >= comch->events.check_polls))
		comch_events_check_daemon(comch);
}
/* Implements `on_reconnect` for servers and clients: registers again and leaves the new ring to the
 * owner. The session's lock is held. */
void comch_events_renew_locked(struct comch *comch);
/* Takes the two descriptors of a registration's answer. Records an error sentence on failure. */
doca_error_t comch_events_adopt_ring(struct rpc_reply *answer, uint32_t len,
				     struct event_reader *reader_out);

static inline bool comch_events_pending(const struct comch_events *events)
{
	return event_reader_pending(&events->reader) ||
	       (atomic_load_explicit(&events->status, memory_order_relaxed) | events->duties) != 0;
}
_Static_assert(COMCH_EVENTS_CURRENT == 0, "one test for it and for duties");

/* --- client/comch/connection/connection.c --- */

void comch_connection_init(struct doca_comch_connection *conn, struct comch *comch);
/* Validates and maps the channel of a fetch. `result` is the fetch's result. On success conn
 * is UP. */
doca_error_t comch_connection_open(struct doca_comch_connection *conn,
				   const struct comch_fetch *fetch, doca_error_t result,
				   struct rpc_reply *answer);
/* Opens a connection that the peer had ended before it was fetched. It becomes DOWN, as if it had
 * been UP. Records an error sentence on failure. */
doca_error_t comch_connection_open_ended(struct doca_comch_connection *conn);
/* Reports to the daemon that the channel is closed. Waits neither for the daemon nor for another
 * thread's call. */
void comch_channel_notify_closed(uint64_t channel_id, const uint8_t daemon_id[16]);
/* Like comch_channel_notify_closed(), if the peer has not received everything: the peer sees a
 * broken connection. */
void comch_channel_notify_lost(uint64_t channel_id, const uint8_t daemon_id[16]);
/* Unmaps the rings and closes the descriptors; conn may be reused. */
void comch_connection_close(struct doca_comch_connection *conn);
/* Returns the connection's part for producers and consumers, with a reference for the caller, or
 * NULL if it is not UP. Any thread, while the memory of conn exists. */
struct comch_link *comch_connection_ref_link(struct doca_comch_connection *conn);
/* Closes the sending direction: notifies the peer through the ring, and the daemon if it still has
 * a part. */
void comch_connection_hang_up(struct doca_comch_connection *conn);
/* The peer closed the connection (code 0) or died. Messages that it sent before are still
 * delivered. */
void comch_connection_peer_left(struct doca_comch_connection *conn, doca_error_t code);
/* The peer broke the rules of the ring. Nothing more is read from it. Records an error sentence. */
void comch_connection_break(struct doca_comch_connection *conn, const char *what);
/* Returns true if there is something to do now. Costs as much as one poll. */
bool comch_connection_has_input(struct doca_comch_connection *conn);
/* See ctx_ops.arm. For several connections: call begin for each, ring_arm_fence() once, then end
 * for each. */
bool comch_connection_arm(struct doca_comch_connection *conn);
void comch_connection_arm_begin(struct doca_comch_connection *conn);
bool comch_connection_arm_end(struct doca_comch_connection *conn, bool fenced);
void comch_connection_disarm(struct doca_comch_connection *conn);
int comch_connection_poll_draining(struct doca_comch_connection *conn);
/* Handles what is no message for the program. `r` is the result of the peek; the other arguments
 * are what it found. */
int comch_connection_poll_control(struct doca_comch_connection *conn, int r, uint32_t kind,
				  const void *payload, uint32_t len);
/* Handles EVENT_CONSUMER_NEW and EVENT_CONSUMER_GONE. The context may be freed by a callback. */
void comch_connection_consumer_event(struct doca_comch_connection *conn, const struct event *event);
/* Handles the end of a consumer's fetch, whose connection may be freed. The context may be freed by
 * a callback. */
void comch_connection_consumer_fetched(const struct comch_fetch *fetch, doca_error_t result,
				       struct rpc_reply *answer);
/*
 * Called after the end of the connection, which may come before the daemon's events: reports to the
 * program that one of the peer's consumers is gone. Returns true if it called the program; then the
 * context may be freed.
 */
bool comch_connection_expire(struct doca_comch_connection *conn);
bool comch_connection_must_expire(const struct doca_comch_connection *conn);
/* Called after an empty poll, at intervals: checks the end of the stream, and rarely the peer's
 * process. */
void comch_connection_check_closed(struct doca_comch_connection *conn);
/* Checks the peer's process by a system call. If it has exited, the connection becomes DRAINING. */
void comch_connection_check_peer(struct doca_comch_connection *conn);

/* Returns the counters of the rings; once the connection is closed, those of its producers and
 * consumers are included. */
static inline struct comch_counters comch_connection_count(const struct doca_comch_connection *conn)
{
	return (struct comch_counters){
		.sent_msgs = conn->closed_counters.sent_msgs + counters_get(&conn->line->submitted),
		.sent_bytes = conn->closed_counters.sent_bytes + counters_get(&conn->line->bytes),
		.recv_msgs = conn->closed_counters.recv_msgs + counters_get(&conn->line->received),
		.recv_bytes = conn->closed_counters.recv_bytes +
			      counters_get(&conn->line->received_bytes),
	};
}

enum comch_poll {
	COMCH_POLL_NOTHING = 0,
	COMCH_POLL_MESSAGE = 1, /* a message was delivered */
	/* The callback refused the message, or accepted it and destroyed the context. */
	COMCH_POLL_STOPPED = 2,
	COMCH_POLL_END = 3,     /* nothing more will arrive */
	COMCH_POLL_CONTROL = 4, /* the message was from the other end's library */
};

/* Releases delivered messages, so that the peer can use their room. */
static inline void comch_connection_publish(struct doca_comch_connection *conn)
{
	conn->n_unreleased = 0;
	conn->publish_at = conn->rx.pos + conn->ring_len / COMCH_PUBLISH_PART;
	if (unlikely(ring_consumer_publish(&conn->rx)))
		doorbell_ring(conn->doorbell_fd);
}

static inline int comch_connection_deliver(struct doca_comch_connection *conn, const void *payload,
					   uint32_t len)
{
	struct comch *comch = conn->comch;
	struct doca_pe *pe = comch->ctx.pe;

	conn->n_empty = 0;
	counters_add(&conn->line->received, 1);
	counters_add(&conn->line->received_bytes, len);
	if (likely(len <= comch->copy_max)) {
		copy_bytes(comch->copy, payload, len);
		payload = comch->copy;
	}
	comch->recv_cb(&comch->recv_event, (uint8_t *)(uintptr_t)payload, len, conn);
	if (unlikely(pe->polling != &comch->ctx))
		return COMCH_POLL_STOPPED;
	ring_consumer_advance(&conn->rx, len);
	/* The peer reads the word stored here when its ring is full, so it is not written for each
	 * message. */
	if (unlikely(++conn->n_unreleased >= conn->unreleased_max ||
		     conn->rx.pos >= conn->publish_at))
		comch_connection_publish(conn);
	return COMCH_POLL_MESSAGE;
}

/* Called in recv_cb: refuses the message, of `len` bytes. It remains the next message of its
 * connection and is delivered again in the next poll. */
static inline void comch_connection_refuse(struct doca_comch_connection *conn, uint32_t len)
{
	counters_add(&conn->line->received, (uint64_t)-1);
	counters_add(&conn->line->received_bytes, -(uint64_t)len);
	if (conn->state == COMCH_DRAINING)
		conn->n_unread_max++;
	/* Makes the poll return as if the context were freed. */
	conn->comch->ctx.pe->polling = NULL;
}

/* Delivers at most one message. */
static inline int comch_connection_poll(struct doca_comch_connection *conn)
{
	const void *payload;
	uint32_t len, kind;
	int r;

	if (unlikely(conn->state != COMCH_UP))
		return comch_connection_poll_draining(conn);
	r = ring_consumer_peek(&conn->rx, &payload, &len, &kind);
	if (r == 0 && unlikely(conn->remote_ring != NULL))
		r = comch_remote_ring_peek(conn, &payload, &len, &kind);
	if (r == 0) {
		if (conn->n_unreleased != 0)
			comch_connection_publish(conn);
		if (unlikely(++conn->n_empty % COMCH_CLOSE_CHECK == 0))
			comch_connection_check_closed(conn);
		return COMCH_POLL_NOTHING;
	}
	if (unlikely(r < 0 || kind != RING_MSG_DATA))
		return comch_connection_poll_control(conn, r, kind, payload, len);
	return comch_connection_deliver(conn, payload, len);
}

#endif
