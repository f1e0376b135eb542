/*
 * The importer's end of relayed copies (proto/copy_stream.h), as a provider of ports: a requester
 * posts reads and writes to it as to an RDMA device, and each queue pair is a stream to one
 * process. Of sync events it also knows additions. It knows nothing else: no messages, no atomics
 * on memory, no addresses. A request fits one message of the stream; what the stream has no room
 * for is AGAIN, and RDMA_QP_ROOM is told later.
 * When a stream ends, RDMA_QP_BROKEN says so with CONNECTION_RESET, and what is posted waits: for
 * another stream, in which it is asked again, or for the end of the queue pair. The exporter's end
 * does nothing twice. A breach of the protocol is IO_FAILED, and all comes back.
 * Threads: one at a time per port.
 */
#ifndef CLIENT_RMA_RELAY_PROVIDER_H
#define CLIENT_RMA_RELAY_PROVIDER_H

#include "client/memory/transport.h"
#include "client/rma/provider.h"
#include "client/rma/relay/stream.h"

/* In no table: it serves imports of the transport `relay`, whatever their device is. */
extern const struct rdma_port_ops rdma_relay;
extern const struct xport_ops xport_relay;

/* Gives the stream up, if there is one, and keeps what is posted for the next. */
void relay_qp_detach(struct rdma_qp *qp);
/* The oldest request that has no answer, or NULL. */
const struct rdma_wr *relay_qp_oldest(const struct rdma_qp *qp);
/*
 * Takes the stream: requests are sent. 0 or -errno; -ESTALE: the exporter's end, which said
 * `other`, does not know whether it has carried out what was asked in an earlier one.
 */
int relay_qp_attach(struct rdma_qp *qp, struct relay_stream *stream,
		    const struct copy_details *other);

#endif
