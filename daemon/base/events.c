/* Events of the daemon's objects; see events.h. */
#include "daemon/base/events.h"

#include <stddef.h>

void events_subscribe(struct events *events, struct events_subscriber *subscriber)
{
	struct events_subscriber **at = &events->first;

	while (*at)
		at = &(*at)->next;
	subscriber->next = NULL;
	*at = subscriber;
}

void events_unsubscribe(struct events *events, struct events_subscriber *subscriber)
{
	for (struct events_subscriber **at = &events->first; *at; at = &(*at)->next) {
		if (*at != subscriber)
			continue;
		*at = subscriber->next;
		return;
	}
}

void events_emit(const struct events *events, enum object_kind kind, enum object_change change,
		 const void *object)
{
	for (const struct events_subscriber *s = events->first; s; s = s->next)
		if (s->on_object)
			s->on_object(s->user, kind, change, object);
}

void events_emit_totals(const struct events *events)
{
	for (const struct events_subscriber *s = events->first; s; s = s->next)
		if (s->on_totals)
			s->on_totals(s->user);
}
