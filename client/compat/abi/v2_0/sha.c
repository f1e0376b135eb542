/* Creation of SHA objects, as called by programs of 2.0 to 2.2. */
#include <doca_sha.h>

#include "client/compat/workq/jobs.h"

doca_error_t doca_sha_create(struct doca_sha **ctx)
{
	return compat_sha_create(ctx);
}
