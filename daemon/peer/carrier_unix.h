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
	struct closer *closer; /* of the socket, which may hold what the other daemon has sent */
	const struct carrier_owner *owner;
	void *user;
};

/*
 * fd is connected; takes it, also when it fails. It is open at once: on_open is not called, and
 * nothing is read before the loop's next step. 0 or -errno.
 */
int carrier_unix_new(const struct carrier_unix_options *options, int fd,
		     struct carrier **carrier_out);
/* Of the other end, from the kernel. 0 or -errno. */
int carrier_unix_get_creds(const struct carrier *carrier, struct conn_creds *creds_out);

#endif
