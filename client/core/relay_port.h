/*
 * The importer's end of relayed copies (proto/copy_stream.h), as a provider of ports: a requester
 * posts reads and writes to it as to an RDMA device, and each queue pair is a stream to one
 * process. Of sync events it also knows additions. It knows nothing else: no messages, no atomics
 * on memory, no addresses. A request fits one message of the stream; what the stream has no room
 * for is AGAIN, and RDMA_QP_ROOM is told later.
 * Threads: one at a time per port.
 */
#ifndef CLIENT_CORE_RELAY_PORT_H
#define CLIENT_CORE_RELAY_PORT_H

#include "client/core/rdma_port.h"
#include "client/core/relay_stream.h"
#include "client/core/transport.h"

/* In no table: it serves imports of the transport `relay`, whatever their device is. */
extern const struct rdma_port_ops rdma_relay;
extern const struct xport_ops xport_relay;

/* Takes the stream: requests may be posted. 0 or -errno. */
int relay_qp_attach(struct rdma_qp *qp, struct relay_stream *stream);

#endif
