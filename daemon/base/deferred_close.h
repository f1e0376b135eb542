/*
 * Closes descriptors of clients in threads, so that the loop never waits for a close. There are two
 * queues with at most one thread each:
 *
 * - Memory. The last close of a memfd frees its pages, which takes a while for large ones, but
 * ends. While there is a closer, fd_close() of the whole process leads here (see
 * fd_set_close_fn()).
 * - Strangers: descriptors that are none of those the protocol knows. The last close of a socket
 *   that lingers, or of a file whose file system is a program of the client's, waits for that
 *   client. A user with too many of them is served no more. The descriptors in such a user's new
 *   connections are not received, and the socket is closed here as a whole: the kernel counts
 *   descriptors in a socket against the user that sent them.
 *
 * A thread ends when it has had nothing to do for a while. closer_give() is for any thread, all
 * else for the loop's.
 */
#ifndef DAEMON_BASE_DEFERRED_CLOSE_H
#define DAEMON_BASE_DEFERRED_CLOSE_H

#include <sys/types.h>

enum closer_queue { CLOSER_MEMORY, CLOSER_STRANGERS };

/* A user with so many that are not closed yet must wait (memory), or is served no more. */
#define CLOSER_USER_MAX 256u

struct closer;

/* One at a time in a process. NULL: no memory. */
struct closer *closer_new(void);
/* Takes fd, which a process of uid has sent or made. */
void closer_give(struct closer *closer, enum closer_queue which, uid_t uid, int fd);
/* How many of the user's are not closed yet. */
unsigned closer_n_of(struct closer *closer, enum closer_queue which, uid_t uid);
/* What is still to be closed is, sooner or later. NULL is fine. Returns NULL. */
struct closer *closer_free(struct closer *closer);

#endif
