/* The raw server with which the daemon's requests are compared. See bench/control/crowd.h. */
#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench/base/peer.h"
#include "bench/control/crowd.h"

#define ECHO_LEN 40u /* approximate size of a daemon's request and of its answer */

static pid_t measuring_pid;

void echo_init(pid_t pid)
{
	measuring_pid = pid;
}

/* An abstract address, which needs no file. */
static socklen_t address_of(struct sockaddr_un *addr)
{
	*addr = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(addr->sun_path + 1, sizeof(addr->sun_path) - 1, "doca-bench-echo-%d",
		 (int)measuring_pid);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(addr->sun_path + 1));
}

void echo_once(void)
{
	static int fd = -1;
	uint8_t packet[ECHO_LEN] = {0};
	struct sockaddr_un addr;
	socklen_t len = address_of(&addr);

	if (fd < 0) {
		fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
		if (fd < 0 || connect(fd, (const struct sockaddr *)&addr, len) != 0)
			bench_die("control: cannot connect to the echo server: %m");
	}
	if (send(fd, packet, sizeof(packet), 0) != (ssize_t)sizeof(packet) ||
	    recv(fd, packet, sizeof(packet), 0) != (ssize_t)sizeof(packet))
		bench_die("control: the echo server does not answer: %m");
}

static void on_read(int fd, short what, void *arg)
{
	uint8_t packet[ECHO_LEN];
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

static void on_accept(int fd, short what, void *arg)
{
	int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct event **event = malloc(sizeof(*event));

	(void)what;
	if (event == NULL)
		_exit(EXIT_FAILURE);
	*event = client < 0 ? NULL : event_new(arg, client, EV_READ | EV_PERSIST, on_read, event);
	if (*event == NULL || event_add(*event, NULL) != 0)
		_exit(EXIT_FAILURE);
}

pid_t echo_start(struct bench *b)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sockaddr_un addr;
	socklen_t len = address_of(&addr);
	pid_t parent = getpid(), pid;
	struct event_base *base;
	struct event *event;

	if (fd < 0 || bind(fd, (const struct sockaddr *)&addr, len) != 0 || listen(fd, 1024) != 0)
		bench_die("control: cannot start the echo server: %m");
	pid = fork();
	if (pid < 0)
		bench_die("cannot start a process: %m");
	if (pid > 0) {
		close(fd);
		crowd_adopt(b, pid);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	base = getppid() != parent ? NULL : event_base_new();
	event = base == NULL ? NULL : event_new(base, fd, EV_READ | EV_PERSIST, on_accept, base);
	if (event == NULL || event_add(event, NULL) != 0)
		_exit(EXIT_FAILURE);
	event_base_dispatch(base);
	_exit(EXIT_SUCCESS);
}
