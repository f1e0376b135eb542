/*
 * Compares a table of states (util/lifecycle.h) with the expected one. Include it in one file of a
 * test.
 */
#ifndef TESTS_UNIT_LIFECYCLE_H
#define TESTS_UNIT_LIFECYCLE_H

#include <string.h>

#include "tests/lib/assert.h"
#include "util/lifecycle.h"

/*
 * permitted: one row for each state, in the order of the states, with '1' for each state that may
 * follow, and '.' for each other state.
 */
static inline void ck_lifecycle(const struct lifecycle *cycle, const char *const *permitted,
				unsigned n_states)
{
	ck_assert_uint_eq(cycle->n_states, n_states);
	for (unsigned from = 0; from < n_states; from++) {
		ck_assert_uint_eq(strlen(permitted[from]), n_states);
		for (unsigned to = 0; to < n_states; to++)
			ck_assert_msg(lifecycle_permits(cycle, from, to) ==
					      (permitted[from][to] == '1'),
				      "%s: %s to %s", cycle->object, lifecycle_name(cycle, from),
				      lifecycle_name(cycle, to));
	}
}

#endif
