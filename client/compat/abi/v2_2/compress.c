/* Creation of compress objects, as called by programs of 2.2. */
#include <doca_compress.h>

#include "client/compat/workq/jobs.h"

doca_error_t doca_compress_create(struct doca_compress **compress)
{
	return compat_compress_create(compress);
}
