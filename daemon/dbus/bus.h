/*
 * The operators' doors: D-Bus on a private socket, <runtime-dir>/<side>.bus, peer to peer, and on
 * the system bus where the configuration says so. It is a view over the daemon's objects and owns
 * nothing of them; the few methods that change something call what the objects offer. Who may look
 * and who may change is checked for every request, by the kernel's word (daemon/dbus/auth.h). Runs
 * in the daemon's loop.
 */
#ifndef DAEMON_DBUS_BUS_H
#define DAEMON_DBUS_BUS_H

struct bus;
struct bus_cursors;
struct daemon;

enum bus_kind {
	BUS_DEVICE,
	BUS_REPRESENTOR,
	BUS_CLIENT,
	BUS_EXPORT,
	BUS_EVENT, /* an export that is a sync event; it is among the exports, too */
	BUS_IMPORT,
	BUS_SERVICE,
	BUS_CHANNEL,
	BUS_PEER,
	BUS_ACCOUNT,  /* its id is the uid */
	BUS_COUNTERS, /* of an object of a client, in pages of its own */
	BUS_N_KINDS,
};

enum bus_what { BUS_ADDED, BUS_CHANGED, BUS_REMOVED };

/* Opens the socket. 0 or -errno, logged. */
int bus_new(struct daemon *daemon, struct bus **bus_out);
/* Drops all connections, removes the socket. NULL is fine. Returns NULL. */
struct bus *bus_free(struct bus *bus);
/* The configuration changed: who may not look any more is told nothing more. NULL is fine. */
void bus_reloaded(struct bus *bus);
/* Status or peers changed: whoever is connected is told in the loop's next step. NULL is fine. */
void bus_changed(struct bus *bus);
/* Where readers of lists are. */
struct bus_cursors *bus_get_cursors(struct bus *bus);
/*
 * Something happened to an object: whoever has subscribed is told in a later step of the loop, with
 * the facts of then, or of now for one that is removed, which must still be in its list. Cheap when
 * nobody has, and before bus_new() and after bus_free().
 */
void bus_tell(struct daemon *daemon, enum bus_kind kind, enum bus_what what, const void *object);

#endif
