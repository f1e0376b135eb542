/*
 * The daemon on the system bus, as org.dococore.host or org.dococore.dpu, with the same tree as on
 * the private socket. The daemon works without a bus, and retries if the bus is absent. The bus
 * reports the identity of a caller; it is asked for each request, without blocking, and the request
 * is deferred until then. Signals go to subscribers only. Runs in the daemon's
 * event loop.
 */
#ifndef DAEMON_DBUS_SYSTEM_H
#define DAEMON_DBUS_SYSTEM_H

#include <stdbool.h>

struct event_log;
struct bus_marks;
struct bus_system;
struct daemon;

/* Starts connecting to the bus. `log` and `marks` stay the caller's. Returns 0 or -errno. */
int bus_system_new(struct daemon *daemon, struct event_log *log, struct bus_marks *marks,
		   struct bus_system **system_out);
/* Accepts NULL. Returns NULL. */
struct bus_system *bus_system_free(struct bus_system *system);
/* Removes subscribers that have lost read access. Accepts NULL. */
void bus_system_recheck_rights(struct bus_system *system);
/*
 * Sends pending events to subscribers. Returns true if there are more, to be sent in a later
 * iteration. Accepts NULL.
 */
bool bus_system_notify(struct bus_system *system);

#endif
