/* Clocks of a network card. No device here has one, and the capability calls report that; the other
 * calls therefore never receive a valid clock. Threads: any. */
#include <stdbool.h>

#include <doca_clock.h>

#include "client/base/error.h"
#include "client/device/dev.h"

static doca_error_t cap_refuse(const struct doca_devinfo *devinfo, const char *what)
{
	if (devinfo == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "clock capability %s: devinfo is NULL",
				 what);
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "clock capability %s: %s has no clock that this runtime reads", what,
			 devinfo->name);
}

static doca_error_t clock_refuse(bool is_complete, const char *what)
{
	if (!is_complete)
		return error_set(DOCA_ERROR_INVALID_VALUE, "clock %s: an argument is NULL", what);
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "clock %s: devices have no clocks here, doca_clock_create made none",
			 what);
}

doca_error_t doca_clock_cap_nic_free_running_is_supported(const struct doca_devinfo *devinfo)
{
	return cap_refuse(devinfo, "nic free running");
}

doca_error_t doca_clock_cap_nic_real_time_is_supported(const struct doca_devinfo *devinfo)
{
	return cap_refuse(devinfo, "nic real time");
}

doca_error_t doca_clock_cap_nic_dpa_timer_is_supported(const struct doca_devinfo *devinfo)
{
	return cap_refuse(devinfo, "nic dpa timer");
}

doca_error_t doca_clock_create(const struct doca_dev *dev, struct doca_clock **clock)
{
	if (dev == NULL || clock == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "clock create: %s is NULL",
				 dev == NULL ? "dev" : "the result");
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "clock create: %s has no clock that this runtime reads; ask "
			 "doca_clock_cap_* first",
			 dev->info->name);
}

doca_error_t doca_clock_destroy(struct doca_clock *clock)
{
	return clock_refuse(clock != NULL, "destroy");
}

doca_error_t doca_clock_get_timestamp(const struct doca_clock *clock, uint64_t clock_type,
				      union doca_clock_timespec_t *clock_ts)
{
	(void)clock_type;
	return clock_refuse(clock != NULL && clock_ts != NULL, "timestamp");
}

doca_error_t doca_clock_get_crosstimestamp(const struct doca_clock *clock,
					   uint64_t primary_clock_type, uint64_t nic_clock_type,
					   union doca_clock_timespec_t *primary_clock_ts,
					   union doca_clock_timespec_t *nic_clock_ts,
					   uint64_t *error_margin_nsecs)
{
	(void)primary_clock_type;
	(void)nic_clock_type;
	return clock_refuse(clock != NULL && primary_clock_ts != NULL && nic_clock_ts != NULL &&
				    error_margin_nsecs != NULL,
			    "cross timestamp");
}
