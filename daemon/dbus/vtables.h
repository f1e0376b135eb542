/* Introspection data of each interface; daemon/dbus/tree.c answers the requests. */
#ifndef DAEMON_DBUS_VTABLES_H
#define DAEMON_DBUS_VTABLES_H

#include <systemd/sd-bus.h>

#include "daemon/dbus/view.h"

/* With is_manager, kind is ignored. */
const sd_bus_vtable *bus_vtable_of(bool is_manager, enum object_kind kind);
/* Returns the type of a property, or NULL if there is none of that name. */
const char *bus_vtable_signature(const sd_bus_vtable *vtable, const char *property);

#endif
