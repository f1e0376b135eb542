/*
 * Context, work queue, job and event: up to 2.2; included by doca_ctx.h.
 *
 * Add devices to a context, start it, create a work queue with a depth, and add it to the context.
 * A job, which begins with struct doca_job, is submitted to the queue for a context; its completion
 * is an event that doca_workq_progress_retrieve hands out. Tear down the other way round: remove
 * the queue, stop the context, remove the devices, destroy. A context may have many work queues,
 * and a work queue many contexts. A job that fails ends neither its context nor other jobs.
 *
 * A job, what it points to, and its buffers belong to the library until its event was retrieved;
 * freeing or changing them earlier is a fault of the program that nobody detects.
 *
 * Threads: the calls on a context may come from any thread; a work queue belongs to one thread at a
 * time.
 */
#ifndef DOCA_CTX_WORKQ_H_
#define DOCA_CTX_WORKQ_H_

#include <doca_ctx.h>
/* Programs of these versions rely on it. */
#include <doca_dev.h>

#if !DOCA_API_WORKQ && !defined(DOCA_API_LIBRARY)
#error "doca_ctx_workq.h is there up to 2.2: set DOCA_USE_VERSION to that, or include doca_ctx.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_workq; /* work queue */

/* Each library numbers its job types from a start of its own. */
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

/* The first member of every job. */
struct doca_job {
	int type;                  /* of the library that executes it */
	int flags;                 /* DOCA_JOB_FLAGS_NONE */
	struct doca_ctx *ctx;      /* who executes it; the work queue was added to it */
	union doca_data user_data; /* comes back with the event */
};

/* The completion of a job. */
struct doca_event {
	int type;                  /* of the job */
	union doca_data user_data; /* of the job */
	union doca_data result;    /* u64 is a doca_error_t, unless the library says otherwise */
};

enum doca_workq_retrieve_flags { DOCA_WORKQ_RETRIEVE_FLAGS_NONE = 0 };

#if DOCA_API_BETWEEN(103, 104)
/* Properties of a work queue. The numbers are of our own choice: no public source tells them. */
enum doca_workq_property {
	DOCA_WORKQ_PROPERTY_DEPTH = 0, /* uint32_t: most jobs in flight */
};
#endif

/**
 * Makes a work queue.
 * @param depth most jobs in flight; one counts from its submission until its event was retrieved
 * @param workq receives the queue; give it back with doca_workq_destroy
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: depth is 0 or workq is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory for that depth.
 * - DOCA_ERROR_OPERATING_SYSTEM: no descriptors; raise RLIMIT_NOFILE.
 * Up to 1.4 copies on the queue have a length of their own (struct doca_dma_job_memcpy). Up to 2.1
 * the jobs of the queue write their output to the beginning of the destination's data
 * section, whatever its length was; from 2.2 on they append behind the data that is there.
 * Since 1.3, until 2.2. Source: DOCA Core guide, work queue.
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
 * Frees a work queue. Events that were not retrieved are lost.
 * @param workq work queue; its handle is closed
 * States: added to no context and no graph.
 * Threads: one at a time per queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: workq is NULL.
 * - DOCA_ERROR_IN_USE: it is added to a context; retrieve its events and call doca_ctx_workq_rm.
 * Since 1.3, until 2.2. Source: DOCA Core guide, work queue.
 */
DOCA_STABLE doca_error_t doca_workq_destroy(struct doca_workq *workq);

/**
 * Hands a job to its context. What the job says is taken over in this call, except where its
 * library says that it reads the job later, so keep job and buffers until the event.
 * @param workq work queue
 * @param job the first member of a library's job; borrowed until its event was retrieved
 * States: the queue is added to job->ctx. No allocation, lock or system call.
 * Threads: one at a time per queue.
 * @return DOCA_SUCCESS: an event will follow, or
 * - DOCA_ERROR_INVALID_VALUE: workq or job is NULL, the context's library has no such type of job,
 *   flags is not 0, or the library's own part of the job is wrong.
 * - DOCA_ERROR_BAD_STATE: job->ctx is stopped, or was made for 2.5 or later; or the job is one of
 *   1.4 or before, which says its length itself, and the queue was made for 2.2.
 * - DOCA_ERROR_NOT_FOUND: the queue is not added to job->ctx, or that is NULL; call
 *   doca_ctx_workq_add first.
 * - DOCA_ERROR_NO_MEMORY: as many jobs as the queue is deep are in flight; retrieve events.
 * Since 1.3, until 2.2. Source: DOCA Core guide, work queue.
 */
#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(1, 5)
DOCA_STABLE doca_error_t doca_workq_submit(struct doca_workq *workq, struct doca_job const *job)
	DOCA_BIND(doca_workq_submit, 1_3);
#else
DOCA_STABLE doca_error_t doca_workq_submit(struct doca_workq *workq, struct doca_job const *job)
	DOCA_BIND(doca_workq_submit, 1_5);
#endif

/**
 * Makes progress, and hands out one event if there is one.
 * @param workq work queue
 * @param ev receives the event with SUCCESS and IO_FAILED; otherwise untouched
 * @param flags DOCA_WORKQ_RETRIEVE_FLAGS_NONE
 * States: any. No allocation; a system call only where a library needs one to do a job.
 * Threads: one at a time per queue.
 * @return DOCA_SUCCESS: an event of a job that succeeded, or
 * - DOCA_ERROR_AGAIN: no event now; call again, or wait.
 * - DOCA_ERROR_IO_FAILED: an event of a job that failed; ev->result.u64 is the doca_error_t.
 * - DOCA_ERROR_INVALID_VALUE: workq or ev is NULL, or flags is not 0.
 * Since 1.3, until 2.2. Source: DOCA Core guide, work queue.
 */
DOCA_STABLE doca_error_t doca_workq_progress_retrieve(struct doca_workq *workq,
						      struct doca_event *ev, int flags);

#if DOCA_API_BETWEEN(103, 104)
/**
 * Sets a property of a work queue.
 * @param workq work queue
 * @param property which one
 * @param value the new value, as bytes; borrowed for the call
 * @param size bytes of the value: 4 for the depth
 * States: added to no context and no graph, no event left.
 * Threads: one at a time per queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, there is no such property, the size is not the
 *   property's, or the depth is 0.
 * - DOCA_ERROR_BAD_STATE: the queue is added to a context or graph, or has events; set it before.
 * - DOCA_ERROR_NO_MEMORY: no memory for that depth; the old one stays.
 * Since 1.3, until 1.4. Source: DOCA Core guide, work queue.
 */
DOCA_STABLE doca_error_t doca_workq_property_set(struct doca_workq *workq,
						 enum doca_workq_property property,
						 const uint8_t *value, uint32_t size);

/**
 * Reads a property of a work queue.
 * @param workq work queue
 * @param property which one
 * @param value receives it, as bytes
 * @param size bytes at value: 4 for the depth
 * States: any.
 * Threads: one at a time per queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, there is no such property, or the size is not
 *   the property's.
 * Since 1.3, until 1.4. Source: DOCA Core guide, work queue.
 */
DOCA_STABLE doca_error_t doca_workq_property_get(const struct doca_workq *workq,
						 enum doca_workq_property property, uint8_t *value,
						 uint32_t size);
#endif

#if DOCA_API_BETWEEN(105, 199)
/**
 * Changes the depth of a work queue.
 * @param workq work queue
 * @param depth most jobs in flight
 * States: added to no context and no graph, no event left.
 * Threads: one at a time per queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: workq is NULL or depth is 0.
 * - DOCA_ERROR_BAD_STATE: the queue is added to a context or graph, or has events; set it before.
 * - DOCA_ERROR_NO_MEMORY: no memory for that depth; the old one stays.
 * Since 1.5, until 1.5. Source: DOCA Core guide, work queue.
 */
DOCA_STABLE doca_error_t doca_workq_set_depth(struct doca_workq *workq, uint32_t depth);
#endif

#if DOCA_API_BETWEEN(105, 204)
/**
 * Depth of a work queue.
 * @param workq work queue
 * @param depth receives the most jobs in flight
 * States: any.
 * Threads: one at a time per queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 1.5, until 2.2. Source: DOCA Core guide, work queue.
 */
DOCA_STABLE doca_error_t doca_workq_get_depth(const struct doca_workq *workq, uint32_t *depth);

/**
 * Lets a work queue be waited on, or not. The cycle: retrieve until AGAIN, arm, wait until the
 * handle is readable, clear, retrieve until AGAIN. A wake does not promise an event.
 * @param workq work queue
 * @param enable 1 for yes, 0 for no; 0 unless set
 * States: added to no context and no graph.
 * Threads: one at a time per queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: workq is NULL or enable is neither 0 nor 1.
 * - DOCA_ERROR_BAD_STATE: the queue is added to a context or graph; enable it before.
 * - DOCA_ERROR_OPERATING_SYSTEM: not given here: the handle is made with the queue.
 * Since 1.5, until 2.2. Source: DOCA Core guide, work queue, event-driven mode.
 */
DOCA_STABLE doca_error_t doca_workq_set_event_driven_enable(struct doca_workq *workq,
							    uint8_t enable);

/**
 * Can a work queue be waited on?
 * @param workq work queue
 * @param enabled receives 1 or 0
 * States: any.
 * Threads: one at a time per queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 1.5, until 2.2. Source: DOCA Core guide, work queue, event-driven mode.
 */
DOCA_STABLE doca_error_t doca_workq_get_event_driven_enable(struct doca_workq *workq,
							    uint8_t *enabled);

/**
 * What to wait on for events of a work queue. It is the same for the queue's whole life.
 * @param workq work queue
 * @param handle receives a descriptor for poll and epoll; owned by the queue, closed with it
 * States: event-driven.
 * Threads: one at a time per queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the queue is not event-driven; call doca_workq_set_event_driven_enable.
 * Since 1.5, until 2.2. Source: DOCA Core guide, work queue, event-driven mode.
 */
DOCA_STABLE doca_error_t doca_workq_get_event_handle(struct doca_workq *workq,
						     doca_event_handle_t *handle);

/**
 * Asks that the handle become readable when there is something to retrieve, also if it is there
 * already. Once per wake.
 * @param workq work queue
 * States: event-driven.
 * Threads: one at a time per queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: workq is NULL.
 * - DOCA_ERROR_BAD_STATE: the queue is not event-driven; call doca_workq_set_event_driven_enable.
 * - DOCA_ERROR_OPERATING_SYSTEM: the kernel refused; dococ_last_error() has its words.
 * Since 1.5, until 2.2. Source: DOCA Core guide, work queue, event-driven mode.
 */
DOCA_STABLE doca_error_t doca_workq_event_handle_arm(struct doca_workq *workq);

/**
 * After a wake: makes the handle unreadable.
 * @param workq work queue
 * @param handle the queue's handle; not looked at here
 * States: event-driven.
 * Threads: one at a time per queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: workq is NULL.
 * - DOCA_ERROR_BAD_STATE: the queue is not event-driven; call doca_workq_set_event_driven_enable.
 * - DOCA_ERROR_OPERATING_SYSTEM: the kernel refused; dococ_last_error() has its words.
 * Since 1.5, until 2.2. Source: DOCA Core guide, work queue, event-driven mode.
 */
DOCA_STABLE doca_error_t doca_workq_event_handle_clear(struct doca_workq *workq,
						       doca_event_handle_t handle);
#endif

#if DOCA_API_BETWEEN(200, 204)
/**
 * Lets the events of a work queue go to a completion port of the program. That is for Windows.
 * @param workq work queue
 * @param event_handle completion port
 * @param completion_key word that comes with its completions
 * Threads: one at a time per queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: workq is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments are right; use
 *   doca_workq_get_event_handle.
 * - DOCA_ERROR_OPERATING_SYSTEM: not given here.
 * Since 2.0, until 2.2. Source: DOCA Core guide, work queue, event-driven mode.
 */
DOCA_STABLE doca_error_t doca_workq_set_event_handle(struct doca_workq *workq,
						     doca_event_handle_t event_handle,
						     uintptr_t completion_key);
#endif

/**
 * Gives a context a device. The first one does its jobs.
 * @param ctx context of a library object
 * @param dev open device; must stay open until doca_ctx_dev_rm or the destruction of the object
 * States: stopped.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is started, or was made for 2.5 or later.
 * - DOCA_ERROR_IN_USE: the context has the device already.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do what the library does; try another.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_DRIVER: not given here: what a device can do is known from its opening.
 * - DOCA_ERROR_UNEXPECTED: a rule of our own was broken; report it.
 * Since 1.3, until 2.2. Source: DOCA Core guide, context.
 */
DOCA_STABLE doca_error_t doca_ctx_dev_add(struct doca_ctx *ctx, struct doca_dev *dev);

/**
 * Takes a device from a context.
 * @param ctx context of a library object
 * @param dev device that was added
 * States: stopped.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is started, or was made for 2.5 or later.
 * - DOCA_ERROR_NOT_FOUND: the context does not have the device.
 * - DOCA_ERROR_UNEXPECTED: a rule of our own was broken; report it.
 * Since 1.3, until 2.2. Source: DOCA Core guide, context.
 */
DOCA_STABLE doca_error_t doca_ctx_dev_rm(struct doca_ctx *ctx, struct doca_dev *dev);

/**
 * Connects a work queue to a context, which can then be named in its jobs. All that the jobs need
 * is taken here.
 * @param ctx context of a library object
 * @param workq work queue, used by no other thread during the call
 * States: started.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is stopped, or was made for 2.5 or later.
 * - DOCA_ERROR_IN_USE: the queue is added to the context already.
 * - DOCA_ERROR_NOT_SUPPORTED: the queue is event-driven and the context is not; see
 *   doca_ctx_get_event_driven_supported.
 * - DOCA_ERROR_NO_MEMORY: no memory; or the queue is deeper than the device allows, or has
 *   doca_ctx_get_max_num_ctx contexts.
 * - DOCA_ERROR_INITIALIZATION: the device, or the daemon, could not set it up.
 * - DOCA_ERROR_UNEXPECTED: a rule of our own was broken; report it.
 * Since 1.3, until 2.2. Source: DOCA Core guide, context.
 */
DOCA_STABLE doca_error_t doca_ctx_workq_add(struct doca_ctx *ctx, struct doca_workq *workq);

/**
 * Disconnects a work queue from a context. Events that are there already can still be retrieved.
 * @param ctx context of a library object
 * @param workq work queue, used by no other thread during the call
 * States: started, no job of the context in flight on the queue.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is stopped, or was made for 2.5 or later.
 * - DOCA_ERROR_NOT_FOUND: the queue is not added to the context.
 * - DOCA_ERROR_IN_USE: jobs are in flight; retrieve their events first.
 * - DOCA_ERROR_NOT_PERMITTED: called from a callback of the queue; do it when that has returned.
 * - DOCA_ERROR_UNEXPECTED: a rule of our own was broken; report it.
 * Since 1.3, until 2.2. Source: DOCA Core guide, context.
 */
DOCA_STABLE doca_error_t doca_ctx_workq_rm(struct doca_ctx *ctx, struct doca_workq *workq);

#if DOCA_API_BETWEEN(105, 204)
/**
 * Can event-driven work queues be added to a context?
 * @param ctx context of a library object
 * @param event_supported receives 1 or 0
 * States: any.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context was made for 2.5 or later.
 * Since 1.5, until 2.2. Source: DOCA Core guide, context.
 */
DOCA_STABLE doca_error_t doca_ctx_get_event_driven_supported(struct doca_ctx *ctx,
							     uint8_t *event_supported);

/**
 * Most contexts that one work queue can be added to.
 * @param max_num_ctx receives the number
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: max_num_ctx is NULL.
 * Since 1.5, until 2.2. Source: DOCA Core guide, context.
 */
DOCA_STABLE doca_error_t doca_ctx_get_max_num_ctx(uint32_t *max_num_ctx);
#endif

#if DOCA_API_WORKQ
/**
 * Starts a context. It is ready when this returns.
 * @param ctx context of a library object
 * States: stopped, with at least one device added.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL, or it has no device; call doca_ctx_dev_add first.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do what was configured.
 * - DOCA_ERROR_INITIALIZATION: the device, or the daemon, could not set it up.
 * - DOCA_ERROR_UNEXPECTED: a rule of our own was broken; report it.
 * - DOCA_ERROR_BAD_STATE: it is started already, or was made for 2.5 or later.
 * Since 1.3. Source: DOCA Core guide, context.
 */
DOCA_STABLE doca_error_t doca_ctx_start(struct doca_ctx *ctx) DOCA_BIND(doca_ctx_start, 1_3);

/**
 * Stops a context. One that is stopped stays so.
 * @param ctx context of a library object
 * States: any, with no work queue added and no job in flight.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: a work queue is added; retrieve its events and call
 *   doca_ctx_workq_rm.
 * - DOCA_ERROR_BAD_STATE: it was made for 2.5 or later.
 * - DOCA_ERROR_UNEXPECTED: a rule of our own was broken; report it.
 * Since 1.3. Source: DOCA Core guide, context.
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
