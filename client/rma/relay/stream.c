/* Ends of relayed streams; see client/rma/relay/stream.h. */
#include "client/rma/relay/stream.h"

#include "client/base/error.h"
#include "client/rma/rendezvous.h"
#include "util/doorbell.h"
#include "util/fd.h"
#include "util/memfd.h"

static doca_error_t fds_check(const struct relay_stream_fds *fds)
{
	const char *wrong = NULL;

	if (memfd_verify(fds->memfd, CHANNEL_HEADER_LEN + 2 * (size_t)COPY_RING_LEN) < 0)
		wrong = "its memory is too short or not sealed";
	else if (!fd_is_eventfd(fds->wait_fd) || !fd_is_eventfd(fds->doorbell_fd))
		wrong = "its doorbells are no eventfds";
	if (wrong == NULL)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_UNEXPECTED, "relay: the daemon's stream is not usable: %s",
			 wrong);
}

static doca_error_t stream_map(struct relay_stream *stream, int memfd)
{
	const struct channel_header *header;

	stream->header = memfd_map(memfd, 0, CHANNEL_HEADER_LEN, true);
	for (size_t i = 0; stream->header != NULL && i < ARRAY_LEN(stream->areas); i++)
		stream->areas[i] = memfd_map_twice(
			memfd, CHANNEL_HEADER_LEN + i * (uint64_t)COPY_RING_LEN, COPY_RING_LEN);
	if (stream->header == NULL || stream->areas[0] == NULL || stream->areas[1] == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "relay: the stream's memory cannot be mapped: %m");
	header = stream->header;
	if (header->magic != CHANNEL_MAGIC || header->version != CHANNEL_LAYOUT ||
	    header->ring_len != COPY_RING_LEN)
		return error_set(DOCA_ERROR_UNSUPPORTED_VERSION,
				 "relay: the stream's memory has another layout; update library "
				 "and daemon together");
	return DOCA_SUCCESS;
}

doca_error_t relay_stream_init(struct relay_stream *stream, struct relay_stream_fds *fds,
			       bool is_caller)
{
	/* Ring 0 carries the data of the called end. */
	size_t tx = is_caller ? 1 : 0;
	doca_error_t result = fds_check(fds);

	*stream = (struct relay_stream)RELAY_STREAM_INIT;
	if (result == DOCA_SUCCESS)
		result = stream_map(stream, fds->memfd);
	if (result != DOCA_SUCCESS) {
		relay_stream_deinit(stream);
		return result;
	}
	ring_producer_init(&stream->tx, &stream->header->ring[tx], stream->areas[tx], COPY_RING_LEN,
			   COPY_MSG_MAX, COPY_QUEUE);
	ring_consumer_init(&stream->rx, &stream->header->ring[1 - tx], stream->areas[1 - tx],
			   COPY_RING_LEN, COPY_MSG_MAX);
	(void)doorbell_open();
	stream->wait_fd = fd_steal(&fds->wait_fd);
	stream->doorbell_fd = fd_steal(&fds->doorbell_fd);
	stream->pidfd = fd_steal(&fds->pidfd);
	return DOCA_SUCCESS;
}

static void fds_close(struct relay_stream_fds *fds)
{
	fd_close(&fds->memfd);
	fd_close(&fds->wait_fd);
	fd_close(&fds->doorbell_fd);
	fd_close(&fds->pidfd);
}

doca_error_t relay_stream_from_answer(struct rpc_reply *answer, bool is_caller,
				      struct copy_details *other_out,
				      struct relay_stream *stream_out)
{
	const Dococore__RdmaCall *call = answer->packet->rdma_call;
	struct relay_stream_fds fds;
	doca_error_t result;

	if (call->ring_len != COPY_RING_LEN ||
	    !copy_details_decode(call->details.data, call->details.len, other_out))
		return error_set(DOCA_ERROR_UNSUPPORTED_VERSION,
				 "relay: the other end's stream is of another version; have one "
				 "version on both machines");
	fds = (struct relay_stream_fds){
		.memfd = fdset_steal(&answer->fds, 0),
		.wait_fd = fdset_steal(&answer->fds, 1),
		.doorbell_fd = fdset_steal(&answer->fds, 2),
		.pidfd = fdset_steal(&answer->fds, 3),
	};
	result = relay_stream_init(stream_out, &fds, is_caller);
	fds_close(&fds);
	return result;
}

doca_error_t relay_stream_fetch(const struct rendezvous *rendezvous, uint64_t call_id,
				bool is_caller, struct copy_details *other_out,
				struct relay_stream *stream_out)
{
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	doca_error_t result = rendezvous_fetch(rendezvous, call_id, &answer);

	if (result != DOCA_SUCCESS)
		return result;
	return relay_stream_from_answer(&answer, is_caller, other_out, stream_out);
}

void relay_stream_deinit(struct relay_stream *stream)
{
	for (size_t i = 0; i < ARRAY_LEN(stream->areas); i++) {
		if (stream->areas[i] != NULL)
			memfd_unmap_twice(stream->areas[i], COPY_RING_LEN);
	}
	if (stream->header != NULL)
		memfd_unmap(stream->header, CHANNEL_HEADER_LEN);
	fd_close(&stream->wait_fd);
	fd_close(&stream->doorbell_fd);
	fd_close(&stream->pidfd);
	*stream = (struct relay_stream)RELAY_STREAM_INIT;
}

void relay_stream_send(struct relay_stream *stream, uint32_t len)
{
	if (ring_producer_publish(&stream->tx, len, RING_MSG_DATA))
		doorbell_ring_edge(stream->doorbell_fd);
}

void relay_stream_release(struct relay_stream *stream, uint32_t len)
{
	if (ring_consumer_release(&stream->rx, len))
		doorbell_ring_edge(stream->doorbell_fd);
}
