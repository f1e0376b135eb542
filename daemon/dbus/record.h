/*
 * Builds dictionaries a{sv} of facts in a D-Bus message; the first error is kept. The function that
 * fills a record also answers requests for one property: with `only` set, only the value of that
 * key is added, without the key. All integers have type 't', so that a reader needs to know one
 * type. Text from a client may contain any bytes, while D-Bus requires UTF-8: bytes that are not
 * printable ASCII are shown as '?'. Keeps no state.
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
	const char *only;   /* name of a property: add only its value */
	bool as_properties; /* write keys as property names */
	bool found;         /* with only: the property exists */
	unsigned depth;     /* number of open records */
	unsigned n_open;    /* number of open values */
	unsigned n_skipped; /* of those, the number that are skipped */
};

void record_begin(struct record *rec);
void record_end(struct record *rec);
void record_text(struct record *rec, const char *key, const char *value);
void record_number(struct record *rec, const char *key, uint64_t value);
void record_bool(struct record *rec, const char *key, bool value);
/*
 * Opens a value of an array type ("as", "aa{sv}") or "a{sv}" under key. record_close_value() ends
 * it.
 */
void record_open_value(struct record *rec, const char *key, const char *type);
void record_close_value(struct record *rec);
/* Adds an element to a value of type "as". */
void record_item(struct record *rec, const char *text);
/* Converts for example "created_at_ns" to "CreatedAtNs". */
void record_property_name(const char *key, char out[RECORD_KEY_LEN]);

#endif
