/*
 * D-Bus values as JSON: dictionaries become objects, arrays arrays, variants what is in them. The
 * daemon is not trusted to keep its messages flat. Single-threaded; no state.
 */
#ifndef TOOLS_DOCA_ADMIN_BUS_JSON_H
#define TOOLS_DOCA_ADMIN_BUS_JSON_H

#include <json-c/json.h>
#include <systemd/sd-bus.h>

/* The next value of the message. 0 or -errno. */
int bus_json_read(sd_bus_message *m, json_object **value_out);
/* The same facts under the keys of records. */
json_object *bus_json_from_properties(json_object *properties);

#endif
