/*
 * Every way that a process has to change memory of which it holds a descriptor. Used to show that
 * memory which was shared to be read cannot be written. Threads: none.
 */
#ifndef TESTS_INTEGRATION_DMA_WAYS_IN_H
#define TESTS_INTEGRATION_DMA_WAYS_IN_H

#include <sys/types.h>

/*
 * Tries them all on a memfd, as received and opened again through /proc in every mode, and through
 * the descriptors of the process `owner` if this process may open those (0: none). Returns the
 * first way that changed the memory or its size or gave a writable shared mapping, or NULL. Static
 * storage.
 */
const char *ways_in_find(int fd, pid_t owner);

#endif
