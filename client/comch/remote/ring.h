/*
 * Remote rings: messages of a connection between machines, sent without the daemons. If both
 * machines have an RDMA device, each end exports a copy of its receive ring
 * (proto/remote_ring_layout.h), and the other end writes its messages there. Until then, or if it
 * is not possible or not offered in a direction, the daemons relay. A direction switches over once
 * and never back.
 *
 * A connection that may have a remote ring sends through a ring in its own memory, as through that
 * of its channel, so that sending costs nothing extra. The ring's `armed` word is always set, so
 * that each message rings, and ringing posts the requests.
 *
 * Each remote ring has a queue pair of its own, so that a broken queue pair affects no other. A
 * server has at most 64 of them; messages of further clients are relayed. Work items create and end
 * the exports and imports (client/comch/remote/ring_memory.h), so no call waits for a daemon. If
 * the device fails to deliver, the connection ends: at once if the daemons know the reason,
 * otherwise after 1 s in which they may report it.
 *
 * Not everything is posted when a message is sent: messages that found no room, and the ring for a
 * sleeping peer, follow with progress. The send task is therefore held until its message has
 * arrived and no peer is left to wake. DOCOCORED_MIRROR=0 disables remote rings.
 *
 * client/comch/remote/ring.c has the connection's part, client/comch/remote/ring_path.c the
 * requests, client/comch/remote/ring_delivery.c what waits for them,
 * client/comch/remote/ring_memory.c what needs the daemons. Threads: the owner's, except that the
 * responder's thread rings the doorbell.
 */
#ifndef CLIENT_COMCH_REMOTE_RING_H
#define CLIENT_COMCH_REMOTE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

#include "proto/dococore.pb-c.h"
#include "proto/ring.h"

struct comch;
struct comch_remote_ring;
struct comch_remote_rings;
struct doca_comch_connection;
struct doca_task;

/* Returns whether this end understands messages between libraries. The daemon is notified of it. */
bool comch_remote_ring_is_supported(const struct comch *comch);
/* Offers the other end a remote ring if possible. The connection is new, and continues in
 * any case. */
void comch_remote_ring_open(struct doca_comch_connection *conn,
			    const Dococore__ChannelReply *reply);
/*
 * Closes the sending direction, after waiting at most 1 s for sent messages to arrive. Returns the
 * ring that the daemons have. Returns NULL if messages were lost or an operator revoked the export;
 * the daemon was notified of that, and the ring is not closed.
 */
struct ring_producer *comch_remote_ring_drain(struct doca_comch_connection *conn);
/* Waits for the messages of all connections together, at most 1 s; comch_remote_ring_drain() for
 * each follows. */
void comch_remote_rings_drain(struct comch *comch);
/* Called before the connection's descriptors are closed. */
void comch_remote_ring_close(struct doca_comch_connection *conn);

/* Like ring_consumer_peek() on the connection's ring, after making batches available that have
 * arrived. */
int comch_remote_ring_peek(struct doca_comch_connection *conn, const void **payload_out,
			   uint32_t *len_out, uint32_t *kind_out);
/* Handles a message of the other end's library and removes it from the ring. Returns false if it
 * breaks the rules. */
bool comch_remote_ring_receive_control(struct doca_comch_connection *conn, const uint8_t *payload,
				       uint32_t len);
/* Called when messages were published for the other end, whose `armed` word was set. */
void comch_remote_ring_ring(struct doca_comch_connection *conn);
/* Called before a message is sent. In a forked child, returns NOT_CONNECTED with an error sentence,
 * because the memory is shared with the parent. */
doca_error_t comch_remote_ring_check(const struct doca_comch_connection *conn);
/* Called after a task's message was published: holds the task until the message has arrived.
 * Returns false if the task need not wait. */
bool comch_remote_ring_hold(struct doca_comch_connection *conn, struct doca_task *task,
			    uint32_t flags);
/* Called when there was no room for a message of this length. */
void comch_remote_ring_await_room(struct doca_comch_connection *conn, uint32_t len);

/* For a server or client with remote rings; see struct ctx_ops. */
void comch_remote_rings_poll(struct comch *comch);
bool comch_remote_rings_arm(struct comch *comch);
void comch_remote_rings_disarm(struct comch *comch);
/* Called when all connections are closed. */
void comch_remote_rings_close(struct comch *comch);

#endif
