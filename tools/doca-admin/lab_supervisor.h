/*
 * The processes behind a lab. A keeper is the parent of a supervisor, which is the parent of both
 * daemons:
 *
 *   supervisor killed:  the kernel sends SIGTERM to the daemons, which become the keeper's
 * children; the keeper waits for them and removes the directory keeper killed:      the kernel
 * sends SIGTERM to the supervisor, which ends the daemons and removes the directory 'lab up' killed
 * before it said that the lab is to stay: its socket closes, the supervisor ends
 */
#ifndef TOOLS_DOCA_ADMIN_LAB_SUPERVISOR_H
#define TOOLS_DOCA_ADMIN_LAB_SUPERVISOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/doca-admin/lab.h"

struct lab_start {
	const char *daemon;                /* program, absolute */
	const char *topology[LAB_N_SIDES]; /* absolute; NULL: the daemon's default */
	const char *config;                /* absolute; NULL: the daemon's default */
	bool foreground; /* the daemons log to our stderr, not to DIR/<side>.log */
};

/*
 * Starts them. *sock_out is the socket that lab_supervisor_wait and lab_supervisor_keep use: once
 * it closes without keep, the lab ends. *keeper_out is our child in the foreground, else 0. 0 or
 * -errno.
 */
int lab_supervisor_start(const struct lab *lab, const struct lab_start *start, int *sock_out,
			 pid_t *keeper_out);
/*
 * Waits until both daemons said that they are ready. 0, -ETIMEDOUT, or -EIO with the reason in
 * text_out (at most len bytes).
 */
int lab_supervisor_wait(int sock, uint64_t deadline_ns, char *text_out, size_t len);
/* The lab stays when the socket closes. */
int lab_supervisor_keep(int sock);

#endif
