/*
 * An sd-bus in the daemon's loop: descriptor, events and timeout are asked anew after every step.
 * Owner: who made it; it dies at the owner's hand only, never in a step of its own.
 */
#ifndef DAEMON_DBUS_IO_H
#define DAEMON_DBUS_IO_H

#include <systemd/sd-bus.h>

#include "daemon/base/loop.h"

struct bus_io {
	sd_bus *connection; /* the owner's */
	struct loop_source *io, *timer;
	void (*step)(void *user);
	void *user;
};

/* For a connection that was started. step is called when there is something to do. 0 or -errno. */
int bus_io_init(struct bus_io *io, struct loop *loop, sd_bus *connection, void (*step)(void *user),
		void *user);
/* May be called twice, and on what is all zero. */
void bus_io_deinit(struct bus_io *io);
/* What the connection waits for next. 0 or -errno. */
int bus_io_arm(struct bus_io *io);

#endif
