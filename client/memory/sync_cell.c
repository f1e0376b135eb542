/* Wakes threads that sleep on a counter; see client/memory/sync_cell.h. Threads: any. */
#include "client/memory/sync_cell.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/doorbell.h"
#include "util/fd.h"

static const _Atomic uint32_t sync_never_alive;

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void cell_ring(struct sync_cell *cell, uint32_t bits)
{
	int saved = errno, fd = atomic_load(cell->eventfd);

	atomic_fetch_add(&cell->words->seq, 1);
	if (bits & SYNC_SLEEP_FUTEX)
		futex_wake(&cell->words->seq);
	if ((bits & SYNC_SLEEP_EVENT) && fd >= 0) {
		if (cell->is_shared)
			doorbell_ring_edge(fd);
		else
			fd_eventfd_ring(fd);
	}
	errno = saved;
}

void sync_cell_wake(struct sync_cell *cell)
{
	uint32_t bits;

	barrier_self();
	bits = atomic_load_explicit(&cell->words->sleepers, BARRIER_ORDER_LOAD);
	if ((bits & ~SYNC_SLEEP_FENCE) == 0)
		return;
	bits = atomic_fetch_and(&cell->words->sleepers, SYNC_SLEEP_FENCE);
	if (bits & ~SYNC_SLEEP_FENCE)
		cell_ring(cell, bits);
}

void sync_cell_wake_all(struct sync_cell *cell)
{
	cell_ring(cell, SYNC_SLEEP_FUTEX | SYNC_SLEEP_EVENT);
}

void sync_cell_arm(struct sync_cell *cell, uint32_t bit)
{
	atomic_fetch_or(&cell->words->sleepers, bit);
	/* Tries the barrier regardless of what the shared words claim, because another process may
	 * write false values there. */
	if (!barrier_others())
		atomic_fetch_or(&cell->words->sleepers, SYNC_SLEEP_FENCE);
	barrier_self();
}

bool sync_cell_check_exporter(struct sync_cell *cell)
{
	if (cell->pidfd >= 0 && fd_pidfd_exited(cell->pidfd)) {
		cell->alive = &sync_never_alive;
		cell->generation = 2;
	}
	return sync_cell_is_alive(cell);
}
