/*
 * Watching a requester's descriptors: in the epoll set of a progress engine, or, for synchronous
 * calls, in a set of the requester's own. Threads: those of the requester.
 */
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>

#include "client/base/error.h"
#include "client/control/rpc.h"
#include "client/progress/pe.h"
#include "client/rma/requester.h"
#include "util/fd.h"

/* The longest sleep while no descriptor is left for a set. */
#define NO_EPOLL_MS 10

struct rpc_watch *requester_session(struct requester *requester)
{
	return requester->pe != NULL ? &requester->pe->session : &requester->session;
}

/* Replaces the requester's own set. -1: there is none until the next sleep. */
static void epoll_set(struct requester *requester, int epoll_fd)
{
	if (requester->epoll_fd < 0 && epoll_fd < 0)
		return;
	rpc_lock();
	rpc_watch_open_locked(&requester->session, epoll_fd);
	rpc_unlock();
	fd_close(&requester->epoll_fd);
	requester->epoll_fd = epoll_fd;
}

int requester_watch_fd(struct requester *requester, int fd)
{
	if (requester->pe != NULL)
		return pe_add_shared_fd(requester->pe, fd);
	/* The next sleep watches the current descriptors. */
	epoll_set(requester, -1);
	return 0;
}

void requester_unwatch_fd(struct requester *requester, int fd)
{
	if (requester->pe != NULL)
		pe_remove_eventfd(requester->pe, fd);
	epoll_set(requester, -1);
}

doca_error_t requester_watch(struct requester *requester, struct doca_pe *pe)
{
	int fds[REQUESTER_FDS], r = 0;
	size_t n = requester_fds(requester, fds);

	requester->pe = pe;
	requester->epoll_fd = -1;
	rpc_watch_init(&requester->session, -1, 0);
	for (size_t i = 0; pe != NULL && i < n && r == 0; i++)
		r = pe_add_shared_fd(pe, fds[i]);
	return r == 0 ? DOCA_SUCCESS
		      : error_set(error_from_errno(r),
				  "rdma: the engine cannot watch the descriptors of a path to "
				  "another process (error %d); raise fs.epoll.max_user_watches",
				  -r);
}

void requester_unwatch(struct requester *requester)
{
	int fds[REQUESTER_FDS];
	size_t n = requester->pe != NULL ? requester_fds(requester, fds) : 0;

	while (n-- > 0)
		pe_remove_eventfd(requester->pe, fds[n]);
	rpc_unwatch(requester_session(requester), RPC_WATCH_REPLIES, &requester->watches_session);
	requester->pe = NULL;
	epoll_set(requester, -1);
}

/* Without the descriptors, the sleep ends with its time. */
static void epoll_open(struct requester *requester)
{
	int fds[REQUESTER_FDS];
	size_t n = requester_fds(requester, fds);

	epoll_set(requester, epoll_create1(EPOLL_CLOEXEC));
	/* Edge-triggered and not read, because the descriptors are shared. */
	for (size_t i = 0; i < n && requester->epoll_fd >= 0; i++) {
		struct epoll_event event = {.events = EPOLLIN | EPOLLET};

		(void)epoll_ctl(requester->epoll_fd, EPOLL_CTL_ADD, fds[i], &event);
	}
}

void requester_sleep(struct requester *requester, int timeout_ms)
{
	struct epoll_event event;
	int saved = errno;

	if (requester->epoll_fd < 0)
		epoll_open(requester);
	if (!requester_arm(requester)) {
		if (requester->epoll_fd >= 0)
			(void)epoll_wait(requester->epoll_fd, &event, 1, timeout_ms);
		else
			(void)poll(NULL, 0, MIN(timeout_ms, NO_EPOLL_MS));
	}
	requester_disarm(requester);
	errno = saved;
}
