/*
 * Context, work queue, job and event: up to 2.2; included by doca_ctx.h.
 *
 * Add devices to a context, start it, create a work queue with a depth, and add it to the context.
 * A job, which begins with struct doca_job, is submitted to the queue for a context; its completion
 * is an event that doca_workq_progress_retrieve hands out. Tear down the other way round: remove
 * the queue, stop the context, remove the devices, destroy.
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

#ifdef __cplusplus
}
#endif

#endif
