/*
 * Sync event: a 64-bit counter that one side changes and the other waits for, in one process, or in
 * two on the two sides of the PCIe bus.
 *
 * Order: create, add exactly one publisher and one subscriber location, perhaps say where the
 * counter lies, start, export if a location is remote, use, stop, destroy. Without
 * doca_sync_event_set_addr (from 2.7 on also _set_doca_buf) the event makes the counter itself. The
 * other side creates its event from the descriptor, starts and uses it. A descriptor is the same in
 * all versions: whatever the exporter was written for, an importer of any other can use it.
 *
 * An event is started once and in one of two ways. doca_sync_event_start is for the synchronous
 * calls, which then are the only ones. doca_sync_event_as_ctx with doca_ctx_start is for tasks
 * (doca_sync_event_task.h, from 2.5 on) or for jobs (doca_sync_event_workq.h, up to 2.2), and the
 * synchronous calls give BAD_STATE. Publisher and subscriber say where the event may be exported
 * to, and are hints for nothing else: at both ends each event may be read, waited for and changed,
 * whatever was declared. There are two exceptions, in which an importer that is not declared as
 * publisher can only read and wait. One is a counter in the user's memory whose memory map does not
 * permit writing over PCI; the export then warns. The other is DOCOCORED_STRICT=1 in the exporter's
 * environment.
 *
 * While nobody sleeps, reading, changing and waiting make no system call, on either side. Who
 * sleeps (a _yield wait, or a program in epoll on the handle of its engine or work queue, with wait
 * tasks or jobs in flight) is woken by whoever changes the counter. If the exporter stops the event
 * or ends, who imported it gets CONNECTION_RESET within a second, also in the middle of a wait.
 *
 * Threads: an event belongs to one thread at a time; a counter may have as many events as there are
 * threads: imports of one export, or events with one address.
 */
#ifndef DOCA_SYNC_EVENT_H_
#define DOCA_SYNC_EVENT_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if !DOCA_API_WORKQ && DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
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
struct doca_sync_event_remote_net; /* handle of one that lies on a remote machine */
struct doca_dpa_sync_event;        /* as seen by a DPA */
struct doca_gpu_sync_event;        /* as seen by a GPU */

/* Handles for code on a DPA or GPU. */
typedef uint64_t doca_dpa_dev_sync_event_t;
typedef uint64_t doca_dpa_dev_sync_event_remote_net_t;
typedef uint64_t doca_gpu_dev_sync_event_t;
typedef uint64_t doca_gpu_dev_sync_event_remote_net_t;

/**
 * Frees an event. One that was started for synchronous calls is stopped first; who imported it
 * gets CONNECTION_RESET from then on.
 * @param event sync event
 * States: any but a context that is not IDLE (2.5 on) or that is started (up to 2.2). Threads: one
 * at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 * - DOCA_ERROR_IN_USE: its context is not IDLE; stop it and progress until it is.
 * Since 2.0. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_destroy(struct doca_sync_event *event);

/**
 * Puts the counter into memory of the caller, who keeps it until the event is destroyed. It is
 * not set to 0 at start. Events of one process on one address wake each other's waiters at once.
 * A change that is not made through an event is seen by waiters that sleep within some
 * milliseconds; a waiter that sleeps on such a counter therefore looks at it by itself, once in a
 * millisecond.
 * @param event sync event
 * @param addr place of the counter, a multiple of 8
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the address is not a multiple of 8.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_SUPPORTED: the event was created from an export.
 * Since 2.0. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr);

/**
 * Starts the event for the synchronous calls (get, update, wait). Once in its life; for tasks
 * start its context instead.
 * @param event sync event
 * States: configured, not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL, or a publisher or subscriber location is missing.
 * - DOCA_ERROR_BAD_STATE: it was started before, this way or the other.
 * - DOCA_ERROR_NO_MEMORY: no memory or no descriptor.
 * Since 2.0. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_start(struct doca_sync_event *event);

/**
 * Stops an event that doca_sync_event_start started. Its exports end: importers, also those that
 * wait, get CONNECTION_RESET. It cannot be started again. Stopped twice is fine. Takes up to 0.8 s
 * where it is the last that the process exports on the device, and importers are connected to it by
 * RDMA: what they did last is acknowledged again if that was lost.
 * @param event sync event
 * States: started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 * - DOCA_ERROR_BAD_STATE: it was not started, or was as a context: then use doca_ctx_stop.
 * Since 2.0. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_stop(struct doca_sync_event *event);

/**
 * Context of an event, for its tasks or jobs. Its start and stop are immediate, but for tasks that
 * are not freed. It can be started once. Up to 2.2 it takes no device: its locations have them.
 * @param event sync event
 * States: any. Threads: one at a time per event.
 * @return the context, owned by the event; NULL if event is NULL
 * Since 2.0. Source: DOCA Sync Event guide.
 */
DOCA_STABLE struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event);

/**
 * Reads the counter.
 * @param event sync event
 * @param value receives it
 * States: started for synchronous calls. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was as a context: then use tasks or jobs.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter stopped it or ended.
 * Since 2.0. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value);

/**
 * Adds to the counter, atomically, and wakes who sleeps for it. The sum wraps at 2^64. No system
 * call while nobody sleeps.
 * @param event sync event
 * @param value what is added
 * @param fetched receives the value before the addition
 * States: started for synchronous calls. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was as a context: then use tasks or jobs.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter stopped it or ended. The
 *   first time other importers may see the change; later calls change nothing.
 * - DOCA_ERROR_NOT_PERMITTED: the event is imported, and was exported to be read only; see the top
 *   of this page.
 * Since 2.0. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
						    uint64_t *fetched);

/**
 * Sets the counter and wakes who sleeps for it. The store is atomic as one word, but may undo an
 * addition that somebody makes at the same moment. No system call while nobody sleeps.
 * @param event sync event
 * @param value all 64 bits
 * States: started for synchronous calls. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was as a context: then use tasks or jobs.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter stopped it or ended. The
 *   first time other importers may see the change; later calls change nothing.
 * - DOCA_ERROR_NOT_PERMITTED: the event is imported, and was exported to be read only; see the top
 *   of this page.
 * Since 2.0. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value);

/**
 * Waits until the counter, with the bits outside the mask taken as 0, is greater than a value (64
 * bits, unsigned). Polls without giving its core away; no system call. A value that stands for a
 * moment only may be missed.
 * @param event sync event
 * @param value to compare with
 * @param mask bits of the counter that count
 * States: started for synchronous calls. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was as a context: then use tasks or jobs.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter stopped it or ended.
 * Since 2.0. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value,
						 uint64_t mask);

/**
 * Waits until the counter, with the bits outside the mask taken as 0, is greater than a value (64
 * bits, unsigned). Polls for some microseconds, gives its core away some times, and then sleeps
 * until the counter is changed. A value that stands for a moment only may be missed.
 * @param event sync event
 * @param value to compare with
 * @param mask bits of the counter that count
 * States: started for synchronous calls. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was as a context: then use tasks or jobs.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter stopped it or ended.
 * Since 2.0. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event,
						       uint64_t value, uint64_t mask);

#ifdef __cplusplus
}
#endif

#if DOCA_USE_VERSION <= DOCA_MAKE_VERSION(2, 6) || defined(DOCA_API_LIBRARY)
#include <doca_sync_event_former.h>
#endif

#if DOCA_API_WORKQ
#include <doca_sync_event_workq.h>
#else
#include <doca_sync_event_task.h>
#endif

#endif
