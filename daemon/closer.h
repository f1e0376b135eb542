/*
 * Closes descriptors of clients that are none of those the protocol knows. The last close of a
 * socket that lingers, or of a file whose file system is a program of the client's, waits for that
 * client: it is done in a thread, so that nobody else waits. What a user who is served no more
 * sends along with a new connection keeps that one's socket until then, too: the kernel counts such
 * descriptors against the user that sent them.
 */
#ifndef DAEMON_CLOSER_H
#define DAEMON_CLOSER_H

#include <sys/types.h>

/* A user with so many that are not closed yet is served no more. */
#define CLOSER_USER_MAX 256u

struct closer;

/* NULL: no memory. */
struct closer *closer_new(void);
/* Takes fd, which came from a process of uid. */
void closer_give(struct closer *closer, uid_t uid, int fd);
/* How many of the user's are not closed yet. */
unsigned closer_n_of(struct closer *closer, uid_t uid);
/* What is still to be closed is, sooner or later. NULL is fine. Returns NULL. */
struct closer *closer_free(struct closer *closer);

#endif
