/*
 * Dictionaries a{sv} of facts on their way into a D-Bus message; the first error sticks. The same
 * function that fills a record also answers for one property: with `only` set, the value of that
 * key alone is appended, bare. Whole numbers are 't' whatever their C type, so that a reader needs
 * to know one. Text that came from a client may hold any bytes, while D-Bus demands UTF-8:
 * everything outside printable ASCII is shown as '?'. Keeps nothing.
 */
#ifndef DAEMON_DBUS_RECORD_H
#define DAEMON_DBUS_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

#define RECORD_KEY_LEN 48

struct record {
	sd_bus_message *m;
	int r;
	const char *only;   /* a property's name: its value and nothing else */
	bool as_properties; /* keys are written as names of properties */
	bool found;         /* with only: there is such a property */
	unsigned depth;     /* records that are open */
	unsigned n_open;    /* values that are open */
	unsigned n_skipped; /* of those, the ones nobody asked for */
};

void record_begin(struct record *rec);
void record_end(struct record *rec);
void record_text(struct record *rec, const char *key, const char *value);
void record_number(struct record *rec, const char *key, uint64_t value);
void record_bool(struct record *rec, const char *key, bool value);
/* Opens a value of an array type ("as", "aa{sv}") or "a{sv}" under key; record_close_value ends it.
 */
void record_open_value(struct record *rec, const char *key, const char *type);
void record_close_value(struct record *rec);
/* An element of a value of type "as". */
void record_item(struct record *rec, const char *text);
/* "created_at_ns" to "CreatedAtNs". */
void record_property_name(const char *key, char out[RECORD_KEY_LEN]);

#endif
