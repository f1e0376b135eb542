/*
 * The Check library's assertions, for tests that make many of them. Check tells its parent of each
 * that holds, so that it can say after a crash which was the last: that is a write to a file, and
 * in loops it took most of a program's time. Here each place tells of itself once. After a crash or
 * a time limit the place that is named is the last that was new.
 */
#ifndef TESTS_LIB_ASSERT_H
#define TESTS_LIB_ASSERT_H

#include <check.h>
#include <stdatomic.h>
#include <stdbool.h>

#define _mark_point(file, line)                                                       \
	(__extension__({                                                              \
		static _Atomic bool was_here;                                         \
                                                                                      \
		if (!atomic_load_explicit(&was_here, memory_order_relaxed)) {         \
			atomic_store_explicit(&was_here, true, memory_order_relaxed); \
			(_mark_point)(file, line);                                    \
		}                                                                     \
	}))

#endif
