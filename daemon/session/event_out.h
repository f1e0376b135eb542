/*
 * Events to one context of a client: the event ring, and a bounded queue in the daemon for what
 * does not fit while the client is busy. Never blocks. Owned by a service or a channel.
 *
 * A client that lets too many events wait reads nothing and is given up. Events of consumers, and
 * of channels that were closed, do not count for that: the other end makes them, as fast as it
 * likes. Nor does the event of a server whose device was taken away.
 *
 * The daemon bounds those that do not count. It takes out the events of a channel that began and
 * ended unseen, and, once EVENT_OUT_MANY events wait, those of a consumer that did: beyond that
 * there are never more of them than consumers. Up to then the client learns of every consumer.
 *
 * The ring outlives the daemon (daemon/store/persist.h); what waits in the queue is written down as
 * well.
 */
#ifndef DAEMON_SESSION_EVENT_OUT_H
#define DAEMON_SESSION_EVENT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/loop.h"
#include "proto/event_ring.h"

#define EVENT_OUT_MAX_QUEUED 4096u
/* Half of what the ledger keeps for one session. */
#define EVENT_OUT_MANY 512u

struct session;

struct event_queued {
	struct event event;
	uint32_t cell; /* of its record in the ledger, or 0 */
};

struct event_out {
	struct event_writer writer;
	struct loop_source *retry;
	struct session *session;    /* for the ledger: whose it is, */
	uint32_t owner;             /* the type of the owner's record, */
	uint64_t owner_id;          /* and the owner's id */
	struct event_queued *queue; /* n_queued events from first on */
	size_t first, n_queued, n_allocated;
	size_t n_limited;       /* of those that are queued */
	uint64_t delay_ns;      /* until the next look */
	bool queue_is_doubtful; /* the first may be in the ring already */
};

#define EVENT_OUT_INIT                       \
	{                                    \
		.writer = EVENT_WRITER_INIT, \
	}

/* 0 or -errno. */
int event_out_init(struct event_out *out, struct loop *loop);
/* One of an earlier instance; takes both descriptors, also when it fails. 0, -EPROTO, -errno. */
int event_out_resume(struct event_out *out, struct loop *loop, int memfd, int eventfd);
void event_out_deinit(struct event_out *out);
/* Whose it is; before that nothing is written down. */
void event_out_own(struct event_out *out, struct session *session, uint32_t owner,
		   uint64_t owner_id);
/* An event that waited in the queue of an earlier instance. 0 or -ENOMEM. */
int event_out_take_up(struct event_out *out, const struct event *event, uint32_t cell);
/* Was pushed, as far as can be seen: among the last in the ring, or it waits. */
bool event_out_has(const struct event_out *out, const struct event *event);
/* 0; -ENOBUFS: the client reads nothing; -EPROTO: it broke the ring; -ENOMEM. */
int event_out_push(struct event_out *out, const struct event *event);
/* One more that counts would be too many. */
bool event_out_is_full(const struct event_out *out);
/* EVENT_OUT_MANY events, of whatever type, wait for the client. */
bool event_out_has_many(const struct event_out *out);
/* Takes the latest event of this type, id and arg back. False when it is in the ring already. */
bool event_out_cancel(struct event_out *out, const struct event *event);

#endif
