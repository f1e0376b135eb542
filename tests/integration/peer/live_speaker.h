/*
 * A connection to a daemon on which a test speaks the protocol itself: as a client, as the daemon
 * of the other side over a Unix socket, or over TLS. The daemon's answers are checked against the
 * rules of the protocol and remembered, so that later packets name existing objects. Every send and
 * every receive has a deadline; if it passes, the test fails and prints the packet and the state of
 * the daemon's threads. Creates no threads.
 */
#ifndef TESTS_INTEGRATION_PEER_LIVE_SPEAKER_H
#define TESTS_INTEGRATION_PEER_LIVE_SPEAKER_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/event_ring.h"
#include "tests/fuzz/packet_maker.h"
#include "tests/lib/unauthorised_peer.h"

#define LIVE_PACKET_MAX (FRAME_PACKET_MAX + 64u)
#define LIVE_FDS_MAX    12u
#define LIVE_DAEMON_ID  0xf7u
#define LIVE_ASKED      512u
#define LIVE_RINGS      4u

enum speaker_kind { SPEAKER_CLIENT, SPEAKER_PEER, SPEAKER_TLS_PEER };

/* A request that the daemon has not answered yet. */
struct live_asked {
	uint64_t id; /* 0: none */
	uint32_t body_case;
	uint64_t sent_ns;
};

struct live_packet {
	uint8_t data[LIVE_PACKET_MAX];
	size_t len;
	int fds[LIVE_FDS_MAX]; /* owned */
	size_t n_fds;
};

struct speaker {
	const char *name;
	enum speaker_kind kind;
	enum lab_side side; /* of the daemon that it is connected to */
	struct lab *lab;
	const struct tls_lab *tls;
	const char *certificate;
	struct packet_maker maker;
	struct packet_maker lasting; /* data that outlive a connection */
	struct speaker *all;         /* the speakers that share exports */
	size_t n_all;

	bool is_open;
	int fd;                       /* over a Unix socket */
	struct unauthorised_peer end; /* over TLS */
	uint64_t last_id;
	struct live_asked asked[LIVE_ASKED];
	struct event_reader rings[LIVE_RINGS];
	unsigned n_rings;
	struct live_packet last; /* for the report of a missed deadline */

	uint64_t n_answers, n_errors, n_ends, n_events;
	uint64_t longest_ns; /* from a packet to the answer of the probe behind it */
};

void speaker_init(struct speaker *speaker, const char *name, enum speaker_kind kind,
		  enum lab_side side, uint64_t seed);
/* Connects. `greets`: also sends hello and, as a client, opens a device. */
void speaker_open(struct speaker *speaker, bool greets);
void speaker_close(struct speaker *speaker);
uint64_t speaker_new_id(struct speaker *speaker);
/*
 * Makes a packet of this kind that obeys the rules, with its descriptors. Returns false if the
 * maker has none.
 */
bool speaker_make(struct speaker *speaker, uint32_t body_case, struct live_packet *packet_out);
/*
 * Sends it; the caller keeps the descriptors. Returns false if the daemon has ended the connection.
 */
bool speaker_send(struct speaker *speaker, const struct live_packet *packet);
/* Like speaker_send(), without waiting for room; then also returns false. */
bool speaker_send_now(struct speaker *speaker, const struct live_packet *packet);
/*
 * Sends a request that every daemon answers, and reads until that answer or the end of the
 * connection. Returns false if it has ended; it is closed then.
 */
bool speaker_settle(struct speaker *speaker);
/* Reads what has arrived. Returns false if the connection has ended; it is closed then. */
bool speaker_read_now(struct speaker *speaker);
/*
 * Fails the test if a request was not answered within the deadline. Returns the number of
 * unanswered requests.
 */
unsigned speaker_check_asked(struct speaker *speaker);
uint64_t live_deadline_ns(void);

/* Makes the fields consistent where a daemon requires it. */
void live_packet_repair(struct live_packet *packet, uint64_t random);
/* Adds the descriptors that a packet of this kind must carry. */
void live_fds_make(struct live_packet *packet);
/* Replaces one descriptor by an invalid one. Returns false if the packet carries none. */
bool live_fds_break(struct live_packet *packet, struct packet_maker *maker);
void live_fds_add(struct live_packet *packet, int fd);
void live_packet_clear(struct live_packet *packet);

#endif
