/*
 * D-Bus interface for operators: on a private socket, <runtime-dir>/<side>.bus, peer to peer, and
 * on the system bus if configured. It is a view of the daemon's objects and owns none of them; the
 * few methods that change something call the objects' functions. Read and change rights are checked
 * for every request by the kernel's credentials (daemon/dbus/auth.h). Runs in the daemon's event
 * loop.
 */
#ifndef DAEMON_DBUS_BUS_H
#define DAEMON_DBUS_BUS_H

struct bus;
struct daemon;

/* Opens the socket. Returns 0 or -errno, logged. */
int bus_new(struct daemon *daemon, struct bus **bus_out);
/* Closes all connections and removes the socket. Accepts NULL. Returns NULL. */
struct bus *bus_free(struct bus *bus);
/*
 * Call after a configuration change: users without read access get no more signals. Accepts NULL.
 */
void bus_reloaded(struct bus *bus);
/*
 * Call when the status or the peers have changed: connected operators are notified in the event
 * loop's next iteration. Accepts NULL.
 */
void bus_changed(struct bus *bus);

#endif
