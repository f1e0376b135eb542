/*
 * Connects an sd-bus to the daemon's event loop: descriptor, events and timeout are read again
 * after every step. The creator owns it and frees it, never inside its own step.
 */
#ifndef DAEMON_DBUS_IO_H
#define DAEMON_DBUS_IO_H

#include <systemd/sd-bus.h>

#include "daemon/base/loop.h"

struct bus_io {
	sd_bus *connection; /* owned by the creator */
	struct loop_source *io, *timer;
	void (*step)(void *user);
	void *user;
};

/*
 * For a connection that was started. Calls step() when there is something to do. Returns 0 or
 * -errno.
 */
int bus_io_init(struct bus_io *io, struct loop *loop, sd_bus *connection, void (*step)(void *user),
		void *user);
/* Idempotent; accepts an all-zero struct. */
void bus_io_deinit(struct bus_io *io);
/* Watches for what the connection waits for next. Returns 0 or -errno. */
int bus_io_arm(struct bus_io *io);

#endif
