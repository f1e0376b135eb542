/*
 * The wire between the two daemons of a TLS lab, in a process of its own: what the host's daemon
 * says passes through it, and it may be held up or cut. Threads: none.
 */
#ifndef TESTS_LIB_NETWORK_H
#define TESTS_LIB_NETWORK_H

#include <sys/types.h>

#include "tests/lib/tls_lab.h"

struct wire {
	pid_t pid;
	int sock; /* orders to it */
};

/* After tls_lab_make() and before the daemons: the host's then looks for the other one here. */
void wire_start(struct wire *wire, struct tls_lab *tls);
void wire_end(struct wire *wire);
/* Nothing passes, until it goes on. */
void wire_hold(const struct wire *wire);
void wire_go_on(const struct wire *wire);
/* Bytes that came to it and have not passed. */
int wire_n_held(const struct wire *wire);
/* The connection breaks; the daemons may make another. */
void wire_cut(const struct wire *wire);

#endif
