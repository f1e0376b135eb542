/*
 * Closes clients' descriptors in threads, so that the event loop never waits for a close. There are
 * two queues with at most one thread each:
 *
 * - Memory. The last close of a memfd frees its pages, which takes a while for large ones, but
 * ends. While an instance exists, fd_close() of the whole process passes descriptors here (see
 *   fd_set_close_fn()).
 * - Unknown descriptors, of kinds that the protocol does not use. The last close of a socket with
 *   SO_LINGER, or of a file on a file system that a client's program implements, waits for that
 *   client. A user with too many of them is not served any more: descriptors in such a user's new
 *   connections are not received, and the whole socket is closed here, because the kernel counts
 *   descriptors in a socket against the user that sent them.
 *
 * A thread ends when it had no work for a while. Any thread may call closer_give(); all other
 * functions are for the event loop's thread.
 */
#ifndef DAEMON_BASE_DEFERRED_CLOSE_H
#define DAEMON_BASE_DEFERRED_CLOSE_H

#include <sys/types.h>

enum closer_queue { CLOSER_MEMORY, CLOSER_STRANGERS };

/*
 * With this many descriptors waiting, a user must wait (memory) or is not served any more
 * (unknown).
 */
#define CLOSER_USER_MAX 256u

struct closer;

/* At most one instance exists in a process. Returns NULL if memory is short. */
struct closer *closer_new(void);
/* Takes ownership of fd, which a process of uid has sent or created. */
void closer_give(struct closer *closer, enum closer_queue which, uid_t uid, int fd);
/* Number of the user's descriptors that are not closed yet. */
unsigned closer_n_of(struct closer *closer, enum closer_queue which, uid_t uid);
/* Remaining descriptors are closed eventually. Accepts NULL. Returns NULL. */
struct closer *closer_free(struct closer *closer);

#endif
