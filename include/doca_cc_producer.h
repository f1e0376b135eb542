/*
 * Data-path producers of 2.5 and 2.6: what doca_comch_producer.h is from 2.7 on, where its rules
 * are written down, without immediate data.
 *
 * Threads: one thread at a time per producer with the engine it is connected to.
 */
#ifndef DOCA_CC_PRODUCER_H_
#define DOCA_CC_PRODUCER_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if !DOCA_API_BETWEEN(205, 206)
#error "doca_cc_producer.h is there in 2.5 and 2.6: set DOCA_USE_VERSION to one of them; it is doca_comch_producer.h from 2.7 on, and doca_comm_channel.h before"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_cc_connection; /* one client at one server, see doca_cc.h */
struct doca_cc_producer;   /* sending end of the data path */
struct doca_buf;
struct doca_ctx;
struct doca_devinfo;
struct doca_task;

#if DOCA_API_BETWEEN(205, 205)
struct doca_cc_producer_send_task; /* one message to send */

/* Told of a sent or failed message, with the data of the task and of the context. */
typedef void (*doca_cc_producer_send_task_comp_handler)(struct doca_cc_producer_send_task *task,
							union doca_data task_user_data,
							union doca_data ctx_user_data);
#endif

#if DOCA_API_BETWEEN(206, 206)
struct doca_cc_producer_task_send; /* one message to send */

/* Told of a sent or failed message, with the data of the task and of the context. */
typedef void (*doca_cc_producer_task_send_completion_cb_t)(struct doca_cc_producer_task_send *task,
							   union doca_data task_user_data,
							   union doca_data ctx_user_data);
#endif

/**
 * Makes a producer.
 * @param cc_connection connection
 * @param producer receives the object; give it back with doca_cc_producer_destroy
 * States: the connection stands.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_BAD_STATE: the connection does not stand.
 * - DOCA_ERROR_NOT_PERMITTED: the connection has as many as the device allows.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_producer_create(struct doca_cc_connection *cc_connection,
						 struct doca_cc_producer **producer);

/**
 * Frees a producer.
 * @param producer producer
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the argument is NULL.
 * - DOCA_ERROR_IN_USE: the context is not IDLE; stop it and progress.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_producer_destroy(struct doca_cc_producer *producer);

/**
 * Context of the object, to start and stop it and connect it to a progress engine.
 * @param producer producer
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the context, NULL for NULL
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE struct doca_ctx *doca_cc_producer_as_ctx(struct doca_cc_producer *producer);

#if DOCA_API_BETWEEN(205, 205)

/**
 * Does the device support producers?
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: it does not.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_cap_is_producer_supported(const struct doca_devinfo *devinfo);

/**
 * Most tasks, as a power of two.
 * @param devinfo description of the device; borrowed for the call
 * @param max_log_num_tasks receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_producer_cap_get_max_log_num_tasks(
	const struct doca_devinfo *devinfo, size_t *max_log_num_tasks);

/**
 * Configures send tasks.
 * @param producer producer
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
DOCA_STABLE doca_error_t doca_cc_producer_send_task_set_conf(
	struct doca_cc_producer *producer,
	doca_cc_producer_send_task_comp_handler task_completion_cb,
	doca_cc_producer_send_task_comp_handler task_error_cb, size_t log_num_tasks);

/**
 * Takes a send task from the pool.
 * @param producer producer
 * @param buf buffer; the library's from submission to completion
 * @param consumer_id consumer of the peer, as its event told
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
doca_cc_producer_send_task_alloc_init(struct doca_cc_producer *producer, struct doca_buf *buf,
				      int consumer_id, struct doca_cc_producer_send_task **task);

/**
 * Buffer of a task.
 * @param task task; pointer not checked for NULL
 * States: the task is the program's.
 * Threads: one at a time per object and its engine.
 * @return the buffer
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE struct doca_buf *doca_cc_producer_send_task_get_buf(
	struct doca_cc_producer_send_task *task);

/**
 * Sets the buffer of a task.
 * @param task task; pointer not checked for NULL
 * @param buf buffer; the library's from submission to completion
 * States: the task is the program's.
 * Threads: one at a time per object and its engine.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE void doca_cc_producer_send_task_set_buf(struct doca_cc_producer_send_task *task,
						    struct doca_buf *buf);

/**
 * Consumer that a task sends to.
 * @param task task; pointer not checked for NULL
 * States: the task is the program's.
 * Threads: one at a time per object and its engine.
 * @return the id
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE int doca_cc_producer_send_task_get_consumer_id(struct doca_cc_producer_send_task *task);

/**
 * Sets the consumer that a task sends to.
 * @param task task; pointer not checked for NULL
 * @param consumer_id consumer of the peer, as its event told
 * States: the task is the program's.
 * Threads: one at a time per object and its engine.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE void doca_cc_producer_send_task_set_consumer_id(struct doca_cc_producer_send_task *task,
							    const int consumer_id);

/**
 * General form of a task, to submit and free it.
 * @param task task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the task, NULL for NULL
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE struct doca_task *doca_cc_producer_send_task_as_task(
	struct doca_cc_producer_send_task *task);

#endif /* 2.5 */

#if DOCA_API_BETWEEN(206, 206)

/**
 * Does the device support producers?
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: it does not.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_producer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * Id of the object, as the peer sees it.
 * @param producer producer
 * @param id receives the id
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_producer_get_id(const struct doca_cc_producer *producer,
						 uint32_t *id);

/**
 * Most tasks.
 * @param devinfo description of the device; borrowed for the call
 * @param max_num_tasks receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
								uint32_t *max_num_tasks);

/**
 * Most producers of one connection.
 * @param devinfo description of the device; borrowed for the call
 * @param max_producers receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
								uint32_t *max_producers);

/**
 * Configures send tasks.
 * @param producer producer
 * @param task_completion_cb called for a task that succeeded
 * @param task_error_cb called for one that failed
 * @param num_send_tasks number of tasks
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the number is more than the device allows.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_producer_task_send_set_conf(
	struct doca_cc_producer *producer,
	doca_cc_producer_task_send_completion_cb_t task_completion_cb,
	doca_cc_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Takes a send task from the pool.
 * @param producer producer
 * @param buf buffer; the library's from submission to completion
 * @param consumer_id consumer of the peer, as its event told
 * @param task receives the task; submit it, or give it back with doca_task_free
 * States: RUNNING.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are in use; free some or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_producer_task_send_alloc_init(
	struct doca_cc_producer *producer, struct doca_buf *buf, uint32_t consumer_id,
	struct doca_cc_producer_task_send **task);

/**
 * Buffer of a task.
 * @param task task; pointer not checked for NULL
 * States: the task is the program's.
 * Threads: one at a time per object and its engine.
 * @return the buffer
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE struct doca_buf *doca_cc_producer_task_send_get_buf(
	struct doca_cc_producer_task_send *task);

/**
 * Sets the buffer of a task.
 * @param task task; pointer not checked for NULL
 * @param buf buffer; the library's from submission to completion
 * States: the task is the program's.
 * Threads: one at a time per object and its engine.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE void doca_cc_producer_task_send_set_buf(struct doca_cc_producer_task_send *task,
						    struct doca_buf *buf);

/**
 * Consumer that a task sends to.
 * @param task task; pointer not checked for NULL
 * States: the task is the program's.
 * Threads: one at a time per object and its engine.
 * @return the id
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE uint32_t
doca_cc_producer_task_send_get_consumer_id(struct doca_cc_producer_task_send *task);

/**
 * Sets the consumer that a task sends to.
 * @param task task; pointer not checked for NULL
 * @param consumer_id consumer of the peer, as its event told
 * States: the task is the program's.
 * Threads: one at a time per object and its engine.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE void doca_cc_producer_task_send_set_consumer_id(struct doca_cc_producer_task_send *task,
							    const uint32_t consumer_id);

/**
 * General form of a task, to submit and free it.
 * @param task task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the task, NULL for NULL
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE struct doca_task *doca_cc_producer_task_send_as_task(
	struct doca_cc_producer_task_send *task);

#endif /* 2.6 */

/* Sizes and lengths are of type size_t in 2.5. */
#if DOCA_USE_VERSION < 206

/**
 * Largest message that a producer sends.
 * @param devinfo description of the device; borrowed for the call
 * @param max_buf_size receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has none.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
							       size_t *max_buf_size)
	DOCA_BIND(doca_cc_producer_cap_get_max_buf_size, 2_5);

#else

/**
 * Largest message that a producer sends.
 * @param devinfo description of the device; borrowed for the call
 * @param max_buf_size receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has none.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
							       uint32_t *max_buf_size)
	DOCA_BIND(doca_cc_producer_cap_get_max_buf_size, 2_6);

#endif
#ifdef __cplusplus
}
#endif

#endif
