/*
 * Lets RDMA devices of other processes at what this process exports. For each device there is a
 * port, whose queue pairs only answer, an agent at the daemon, and a thread which connects those
 * who call: so an export can be read while its process sleeps in getchar(). They are there while
 * exports of the device are that are asked for from other machines, or from this one
 * (DOCOCORED_TRANSPORT=verbs), and never otherwise. What an operator revokes the thread takes from
 * the device. The thread also moves what the daemons relay for importers without an RDMA device
 * (client/rma/relay/serve.h); where the exporter has none either, there is no port.
 * Threads: any; one lock for all, and one for the exports that a responder has, which its thread
 * takes as well.
 */
#ifndef CLIENT_RMA_RESPONDER_H
#define CLIENT_RMA_RESPONDER_H

#include <stdbool.h>

#include <doca_error.h>

struct export;

/* True if DOCOCORED_TRANSPORT asks for RDMA devices also where there are other ways. */
bool responder_is_asked(void);
/* From here on the export's memory key, if it has one, is the responder's. */
doca_error_t responder_add(struct export *export);
/* The key ends, too: the device refuses. */
void responder_remove(struct export *export);

#endif
