/* Creation of erasure coding objects, as called by programs of 2.2. */
#include <doca_erasure_coding.h>

#include "client/compat/workq/jobs.h"

doca_error_t doca_ec_create(struct doca_ec **ec)
{
	return compat_ec_create(ec);
}
