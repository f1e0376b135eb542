/* Byte-limited pipe to an sd-bus; see daemon/dbus/limited_pipe.h. */
#include "daemon/dbus/limited_pipe.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "util/fd.h"

struct bus_narrow {
	int outer, inner;
	struct loop_source *outer_io, *inner_io;
	size_t left; /* bytes that may still be received */
	void (*broken)(void *user);
	void *user;
};

/*
 * Forwards at most len received bytes, all of them or none. Returns false at the end of the pipe.
 */
static bool narrow_pass(int from, int to, size_t len, size_t *passed_out)
{
	char bytes[4096];
	ssize_t n = recv(from, bytes, len < sizeof(bytes) ? len : sizeof(bytes), MSG_DONTWAIT);

	*passed_out = 0;
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	*passed_out = (size_t)n;
	return n > 0 && send(to, bytes, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL) == n;
}

static void narrow_on_outer(void *user, unsigned events)
{
	struct bus_narrow *narrow = user;
	size_t n;

	(void)events;
	if (narrow->left == 0 || !narrow_pass(narrow->outer, narrow->inner, narrow->left, &n)) {
		narrow->broken(narrow->user);
		return;
	}
	narrow->left -= n;
}

static void narrow_on_inner(void *user, unsigned events)
{
	struct bus_narrow *narrow = user;
	size_t n;

	(void)events;
	if (!narrow_pass(narrow->inner, narrow->outer, SIZE_MAX, &n))
		narrow->broken(narrow->user);
}

int bus_narrow_new(struct loop *loop, int *outer, size_t max_len, void (*broken)(void *user),
		   void *user, int *bus_fd_out, struct bus_narrow **narrow_out)
{
	struct bus_narrow *narrow = calloc(1, sizeof(*narrow));
	CLEANUP_FD int bus_fd = -1;
	int pair[2], r;

	if (!narrow)
		return -ENOMEM;
	*narrow = (struct bus_narrow){
		.outer = -1, .inner = -1, .left = max_len, .broken = broken, .user = user};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0) {
		r = -errno;
		bus_narrow_free(narrow);
		return r;
	}
	narrow->inner = pair[0];
	bus_fd = pair[1];
	narrow->outer_io = loop_fd_new(loop, *outer, LOOP_READ, narrow_on_outer, narrow);
	narrow->inner_io = loop_fd_new(loop, narrow->inner, LOOP_READ, narrow_on_inner, narrow);
	if (!narrow->outer_io || !narrow->inner_io) {
		bus_narrow_free(narrow);
		return -ENOMEM;
	}
	narrow->outer = fd_steal(outer);
	*bus_fd_out = fd_steal(&bus_fd);
	*narrow_out = narrow;
	return 0;
}

struct bus_narrow *bus_narrow_free(struct bus_narrow *narrow)
{
	if (!narrow)
		return NULL;
	loop_source_free(narrow->outer_io);
	loop_source_free(narrow->inner_io);
	fd_close(&narrow->outer);
	fd_close(&narrow->inner);
	free(narrow);
	return NULL;
}
