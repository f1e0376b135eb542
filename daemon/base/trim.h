/*
 * Gives memory back to the kernel after many clients have gone. free() alone keeps what lies below
 * an allocation that is still in use. Trimming takes time, so it is done once no client has gone
 * for a while. Single-threaded.
 */
#ifndef DAEMON_BASE_TRIM_H
#define DAEMON_BASE_TRIM_H

#include "daemon/base/loop.h"

struct trim;

/* NULL: no memory. */
struct trim *trim_new(struct loop *loop);
/* NULL is fine. Returns NULL. */
struct trim *trim_free(struct trim *trim);
/* Something large was freed. trim may be NULL. */
void trim_later(struct trim *trim);

#endif
