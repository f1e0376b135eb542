/* The raw server with which the daemon's requests are compared. See bench/control.h. */
#include <errno.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench/control/control.h"

static void echo_read(int fd, short what, void *arg)
{
	uint8_t packet[CONTROL_ECHO_LEN];
	ssize_t n = recv(fd, packet, sizeof(packet), MSG_DONTWAIT);
	struct event **event = arg;

	(void)what;
	if (n > 0)
		n = send(fd, packet, (size_t)n, MSG_NOSIGNAL);
	if (n > 0 || (n < 0 && errno == EAGAIN))
		return;
	event_free(*event);
	free(event);
	close(fd);
}

static void echo_accept(int fd, short what, void *arg)
{
	int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct event **event = malloc(sizeof(*event));

	(void)what;
	if (event == NULL)
		_exit(EXIT_FAILURE);
	*event = client < 0 ? NULL : event_new(arg, client, EV_READ | EV_PERSIST, echo_read, event);
	if (*event == NULL || event_add(*event, NULL) != 0)
		_exit(EXIT_FAILURE);
}

struct control_child control_echo_start(const char *dir)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct event_base *base;
	struct event *event;
	struct control_child child;
	int fd, sock;

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/echo.sock", dir);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) != 0 ||
	    listen(fd, 1024) != 0)
		bench_die("control: cannot make %s: %m", addr.sun_path);
	child = control_child_fork(&sock);
	if (child.sock >= 0) {
		close(fd);
		return child;
	}
	base = event_base_new();
	event = base == NULL ? NULL : event_new(base, fd, EV_READ | EV_PERSIST, echo_accept, base);
	if (event == NULL || event_add(event, NULL) != 0)
		_exit(EXIT_FAILURE);
	event_base_dispatch(base);
	_exit(EXIT_SUCCESS);
}
