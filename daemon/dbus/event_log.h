/*
 * What happened lately, for operators who have subscribed. A ring of fixed length that each
 * subscriber reads at its own pace: one that is slow is told how much it has missed and goes on
 * with what is there; it costs nobody anything. No ring while nobody has subscribed.
 */
#ifndef DAEMON_DBUS_EVENT_LOG_H
#define DAEMON_DBUS_EVENT_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

#include "daemon/dbus/bus.h"

struct bus_note;
struct daemon;

struct bus_notes {
	struct bus_note *ring;
	uint64_t n; /* so many were noted */
	unsigned n_subscribers;
};

struct bus_subscriber {
	bool on;
	uint64_t next; /* note to be told */
};

void bus_notes_deinit(struct bus_notes *notes);
/* 0, -ENOMEM. Twice is as good as once. */
int bus_notes_subscribe(struct bus_notes *notes, struct bus_subscriber *subscriber);
void bus_notes_unsubscribe(struct bus_notes *notes, struct bus_subscriber *subscriber);
void bus_notes_add(struct bus_notes *notes, enum bus_kind kind, enum bus_what what,
		   const void *object);
/*
 * Tells at most max notes as signals, to destination where there is a bus (else NULL). 1 when there
 * are more, 0 when that was all, -errno when the connection is of no use any more.
 */
int bus_notes_emit(const struct bus_notes *notes, struct bus_subscriber *subscriber,
		   const struct daemon *daemon, sd_bus *connection, const char *destination,
		   unsigned max);

#endif
