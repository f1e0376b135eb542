/*
 * Transitions of the daemon's objects between the states of their life cycles; see
 * util/lifecycle.h. Call on a thread that may change the object.
 */
#ifndef DAEMON_BASE_LIFECYCLE_H
#define DAEMON_BASE_LIFECYCLE_H

#include "util/lifecycle.h"

/*
 * Returns `to`, for the caller to store. Logs the transition at debug level; an impossible one is
 * logged as an error, and aborts in tests. `object` is an address that distinguishes objects of one
 * kind in the log.
 */
unsigned lifecycle_enter(const struct lifecycle *cycle, const void *object, unsigned from,
			 unsigned to);

#endif
