/*
 * The daemon on the system bus, as org.dococore.host or org.dococore.dpu: the same tree as on the
 * private socket. The daemon lives without a bus, and looks for it again when it is away. Who a
 * caller is says the bus, which is asked once for each, without waiting: requests of a caller that
 * is not known yet are put aside. Signals go to subscribers alone. Runs in the daemon's loop.
 */
#ifndef DAEMON_DBUS_SYSTEM_H
#define DAEMON_DBUS_SYSTEM_H

#include <stdbool.h>

struct bus_notes;
struct bus_system;
struct daemon;

/* Starts looking for the bus. The notes stay the caller's. 0 or -errno. */
int bus_system_new(struct daemon *daemon, struct bus_notes *notes, struct bus_system **system_out);
/* NULL is fine. Returns NULL. */
struct bus_system *bus_system_free(struct bus_system *system);
/* Subscribers who may not look any more are none any more. NULL is fine. */
void bus_system_judge(struct bus_system *system);
/* Tells subscribers what there is to tell. True: there is more, in a later step. NULL is fine. */
bool bus_system_tell(struct bus_system *system);

#endif
