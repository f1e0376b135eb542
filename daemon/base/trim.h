/*
 * Returns memory to the kernel after many clients have ended. free() alone cannot return memory
 * below an allocation that is still in use. Trimming takes time, so it runs once, after no client
 * has ended for a while. Single-threaded.
 */
#ifndef DAEMON_BASE_TRIM_H
#define DAEMON_BASE_TRIM_H

#include "daemon/base/loop.h"

struct trim;

/* Returns NULL if memory is short. */
struct trim *trim_new(struct loop *loop);
/* Accepts NULL. Returns NULL. */
struct trim *trim_free(struct trim *trim);
/* Call when something large was freed. Accepts NULL. */
void trim_schedule(struct trim *trim);

#endif
