/*
 * One connected client process. Owns everything that the client made: handles, exports, imports,
 * comch servers and channel ends. session_teardown() is the one place where all of it ends,
 * whatever the reason. A session never dies inside one of its own handlers: session_kill() marks it
 * and the loop tears it down in its next step.
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
#include "daemon/base/loop.h"
#include "daemon/session/counters.h"
#include "daemon/store/persist.h"
#include "proto/conn.h"
#include "proto/shm_layout.h"
#include "util/list.h"

#define SESSION_LIVENESS_LEN 65536u
#define SESSION_MAX_SLOTS    (SESSION_LIVENESS_LEN / 4u - 1u) /* the last word tells of news */
#define SESSION_MAX_GROUPS   64

struct channel;
struct consumer;
struct daemon;

struct session {
	struct daemon *daemon;
	struct list link; /* daemon->sessions */
	uint64_t id;

	/* For operators. */
	pid_t pid;
	uid_t uid;
	gid_t gid;
	char program[64];
	char library[32];
	uint64_t created_at_ns; /* CLOCK_REALTIME */
	uint64_t n_requests;

	gid_t groups[SESSION_MAX_GROUPS];
	size_t n_groups;
	bool greeted;
	bool dying;
	bool is_socket_laden; /* descriptors are left in it: its last close may wait */
	bool blocked;         /* answers wait to be sent, and its requests until they are */
	struct conn *conn;
	struct in_flight *in_flight; /* of conn */
	struct loop_source *io;
	struct loop_source *life; /* of the process; NULL: without pidfd */
	struct loop_source *reaper;
	struct loop_source *stall;
	uint64_t blocked_since_ns; /* CLOCK_MONOTONIC */
	struct account *account;
	struct charge charge;
	struct charge queued; /* descriptors of answers that wait to be sent */
	int pidfd;

	/* Liveness page: words[slot] is the generation of a living export. */
	int liveness_fd;
	/* No process maps the page for writing any more once an importer gets it. */
	bool liveness_settles;
	int liveness_read_fd; /* the same, for importers; -1 until there are some */
	struct liveness_page *liveness;
	uint32_t generation;  /* the last one: ours, the page is the client's to write */
	uint32_t *free_slots; /* stack of those below n_slots that nobody has */
	uint32_t n_slots, n_slots_allocated, n_free_slots;

	struct session_counters counters;

	uint64_t next_handle;
	struct idmap handles;
	struct list handle_list; /* struct handle, link */
	struct list exports;     /* struct export, session_link */
	struct list imports;     /* struct import, session_link */
	struct list services;    /* struct service, session_link */
	struct list channels;    /* struct channel, session_link */
	struct list rdma_agents; /* struct rdma_agent, session_link */
	unsigned n_exports, n_imports, n_services, n_channels, n_handles;

	/* For the next instance of the daemon, see keep.h. */
	bool is_kept;
	bool is_keep_owed;   /* there was no room for it, and it is tried again */
	bool check_repeat;   /* the first request after a restart may have been done before it */
	bool has_peeked;     /* what was handled last is still in the socket */
	bool is_held;        /* what comes next waits there for a link */
	bool is_keep_due;    /* records of channels and consumers are to be written anew then */
	uint64_t request_id; /* Hello's */
	uint32_t kept_generation;
	uint64_t kept_handle;
	unsigned n_kept_events; /* that wait for room in a ring */
	struct kept kept;
};

/* One that an earlier instance served. */
struct session_past {
	uint64_t id;
	const char *program, *library;
	uint64_t created_at_ns;
	uint32_t generation;
	uint64_t next_handle;
	uint64_t request_id;
};

/* Takes fd, also when it fails. 0 or -errno. */
int session_new(struct daemon *daemon, int fd, struct session **session_out);
/* Takes both descriptors, also when it fails. 0 or -errno. */
int session_resume(struct daemon *daemon, const struct session_past *past, int fd, int liveness_fd,
		   struct session **session_out);
/* What is handled just now is answered for good, if its client has taken all answers: the next
 * instance of the daemon need not see it. */
void session_consume(struct session *session);
/* Nothing that it asked for is being answered. */
bool session_is_answered(const struct session *session);
/* keep_channel(), but not before the client has the answer. */
void session_keep_answered(struct session *session, struct channel *channel);
void session_keep_answered_consumer(struct session *session, struct consumer *consumer);
/* The request that was held may be handled. */
void session_release(struct session *session);
/* Its exports are all there. */
void session_resume_done(struct session *session);
/* See resume_answer_again(). */
bool session_hello_again(struct session *session, const Dococore__Packet *packet);
/* Ends it in the loop's next step. Logs the reason, and tells the client if it still listens. */
void session_kill(struct session *session, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Its program has ended or hung up, whether the loop has heard of it or not. */
bool session_has_left(const struct session *session);
/* After a charge of its account was refused: ends the sessions that have left and had a part of it.
 * True if there were any. */
bool session_end_left(const struct session *asking);
/* charge_add() to the account of its user. Sessions that have left may end by that: for where
 * nothing of others, nor a list of sessions or of what they have, is in hand. */
int session_charge(struct session *session, struct charge *charge, enum charge_kind kind,
		   uint64_t n);
/* Log lines until journal_leave() say that they are about this client, and about its request if
 * that is not NULL. Returns the scope before. */
struct journal_subject session_enter_journal(const struct session *session, const char *request);
/* Ends it now: for the daemon's own stop, the reaper and when its place is wanted. */
void session_teardown(struct session *session);

/* Answers; a failure to send kills the session. fds stay the caller's. */
void session_reply(struct session *session, Dococore__Packet *packet, const int *fds, size_t n_fds);
void session_reply_ok(struct session *session, uint64_t id);
/* Answers with Error and returns 0, for "return session_refuse(...)" in handlers. */
int session_refuse(struct session *session, uint64_t id, enum code code, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/* For a failed charge or a failed system call. what: "an export". Returns 0. */
int session_refuse_errno(struct session *session, uint64_t id, int negative_errno,
			 const char *what);

/* A page of its own, in liveness_fd and mapped; the first charges the session. 0 or -errno. */
int session_make_liveness(struct session *session);
int session_map_liveness(struct session *session);
/*
 * Opens the liveness page for an importer. The first call seals it: the daemon and the client have
 * mapped it, and no process of any user can map it for writing later. A page that the next instance
 * of the daemon is to map (fd store) is not sealed; there its mode binds importers of all users but
 * the daemon's own. Descriptor or -errno.
 */
int session_open_read_only(struct session *session);
/* A descriptor of the liveness page that cannot write, in liveness_read_fd. False: there is no room
 * for one more. */
bool session_keep_read_only(struct session *session);
/* Takes a liveness slot and makes it alive. 0 or -ENOSPC. */
int session_slot_take(struct session *session, uint32_t *slot_out, uint32_t *generation_out);
/* One that an export of an earlier instance has. 0, -EEXIST, -ERANGE, -ENOMEM. */
int session_slot_resume(struct session *session, uint32_t slot);
/* Makes it dead at once and gives it back. */
void session_slot_release(struct session *session, uint32_t slot);
/* Makes it dead at once and keeps it. */
void session_slot_kill(struct session *session, uint32_t slot);
/* Who sleeps in the client for news of its slots looks at them. */
void session_tell_news(struct session *session);
/* After the release: the client must not register the export again. Is told. */
void session_slot_revoke(struct session *session, uint32_t slot);

int session_on_hello(struct session *session, const Dococore__Packet *packet, struct fdset *fds);

#endif
