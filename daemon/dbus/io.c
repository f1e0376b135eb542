/* An sd-bus in the event loop; see daemon/dbus/io.h. */
#include "daemon/dbus/io.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <time.h>

static void bus_io_on_fd(void *user, unsigned events)
{
	struct bus_io *io = user;

	(void)events;
	io->step(io->user);
}

static void bus_io_on_timer(void *user)
{
	struct bus_io *io = user;

	io->step(io->user);
}

int bus_io_init(struct bus_io *io, struct loop *loop, sd_bus *connection, void (*step)(void *user),
		void *user)
{
	int fd = sd_bus_get_fd(connection);

	if (fd < 0)
		return fd;
	*io = (struct bus_io){.connection = connection, .step = step, .user = user};
	io->io = loop_fd_new(loop, fd, LOOP_READ, bus_io_on_fd, io);
	io->timer = loop_timer_new(loop, bus_io_on_timer, io);
	if (!io->io || !io->timer) {
		bus_io_deinit(io);
		return -ENOMEM;
	}
	return bus_io_arm(io);
}

void bus_io_deinit(struct bus_io *io)
{
	io->io = loop_source_free(io->io);
	io->timer = loop_source_free(io->timer);
}

int bus_io_arm(struct bus_io *io)
{
	int events = sd_bus_get_events(io->connection), r;
	struct timespec now;
	uint64_t until_us, now_us;

	if (events < 0)
		return events;
	r = loop_fd_set(io->io, ((events & POLLIN) ? LOOP_READ : 0u) |
					((events & POLLOUT) ? LOOP_WRITE : 0u));
	if (r < 0)
		return r;
	r = sd_bus_get_timeout(io->connection, &until_us);
	if (r < 0)
		return r;
	if (until_us == UINT64_MAX) {
		loop_timer_cancel(io->timer);
		return 0;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	now_us = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
	return loop_timer_set(io->timer, until_us > now_us ? (until_us - now_us) * 1000 : 0);
}
