/*
 * Descriptors that the service manager passed (LISTEN_FDS, LISTEN_FDNAMES): listening sockets of
 * socket activation, and the contents of the fd store. The owner of each takes it once; the others
 * are closed. Process-wide; used before the event loop runs.
 */
#ifndef DAEMON_BASE_INHERIT_H
#define DAEMON_BASE_INHERIT_H

#include <stddef.h>

/*
 * Reads and clears the environment variables. Call it first in main(), before other descriptors
 * exist.
 */
void inherit_init(void);
/* Returns a listening Unix socket of the type, preferably of that name, or -1. */
int inherit_adopt_listener(const char *name, int type);
/* Returns a descriptor by its name in the fd store, or -1. */
int inherit_adopt(const char *name);
/*
 * Takes any descriptor whose name begins with this character. Returns its name, which is valid
 * until inherit_close(), or NULL.
 */
const char *inherit_next(char first, int *fd_out);
/* Closes the remaining descriptors. Returns their number. */
size_t inherit_close(void);

#endif
