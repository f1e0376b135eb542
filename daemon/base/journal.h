/*
 * The log in systemd's journal, with fields, if standard error is the journal (JOURNAL_STREAM).
 * Otherwise these functions do nothing, and lines go to standard error unchanged. The fields say
 * which process a line is about: a scope surrounds the handling of a client or peer, and every line
 * logged inside it, by any module, has the scope's fields. A scope belongs to the thread that
 * entered it; everything else is single-threaded.
 */
#ifndef DAEMON_BASE_JOURNAL_H
#define DAEMON_BASE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* MESSAGE_IDs of lines that scripts wait for; dococored(8) lists them. */
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

/*
 * The process that lines are about. Fields that are 0 or NULL are left out. The texts must stay
 * valid until the scope is left.
 */
struct journal_subject {
	uint64_t client;
	bool has_uid; /* pid and uid are valid */
	pid_t pid;
	uid_t uid;
	const char *program;
	const char *request;
	const char *peer;
	const char *group; /* a group of processes instead of one: "all clients" */
};

/*
 * Sends lines to the journal from now on, if standard error is the journal. side must be a
 * constant.
 */
void journal_open(const char *side);
/* Enters a scope. Returns the previous one, for journal_leave(). */
struct journal_subject journal_enter(const struct journal_subject *subject);
void journal_leave(const struct journal_subject *before);
/*
 * Writes the user that lines of this thread are about, "uid 1000", or the daemon, "peer NAME".
 * Returns false if there is neither. A log_source_fn.
 */
bool journal_source(char *name_out, size_t name_len);
/* Used by journal_log(): lines until journal_event_end() have the id. */
void journal_event_begin(enum journal_event event);
void journal_event_end(void);

/* journal_log(JOURNAL_STARTED, log_info, "...") logs a line with a MESSAGE_ID. */
#define journal_log(event, log_fn, ...) \
	(journal_event_begin(event), log_fn(__VA_ARGS__), journal_event_end())

#endif
