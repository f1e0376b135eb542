/*
 * The log in systemd's journal, with fields, when standard error is the journal (JOURNAL_STREAM);
 * otherwise nothing here does anything and lines go to standard error as they are. The fields say
 * whom a line is about: a scope is entered around the handling of a client or peer, and every line
 * that is logged meanwhile, wherever it comes from, carries it. Single-threaded.
 */
#ifndef DAEMON_JOURNAL_H
#define DAEMON_JOURNAL_H

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
	pid_t pid;
	uid_t uid;
	const char *program;
	const char *request;
	const char *peer;
};

/* Lines go to the journal from now on, if standard error does. side is a constant. */
void journal_open(const char *side);
/* Returns the one before, for journal_leave(). */
struct journal_subject journal_enter(const struct journal_subject *subject);
void journal_leave(const struct journal_subject *before);
/* For journal_log(): the lines until journal_event_end() carry the id. */
void journal_event_begin(enum journal_event event);
void journal_event_end(void);

/* journal_log(JOURNAL_STARTED, log_info, "..."): a line with a MESSAGE_ID. */
#define journal_log(event, log_fn, ...) \
	(journal_event_begin(event), log_fn(__VA_ARGS__), journal_event_end())

#endif
