/* Watches the session's socket in epoll sets; see client/control/rpc_watch.h. */
#include "client/control/rpc_watch.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "client/control/rpc.h"
#include "client/control/session.h"

void rpc_watch_init(struct rpc_watch *watch, int epoll_fd, uint64_t data)
{
	*watch = (struct rpc_watch){.epoll_fd = epoll_fd, .data = data, .pid = getpid()};
}

/* Returns the events that the users wait for; the kernel adds EPOLLHUP. */
static uint32_t wanted_events(const struct rpc_watch *watch)
{
	if (watch->n_users[RPC_WATCH_REPLIES] > 0)
		return EPOLLIN | EPOLLET;
	return watch->n_users[RPC_WATCH_HANGUP] > 0 ? EPOLLET : 0;
}

/* Has the set contain the current connection's socket for what the users wait for. */
static int watch_update_locked(struct rpc_watch *watch)
{
	int fd = rpc_fd_locked(), op = EPOLL_CTL_MOD;
	struct epoll_event event = {.events = wanted_events(watch), .data.u64 = watch->data};

	/* A socket that was closed has left the set. */
	if (fd < 0 || watch->connection != rpc_connection_locked())
		watch->events = 0;
	if (fd < 0)
		return -ENOTCONN;
	if (watch->events == event.events)
		return 0;
	/* A forked child shares the set, and must not change what wakes its parent. */
	if (watch->pid != getpid())
		return -EPERM;
	if (watch->events == 0)
		op = EPOLL_CTL_ADD;
	else if (event.events == 0)
		op = EPOLL_CTL_DEL;
	if (epoll_ctl(watch->epoll_fd, op, fd, &event) < 0)
		return -errno;
	watch->events = event.events;
	watch->connection = rpc_connection_locked();
	return 0;
}

void rpc_watch_open_locked(struct rpc_watch *watch, int epoll_fd)
{
	watch->epoll_fd = epoll_fd;
	watch->events = 0;
	if (epoll_fd >= 0)
		(void)watch_update_locked(watch);
}

int rpc_watch_locked(struct rpc_watch *watch, enum rpc_watch_for what, bool *is_user)
{
	watch->n_users[what] += !*is_user;
	*is_user = true;
	return watch_update_locked(watch);
}

void rpc_unwatch_locked(struct rpc_watch *watch, enum rpc_watch_for what, bool *is_user)
{
	if (!*is_user)
		return;
	*is_user = false;
	watch->n_users[what]--;
	(void)watch_update_locked(watch);
}

void rpc_unwatch(struct rpc_watch *watch, enum rpc_watch_for what, bool *is_user)
{
	if (!*is_user)
		return;
	rpc_lock();
	rpc_unwatch_locked(watch, what, is_user);
	rpc_unlock();
}

void rpc_watch_handle(uint32_t events)
{
	if (!(events & (EPOLLHUP | EPOLLERR)))
		return;
	/* The reason that the daemon sent before it hung up may still be in the socket. */
	rpc_receive();
	session_check_hangup();
}
