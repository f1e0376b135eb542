/* Monotonic time, time of day and deadlines, in nanoseconds. */
#ifndef UTIL_CLOCK_H
#define UTIL_CLOCK_H

#include <stdint.h>

#define NS_PER_SEC 1000000000ull
#define NS_PER_MS  1000000ull

/* CLOCK_MONOTONIC. */
uint64_t clock_now_ns(void);
/* CLOCK_REALTIME. */
uint64_t clock_wall_ns(void);
/* Returns the milliseconds until the deadline for poll(2), rounded up, or 0 if it has passed. */
int clock_poll_timeout(uint64_t deadline_ns);

#endif
