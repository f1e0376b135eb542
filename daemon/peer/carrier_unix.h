/* A Unix packet socket between two daemons of one machine; see carrier.h. */
#ifndef DAEMON_PEER_CARRIER_UNIX_H
#define DAEMON_PEER_CARRIER_UNIX_H

#include "daemon/base/deferred_close.h"
#include "daemon/base/in_flight.h"
#include "daemon/base/loop.h"
#include "daemon/peer/carrier.h"
#include "proto/conn.h"

struct carrier_unix_options {
	struct loop *loop;
	struct in_flights *in_flights;
	/* Closes the socket, which may hold descriptors that the other daemon has sent. */
	struct deferred_close *deferred_close;
	const struct carrier_owner *owner;
	void *user;
};

/*
 * Creates a carrier on a connected socket. Takes ownership of fd, also on failure. The carrier is
 * open at once: on_open is not called, and nothing is read before the event loop's next iteration.
 * Returns 0 or -errno.
 */
int carrier_unix_new(const struct carrier_unix_options *options, int fd,
		     struct carrier **carrier_out);
/* Reads the other end's credentials from the kernel. Returns 0 or -errno. */
int carrier_unix_get_creds(const struct carrier *carrier, struct conn_creds *creds_out);

#endif
