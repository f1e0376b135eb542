/*
 * What the D-Bus interface org.dococore.Manager shows: properties, lists, records. Pure functions
 * of the daemon's state; secrets are never among them. See doc/dbus.md.
 */
#ifndef DAEMON_BUS_VIEW_H
#define DAEMON_BUS_VIEW_H

#include <systemd/sd-bus.h>

#define BUS_VIEW_PATH      "/org/dococore"
#define BUS_VIEW_INTERFACE "org.dococore.Manager"

struct daemon;

/* Adds the object and what a stock client asks a bus for. 0 or -errno. */
int bus_view_add(sd_bus *connection, struct daemon *daemon);

#endif
