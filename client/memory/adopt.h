/*
 * Adoption: moves private memory of the program into a memfd, in place, so that other processes can
 * map it. The program keeps its addresses. The whole pages that contain the range are adopted, so
 * importers of the first and the last page see what else lies there.
 *
 * Pages move in steps of ADOPT_STEP_LEN bytes (client/memory/page_move.h). A thread that touches
 * them meanwhile waits for the end of the step. Where the kernel grants only a userfaultfd for user
 * mode, a system call of another thread into the range would fail with EFAULT, so memory is then
 * adopted only while the process has one thread.
 *
 * fork(): the forking thread copies adopted memory before the fork, and the child puts the copies
 * in place. The child has no mapping of the memfd (MADV_DONTFORK): a child of a bare clone() system
 * call, which runs no fork handlers, faults instead of writing to its parent's memory. vfork() and
 * posix_spawn() need nothing.
 *
 * The program may unmap, move, replace or protect adopted pages, and realloc() may do so. The memfd
 * is much longer than the range, so that a mapping that grows finds pages behind it.
 *
 * Threads: any; adopt_lock orders checks, adoptions, releases and forks.
 */
#ifndef CLIENT_MEMORY_ADOPT_H
#define CLIENT_MEMORY_ADOPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/list.h"

#define ADOPT_REASON_MAX 160
#define ADOPT_STEP_LEN   ((size_t)256 << 10)
/* Shorter memory is copied through the kernel. */
#define ADOPT_MIN_LEN ((size_t)64 << 10)

struct adoption {
	struct list node;
	uint8_t *addr; /* page-aligned; byte 0 of the memfd */
	size_t len;
	unsigned n_users; /* 0: its pages are to be given back, which failed so far */
	int fd;           /* sealed against shrinking and growing */
	dev_t dev;        /* the device number of fd's file */
	ino_t ino;
};

/*
 * Adopts the pages that contain [addr, addr + len), or adds a user to the adoption that contains
 * them already. Returns 0, or -errno and one clause that says why the memory stays private.
 * -ENOTSUP: the memory or the kernel is not suited.
 */
int adoption_new(void *addr, size_t len, struct adoption **adoption_out,
		 char reason[ADOPT_REASON_MAX]);
/* Returns the adoption whose pages are mapped in the range, with one more user, or NULL. */
struct adoption *adoption_find(const void *addr, size_t len);
/* Returns whether the descriptor is that of an adoption's memfd. */
bool adoption_has_file(int fd);
/*
 * Ends one use. The last one gives the pages back: copies them into private memory at the addresses
 * where the program has them now. Returns 0; or -errno if that is not possible, -EBUSY because a
 * device may have pinned them. Then the pages stay shared with the processes that mapped them, and
 * later calls of this module try again. Accepts NULL.
 */
int adoption_end(struct adoption *adoption);

#endif
