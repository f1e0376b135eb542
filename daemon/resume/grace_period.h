/*
 * Waits for a link that is about to come back. When a linked peer is lost, or this daemon resumed
 * what an earlier instance left, the other daemon is probably being started again: for a moment
 * what clients ask of it is not refused. Requests that need a peer stay in their sockets, and those
 * that were on their way to it are asked anew when it has told its functions; when the time is
 * over, all goes on without it. What needs no peer is answered throughout.
 */
#ifndef DAEMON_RESUME_GRACE_PERIOD_H
#define DAEMON_RESUME_GRACE_PERIOD_H

#include <stdbool.h>

#include "proto/frame.h"

struct daemon;

/* A linked peer was lost. */
void hold_begin(struct daemon *daemon);
/* A peer is linked and has told its functions. Channels that another peer has go on waiting. */
void hold_end(struct daemon *daemon);
bool hold_is_on(const struct daemon *daemon);
/* Must this request wait? */
bool hold_wants(const struct daemon *daemon, const Dococore__Packet *packet);

#endif
