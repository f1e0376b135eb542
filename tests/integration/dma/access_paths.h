/*
 * Every way in which a process can change memory of which it holds a descriptor. Used to show that
 * memory that was shared read-only cannot be written. Creates no threads.
 */
#ifndef TESTS_INTEGRATION_DMA_ACCESS_PATHS_H
#define TESTS_INTEGRATION_DMA_ACCESS_PATHS_H

#include <sys/types.h>

/*
 * Tries all ways on a memfd: as received, opened again through /proc in every mode, and through the
 * descriptors of the process `owner` if this process may open those (0: none). Returns the first
 * way that changed the memory or its size or gave a writable shared mapping, or NULL. Static
 * storage.
 */
const char *access_paths_find(int fd, pid_t owner);

#endif
