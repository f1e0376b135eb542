/*
 * The processes of a lab. A keeper is the parent of a supervisor, which is the parent of both
 * daemons. If one of them is killed, the others clean up:
 *
 * - The supervisor is killed: the kernel sends SIGTERM to the daemons, which become the keeper's
 *   children. The keeper waits for them and removes the directory.
 * - The keeper is killed: the kernel sends SIGTERM to the supervisor, which ends the daemons and
 *   removes the directory.
 * - 'lab up' is killed before it has asked for the lab to stay: its socket closes, and the
 * supervisor ends the lab.
 */
#ifndef TOOLS_DOCA_ADMIN_LAB_SUPERVISOR_H
#define TOOLS_DOCA_ADMIN_LAB_SUPERVISOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/doca-admin/lab/lab.h"

struct lab_start {
	const char *daemon;                /* absolute path of the program */
	const char *topology[LAB_N_SIDES]; /* absolute; NULL: the daemon's default */
	const char *config;                /* absolute; NULL: the daemon's default */
	bool foreground; /* the daemons log to this process's stderr, not to DIR/<side>.log */
};

/*
 * Starts the processes. *sock_out is the socket for lab_supervisor_wait() and
 * lab_supervisor_commit(): if it closes without lab_supervisor_commit(), the lab ends. *keeper_out
 * is the keeper's pid in the foreground, else 0. Returns 0 or -errno.
 */
int lab_supervisor_start(const struct lab *lab, const struct lab_start *start, int *sock_out,
			 pid_t *keeper_out);
/*
 * Waits until both daemons have reported readiness. Returns 0, -ETIMEDOUT, or -EIO with the reason
 * in text_out (at most len bytes).
 */
int lab_supervisor_wait(int sock, uint64_t deadline_ns, char *text_out, size_t len);
/* Makes the lab stay when the socket closes. */
int lab_supervisor_commit(int sock);

#endif
