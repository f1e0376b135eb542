/*
 * Grace period for a link that is about to come back. If a linked peer is lost, or this daemon has
 * resumed the state of an earlier instance, the other daemon is probably restarting. For a short
 * time, requests that need it are not refused: new ones stay in their sockets, and those in transit
 * are repeated when the peer has announced its functions. When the time is over, processing
 * continues without the peer. Requests that need no peer are answered all the time.
 *
 * The grace period is three seconds in all, not for each loss: what was spent of it is earned again
 * by as much time as a link lasts. A peer that links and breaks again and again can delay requests
 * once.
 */
#ifndef DAEMON_SESSION_GRACE_PERIOD_H
#define DAEMON_SESSION_GRACE_PERIOD_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/frame.h"

struct daemon;

/* Call when a peer was lost that had been linked for linked_ns. */
void grace_period_begin(struct daemon *daemon, uint64_t linked_ns);
/*
 * Call when a peer is linked and has announced its functions. Channels of other peers continue to
 * wait.
 */
void grace_period_end(struct daemon *daemon);
bool grace_period_is_active(const struct daemon *daemon);
/* True if this request must wait. */
bool grace_period_defers(const struct daemon *daemon, const Dococore__Packet *packet);

#endif
