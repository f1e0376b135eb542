/*
 * One connected client process. Owns all objects of the client: handles, exports, imports, comch
 * servers and channel ends. session_teardown() is the one place where they all end, for whatever
 * reason. A session never ends inside one of its own handlers: session_kill() marks it, and the
 * event loop tears it down in its next iteration.
 */
#ifndef DAEMON_SESSION_SESSION_H
#define DAEMON_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/account.h"
#include "daemon/base/code.h"
#include "daemon/base/idmap.h"
#include "daemon/base/journal.h"
#include "daemon/base/lifecycle.h"
#include "daemon/base/loop.h"
#include "daemon/session/counters.h"
#include "daemon/session/object.h"
#include "daemon/store/persist.h"
#include "proto/conn.h"
#include "proto/shm_layout.h"
#include "util/list.h"

#define SESSION_LIVENESS_LEN 65536u
#define SESSION_MAX_SLOTS    (SESSION_LIVENESS_LEN / 4u - 1u) /* the last word counts revocations */
#define SESSION_MAX_GROUPS   64

struct daemon;
struct session;

/* Sets the hooks of the daemon's rooms. */
typedef int (*session_handler_fn)(struct session *session, const Dococore__Packet *packet,
				  struct fdset *fds);

struct session_route {
	session_handler_fn fn;
	bool before_hello; /* the first packet, and only that */
	bool is_notice;    /* carries id 0 and gets no answer */
};

/* Functions of higher rooms that sessions call. One table for all sessions; see dispatch.h. */
struct session_hooks {
	/* The handler of a packet. NULL: no client may send it. */
	const struct session_route *(*route)(const Dococore__Packet *packet);
	/*
	 * If an earlier instance of the daemon has executed this request, repeats the answer and
	 * returns true.
	 */
	bool (*answer_again)(struct session *session, const Dococore__Packet *packet);
	/*
	 * The grace period is over (is_over), or a peer is linked. Requests to peers that waited
	 * for that are sent; was_on: the grace period was on until now. Returns true if some
	 * requests still wait for another peer.
	 */
	bool (*ask_again)(struct daemon *daemon, bool was_on, bool is_over);
	/* Returns the ids of the exports that an operator has revoked, for the daemon's record. */
	uint64_t *(*revoked_exports)(const struct daemon *daemon, size_t *n_out);
};

/* The life cycle of a session; session_state.c has the permitted transitions. */
enum session_state {
	SESSION_CONNECTED, /* its client has not sent Hello yet */
	SESSION_GREETED,   /* serves requests */
	SESSION_REJECTED,  /* ends without having been greeted */
	SESSION_ENDING,    /* the event loop tears it down */
	SESSION_N_STATES,
};

struct session {
	struct daemon *daemon;
	struct list link; /* daemon->sessions->list */
	uint64_t id;

	/* Shown to operators. */
	pid_t pid;
	uid_t uid;
	gid_t gid;
	char program[64];
	char library[32];
	uint64_t created_at_ns; /* CLOCK_REALTIME */
	uint64_t n_requests;

	gid_t groups[SESSION_MAX_GROUPS];
	size_t n_groups;
	enum session_state state;
	/* Unread descriptors are left in the socket, so its last close may block. */
	bool has_unread_fds;
	/* Answers wait to be sent; requests are not read until they are sent. */
	bool blocked;
	struct conn *conn;
	struct in_flight *in_flight; /* of conn */
	struct loop_source *io;
	struct loop_source *life; /* watches the process; NULL without a pidfd */
	struct loop_source *reaper;
	struct loop_source *stall_timer;
	uint64_t blocked_since_ns; /* CLOCK_MONOTONIC */
	struct account *account;
	struct charge charge;
	struct charge queued; /* descriptors of queued answers */
	int pidfd;

	/* Liveness page: words[slot] is the generation of an export that is alive. */
	int liveness_fd;
	/*
	 * The client seals the page when it has mapped it: after that no process can map it for
	 * writing. Importers get only a sealed page.
	 */
	bool is_liveness_sealed_late;
	/* read-only descriptor of the page for importers; -1 until one imports. */
	int liveness_read_fd;
	struct liveness_page *liveness;
	/* Last assigned generation; a private copy, because the client can write the page. */
	uint32_t generation;
	uint32_t *free_slots; /* stack of the unused slots below n_slots */
	uint32_t n_slots, n_slots_allocated, n_free_slots;

	struct session_counters counters;

	uint64_t next_handle;
	struct idmap handles;
	struct list objects[SESSION_N_KINDS]; /* struct session_object, link */
	unsigned n_exports, n_imports, n_services, n_channels, n_handles;

	/* For the next instance of the daemon, see persist.h. */
	bool is_persisted;
	bool is_persist_pending; /* persisting failed for lack of room and is retried */
	/* The first request after a restart may have been executed before it. */
	bool check_repeat;
	bool has_peeked;          /* the request that was handled last is still in the socket */
	bool is_request_deferred; /* the next request waits in the socket for a link */
	/* Records of channels and consumers must be rewritten after the answer. */
	bool is_save_deferred;
	uint64_t request_id; /* id of the Hello request */
	uint32_t reserved_generation;
	uint64_t reserved_handle;
	unsigned n_persisted_events; /* number of persisted events that wait for room in a ring */
	struct persisted persisted;
};

/* The daemon's sessions. */
struct sessions {
	struct list list; /* struct session, link */
	unsigned n;
	bool is_in_grace_period; /* see grace_period.h */
	uint64_t grace_began_ns, grace_spent_ns;
	struct loop_source *grace_timer;
};

/* The saved state of a session of an earlier daemon instance. */
struct session_saved {
	uint64_t id;
	const char *program, *library;
	uint64_t created_at_ns;
	uint32_t generation;
	uint64_t next_handle;
	uint64_t request_id;
};

extern const struct lifecycle session_lifecycle;

/* The one function that changes the state. An impossible transition is a bug, see lifecycle.h. */
void session_enter(struct session *session, enum session_state state);
/* Marks that the session ends. Idempotent. */
void session_enter_end(struct session *session);
static inline bool session_is_ending(const struct session *session)
{
	return session->state >= SESSION_REJECTED;
}
/* True if its client has sent Hello, also while it ends. */
static inline bool session_was_greeted(const struct session *session)
{
	return session->state == SESSION_GREETED || session->state == SESSION_ENDING;
}
/* Takes ownership of fd, also on failure. Returns 0 or -errno. */
int session_new(struct daemon *daemon, int fd, struct session **session_out);
/* Restores a session. Takes ownership of both descriptors, also on failure. Returns 0 or -errno. */
int session_resume(struct daemon *daemon, const struct session_saved *saved, int fd,
		   int liveness_fd, struct session **session_out);
/*
 * Marks the current request as answered, if its client has received all answers: the next daemon
 * instance need not see it.
 */
void session_consume(struct session *session);
/* True if no request of the session waits for its answer. */
static inline bool session_is_answered(const struct session *session)
{
	return !session->has_peeked && !session->is_save_deferred &&
	       !conn_wants_write(session->conn);
}
/*
 * True while an answer waits to be sent. Changes that belong to that answer must not be persisted
 * before the client has received it; the session then calls `save_deferred` of its objects.
 */
bool session_defer_save(struct session *session);
/* Allows the held request to be handled. */
void session_release(struct session *session);
/* Call when all exports of the session are restored. */
void session_resume_done(struct session *session);
/* See resume_answer_again(). */
bool session_hello_again(struct session *session, const Dococore__Packet *packet);
/*
 * Ends the session in the event loop's next iteration. Logs the reason, and sends it to the client
 * if possible.
 */
void session_kill(struct session *session, const char *fmt, ...) PRINTF_LIKE(2, 3);
/*
 * True if the program has ended or closed its connection, even if the event loop has not processed
 * that yet.
 */
bool session_has_left(const struct session *session);
/*
 * Call after a charge to the session's account was refused: ends sessions that have left and were
 * charged to that account. Returns true if there were any.
 */
bool session_end_left(const struct session *asking);
/*
 * Calls charge_add() for the account of the session's user. Sessions that have left may end inside
 * this call. Therefore the caller must hold no pointer to other sessions, to their objects or into
 * their lists.
 */
int session_charge(struct session *session, struct charge *charge, enum charge_kind kind,
		   uint64_t n);
/*
 * Marks log lines until journal_leave() as being about this client, and about its request if that
 * is not NULL. Returns the previous scope.
 */
static inline struct journal_subject session_enter_journal(const struct session *session,
							   const char *request)
{
	struct journal_subject subject = {
		.client = session->id,
		.has_uid = true,
		.pid = session->pid,
		.uid = session->uid,
		.program = session->program,
		.request = request,
	};

	return journal_enter(&subject);
}
/* Adds what the client made; ops are constant. The object leaves by list_remove(). */
void session_add_object(struct session *session, enum session_kind kind,
			struct session_object *object, const struct session_object_ops *ops);
/* Ends the session now. For the daemon's stop, for the reaper, and if its place is needed. */
void session_teardown(struct session *session);

/* Answers a request. If sending fails, kills the session. fds stay the caller's. */
void session_reply(struct session *session, Dococore__Packet *packet, const int *fds, size_t n_fds);
void session_reply_ok(struct session *session, uint64_t id);
/* Answers with Error and returns 0, so that handlers can "return session_refuse(...)". */
int session_refuse(struct session *session, uint64_t id, enum code code, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/*
 * Refuses a request for a failed charge or system call. what: for example "an export". Returns 0.
 */
int session_refuse_errno(struct session *session, uint64_t id, int negative_errno,
			 const char *what);

/*
 * Creates the session's liveness page in liveness_fd, or maps it. The first function charges the
 * session. Return 0 or -errno.
 */
int session_make_liveness(struct session *session);
int session_map_liveness(struct session *session);
/*
 * Opens the liveness page for an importer. The first call seals it: the daemon and the client have
 * mapped it, and no process of any user can map it for writing later. A page that the next daemon
 * instance must map (fd store) is not sealed; its mode restricts importers of all users but the
 * daemon's own. Returns the descriptor or -errno.
 */
int session_open_read_only(struct session *session);
/*
 * Opens a read-only descriptor of the liveness page in liveness_read_fd. Returns false if there is
 * no room for one more.
 */
bool session_open_read_only_fd(struct session *session);
/* Allocates a liveness slot and marks it alive. Returns 0 or -ENOSPC. */
int session_slot_allocate(struct session *session, uint32_t *slot_out, uint32_t *generation_out);
/*
 * Restores the slot of an export of an earlier daemon instance. Returns 0, -EEXIST, -ERANGE or
 * -ENOMEM.
 */
int session_slot_resume(struct session *session, uint32_t slot);
/* Marks the slot dead at once and frees it. */
void session_slot_release(struct session *session, uint32_t slot);
/* Marks the slot dead at once and keeps it allocated. */
void session_slot_kill(struct session *session, uint32_t slot);
/* Wakes the client's thread that waits for revocations, so that it checks its slots. */
void session_notify_revocation(struct session *session);
/*
 * Call after session_slot_release(): marks the slot as revoked, so that the client does not
 * register the export again, and wakes the client.
 */
void session_slot_revoke(struct session *session, uint32_t slot);

int session_on_hello(struct session *session, const Dococore__Packet *packet, struct fdset *fds);

#endif
