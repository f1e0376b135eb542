/*
 * The fence of a sleep protocol, paid by the side that sleeps. One side stores and then looks at a
 * sleep word, the other stores to the sleep word and then looks at what the first stores; each must
 * have its store visible before it looks, or both can miss. A full fence with every store of the
 * busy side would cost more than the store, so the sleeper calls barrier_others(), which runs a
 * full fence on every processor that executes a process that called barrier_register(). The busy
 * side is left with a compiler barrier and one load of a line that is written only around sleeping.
 *
 * Without membarrier (old kernel, seccomp) either function says false, and the busy side must be
 * told to fence by itself; how is a matter of the protocol that uses this. Threads: any; no state.
 *
 * ThreadSanitizer does not know fences: under it both sides use sequentially consistent accesses.
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

/* Of the busy side's store, and of its look at the sleep word. */
#ifdef BARRIER_TSAN
#define BARRIER_ORDER_STORE memory_order_seq_cst
#define BARRIER_ORDER_LOOK  memory_order_seq_cst
#else
#define BARRIER_ORDER_STORE memory_order_release
#define BARRIER_ORDER_LOOK  memory_order_relaxed
#endif

/* Has the fences of others reach this process, for its life. Costs nothing when done again. */
bool barrier_register(void);
/* A full fence on each processor that runs a registered process. Keeps errno. */
bool barrier_others(void);

/* A full fence of this thread. */
static inline void barrier_own(void)
{
#ifndef BARRIER_TSAN
	atomic_thread_fence(memory_order_seq_cst);
#endif
}

#endif
