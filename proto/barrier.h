/*
 * Asymmetric fence of a sleep protocol: the side that sleeps pays for it. The busy side stores data
 * and then loads a sleep word; the sleeping side stores the sleep word and then loads the data.
 * Each side's store must be visible before its load, or both can miss the other's. A full fence
 * after every store of the busy side would cost more than the store. Therefore the sleeper calls
 * barrier_others(), which runs a full fence on every processor that executes a process that called
 * barrier_register(). The busy side needs only a compiler barrier and one load of a cache line that
 * is written only around sleeping.
 *
 * Without membarrier (old kernel, seccomp) both functions return false, and the busy side must
 * fence by itself. The protocol that uses this header defines how the busy side learns that. Any
 * thread may call these functions; they keep no state.
 *
 * ThreadSanitizer does not model fences: under it both sides use sequentially consistent accesses.
 */
#ifndef PROTO_BARRIER_H
#define PROTO_BARRIER_H

#include <stdatomic.h>
#include <stdbool.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BARRIER_TSAN 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define BARRIER_TSAN 1
#endif

/* Memory orders of the busy side's store and of its load of the sleep word. */
#ifdef BARRIER_TSAN
#define BARRIER_ORDER_STORE memory_order_seq_cst
#define BARRIER_ORDER_LOAD  memory_order_seq_cst
#else
#define BARRIER_ORDER_STORE memory_order_release
#define BARRIER_ORDER_LOAD  memory_order_relaxed
#endif

/*
 * Registers this process, for its lifetime, for the fences of other processes. Idempotent and cheap
 * when repeated. Returns false without membarrier.
 */
bool barrier_register(void);
/*
 * Runs a full fence on each processor that executes a registered process. Returns false without
 * membarrier. Preserves errno.
 */
bool barrier_others(void);

/* Full fence of the calling thread. */
static inline void barrier_self(void)
{
#ifndef BARRIER_TSAN
	atomic_thread_fence(memory_order_seq_cst);
#endif
}

#endif
