/*
 * Rules of the guides that real devices do not enforce.
 *
 * A program that runs on a card must run here. If a guide forbids something that devices allow, the
 * library accepts it, records one sentence for dococ_last_error() and logs that sentence at warning
 * level, once per object and rule. With DOCOCORED_STRICT=1 in the environment the call fails
 * instead, so that a program's author can find what the guide forbids.
 *
 * Threads: any thread may call every function, also for the same object.
 */
#ifndef CLIENT_BASE_LENIENT_H
#define CLIENT_BASE_LENIENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

#include "util/util.h"

/* The rules that were broken on one object. The struct is part of the object and initially zero. */
struct lenient {
	_Atomic uint32_t warned; /* one bit per rule, numbered by the object's enum */
};

/* Returns whether DOCOCORED_STRICT is set to a value other than "" and "0". The environment is read
 * once. */
bool lenient_is_strict(void);
/*
 * Reports that a program broke the rule with this number (0 to 31) on the object that owns *state.
 * Returns DOCA_SUCCESS and warns if this is the first time; in strict mode returns `code`, after
 * error_set(code, ...). The sentence names the object, the rule and the remedy.
 */
doca_error_t lenient_accept(struct lenient *state, unsigned rule, doca_error_t code,
			    const char *fmt, ...) PRINTF_LIKE(4, 5);

#endif
