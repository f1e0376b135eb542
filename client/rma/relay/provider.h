/*
 * The importer's end of relayed copies (proto/copy_stream.h), as an RMA provider. A requester posts
 * reads and writes as to an RDMA device, and each queue pair is a stream to one process. It
 * supports additions to sync events too, but nothing else: no messages, no atomics on memory, no
 * addresses.
 *
 * A request fits one message of the stream. If the stream has no room, post returns AGAIN and
 * RDMA_QP_WRITABLE is reported later. When a stream ends, RDMA_QP_BROKEN is reported with
 * CONNECTION_RESET. Posted requests then wait for another stream, in which they are sent again, or
 * for the end of the queue pair. The exporter's end executes no request twice. After a breach of
 * the protocol, RDMA_QP_BROKEN is reported with IO_FAILED and all requests are returned. Threads:
 * one at a time per domain.
 */
#ifndef CLIENT_RMA_RELAY_PROVIDER_H
#define CLIENT_RMA_RELAY_PROVIDER_H

#include "client/memory/transport.h"
#include "client/rma/provider.h"
#include "client/rma/relay/stream.h"

/* Not in the table of providers: it serves imports of the transport `relay`, whatever their device
 * is. */
extern const struct rdma_provider rdma_relay;
extern const struct transport_ops transport_relay;

/* Closes the stream, if there is one, and keeps the posted requests for the next stream. */
void relay_qp_detach(struct rdma_qp *qp);
/* Returns the oldest request without an answer, or NULL. */
const struct rdma_wr *relay_qp_oldest(const struct rdma_qp *qp);
/* Adopts a stream and sends the requests. Returns 0 or -errno. -ESTALE means that the exporter's
 * end, which sent `other`, does not know whether it executed requests of an earlier stream. */
int relay_qp_attach(struct rdma_qp *qp, struct relay_stream *stream,
		    const struct copy_details *other);

#endif
