/* Event log for subscribers; see daemon/dbus/event_log.h. */
#include "daemon/dbus/event_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/dbus/noun.h"
#include "daemon/memory/export.h"
#include "daemon/peer/peer.h"
#include "daemon/session/session.h"

#define EVENT_LOG_LEN 1024u

struct event_log_entry {
	uint64_t id, pid, uid;
	enum object_kind kind;
	enum object_change what;
	bool has_owner;
	char name[64], device[64];
};

static const char *const signals[] = {
	[OBJECT_ADDED] = "Added", [OBJECT_CHANGED] = "Changed", [OBJECT_REMOVED] = "Removed"};

void event_log_deinit(struct event_log *log)
{
	free(log->ring);
	log->ring = NULL;
}

int event_log_subscribe(struct event_log *log, struct bus_subscriber *subscriber)
{
	if (subscriber->on)
		return 0;
	if (!log->ring)
		log->ring = calloc(EVENT_LOG_LEN, sizeof(*log->ring));
	if (!log->ring)
		return -ENOMEM;
	subscriber->on = true;
	subscriber->next = log->n;
	log->n_subscribers++;
	return 0;
}

void event_log_unsubscribe(struct event_log *log, struct bus_subscriber *subscriber)
{
	if (!subscriber->on)
		return;
	subscriber->on = false;
	if (--log->n_subscribers == 0)
		event_log_deinit(log);
}

/* True for an object that was never announced to subscribers, so that they do not learn of its end
 * either: a peer that was not authenticated, or a client that sent no greeting. */
static bool event_log_omits(enum object_kind kind, const void *object)
{
	if (kind == OBJECT_PEER)
		return !((const struct peer *)object)->is_announced;
	return kind == OBJECT_CLIENT && !session_was_greeted(object);
}

void event_log_add(struct event_log *log, enum object_kind kind, enum object_change what,
		   const void *object)
{
	struct bus_facts facts;
	struct event_log_entry *entry;

	if (!log->ring || event_log_omits(kind, object))
		return;
	bus_noun_facts(bus_nouns[kind], object, NULL, &facts);
	if (kind == OBJECT_EXPORT && export_kind_is_sync(((const struct export *)object)->kind))
		kind = OBJECT_EVENT;
	entry = &log->ring[log->n++ % EVENT_LOG_LEN];
	*entry = (struct event_log_entry){.id = facts.id,
					  .pid = facts.pid,
					  .uid = facts.uid,
					  .kind = kind,
					  .what = what,
					  .has_owner = facts.has_owner};
	snprintf(entry->name, sizeof(entry->name), "%s", facts.name);
	snprintf(entry->device, sizeof(entry->device), "%s", facts.device);
}

static void entry_fill(struct record *rec, const struct event_log_entry *entry)
{
	record_begin(rec);
	record_text(rec, "name", entry->name);
	record_text(rec, "device", entry->device);
	if (entry->has_owner) {
		record_number(rec, "pid", entry->pid);
		record_number(rec, "uid", entry->uid);
	}
	record_end(rec);
}

/* Sends the signal that was filled; the destination is a name on a bus, or NULL. Frees it. */
static int signal_send(struct record *rec, sd_bus *connection, const char *destination)
{
	if (rec->r >= 0 && destination)
		rec->r = sd_bus_message_set_destination(rec->m, destination);
	if (rec->r >= 0)
		rec->r = sd_bus_send(connection, rec->m, NULL);
	rec->m = sd_bus_message_unref(rec->m);
	return rec->r;
}

static int entry_emit(const struct event_log_entry *entry, const struct daemon *daemon,
		      sd_bus *connection, const char *destination)
{
	const struct bus_noun *noun = bus_nouns[entry->kind];
	struct record rec = {.form = RECORD_DICT};
	const void *object = NULL;

	rec.r = sd_bus_message_new_signal(connection, &rec.m, BUS_PATH, BUS_INTERFACE,
					  signals[entry->what]);
	if (rec.r >= 0)
		rec.r = sd_bus_message_append(rec.m, "st", noun->name, entry->id);
	if (entry->what != OBJECT_REMOVED)
		object = bus_noun_find(noun, daemon, entry->id);
	if (object)
		noun->fill(&rec, object);
	else
		entry_fill(&rec, entry);
	return signal_send(&rec, connection, destination);
}

static int lost_emit(sd_bus *connection, const char *destination, uint64_t n)
{
	struct record rec = {.form = RECORD_DICT};

	rec.r = sd_bus_message_new_signal(connection, &rec.m, BUS_PATH, BUS_INTERFACE, "Lost");
	if (rec.r >= 0)
		rec.r = sd_bus_message_append(rec.m, "t", n);
	return signal_send(&rec, connection, destination);
}

int event_log_emit(const struct event_log *log, struct bus_subscriber *subscriber,
		   const struct daemon *daemon, sd_bus *connection, const char *destination,
		   unsigned max)
{
	int r = 0;

	if (!subscriber->on)
		return 0;
	if (log->n - subscriber->next > EVENT_LOG_LEN) {
		r = lost_emit(connection, destination, log->n - subscriber->next - EVENT_LOG_LEN);
		subscriber->next = log->n - EVENT_LOG_LEN;
	}
	for (unsigned i = 0; r >= 0 && i < max && subscriber->next < log->n; i++)
		r = entry_emit(&log->ring[subscriber->next++ % EVENT_LOG_LEN], daemon, connection,
			       destination);
	return r < 0 ? r : subscriber->next < log->n;
}
