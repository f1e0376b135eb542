/*
 * Counts the locks that a thread takes, of mutexes, read-write locks, spin locks and semaphores,
 * and its waits and signals of condition variables. A program that links lockcount.c brings its own
 * pthread_mutex_lock and so on, which the shared library under test and the libraries below it use
 * too, and which call those of libc. What libc locks for itself is not seen. With a sanitizer,
 * which brings its own, nothing is counted and lockcount_works is false. Threads: any.
 */
#ifndef TESTS_LIB_LOCKCOUNT_H
#define TESTS_LIB_LOCKCOUNT_H

#include <stdbool.h>
#include <stdint.h>

extern const bool lockcount_works;

/* Of the calling thread, so far. */
uint64_t lockcount_n(void);
/* Its calls of poll(), for those who look at a socket under a lock once in a while. */
uint64_t lockcount_n_polls(void);

#endif
