/*
 * The network between the two daemons of a TLS lab, simulated by a separate process: the host's
 * daemon connects through it, and it can be held or cut. Creates no threads.
 */
#ifndef TESTS_INTEGRATION_WIRE_H
#define TESTS_INTEGRATION_WIRE_H

#include <sys/types.h>

#include "tests/integration/tls_lab.h"

struct wire {
	pid_t pid;
	int sock; /* commands to it */
};

/* Call after tls_lab_make() and before the daemons start: the host's daemon then connects here. */
void wire_start(struct wire *wire, struct tls_lab *tls);
void wire_end(struct wire *wire);
/* Holds all data until wire_go_on(). */
void wire_hold(const struct wire *wire);
void wire_go_on(const struct wire *wire);
/* Number of bytes that it holds. */
int wire_n_held(const struct wire *wire);
/* Breaks the connection; the daemons may make another. */
void wire_cut(const struct wire *wire);

#endif
