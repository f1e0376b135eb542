/* What introspection shows of each interface; daemon/dbus/tree.c answers the requests. */
#ifndef DAEMON_DBUS_VTABLES_H
#define DAEMON_DBUS_VTABLES_H

#include <systemd/sd-bus.h>

#include "daemon/dbus/view.h"

/* With is_manager the kind is not looked at. */
const sd_bus_vtable *bus_vtable_of(bool is_manager, enum bus_kind kind);
/* Type of a property, or NULL when there is none of that name. */
const char *bus_vtable_signature(const sd_bus_vtable *vtable, const char *property);

#endif
