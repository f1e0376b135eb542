/*
 * Descriptors in flight: sent through a Unix socket and not yet received at its other end. The
 * kernel counts them against the user of the sender, which is the daemon's, and lets that user have
 * RLIMIT_NOFILE of them (ETOOMANYREFS). So that one receiver cannot use up what all share, each
 * user at the other ends has a bound of its own, far below that: what exceeds it waits.
 *
 * The kernel does not report that a descriptor was received. A socket's descriptors count until the
 * socket has nothing unread (SIOCOUTQ). That is checked when the next packet is sent through it and
 * when the bound is reached.
 *
 * A connection that ends with descriptors unread keeps them in flight for as long as the other end
 * is open. The daemon then keeps a duplicate of the socket, because nothing else shows when they
 * are gone. Single-threaded.
 */
#ifndef DAEMON_BASE_IN_FLIGHT_H
#define DAEMON_BASE_IN_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/loop.h"
#include "proto/conn.h"

/* Clients and daemons of one user do not share a bound: one serves others, too. */
enum in_flight_kind { IN_FLIGHT_CLIENT, IN_FLIGHT_PEER };

struct closer;
struct in_flights;
struct in_flight;

/* max_fds: RLIMIT_NOFILE. closer closes the duplicates and outlives the result. NULL: no memory. */
struct in_flights *in_flights_new(struct loop *loop, struct closer *closer, uint64_t max_fds);
/* All sockets must have been freed; duplicates are closed. NULL is fine. Returns NULL. */
struct in_flights *in_flights_free(struct in_flights *in_flights);
/* The bound of each user. */
unsigned in_flights_max(const struct in_flights *in_flights, enum in_flight_kind kind);
/* Sockets that are only kept because their other end has not received everything. */
unsigned in_flights_n_kept(const struct in_flights *in_flights);

/* Watches the socket of a connection to a process of uid and installs its gate (proto/conn.h). The
 * connection stays the caller's and must be there until in_flight_free(). NULL: no memory. */
struct in_flight *in_flight_new(struct in_flights *in_flights, enum in_flight_kind kind, uid_t uid,
				struct conn *conn);
/* Call it before conn_free(). NULL is fine. Returns NULL. */
struct in_flight *in_flight_free(struct in_flight *in_flight);

#endif
