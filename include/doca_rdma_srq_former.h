/*
 * Shared receive queues of RDMA, which 2.6 alone has; included by doca_rdma.h.
 *
 * Such a queue is a context of its own, and several RDMA objects take what they receive from it.
 * The interface of 2.6 has no task that posts to one, only a handle for code on a data-path
 * accelerator (doca_rdma_srq_get_dpa_handle). This runtime has no accelerator. So a queue can be
 * made and described here, and not started; each call says so. Make RDMA objects with
 * doca_rdma_create: they have receive queues of their own.
 *
 * Threads: a queue belongs to one thread at a time.
 */
#ifndef DOCA_RDMA_SRQ_FORMER_H_
#define DOCA_RDMA_SRQ_FORMER_H_

#include <doca_rdma.h>

#if !DOCA_API_BETWEEN(206, 206)
#error "doca_rdma_srq_former.h is for programs of 2.6: include doca_rdma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dpa_dev_rdma_srq; /* handle for code on a DPA */
struct doca_rdma_srq;         /* shared receive queue */

/* How a queue keeps its entries. */
enum doca_rdma_srq_type {
	DOCA_RDMA_SRQ_TYPE_LINKED_LIST = 0,
	DOCA_RDMA_SRQ_TYPE_CYCLIC = 1,
};

/**
 * Makes a shared receive queue on a device. It cannot be started: see the top of this file.
 * @param dev open device; held until destroy
 * @param rdma_srq receives the queue; give it back with doca_rdma_srq_destroy
 * Threads: one at a time per object.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the device has no RDMA; the sentence says
 *   what would help.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.6, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_create(struct doca_dev *dev,
					      struct doca_rdma_srq **rdma_srq);

/**
 * Frees a shared receive queue with its context.
 * @param rdma_srq queue
 * States: IDLE. Threads: one at a time per object.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma_srq is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE, which cannot happen here.
 * Since 2.6, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_destroy(struct doca_rdma_srq *rdma_srq);

/**
 * Context of a shared receive queue. doca_ctx_start gives DOCA_ERROR_NOT_SUPPORTED.
 * @param rdma_srq_ctx queue
 * States: any. Threads: one at a time per object.
 * @return the context, owned by the queue; NULL if rdma_srq_ctx is NULL
 * Since 2.6, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_ctx *doca_rdma_srq_as_ctx(struct doca_rdma_srq *rdma_srq_ctx);

/**
 * Makes an RDMA object that receives by a shared queue. There is none that could be started.
 * @param dev open device
 * @param rdma_srq started queue of the same device
 * @param rdma receives the object
 * Threads: one at a time per object.
 * @return
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the queue is not started, which it cannot be here; use doca_rdma_create.
 * Since 2.6, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_create_with_srq(struct doca_dev *dev,
						   struct doca_rdma_srq *rdma_srq,
						   struct doca_rdma **rdma);

/**
 * Longest shared receive queue of a device. No device has one that this runtime can use.
 * @param devinfo description of the device; borrowed for the call
 * @param max_shared_recv_queue_size would receive the number of receives
 * Threads: any.
 * @return
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: always, once the arguments are right.
 * Since 2.6, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_cap_get_max_shared_recv_queue_size(
	const struct doca_devinfo *devinfo, uint32_t *max_shared_recv_queue_size);

/**
 * Longest list of buffers of a receive of a shared queue. No device has one that this runtime can
 * use.
 * @param devinfo description of the device; borrowed for the call
 * @param max_buf_list_len would receive the number of buffers
 * Threads: any.
 * @return
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: always, once the arguments are right.
 * Since 2.6, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_cap_task_receive_get_max_dst_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Sets how many receives a queue holds.
 * @param rdma_srq queue
 * @param shared_recv_queue_size number of receives
 * States: IDLE. Threads: one at a time per object.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma_srq is NULL, or the number is 0.
 * - DOCA_ERROR_NOT_SUPPORTED: more than doca_rdma_cap_get_max_recv_queue_size says.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE, which cannot happen here.
 * Since 2.6, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_set_shared_recv_queue_size(struct doca_rdma_srq *rdma_srq,
								  uint32_t shared_recv_queue_size);

/**
 * How many receives a queue holds.
 * @param rdma_srq queue
 * @param shared_recv_queue_size receives the number; that of doca_rdma objects unless set
 * States: any. Threads: one at a time per object.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.6, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_get_shared_recv_queue_size(
	const struct doca_rdma_srq *rdma_srq, uint32_t *shared_recv_queue_size);

/**
 * Sets how many buffers the list of a receive may have.
 * @param rdma_srq queue
 * @param buf_list_len number of buffers
 * States: IDLE. Threads: one at a time per object.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma_srq is NULL, the number is 0, or more than
 *   doca_rdma_cap_task_receive_get_max_dst_buf_list_len says.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE, which cannot happen here.
 * Since 2.6, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_task_receive_set_dst_buf_list_len(
	struct doca_rdma_srq *rdma_srq, uint32_t buf_list_len);

/**
 * How many buffers the list of a receive may have.
 * @param rdma_srq queue
 * @param buf_list_len receives the number; 1 unless set
 * States: any. Threads: one at a time per object.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.6, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_task_receive_get_dst_buf_list_len(
	const struct doca_rdma_srq *rdma_srq, uint32_t *buf_list_len);

/**
 * Sets how a queue keeps its entries.
 * @param rdma_srq queue
 * @param srq_type one of enum doca_rdma_srq_type
 * States: IDLE. Threads: one at a time per object.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma_srq is NULL, or there is no such type.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE, which cannot happen here.
 * Since 2.6, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_set_type(struct doca_rdma_srq *rdma_srq,
						enum doca_rdma_srq_type srq_type);

/**
 * How a queue keeps its entries.
 * @param rdma_srq queue
 * @param srq_type receives the type; DOCA_RDMA_SRQ_TYPE_LINKED_LIST unless set
 * States: any. Threads: one at a time per object.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.6, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_get_type(struct doca_rdma_srq *rdma_srq,
						enum doca_rdma_srq_type *srq_type);

/**
 * Handle by which code on a DPA posts to a queue. There is none here.
 * @param rdma_srq queue
 * @param dpa_rdma_srq would receive the handle
 * States: RUNNING, on a DPA. Threads: one at a time per object.
 * @return
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: always, once the arguments are right: no queue is on a DPA.
 * Since 2.6, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_srq_get_dpa_handle(const struct doca_rdma_srq *rdma_srq,
						      struct doca_dpa_dev_rdma_srq **dpa_rdma_srq);

#ifdef __cplusplus
}
#endif

#endif
