/*
 * Counts heap allocations of a program and its libraries, and makes allocations fail. A program
 * that links allocount.c has its own malloc, calloc, realloc, memalign and free, which the shared
 * library under test uses, too. A sanitizer has its own allocator; then nothing is counted, and
 * allocount_works is false. Any thread may call these functions. Failures affect the calling thread
 * only, except those of allocount_fail_one().
 */
#ifndef TESTS_LIB_ALLOCOUNT_H
#define TESTS_LIB_ALLOCOUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

extern const bool allocount_works;

/* Number of allocations so far. */
uint64_t allocount_n(void);
/* After n more allocations, every allocation fails until allocount_fail_never(). */
void allocount_fail_after(unsigned n);
void allocount_fail_never(void);
/*
 * After n more allocations of any thread, one allocation fails. Calls of mmap() and memfd_create()
 * also count here.
 */
void allocount_fail_one(unsigned n);
/* Like allocount_fail_one(), for another process, which was forked after allocount_share(). */
void allocount_share(void);
void allocount_fail_one_of(pid_t pid, unsigned n);
/* Ends allocount_fail_one(). Returns whether an allocation has failed. */
bool allocount_has_failed_one(void);
/* Number of allocations that were not freed, minus a constant. */
int64_t allocount_n_live(void);

#endif
