/*
 * Events to one context of a client: the event ring, and a bounded queue in the daemon for events
 * that do not fit while the client is busy. Never blocks. Owned by a service or a channel.
 *
 * A client with too many waiting events reads none and is dropped. Events of consumers and of
 * closed channels do not count towards that limit, because the other end can cause them at any
 * rate. The event that a server's device was removed does not count either.
 *
 * The daemon bounds the events that do not count. It cancels the events of a channel that began and
 * ended unseen. Once EVENT_OUT_MANY events wait, it also cancels those of a consumer that began and
 * ended unseen. Beyond that there are never more such events than consumers. Below EVENT_OUT_MANY
 * the client is notified of every consumer.
 *
 * The ring outlives the daemon (daemon/store/persist.h), and the events in the queue are persisted
 * as well.
 */
#ifndef DAEMON_SESSION_EVENT_OUT_H
#define DAEMON_SESSION_EVENT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/loop.h"
#include "proto/event_ring.h"

#define EVENT_OUT_MAX_QUEUED 4096u
/* Half the number of events that the ledger keeps for one session. */
#define EVENT_OUT_MANY 512u

struct session;

struct event_queued {
	struct event event;
	uint32_t cell; /* cell of its record in the ledger, or 0 */
};

struct event_out {
	struct event_writer writer;
	struct loop_source *retry;
	struct session *session;    /* for the ledger: the owning session, */
	uint32_t owner;             /* the record type of the owner, */
	uint64_t owner_id;          /* and the owner's id */
	struct event_queued *queue; /* n_queued events, starting at index first */
	size_t first, n_queued, n_allocated;
	size_t n_limited;       /* number of queued events that count towards the limit */
	uint64_t delay_ns;      /* until the next retry */
	bool queue_is_doubtful; /* the first queued event may be in the ring already */
};

#define EVENT_OUT_INIT                       \
	{                                    \
		.writer = EVENT_WRITER_INIT, \
	}

/* Returns 0 or -errno. */
int event_out_init(struct event_out *out, struct loop *loop);
/*
 * Restores the ring of an earlier daemon instance. Takes ownership of both descriptors, also on
 * failure. Returns 0, -EPROTO or another -errno.
 */
int event_out_resume(struct event_out *out, struct loop *loop, int memfd, int eventfd);
void event_out_deinit(struct event_out *out);
/* Sets the owner for the records. Before this call no event is persisted. */
void event_out_set_owner(struct event_out *out, struct session *session, uint32_t owner,
			 uint64_t owner_id);
/* Restores a queued event of an earlier daemon instance. Returns 0 or -ENOMEM. */
int event_out_restore(struct event_out *out, const struct event *event, uint32_t cell);
/*
 * True if the event was pushed, as far as can be seen: it is among the last in the ring, or is
 * queued.
 */
bool event_out_has(const struct event_out *out, const struct event *event);
/*
 * Returns 0; -ENOBUFS: the client reads no events; -EPROTO: the client's ring is invalid; or
 * -ENOMEM.
 */
int event_out_push(struct event_out *out, const struct event *event);
/* True if one more event that counts would exceed the limit. */
bool event_out_is_full(const struct event_out *out);
/* True if EVENT_OUT_MANY events of any kind are queued. */
bool event_out_has_many(const struct event_out *out);
/*
 * Cancels the latest queued event of this type, id and arg. Returns false if it is in the ring
 * already.
 */
bool event_out_cancel(struct event_out *out, const struct event *event);

#endif
