/*
 * What carries the packets between two daemons: a Unix socket on one machine (carrier_unix.c),
 * which passes descriptors, or TLS between machines (carrier_tls.c), which cannot. A carrier
 * belongs to its peer; callbacks come from the loop only, and none after carrier_stop().
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
	/* Packets can be sent. Whoever is at the other end has proved what the carrier asks for. */
	void (*on_open)(void *user);
	/* The packet is the carrier's. */
	void (*on_packet)(void *user, const Dococore__Packet *packet, struct fdset *fds);
	/* Little waits to be sent any more. May be NULL. */
	void (*on_room)(void *user);
	/* It is of no more use, why is in carrier->reason. The owner stops it now and frees it
	 * later, not in here. */
	void (*on_broken)(void *user);
};

struct carrier_ops {
	const char *name; /* "unix", "tls" */
	bool passes_fds;
	int (*send)(struct carrier *carrier, const Dococore__Packet *packet, const int *fds,
		    size_t n_fds);
	size_t (*queue_len)(const struct carrier *carrier);
	bool (*has_ended)(const struct carrier *carrier);
	void (*stop)(struct carrier *carrier);
	void (*free)(struct carrier *carrier);
};

struct carrier {
	const struct carrier_ops *ops;
	const struct carrier_owner *owner;
	void *user;
	bool stopped;
	bool reached; /* there is somebody at the other end */
	char reason[240];
};

/*
 * Queues one packet, after on_open. 0; -ENOBUFS: more waits than a peer may leave; -EMSGSIZE;
 * -EPIPE; -EINVAL: not the number of descriptors that the message carries; -EOPNOTSUPP:
 * descriptors do not pass this carrier.
 */
int carrier_send(struct carrier *carrier, const Dococore__Packet *packet, const int *fds,
		 size_t n_fds);
/* Bytes that wait to be sent. */
size_t carrier_queue_len(const struct carrier *carrier);
/* True if the other end has closed it, whether that was read yet or not. */
bool carrier_has_ended(const struct carrier *carrier);
/* Nothing is read, sent or called back any more. May be called twice. */
void carrier_stop(struct carrier *carrier);
/* NULL is fine. Returns NULL. */
struct carrier *carrier_free(struct carrier *carrier);

/* For carriers: the end, with a reason. */
void carrier_break(struct carrier *carrier, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
