/*
 * Descriptors in flight: sent through a Unix socket and not yet received at the other end. The
 * kernel counts them against the sender's user, here the daemon's, and limits that user to
 * RLIMIT_NOFILE of them (ETOOMANYREFS). So that one receiver cannot use up the shared limit, the
 * users at the other ends have limits of their own, far below it. All users together have a limit
 * below the kernel's, of which a quarter is kept for users that have no descriptor in flight.
 * Packets beyond a limit wait.
 *
 * The kernel does not report that a descriptor was received. A socket's descriptors count until the
 * socket has nothing unread (SIOCOUTQ). That is checked before the next packet is sent through it,
 * and when a limit is reached.
 *
 * If a connection ends with unread descriptors, they stay in flight as long as the other end is
 * open. The daemon then holds a duplicate of the socket, because only that shows when they are
 * gone. Single-threaded.
 */
#ifndef DAEMON_BASE_IN_FLIGHT_H
#define DAEMON_BASE_IN_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/loop.h"
#include "proto/conn.h"

/*
 * Clients and daemons of one user do not share a limit, because a daemon serves other users, too.
 */
enum in_flight_kind { IN_FLIGHT_CLIENT, IN_FLIGHT_PEER };

struct deferred_close;
struct in_flights;
struct in_flight;

/*
 * max_fds: RLIMIT_NOFILE. closer closes the duplicates and must outlive the result. Returns NULL if
 * memory is short.
 */
struct in_flights *in_flights_new(struct loop *loop, struct deferred_close *deferred_close,
				  uint64_t max_fds);
/* All sockets must have been freed; duplicates are closed. Accepts NULL. Returns NULL. */
struct in_flights *in_flights_free(struct in_flights *in_flights);
/* Returns the limit of each user. */
unsigned in_flights_max(const struct in_flights *in_flights, enum in_flight_kind kind);
/* Number of sockets that are held only because their other end has not received everything. */
unsigned in_flights_n_lingering(const struct in_flights *in_flights);

/*
 * Watches the socket of a connection to a process of uid and installs the connection's gate
 * (proto/conn.h). The connection stays the caller's and must exist until in_flight_free(). Returns
 * NULL if memory is short.
 */
struct in_flight *in_flight_new(struct in_flights *in_flights, enum in_flight_kind kind, uid_t uid,
				struct conn *conn);
/* Call before conn_free(). Accepts NULL. Returns NULL. */
struct in_flight *in_flight_free(struct in_flight *in_flight);

#endif
