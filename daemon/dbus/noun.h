/*
 * The kinds of objects that operators see, one noun for each: where its objects are, and one
 * function that passes all facts about an object to a record. Records, properties, rows of tables,
 * filters and signals are made from that function. The nouns only read, and keep nothing beyond a
 * callback of the event loop. Secrets are never among the facts. See doc/dbus.md.
 */
#ifndef DAEMON_DBUS_NOUN_H
#define DAEMON_DBUS_NOUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

#include "daemon/base/events.h"
#include "daemon/base/idmap.h"
#include "daemon/dbus/auth.h"
#include "daemon/dbus/record.h"
#include "util/list.h"

struct daemon;
struct session;

#define BUS_PATH      "/org/dococore"
#define BUS_INTERFACE "org.dococore.Manager"

struct bus_marks;
struct bus_noun;
struct bus_tree;

/* An object in the tree of a connection, which is the user of sd-bus' callbacks. */
struct bus_target {
	struct bus_tree *tree;
	const struct bus_noun *noun;
	const void *object;
};

/* The tree of objects of one connection. */
struct bus_tree {
	struct daemon *daemon;
	/* Of the present request, which a filter has checked; NULL between requests. */
	const struct bus_caller *caller;
	/* Sets whether the caller gets signals from now on. Returns 0 or -errno. */
	int (*subscribe)(void *port, sd_bus_message *m, bool on);
	void *port;
	struct bus_marks *marks; /* where pages of lists ended; shared by all trees */
	struct bus_target manager, targets[OBJECT_N_KINDS];
};

struct bus_noun {
	const char *name;   /* "export": the manager's method for one is GetExport */
	const char *folder; /* "exports": ListExports; the path is /org/dococore/exports/ID */
	const char *interface;
	bool is_device; /* lists are filtered by its name as a device */
	bool is_user;   /* its id is a uid */
	/* The properties are the fields of fill(), in the same order; at most 64. */
	const sd_bus_vtable *vtable;
	/* The list of the objects, and the offset of an object's link. */
	const struct list *(*list_of)(const struct daemon *daemon);
	size_t link;
	/* True for an object of the list that is not shown. Optional. */
	bool (*hides)(const void *object);
	/*
	 * The map of the ids, and the offset of an object's node. Optional. A kind that has a map
	 * may have 100,000 objects, and emits OBJECT_REMOVED before one of them leaves the list.
	 */
	const struct idmap *(*map_of)(const struct daemon *daemon);
	size_t node;
	/* Without list_of. Returns the object after `at` (NULL: the first), or NULL at the end. */
	const void *(*next)(const struct daemon *daemon, const void *at);
	/* Offset of a uint64_t that increases from one object to the next; 0: their ids do. */
	size_t order;
	/* Returns NULL if there is none. Optional: otherwise the object is looked for. */
	const void *(*find)(const struct daemon *daemon, uint64_t id);
	/* Returns the last object, used or not, whose order is not above this one. Optional. */
	const void *(*upto)(const struct daemon *daemon, uint64_t order);
	void (*fill)(struct record *rec, const void *object);
};

/* bus_manager has no list: its object is the daemon. */
extern const struct bus_noun bus_manager, bus_device, bus_representor, bus_client, bus_export,
	bus_event, bus_import, bus_service, bus_channel, bus_peer, bus_account, bus_counters;
extern const struct bus_noun *const bus_nouns[OBJECT_N_KINDS];

/* Sets the error of an object that does not exist. Returns a negative errno. */
int bus_noun_missing(const struct bus_noun *noun, uint64_t id, sd_bus_error *error);
/* Returns the object after `at` (NULL: the first), or NULL at the end. */
const void *bus_noun_next(const struct bus_noun *noun, const struct daemon *daemon, const void *at);
uint64_t bus_noun_order(const struct bus_noun *noun, const void *object);
const void *bus_noun_find(const struct bus_noun *noun, const struct daemon *daemon, uint64_t id);
/* The facts stay valid as long as the object. wanted: see struct bus_facts. */
void bus_noun_facts(const struct bus_noun *noun, const void *object, const char *wanted,
		    struct bus_facts *facts_out);
/* Returns whether there is a field of this number. Its name is that of the property. */
bool bus_noun_describe(const struct bus_noun *noun, unsigned n, const char **property_out,
		       const char **type_out);
/* Converts for example "CreatedAtNs" to "created_at_ns". */
void bus_noun_key(const char *property, char *out, size_t out_len);
/*
 * Returns the number of the field of this property ("CreatedAtNs") or key ("created_at_ns"), or -1.
 */
int bus_noun_field(const struct bus_noun *noun, const char *name, const char **type_out);
/* Reads one property with the noun's fill(), for sd-bus. */
int bus_noun_property(sd_bus *connection, const char *path, const char *interface,
		      const char *property, sd_bus_message *reply, void *user, sd_bus_error *error);

/* For the nouns. */

#define OWNER_FACTS \
	FIXED("Client", "t"), FIXED("Pid", "t"), FIXED("Uid", "t"), FIXED("Program", "s")
#define FACT(name, type) SD_BUS_PROPERTY(name, type, bus_noun_property, 0, 0)
#define FIXED(name, type) \
	SD_BUS_PROPERTY(name, type, bus_noun_property, 0, SD_BUS_VTABLE_PROPERTY_CONST)
#define METHOD(name, function) SD_BUS_METHOD(name, "", "", function, SD_BUS_VTABLE_UNPRIVILEGED)

/*
 * Call first in each method. Returns 0, or a negative errno with the error for the caller if no
 * filter has checked the caller's rights.
 */
int bus_noun_check_caller(const struct bus_target *target, sd_bus_error *error);
/*
 * Sends an empty reply if one is expected. Returns 1, or -errno. Never return the result of
 * sd_bus_reply_method_return() instead: it is 0 if no reply is expected, and 0 makes sd-bus look
 * for another handler.
 */
int bus_noun_done(sd_bus_message *m);
/* Adds client, pid, uid and program. */
void bus_fill_owner(struct record *rec, const struct session *session);

#endif
