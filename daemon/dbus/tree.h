/*
 * The tree of D-Bus objects: paths, properties and methods. Every request of any connection goes
 * through bus_tree_handle() with its caller known; sd-bus gets the vtables for introspection only.
 * Runs in the daemon's event loop. See doc/dbus.md.
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
	/* Sets whether the caller gets signals from now on. Returns 0 or -errno. */
	int (*subscribe)(void *port, sd_bus_message *m, bool on);
	void *port;
};

/* Adds the vtables for introspection. Returns 0 or -errno. */
int bus_tree_add(sd_bus *connection, struct daemon *daemon);
/* True for a method call that bus_tree_handle() handles. */
bool bus_tree_is_for(sd_bus_message *m);
/*
 * Answers the request, possibly with an error. Returns 0, or -errno if the connection has failed.
 */
int bus_tree_handle(struct bus_request *request);
/* Used in the manager's vtable. */
int bus_tree_manager_property(sd_bus *connection, const char *path, const char *interface,
			      const char *property, sd_bus_message *reply, void *user,
			      sd_bus_error *error);
/* Writes the path of an object; out has BUS_PATH_LEN bytes. */
#define BUS_PATH_LEN 64
void bus_tree_path(enum object_kind kind, uint64_t id, char out[BUS_PATH_LEN]);

#endif
