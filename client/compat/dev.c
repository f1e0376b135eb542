/* Devices of earlier generations. Threads: any, as in client/core/dev.h. */
#include "client/compat/dev.h"

#include "client/core/dev.h"
#include "client/core/error.h"

doca_error_t compat_dev_as_devinfo(struct doca_dev *dev, struct doca_devinfo **devinfo)
{
	if (dev == NULL || devinfo == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "dev as devinfo: %s is NULL",
				 dev == NULL ? "dev" : "the result");
	*devinfo = dev->info;
	return DOCA_SUCCESS;
}
