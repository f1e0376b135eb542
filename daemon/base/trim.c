/* Returns memory to the kernel; see trim.h. */
#include "daemon/base/trim.h"

#include <malloc.h>
#include <stdlib.h>

#include "util/clock.h"

/* Time without an ended client before memory is trimmed. */
#define TRIM_QUIET_NS NS_PER_SEC

struct trim {
	struct loop_source *timer;
};

static void trim_on_timer(void *user)
{
	(void)user;
	malloc_trim(0);
}

struct trim *trim_new(struct loop *loop)
{
	struct trim *trim = calloc(1, sizeof(*trim));

	if (!trim)
		return NULL;
	trim->timer = loop_timer_new(loop, trim_on_timer, trim);
	return trim->timer ? trim : trim_free(trim);
}

struct trim *trim_free(struct trim *trim)
{
	if (trim)
		loop_source_free(trim->timer);
	free(trim);
	return NULL;
}

void trim_schedule(struct trim *trim)
{
	if (trim)
		loop_timer_set(trim->timer, TRIM_QUIET_NS);
}
