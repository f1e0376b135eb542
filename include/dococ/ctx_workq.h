/*
 * Context, work queue, job and event: up to 2.2. Included by doca_ctx.h.
 *
 * Set up in this order: add a device to a context, start the context, create a work queue with a
 * depth, and add the queue to the context. A job begins with struct doca_job. The program submits
 * it to the queue, for a context; doca_workq_progress_retrieve() later returns an event, which is
 * the job's completion. Tear down in the reverse order: remove the queue, stop the context, remove
 * the devices, destroy the objects. A context may have many work queues, and a work queue many
 * contexts. A failed job ends neither its context nor other jobs.
 *
 * The library owns a job, the data that it points to, and its buffers until the program has
 * retrieved the job's event. The library does not detect a program that frees or changes them
 * earlier.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Threads: any thread may call the functions of a context. A work queue is used by one thread at a
 * time.
 *
 * Reference: DOCA Core guide, context and work queue.
 */
#ifndef DOCA_CTX_WORKQ_H_
#define DOCA_CTX_WORKQ_H_

#include <doca_ctx.h>
/* Programs of these versions rely on it. */
#include <doca_dev.h>

#if !DOCA_API_WORKQ && !defined(DOCA_API_LIBRARY)
#error "dococ/ctx_workq.h is there up to 2.2: set DOCA_USE_VERSION to that, or include doca_ctx.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_workq; /* work queue */

/* The job types of each library begin at a number of their own. */
#define DOCA_ACTION_SDK_RANGE 16

enum doca_action_type {
	DOCA_ACTION_NONE = 0,
	DOCA_ACTION_DMA_FIRST = 1 << DOCA_ACTION_SDK_RANGE,
	DOCA_ACTION_DEVEMU_FIRST = 2 << DOCA_ACTION_SDK_RANGE,
#if DOCA_API_BETWEEN(103, 105)
	DOCA_ACTION_DEVEMU_BLOCK_FIRST = 3 << DOCA_ACTION_SDK_RANGE,
	DOCA_ACTION_VIRTIO_FIRST = 4 << DOCA_ACTION_SDK_RANGE,
#endif
#if DOCA_API_BETWEEN(200, 204)
	DOCA_ACTION_DEVEMU_PCI_FIRST = 3 << DOCA_ACTION_SDK_RANGE,
	DOCA_ACTION_VIRTIO_FS_FIRST = 4 << DOCA_ACTION_SDK_RANGE,
#endif
	DOCA_ACTION_VBLK_FIRST = 5 << DOCA_ACTION_SDK_RANGE,
	DOCA_ACTION_REGEX_FIRST = 6 << DOCA_ACTION_SDK_RANGE,
	DOCA_ACTION_NVME_FIRST = 7 << DOCA_ACTION_SDK_RANGE,
	DOCA_ACTION_APPSHIELD_FIRST = 8 << DOCA_ACTION_SDK_RANGE,
	DOCA_ACTION_SHA_FIRST = 9 << DOCA_ACTION_SDK_RANGE,
	DOCA_ACTION_COMPRESS_FIRST = 10 << DOCA_ACTION_SDK_RANGE,
	DOCA_ACTION_IPSEC_FIRST = 11 << DOCA_ACTION_SDK_RANGE,
	DOCA_ACTION_RMAX_FIRST = 12 << DOCA_ACTION_SDK_RANGE,
#if DOCA_API_BETWEEN(200, 204)
	DOCA_ACTION_RDMA_FIRST = 13 << DOCA_ACTION_SDK_RANGE,
	DOCA_ACTION_GRAPH_FIRST = 14 << DOCA_ACTION_SDK_RANGE,
	DOCA_ACTION_SYNC_EVENT_FIRST = 15 << DOCA_ACTION_SDK_RANGE,
	DOCA_ACTION_DPI_FIRST = 16 << DOCA_ACTION_SDK_RANGE,
	DOCA_ACTION_EC_FIRST = 17 << DOCA_ACTION_SDK_RANGE,
	DOCA_ACTION_NVRD_TRANSPORT_FIRST = 18 << DOCA_ACTION_SDK_RANGE,
#endif
};

enum doca_job_flags { DOCA_JOB_FLAGS_NONE = 0 };

/* First member of every job. */
struct doca_job {
	int type;                  /* job type of the library that executes it */
	int flags;                 /* DOCA_JOB_FLAGS_NONE */
	struct doca_ctx *ctx;      /* context that executes it and has the work queue */
	union doca_data user_data; /* returned with the event */
};

/* Completion of a job. */
struct doca_event {
	int type;                  /* type of the job */
	union doca_data user_data; /* user data of the job */
	union doca_data result;    /* u64 is a doca_error_t unless the library says otherwise */
};

enum doca_workq_retrieve_flags { DOCA_WORKQ_RETRIEVE_FLAGS_NONE = 0 };

#if DOCA_API_BETWEEN(103, 104)
/* Properties of a work queue. The SDK's numbers are not public; this project chose these. */
enum doca_workq_property {
	DOCA_WORKQ_PROPERTY_DEPTH = 0, /* uint32_t: largest number of jobs in flight */
};
#endif

/**
 * Creates a work queue. The selected version determines how jobs of the queue behave. Up to 1.4 a
 * copy has a length of its own (struct doca_dma_job_memcpy). Up to 2.1 jobs write their output to
 * the beginning of the destination's data section, whatever its length is. From 2.2 on they append
 * it to the data there.
 * @param depth largest number of jobs in flight; a job counts from its submission until its event
 *   was retrieved
 * @param workq receives the queue; release it with doca_workq_destroy
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: depth is 0 or workq is NULL.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that depth.
 * - DOCA_ERROR_OPERATING_SYSTEM: the process has no free file descriptor; close some or raise
 *   RLIMIT_NOFILE.
 * Since 1.3, until 2.2.
 */
#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 2)
DOCA_STABLE doca_error_t doca_workq_create(uint32_t depth, struct doca_workq **workq)
	DOCA_BIND(doca_workq_create, 2_2);
#elif DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5)
DOCA_STABLE doca_error_t doca_workq_create(uint32_t depth, struct doca_workq **workq)
	DOCA_BIND(doca_workq_create, 1_5);
#else
DOCA_STABLE doca_error_t doca_workq_create(uint32_t depth, struct doca_workq **workq)
	DOCA_BIND(doca_workq_create, 1_3);
#endif

/**
 * Destroys a work queue and closes its event handle. Events that were not retrieved are lost.
 * @param workq work queue
 * States: added to no context and no graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: the queue is added to a context or graph; retrieve its events and call
 *   doca_ctx_workq_rm().
 * Since 1.3, until 2.2.
 */
DOCA_STABLE doca_error_t doca_workq_destroy(struct doca_workq *workq);

/**
 * Submits a job to its context. Some libraries read the job only after the call, so keep the job
 * and its buffers until its event was retrieved.
 * @param workq work queue
 * @param job first member of a library's job; must not change until its event was retrieved
 * States: the queue is added to job->ctx. The call makes no allocation, lock or system call.
 * @return DOCA_SUCCESS if an event will follow, or
 * - DOCA_ERROR_INVALID_VALUE: the context's library has no such job type, flags is not 0, or the
 *   library's own part of the job is wrong.
 * - DOCA_ERROR_BAD_STATE: job->ctx is stopped or was created for 2.5 or later; or the job is a copy
 *   of 1.4 or before, which has a length of its own, and the queue was created for 2.2.
 * - DOCA_ERROR_NOT_FOUND: job->ctx is NULL or the queue is not added to it; call
 *   doca_ctx_workq_add() first.
 * - DOCA_ERROR_NO_MEMORY: the number of jobs in flight has reached the queue's depth; retrieve
 *   events first.
 * Since 1.3, until 2.2.
 */
#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(1, 5)
DOCA_STABLE doca_error_t doca_workq_submit(struct doca_workq *workq, struct doca_job const *job)
	DOCA_BIND(doca_workq_submit, 1_3);
#else
DOCA_STABLE doca_error_t doca_workq_submit(struct doca_workq *workq, struct doca_job const *job)
	DOCA_BIND(doca_workq_submit, 1_5);
#endif

/**
 * Makes progress, and retrieves one event if there is one.
 * @param workq work queue
 * @param ev receives the event if the result is DOCA_SUCCESS or DOCA_ERROR_IO_FAILED; otherwise
 *   unchanged
 * @param flags DOCA_WORKQ_RETRIEVE_FLAGS_NONE
 * States: any. The call makes no allocation, and a system call only where a library needs one for a
 *   job.
 * @return DOCA_SUCCESS for the event of a job that succeeded, or
 * - DOCA_ERROR_AGAIN: there is no event now; call again, or wait.
 * - DOCA_ERROR_IO_FAILED: the event of a job that failed; ev->result.u64 is its doca_error_t.
 * - DOCA_ERROR_INVALID_VALUE: flags is not 0.
 * Since 1.3, until 2.2.
 */
DOCA_STABLE doca_error_t doca_workq_progress_retrieve(struct doca_workq *workq,
						      struct doca_event *ev, int flags);

#if DOCA_API_BETWEEN(103, 104)
/**
 * Sets a property of a work queue.
 * @param workq work queue
 * @param property property to set
 * @param value new value, as bytes; only read during the call
 * @param size size of the value in bytes: 4 for the depth
 * States: added to no context and no graph, and all events retrieved.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the property does not exist, the size is not the property's, or the
 *   depth is 0.
 * - DOCA_ERROR_BAD_STATE: the queue is added to a context or graph, or has events; call this
 *   earlier.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that depth; the old depth stays.
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_workq_property_set(struct doca_workq *workq,
						 enum doca_workq_property property,
						 const uint8_t *value, uint32_t size);

/**
 * Reads a property of a work queue.
 * @param workq work queue
 * @param property property to read
 * @param value receives the value, as bytes
 * @param size size of value in bytes: 4 for the depth
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the property does not exist, or the size is not the property's.
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_workq_property_get(const struct doca_workq *workq,
						 enum doca_workq_property property, uint8_t *value,
						 uint32_t size);
#endif

#if DOCA_API_BETWEEN(105, 199)
/**
 * Changes the depth of a work queue.
 * @param workq work queue
 * @param depth largest number of jobs in flight
 * States: added to no context and no graph, and all events retrieved.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: depth is 0.
 * - DOCA_ERROR_BAD_STATE: the queue is added to a context or graph, or has events; call this
 *   earlier.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that depth; the old depth stays.
 * In 1.5 only.
 */
DOCA_STABLE doca_error_t doca_workq_set_depth(struct doca_workq *workq, uint32_t depth);
#endif

#if DOCA_API_BETWEEN(105, 204)
/**
 * Gets the depth of a work queue.
 * @param workq work queue
 * @param depth receives the largest number of jobs in flight
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_workq_get_depth(const struct doca_workq *workq, uint32_t *depth);

/**
 * Enables or disables waiting for events of a work queue. To wait, the program retrieves events
 * until DOCA_ERROR_AGAIN, arms the handle, waits until it is readable, clears it, and retrieves
 * again. A wake-up does not guarantee that there is an event.
 * @param workq work queue
 * @param enable 1 to enable, 0 (the default) to disable
 * States: added to no context and no graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: enable is neither 0 nor 1.
 * - DOCA_ERROR_BAD_STATE: the queue is added to a context or graph; call this earlier.
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_workq_set_event_driven_enable(struct doca_workq *workq,
							    uint8_t enable);

/**
 * Gets whether waiting for events of a work queue is enabled.
 * @param workq work queue
 * @param enabled receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_workq_get_event_driven_enable(struct doca_workq *workq,
							    uint8_t *enabled);

/**
 * Gets the file descriptor to wait on for events of a work queue. It stays the same for the queue's
 * whole life.
 * @param workq work queue
 * @param handle receives a descriptor for poll and epoll; the queue owns it and closes it on
 *   destroy
 * States: event-driven.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the queue is not event-driven; call doca_workq_set_event_driven_enable.
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_workq_get_event_handle(struct doca_workq *workq,
						     doca_event_handle_t *handle);

/**
 * Arms the event handle for one wake-up: it becomes readable when there is something to retrieve,
 * immediately if there is already.
 * @param workq work queue
 * States: event-driven.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the queue is not event-driven; call doca_workq_set_event_driven_enable.
 * - DOCA_ERROR_OPERATING_SYSTEM: the system call failed; dococ_last_error() names it.
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_workq_event_handle_arm(struct doca_workq *workq);

/**
 * Makes the event handle unreadable again after a wake-up.
 * @param workq work queue
 * @param handle ignored; the queue's handle is used
 * States: event-driven.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the queue is not event-driven; call doca_workq_set_event_driven_enable.
 * - DOCA_ERROR_OPERATING_SYSTEM: the system call failed; dococ_last_error() names it.
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_workq_event_handle_clear(struct doca_workq *workq,
						       doca_event_handle_t handle);
#endif

#if DOCA_API_BETWEEN(200, 204)
/**
 * Directs the events of a work queue to a completion port of the program. Not supported: completion
 * ports exist on Windows only.
 * @param workq work queue
 * @param event_handle completion port
 * @param completion_key value that comes with its completions
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid; use
 *   doca_workq_get_event_handle().
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_workq_set_event_handle(struct doca_workq *workq,
						     doca_event_handle_t event_handle,
						     uintptr_t completion_key);
#endif

/**
 * Adds a device to a context. The first device executes the context's jobs.
 * @param ctx context of a library object
 * @param dev open device; must stay open until doca_ctx_dev_rm() or the destruction of the object
 * States: stopped.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the context is started, or was created for 2.5 or later.
 * - DOCA_ERROR_IN_USE: the device is already added to the context.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support this library; try another one.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 1.3, until 2.2.
 */
DOCA_STABLE doca_error_t doca_ctx_dev_add(struct doca_ctx *ctx, struct doca_dev *dev);

/**
 * Removes a device from a context.
 * @param ctx context of a library object
 * @param dev device that was added
 * States: stopped.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the context is started, or was created for 2.5 or later.
 * - DOCA_ERROR_NOT_FOUND: the device is not added to the context.
 * Since 1.3, until 2.2.
 */
DOCA_STABLE doca_error_t doca_ctx_dev_rm(struct doca_ctx *ctx, struct doca_dev *dev);

/**
 * Adds a work queue to a context, so that jobs on the queue can name the context. This call
 * allocates everything that the jobs need.
 * @param ctx context of a library object
 * @param workq work queue; no other thread may use it during the call
 * States: started.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the context is stopped, or was created for 2.5 or later.
 * - DOCA_ERROR_IN_USE: the queue is already added to the context.
 * - DOCA_ERROR_NOT_SUPPORTED: the queue is event-driven and the context is not; see
 *   doca_ctx_get_event_driven_supported.
 * - DOCA_ERROR_NO_MEMORY: out of memory; the queue is deeper than the device allows; or the queue
 *   already has doca_ctx_get_max_num_ctx() contexts.
 * - DOCA_ERROR_INITIALIZATION: the device or the daemon could not set it up; dococ_last_error() has
 *   the reason.
 * - DOCA_ERROR_UNEXPECTED: internal error of the library; report it.
 * Since 1.3, until 2.2.
 */
DOCA_STABLE doca_error_t doca_ctx_workq_add(struct doca_ctx *ctx, struct doca_workq *workq);

/**
 * Removes a work queue from a context. Events that already exist can still be retrieved.
 * @param ctx context of a library object
 * @param workq work queue; no other thread may use it during the call
 * States: started, no job of the context in flight on the queue.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the context is stopped, or was created for 2.5 or later.
 * - DOCA_ERROR_NOT_FOUND: the queue is not added to the context.
 * - DOCA_ERROR_IN_USE: jobs are in flight; retrieve their events first.
 * - DOCA_ERROR_NOT_PERMITTED: called inside a callback of the queue; call it when the callback has
 *   returned.
 * Since 1.3, until 2.2.
 */
DOCA_STABLE doca_error_t doca_ctx_workq_rm(struct doca_ctx *ctx, struct doca_workq *workq);

#if DOCA_API_BETWEEN(105, 204)
/**
 * Gets whether event-driven work queues can be added to a context.
 * @param ctx context of a library object
 * @param event_supported receives 1 or 0
 * Threads: any thread.
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_ctx_get_event_driven_supported(struct doca_ctx *ctx,
							     uint8_t *event_supported);

/**
 * Gets the largest number of contexts that one work queue can be added to.
 * @param max_num_ctx receives the number
 * Threads: any thread.
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_ctx_get_max_num_ctx(uint32_t *max_num_ctx);
#endif

#if DOCA_API_WORKQ
/**
 * Starts a context. It is ready when the call returns.
 * @param ctx context of a library object
 * States: stopped, with at least one device added.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the context has no device; call doca_ctx_dev_add() first.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do what was configured.
 * - DOCA_ERROR_INITIALIZATION: the device or the daemon could not set the context up;
 *   dococ_last_error() has the reason.
 * - DOCA_ERROR_UNEXPECTED: internal error of the library; report it.
 * - DOCA_ERROR_BAD_STATE: the context is started already, or was created for 2.5 or later.
 * Since 1.3.
 */
DOCA_STABLE doca_error_t doca_ctx_start(struct doca_ctx *ctx) DOCA_BIND(doca_ctx_start, 1_3);

/**
 * Stops a context. A stopped context stays stopped.
 * @param ctx context of a library object
 * States: any, with no work queue added and no job in flight.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: a work queue is added; retrieve its events and call
 *   doca_ctx_workq_rm.
 * Since 1.3.
 */
DOCA_STABLE doca_error_t doca_ctx_stop(struct doca_ctx *ctx) DOCA_BIND(doca_ctx_stop, 1_3);
#endif

#if DOCA_API_WORKQ
DOCA_ELSEWHERE(doca_pe_create, "progress engines begin with 2.5: use doca_workq_create");
DOCA_ELSEWHERE(doca_pe_connect_ctx, "progress engines begin with 2.5: use doca_ctx_workq_add");
DOCA_ELSEWHERE(doca_task_submit, "tasks begin with 2.5: use doca_workq_submit");
#endif

#ifdef __cplusplus
}
#endif

#endif
