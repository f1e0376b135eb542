/*
 * The tree of D-Bus objects of one connection. sd-bus finds objects, properties and methods in it;
 * each request passes bus_tree_check() first, which checks the caller's rights. Runs in the
 * daemon's event loop. See doc/dbus.md.
 */
#ifndef DAEMON_DBUS_TREE_H
#define DAEMON_DBUS_TREE_H

#include "daemon/dbus/noun.h"

/* Adds the objects to a connection. The tree must live as long. Returns 0 or -errno. */
int bus_tree_add(struct bus_tree *tree, sd_bus *connection);
/* True for a method call whose caller must be known: it is about the daemon or its objects. */
bool bus_tree_is_for(sd_bus_message *m);
/*
 * Call in a filter of the connection, before sd-bus dispatches the request. Returns 0, or a
 * negative errno with the error for the caller. The caller must stay valid until bus_tree_leave().
 */
int bus_tree_check(struct bus_tree *tree, sd_bus_message *m, const struct bus_caller *caller,
		   sd_bus_error *error);
/*
 * Forgets the caller. Call after each sd_bus_process(), so that no request is handled with the
 * rights of the request before it.
 */
void bus_tree_leave(struct bus_tree *tree);

#endif
