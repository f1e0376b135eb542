/*
 * The operator's door: D-Bus on a private socket, <runtime-dir>/<side>.bus, peer to peer. It is a
 * view over the daemon's objects: it owns nothing of them and changes nothing. Only the daemon's
 * own uid and root get in, by the kernel's word. Runs in the daemon's loop.
 */
#ifndef DAEMON_BUS_H
#define DAEMON_BUS_H

struct bus;
struct daemon;

/* Opens the socket. 0 or -errno, logged. */
int bus_new(struct daemon *daemon, struct bus **bus_out);
/* Drops all connections, removes the socket. NULL is fine. Returns NULL. */
struct bus *bus_free(struct bus *bus);
/* Status or peers changed: whoever is connected is told in the loop's next step. NULL is fine. */
void bus_changed(struct bus *bus);

#endif
