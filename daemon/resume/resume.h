/*
 * Takes up what an earlier instance of the daemon left in ledger and fd store
 * (daemon/store/persist.h): sessions with their sockets, handles, exports, imports, comch servers,
 * channels, consumers, RDMA ports. Nothing that is read there is trusted: a record that does not
 * parse makes all of it unusable, a session of which anything is missing or contradicts itself is
 * left to connect again.
 */
#ifndef DAEMON_RESUME_RESUME_H
#define DAEMON_RESUME_RESUME_H

#include <stdbool.h>

#include "proto/frame.h"

struct daemon;
struct session;

/* 0, or -EPROTO or -errno, and nothing was taken up. daemon->ledger stays. */
int resume_all(struct daemon *daemon);
/* If the request was done already, by an earlier instance that did not come to take it from the
 * socket: answers once more. False: it is new. */
bool resume_answer_again(struct session *session, const Dococore__Packet *packet);

#endif
