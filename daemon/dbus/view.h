/*
 * What operators see of the daemon's objects, one noun for each sort. Pure functions of the
 * daemon's state: an object that is handed out may not be kept past the callback of the loop.
 * Secrets are never among the facts. See doc/dbus.md.
 */
#ifndef DAEMON_DBUS_VIEW_H
#define DAEMON_DBUS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/dbus/bus.h"
#include "daemon/dbus/record.h"

struct daemon;

/* What lists are filtered by, and what is told of an object that is gone. */
struct bus_facts {
	uint64_t id;
	uint64_t order; /* grows from one object of a list to the next */
	bool has_owner;
	uint64_t pid, uid;
	const char *name;   /* its own, or that of its owner's program; never NULL */
	const char *device; /* never NULL; "" when it has none */
};

struct bus_noun {
	const char *name;   /* "export" */
	const char *folder; /* "exports": /org/dococore/exports/ID */
	const char *interface;
	const char *list, *get; /* methods of the manager */
	/* The object after `at`, NULL: the first. NULL when there is none. */
	const void *(*next)(const struct daemon *daemon, const void *at);
	/* The object before, NULL: it is the first. Only for those that bus_tell() says are
	 * removed; the other lists are short. */
	const void *(*previous)(const struct daemon *daemon, const void *at);
	void (*fill)(struct record *rec, const void *object);
	void (*facts)(const void *object, struct bus_facts *facts_out);
};

extern const struct bus_noun bus_nouns[BUS_N_KINDS];

/* NULL: there is none. */
const void *bus_view_find(const struct daemon *daemon, enum bus_kind kind, uint64_t id);
/* True if the object, or one that it has open, is of this device or representor. */
bool bus_view_is_of_device(enum bus_kind kind, const void *object, const char *device);

#endif
