/*
 * One end of a stream that the daemons relay between an importer's process and an exporter's
 * (proto/copy_stream.h): two rings that this side's daemon made, the doorbells of both directions,
 * and a pidfd of that daemon, which is the other end of the rings. A hostile process of another
 * machine may have written the rings' contents. The rings validate their own words; the user
 * validates the messages. Threads: those of the user, one at a time.
 */
#ifndef CLIENT_RMA_RELAY_STREAM_H
#define CLIENT_RMA_RELAY_STREAM_H

#include <stdbool.h>

#include <doca_error.h>

#include "proto/copy_stream.h"
#include "proto/ring.h"

struct rendezvous;
struct rpc_reply;

struct relay_stream {
	struct channel_header *header; /* NULL if there is no stream */
	uint8_t *areas[2];
	int wait_fd;     /* rung by the daemon; watched edge-triggered and never read */
	int doorbell_fd; /* rings the daemon */
	int pidfd;       /* the daemon's; -1 if it is not available */
	struct ring_producer tx;
	struct ring_consumer rx;
};

#define RELAY_STREAM_INIT                                                     \
	{                                                                     \
		.header = NULL, .wait_fd = -1, .doorbell_fd = -1, .pidfd = -1 \
	}

/* The descriptors of a RdmaCall, in the order of the protocol. */
struct relay_stream_fds {
	int memfd, wait_fd, doorbell_fd, pidfd;
};

/* Fetches the stream of a call that was accepted, and what the other end sent with it. Can be
 * called once per call. Errors come with an error sentence. */
doca_error_t relay_stream_fetch(const struct rendezvous *rendezvous, uint64_t call_id,
				bool is_caller, struct copy_details *other_out,
				struct relay_stream *stream_out);
/* Builds the stream from the daemon's answer that contains it. */
doca_error_t relay_stream_from_answer(struct rpc_reply *answer, bool is_caller,
				      struct copy_details *other_out,
				      struct relay_stream *stream_out);
/* Builds the stream from its descriptors. On success takes all of them but the memfd. Returns
 * UNEXPECTED, NO_MEMORY or UNSUPPORTED_VERSION with an error sentence on failure. */
doca_error_t relay_stream_init(struct relay_stream *stream, struct relay_stream_fds *fds,
			       bool is_caller);
/* Idempotent. */
void relay_stream_deinit(struct relay_stream *stream);
/* Sends the message that was written at tx's payload. */
void relay_stream_send(struct relay_stream *stream, uint32_t len);
/* Releases the message that the last peek returned. */
void relay_stream_release(struct relay_stream *stream, uint32_t len);

#endif
