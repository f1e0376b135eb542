/*
 * Recent events, for operators who have subscribed. The log is a ring of fixed length that each
 * subscriber reads at its own pace. A slow subscriber gets the number of events that it has missed
 * and continues with the oldest available one; it delays no other. Without subscribers there is no
 * ring.
 */
#ifndef DAEMON_DBUS_EVENT_LOG_H
#define DAEMON_DBUS_EVENT_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

#include "daemon/base/events.h"

struct bus_note;
struct daemon;

struct bus_notes {
	struct bus_note *ring;
	uint64_t n; /* number of events recorded */
	unsigned n_subscribers;
};

struct bus_subscriber {
	bool on;
	uint64_t next; /* number of the next event to send */
};

void bus_notes_deinit(struct bus_notes *notes);
/* Returns 0 or -ENOMEM. Idempotent. */
int bus_notes_subscribe(struct bus_notes *notes, struct bus_subscriber *subscriber);
void bus_notes_unsubscribe(struct bus_notes *notes, struct bus_subscriber *subscriber);
void bus_notes_add(struct bus_notes *notes, enum object_kind kind, enum object_change what,
		   const void *object);
/*
 * Sends at most max events as signals, to destination on a bus, or with NULL on a private
 * connection. Returns 1 if there are more, 0 if not, or -errno if the connection has failed.
 */
int bus_notes_emit(const struct bus_notes *notes, struct bus_subscriber *subscriber,
		   const struct daemon *daemon, sd_bus *connection, const char *destination,
		   unsigned max);

#endif
