/*
 * Life cycles: which states of an object may follow which. An object that has one keeps its state
 * in an enum, and one function changes it: lifecycle_enter() of client/base/lifecycle.h or
 * daemon/base/lifecycle.h, which also logs the transition at debug level.
 *
 * A transition that the table does not permit is a bug. It is logged as an error, and the object
 * enters the state nevertheless. In builds with a sanitizer, and if DOCOCORED_CHECK_STATES is set,
 * as it is for all tests, it ends the process with abort().
 *
 * Threads: tables are constant; the owner of an object's state serialises its transitions.
 */
#ifndef UTIL_LIFECYCLE_H
#define UTIL_LIFECYCLE_H

#include <stdbool.h>
#include <stdint.h>

/* The bit of a state in `next`. */
#define LIFECYCLE_TO(state) (UINT32_C(1) << (state))

struct lifecycle {
	const char *object;        /* for the log: "session" */
	unsigned n_states;         /* at most 32 */
	const char *const *states; /* n_states names, for the log */
	const uint32_t *next;      /* n_states sets of states that may follow */
};

/*
 * Returns whether an object may change from the state `from` to `to`. Staying in a state is always
 * permitted.
 */
bool lifecycle_permits(const struct lifecycle *cycle, unsigned from, unsigned to);
/* Returns the name of a state, or "?" if there is no such state. */
const char *lifecycle_name(const struct lifecycle *cycle, unsigned state);
/* Ends the process if impossible transitions abort in this build or environment. */
void lifecycle_abort_in_tests(void);

#endif
