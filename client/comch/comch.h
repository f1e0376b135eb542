/*
 * Comch, the message channel between host and DPU programs: what server and client share.
 *
 * A server or client is a context with an event ring (comch_events), by which its daemon tells of
 * channels that come and go, and with connections, each a pair of message rings in a memfd that
 * both processes map. After the daemon has handed that over, messages pass between the two
 * processes alone. A send task is done at submission: its message is in the ring; the completion
 * follows from the progress engine. A receive is a callback with a pointer to a copy of the
 * message.
 *
 * Life of a connection: CONNECTING (client only), UP, then LEAVING when the peer closed or died
 * (what the peer sent before is still delivered, and so are the daemon's events of consumers that
 * came and went before) and DOWN when nothing more will be delivered. A server puts it into `down`,
 * from where progress runs the disconnect callback and frees it; a client's context fails. Freed
 * connections of a server are kept and used again until it is idle, so that a task that still names
 * one finds memory whose `life` has changed, not another's.
 *
 * Endpoints of the comm channel (client/compat/comm_channel/channel.h) are servers and clients too,
 * with callbacks of their own and without tasks.
 *
 * Threads: everything belongs to the thread of the progress engine, except restore, which runs in
 * whichever thread first calls the daemon after it came back, under the session's lock.
 */
#ifndef CLIENT_COMCH_COMCH_H
#define CLIENT_COMCH_COMCH_H

#include <stddef.h>

#include <doca_comch.h>

#include "client/base/error.h"
#include "client/comch/connection/fetch.h"
#include "client/comch/fast_path/link.h"
#include "client/comch/remote/ring.h"
#include "client/progress/ctx.h"
#include "proto/event_ring.h"
#include "proto/ring.h"
#include "util/copy.h"
#include "util/doorbell.h"

/* When the application sets none; the message size is what public programs use. */
#define COMCH_DEFAULT_MSG_SIZE   4080u
#define COMCH_DEFAULT_RECV_QUEUE 64u

/* Looks at the end of the stream once in so many empty polls: it lies in another cache line. */
#define COMCH_CLOSE_CHECK 16u

/*
 * Daemons tell of a peer that died; while they are away its pidfd does. Who sleeps is woken by it,
 * who polls looks at it once in so many empty polls, which are a good part of a second, and at that
 * of a connection that lies idle once in so many looks at it.
 */
#define COMCH_PEER_CHECK      (1u << 26)
#define COMCH_PEER_CHECK_IDLE (1u << 16)

/* What was delivered is given back in parts of so much of the ring or queue, or when it is empty.
 */
#define COMCH_PUBLISH_PART 8u

/*
 * A message of at most so many bytes is copied out of the ring before its callback runs, because
 * the sender can write into the ring at any time. That covers every message unless the program asks
 * for longer ones, and those are passed in place: their copy costs more than the rest of the
 * message.
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

/* Where a registration stands after the daemon was restarted. */
enum comch_events_status {
	COMCH_EVENTS_SOUND = 0,
	COMCH_EVENTS_RENEWED = 1, /* next holds a new ring, for the owner to swap in */
	COMCH_EVENTS_LOST = 2,    /* there is no daemon, or the new one refused, so far */
};

/* What an owner that polls is to look after, besides what its daemon tells. */
enum comch_duties {
	COMCH_DUTY_FETCH = 1, /* something is being fetched */
	COMCH_DUTY_LEAVE = 2, /* it has stopped, and is to be unregistered */
};

/* The daemon's way to us. All but reader's contents changes under the session's lock. */
struct comch_events {
	struct event_reader reader;
	_Atomic uint64_t id; /* server or channel at the daemon; 0: the daemon forgot us */
	struct event_reader next;
	uint64_t next_id;
	_Atomic uint32_t status; /* enum comch_events_status */
	uint32_t duties;         /* owner's: set of enum comch_duties */
	uint64_t retry_ns;       /* owner's: when to ask again */
	uint64_t give_up_ns;
	int timer_fd;        /* wakes the owner for that; -1: never slept so */
	bool was_heard;      /* owner's: that there is no daemon was said */
	unsigned connection; /* that refused, since give_up_ns counts */
	/* Owner's, as long as it polls: when to look whether there is a daemon, and after how many
	 * polls the clock is read. */
	uint64_t look_ns;
	uint32_t n_polls, look_polls;
};

/* Registration at the daemon; the session's lock is held. */
typedef doca_error_t (*comch_enlist_t)(struct comch *comch, struct event_reader *reader_out,
				       uint64_t *id_out);

struct comch {
	struct doca_ctx ctx;
	struct task_pool send_pool;
	doca_comch_event_msg_recv_cb_t recv_cb;
	uint8_t *copy;     /* the message that the callback looks at */
	uint32_t copy_max; /* longest message that is copied; 0: none is */
	struct doca_comch_event_msg_recv recv_event;
	struct doca_comch_event_consumer consumer_event;
	struct comch_events events;
	struct comch_fetch fetch;
	struct session_item item;
	comch_enlist_t enlist; /* NULL: it needs no daemon any more; the session's lock is held */
	/* Tells the daemon, by one of session_tell_locked() and session_post_locked(). */
	void (*delist_locked)(uint64_t id, void (*tell_locked)(struct session_request *request));
	/* A connection that may lie idle has to be looked at. NULL: none does. */
	void (*notice)(struct doca_comch_connection *conn);
	struct comch_mirrors *mirrors; /* NULL: it has none */
	uint32_t max_msg_size;
	uint32_t recv_queue_size;
	bool is_server;
	bool has_no_mirrors; /* its owner does not look after them */
	bool has_own_copy;   /* recv_cb reads each byte of a message once */
	char *name;
	void (*recv_cb_2_5)(void); /* behind recv_cb, of a program of 2.5 */
};

enum comch_state {
	COMCH_FREE = 0,
	COMCH_CONNECTING = 1,
	COMCH_UP = 2,
	COMCH_LEAVING = 3,
	COMCH_DOWN = 4,
};

struct doca_comch_connection {
	/* Each message touches these. */
	struct ring_producer tx;
	struct ring_consumer rx;
	struct comch *comch;
	uint32_t state;   /* enum comch_state */
	uint32_t n_empty; /* polls in a row that found nothing */
	uint32_t n_kept;  /* messages taken, not given back yet */
	uint32_t keep_max;
	uint64_t publish_at;         /* position that must be published when it is reached */
	struct comch_mirror *mirror; /* NULL: it has none; each empty look reads it, too */
	uint32_t life;               /* one more each time the memory is used again */
	uint32_t rx_at_send;         /* low half of the messages received when the last was sent */
	struct counters_line *line;  /* messages of the rings */
	int bell_fd;                 /* wakes the peer */
	struct pe_bell wait;         /* wakes us */
	/* Cold. */
	uint32_t max_msg;    /* the smaller of both ends; tx has it, too */
	struct pe_bell peer; /* pidfd of the peer's process: wakes us when it ends; -1: unknown */
	struct list node;    /* server: active, idle, down or free */
	struct list hash_node;
	struct comch_link *link; /* what producers and consumers see; NULL: never up */
	uint64_t channel_id;     /* 0: the daemon knows nothing of it, or closed it */
	uint8_t daemon_id[16];   /* who gave channel_id */
	struct comch_counters shown;
	struct comch_counters past; /* after it was closed: what went past the rings */
	struct counters counters;
	union doca_data user_data;
	doca_error_t end_code;
	uint32_t space_len;      /* a submit of this length met a full ring; 0: none did */
	uint32_t drain_left;     /* LEAVING: messages that the peer can have left behind, at most */
	uint64_t await_until_ns; /* LEAVING: how long the daemon's word of the end is awaited */
	bool armed, idle, closed_tx;
	bool is_dropped;     /* the server's program ended it: no callback runs for it any more */
	bool may_be_offered; /* a mirror, by the other end's library */
	void *header;
	void *areas[2];
	uint32_t ring_len;
};
_Static_assert(offsetof(struct doca_comch_connection, mirror) / SHM_CACHE_LINE ==
		       offsetof(struct doca_comch_connection, state) / SHM_CACHE_LINE,
	       "an empty look reads no third line: a server looks at those that lie idle in turn");

struct doca_comch_task_send {
	struct doca_task base;
	struct doca_comch_connection *peer;
	const void *msg;
	uint32_t len;
	uint32_t life;
};

/* --- comch.c: configuration; `what` names the public call in sentences --- */

doca_error_t comch_init(struct comch *comch, const struct ctx_ops *ops, struct doca_dev *dev,
			const char *name, bool is_server);
/* IN_USE unless idle. */
doca_error_t comch_deinit(struct comch *comch);
doca_error_t comch_set_msg_size(struct comch *comch, uint32_t size, const char *what);
doca_error_t comch_set_recv_queue(struct comch *comch, uint32_t size, const char *what);
doca_error_t comch_set_consumer_cbs(struct comch *comch, doca_comch_event_consumer_cb_t new_cb,
				    doca_comch_event_consumer_cb_t expired_cb, const char *what);
/* Called at start: room for the copy of a message, unless recv_cb copies by itself (has_own_copy).
 * NO_MEMORY with a sentence. */
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
 * A message at once, without a task; the connection is UP and takes this length. 1, or 0: the
 * peer's queue is full, or -EPROTO: the connection is broken, which its owner is told in the next
 * poll.
 */
int comch_connection_send(struct doca_comch_connection *conn, const void *msg, uint32_t len);

/* --- client/comch/connection/events.c --- */

/* Registers with the daemon and with the PE; SUCCESS, or a code with its sentence. */
doca_error_t comch_events_open(struct comch *comch);
/*
 * Unregisters from the daemon's side; no restore runs any more, and nothing is fetched. May be
 * called twice. Within progress it does not wait for the daemon, nor for another thread's call:
 * false, it is still to be done, by calling this again.
 */
bool comch_events_delist(struct comch *comch);
static inline bool comch_events_is_leaving(const struct comch *comch)
{
	return (comch->events.duties & COMCH_DUTY_LEAVE) != 0;
}
static inline bool comch_events_is_fetching(const struct comch *comch)
{
	return (comch->events.duties & COMCH_DUTY_FETCH) != 0;
}
/* Gives ring and descriptors back. May be called twice. */
void comch_events_close(struct comch *comch);
/* Takes the event ring that a reconnect brought; true if there was one. Not while another thread
 * calls the daemon. Owner's thread. */
bool comch_events_swap(struct comch *comch);
/* LOST: asks again, now and then, for a minute of one that is there. True if it is that no more.
 * Owner's thread. */
bool comch_events_retry(struct comch *comch);
/* For ctx_ops.arm: true if there is something to do now. Else there is not, or not before it is
 * time to ask again, for which a timer wakes. */
bool comch_events_arm(struct comch *comch);
/* The same but for the events themselves. */
bool comch_events_arm_duties(struct comch *comch);
/* And of one that stops. */
bool comch_events_arm_leaving(struct comch *comch);
/* A timer wakes the owner then, or in a moment: true if there is none. */
bool comch_events_arm_at(struct comch *comch, uint64_t at_ns);
bool comch_events_arm_soon(struct comch *comch);
/* cut of a server: LOST, so that it asks for the next daemon. Lock held. */
void comch_events_cut_locked(struct comch *comch);
/* Of an owner that polls: looks once a second whether the daemon is still there. The clock is read
 * after so many polls that it takes about as long. */
void comch_events_look(struct comch *comch);
static inline void comch_events_count(struct comch *comch)
{
	if (unlikely(++comch->events.n_polls >= comch->events.look_polls))
		comch_events_look(comch);
}
/* restore of both kinds: enlists again and leaves the new ring for the owner. Lock held. */
void comch_events_renew_locked(struct comch *comch);
/* Takes the two descriptors of a registration's answer. SUCCESS or a code with its sentence. */
doca_error_t comch_events_take(struct session_answer *answer, uint32_t len,
			       struct event_reader *reader_out);

static inline bool comch_events_pending(const struct comch_events *events)
{
	return event_reader_pending(&events->reader) ||
	       (atomic_load_explicit(&events->status, memory_order_relaxed) | events->duties) != 0;
}
_Static_assert(COMCH_EVENTS_SOUND == 0, "one test for it and for duties");

/* --- client/comch/connection/connection.c --- */

void comch_connection_init(struct doca_comch_connection *conn, struct comch *comch);
/* Checks and maps the channel that was fetched, if it could be. SUCCESS: conn is UP. */
doca_error_t comch_connection_open(struct doca_comch_connection *conn,
				   const struct comch_fetch *fetch, doca_error_t result,
				   struct session_answer *answer);
/* Of one that could not be fetched because the peer had ended it by then: DOWN, as if it had been
 * up. SUCCESS, or a code with its sentence. */
doca_error_t comch_connection_open_ended(struct doca_comch_connection *conn);
/* Neither waits for the daemon nor for another thread's call. */
void comch_channel_tell_closed(uint64_t channel_id, const uint8_t daemon_id[16]);
/* The same of one whose peer has not got all that was sent: it hears of a broken connection. */
void comch_channel_tell_lost(uint64_t channel_id, const uint8_t daemon_id[16]);
/* Unmaps and closes; conn may be used again. */
void comch_connection_close(struct doca_comch_connection *conn);
/* What producers and consumers see of it, with a reference of the caller's, or NULL: it is not up.
 * Any thread, as long as the memory of conn is there. */
struct comch_link *comch_connection_ref_link(struct doca_comch_connection *conn);
/* Nothing more is sent: tells the peer through the ring, and the daemon if it has a part left. */
void comch_connection_hang_up(struct doca_comch_connection *conn);
/* The peer closed (code 0) or died: what it sent before is still delivered. */
void comch_connection_leave(struct doca_comch_connection *conn, doca_error_t code);
/* The peer broke the rules of the ring: nothing of it is believed any more. Records why. */
void comch_connection_break(struct doca_comch_connection *conn, const char *what);
/* A look, at the price of one: true if there is something to do now. */
bool comch_connection_has_news(struct doca_comch_connection *conn);
/* See ctx_ops.arm. For many: begin with each, ring_arm_fence() once, end with each. */
bool comch_connection_arm(struct doca_comch_connection *conn);
void comch_connection_arm_begin(struct doca_comch_connection *conn);
bool comch_connection_arm_end(struct doca_comch_connection *conn, bool fenced);
void comch_connection_disarm(struct doca_comch_connection *conn);
int comch_connection_poll_leaving(struct doca_comch_connection *conn);
/* What is no message for the program: `r` of the look at it, and what it saw. */
int comch_connection_poll_otherwise(struct doca_comch_connection *conn, int r, uint32_t kind,
				    const void *payload, uint32_t len);
/* EVENT_CONSUMER_NEW and GONE. The context may be gone afterwards. */
void comch_connection_consumer_event(struct doca_comch_connection *conn, const struct event *event);
/* The end of a consumer's fetch, whose connection may be gone. The same. */
void comch_connection_consumer_came(const struct comch_fetch *fetch, doca_error_t result,
				    struct session_answer *answer);
/*
 * After the end of the connection, which the daemon's events do not have to precede: tells the
 * program that one of the peer's consumers is gone. True if it was told of one; then the context
 * may be gone.
 */
bool comch_connection_expire(struct doca_comch_connection *conn);
bool comch_connection_must_expire(const struct doca_comch_connection *conn);
/* After an empty poll, now and then: looks at the end of the stream, and rarely at the peer. */
void comch_connection_check_closed(struct doca_comch_connection *conn);
/* A system call. The connection is LEAVING if the peer's process has ended. */
void comch_connection_check_peer(struct doca_comch_connection *conn);

/* What went through its rings, and once it is closed also what went past them. */
static inline struct comch_counters comch_connection_count(const struct doca_comch_connection *conn)
{
	return (struct comch_counters){
		.sent_msgs = conn->past.sent_msgs + counters_get(&conn->line->submitted),
		.sent_bytes = conn->past.sent_bytes + counters_get(&conn->line->bytes),
		.recv_msgs = conn->past.recv_msgs + counters_get(&conn->line->received),
		.recv_bytes = conn->past.recv_bytes + counters_get(&conn->line->received_bytes),
	};
}

enum comch_poll {
	COMCH_POLL_NOTHING = 0,
	COMCH_POLL_MESSAGE = 1, /* delivered */
	COMCH_POLL_GONE = 2,    /* the callback refused it, or took it and destroyed the context */
	COMCH_POLL_END = 3,     /* nothing more will come */
	COMCH_POLL_HEARD = 4,   /* what the other end's library said */
};

/* Gives the room of what was delivered back to the peer. */
static inline void comch_connection_publish(struct doca_comch_connection *conn)
{
	conn->n_kept = 0;
	conn->publish_at = conn->rx.pos + conn->ring_len / COMCH_PUBLISH_PART;
	if (unlikely(ring_consumer_publish(&conn->rx)))
		doorbell_ring(conn->bell_fd);
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
		return COMCH_POLL_GONE;
	ring_consumer_advance(&conn->rx, len);
	/* A peer that fills the ring reads what we store here: not with each message. */
	if (unlikely(++conn->n_kept >= conn->keep_max || conn->rx.pos >= conn->publish_at))
		comch_connection_publish(conn);
	return COMCH_POLL_MESSAGE;
}

/*
 * In recv_cb: the message, of len bytes, is not taken. It stays the next one of its connection, and
 * comes again with the next poll.
 */
static inline void comch_connection_refuse(struct doca_comch_connection *conn, uint32_t len)
{
	counters_add(&conn->line->received, (uint64_t)-1);
	counters_add(&conn->line->received_bytes, -(uint64_t)len);
	if (conn->state == COMCH_LEAVING)
		conn->drain_left++;
	/* As if the context were gone: nobody goes on from here. */
	conn->comch->ctx.pe->polling = NULL;
}

/* At most one message. */
static inline int comch_connection_poll(struct doca_comch_connection *conn)
{
	const void *payload;
	uint32_t len, kind;
	int r;

	if (unlikely(conn->state != COMCH_UP))
		return comch_connection_poll_leaving(conn);
	r = ring_consumer_peek(&conn->rx, &payload, &len, &kind);
	if (r == 0 && unlikely(conn->mirror != NULL))
		r = comch_mirror_peek(conn, &payload, &len, &kind);
	if (r == 0) {
		if (conn->n_kept != 0)
			comch_connection_publish(conn);
		if (unlikely(++conn->n_empty % COMCH_CLOSE_CHECK == 0))
			comch_connection_check_closed(conn);
		return COMCH_POLL_NOTHING;
	}
	if (unlikely(r < 0 || kind != RING_MSG_DATA))
		return comch_connection_poll_otherwise(conn, r, kind, payload, len);
	return comch_connection_deliver(conn, payload, len);
}

#endif
