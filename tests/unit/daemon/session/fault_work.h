/*
 * The work of two clients while calls of their daemons fail: memory of the host is exported,
 * imported by the DPU and revoked by an operator; a client connects to a server, which fetches its
 * consumer; the DPU calls an RDMA listener of the host. A step that is refused, or whose connection
 * ends, is no failure of the test; a step without an answer is one.
 */
#ifndef TESTS_UNIT_FAULT_WORK_H
#define TESTS_UNIT_FAULT_WORK_H

#include "tests/unit/daemon/pair.h"

/* Name of the fault that is being injected, for messages. */
extern char fault_name[128];

/*
 * Sends a request and waits for its answer. Returns false for an error, or if the connection ended.
 */
bool fault_ask(struct client *client, Dococore__Packet *packet, const int *fds, size_t n_fds);
/*
 * Performs all steps, or only those that daemons of two machines can do if is_remote. Meanwhile the
 * daemon of side `reloads` loads its configuration again. Returns true if every step succeeded.
 */
bool fault_work(const struct daemon_pair *pair, enum side reloads, bool is_remote);

#endif
