/*
 * A stretch of a program whose cost a test counts, and its system calls where it runs under strace
 * (tests/lib/traced.h): between the two calls the program takes no memory, and the calling thread
 * no lock but that of a look at the daemon (TRACED_LOOK there), which polls: a test that counts
 * those too has none of either. With a sanitizer, neither is seen. Whoever has this links
 * allocount.c and lockcount.c too.
 */
#ifndef TESTS_LIB_HOT_H
#define TESTS_LIB_HOT_H

void hot_begin(void);
/* Fails the test if there was memory taken, or a lock. */
void hot_end(void);

#endif
