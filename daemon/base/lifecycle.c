/* Transitions between the states of life cycles; see daemon/base/lifecycle.h. */
#include "daemon/base/lifecycle.h"

#include "util/log.h"

unsigned lifecycle_enter(const struct lifecycle *cycle, const void *object, unsigned from,
			 unsigned to)
{
	const char *before = lifecycle_name(cycle, from), *after = lifecycle_name(cycle, to);

	if (from == to)
		return to;
	log_debug("%s %p: %s, was %s", cycle->object, object, after, before);
	if (lifecycle_permits(cycle, from, to))
		return to;
	log_error("%s %p: state %s cannot follow %s; please report this bug", cycle->object, object,
		  after, before);
	lifecycle_abort_in_tests();
	return to;
}
