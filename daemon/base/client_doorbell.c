/* Signals eventfds without ever blocking; see client_doorbell.h. */
#include "daemon/base/client_doorbell.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "util/doorbell.h"
#include "util/fd.h"
#include "util/log.h"

/*
 * Interval, in microseconds, of the timer that interrupts a blocked write. It repeats, because the
 * first signal could come before the write.
 */
#define DOORBELL_TIMEOUT_US 2000

static void doorbell_on_alarm(int signo)
{
	(void)signo;
}

void client_doorbell_init(void)
{
	/* Without SA_RESTART, so that the signal ends the write. */
	const struct sigaction action = {.sa_handler = doorbell_on_alarm};

	int r = doorbell_open();

	if (r < 0)
		log_debug("the kernel refuses asynchronous I/O: %s; doorbells of clients are rung "
			  "with an alarm set",
			  strerror(-r));
	sigaction(SIGALRM, &action, NULL);
}

int client_doorbell_write(int eventfd)
{
	const struct itimerval guard = {.it_interval = {.tv_usec = DOORBELL_TIMEOUT_US},
					.it_value = {.tv_usec = DOORBELL_TIMEOUT_US}};
	const struct itimerval none = {.it_value = {.tv_usec = 0}};
	uint64_t one = 1;
	ssize_t n;

	setitimer(ITIMER_REAL, &guard, NULL);
	n = write(eventfd, &one, sizeof(one));
	setitimer(ITIMER_REAL, &none, NULL);
	return n == (ssize_t)sizeof(one) ? 0 : -EAGAIN;
}

static bool doorbell_is_full(int eventfd)
{
	struct pollfd p = {.fd = eventfd, .events = POLLOUT};

	return poll(&p, 1, 0) != 1;
}

void client_doorbell_ring(int eventfd)
{
	if (doorbell_signal(eventfd))
		return;
	/* Usually an eventfd is full without malice; then no blocking write is attempted. */
	if (!doorbell_is_full(eventfd))
		(void)client_doorbell_write(eventfd);
}

void client_doorbell_ring_edge(int eventfd)
{
	if (doorbell_signal(eventfd))
		return;
	/*
	 * A counter that decrements by one per read may need two reads, because the kernel can
	 * count higher than write() can.
	 */
	for (int i = 0; i < 2 && doorbell_is_full(eventfd); i++)
		fd_eventfd_clear(eventfd);
	/* If another process fills it again in between, that also produced an edge. */
	client_doorbell_ring(eventfd);
}
