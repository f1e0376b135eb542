/*
 * Messages of a connection between machines, past the daemons: where both have an RDMA device, each
 * end exports a mirror of its receive ring (proto/mirror_layout.h), and the other one writes its
 * messages there. Until that is so, in a direction where it is not possible, and if the other end
 * offers none, the daemons relay; a direction changes over once, and back never.
 *
 * A connection that may have a mirror sends through a ring of its own memory, as through that of
 * its channel: sending costs nothing that it did not before. Its `armed` word says that somebody
 * sleeps, so that each message rings, and the ring of the bell is what posts the requests.
 *
 * Each mirror is reached by a queue pair of its own, so that one that breaks breaks nothing else,
 * and a server has so many of them; further clients are relayed. Exports and imports are made and
 * ended by chores (client/comch/remote/ring_memory.h), so nobody waits for a daemon. When the
 * device fails to deliver, the connection ends: at once if the daemons know why, else after a
 * moment in which they may say so.
 *
 * Not all of it is posted when a message is sent: what found no room, and the ring for one that
 * sleeps, follow with progress. So the task that sent it is held until it has arrived, and nobody
 * has to be woken any more. DOCOCORED_MIRROR=0 says that a program wants none.
 *
 * client/comch/remote/ring.c is the connection's part, client/comch/remote/ring_path.c what is
 * posted, client/comch/remote/ring_delivery.c what waits for that,
 * client/comch/remote/ring_memory.c what the daemons are needed for. Threads: the owner's, but for
 * the bell that the responder's thread rings.
 */
#ifndef CLIENT_COMCH_REMOTE_RING_H
#define CLIENT_COMCH_REMOTE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

#include "proto/dococore.pb-c.h"
#include "proto/ring.h"

struct comch;
struct comch_mirror;
struct comch_mirrors;
struct doca_comch_connection;
struct doca_task;

/* To be told to the daemon: messages of libraries are understood. */
bool comch_mirror_is_known(const struct comch *comch);
/* Offers the other end a mirror, if there can be one. The connection is new, and goes on anyway. */
void comch_mirror_open(struct doca_comch_connection *conn, const Dococore__ChannelReply *reply);
/* Nothing more is sent. What was sent is there then, unless that takes a second. The ring that the
 * daemons have, or NULL: it was lost, which the daemon was told, and the ring is not closed. */
struct ring_producer *comch_mirror_finish(struct doca_comch_connection *conn);
/* The same is about to happen to all: the second is one for all of them. */
void comch_mirrors_finish(struct comch *comch);
/* Before the connection's descriptors are closed. */
void comch_mirror_close(struct doca_comch_connection *conn);

/* As ring_consumer_peek() of the connection's ring, which has nothing without a closer look. */
int comch_mirror_peek(struct doca_comch_connection *conn, const void **payload_out,
		      uint32_t *len_out, uint32_t *kind_out);
/* A message of the other end's library, which is taken then. False: one that breaks the rules. */
bool comch_mirror_heard(struct doca_comch_connection *conn, const uint8_t *payload, uint32_t len);
/* Something was published for the other end, who sleeps. */
void comch_mirror_ring(struct doca_comch_connection *conn);
/* Before a message is sent: NOT_CONNECTED, with a sentence, in a child of the process. What it
 * would write to is the parent's as well. */
doca_error_t comch_mirror_check(const struct doca_comch_connection *conn);
/* A task's message was published: the task ends when that has arrived. False: it has not to wait.
 */
bool comch_mirror_hold(struct doca_comch_connection *conn, struct doca_task *task, uint32_t flags);
/* There was no room for a message of this length. */
void comch_mirror_want(struct doca_comch_connection *conn, uint32_t len);

/* Of a server or client with mirrors; see struct ctx_ops. */
void comch_mirrors_work(struct comch *comch);
bool comch_mirrors_arm(struct comch *comch);
void comch_mirrors_disarm(struct comch *comch);
/* All connections are closed. */
void comch_mirrors_close(struct comch *comch);

#endif
