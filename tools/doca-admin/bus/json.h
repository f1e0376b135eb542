/*
 * Converts D-Bus values to JSON: dictionaries become objects, arrays become arrays, variants become
 * their contents. Limits the nesting, because the daemon's messages are not trusted.
 * Single-threaded; no state.
 */
#ifndef TOOLS_DOCA_ADMIN_BUS_JSON_H
#define TOOLS_DOCA_ADMIN_BUS_JSON_H

#include <json-c/json.h>
#include <systemd/sd-bus.h>

/* Reads the next value of the message. Returns 0 or -errno. */
int bus_json_read(sd_bus_message *m, json_object **value_out);
/* Reads the values of a structure that was entered into a record with these names. */
int bus_json_read_row(sd_bus_message *m, const char *const *names, size_t n_names,
		      json_object **record_out);
/* Returns the same facts with the keys of records. */
json_object *bus_json_from_properties(json_object *properties);

#endif
