/*
 * Events of the daemon's objects. The room that owns an object emits an event when the object is
 * added, changes or is removed; views subscribe, such as D-Bus and the status line. So a room does
 * not need to know the views. Subscribers run inside the call that emits, in the order in which
 * they subscribed, and must not change the object. Single-threaded, in the daemon's loop.
 */
#ifndef DAEMON_BASE_EVENTS_H
#define DAEMON_BASE_EVENTS_H

enum object_kind {
	OBJECT_DEVICE,
	OBJECT_REPRESENTOR,
	OBJECT_CLIENT,
	OBJECT_EXPORT,
	OBJECT_EVENT, /* an export that is a sync event; the exports include it, too */
	OBJECT_IMPORT,
	OBJECT_SERVICE,
	OBJECT_CHANNEL,
	OBJECT_PEER,
	OBJECT_ACCOUNT,  /* its id is the uid */
	OBJECT_COUNTERS, /* of an object of a client, in pages of its own */
	OBJECT_N_KINDS,
};

enum object_change { OBJECT_ADDED, OBJECT_CHANGED, OBJECT_REMOVED };

/* A subscriber, which owns this structure. A callback that is NULL is not called. */
struct events_subscriber {
	void (*on_object)(void *user, enum object_kind kind, enum object_change change,
			  const void *object);
	void (*on_totals)(void *user);
	void *user;
	struct events_subscriber *next; /* for events.c */
};

/* Zero-initialised if there is no subscriber. */
struct events {
	struct events_subscriber *first;
};

/* The subscriber must stay valid until events_unsubscribe(). */
void events_subscribe(struct events *events, struct events_subscriber *subscriber);
/* Does nothing if the subscriber is not subscribed. */
void events_unsubscribe(struct events *events, struct events_subscriber *subscriber);
/* Emits a change of one object. An object that is removed must still be in its list. */
void events_emit(const struct events *events, enum object_kind kind, enum object_change change,
		 const void *object);
/*
 * Emits a change of the totals that the status line shows: the numbers of clients, exports,
 * imports, servers, channels, linked peers and devices.
 */
void events_emit_totals(const struct events *events);

#endif
