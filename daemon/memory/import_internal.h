/* Functions that the files of the imports share; see import.h. */
#ifndef DAEMON_MEMORY_IMPORT_INTERNAL_H
#define DAEMON_MEMORY_IMPORT_INTERNAL_H

#include "daemon/base/code.h"
#include "daemon/memory/import.h"

struct import *import_find(struct daemon *daemon, uint64_t id);
/* Refuses the client's request and frees the import. */
void import_fail(struct import *import, enum code code, const char *text);
/* Like import_fail(), if no daemon knows the export. */
void import_fail_unknown(struct import *import, enum code code, const char *text);
/* Answers the client's request: the import is alive. fds stay the caller's. */
void import_reply(struct import *import, Dococore__ImportReply *reply, const int *fds,
		  size_t n_fds);

/*
 * Asks the next linked peer that is not congested, after the one asked last. Returns false if no
 * peer is left. If a peer was skipped because it was congested, fails the import and returns true.
 */
bool import_ask_next(struct import *import);
/* Asks all linked peers again, from the first; if there is none, fails the import. */
void import_ask_again(struct import *import);
/* Notifies the peer that it should drop the grant, which it has given or may still give. */
void import_release_grant(const struct import *import);
/* Reports the transport to the exporter's daemon, whose operator may ask for it. */
void import_report_choice(struct import *import);
void import_on_answer(struct peer_request *request, const Dococore__Packet *answer,
		      struct fdset *fds);
void import_on_renewed(struct peer_request *request, const Dococore__Packet *answer,
		       struct fdset *fds);

#endif
