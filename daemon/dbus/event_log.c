/* Event log for subscribers; see daemon/dbus/event_log.h. */
#include "daemon/dbus/event_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/dbus/tree.h"
#include "daemon/memory/export.h"
#include "daemon/peer/link.h"
#include "daemon/session/session.h"

#define NOTES_LEN 1024u

struct bus_note {
	uint64_t id, pid, uid;
	enum object_kind kind;
	enum object_change what;
	bool has_owner;
	char name[64], device[64];
};

static const char *const signals[] = {
	[OBJECT_ADDED] = "Added", [OBJECT_CHANGED] = "Changed", [OBJECT_REMOVED] = "Removed"};

void bus_notes_deinit(struct bus_notes *notes)
{
	free(notes->ring);
	notes->ring = NULL;
}

int bus_notes_subscribe(struct bus_notes *notes, struct bus_subscriber *subscriber)
{
	if (subscriber->on)
		return 0;
	if (!notes->ring)
		notes->ring = calloc(NOTES_LEN, sizeof(*notes->ring));
	if (!notes->ring)
		return -ENOMEM;
	subscriber->on = true;
	subscriber->next = notes->n;
	notes->n_subscribers++;
	return 0;
}

void bus_notes_unsubscribe(struct bus_notes *notes, struct bus_subscriber *subscriber)
{
	if (!subscriber->on)
		return;
	subscriber->on = false;
	if (--notes->n_subscribers == 0)
		bus_notes_deinit(notes);
}

/* True for an unauthenticated peer: its end is not reported either. */
static bool bus_is_stranger(enum object_kind kind, const void *object)
{
	if (kind == OBJECT_PEER)
		return !((const struct peer *)object)->is_announced;
	return kind == OBJECT_CLIENT && !((const struct session *)object)->greeted;
}

void bus_notes_add(struct bus_notes *notes, enum object_kind kind, enum object_change what,
		   const void *object)
{
	struct bus_facts facts = {.name = "", .device = ""};
	struct bus_note *note;

	if (!notes->ring || bus_is_stranger(kind, object))
		return;
	bus_nouns[kind].facts(object, &facts);
	if (kind == OBJECT_EXPORT && export_kind_is_sync(((const struct export *)object)->kind))
		kind = OBJECT_EVENT;
	note = &notes->ring[notes->n++ % NOTES_LEN];
	*note = (struct bus_note){.id = facts.id,
				  .pid = facts.pid,
				  .uid = facts.uid,
				  .kind = kind,
				  .what = what,
				  .has_owner = facts.has_owner};
	snprintf(note->name, sizeof(note->name), "%s", facts.name);
	snprintf(note->device, sizeof(note->device), "%s", facts.device);
}

static void note_fill(struct record *rec, const struct bus_note *note)
{
	record_begin(rec);
	record_text(rec, "name", note->name);
	record_text(rec, "device", note->device);
	if (note->has_owner) {
		record_number(rec, "pid", note->pid);
		record_number(rec, "uid", note->uid);
	}
	record_end(rec);
}

static int note_emit(const struct bus_note *note, const struct daemon *daemon, sd_bus *connection,
		     const char *destination)
{
	struct record rec = {.m = NULL};
	const void *object = NULL;
	int r = sd_bus_message_new_signal(connection, &rec.m, BUS_PATH, BUS_INTERFACE,
					  signals[note->what]);

	if (r < 0)
		return r;
	rec.r = sd_bus_message_append(rec.m, "st", bus_nouns[note->kind].name, note->id);
	if (note->what != OBJECT_REMOVED)
		object = bus_view_find(daemon, note->kind, note->id);
	if (object)
		bus_nouns[note->kind].fill(&rec, object);
	else
		note_fill(&rec, note);
	r = rec.r;
	if (r >= 0 && destination)
		r = sd_bus_message_set_destination(rec.m, destination);
	if (r >= 0)
		r = sd_bus_send(connection, rec.m, NULL);
	sd_bus_message_unref(rec.m);
	return r;
}

static int lost_emit(sd_bus *connection, const char *destination, uint64_t n)
{
	sd_bus_message *m = NULL;
	int r = sd_bus_message_new_signal(connection, &m, BUS_PATH, BUS_INTERFACE, "Lost");

	if (r >= 0)
		r = sd_bus_message_append(m, "t", n);
	if (r >= 0 && destination)
		r = sd_bus_message_set_destination(m, destination);
	if (r >= 0)
		r = sd_bus_send(connection, m, NULL);
	sd_bus_message_unref(m);
	return r;
}

int bus_notes_emit(const struct bus_notes *notes, struct bus_subscriber *subscriber,
		   const struct daemon *daemon, sd_bus *connection, const char *destination,
		   unsigned max)
{
	int r = 0;

	if (!subscriber->on)
		return 0;
	if (notes->n - subscriber->next > NOTES_LEN) {
		r = lost_emit(connection, destination, notes->n - subscriber->next - NOTES_LEN);
		subscriber->next = notes->n - NOTES_LEN;
	}
	for (unsigned i = 0; r >= 0 && i < max && subscriber->next < notes->n; i++)
		r = note_emit(&notes->ring[subscriber->next++ % NOTES_LEN], daemon, connection,
			      destination);
	return r < 0 ? r : subscriber->next < notes->n;
}
