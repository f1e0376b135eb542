/*
 * Counts what a program and its libraries take from the heap, and makes allocations fail. A program
 * that links allocount.c brings its own malloc, calloc, realloc, memalign and free, which the
 * shared library under test uses too. With a sanitizer, which brings its own, nothing is counted
 * and allocount_works is false. Threads: any; failing is for the calling thread, except that of
 * allocount_fail_one().
 */
#ifndef TESTS_LIB_ALLOCOUNT_H
#define TESTS_LIB_ALLOCOUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

extern const bool allocount_works;

/* Allocations so far. */
uint64_t allocount_n(void);
/* After n more allocations every one fails, until allocount_fail_never. */
void allocount_fail_after(unsigned n);
void allocount_fail_never(void);
/* After n more allocations of any threads, one fails. Calls of mmap() and memfd_create() count
 * here, too. */
void allocount_fail_one(unsigned n);
/* The same in another process, which was forked after allocount_share(). */
void allocount_share(void);
void allocount_fail_one_of(pid_t pid, unsigned n);
/* Ends allocount_fail_one(). Returns whether an allocation has failed. */
bool allocount_has_failed_one(void);
/* Allocations that were not freed, minus a constant. */
int64_t allocount_n_live(void);

#endif
