/* What the files of the imports share; see import.h. */
#ifndef DAEMON_MEMORY_IMPORT_INTERNAL_H
#define DAEMON_MEMORY_IMPORT_INTERNAL_H

#include "daemon/base/code.h"
#include "daemon/memory/import.h"

struct import *import_find(struct daemon *daemon, uint64_t id);
/* Refuses the client's request and frees the import. */
void import_fail(struct import *import, enum code code, const char *text);
/* Nobody knows the export. */
void import_fail_unknown(struct import *import, enum code code, const char *text);
/* It is alive. fds stay the caller's. */
void import_reply(struct import *import, Dococore__ImportReply *reply, const int *fds,
		  size_t n_fds);

/* Asks the next linked peer after the one asked last that is not too busy. False: there is none
 * left. If one of those passed by was too busy the import has failed, and it is true. */
bool import_ask_next(struct import *import);
/* Whoever is linked now, from the first; else the import fails. */
void import_ask_again(struct import *import);
/* The peer has granted it, or may still. */
void import_tell_given_up(const struct import *import);
/* The exporter's operator wants to know it, too. */
void import_tell_choice(struct import *import);
void import_on_answer(struct peer_request *request, const Dococore__Packet *answer,
		      struct fdset *fds);
void import_on_renewed(struct peer_request *request, const Dococore__Packet *answer,
		       struct fdset *fds);

#endif
