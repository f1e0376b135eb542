/* Secrets that core dumps do not show; see secret.h. */
#include "daemon/base/secret.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "util/util.h"

#define SECRET_CHUNK_LEN (64u << 10)

/* A cell that is free holds the list of those that are, and zeros. */
union cell {
	union cell *next;
	uint8_t bytes[SECRET_LEN];
};

static union cell *free_cells;

/* False: no memory. */
static bool secret_grow(void)
{
	union cell *chunk = mmap(NULL, SECRET_CHUNK_LEN, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (chunk == MAP_FAILED)
		return false;
	(void)madvise(chunk, SECRET_CHUNK_LEN, MADV_DONTDUMP);
	for (size_t i = 0; i < SECRET_CHUNK_LEN / sizeof(*chunk); i++) {
		chunk[i].next = free_cells;
		free_cells = &chunk[i];
	}
	return true;
}

uint8_t *secret_new(void)
{
	union cell *cell;

	if (!free_cells && !secret_grow())
		return NULL;
	cell = free_cells;
	free_cells = cell->next;
	cell->next = NULL;
	return cell->bytes;
}

uint8_t *secret_free(uint8_t *secret)
{
	union cell *cell = (union cell *)(void *)secret;

	if (!secret)
		return NULL;
	explicit_bzero(cell, sizeof(*cell));
	cell->next = free_cells;
	free_cells = cell;
	return NULL;
}
