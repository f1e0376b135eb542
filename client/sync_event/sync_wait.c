/*
 * Sync events: the synchronous calls. Reading and writing the counter makes no system call and
 * takes no lock while nothing sleeps on it. A waiter polls. In the _yield forms it polls for some
 * microseconds, yields the CPU several times, and then sleeps on the words' futex until a publisher
 * wakes it. A sleep is limited, because the waiter must check by itself whether the counter changed
 * without a wake-up, and whether the exporter of an import still exists.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client/base/error.h"
#include "client/sync_event/sync_event.h"
#include "client/sync_event/sync_remote.h"
#include "util/clock.h"
#include "util/fd.h"

/* The number of polls without a pause; the reply of a peer that polls too arrives within them. */
#define POLLS_TIGHT 4096u
/*
 * The polls between two checks of the exporter's liveness word, and of its process. The latter is a
 * system call, made once in a good part of a second. It is needed if the exporter's daemon has died
 * first, because nothing then changes the word.
 */
#define POLLS_PER_LOOK  1024u
#define POLLS_PER_CHECK (1u << 23)
/* A waiter that yields gives up its CPU once per this many of its polls. */
#define POLLS_PER_YIELD 16u

const char sync_is_read_only[] =
	"the event was exported read-only: the exporter's memory map does not permit more, or the "
	"exporter runs with DOCOCORED_STRICT=1 and has the remote side as subscriber only";

static inline void cpu_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* --- sleeping --- */

static void futex_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t ns)
{
	const struct timespec limit = {.tv_sec = (time_t)(ns / NS_PER_SEC),
				       .tv_nsec = (long)(ns % NS_PER_SEC)};

	syscall(SYS_futex, word, FUTEX_WAIT, seen, &limit, NULL, 0);
}

/* --- refusals --- */

static doca_error_t report_exporter_ended(const char *what)
{
	return error_set(DOCA_ERROR_CONNECTION_RESET,
			 "sync event %s: the exporter of the event stopped it or ended; destroy "
			 "the event and import a new one",
			 what);
}

static doca_error_t event_report_ended(struct doca_sync_event *event, const char *what)
{
	event->can = 0;
	return report_exporter_ended(what);
}

static __attribute__((noinline)) doca_error_t refuse(struct doca_sync_event *event, const void *out,
						     bool writes, const char *what)
{
	if (event == NULL || out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sync event %s: %s is NULL", what,
				 event == NULL ? "event" : "the result");
	if (event->state == SYNC_STARTED_CTX)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "sync event %s: the event was started as a context; use its tasks",
				 what);
	if (event->state != SYNC_STARTED)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "sync event %s: the event is not started; call "
				 "doca_sync_event_start first",
				 what);
	if (writes && !event->cell.is_writable)
		return error_set(DOCA_ERROR_NOT_PERMITTED, "sync event %s: %s", what,
				 sync_is_read_only);
	return event_report_ended(event, what);
}

/* For an event that is not accessed directly (`can` is 0): returns whether the call is executed by
 * requests. Off the fast path. */
static bool is_accessed_remotely(const struct doca_sync_event *event, const void *out, bool writes)
{
	return event != NULL && out != NULL && event->remote != NULL &&
	       event->state == SYNC_STARTED && (!writes || event->cell.is_writable);
}

static __attribute__((noinline)) doca_error_t get_slow(struct doca_sync_event *event,
						       uint64_t *value)
{
	return is_accessed_remotely(event, value, false)
		       ? sync_remote_get(event->remote, value, "get")
		       : refuse(event, value, false, "get");
}

static __attribute__((noinline)) doca_error_t set_slow(struct doca_sync_event *event,
						       uint64_t value)
{
	return is_accessed_remotely(event, &value, true)
		       ? sync_remote_set(event->remote, value, "update set")
		       : refuse(event, &value, true, "update set");
}

static __attribute__((noinline)) doca_error_t add_slow(struct doca_sync_event *event,
						       uint64_t value, uint64_t *fetched)
{
	return is_accessed_remotely(event, fetched, true)
		       ? sync_remote_add(event->remote, value, fetched, "update add")
		       : refuse(event, fetched, true, "update add");
}

static __attribute__((noinline)) doca_error_t wait_slow(struct doca_sync_event *event,
							enum sync_cond cond, uint64_t value,
							uint64_t mask, bool yields,
							const char *what)
{
	return is_accessed_remotely(event, &value, false)
		       ? sync_remote_wait(event->remote, cond, value, mask, yields, what)
		       : refuse(event, &value, false, what);
}

/* --- get and update --- */

/* Returns whether the access is allowed; for an event of this process, one word decides. */
static inline bool may_access(const struct doca_sync_event *event, uint32_t what)
{
	if (likely((event->can & (what | SYNC_CAN_END)) == what))
		return true;
	return (event->can & what) && sync_cell_is_alive(&event->cell);
}

doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value)
{
	if (unlikely(event == NULL || value == NULL || !may_access(event, SYNC_CAN_READ)))
		return get_slow(event, value);
	*value = sync_cell_get(&event->cell);
	return DOCA_SUCCESS;
}

/*
 * Checks the exporter after the change instead of before it, so that the change, which another
 * process may be waiting for, is not delayed. Once the exporter is known to be gone, nothing is
 * changed any more.
 */
static inline doca_error_t check_after_change(struct doca_sync_event *event, const char *what)
{
	if (likely(!(event->can & SYNC_CAN_END)) || sync_cell_is_alive(&event->cell))
		return DOCA_SUCCESS;
	return event_report_ended(event, what);
}

doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value)
{
	if (unlikely(event == NULL || !(event->can & SYNC_CAN_WRITE)))
		return set_slow(event, value);
	sync_cell_set(&event->cell, value);
	return check_after_change(event, "update set");
}

doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
					uint64_t *fetched)
{
	if (unlikely(event == NULL || fetched == NULL || !(event->can & SYNC_CAN_WRITE)))
		return add_slow(event, value, fetched);
	*fetched = sync_cell_add(&event->cell, value);
	return check_after_change(event, "update add");
}

/* --- wait --- */

/* Inlined once per condition, so that constants are folded into the loop. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

static ALWAYS_INLINE doca_error_t wait_polling(struct doca_sync_event *event, enum sync_cond cond,
					       uint64_t value, uint64_t mask, const char *what)
{
	const _Atomic uint64_t *counter;
	struct sync_cell *cell;
	uint32_t n;

	if (unlikely(event == NULL || !may_access(event, SYNC_CAN_READ)))
		return wait_slow(event, cond, value, mask, false, what);
	cell = &event->cell;
	counter = cell->value;
	for (n = 0; n < POLLS_TIGHT; n++) {
		if (sync_is_met(cond, atomic_load_explicit(counter, memory_order_acquire), value,
				mask))
			return DOCA_SUCCESS;
	}
	for (;; n++) {
		/* Liveness is read first: values that the exporter stored before it went still
		 * count. */
		if (unlikely(n % POLLS_PER_LOOK == 0) &&
		    !(n % POLLS_PER_CHECK == 0 ? sync_cell_check_exporter(cell)
					       : sync_cell_is_alive(cell)) &&
		    !sync_is_met(cond, sync_cell_get(cell), value, mask))
			return event_report_ended(event, what);
		if (sync_is_met(cond, sync_cell_get(cell), value, mask))
			return DOCA_SUCCESS;
		cpu_pause();
	}
}

static bool wait_spinning(const struct sync_cell *cell, enum sync_cond cond, uint64_t value,
			  uint64_t mask)
{
	uint32_t n_polls = cell->n_awake, n_all = n_polls + n_polls / POLLS_PER_YIELD;

	for (uint32_t n = 0; n < n_all; n++) {
		if (sync_is_met(cond, sync_cell_get(cell), value, mask))
			return true;
		if (n < n_polls)
			cpu_pause();
		else
			sched_yield();
	}
	return false;
}

static uint64_t max_sleep_ns(const struct sync_cell *cell)
{
	return sync_cell_is_rechecked(cell) ? MIN(cell->max_sleep_ns, SYNC_RECHECK_NS)
					    : cell->max_sleep_ns;
}

/* Returns false if the exporter is gone. */
static __attribute__((noinline)) bool wait_sleeping(struct sync_cell *cell, enum sync_cond cond,
						    uint64_t value, uint64_t mask)
{
	bool is_met = true;
	int saved = errno;

	while (!wait_spinning(cell, cond, value, mask)) {
		bool has_napped = false;
		uint32_t seq;

		do {
			bool is_alive;

			seq = atomic_load(&cell->words->seq);
			sync_cell_arm(cell, SYNC_SLEEP_FUTEX);
			is_alive = has_napped ? sync_cell_check_exporter(cell)
					      : sync_cell_is_alive(cell);
			if (sync_is_met(cond, sync_cell_get(cell), value, mask))
				goto out;
			if (!is_alive) {
				is_met = false;
				goto out;
			}
			futex_wait(&cell->words->seq, seq, max_sleep_ns(cell));
			has_napped = true;
			/* After a sleep that timed out, there is no need to poll fast. */
		} while (atomic_load(&cell->words->seq) == seq);
	}
out:
	errno = saved;
	return is_met;
}

static doca_error_t wait_yielding(struct doca_sync_event *event, enum sync_cond cond,
				  uint64_t value, uint64_t mask, const char *what)
{
	if (unlikely(event == NULL || !may_access(event, SYNC_CAN_READ)))
		return wait_slow(event, cond, value, mask, true, what);
	if (likely(wait_sleeping(&event->cell, cond, value, mask)))
		return DOCA_SUCCESS;
	return event_report_ended(event, what);
}

/* Waits for equality exist only in versions with tasks. */
static inline bool has_equality(const struct doca_sync_event *event, const char *what)
{
	return event == NULL || sync_event_check_api(event, API_TASK, what) == DOCA_SUCCESS;
}

doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	return wait_polling(event, SYNC_GT, value, mask, "wait gt");
}

doca_error_t doca_sync_event_wait_eq(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	if (unlikely(!has_equality(event, "sync event wait eq")))
		return DOCA_ERROR_BAD_STATE;
	return wait_polling(event, SYNC_EQ, value, mask, "wait eq");
}

doca_error_t doca_sync_event_wait_neq(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	if (unlikely(!has_equality(event, "sync event wait neq")))
		return DOCA_ERROR_BAD_STATE;
	return wait_polling(event, SYNC_NEQ, value, mask, "wait neq");
}

doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event, uint64_t value,
					   uint64_t mask)
{
	return wait_yielding(event, SYNC_GT, value, mask, "wait gt");
}

doca_error_t doca_sync_event_wait_eq_yield(struct doca_sync_event *event, uint64_t value,
					   uint64_t mask)
{
	if (unlikely(!has_equality(event, "sync event wait eq")))
		return DOCA_ERROR_BAD_STATE;
	return wait_yielding(event, SYNC_EQ, value, mask, "wait eq");
}

doca_error_t doca_sync_event_wait_neq_yield(struct doca_sync_event *event, uint64_t value,
					    uint64_t mask)
{
	if (unlikely(!has_equality(event, "sync event wait neq")))
		return DOCA_ERROR_BAD_STATE;
	return wait_yielding(event, SYNC_NEQ, value, mask, "wait neq");
}
