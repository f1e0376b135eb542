/*
 * Shared receive queues of RDMA, which exist in 2.6 only. Included by doca_rdma.h.
 *
 * A shared receive queue is a context of its own, from which several RDMA objects receive. The
 * interface of 2.6 has no task that posts to such a queue, only a handle for code on a data-path
 * accelerator (doca_rdma_srq_get_dpa_handle()). This runtime has no accelerator. A queue can
 * therefore be created and configured, but not started, and the calls report that. Create RDMA
 * objects with doca_rdma_create(): they have receive queues of their own.
 *
 * A call without a "States:" line is allowed in every state. The context of a queue is always IDLE.
 *
 * Threads: one thread at a time per queue. Capability queries may be called from any thread.
 *
 * Reference: DOCA RDMA guide.
 */
#ifndef DOCA_RDMA_SRQ_FORMER_H_
#define DOCA_RDMA_SRQ_FORMER_H_

#include <doca_rdma.h>

#if !DOCA_API_BETWEEN(206, 206)
#error "dococ/rdma_srq_former.h is for programs of 2.6: include doca_rdma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dpa_dev_rdma_srq; /* handle for code on a DPA */
struct doca_rdma_srq;         /* shared receive queue */

/* How the entries of a queue are organised. */
enum doca_rdma_srq_type {
	DOCA_RDMA_SRQ_TYPE_LINKED_LIST = 0,
	DOCA_RDMA_SRQ_TYPE_CYCLIC = 1,
};

/**
 * Creates a shared receive queue on a device. It cannot be started: see the top of this file.
 * @param dev open device; the object holds a reference until it is destroyed
 * @param rdma_srq receives the queue; release it with doca_rdma_srq_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the device does not support RDMA; dococ_last_error() says what would
 *   help.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_create(struct doca_dev *dev,
					      struct doca_rdma_srq **rdma_srq);

/**
 * Destroys the shared receive queue and its context.
 * @param rdma_srq queue
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE, which cannot happen, since a queue cannot be
 *   started.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_destroy(struct doca_rdma_srq *rdma_srq);

/**
 * Returns the context of a shared receive queue. doca_ctx_start() returns DOCA_ERROR_NOT_SUPPORTED
 * for it.
 * @param rdma_srq_ctx queue
 * @return the context, owned by the queue; NULL if rdma_srq_ctx is NULL
 * In 2.6 only.
 */
DOCA_STABLE struct doca_ctx *doca_rdma_srq_as_ctx(struct doca_rdma_srq *rdma_srq_ctx);

/**
 * Creates an RDMA object that receives from a shared queue. Always fails, since no queue can be
 * started.
 * @param dev open device
 * @param rdma_srq started queue of the same device
 * @param rdma receives the object
 * @return one of these errors:
 * - DOCA_ERROR_BAD_STATE: the queue is not started, since no queue can be; use doca_rdma_create().
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_rdma_create_with_srq(struct doca_dev *dev,
						   struct doca_rdma_srq *rdma_srq,
						   struct doca_rdma **rdma);

/**
 * Gets the size of the longest shared receive queue of a device. No device has such a queue that
 * this runtime can use.
 * @param devinfo device to query
 * @param max_shared_recv_queue_size not written; would receive the number of receives
 * @return one of these errors:
 * - DOCA_ERROR_DRIVER: always, if the arguments are valid.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_cap_get_max_shared_recv_queue_size(
	const struct doca_devinfo *devinfo, uint32_t *max_shared_recv_queue_size);

/**
 * Gets the largest number of buffers in the list of a receive of a shared queue. No device has such
 * a queue that this runtime can use.
 * @param devinfo device to query
 * @param max_buf_list_len not written; would receive the number of buffers
 * @return one of these errors:
 * - DOCA_ERROR_DRIVER: always, if the arguments are valid.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_cap_task_receive_get_max_dst_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Sets how many receives a queue can hold.
 * @param rdma_srq queue
 * @param shared_recv_queue_size number of receives
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0.
 * - DOCA_ERROR_NOT_SUPPORTED: the number exceeds the result of
 *   doca_rdma_cap_get_max_recv_queue_size().
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE, which cannot happen, since a queue cannot be
 *   started.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_set_shared_recv_queue_size(struct doca_rdma_srq *rdma_srq,
								  uint32_t shared_recv_queue_size);

/**
 * Gets how many receives a queue can hold.
 * @param rdma_srq queue
 * @param shared_recv_queue_size receives the number; the default is that of doca_rdma objects
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_get_shared_recv_queue_size(
	const struct doca_rdma_srq *rdma_srq, uint32_t *shared_recv_queue_size);

/**
 * Sets how many buffers the list of a receive may have.
 * @param rdma_srq queue
 * @param buf_list_len number of buffers
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0, or exceeds the result of
 *   doca_rdma_cap_task_receive_get_max_dst_buf_list_len().
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE, which cannot happen, since a queue cannot be
 *   started.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_task_receive_set_dst_buf_list_len(
	struct doca_rdma_srq *rdma_srq, uint32_t buf_list_len);

/**
 * Gets how many buffers the list of a receive may have.
 * @param rdma_srq queue
 * @param buf_list_len receives the number; the default is 1
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_task_receive_get_dst_buf_list_len(
	const struct doca_rdma_srq *rdma_srq, uint32_t *buf_list_len);

/**
 * Sets the organisation of a queue's entries.
 * @param rdma_srq queue
 * @param srq_type one of enum doca_rdma_srq_type
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type does not exist.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE, which cannot happen, since a queue cannot be
 *   started.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_set_type(struct doca_rdma_srq *rdma_srq,
						enum doca_rdma_srq_type srq_type);

/**
 * Gets the organisation of a queue's entries.
 * @param rdma_srq queue
 * @param srq_type receives the type; the default is DOCA_RDMA_SRQ_TYPE_LINKED_LIST
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_get_type(struct doca_rdma_srq *rdma_srq,
						enum doca_rdma_srq_type *srq_type);

/**
 * Gets the handle by which code on a DPA posts to a queue. Not supported.
 * @param rdma_srq queue
 * @param dpa_rdma_srq not written; would receive the handle
 * States: RUNNING, on a DPA.
 * @return one of these errors:
 * - DOCA_ERROR_BAD_STATE: always, if the arguments are valid: no queue is on a DPA.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_get_dpa_handle(const struct doca_rdma_srq *rdma_srq,
						      struct doca_dpa_dev_rdma_srq **dpa_rdma_srq);

#ifdef __cplusplus
}
#endif

#endif
