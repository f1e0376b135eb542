/*
 * Counts a thread's lock operations on mutexes, read-write locks, spin locks and semaphores, and
 * its waits and signals of condition variables. A program that links lockcount.c has its own
 * pthread_mutex_lock and so on, which the shared library under test and the libraries below it use,
 * too, and which call those of libc. Locks that libc takes internally are not seen. A sanitizer has
 * its own functions; then nothing is counted, and lockcount_works is false. Any thread may call
 * these functions.
 */
#ifndef TESTS_LIB_LOCKCOUNT_H
#define TESTS_LIB_LOCKCOUNT_H

#include <stdbool.h>
#include <stdint.h>

extern const bool lockcount_works;

/* Number of locks of the calling thread so far. */
uint64_t lockcount_n(void);
/* Number of its calls of poll(), for code that checks a socket under a lock at intervals. */
uint64_t lockcount_n_polls(void);

#endif
