/*
 * Calls to an export without an RDMA device. The importer's process and the exporter's process are
 * connected by two rings each, which the daemons relay (relay.h) over TLS. The contents
 * (proto/copy_stream.h) are private to the two processes; the daemons know which export was called,
 * and that the caller was granted it. A stream is created when the call is accepted, and ends with
 * it. Single-threaded.
 */
#ifndef DAEMON_RDMA_STREAM_H
#define DAEMON_RDMA_STREAM_H

#include <stdbool.h>

#include "daemon/rdma/rdma.h"

/*
 * Creates this end's rings; the ids of both ends are known. Returns 0, -EDQUOT, -ENOMEM or another
 * -errno.
 */
int rdma_stream_start(struct rdma_call *call);
/* Sends the answer to RdmaFetch with the rings' descriptors. */
void rdma_stream_hand_over(struct rdma_call *call, Dococore__Packet *answer);
/* Handle PeerChannelData and PeerChannelCredit with is_call. Return 0 or -EPROTO. */
int rdma_stream_receive(struct peer *peer, const Dococore__PeerChannelData *notice);
int rdma_stream_credit(struct peer *peer, const Dococore__PeerChannelCredit *notice);

/* Defined in rdma.c, for daemon/rdma/stream.c. */
struct rdma_call *rdma_call_find(struct daemon *daemon, uint64_t id);
void rdma_call_push(struct rdma_call *call, enum event_type type, uint32_t code);
/* Notifies the other end and ends this call. */
void rdma_call_end(struct rdma_call *call, uint32_t code, const ProtobufCBinaryData *details);

#endif
