/*
 * A TLS connection to the daemon of another machine; see carrier.h. No step from name look-up to
 * authentication blocks, and every step has a time limit.
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
	uint64_t step_ns; /* time limit of each step: look-up, connection, handshake */
	const struct carrier_owner *owner;
	void *user;
};

/*
 * Connects to the daemon of a [peer] section. Returns 0 or -ENOMEM; all other results are reported
 * by on_open or on_broken.
 */
int carrier_tls_connect(const struct carrier_tls_options *options, const struct config_peer *peer,
			struct carrier **carrier_out);
/* Accepts an incoming connection. Takes ownership of fd, also on failure. Returns 0 or -errno. */
int carrier_tls_accept(const struct carrier_tls_options *options, int fd,
		       struct carrier **carrier_out);
/*
 * Checks the other end of an open connection against the current files and configuration. Returns
 * the reason why it is no longer accepted, or NULL.
 */
const char *carrier_tls_recheck(struct carrier *carrier, const struct tls *tls);
/* Numeric address of the other end, without and with the port. "" until it is known. */
const char *carrier_tls_host(const struct carrier *carrier);
const char *carrier_tls_address(const struct carrier *carrier);
/* Valid once open: the name of its [peer] section, and the subject of its certificate. */
const char *carrier_tls_name(const struct carrier *carrier);
const char *carrier_tls_subject(const struct carrier *carrier);
/*
 * The rule for which the connection was refused, if the full sentence contains unverified text from
 * the other end; otherwise "".
 */
const char *carrier_tls_rule(const struct carrier *carrier);

#endif
