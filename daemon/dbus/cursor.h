/*
 * Positions at which the paged reading of lists continues. Without them each page would walk the
 * list from its beginning, and there may be 100,000 exports. A position is an object. If the object
 * ends, the position moves to the previous one. A lost position costs one walk.
 */
#ifndef DAEMON_DBUS_CURSOR_H
#define DAEMON_DBUS_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/events.h"

#define BUS_MAX_CURSORS 32

struct daemon;

struct bus_cursor {
	enum object_kind kind;
	uint64_t order; /* of the last object that the reader has got; 0: free */
	/* That object or, if it has ended, an earlier one; NULL: the beginning. */
	const void *object;
	uint64_t used;
};

struct bus_cursors {
	struct bus_cursor list[BUS_MAX_CURSORS];
	uint64_t n_uses;
};

void bus_cursor_put(struct bus_cursors *cursors, enum object_kind kind, uint64_t order,
		    const void *object);
/*
 * Returns false if the position is not stored. Otherwise *object_out is the object (or NULL, see
 * above) after which to continue.
 */
bool bus_cursor_find(struct bus_cursors *cursors, enum object_kind kind, uint64_t order,
		     const void **object_out);
/* Call before an object leaves its list. */
void bus_cursor_removed(struct bus_cursors *cursors, const struct daemon *daemon,
			const void *object);

#endif
