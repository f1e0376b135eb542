/* Byte-limited pipe to an sd-bus; see daemon/dbus/limited_pipe.h. */
#include "daemon/dbus/limited_pipe.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "util/fd.h"

struct limited_pipe {
	int outer, inner;
	struct loop_source *outer_io, *inner_io;
	size_t left; /* bytes that may still be received */
	void (*broken)(void *user);
	void *user;
};

/*
 * Forwards at most len received bytes, all of them or none. Returns false at the end of the pipe.
 */
static bool pipe_forward(int from, int to, size_t len, size_t *passed_out)
{
	char bytes[4096];
	ssize_t n = recv(from, bytes, len < sizeof(bytes) ? len : sizeof(bytes), MSG_DONTWAIT);

	*passed_out = 0;
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	*passed_out = (size_t)n;
	return n > 0 && send(to, bytes, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL) == n;
}

static void pipe_on_outer(void *user, unsigned events)
{
	struct limited_pipe *pipe = user;
	size_t n;

	(void)events;
	if (pipe->left == 0 || !pipe_forward(pipe->outer, pipe->inner, pipe->left, &n)) {
		pipe->broken(pipe->user);
		return;
	}
	pipe->left -= n;
}

static void pipe_on_inner(void *user, unsigned events)
{
	struct limited_pipe *pipe = user;
	size_t n;

	(void)events;
	if (!pipe_forward(pipe->inner, pipe->outer, SIZE_MAX, &n))
		pipe->broken(pipe->user);
}

int limited_pipe_new(struct loop *loop, int *outer, size_t max_len, void (*broken)(void *user),
		     void *user, int *bus_fd_out, struct limited_pipe **pipe_out)
{
	struct limited_pipe *pipe = calloc(1, sizeof(*pipe));
	CLEANUP_FD int bus_fd = -1;
	int pair[2], r;

	if (!pipe)
		return -ENOMEM;
	*pipe = (struct limited_pipe){
		.outer = -1, .inner = -1, .left = max_len, .broken = broken, .user = user};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0) {
		r = -errno;
		limited_pipe_free(pipe);
		return r;
	}
	pipe->inner = pair[0];
	bus_fd = pair[1];
	pipe->outer_io = loop_fd_new(loop, *outer, LOOP_READ, pipe_on_outer, pipe);
	pipe->inner_io = loop_fd_new(loop, pipe->inner, LOOP_READ, pipe_on_inner, pipe);
	if (!pipe->outer_io || !pipe->inner_io) {
		limited_pipe_free(pipe);
		return -ENOMEM;
	}
	pipe->outer = fd_steal(outer);
	*bus_fd_out = fd_steal(&bus_fd);
	*pipe_out = pipe;
	return 0;
}

struct limited_pipe *limited_pipe_free(struct limited_pipe *pipe)
{
	if (!pipe)
		return NULL;
	loop_source_free(pipe->outer_io);
	loop_source_free(pipe->inner_io);
	fd_close(&pipe->outer);
	fd_close(&pipe->inner);
	free(pipe);
	return NULL;
}
