/*
 * Lists of objects, page by page, for operators: methods of the manager. There may be 100,000
 * exports, so the work for one reply is bounded, and the next page is found without walking the
 * list again: marks remember where the last pages ended.
 */
#ifndef DAEMON_DBUS_LIST_H
#define DAEMON_DBUS_LIST_H

#include "daemon/dbus/noun.h"

/* The most objects that are examined for one reply. */
#define BUS_SCAN_MAX 2048u

#define BUS_MAX_MARKS 16u

/* The last object of a page. If that object is removed, the mark moves to the one before it. */
struct bus_mark {
	const struct bus_noun *noun; /* NULL: unused */
	const void *object;          /* NULL: the next page begins with the first object */
	uint64_t order;              /* what the caller passes as `after` */
};

/* The marks of all connections. They need no owner, because an order is never reused. */
struct bus_marks {
	struct bus_mark at[BUS_MAX_MARKS];
	uint64_t n; /* marks that were ever set; the oldest one is overwritten */
};

/* Call before an object leaves its list. */
void bus_marks_removed(struct bus_marks *marks, const struct daemon *daemon, const void *object);
/* ListExports and the same methods of other nouns: a page of records. */
int bus_list_records(sd_bus_message *m, void *user, sd_bus_error *error);
/* List: a page of a table, with the chosen fields only. */
int bus_list_rows(sd_bus_message *m, void *user, sd_bus_error *error);
/* Count: the number of objects that a filter selects. */
int bus_list_count(sd_bus_message *m, void *user, sd_bus_error *error);
/* GetExport and the same methods of other nouns: one record. */
int bus_list_get(sd_bus_message *m, void *user, sd_bus_error *error);

#endif
