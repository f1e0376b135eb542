/*
 * Quarantine: delays freeing the memory of buffers and maps that have ended. A program may release
 * a buffer and destroy its inventory, pool or map although a task on the buffer has not completed.
 * The guide forbids that, but devices accept it, and the completion of the task still reads the
 * buffer and its map. Detecting the mistake would slow each submission down. The memory is
 * therefore freed only when the next N_QUARANTINED such objects have ended; then the completion
 * usually reads valid memory. Memory of more than QUARANTINE_MAX bytes is freed at once.
 *
 * Threads: any, without a lock.
 */
#ifndef CLIENT_MEMORY_QUARANTINE_H
#define CLIENT_MEMORY_QUARANTINE_H

#include <stddef.h>

#define N_QUARANTINED  32u
#define QUARANTINE_MAX (512u << 10)

/* Frees memory with a delay, and does not change it before. Accepts NULL. */
void quarantine_free(void *memory, size_t len);

#endif
