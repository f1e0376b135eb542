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

struct event_log_entry;
struct daemon;

struct event_log {
	struct event_log_entry *ring;
	uint64_t n; /* number of events recorded */
	unsigned n_subscribers;
};

struct bus_subscriber {
	bool on;
	uint64_t next; /* number of the next event to send */
};

void event_log_deinit(struct event_log *log);
/* Returns 0 or -ENOMEM. Idempotent. */
int event_log_subscribe(struct event_log *log, struct bus_subscriber *subscriber);
void event_log_unsubscribe(struct event_log *log, struct bus_subscriber *subscriber);
void event_log_add(struct event_log *log, enum object_kind kind, enum object_change what,
		   const void *object);
/*
 * Sends at most max events as signals, to destination on a bus, or with NULL on a private
 * connection. Returns 1 if there are more, 0 if not, or -errno if the connection has failed.
 */
int event_log_emit(const struct event_log *log, struct bus_subscriber *subscriber,
		   const struct daemon *daemon, sd_bus *connection, const char *destination,
		   unsigned max);

#endif
