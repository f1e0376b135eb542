/* Positions in lists; see daemon/dbus/cursor.h. */
#include "daemon/dbus/cursor.h"

#include "daemon/dbus/view.h"

static struct bus_cursor *cursor_find(struct bus_cursors *cursors, enum object_kind kind,
				      uint64_t order)
{
	for (unsigned i = 0; i < BUS_MAX_CURSORS; i++)
		if (cursors->list[i].order == order && cursors->list[i].kind == kind)
			return &cursors->list[i];
	return NULL;
}

void bus_cursor_put(struct bus_cursors *cursors, enum object_kind kind, uint64_t order,
		    const void *object)
{
	struct bus_cursor *cursor = cursor_find(cursors, kind, order);

	/* An existing cursor at this position can be reused, even if its object has ended. */
	if (!cursor) {
		cursor = &cursors->list[0];
		for (unsigned i = 1; i < BUS_MAX_CURSORS; i++)
			if (cursors->list[i].used < cursor->used)
				cursor = &cursors->list[i];
		*cursor = (struct bus_cursor){.kind = kind, .order = order, .object = object};
	}
	cursor->used = ++cursors->n_uses;
}

bool bus_cursor_find(struct bus_cursors *cursors, enum object_kind kind, uint64_t order,
		     const void **object_out)
{
	struct bus_cursor *cursor = cursor_find(cursors, kind, order);

	if (!cursor)
		return false;
	*object_out = cursor->object;
	return true;
}

void bus_cursor_removed(struct bus_cursors *cursors, const struct daemon *daemon,
			const void *object)
{
	for (unsigned i = 0; i < BUS_MAX_CURSORS; i++) {
		struct bus_cursor *cursor = &cursors->list[i];

		if (cursor->order && cursor->object == object)
			cursor->object = bus_nouns[cursor->kind].previous(daemon, object);
	}
}
