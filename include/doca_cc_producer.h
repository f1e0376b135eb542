/*
 * Data-path producers of 2.5 and 2.6: the same as doca_comch_producer.h from 2.7 on, without
 * immediate data. doca_comch_producer.h describes the rules, and the errors of a send.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: the context is not in the state of the "States:" line, unless another
 *   code of the doc block applies.
 *
 * Threads: one thread at a time per producer and the engine that it is connected to. Capability
 * queries may be called from any thread.
 *
 * Reference: DOCA CC guide.
 *
 * Example: send a buffer. The producer is RUNNING and was configured with at least one task; the
 * consumer event of doca_cc.h provided the id.
 *
 *     #include <doca_pe.h>
 *
 *     doca_error_t send_to(struct doca_cc_producer *producer, uint32_t consumer_id,
 *                          struct doca_buf *data)
 *     {
 *         struct doca_cc_producer_task_send *task;
 *         doca_error_t result = doca_cc_producer_task_send_alloc_init(producer, data, consumer_id,
 *                                                                     &task);
 *
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         result = doca_task_submit(doca_cc_producer_task_send_as_task(task));
 *         if (result != DOCA_SUCCESS)
 *             doca_task_free(doca_cc_producer_task_send_as_task(task));
 *         return result;
 *     }
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

/*
 * Called when a message was sent or has failed, with the user data of the task and of the context.
 * Runs inside doca_pe_progress().
 */
typedef void (*doca_cc_producer_send_task_comp_handler)(struct doca_cc_producer_send_task *task,
							union doca_data task_user_data,
							union doca_data ctx_user_data);
#endif

#if DOCA_API_BETWEEN(206, 206)
struct doca_cc_producer_task_send; /* one message to send */

/*
 * Called when a message was sent or has failed, with the user data of the task and of the context.
 * Runs inside doca_pe_progress().
 */
typedef void (*doca_cc_producer_task_send_completion_cb_t)(struct doca_cc_producer_task_send *task,
							   union doca_data task_user_data,
							   union doca_data ctx_user_data);
#endif

/**
 * Creates a producer of a connection.
 * @param cc_connection established connection
 * @param producer receives the object; release it with doca_cc_producer_destroy
 * States: the connection is established.
 * Threads: any thread, also another one than the connection's, which may end the connection
 *   meanwhile. The connection of a client may be passed until the client is destroyed, the
 *   connection of a server until its disconnect callback returns: later the pointer belongs to
 *   another client or is freed.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory, or the connection already has
 *   doca_cc_producer_cap_get_max_producers() producers; destroy one first.
 * - DOCA_ERROR_BAD_STATE: the connection is not established yet or has ended.
 * - DOCA_ERROR_NOT_PERMITTED: the device does not support producers.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_producer_create(struct doca_cc_connection *cc_connection,
						 struct doca_cc_producer **producer);

/**
 * Destroys the producer and its context.
 * @param producer producer
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INITIALIZATION: the context is not IDLE; stop it and progress until it is.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_producer_destroy(struct doca_cc_producer *producer);

/**
 * Returns the context of a producer. To start it, the connection must be established (otherwise
 * DOCA_ERROR_NOT_CONNECTED, or DOCA_ERROR_CONNECTION_RESET if the peer died).
 * @param producer producer
 * @return the context, owned by the producer; NULL if producer is NULL
 * Since 2.5, until 2.6.
 */
DOCA_STABLE struct doca_ctx *doca_cc_producer_as_ctx(struct doca_cc_producer *producer);

#if DOCA_API_BETWEEN(205, 205)

/**
 * Checks whether a device can run producers. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support producers.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_cap_is_producer_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the logarithm to base 2 of the largest number of send tasks that one producer can have,
 * rounded down.
 * @param devinfo device to query
 * @param max_log_num_tasks receives the logarithm
 * @return DOCA_SUCCESS
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_producer_cap_get_max_log_num_tasks(
	const struct doca_devinfo *devinfo, size_t *max_log_num_tasks);

/**
 * Configures the send tasks of a producer: their callbacks and their number. Without this call none
 * can be allocated.
 * @param producer producer
 * @param task_completion_cb called for each message that was sent
 * @param task_error_cb called for each message that failed after a successful submission, which
 *   happens only for consumers on another machine; all other errors are returned by the submission
 * @param log_num_tasks logarithm to base 2 of the number of tasks, at most the result of
 *   doca_cc_producer_cap_get_max_log_num_tasks()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is out of range.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_producer_send_task_set_conf(
	struct doca_cc_producer *producer,
	doca_cc_producer_send_task_comp_handler task_completion_cb,
	doca_cc_producer_send_task_comp_handler task_error_cb, size_t log_num_tasks);

/**
 * Allocates a send task from the pool of a producer and sets its arguments.
 * @param producer producer
 * @param buf buffer whose data is the message; owned by the library from submission until the task
 *   completes
 * @param consumer_id id of a consumer of the peer, from the consumer event
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; progress and free some, or configure more.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t
doca_cc_producer_send_task_alloc_init(struct doca_cc_producer *producer, struct doca_buf *buf,
				      int consumer_id, struct doca_cc_producer_send_task **task);

/**
 * Returns the buffer of a task.
 * @param task send task; must not be NULL
 * States: the program owns the task.
 * @return the buffer of the task; may be NULL
 * In 2.5 only.
 */
DOCA_STABLE struct doca_buf *doca_cc_producer_send_task_get_buf(
	struct doca_cc_producer_send_task *task);

/**
 * Sets the buffer of a task.
 * @param task send task; must not be NULL
 * @param buf as in doca_cc_producer_send_task_alloc_init()
 * States: the program owns the task.
 * In 2.5 only.
 */
DOCA_STABLE void doca_cc_producer_send_task_set_buf(struct doca_cc_producer_send_task *task,
						    struct doca_buf *buf);

/**
 * Returns the consumer that a task sends to.
 * @param task send task; must not be NULL
 * States: the program owns the task.
 * @return consumer id
 * In 2.5 only.
 */
DOCA_STABLE int doca_cc_producer_send_task_get_consumer_id(struct doca_cc_producer_send_task *task);

/**
 * Sets the consumer that a task sends to.
 * @param task send task; must not be NULL
 * @param consumer_id id of a consumer of the peer, from the consumer event
 * States: the program owns the task.
 * In 2.5 only.
 */
DOCA_STABLE void doca_cc_producer_send_task_set_consumer_id(struct doca_cc_producer_send_task *task,
							    const int consumer_id);

/**
 * Returns a send task as a general task, for submission.
 * @param task send task; must not be NULL
 * @return the same task, never NULL
 * In 2.5 only.
 */
DOCA_STABLE struct doca_task *doca_cc_producer_send_task_as_task(
	struct doca_cc_producer_send_task *task);

#endif /* 2.5 */

#if DOCA_API_BETWEEN(206, 206)

/**
 * Checks whether a device can run producers. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support producers.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_producer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the id of a producer, which the peer's completed receives show for its messages.
 * @param producer producer
 * @param id receives the id; never 0, and unique among the producers of this end of the connection
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_producer_get_id(const struct doca_cc_producer *producer,
						 uint32_t *id);

/**
 * Gets the largest number of send tasks that one producer can have.
 * @param devinfo device to query
 * @param max_num_tasks receives the number
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
								uint32_t *max_num_tasks);

/**
 * Gets the largest number of producers of one end of a connection.
 * @param devinfo device to query
 * @param max_producers receives the number
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
								uint32_t *max_producers);

/**
 * Configures the send tasks of a producer: their callbacks and their number. Without this call none
 * can be allocated.
 * @param producer producer
 * @param task_completion_cb called for each message that was sent
 * @param task_error_cb called for each message that failed after a successful submission, which
 *   happens only for consumers on another machine; all other errors are returned by the submission
 * @param num_send_tasks number of tasks, from 1 to the result of
 *   doca_cc_producer_cap_get_max_num_tasks()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is out of range.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_producer_task_send_set_conf(
	struct doca_cc_producer *producer,
	doca_cc_producer_task_send_completion_cb_t task_completion_cb,
	doca_cc_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Allocates a send task from the pool of a producer and sets its arguments.
 * @param producer producer
 * @param buf buffer whose data is the message; owned by the library from submission until the task
 *   completes
 * @param consumer_id id of a consumer of the peer, from the consumer event
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; progress and free some, or configure more.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_producer_task_send_alloc_init(
	struct doca_cc_producer *producer, struct doca_buf *buf, uint32_t consumer_id,
	struct doca_cc_producer_task_send **task);

/**
 * Returns the buffer of a task.
 * @param task send task; must not be NULL
 * States: the program owns the task.
 * @return the buffer of the task; may be NULL
 * In 2.6 only.
 */
DOCA_STABLE struct doca_buf *doca_cc_producer_task_send_get_buf(
	struct doca_cc_producer_task_send *task);

/**
 * Replaces the buffer of a send task.
 * @param task send task; must not be NULL
 * @param buf as in doca_cc_producer_task_send_alloc_init()
 * States: the program owns the task.
 * In 2.6 only.
 */
DOCA_STABLE void doca_cc_producer_task_send_set_buf(struct doca_cc_producer_task_send *task,
						    struct doca_buf *buf);

/**
 * Returns the id of the consumer that a task sends to.
 * @param task send task; must not be NULL
 * States: the program owns the task.
 * @return consumer id
 * In 2.6 only.
 */
DOCA_STABLE uint32_t
doca_cc_producer_task_send_get_consumer_id(struct doca_cc_producer_task_send *task);

/**
 * Sets the consumer that a task sends to.
 * @param task send task; must not be NULL
 * @param consumer_id as in doca_cc_producer_task_send_alloc_init()
 * States: the program owns the task.
 * In 2.6 only.
 */
DOCA_STABLE void doca_cc_producer_task_send_set_consumer_id(struct doca_cc_producer_task_send *task,
							    const uint32_t consumer_id);

/**
 * Returns a send task as a general task, for submission.
 * @param task send task; must not be NULL
 * @return the same task, never NULL
 * In 2.6 only.
 */
DOCA_STABLE struct doca_task *doca_cc_producer_task_send_as_task(
	struct doca_cc_producer_task_send *task);

#endif /* 2.6 */

/* Sizes and lengths are of type size_t in 2.5. */
#if DOCA_USE_VERSION < 206

/**
 * Gets the size of the largest message.
 * @param devinfo device to query
 * @param max_buf_size receives the number of bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support producers.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
							       size_t *max_buf_size)
	DOCA_BIND(doca_cc_producer_cap_get_max_buf_size, 2_5);

#else

/**
 * Gets the size of the largest message.
 * @param devinfo device to query
 * @param max_buf_size receives the number of bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support producers.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
							       uint32_t *max_buf_size)
	DOCA_BIND(doca_cc_producer_cap_get_max_buf_size, 2_6);

#endif
#ifdef __cplusplus
}
#endif

#endif
