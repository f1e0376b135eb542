/* Rings eventfds without ever waiting; see bell.h. */
#include "daemon/bell.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <unistd.h>

#include "util/fd.h"

/* How long a write may wait, microseconds. Again and again: the first could come before the write.
 */
#define BELL_PATIENCE_US 2000

static void bell_on_alarm(int signo)
{
	(void)signo;
}

void bell_init(void)
{
	/* No SA_RESTART: the write shall end. */
	const struct sigaction action = {.sa_handler = bell_on_alarm};

	sigaction(SIGALRM, &action, NULL);
}

int bell_write(int eventfd)
{
	const struct itimerval guard = {.it_interval = {.tv_usec = BELL_PATIENCE_US},
					.it_value = {.tv_usec = BELL_PATIENCE_US}};
	const struct itimerval none = {.it_value = {.tv_usec = 0}};
	uint64_t one = 1;
	ssize_t n;

	setitimer(ITIMER_REAL, &guard, NULL);
	n = write(eventfd, &one, sizeof(one));
	setitimer(ITIMER_REAL, &none, NULL);
	return n == (ssize_t)sizeof(one) ? 0 : -EAGAIN;
}

static bool bell_is_full(int eventfd)
{
	struct pollfd p = {.fd = eventfd, .events = POLLOUT};

	return poll(&p, 1, 0) != 1;
}

void bell_ring(int eventfd)
{
	/* Most that are full are so without malice, and cost no patience. */
	if (!bell_is_full(eventfd))
		(void)bell_write(eventfd);
}

void bell_ring_edge(int eventfd)
{
	if (bell_is_full(eventfd))
		fd_eventfd_clear(eventfd);
	/* Whoever fills it again in between has made an edge as well. */
	bell_ring(eventfd);
}
