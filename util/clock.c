/*
 * Monotonic clock. Deadlines are absolute, so that a wait which is interrupted and restarted does
 * not take longer. Keeps no state; any thread may call it.
 */
#include <limits.h>
#include <time.h>

#include "util/clock.h"

static uint64_t clock_get_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

uint64_t clock_now_ns(void)
{
	return clock_get_ns(CLOCK_MONOTONIC);
}

uint64_t clock_wall_ns(void)
{
	return clock_get_ns(CLOCK_REALTIME);
}

int clock_poll_timeout(uint64_t deadline_ns)
{
	uint64_t now = clock_now_ns();
	uint64_t ms;

	if (deadline_ns <= now)
		return 0;
	ms = (deadline_ns - now) / NS_PER_MS + ((deadline_ns - now) % NS_PER_MS != 0);
	return ms > INT_MAX ? INT_MAX : (int)ms;
}
