/*
 * An operator that breaks the rules: a connection to a daemon's D-Bus socket that sends method
 * calls, most of them with one byte, word or length changed. After each call that leaves the stream
 * intact, the daemon must answer a ping, or have ended the connection, before a deadline. Creates
 * no threads.
 */
#ifndef TESTS_INTEGRATION_PEER_LIVE_BUS_H
#define TESTS_INTEGRATION_PEER_LIVE_BUS_H

#include "tests/fuzz/packet_maker.h"
#include "tests/lib/lab.h"

struct live_bus {
	const struct lab *lab;
	enum lab_side side;
	struct packet_maker maker; /* only its random numbers are used */
	int fd;                    /* -1: no connection */
	uint32_t serial;
	uint64_t n_calls, n_broken, n_answers, n_ends;
};

void live_bus_init(struct live_bus *bus, const struct lab *lab, enum lab_side side, uint64_t seed);
/* Sends one call. */
void live_bus_step(struct live_bus *bus);
void live_bus_close(struct live_bus *bus);

#endif
