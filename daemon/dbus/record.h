/*
 * The facts about an object. One function per noun passes all facts of an object to a record, field
 * by field. The record's form says what becomes of them: a dictionary a{sv}, the bare values of
 * chosen fields (a property, or a row of a table), the few facts by which lists are filtered, or
 * the field by which they are sorted. All integers have type 't', so that a reader needs to know
 * one type. Text from a client may contain any bytes, while D-Bus requires UTF-8: bytes that are
 * not printable ASCII are shown as
 * '?'. The first error is kept.
 */
#ifndef DAEMON_DBUS_RECORD_H
#define DAEMON_DBUS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

/* Facts by which lists are filtered, and which signals carry for an object that is gone. */
struct bus_facts {
	uint64_t id;
	bool has_owner;
	uint64_t pid, uid;
	const char *name;   /* its own, or its owner's program; never NULL */
	const char *device; /* never NULL; "" if it has none */
	const char *wanted; /* a client that has this device open gets it as its device; or NULL */
};

/* The value of a field by which lists are sorted. */
struct record_key {
	uint64_t number;
	char text[48];
};

enum record_form { RECORD_DICT, RECORD_VALUES, RECORD_FACTS, RECORD_KEY };

struct record {
	enum record_form form;
	sd_bus_message *m;
	int r;
	uint64_t wanted; /* RECORD_VALUES, RECORD_KEY: bit n is set if field n is wanted */
	struct bus_facts *facts;
	struct record_key *key;
	unsigned n; /* number of the next field */
	unsigned depth;
};

void record_begin(struct record *rec);
void record_end(struct record *rec);
void record_text(struct record *rec, const char *key, const char *value);
void record_number(struct record *rec, const char *key, uint64_t value);
void record_bool(struct record *rec, const char *key, bool value);
/*
 * Opens a value of an array type ("as", "aa{sv}") or "a{sv}" under key. Returns false if nothing is
 * to be added to it. If true, record_close_value() ends it.
 */
bool record_open_value(struct record *rec, const char *key, const char *type);
void record_close_value(struct record *rec);
/* Adds an element to a value of type "as". */
void record_item(struct record *rec, const char *text);
/* Returns false if none of the next n fields is wanted; they are skipped then. */
bool record_wants(struct record *rec, unsigned n);
/* Sends the reply that was filled, or frees it after an error. Returns 1 or -errno. */
int record_answer(struct record *rec);
/* Copies text for a message or an error. */
void record_clean(const char *text, char *out, size_t out_len);

#endif
