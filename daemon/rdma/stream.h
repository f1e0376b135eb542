/*
 * Calls to an export where no RDMA device is: what is connected are the importer's process and the
 * exporter's, by two rings each that the daemons relay (relay.h), over TLS. What is said in them
 * (proto/copy_stream.h) is theirs; the daemons know which export was called, and that the caller's
 * was granted it. A stream is made when the call is accepted, and goes with it. Single-threaded.
 */
#ifndef DAEMON_RDMA_STREAM_H
#define DAEMON_RDMA_STREAM_H

#include <stdbool.h>

#include "daemon/rdma/rdma.h"

/* Such calls go to and come from that peer. NULL: no. */
bool rdma_stream_may_pass(const struct peer *peer);
/* This end's rings; the ids of both ends are known. 0, -EDQUOT, -ENOMEM, -errno. */
int rdma_stream_start(struct rdma_call *call);
/* Sends the answer to RdmaFetch, with them. */
void rdma_stream_hand_over(struct rdma_call *call, Dococore__Packet *answer);
/* Of PeerChannelData and PeerChannelCredit with is_call. 0 or -EPROTO. */
int rdma_stream_take(struct peer *peer, const Dococore__PeerChannelData *notice);
int rdma_stream_credit(struct peer *peer, const Dococore__PeerChannelCredit *notice);

/* For daemon/rdma/stream.c, in rdma.c. */
struct rdma_call *rdma_call_find(struct daemon *daemon, uint64_t id);
void rdma_call_push(struct rdma_call *call, enum event_type type, uint32_t code);
/* This end says so to the other, and its call ends. */
void rdma_call_end(struct rdma_call *call, uint32_t code, const ProtobufCBinaryData *details);

#endif
