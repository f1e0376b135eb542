/*
 * Sync event, up to 2.2: creation, locations, jobs, exports. Included by doca_sync_event.h, whose
 * comment has the rules for states, errors and threads.
 *
 * The context from doca_sync_event_as_ctx() needs no device: the locations have them. Start the
 * context, export the event if the other side uses it, add a work queue, and submit jobs. The event
 * of a job has the job's type. Its result.u64 is a doca_error_t (struct doca_sync_event_result):
 * DOCA_ERROR_CONNECTION_RESET if the exporter of an imported event has stopped it or ended,
 * DOCA_ERROR_NOT_PERMITTED for a change of an event whose export permits reading only.
 *
 * Only the thread of its work queue may use a job.
 */
#ifndef DOCA_SYNC_EVENT_WORKQ_H_
#define DOCA_SYNC_EVENT_WORKQ_H_

#include <doca_ctx.h>
#include <dococ/ctx_workq.h>
#include <doca_sync_event.h>

#if !DOCA_API_WORKQ && !defined(DOCA_API_LIBRARY)
#error "dococ/sync_event_workq.h is there up to 2.2: set DOCA_USE_VERSION to that, or include doca_sync_event.h"
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

/* Layout of result.u64 of an event. */
struct doca_sync_event_result {
	doca_error_t result;
};

/*
 * Waits until the counter, after a bitwise AND with the mask, is greater than the value. All 64
 * bits are compared, whereas a card supports only 0 to 254. A value that exists only briefly may be
 * missed.
 */
struct doca_sync_event_job_wait {
	struct doca_job base;
	uint64_t value; /* value to compare with */
	uint64_t mask;  /* bits of the counter to compare */
};

/* Reads the counter. */
struct doca_sync_event_job_get {
	struct doca_job base;
	uint64_t *value; /* receives the value */
};

/* Sets the counter. May undo an addition that another thread or process makes at the same time. */
struct doca_sync_event_job_update_set {
	struct doca_job base;
	uint64_t value; /* new value */
};

/* Adds to the counter atomically. The sum wraps at 2^64. */
struct doca_sync_event_job_update_add {
	struct doca_job base;
	uint64_t value;    /* number to add */
	uint64_t *fetched; /* receives the value before the addition */
};

/* Event for peers on the network. */
struct doca_sync_event_remote {
	uint64_t data[2];
};
typedef struct doca_sync_event_remote doca_sync_event_remote_t;

#if DOCA_API_WORKQ
/**
 * Creates a sync event. Its counter is 0 when it starts.
 * @param event receives the event; release it with doca_sync_event_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_sync_event_create(struct doca_sync_event **event)
	DOCA_BIND(doca_sync_event_create, 2_0);

/**
 * Creates an event on the counter of an event that the other side exported with
 * doca_sync_event_export_to_dpu() (from 2.7 on doca_sync_event_export_to_remote_pci()). Its
 * locations are set already, and it cannot be configured. Start the event or its context before
 * use.
 * @param dev open device of this side: the device that has a representor for the exporter's device,
 *   or for which the exporter's device has one; must stay open until the object is destroyed
 * @param data descriptor; only read during the call
 * @param sz size of the descriptor in bytes; may be larger than exported
 * @param event receives the event; release it with doca_sync_event_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the descriptor is damaged or describes another kind of object.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; see
 *   doca_sync_event_get_create_from_export_supported().
 * - DOCA_ERROR_NO_MEMORY: out of memory or file descriptors.
 * - DOCA_ERROR_NOT_PERMITTED: the descriptor does not belong to a live event, or the device does
 *   not match the exporter's.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon of this side answers, or none of the exporter's side is
 *   linked with it; start it, then repeat.
 * - DOCA_ERROR_TIME_OUT: a daemon is stopped or overloaded; repeat later.
 * - DOCA_ERROR_UNEXPECTED: the memory that the exporter shares is invalid.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev,
							    const uint8_t *data, size_t sz,
							    struct doca_sync_event **event)
	DOCA_BIND(doca_sync_event_create_from_export, 2_0);
#endif

/**
 * Checks whether a device can import events. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it.
 * Since 2.0, until 2.2; replaced by doca_sync_event_cap_is_create_from_export_supported.
 */
DOCA_STABLE doca_error_t
doca_sync_event_get_create_from_export_supported(const struct doca_devinfo *devinfo);

/**
 * Declares that a CPU of this side changes the counter.
 * @param event sync event
 * @param dev open device that represents the CPU; must stay open until the object is destroyed
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the event already has a publisher location.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no sync events.
 * Since 2.0, until 2.2; replaced by doca_sync_event_add_publisher_location_cpu.
 */
DOCA_STABLE doca_error_t doca_sync_event_publisher_add_location_cpu(struct doca_sync_event *event,
								    struct doca_dev *dev);

/**
 * Declares that a DPA changes the counter. Not supported.
 * @param event sync event
 * @param dpa DPA
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid; use a CPU or DPU location.
 * Since 2.0, until 2.2; replaced by doca_sync_event_add_publisher_location_dpa.
 */
DOCA_STABLE doca_error_t doca_sync_event_publisher_add_location_dpa(struct doca_sync_event *event,
								    struct doca_dpa *dpa);

/**
 * Declares that a GPU changes the counter. Not supported.
 * @param event sync event
 * @param gpu GPU
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid; use a CPU or DPU location.
 * Since 2.0, until 2.2; replaced by doca_sync_event_add_publisher_location_gpu.
 */
DOCA_STABLE doca_error_t doca_sync_event_publisher_add_location_gpu(struct doca_sync_event *event,
								    struct doca_gpu *gpu);

/**
 * Declares that the DPU changes the counter: the event can be exported to it with
 * doca_sync_event_export_to_dpu.
 * @param event sync event
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the event already has a publisher location.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * Since 2.0, until 2.2; replaced by doca_sync_event_add_publisher_location_dpu, from 2.7 on
 * doca_sync_event_add_publisher_location_remote_pci.
 */
DOCA_STABLE doca_error_t doca_sync_event_publisher_add_location_dpu(struct doca_sync_event *event);

/**
 * Declares that a CPU of this side waits for the counter.
 * @param event sync event
 * @param dev open device that represents the CPU; must stay open until the object is destroyed
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the event already has a subscriber location.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no sync events.
 * Since 2.0, until 2.2; replaced by doca_sync_event_add_subscriber_location_cpu.
 */
DOCA_STABLE doca_error_t doca_sync_event_subscriber_add_location_cpu(struct doca_sync_event *event,
								     struct doca_dev *dev);

/**
 * Declares that a DPA waits for the counter. Not supported.
 * @param event sync event
 * @param dpa DPA
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid; use a CPU or DPU location.
 * Since 2.0, until 2.2; replaced by doca_sync_event_add_subscriber_location_dpa.
 */
DOCA_STABLE doca_error_t doca_sync_event_subscriber_add_location_dpa(struct doca_sync_event *event,
								     struct doca_dpa *dpa);

/**
 * Declares that a GPU waits for the counter. Not supported.
 * @param event sync event
 * @param gpu GPU
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid; use a CPU or DPU location.
 * Since 2.0, until 2.2; replaced by doca_sync_event_add_subscriber_location_gpu.
 */
DOCA_STABLE doca_error_t doca_sync_event_subscriber_add_location_gpu(struct doca_sync_event *event,
								     struct doca_gpu *gpu);

/**
 * Declares that the DPU waits for the counter: the event can be exported to it with
 * doca_sync_event_export_to_dpu.
 * @param event sync event
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the event already has a subscriber location.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * Since 2.0, until 2.2; replaced by doca_sync_event_add_subscriber_location_dpu, from 2.7 on
 * doca_sync_event_add_subscriber_location_remote_pci.
 */
DOCA_STABLE doca_error_t doca_sync_event_subscriber_add_location_dpu(struct doca_sync_event *event);

/**
 * Checks whether events of a device support a type of job. The return code is the answer.
 * @param devinfo device to query
 * @param type type of the job
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type does not exist.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_sync_event_job_get_supported(struct doca_devinfo *devinfo,
							   enum doca_sync_event_job_types type);

/**
 * Checks whether events can be exported to a DPU through a device. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it.
 * Since 2.0, until 2.2; replaced by doca_sync_event_cap_is_export_to_dpu_supported.
 */
DOCA_STABLE doca_error_t
doca_sync_event_get_export_to_dpu_supported(const struct doca_devinfo *devinfo);

/**
 * Checks whether events can be exported to a DPA. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always: this runtime has no such processor.
 * Since 2.0, until 2.2; replaced by doca_sync_event_cap_is_export_to_dpa_supported.
 */
DOCA_STABLE doca_error_t
doca_sync_event_get_export_to_dpa_supported(const struct doca_devinfo *devinfo);

/**
 * Checks whether events can be exported to a GPU. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always: this runtime has no such processor.
 * Since 2.0, until 2.2; replaced by doca_sync_event_cap_is_export_to_gpu_supported.
 */
DOCA_STABLE doca_error_t
doca_sync_event_get_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/**
 * Exports an event to peers on the network. Not supported in these versions.
 * @param event sync event
 * @param handle receives the handle
 * States: started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid; use
 *   doca_sync_event_export_to_dpu().
 * Since 2.0, until 2.2; replaced by doca_sync_event_export_to_remote_net.
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
