/*
 * Quarantine: memory of buffers and maps that have ended. A program may release a buffer and end
 * its inventory, its pool or its map although a task on it has not completed. The guide forbids
 * that, devices let it pass, and the completion looks at the buffer and its map. To notice it would
 * cost each submission, so the memory is kept instead until the next N_QUARANTINED such objects
 * have ended. Memory of more than QUARANTINE_MAX bytes is freed at once.
 *
 * Threads: any, without a lock.
 */
#ifndef CLIENT_MEMORY_QUARANTINE_H
#define CLIENT_MEMORY_QUARANTINE_H

#include <stddef.h>

#define N_QUARANTINED  32u
#define QUARANTINE_MAX (512u << 10)

/* Like free(), but later; memory may be NULL. The content stays as it is. */
void quarantine_free(void *memory, size_t len);

#endif
