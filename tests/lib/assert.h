/*
 * The Check library's assertions, for tests that make many of them. Check reports each successful
 * assertion to its parent process, so that it can name the last one after a crash. That is a write
 * to a file, which took most of the time of programs with assertions in loops. Here each assertion
 * reports only its first success. Therefore the place named after a crash or a time limit is the
 * last one that was executed for the first time.
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
