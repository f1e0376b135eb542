/*
 * One end of a stream that the daemons relay between an importer's process and an exporter's
 * (proto/copy_stream.h): two rings that this side's daemon made, the bells of both directions, and
 * a pidfd of that daemon, as it is the other end of the rings. What lies in the rings was perhaps
 * written by a hostile process of another machine; the rings check their own words, the user what
 * the messages say.
 * Threads: those of the user, one at a time.
 */
#ifndef CLIENT_RMA_RELAY_STREAM_H
#define CLIENT_RMA_RELAY_STREAM_H

#include <stdbool.h>

#include <doca_error.h>

#include "proto/copy_stream.h"
#include "proto/ring.h"

struct rdma_agent;
struct session_answer;

struct relay_stream {
	struct channel_header *header; /* NULL: none */
	uint8_t *areas[2];
	int wait_fd; /* rung by the daemon, watched for edges and never read */
	int bell_fd; /* rings the daemon */
	int pidfd;   /* the daemon's; -1: not to be had */
	struct ring_producer tx;
	struct ring_consumer rx;
};

#define RELAY_STREAM_INIT                                                 \
	{                                                                 \
		.header = NULL, .wait_fd = -1, .bell_fd = -1, .pidfd = -1 \
	}

/* Descriptors of a RdmaCall, in the order of the protocol. */
struct relay_stream_fds {
	int memfd, wait_fd, bell_fd, pidfd;
};

/* Of a call that was accepted, once, with what the other end says. Errors come with a sentence. */
doca_error_t relay_stream_fetch(const struct rdma_agent *agent, uint64_t call_id, bool is_caller,
				struct copy_details *other_out, struct relay_stream *stream_out);
/* Of what was fetched already. */
doca_error_t relay_stream_take(struct session_answer *answer, bool is_caller,
			       struct copy_details *other_out, struct relay_stream *stream_out);
/* From what was fetched; takes all but the memfd on success. UNEXPECTED, NO_MEMORY,
 * UNSUPPORTED_VERSION, with a sentence. */
doca_error_t relay_stream_init(struct relay_stream *stream, struct relay_stream_fds *fds,
			       bool is_caller);
/* May be called twice. */
void relay_stream_deinit(struct relay_stream *stream);
/* The message at tx's payload is written. */
void relay_stream_send(struct relay_stream *stream, uint32_t len);
/* The message that the last peek returned is done with. */
void relay_stream_release(struct relay_stream *stream, uint32_t len);

#endif
