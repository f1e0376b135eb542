/*
 * Sync event: a 64-bit counter that one side changes and the other side waits for, in one process
 * or in two processes on the two sides of the PCIe bus.
 *
 * Use an event in this order: create it, add exactly one publisher and one subscriber location, set
 * the address of the counter if the program provides its memory, start it, export it if a location
 * is remote, use it, stop it, destroy it. Without doca_sync_event_set_addr() (from 2.7 on also
 * doca_sync_event_set_doca_buf()) the event allocates the counter. The other side creates its event
 * from the descriptor, starts it and uses it. The descriptor has the same format in all versions,
 * so that exporter and importer may use different ones.
 *
 * An event can be started once, in one of two ways:
 *
 * - doca_sync_event_start() permits the synchronous calls, and only those;
 * - doca_ctx_start() of doca_sync_event_as_ctx() permits tasks (dococ/sync_event_task.h, from 2.5
 *   on) or jobs (dococ/sync_event_workq.h, up to 2.2); the synchronous calls then return
 *   DOCA_ERROR_BAD_STATE.
 *
 * The locations determine where the event may be exported to. They restrict nothing else: each end
 * may read, change and wait for the counter, with two exceptions. In these, an importer that is not
 * declared as publisher can only read and wait:
 *
 * - the counter is in the program's memory, and its memory map does not permit writing over PCI;
 *   the export then logs a warning;
 * - DOCOCORED_STRICT=1 is set in the exporter's environment.
 *
 * While no waiter sleeps, reading, changing and waiting make no system call on either side. A
 * waiter sleeps in a _yield call, or in epoll on the handle of its engine or work queue with wait
 * tasks or jobs in flight. A change of the counter wakes it. If the exporter stops the event or
 * ends, importers get DOCA_ERROR_CONNECTION_RESET within 1 s, also in the middle of a wait.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: the context is not in the state of the "States:" line, unless another
 *   code of the doc block applies.
 *
 * Threads: one thread at a time per event. Several threads can use one counter with one event each:
 * imports of one export, or events with the same address. Capability queries may be called from any
 * thread.
 *
 * Reference: DOCA Sync Event guide.
 *
 * Example: create and start an event for the threads of one process. One thread then adds to the
 * counter with doca_sync_event_update_add(event, 1, &before); another one waits until the counter
 * is greater than 0 with doca_sync_event_wait_gt_yield(event, 0, UINT64_MAX).
 *
 *     doca_error_t start_event(struct doca_dev *dev, struct doca_sync_event **event)
 *     {
 *         doca_error_t result = doca_sync_event_create(event);
 *
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         if ((result = doca_sync_event_add_publisher_location_cpu(*event, dev)) != DOCA_SUCCESS ||
 *             (result = doca_sync_event_add_subscriber_location_cpu(*event, dev)) !=
 *                 DOCA_SUCCESS ||
 *             (result = doca_sync_event_start(*event)) != DOCA_SUCCESS)
 *             doca_sync_event_destroy(*event);
 *         return result;
 *     }
 */
#ifndef DOCA_SYNC_EVENT_H_
#define DOCA_SYNC_EVENT_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if !DOCA_API_WORKQ
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>
#endif

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 0)
#error "doca_sync_event.h is there from 2.0 on: set DOCA_USE_VERSION to that or later"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_dpa;
struct doca_gpu;
struct doca_task;

struct doca_sync_event;            /* sync event */
struct doca_sync_event_remote_net; /* handle of an event on a remote machine */
struct doca_dpa_sync_event;        /* event for code on a DPA */
struct doca_gpu_sync_event;        /* event for code on a GPU */

/* Handles for code on a DPA or GPU. */
typedef uint64_t doca_dpa_dev_sync_event_t;
typedef uint64_t doca_dpa_dev_sync_event_remote_net_t;
typedef uint64_t doca_gpu_dev_sync_event_t;
typedef uint64_t doca_gpu_dev_sync_event_remote_net_t;

/**
 * Destroys an event. An event that was started with doca_sync_event_start() is stopped first; its
 * importers get DOCA_ERROR_CONNECTION_RESET from then on.
 * @param event sync event
 * States: any, unless its context is not IDLE (from 2.5 on) or is started (up to 2.2).
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: its context is not IDLE; stop it and progress until it is.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_sync_event_destroy(struct doca_sync_event *event);

/**
 * Places the counter in memory of the program, which must stay valid until the event is destroyed.
 * The start does not set this counter to 0. Events of one process on the same address wake each
 * other's waiters at once. A change that is not made through an event becomes visible to sleeping
 * waiters within some milliseconds: a waiter that sleeps on such a counter polls it once per
 * millisecond.
 * @param event sync event
 * @param addr address of the counter, a multiple of 8
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the address is not a multiple of 8.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_SUPPORTED: the event was created from an export.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr);

/**
 * Starts the event for the synchronous calls (get, update, wait). Possible once. For tasks start
 * its context instead.
 * @param event sync event
 * States: configured, not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a publisher or subscriber location is missing.
 * - DOCA_ERROR_BAD_STATE: the event was started before, in either way.
 * - DOCA_ERROR_NO_MEMORY: out of memory or file descriptors.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_sync_event_start(struct doca_sync_event *event);

/**
 * Stops an event that doca_sync_event_start() has started, and ends its exports: importers, also
 * waiting ones, get DOCA_ERROR_CONNECTION_RESET. The event cannot be started again. Idempotent. May
 * block for up to 0.8 s if the event is the process's last export on the device and importers are
 * connected to it by RDMA: lost acknowledgements of their last operations are then sent again.
 * @param event sync event
 * States: started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the event was not started, or was started as a context: use
 *   doca_ctx_stop().
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_sync_event_stop(struct doca_sync_event *event);

/**
 * Returns the context of an event, for its tasks or jobs. The context starts at once, and stops at
 * once if all tasks are freed. It can be started once. Up to 2.2 do not add a device to it: the
 * locations of the event have the devices.
 * @param event sync event
 * @return the context, owned by the event; NULL if event is NULL
 * Since 2.0.
 */
DOCA_STABLE struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event);

/**
 * Reads the counter.
 * @param event sync event
 * @param value receives the value
 * States: started for synchronous calls.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was started as a context: use tasks or jobs.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter has stopped it or ended.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value);

/**
 * Adds to the counter atomically, and wakes sleeping waiters. The sum wraps at 2^64. Makes no
 * system call while no waiter sleeps.
 * @param event sync event
 * @param value number to add
 * @param fetched receives the value before the addition
 * States: started for synchronous calls.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was started as a context: use tasks or jobs.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter has stopped it or ended.
 *   Other importers may see the change of the first call that fails; later calls change nothing.
 * - DOCA_ERROR_NOT_PERMITTED: the event is imported, and its export permits reading only; see the
 *   top of this file.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
						    uint64_t *fetched);

/**
 * Sets the counter and wakes sleeping waiters. The store is atomic, but may undo an addition that
 * another thread or process makes at the same time. Makes no system call while no waiter sleeps.
 * @param event sync event
 * @param value new value of all 64 bits
 * States: started for synchronous calls.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was started as a context: use tasks or jobs.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter has stopped it or ended.
 *   Other importers may see the change of the first call that fails; later calls change nothing.
 * - DOCA_ERROR_NOT_PERMITTED: the event is imported, and its export permits reading only; see the
 *   top of this file.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value);

/**
 * Waits until the counter, after a bitwise AND with the mask, is greater than a value (64 bits,
 * unsigned). Polls without yielding its core, and makes no system call. A value that exists only
 * briefly may be missed.
 * @param event sync event
 * @param value value to compare with
 * @param mask bits of the counter to compare
 * States: started for synchronous calls.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was started as a context: use tasks or jobs.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter has stopped it or ended.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value,
						 uint64_t mask);

/**
 * Waits until the counter, after a bitwise AND with the mask, is greater than a value (64 bits,
 * unsigned). Polls for some microseconds, yields its core some times, and then sleeps until the
 * counter changes. A value that exists only briefly may be missed.
 * @param event sync event
 * @param value value to compare with
 * @param mask bits of the counter to compare
 * States: started for synchronous calls.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was started as a context: use tasks or jobs.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter has stopped it or ended.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event,
						       uint64_t value, uint64_t mask);

#ifdef __cplusplus
}
#endif

#if DOCA_USE_VERSION <= DOCA_MAKE_VERSION(2, 6) || defined(DOCA_API_LIBRARY)
#include <dococ/sync_event_former.h>
#endif

#if DOCA_API_WORKQ
#include <dococ/sync_event_workq.h>
#else
#include <dococ/sync_event_task.h>
#endif

#endif
