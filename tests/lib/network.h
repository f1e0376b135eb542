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
	int sock; /* for commands to the process */
};

/*
 * Call after tls_lab_make() and before the daemons start: changes the host's configuration so that
 * its daemon connects to the DPU's through this process.
 */
void network_start(struct network *network, struct tls_lab *tls);
void network_end(struct network *network);
/* Nothing is forwarded until network_resume(). */
void network_pause(const struct network *network);
void network_resume(const struct network *network);
/* Returns the number of bytes that were received and not forwarded yet. */
int network_n_held(const struct network *network);
/* Breaks the connection. The daemons may establish another one. */
void network_disconnect(const struct network *network);

#endif
