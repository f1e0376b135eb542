/*
 * The tree of D-Bus objects: what is at which path, its properties and methods. Every request comes
 * through bus_tree_handle(), from whichever connection, with its caller known; the vtables that
 * sd-bus is given are there for introspection. Runs in the daemon's loop. See doc/dbus.md.
 */
#ifndef DAEMON_DBUS_TREE_H
#define DAEMON_DBUS_TREE_H

#include <systemd/sd-bus.h>

#include "daemon/dbus/auth.h"
#include "daemon/dbus/view.h"

#define BUS_PATH      "/org/dococore"
#define BUS_INTERFACE "org.dococore.Manager"

struct daemon;

struct bus_request {
	struct daemon *daemon;
	sd_bus_message *m;
	const struct bus_caller *caller;
	/* Whether the caller wants signals from now on. 0 or -errno. */
	int (*subscribe)(void *port, sd_bus_message *m, bool on);
	void *port;
};

/* Adds what introspection shows. 0 or -errno. */
int bus_tree_add(sd_bus *connection, struct daemon *daemon);
/* True for a method call that bus_tree_handle() is for. */
bool bus_tree_is_for(sd_bus_message *m);
/* Answers it, be it with an error. 0 or -errno when the connection is of no use any more. */
int bus_tree_handle(struct bus_request *request);
/* For the table of the manager. */
int bus_tree_manager_property(sd_bus *connection, const char *path, const char *interface,
			      const char *property, sd_bus_message *reply, void *user,
			      sd_bus_error *error);
/* The path of an object; the caller has room for BUS_PATH_LEN bytes. */
#define BUS_PATH_LEN 64
void bus_tree_path(enum bus_kind kind, uint64_t id, char out[BUS_PATH_LEN]);

#endif
