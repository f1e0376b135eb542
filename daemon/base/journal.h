/*
 * The log in systemd's journal, with fields, when standard error is the journal (JOURNAL_STREAM);
 * otherwise nothing here does anything and lines go to standard error as they are. The fields say
 * whom a line is about: a scope is entered around the handling of a client or peer, and every line
 * that is logged meanwhile, wherever it comes from, carries it. A scope is the thread's that
 * entered it; all else is single-threaded.
 */
#ifndef DAEMON_BASE_JOURNAL_H
#define DAEMON_BASE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* MESSAGE_ID of lines that scripts wait for; dococored(8) lists them. */
enum journal_event {
	JOURNAL_NONE,
	JOURNAL_STARTED,
	JOURNAL_STOPPING,
	JOURNAL_RELOADED,
	JOURNAL_RELOAD_REFUSED,
	JOURNAL_CLIENT_DROPPED,
	JOURNAL_PEER_LINKED,
	JOURNAL_PEER_LOST,
	JOURNAL_EXPORT_REVOKED,
	JOURNAL_RESUMED,
	JOURNAL_NOT_RESUMED,
	JOURNAL_N_EVENTS
};

/* Whom lines are about; what is 0 or NULL is left out. The texts stay valid until it is left. */
struct journal_subject {
	uint64_t client;
	bool has_uid; /* pid and uid are known */
	pid_t pid;
	uid_t uid;
	const char *program;
	const char *request;
	const char *peer;
	const char *group; /* of processes, if it is not one: "all clients" */
};

/* Lines go to the journal from now on, if standard error does. side is a constant. */
void journal_open(const char *side);
/* Returns the one before, for journal_leave(). */
struct journal_subject journal_enter(const struct journal_subject *subject);
void journal_leave(const struct journal_subject *before);
/* The user that lines of this thread are about just now, "uid 1000", or the daemon, "peer NAME".
 * False: neither. A log_source_fn. */
bool journal_source(char *name_out, size_t name_len);
/* For journal_log(): the lines until journal_event_end() carry the id. */
void journal_event_begin(enum journal_event event);
void journal_event_end(void);

/* journal_log(JOURNAL_STARTED, log_info, "..."): a line with a MESSAGE_ID. */
#define journal_log(event, log_fn, ...) \
	(journal_event_begin(event), log_fn(__VA_ARGS__), journal_event_end())

#endif
