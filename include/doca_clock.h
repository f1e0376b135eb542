/*
 * Clocks of a network card, read alone or together with a clock of the machine.
 *
 * Use them in this order: query the clocks of a device with doca_clock_cap_*, create a clock
 * object, read its clocks, destroy it. No device of this runtime has a clock: the capability calls
 * return DOCA_ERROR_NOT_SUPPORTED for every device, and the other calls fail. A program that
 * queries first works here, too, without clocks.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 *
 * Threads: any thread.
 *
 * Example: read a clock of a card, if the device has one.
 *
 *     #include <doca_dev.h>
 *
 *     doca_error_t read_clock(struct doca_dev *dev, union doca_clock_timespec_t *now)
 *     {
 *         struct doca_clock *clock;
 *         doca_error_t result =
 *             doca_clock_cap_nic_real_time_is_supported(doca_dev_as_devinfo(dev));
 *
 *         if (result != DOCA_SUCCESS || (result = doca_clock_create(dev, &clock)) != DOCA_SUCCESS)
 *             return result;
 *         result = doca_clock_get_timestamp(clock, DOCA_CLOCK_NIC_REAL_TIME, now);
 *         doca_clock_destroy(clock);
 *         return result;
 *     }
 */
#ifndef DOCA_CLOCK_H_
#define DOCA_CLOCK_H_

#include <sched.h> /* struct timespec, which <time.h> does not declare in strict C99 */
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dev.h> /* programs that include only this header use its PCI address sizes */
#include <doca_error.h>
#include <doca_types.h>

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(3, 2)
#error "doca_clock.h is there from 3.2 on: set DOCA_USE_VERSION to that or later"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_clock; /* clock object: the clocks of one device */

/* Clocks, for the clock_type arguments. */
#define DOCA_CLOCK_NIC_FREE_RUNNING    0x1
#define DOCA_CLOCK_NIC_REAL_TIME       0x2
#define DOCA_CLOCK_NIC_DPA_TIMER       0x100
#define DOCA_CLOCK_HOST_COUNTER_CYCLES 0x10000
#define DOCA_CLOCK_HOST_REAL_TIME      0x20000
#define DOCA_CLOCK_HOST_MONOTONIC      0x40000
#define DOCA_CLOCK_HOST_MONOTONIC_RAW  0x80000

/* Time of a clock. */
union doca_clock_timespec_t {
	struct timespec ts; /* for a clock with the time of day */
	uint64_t counter;   /* for a clock that counts */
};

/**
 * Checks whether a device has a free-running clock. The return code is the answer.
 * @param devinfo device to query
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has one.
 * Since 3.2.
 */
DOCA_STABLE doca_error_t
doca_clock_cap_nic_free_running_is_supported(const struct doca_devinfo *devinfo);

/**
 * Checks whether a device has a clock of the time of day. The return code is the answer.
 * @param devinfo device to query
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has one.
 * Since 3.2.
 */
DOCA_STABLE doca_error_t
doca_clock_cap_nic_real_time_is_supported(const struct doca_devinfo *devinfo);

/**
 * Checks whether a device has the timer of a data-path accelerator. The return code is the answer.
 * @param devinfo device to query
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has one.
 * Since 3.2.
 */
DOCA_STABLE doca_error_t
doca_clock_cap_nic_dpa_timer_is_supported(const struct doca_devinfo *devinfo);

/**
 * Opens the clocks of a device.
 * @param dev open device; must outlive the clock
 * @param clock receives the clock; not written
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid: the device has no clock; query it
 *   with doca_clock_cap_* first.
 * Since 3.2.
 */
DOCA_STABLE doca_error_t doca_clock_create(const struct doca_dev *dev, struct doca_clock **clock);

/**
 * Closes a clock.
 * @param clock clock
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid: no clock can exist.
 * Since 3.2.
 */
DOCA_STABLE doca_error_t doca_clock_destroy(struct doca_clock *clock);

/**
 * Reads a clock.
 * @param clock clock
 * @param clock_type one of DOCA_CLOCK_*
 * @param clock_ts receives the time; not written
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid: no clock can exist.
 * Since 3.2.
 */
DOCA_STABLE doca_error_t doca_clock_get_timestamp(const struct doca_clock *clock,
						  uint64_t clock_type,
						  union doca_clock_timespec_t *clock_ts);

/**
 * Reads two clocks as close together in time as possible.
 * @param clock clock
 * @param primary_clock_type one of DOCA_CLOCK_*
 * @param nic_clock_type one of DOCA_CLOCK_NIC_*
 * @param primary_clock_ts receives the time of the primary clock; not written
 * @param nic_clock_ts receives the time of the card's clock; not written
 * @param error_margin_nsecs receives the longest time between the two readings, in nanoseconds; not
 *   written
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid: no clock can exist.
 * Since 3.2.
 */
DOCA_STABLE doca_error_t doca_clock_get_crosstimestamp(
	const struct doca_clock *clock, uint64_t primary_clock_type, uint64_t nic_clock_type,
	union doca_clock_timespec_t *primary_clock_ts, union doca_clock_timespec_t *nic_clock_ts,
	uint64_t *error_margin_nsecs);

#ifdef __cplusplus
}
#endif

#endif
