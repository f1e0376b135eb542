/*
 * A TLS connection to the daemon of another machine; see carrier.h. From the name of a machine to
 * an authenticated connection nothing blocks and every step has a time limit.
 */
#ifndef DAEMON_PEER_CARRIER_TLS_H
#define DAEMON_PEER_CARRIER_TLS_H

#include "daemon/base/loop.h"
#include "daemon/peer/carrier.h"
#include "daemon/peer/tls.h"

struct carrier_tls_options {
	struct loop *loop;
	struct tls *tls;
	const struct config *const *config;
	uint64_t step_ns; /* each of look-up, connection and handshake takes at most that long */
	const struct carrier_owner *owner;
	void *user;
};

/* To the daemon of a [peer]. 0 or -ENOMEM; everything else comes as on_open or on_broken. */
int carrier_tls_connect(const struct carrier_tls_options *options, const struct config_peer *peer,
			struct carrier **carrier_out);
/* A connection that came in; takes fd, also when it fails. 0 or -errno. */
int carrier_tls_accept(const struct carrier_tls_options *options, int fd,
		       struct carrier **carrier_out);
/* Is whoever is at the other end of an open one still welcome, by these files and the configuration
 * of now? Why not, or NULL. */
const char *carrier_tls_judge(struct carrier *carrier, const struct tls *tls);
/* Numeric address of the other end, "" until it is known; without and with the port. */
const char *carrier_tls_host(const struct carrier *carrier);
const char *carrier_tls_address(const struct carrier *carrier);
/* Once open: the [peer] that it is, and the subject of its certificate. */
const char *carrier_tls_name(const struct carrier *carrier);
const char *carrier_tls_subject(const struct carrier *carrier);
/* What it was refused for, if the sentence that says so has more than that which nobody vouches
 * for; "" else. */
const char *carrier_tls_rule(const struct carrier *carrier);

#endif
