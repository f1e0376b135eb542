/*
 * Data-path consumers of 2.5 and 2.6: what doca_comch_consumer.h is from 2.7 on, where its rules
 * are written down, without immediate data.
 *
 * Threads: one thread at a time per consumer with the engine it is connected to.
 */
#ifndef DOCA_CC_CONSUMER_H_
#define DOCA_CC_CONSUMER_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if !DOCA_API_BETWEEN(205, 206)
#error "doca_cc_consumer.h is there in 2.5 and 2.6: set DOCA_USE_VERSION to one of them; it is doca_comch_consumer.h from 2.7 on, and doca_comm_channel.h before"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_cc_connection; /* one client at one server, see doca_cc.h */
struct doca_cc_consumer;   /* receiving end of the data path */
struct doca_buf;
struct doca_ctx;
struct doca_devinfo;
struct doca_mmap;
struct doca_task;

#if DOCA_API_BETWEEN(205, 205)
struct doca_cc_consumer_post_recv_task; /* one message to receive */

/* Told of a receive that took a message, or that was flushed, with the data of task and context. */
typedef void (*doca_cc_consumer_post_recv_task_comp_handler)(
	struct doca_cc_consumer_post_recv_task *task, union doca_data task_user_data,
	union doca_data ctx_user_data);
#endif

#if DOCA_API_BETWEEN(206, 206)
struct doca_cc_consumer_task_post_recv; /* one message to receive */

/* Told of a receive that took a message, or that was flushed, with the data of task and context. */
typedef void (*doca_cc_consumer_task_post_recv_completion_cb_t)(
	struct doca_cc_consumer_task_post_recv *task, union doca_data task_user_data,
	union doca_data ctx_user_data);
#endif

/**
 * Makes a consumer.
 * @param cc_connection connection
 * @param buf_mmap started memory map that the buffers lie in
 * @param consumer receives the object; give it back with doca_cc_consumer_destroy
 * States: the connection stands.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_BAD_STATE: the connection does not stand.
 * - DOCA_ERROR_NOT_PERMITTED: the connection has as many as the device allows.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_create(struct doca_cc_connection *cc_connection,
						 struct doca_mmap *buf_mmap,
						 struct doca_cc_consumer **consumer);

/**
 * Frees a consumer.
 * @param consumer consumer
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the argument is NULL.
 * - DOCA_ERROR_IN_USE: the context is not IDLE; stop it and progress.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_destroy(struct doca_cc_consumer *consumer);

/**
 * Id of the object, as the peer sees it.
 * @param consumer consumer
 * @param id receives the id
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_get_id(const struct doca_cc_consumer *consumer,
						 uint32_t *id);

/**
 * Context of the object, to start and stop it and connect it to a progress engine.
 * @param consumer consumer
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the context, NULL for NULL
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE struct doca_ctx *doca_cc_consumer_as_ctx(struct doca_cc_consumer *consumer);

#if DOCA_API_BETWEEN(205, 205)

/**
 * Does the device support consumers?
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: it does not.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_cap_is_consumer_supported(const struct doca_devinfo *devinfo);

/**
 * Most tasks, as a power of two.
 * @param devinfo description of the device; borrowed for the call
 * @param max_log_num_tasks receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_cap_get_max_log_num_tasks(
	const struct doca_devinfo *devinfo, size_t *max_log_num_tasks);

/**
 * Configures receive tasks.
 * @param consumer consumer
 * @param task_completion_cb called for a task that succeeded
 * @param task_error_cb called for one that failed
 * @param log_num_tasks number of tasks, as a power of two
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the number is more than the device allows.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_post_recv_task_set_conf(
	struct doca_cc_consumer *consumer,
	doca_cc_consumer_post_recv_task_comp_handler task_completion_cb,
	doca_cc_consumer_post_recv_task_comp_handler task_error_cb, size_t log_num_tasks);

/**
 * Takes a receive task from the pool.
 * @param consumer consumer
 * @param buf buffer; the library's from submission to completion
 * @param task receives the task; submit it, or give it back with doca_task_free
 * States: RUNNING.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are in use; free some or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t
doca_cc_consumer_post_recv_task_alloc_init(struct doca_cc_consumer *consumer, struct doca_buf *buf,
					   struct doca_cc_consumer_post_recv_task **task);

/**
 * Buffer of a task.
 * @param task task; pointer not checked for NULL
 * States: the task is the program's.
 * Threads: one at a time per object and its engine.
 * @return the buffer
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE struct doca_buf *doca_cc_consumer_post_recv_task_get_buf(
	struct doca_cc_consumer_post_recv_task *task);

/**
 * Sets the buffer of a task.
 * @param task task; pointer not checked for NULL
 * @param buf buffer; the library's from submission to completion
 * States: the task is the program's.
 * Threads: one at a time per object and its engine.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE void doca_cc_consumer_post_recv_task_set_buf(
	struct doca_cc_consumer_post_recv_task *task, struct doca_buf *buf);

/**
 * General form of a task, to submit and free it.
 * @param task task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the task, NULL for NULL
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE struct doca_task *doca_cc_consumer_post_recv_task_as_task(
	struct doca_cc_consumer_post_recv_task *task);

#endif /* 2.5 */

#if DOCA_API_BETWEEN(206, 206)

/**
 * Does the device support consumers?
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: it does not.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * Most tasks.
 * @param devinfo description of the device; borrowed for the call
 * @param max_num_tasks receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
								uint32_t *max_num_tasks);

/**
 * Most consumers of one connection.
 * @param devinfo description of the device; borrowed for the call
 * @param max_consumers receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
								uint32_t *max_consumers);

/**
 * Configures receive tasks.
 * @param consumer consumer
 * @param task_completion_cb called for a task that succeeded
 * @param task_error_cb called for one that failed
 * @param num_post_recv_tasks number of tasks
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the number is more than the device allows.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_task_post_recv_set_conf(
	struct doca_cc_consumer *consumer,
	doca_cc_consumer_task_post_recv_completion_cb_t task_completion_cb,
	doca_cc_consumer_task_post_recv_completion_cb_t task_error_cb,
	uint32_t num_post_recv_tasks);

/**
 * Takes a receive task from the pool.
 * @param consumer consumer
 * @param buf buffer; the library's from submission to completion
 * @param task receives the task; submit it, or give it back with doca_task_free
 * States: RUNNING.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are in use; free some or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t
doca_cc_consumer_task_post_recv_alloc_init(struct doca_cc_consumer *consumer, struct doca_buf *buf,
					   struct doca_cc_consumer_task_post_recv **task);

/**
 * Buffer of a task.
 * @param task task; pointer not checked for NULL
 * States: the task is the program's.
 * Threads: one at a time per object and its engine.
 * @return the buffer
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE struct doca_buf *doca_cc_consumer_task_post_recv_get_buf(
	struct doca_cc_consumer_task_post_recv *task);

/**
 * Sets the buffer of a task.
 * @param task task; pointer not checked for NULL
 * @param buf buffer; the library's from submission to completion
 * States: the task is the program's.
 * Threads: one at a time per object and its engine.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE void doca_cc_consumer_task_post_recv_set_buf(
	struct doca_cc_consumer_task_post_recv *task, struct doca_buf *buf);

/**
 * Producer of the message that a task took.
 * @param task task; pointer not checked for NULL
 * States: completed.
 * Threads: one at a time per object and its engine.
 * @return the id; 0 if it took none
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE uint32_t
doca_cc_consumer_task_post_recv_get_producer_id(struct doca_cc_consumer_task_post_recv *task);

/**
 * General form of a task, to submit and free it.
 * @param task task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the task, NULL for NULL
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE struct doca_task *doca_cc_consumer_task_post_recv_as_task(
	struct doca_cc_consumer_task_post_recv *task);

#endif /* 2.6 */

/* Sizes and lengths are of type size_t in 2.5. */
#if DOCA_USE_VERSION < 206

/**
 * Largest message that a consumer takes.
 * @param devinfo description of the device; borrowed for the call
 * @param max_buf_size receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has none.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
							       size_t *max_buf_size)
	DOCA_BIND(doca_cc_consumer_cap_get_max_buf_size, 2_5);

#else

/**
 * Largest message that a consumer takes.
 * @param devinfo description of the device; borrowed for the call
 * @param max_buf_size receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has none.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
							       uint32_t *max_buf_size)
	DOCA_BIND(doca_cc_consumer_cap_get_max_buf_size, 2_6);

#endif
#ifdef __cplusplus
}
#endif

#endif
