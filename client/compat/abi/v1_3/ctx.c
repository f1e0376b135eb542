/* Contexts, as called by programs of 1.3 to 2.2, and work queues, as called by programs of 1.3 and
 * 1.4. */
#include <doca_ctx.h>

#include "client/base/generation.h"
#include "client/compat/workq/functions.h"

doca_error_t doca_ctx_start(struct doca_ctx *ctx)
{
	return compat_ctx_start(ctx);
}

doca_error_t doca_ctx_stop(struct doca_ctx *ctx)
{
	return compat_ctx_stop(ctx);
}

doca_error_t doca_workq_create(uint32_t depth, struct doca_workq **workq)
{
	return compat_workq_create(depth, API_1_3, workq);
}

doca_error_t doca_workq_submit(struct doca_workq *workq, struct doca_job const *job)
{
	return compat_workq_submit_1_3(workq, job);
}
