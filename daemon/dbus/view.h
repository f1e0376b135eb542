/*
 * View of the daemon's objects for operators, one noun for each kind. Pure functions of the
 * daemon's state: the caller must not keep an object beyond the current callback of the event loop.
 * Secrets are never among the facts. See doc/dbus.md.
 */
#ifndef DAEMON_DBUS_VIEW_H
#define DAEMON_DBUS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/events.h"
#include "daemon/dbus/record.h"

struct daemon;

/* Facts by which lists are filtered, and which are sent for an object that is gone. */
struct bus_facts {
	uint64_t id;
	uint64_t order; /* increases from one object of a list to the next */
	bool has_owner;
	uint64_t pid, uid;
	const char *name;   /* its own, or its owner's program; never NULL */
	const char *device; /* never NULL; "" if it has none */
};

struct bus_noun {
	const char *name;   /* "export" */
	const char *folder; /* "exports": the path is /org/dococore/exports/ID */
	const char *interface;
	const char *list, *get; /* methods of the manager */
	/* Returns the object after `at` (NULL: the first), or NULL at the end. */
	const void *(*next)(const struct daemon *daemon, const void *at);
	/*
	 * Returns the object before, or NULL if it is the first. Set only for kinds whose removal
	 * is recorded; other lists are short.
	 */
	const void *(*previous)(const struct daemon *daemon, const void *at);
	void (*fill)(struct record *rec, const void *object);
	void (*facts)(const void *object, struct bus_facts *facts_out);
};

extern const struct bus_noun bus_nouns[OBJECT_N_KINDS];

/* Returns NULL if there is none. */
const void *bus_view_find(const struct daemon *daemon, enum object_kind kind, uint64_t id);
/* True if the object, or an object that it has open, belongs to this device or representor. */
bool bus_view_is_of_device(enum object_kind kind, const void *object, const char *device);

#endif
