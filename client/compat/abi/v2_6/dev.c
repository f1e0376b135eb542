/* Devices, as called by programs of 2.6. */
#include <doca_dev.h>

#include "client/compat/dev.h"

doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo, double *active_rate)
{
	return compat_devinfo_get_rate(devinfo, active_rate);
}
