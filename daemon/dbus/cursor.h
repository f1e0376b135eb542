/*
 * Where lists that are read page by page go on. Without it each page would walk the list from its
 * beginning, and there may be 100,000 exports. A place is an object that may end at any time: then
 * it moves to the one before. A place that was forgotten costs one walk, nothing else.
 */
#ifndef DAEMON_DBUS_CURSOR_H
#define DAEMON_DBUS_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/dbus/bus.h"

#define BUS_MAX_CURSORS 32

struct bus_cursor {
	enum bus_kind kind;
	uint64_t order;     /* of the last object that the reader has; 0: free */
	const void *object; /* that object or, when it has ended, one before; NULL: the beginning */
	uint64_t used;
};

struct bus_cursors {
	struct bus_cursor list[BUS_MAX_CURSORS];
	uint64_t n_uses;
};

void bus_cursor_put(struct bus_cursors *cursors, enum bus_kind kind, uint64_t order,
		    const void *object);
/* False: forgotten. Else the object (or NULL, see above) after which to look. */
bool bus_cursor_find(struct bus_cursors *cursors, enum bus_kind kind, uint64_t order,
		     const void **object_out);
/* An object is about to leave its list. */
void bus_cursor_removed(struct bus_cursors *cursors, const struct daemon *daemon,
			const void *object);

#endif
