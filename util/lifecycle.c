/* Life cycles; see util/lifecycle.h. */
#include "util/lifecycle.h"

#include <stdlib.h>

#include "config.h"

bool lifecycle_permits(const struct lifecycle *cycle, unsigned from, unsigned to)
{
	if (from >= cycle->n_states || to >= cycle->n_states)
		return false;
	return from == to || (cycle->next[from] & LIFECYCLE_TO(to)) != 0;
}

const char *lifecycle_name(const struct lifecycle *cycle, unsigned state)
{
	return state < cycle->n_states ? cycle->states[state] : "?";
}

void lifecycle_abort_in_tests(void)
{
#ifdef DOCO_SANITIZED
	abort();
#else
	if (secure_getenv("DOCOCORED_CHECK_STATES") != NULL)
		abort();
#endif
}
