/*
 * A section of a program in which a test counts allocations and locks, and system calls if it runs
 * under strace (tests/lib/traced.h). In the section the program must not allocate, and the calling
 * thread must not lock, except for the lock of a daemon check (TRACED_POLL), which also calls
 * poll(). A test that counts system calls has no such check. With a sanitizer, allocations and
 * locks are not seen. The program must also link allocount.c and lockcount.c.
 */
#ifndef TESTS_LIB_HOT_H
#define TESTS_LIB_HOT_H

void hot_begin(void);
/* Fails the test if memory was allocated or a lock was taken. */
void hot_end(void);

#endif
