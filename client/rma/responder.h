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

#include <stdbool.h>

#include <doca_error.h>

struct export;

/* Returns true if DOCOCORED_TRANSPORT requests RDMA devices even where there are other
 * transports. */
bool responder_is_asked(void);
/* Adds an export. From here on the responder owns its memory key, if it has one. */
doca_error_t responder_add(struct export *export);
/* Removes an export and frees its key, so that the device refuses requests. */
void responder_remove(struct export *export);

#endif
