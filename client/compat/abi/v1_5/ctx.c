/* Work queues, as called by programs of 1.5 to 2.1. */
#include <doca_ctx.h>

#include "client/base/generation.h"
#include "client/compat/workq/functions.h"

doca_error_t doca_workq_create(uint32_t depth, struct doca_workq **workq)
{
	return compat_workq_create(depth, API_1_5, workq);
}
