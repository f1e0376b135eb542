/*
 * Responder: gives RDMA devices of other processes access to what this process exports. Each device
 * has a domain whose queue pairs only answer, a rendezvous endpoint, and a thread that connects
 * callers. An export can therefore be read while its process sleeps in getchar(). They exist only
 * while the device has exports that are requested for other machines, or for this one
 * (DOCOCORED_TRANSPORT=verbs). If an operator revokes an export, the thread removes it from the
 * device. The thread also serves the requests that the daemons relay for importers without an RDMA
 * device (client/rma/relay/serve.h). If the exporter has no RDMA device either, there is no domain.
 * Threads: any. One lock protects the list of responders; another protects the exports of a
 * responder, and its thread takes it too.
 */
#ifndef CLIENT_RMA_RESPONDER_H
#define CLIENT_RMA_RESPONDER_H

#include "client/memory/export.h"

extern const struct export_server_ops responder_ops;

#endif
