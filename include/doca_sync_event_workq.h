/*
 * Sync event, up to 2.2: creation, locations, jobs, exports; included by doca_sync_event.h.
 *
 * doca_sync_event_as_ctx gives a context that needs no device: the locations have them. Start it,
 * export the event if the other side is to have it, add a work queue, submit jobs. Each job
 * completes with an event whose type is that of the job and whose result.u64 is a doca_error_t
 * (struct doca_sync_event_result): CONNECTION_RESET if an imported event's exporter stopped it or
 * ended, NOT_PERMITTED for a change to one that was exported to be read only.
 *
 * Threads: as doca_sync_event.h says; a job belongs to the thread of its work queue.
 */
#ifndef DOCA_SYNC_EVENT_WORKQ_H_
#define DOCA_SYNC_EVENT_WORKQ_H_

#include <doca_ctx.h>
#include <doca_ctx_workq.h>
#include <doca_sync_event.h>

#if !DOCA_API_WORKQ && !defined(DOCA_API_LIBRARY)
#error "doca_sync_event_workq.h is there up to 2.2: set DOCA_USE_VERSION to that, or include doca_sync_event.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum doca_sync_event_job_types {
	DOCA_SYNC_EVENT_JOB_WAIT_GT = DOCA_ACTION_SYNC_EVENT_FIRST + 1,
	DOCA_SYNC_EVENT_JOB_GET = DOCA_ACTION_SYNC_EVENT_FIRST + 2,
	DOCA_SYNC_EVENT_JOB_UPDATE_SET = DOCA_ACTION_SYNC_EVENT_FIRST + 3,
	DOCA_SYNC_EVENT_JOB_UPDATE_ADD = DOCA_ACTION_SYNC_EVENT_FIRST + 4,
};

/* What result.u64 of an event is. */
struct doca_sync_event_result {
	doca_error_t result;
};

/*
 * Waits until the counter, with the bits outside the mask taken as 0, is greater than the value.
 * All 64 bits count, beyond the 0..254 of a card. A value that stands for a moment only may be
 * missed.
 */
struct doca_sync_event_job_wait {
	struct doca_job base;
	uint64_t value; /* to compare with */
	uint64_t mask;  /* bits of the counter that count */
};

/* Reads the counter. */
struct doca_sync_event_job_get {
	struct doca_job base;
	uint64_t *value; /* receives it */
};

/* Sets the counter; may undo an addition that somebody makes at the same moment. */
struct doca_sync_event_job_update_set {
	struct doca_job base;
	uint64_t value; /* what it is set to */
};

/* Adds to the counter, atomically; the sum wraps at 2^64. */
struct doca_sync_event_job_update_add {
	struct doca_job base;
	uint64_t value;    /* what is added */
	uint64_t *fetched; /* receives the value before the addition */
};

/* An event for peers on the network. */
struct doca_sync_event_remote {
	uint64_t data[2];
};
typedef struct doca_sync_event_remote doca_sync_event_remote_t;

#if DOCA_API_WORKQ
/**
 * Makes a sync event. Its counter is 0 when it starts.
 * @param event receives the event; give it back with doca_sync_event_destroy
 * Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.0. Source: DOCA Core guide, sync event.
 */
DOCA_STABLE doca_error_t doca_sync_event_create(struct doca_sync_event **event)
	DOCA_BIND(doca_sync_event_create, 2_0);

/**
 * Makes an event on the counter of another, which was exported on the other side by
 * doca_sync_event_export_to_dpu (from 2.7 on doca_sync_event_export_to_remote_pci). It has its
 * locations and cannot be configured; start it, or its context, and use it.
 * @param dev open device of this side: that which has a representor for the exporter's, or the
 *   other way round; must stay open until destroy
 * @param data descriptor; borrowed for the call
 * @param sz bytes of it; more than there were is fine
 * @param event receives the event; give it back with doca_sync_event_destroy
 * Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the descriptor is damaged or of something
 *   else.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot; ask
 *   doca_sync_event_get_create_from_export_supported.
 * - DOCA_ERROR_NO_MEMORY: no memory or no descriptor.
 * - DOCA_ERROR_NOT_PERMITTED: the descriptor proves no event that is alive, or the device is not
 *   the right one.
 * - DOCA_ERROR_NOT_CONNECTED: there is no daemon, or no link to the exporter's; repeat when there
 *   is.
 * - DOCA_ERROR_UNEXPECTED: what the exporter shares is unsound.
 * Since 2.0. Source: DOCA Core guide, sync event.
 */
DOCA_STABLE doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev,
							    const uint8_t *data, size_t sz,
							    struct doca_sync_event **event)
	DOCA_BIND(doca_sync_event_create_from_export, 2_0);
#endif

/**
 * Can a device import events? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it cannot.
 * Since 2.0, until 2.2; then doca_sync_event_cap_is_create_from_export_supported. Source: DOCA Core
 * guide, sync event.
 */
DOCA_STABLE doca_error_t
doca_sync_event_get_create_from_export_supported(const struct doca_devinfo *devinfo);

/**
 * Says that a CPU of this side changes the counter.
 * @param event sync event
 * @param dev open device that stands for the CPU; must stay open until destroy
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the event has a publisher location; it has
 *   exactly one.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no sync events.
 * Since 2.0, until 2.2; then doca_sync_event_add_publisher_location_cpu. Source: DOCA Core guide,
 * sync event.
 */
DOCA_STABLE doca_error_t doca_sync_event_publisher_add_location_cpu(struct doca_sync_event *event,
								    struct doca_dev *dev);

/**
 * Says that a DPA changes the counter. There is none here.
 * @param event sync event
 * @param dpa DPA
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments are right; use a CPU or DPU location.
 * Since 2.0, until 2.2; then doca_sync_event_add_publisher_location_dpa. Source: DOCA Core guide,
 * sync event.
 */
DOCA_STABLE doca_error_t doca_sync_event_publisher_add_location_dpa(struct doca_sync_event *event,
								    struct doca_dpa *dpa);

/**
 * Says that a GPU changes the counter. There is none here.
 * @param event sync event
 * @param gpu GPU
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments are right; use a CPU or DPU location.
 * Since 2.0, until 2.2; then doca_sync_event_add_publisher_location_gpu. Source: DOCA Core guide,
 * sync event.
 */
DOCA_STABLE doca_error_t doca_sync_event_publisher_add_location_gpu(struct doca_sync_event *event,
								    struct doca_gpu *gpu);

/**
 * Says that the DPU changes the counter: the event can be exported to it with
 * doca_sync_event_export_to_dpu.
 * @param event sync event
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL, or it has a publisher location; it has exactly one.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * Since 2.0, until 2.2; then doca_sync_event_add_publisher_location_dpu, from 2.7 on
 * doca_sync_event_add_publisher_location_remote_pci. Source: DOCA Core guide, sync event.
 */
DOCA_STABLE doca_error_t doca_sync_event_publisher_add_location_dpu(struct doca_sync_event *event);

/**
 * Says that a CPU of this side waits for it.
 * @param event sync event
 * @param dev open device that stands for the CPU; must stay open until destroy
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the event has a subscriber location; it has
 *   exactly one.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no sync events.
 * Since 2.0, until 2.2; then doca_sync_event_add_subscriber_location_cpu. Source: DOCA Core guide,
 * sync event.
 */
DOCA_STABLE doca_error_t doca_sync_event_subscriber_add_location_cpu(struct doca_sync_event *event,
								     struct doca_dev *dev);

/**
 * Says that a DPA waits for it. There is none here.
 * @param event sync event
 * @param dpa DPA
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments are right; use a CPU or DPU location.
 * Since 2.0, until 2.2; then doca_sync_event_add_subscriber_location_dpa. Source: DOCA Core guide,
 * sync event.
 */
DOCA_STABLE doca_error_t doca_sync_event_subscriber_add_location_dpa(struct doca_sync_event *event,
								     struct doca_dpa *dpa);

/**
 * Says that a GPU waits for it. There is none here.
 * @param event sync event
 * @param gpu GPU
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments are right; use a CPU or DPU location.
 * Since 2.0, until 2.2; then doca_sync_event_add_subscriber_location_gpu. Source: DOCA Core guide,
 * sync event.
 */
DOCA_STABLE doca_error_t doca_sync_event_subscriber_add_location_gpu(struct doca_sync_event *event,
								     struct doca_gpu *gpu);

/**
 * Says that the DPU waits for it: the event can be exported to it with
 * doca_sync_event_export_to_dpu.
 * @param event sync event
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL, or it has a subscriber location; it has exactly one.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * Since 2.0, until 2.2; then doca_sync_event_add_subscriber_location_dpu, from 2.7 on
 * doca_sync_event_add_subscriber_location_remote_pci. Source: DOCA Core guide, sync event.
 */
DOCA_STABLE doca_error_t doca_sync_event_subscriber_add_location_dpu(struct doca_sync_event *event);

/**
 * Can events of a device have jobs of a type? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * @param type of the job
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL, or there is no such type.
 * - DOCA_ERROR_NOT_SUPPORTED: no, they cannot.
 * Since 2.0, until 2.2. Source: DOCA Core guide, sync event.
 */
DOCA_STABLE doca_error_t doca_sync_event_job_get_supported(struct doca_devinfo *devinfo,
							   enum doca_sync_event_job_types type);

/**
 * Can events be exported to a DPU through a device? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it cannot.
 * Since 2.0, until 2.2; then doca_sync_event_cap_is_export_to_dpu_supported. Source: DOCA Core
 * guide, sync event.
 */
DOCA_STABLE doca_error_t
doca_sync_event_get_export_to_dpu_supported(const struct doca_devinfo *devinfo);

/**
 * Can events be given to a DPA? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is none here.
 * Since 2.0, until 2.2; then doca_sync_event_cap_is_export_to_dpa_supported. Source: DOCA Core
 * guide, sync event.
 */
DOCA_STABLE doca_error_t
doca_sync_event_get_export_to_dpa_supported(const struct doca_devinfo *devinfo);

/**
 * Can events be given to a GPU? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is none here.
 * Since 2.0, until 2.2; then doca_sync_event_cap_is_export_to_gpu_supported. Source: DOCA Core
 * guide, sync event.
 */
DOCA_STABLE doca_error_t
doca_sync_event_get_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/**
 * Exports an event to peers on the network. There is no such transport for it here.
 * @param event sync event
 * @param handle receives the handle
 * States: started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments are right; export to the DPU instead.
 * Since 2.0, until 2.2; then doca_sync_event_export_to_remote_net. Source: DOCA Core guide, sync
 * event.
 */
DOCA_STABLE doca_error_t doca_sync_event_export_remote(struct doca_sync_event *event,
						       doca_sync_event_remote_t *handle);

DOCA_ELSEWHERE(doca_sync_event_add_publisher_location_cpu,
	       "from 2.5 on: use doca_sync_event_publisher_add_location_cpu");
DOCA_ELSEWHERE(doca_sync_event_add_subscriber_location_cpu,
	       "from 2.5 on: use doca_sync_event_subscriber_add_location_cpu");
DOCA_ELSEWHERE(doca_sync_event_export_to_remote_pci,
	       "from 2.7 on: use doca_sync_event_export_to_dpu");

#ifdef __cplusplus
}
#endif

#endif
