/*
 * Data-path consumers of 2.5 and 2.6: the same as doca_comch_consumer.h from 2.7 on, without
 * immediate data. doca_comch_consumer.h describes the rules.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: the context is not in the state of the "States:" line, unless another
 *   code of the doc block applies.
 *
 * Threads: one thread at a time per consumer and the engine that it is connected to. Capability
 * queries may be called from any thread.
 *
 * Reference: DOCA CC guide.
 *
 * Example: post a buffer. The consumer is RUNNING and was configured with at least one task.
 *
 *     #include <doca_pe.h>
 *
 *     doca_error_t post(struct doca_cc_consumer *consumer, struct doca_buf *empty)
 *     {
 *         struct doca_cc_consumer_task_post_recv *task;
 *         doca_error_t result = doca_cc_consumer_task_post_recv_alloc_init(consumer, empty, &task);
 *
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         result = doca_task_submit(doca_cc_consumer_task_post_recv_as_task(task));
 *         if (result != DOCA_SUCCESS)
 *             doca_task_free(doca_cc_consumer_task_post_recv_as_task(task));
 *         return result;
 *     }
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

/*
 * Called when a receive task has received a message or was flushed, with the user data of the task
 * and of the context. Runs inside doca_pe_progress().
 */
typedef void (*doca_cc_consumer_post_recv_task_comp_handler)(
	struct doca_cc_consumer_post_recv_task *task, union doca_data task_user_data,
	union doca_data ctx_user_data);
#endif

#if DOCA_API_BETWEEN(206, 206)
struct doca_cc_consumer_task_post_recv; /* one message to receive */

/*
 * Called when a receive task has received a message or was flushed, with the user data of the task
 * and of the context. Runs inside doca_pe_progress().
 */
typedef void (*doca_cc_consumer_task_post_recv_completion_cb_t)(
	struct doca_cc_consumer_task_post_recv *task, union doca_data task_user_data,
	union doca_data ctx_user_data);
#endif

/**
 * Creates a consumer of a connection.
 * @param cc_connection established connection
 * @param buf_mmap memory map that contains the buffers of all receives; a map of this process, with
 *   the connection's device and a permission to write. Start it before the consumer, and retain it
 *   until the consumer is IDLE again.
 * @param consumer receives the object; release it with doca_cc_consumer_destroy
 * States: the connection is established.
 * Threads: any thread, also another one than the connection's, which may end the connection
 *   meanwhile. The connection of a client may be passed until the client is destroyed, the
 *   connection of a server until its disconnect callback returns: later the pointer belongs to
 *   another client or is freed.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory, or the connection already has
 *   doca_cc_consumer_cap_get_max_consumers() consumers; destroy one first.
 * - DOCA_ERROR_BAD_STATE: the connection is not established yet or has ended.
 * - DOCA_ERROR_NOT_PERMITTED: the device does not support consumers.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_create(struct doca_cc_connection *cc_connection,
						 struct doca_mmap *buf_mmap,
						 struct doca_cc_consumer **consumer);

/**
 * Destroys the consumer and its context.
 * @param consumer consumer
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INITIALIZATION: the context is not IDLE; stop it and progress until it is.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_destroy(struct doca_cc_consumer *consumer);

/**
 * Gets the id by which the peer's producers send to a consumer. The id changes when the consumer is
 * started again after a stop.
 * @param consumer consumer
 * @param id receives the id; never 0, and unique among the consumers of this end of the connection
 * @return DOCA_SUCCESS
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_get_id(const struct doca_cc_consumer *consumer,
						 uint32_t *id);

/**
 * Returns the context of a consumer. To start it, the memory map must be started (otherwise
 * DOCA_ERROR_BAD_STATE) and the connection established (otherwise DOCA_ERROR_NOT_CONNECTED, or
 * DOCA_ERROR_CONNECTION_RESET if the peer died).
 * @param consumer consumer
 * @return the context, owned by the consumer; NULL if consumer is NULL
 * Since 2.5, until 2.6.
 */
DOCA_STABLE struct doca_ctx *doca_cc_consumer_as_ctx(struct doca_cc_consumer *consumer);

#if DOCA_API_BETWEEN(205, 205)

/**
 * Checks whether a device can run consumers. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support consumers.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_cap_is_consumer_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the logarithm to base 2 of the largest number of receive tasks that one consumer can have,
 * rounded down.
 * @param devinfo device to query
 * @param max_log_num_tasks receives the logarithm
 * @return DOCA_SUCCESS
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_cap_get_max_log_num_tasks(
	const struct doca_devinfo *devinfo, size_t *max_log_num_tasks);

/**
 * Configures the receive tasks of a consumer: their callbacks and their number. Without this call
 * none can be allocated.
 * @param consumer consumer
 * @param task_completion_cb called for each message that was received
 * @param task_error_cb called for each receive that was flushed; doca_task_get_status() returns the
 *   codes that doca_cc_consumer_task_post_recv_set_conf() of 2.6 lists
 * @param log_num_tasks logarithm to base 2 of the number of tasks, at most the result of
 *   doca_cc_consumer_cap_get_max_log_num_tasks()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is out of range.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_post_recv_task_set_conf(
	struct doca_cc_consumer *consumer,
	doca_cc_consumer_post_recv_task_comp_handler task_completion_cb,
	doca_cc_consumer_post_recv_task_comp_handler task_error_cb, size_t log_num_tasks);

/**
 * Allocates a receive task from the pool of a consumer and sets its buffer. Submitting the task
 * posts the receive. The submission fails with DOCA_ERROR_INVALID_VALUE if the buffer is a list or
 * not in the consumer's memory map.
 * @param consumer consumer
 * @param buf a message is appended to the buffer's data; owned by the library from submission until
 *   the task completes
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; progress and free some, or configure more.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t
doca_cc_consumer_post_recv_task_alloc_init(struct doca_cc_consumer *consumer, struct doca_buf *buf,
					   struct doca_cc_consumer_post_recv_task **task);

/**
 * Returns the buffer of a task.
 * @param task receive task; must not be NULL
 * States: the program owns the task.
 * @return the buffer of the task; may be NULL
 * In 2.5 only.
 */
DOCA_STABLE struct doca_buf *doca_cc_consumer_post_recv_task_get_buf(
	struct doca_cc_consumer_post_recv_task *task);

/**
 * Sets the buffer of a task.
 * @param task receive task; must not be NULL
 * @param buf as in doca_cc_consumer_post_recv_task_alloc_init()
 * States: the program owns the task.
 * In 2.5 only.
 */
DOCA_STABLE void doca_cc_consumer_post_recv_task_set_buf(
	struct doca_cc_consumer_post_recv_task *task, struct doca_buf *buf);

/**
 * Returns a receive task as a general task, for submission.
 * @param task receive task; must not be NULL
 * @return the same task, never NULL
 * In 2.5 only.
 */
DOCA_STABLE struct doca_task *doca_cc_consumer_post_recv_task_as_task(
	struct doca_cc_consumer_post_recv_task *task);

#endif /* 2.5 */

#if DOCA_API_BETWEEN(206, 206)

/**
 * Checks whether a device can run consumers. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support consumers.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the largest number of receive tasks that one consumer can have.
 * @param devinfo device to query
 * @param max_num_tasks receives the number
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
								uint32_t *max_num_tasks);

/**
 * Gets the largest number of consumers of one end of a connection.
 * @param devinfo device to query
 * @param max_consumers receives the number
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
								uint32_t *max_consumers);

/**
 * Configures the receive tasks of a consumer: their callbacks and their number. Without this call
 * none can be allocated.
 * @param consumer consumer
 * @param task_completion_cb called for each message that was received
 * @param task_error_cb called for each receive that was flushed. doca_task_get_status() returns
 *   DOCA_ERROR_SHUTDOWN after a stop, DOCA_ERROR_NOT_CONNECTED if the connection was closed, and
 *   DOCA_ERROR_CONNECTION_RESET if the peer died or violated the protocol.
 * @param num_post_recv_tasks number of tasks, from 1 to the result of
 *   doca_cc_consumer_cap_get_max_num_tasks()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is out of range.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_task_post_recv_set_conf(
	struct doca_cc_consumer *consumer,
	doca_cc_consumer_task_post_recv_completion_cb_t task_completion_cb,
	doca_cc_consumer_task_post_recv_completion_cb_t task_error_cb,
	uint32_t num_post_recv_tasks);

/**
 * Allocates a receive task from the pool of a consumer and sets its buffer. Submitting the task
 * posts the receive. The submission fails with DOCA_ERROR_INVALID_VALUE if the buffer is a list or
 * not in the consumer's memory map.
 * @param consumer consumer
 * @param buf a message is appended to the buffer's data; owned by the library from submission until
 *   the task completes
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; progress and free some, or configure more.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t
doca_cc_consumer_task_post_recv_alloc_init(struct doca_cc_consumer *consumer, struct doca_buf *buf,
					   struct doca_cc_consumer_task_post_recv **task);

/**
 * Returns the buffer of a receive task. After completion its data length includes the message.
 * @param task receive task; must not be NULL
 * States: the program owns the task.
 * @return the buffer of the task; may be NULL
 * In 2.6 only.
 */
DOCA_STABLE struct doca_buf *doca_cc_consumer_task_post_recv_get_buf(
	struct doca_cc_consumer_task_post_recv *task);

/**
 * Replaces the buffer of a receive task.
 * @param task receive task; must not be NULL
 * @param buf as in doca_cc_consumer_task_post_recv_alloc_init()
 * States: the program owns the task.
 * In 2.6 only.
 */
DOCA_STABLE void doca_cc_consumer_task_post_recv_set_buf(
	struct doca_cc_consumer_task_post_recv *task, struct doca_buf *buf);

/**
 * Returns the id of the producer that sent the received message.
 * @param task receive task; must not be NULL
 * States: completed.
 * @return id among the peer's producers; 0 if there was no message
 * In 2.6 only.
 */
DOCA_STABLE uint32_t
doca_cc_consumer_task_post_recv_get_producer_id(struct doca_cc_consumer_task_post_recv *task);

/**
 * Returns a receive task as a general task, for submission.
 * @param task receive task; must not be NULL
 * @return the same task, never NULL
 * In 2.6 only.
 */
DOCA_STABLE struct doca_task *doca_cc_consumer_task_post_recv_as_task(
	struct doca_cc_consumer_task_post_recv *task);

#endif /* 2.6 */

/* Sizes and lengths are of type size_t in 2.5. */
#if DOCA_USE_VERSION < 206

/**
 * Gets the size of the largest message. Room in a buffer beyond that size is not used.
 * @param devinfo device to query
 * @param max_buf_size receives the number of bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support consumers.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
							       size_t *max_buf_size)
	DOCA_BIND(doca_cc_consumer_cap_get_max_buf_size, 2_5);

#else

/**
 * Gets the size of the largest message. Room in a buffer beyond that size is not used.
 * @param devinfo device to query
 * @param max_buf_size receives the number of bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support consumers.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
							       uint32_t *max_buf_size)
	DOCA_BIND(doca_cc_consumer_cap_get_max_buf_size, 2_6);

#endif
#ifdef __cplusplus
}
#endif

#endif
