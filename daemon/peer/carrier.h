/*
 * A carrier transports packets between two daemons: a Unix socket on one machine (carrier_unix.c),
 * which passes descriptors, or TLS between machines (carrier_tls.c), which cannot. A carrier
 * belongs to its peer. Callbacks run on the event loop only, and none after carrier_stop().
 */
#ifndef DAEMON_PEER_CARRIER_H
#define DAEMON_PEER_CARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/frame.h"
#include "util/fdset.h"

struct carrier;

struct carrier_owner {
	/* Packets can be sent. The other end has passed the carrier's authentication. */
	void (*on_open)(void *user);
	/* The packet belongs to the carrier. */
	void (*on_packet)(void *user, const Dococore__Packet *packet, struct fdset *fds);
	/* The send queue has drained. May be NULL. */
	void (*on_writable)(void *user);
	/*
	 * The carrier has failed; carrier->reason says why. The owner stops it now and frees it
	 * later, not inside this callback.
	 */
	void (*on_broken)(void *user);
};

struct carrier_ops {
	const char *name; /* "unix", "tls" */
	bool passes_fds;
	int (*send)(struct carrier *carrier, const Dococore__Packet *packet, const int *fds,
		    size_t n_fds);
	size_t (*queue_len)(const struct carrier *carrier);
	/* Descriptors in the send queue; called only if the carrier passes descriptors. */
	size_t (*n_queued_fds)(const struct carrier *carrier);
	bool (*has_ended)(const struct carrier *carrier);
	void (*stop)(struct carrier *carrier);
	void (*free)(struct carrier *carrier);
};

struct carrier {
	const struct carrier_ops *ops;
	const struct carrier_owner *owner;
	void *user;
	bool stopped;
	bool reached; /* a daemon at the other end has been reached */
	char reason[240];
};

/*
 * Queues one packet; valid after on_open. Returns 0, or:
 * - -ENOBUFS: the peer has left too many bytes unread.
 * - -EMSGSIZE: the packet is too long.
 * - -EPIPE: the connection has ended.
 * - -EINVAL: the message must carry another number of descriptors.
 * - -EOPNOTSUPP: this carrier cannot pass descriptors.
 */
int carrier_send(struct carrier *carrier, const Dococore__Packet *packet, const int *fds,
		 size_t n_fds);
/* Bytes in the send queue. */
size_t carrier_queue_len(const struct carrier *carrier);
/* Descriptors in the send queue. */
size_t carrier_n_queued_fds(const struct carrier *carrier);
/* True if the other end has closed the connection, even if that has not been read yet. */
bool carrier_has_ended(const struct carrier *carrier);
/* After this call nothing is read or sent, and no callback runs. Idempotent. */
void carrier_stop(struct carrier *carrier);
/* Accepts NULL. Returns NULL. */
struct carrier *carrier_free(struct carrier *carrier);

/* For carrier implementations: ends the connection with a reason. */
void carrier_break(struct carrier *carrier, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
