/* Liveness pages; see client/control/session_page.h. */
#include "client/control/session_page.h"

#include <stdlib.h>

#include "client/base/error.h"
#include "util/memfd.h"

doca_error_t session_page_map(int memfd, size_t len, unsigned connection,
			      struct session_page **page_out)
{
	struct session_page *page = calloc(1, sizeof(*page));

	if (page != NULL)
		page->words = memfd_map(memfd, 0, len, true);
	if (page == NULL || page->words == NULL) {
		free(page);
		return error_set(DOCA_ERROR_NO_MEMORY, "mapping the liveness page: %m");
	}
	/* Importers get the page, and may only read it. A daemon with a store has refused seals. */
	(void)memfd_seal_writers(memfd);
	page->n_words = len / sizeof(uint32_t);
	page->refs = 1;
	page->connection = connection;
	*page_out = page;
	return DOCA_SUCCESS;
}

void session_page_unref_locked(struct session_page *page)
{
	if (--page->refs > 0)
		return;
	memfd_unmap((void *)page->words, page->n_words * sizeof(uint32_t));
	free(page);
}
