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
 * A thread ends when it had no work for a while. Any thread may call deferred_close_add(); all
 * other functions are for the event loop's thread.
 */
#ifndef DAEMON_BASE_DEFERRED_CLOSE_H
#define DAEMON_BASE_DEFERRED_CLOSE_H

#include <sys/types.h>

enum deferred_close_queue { DEFERRED_CLOSE_MEMORY, DEFERRED_CLOSE_UNEXPECTED };

/*
 * With this many descriptors waiting, a user must wait (memory) or is not served any more
 * (unknown).
 */
#define DEFERRED_CLOSE_USER_MAX 256u

struct deferred_close;

/* At most one instance exists in a process. Returns NULL if memory is short. */
struct deferred_close *deferred_close_new(void);
/* Takes ownership of fd, which a process of uid has sent or created. */
void deferred_close_add(struct deferred_close *deferred_close, enum deferred_close_queue which,
			uid_t uid, int fd);
/* Number of the user's descriptors that are not closed yet. */
unsigned deferred_close_n_pending(struct deferred_close *deferred_close,
				  enum deferred_close_queue which, uid_t uid);
/* Remaining descriptors are closed eventually. Accepts NULL. Returns NULL. */
struct deferred_close *deferred_close_free(struct deferred_close *deferred_close);

#endif
