/*
 * Restores what an earlier daemon instance left in ledger and fd store (daemon/store/persist.h):
 * sessions with their sockets, handles, exports, imports, comch servers, channels, consumers and
 * rendezvous endpoints. All of it is validated. A record that cannot be parsed makes all records
 * unusable. A session with missing or inconsistent state is ended, and its client reconnects.
 */
#ifndef DAEMON_RESUME_RESUME_H
#define DAEMON_RESUME_RESUME_H

#include <stdbool.h>

#include "proto/frame.h"

struct daemon;
struct session;

/*
 * Returns 0, or -errno (-EPROTO for invalid records) with nothing restored. daemon->ledger stays
 * open.
 */
int resume_all(struct daemon *daemon);
/*
 * If an earlier daemon instance has executed the request without removing it from the socket,
 * repeats the answer. Returns false if the request is new.
 */
bool resume_answer_again(struct session *session, const Dococore__Packet *packet);

#endif
