/*
 * Rules of the guides that real devices do not enforce.
 *
 * A program that runs on a card must run here. Where a guide forbids something that devices let
 * pass, the library accepts it, records one sentence for dococ_last_error() and logs that sentence
 * at warning level, once per object and rule. With DOCOCORED_STRICT=1 in the environment the call
 * fails instead, so that a program's author can find what the guide forbids.
 *
 * Threads: every function may be called from any thread, also for the same object.
 */
#ifndef CLIENT_BASE_LENIENT_H
#define CLIENT_BASE_LENIENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

#include "util/util.h"

/* Rules that were broken on one object; part of the object, all zeros when it is made. */
struct lenient {
	_Atomic uint32_t warned; /* one bit per rule, numbered by the object's own enum */
};

/* True if DOCOCORED_STRICT is set to anything but "" and "0". Read from the environment once. */
bool lenient_is_strict(void);
/*
 * A program broke the rule with this number (0 to 31) on the object that owns *state. Returns
 * DOCA_SUCCESS and warns if this is the first time; in strict mode returns code, after
 * error_set(code, ...). The sentence names the object, the rule and the cure.
 */
doca_error_t lenient_accept(struct lenient *state, unsigned rule, doca_error_t code,
			    const char *fmt, ...) PRINTF_LIKE(4, 5);

#endif
