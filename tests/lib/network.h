/*
 * The network between the two daemons of a TLS lab: a process that forwards the bytes of the host's
 * daemon, and can delay or cut the connection. Creates no threads.
 */
#ifndef TESTS_LIB_NETWORK_H
#define TESTS_LIB_NETWORK_H

#include <sys/types.h>

#include "tests/lib/tls_lab.h"

struct network {
	pid_t pid;
	int sock; /* orders to it */
};

/* After tls_lab_make() and before the daemons: the host's then looks for the other one here. */
void network_start(struct network *network, struct tls_lab *tls);
void network_end(struct network *network);
/* Nothing is forwarded until network_resume(). */
void network_pause(const struct network *network);
void network_resume(const struct network *network);
/* Bytes that came to it and have not passed. */
int network_n_held(const struct network *network);
/* The connection breaks; the daemons may make another. */
void network_disconnect(const struct network *network);

#endif
