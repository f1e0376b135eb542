/*
 * Adoption: moves private memory of the program into a memfd, in place, so that other processes can
 * map it. The program keeps its addresses. Whole pages only; the caller reaches the partial pages
 * at the ends of its range in another way.
 *
 * Each step moves ADOPT_STEP_LEN bytes and replaces their mapping. A thread that touches these
 * bytes meanwhile waits for the end of the step: a userfaultfd stops it. Where the kernel grants
 * only a userfaultfd for user mode, a system call of another thread into the range would fail with
 * EFAULT, so memory is then adopted only while the process has one thread.
 *
 * fork(): the child gets private copies, and the forking thread of the parent waits for them.
 * vfork() and posix_spawn() need none. A child of a bare clone() system call shares the memory with
 * its parent.
 *
 * Threads: any; one lock orders adoptions, releases and forks.
 */
#ifndef CLIENT_MEMORY_ADOPT_H
#define CLIENT_MEMORY_ADOPT_H

#include <stddef.h>
#include <stdint.h>

#include "util/list.h"

#define ADOPT_REASON_MAX 160
#define ADOPT_STEP_LEN   ((size_t)256 << 10)
/* Shorter memory is copied through the kernel. */
#define ADOPT_MIN_LEN ((size_t)64 << 10)

struct adoption {
	struct list node;
	uint8_t *addr; /* page-aligned */
	size_t len;
	unsigned n_users;
	int fd; /* sealed against shrinking and growing; byte 0 is at addr */
};

/*
 * Adopts the whole pages of [addr, addr + len). Returns 0, or -errno and one clause that says why
 * the memory stays private. -ENOTSUP: the memory or the kernel is not suited.
 */
int adoption_new(void *addr, size_t len, struct adoption **adoption_out,
		 char reason[ADOPT_REASON_MAX]);
/* Returns the adoption that contains the range, with one more user, or NULL. */
struct adoption *adoption_find(const void *addr, size_t len);
/*
 * Ends one use. The last one gives the pages back: copies them into private memory at the same
 * addresses, and frees the adoption. Pages that the program has unmapped or replaced since are left
 * alone. Returns 0; or -errno if the kernel lacks the means. Then the pages stay shared with the
 * processes that mapped them, and adoption_find() still finds the adoption. Accepts NULL.
 */
int adoption_end(struct adoption *adoption);

#endif
