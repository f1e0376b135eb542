/* Devices, as called by programs of 1.3 and 1.4. */
#include <doca_dev.h>

#include "client/compat/dev.h"

doca_error_t doca_dev_as_devinfo(struct doca_dev *dev, struct doca_devinfo **devinfo)
{
	return compat_dev_as_devinfo(dev, devinfo);
}
