/*
 * A liveness page of this process. Each connection to a daemon brings a new one. Importers keep
 * polling the page that was current when they imported, so an earlier page stays mapped while an
 * export uses a word of it. Threads: the session's lock is held (client/control/session.h).
 */
#ifndef CLIENT_CONTROL_SESSION_PAGE_H
#define CLIENT_CONTROL_SESSION_PAGE_H

#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

struct session_page {
	_Atomic uint32_t *words;
	size_t n_words;
	uint32_t refs;
	unsigned connection; /* the connection that brought the page, never 0 */
};

/* Returns the futex word that the daemon changes and wakes when it revokes something or a device is
 * removed. */
static inline _Atomic uint32_t *session_page_revocation_word(const struct session_page *page)
{
	return &page->words[page->n_words - 1];
}

/* Maps the page, with one reference for the caller. The memfd has been verified. */
doca_error_t session_page_map(int memfd, size_t len, unsigned connection,
			      struct session_page **page_out);
/* Unmaps the page with its last reference. */
void session_page_unref_locked(struct session_page *page);

#endif
