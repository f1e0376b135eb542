/*
 * Descriptors that the service manager handed over (LISTEN_FDS, LISTEN_FDNAMES): listening sockets
 * of socket activation, and what an earlier instance put into the fd store. Each is taken once, by
 * its owner; what nobody takes is closed. Process-wide; used before the loop runs.
 */
#ifndef DAEMON_BASE_INHERIT_H
#define DAEMON_BASE_INHERIT_H

#include <stddef.h>

/* Reads the environment and forgets it. Call first in main(), before other descriptors exist. */
void inherit_init(void);
/* A listening Unix socket of the type: the one of that name first, else any. -1: there is none. */
int inherit_take_listener(const char *name, int type);
/* A descriptor by its name in the fd store. -1: there is none. */
int inherit_take(const char *name);
/* Takes any descriptor whose name begins so, or returns NULL. The name is good until
 * inherit_close(). */
const char *inherit_next(char first, int *fd_out);
/* Closes the rest. Returns how many there were. */
size_t inherit_close(void);

#endif
