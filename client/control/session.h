/*
 * The process's one connection to its side's daemon. Opened by the first call that needs it, shared
 * by all objects, opened again by the next call after the daemon went away. Calls block the caller
 * until the answer or a deadline; none of them is on the data path.
 *
 * Objects that the daemon knows (open devices, exports, servers) register an item; after a
 * reconnect each is asked, in order of registration, to introduce itself again. Threads: every
 * function may be called from any thread; one lock inside. After fork the child has no session
 * until it makes its first call, and must not use objects of the parent.
 */
#ifndef CLIENT_CONTROL_SESSION_H
#define CLIENT_CONTROL_SESSION_H

#include <doca_error.h>

#include "proto/dococore.pb-c.h"
#include "proto/shm_layout.h"
#include "util/fdset.h"
#include "util/list.h"

struct session_item {
	struct list node;
	/* Called with the session's lock held; uses session_call_locked only. */
	void (*restore)(struct session_item *item);
	/* May be NULL. This process gives the connection up; somebody has to make a call for there
	 * to be another. The lock is held; only makes a note. */
	void (*cut)(struct session_item *item);
};

struct session_request {
	Dococore__Packet packet; /* DOCOCORE__PACKET__INIT with the body set; the id is ours */
	const int *fds;
	size_t n_fds;
	doca_error_t quiet_refusal; /* the caller goes on from this one: it is not logged */
};

struct session_answer {
	Dococore__Packet *packet; /* NULL when the call failed */
	struct fdset fds;
	uint8_t daemon_id[16]; /* who gave it: the numbers in it are that daemon's */
	unsigned connection;   /* by which it came: words that it names are of that page */
};

#define SESSION_ANSWER_INIT                       \
	{                                         \
		.packet = NULL, .fds = FDSET_INIT \
	}
void session_answer_deinit(struct session_answer *answer);
#define CLEANUP_ANSWER CLEANUP(session_answer_deinit)

/*
 * Sends and waits. DOCA_SUCCESS and an answer whose body is `expected`; otherwise a code with its
 * sentence recorded: the daemon's own for a refusal, NOT_CONNECTED when there is no daemon,
 * TIME_OUT.
 */
doca_error_t session_call(struct session_request *request, Dococore__Packet__BodyCase expected,
			  struct session_answer *answer_out);
doca_error_t session_call_locked(struct session_request *request,
				 Dococore__Packet__BodyCase expected,
				 struct session_answer *answer_out);
/*
 * Connects if need be, restoring handles. A caller that puts a handle into a request calls this
 * first, under the lock, because a reconnect gives new handles.
 */
doca_error_t session_ensure_locked(void);
/* The same for who looks now and then, and must not wait: a daemon that does not answer at once is
 * none. is_quiet: that there is none was said. */
doca_error_t session_ensure_soon_locked(bool is_quiet);
/* How many forks are between the process that first connected and this one, of those that the
 * session saw. Another number than before: what was opened then is another process's. */
unsigned session_n_forks_locked(void);
/* A request whose answer is Ok and that nobody waits for success of: closing things. Never connects
 * anew. */
void session_tell(struct session_request *request);
/* For handles: another thread's reconnect in between would make the number another object's. */
void session_tell_locked(struct session_request *request);
/* The same without waiting until it is done, as the daemon may be away for a while. */
void session_post_locked(struct session_request *request);
/* The same from inside of what reads the connection, and without a look at it. */
void session_post_blindly_locked(struct session_request *request);
/* A notice: no answer at all. */
void session_notify_locked(struct session_request *request);

/* --- requests that are not waited for, see client/control/pending.h --- */

/* Sends, over the connection that there is; NOT_CONNECTED with a sentence if there is none. */
doca_error_t session_send_locked(struct session_request *request);
/* Takes what has come over it. */
void session_drain_locked(void);
/* Another number: another connection. */
unsigned session_n_connections_locked(void);
/* What a call says of its answer, with a sentence. */
doca_error_t session_answer_check(const struct session_answer *answer, const char *name,
				  Dococore__Packet__BodyCase expected, doca_error_t quiet_refusal);

/* The calling thread is the library's. It looks for a daemon where the last of the program's
 * threads did that had to: the environment is the program's, which may change it at any time. */
void session_on_own_thread(void);

/* The connection has ended, and what the daemon kept by it; does not connect anew. */
bool session_is_over_locked(void);
/*
 * Looks whether the daemon has gone; if so everybody is told by `cut`. Never connects, and does not
 * wait: a call that is under way on another thread finds out by itself.
 */
void session_look(void);
/* The same for who is not called again: that thread looks when it is done. */
void session_look_surely(void);
/* The connection, to be watched for its end and nothing else; -1: there is none. It is closed when
 * it is given up. */
int session_fd_locked(void);

/* lock == hold the session's lock while an object and its registration change together. */
void session_lock(void);
/* For who must not wait for a call of another thread. */
bool session_try_lock(void);
void session_unlock(void);
void session_item_add_locked(struct session_item *item);
void session_item_remove_locked(struct session_item *item);

/* The counters' pages are new: a daemon that is connected gets them; others do when they are. */
void session_share_counters(void);

/* "host" or "dpu" of the connected daemon, its 16-byte id; valid after a successful call. */
doca_error_t session_get_side(char side_out[8], uint8_t daemon_id_out[16]);
/* Of the daemon that the call before, under the same lock, was made to. */
void session_get_side_locked(char side_out[8], uint8_t daemon_id_out[16]);
/* The id of the daemon that was connected last; ids that another one gave mean nothing to it. */
const uint8_t *session_daemon_id_locked(void);
/*
 * A liveness page of this process. Each connection to a daemon brings one; importers keep looking
 * at the page of the time of their import, so an earlier one stays mapped while an export has a
 * word in it.
 */
struct session_page {
	_Atomic uint32_t *words;
	size_t n_words;
	uint32_t refs;
	unsigned connection; /* that brought it, never 0 */
};

/* The daemon changes it, and wakes who sleeps on it, when it revokes
 * something or a device was taken away. */
static inline _Atomic uint32_t *session_page_news(const struct session_page *page)
{
	return &page->words[page->n_words - 1];
}

/* The current page with one more reference; NULL without a connection. The lock is held. */
struct session_page *session_page_ref_locked(void);
void session_page_unref_locked(struct session_page *page);

#endif
