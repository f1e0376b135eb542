/*
 * Watching the session's socket in an epoll set: that of a progress engine, of a soft domain or of
 * a requester for synchronous calls. A set contains the socket itself, and once, however many users
 * of the set wait for the daemon. Whoever is woken receives for all (client/control/rpc.h).
 *
 * A watch belongs to one connection. When that ends, its socket leaves the set; users that wait for
 * a reply are notified by `on_done`, others by `on_disconnect`. They watch the next connection when
 * they call rpc_watch_locked() again. Threads: any, with the session's lock held.
 */
#ifndef CLIENT_CONTROL_RPC_WATCH_H
#define CLIENT_CONTROL_RPC_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum rpc_watch_for {
	RPC_WATCH_HANGUP,  /* wakes when the daemon hangs up */
	RPC_WATCH_REPLIES, /* wakes when a packet arrives, and when the daemon hangs up */
	RPC_WATCH_N,
};

struct rpc_watch {
	int epoll_fd;  /* the set, borrowed; -1: there is none yet */
	uint64_t data; /* the data of the set's events */
	pid_t pid;     /* the process that created the set */
	/* The events for which the set watches the socket; 0: the set does not contain it. */
	uint32_t events;
	unsigned connection; /* the connection whose socket that is */
	unsigned n_users[RPC_WATCH_N];
};

/* Prepares a watch in the set, which the owner may create later by rpc_watch_open_locked(). */
void rpc_watch_init(struct rpc_watch *watch, int epoll_fd, uint64_t data);
/* Moves the watch to a new set; -1 if the former one was closed and no other was created. */
void rpc_watch_open_locked(struct rpc_watch *watch, int epoll_fd);
/*
 * Makes the caller a user of the watch, unless *is_user says that it is one, and has the set
 * contain the socket of the current connection. Edge-triggered: packets that have arrived already
 * cause an event only when the socket is added, or is first watched for replies; receive them
 * before a sleep. Returns 0 or -errno: -ENOTCONN without a connection. The caller is a user in
 * either case.
 */
int rpc_watch_locked(struct rpc_watch *watch, enum rpc_watch_for what, bool *is_user);
/* Ends that. Idempotent. */
void rpc_unwatch_locked(struct rpc_watch *watch, enum rpc_watch_for what, bool *is_user);
/* Like rpc_unwatch_locked(), but takes the lock. */
void rpc_unwatch(struct rpc_watch *watch, enum rpc_watch_for what, bool *is_user);
/* Handles an event of the socket, with the bits that epoll_wait() returned: ends the connection if
 * the daemon has hung up. Takes the lock. */
void rpc_watch_handle(uint32_t events);

#endif
