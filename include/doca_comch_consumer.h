/*
 * Data-path consumers: they receive into the program's own buffers, over a connection of
 * doca_comch.h.
 *
 * A consumer belongs to one connection and one memory map. Configure it, connect
 * doca_comch_consumer_as_ctx() to an engine, and start it. doca_ctx_start() returns
 * DOCA_ERROR_IN_PROGRESS, and the next doca_pe_progress() makes it RUNNING. The peer learns the
 * consumer's id from the consumer event of doca_comch.h. Then post receive tasks. Each receives one
 * message of any producer of the peer and appends its payload to the task's buffer. Receive tasks
 * are filled in the order in which they were posted.
 *
 * A stop flushes the posted receives: they complete through the error callback. A receive that a
 * producer is writing to at that moment completes first. When the connection ends, the consumer
 * delivers the messages that had arrived, flushes the other receives, and stops by itself. Stop and
 * destroy the consumer before the connection, so that the program controls the end. A consumer may
 * use another engine and thread than its connection. It then notices the end of the connection only
 * when the engine of the server or client is progressed.
 *
 * Short payloads pass through memory that both sides share. Longer ones are written directly into
 * the posted buffer if the sender can reach the buffer's memory, and otherwise pass through shared
 * memory, too. If the buffer's memory comes from dococ_mem_alloc(), a sender on the same machine
 * needs one copy and no system call.
 *
 * The DPA and GPU functions are declared for completeness and never succeed: there is neither a DPA
 * nor a GPU data path.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: the context is not in the state of the "States:" line, unless another
 *   code of the doc block applies.
 *
 * Threads: one thread at a time per consumer and the engine that it is connected to.
 *
 * Reference: DOCA Comch guide, data path.
 *
 * Example: post an empty buffer to a consumer that is RUNNING. Before the start, the program
 * configured the receive tasks with doca_comch_consumer_task_post_recv_set_conf() and connected the
 * context to an engine, as the example of doca_dma.h does.
 *
 *     #include <doca_pe.h>
 *
 *     doca_error_t post(struct doca_comch_consumer *consumer, struct doca_buf *empty)
 *     {
 *         struct doca_comch_consumer_task_post_recv *task;
 *         doca_error_t result = doca_comch_consumer_task_post_recv_alloc_init(consumer, empty,
 *                                                                             &task);
 *
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         result = doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));
 *         if (result != DOCA_SUCCESS)
 *             doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
 *         return result;
 *     }
 */
#ifndef DOCA_COMCH_CONSUMER_H_
#define DOCA_COMCH_CONSUMER_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
#error "doca_comch_consumer.h is there from 2.7 on: set DOCA_USE_VERSION to that or later; in 2.5 and 2.6 doca_cc_consumer.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_comch_connection;              /* one connection, see doca_comch.h */
struct doca_comch_consumer;                /* receiving end of the data path */
struct doca_comch_consumer_completion;     /* DPA only, not supported */
struct doca_comch_consumer_task_post_recv; /* one message to receive */
struct doca_comch_gpu_consumer;            /* GPU only, not supported */
struct doca_dpa_thread;
struct doca_buf;
struct doca_ctx;
struct doca_devinfo;
struct doca_mmap;
struct doca_task;

/* Handles of a DPA data path. No call of this implementation returns one. */
typedef uint64_t doca_dpa_dev_comch_consumer_completion_t;
typedef uint64_t doca_dpa_dev_comch_consumer_t;

/*
 * Called when a receive task has received a message or was flushed, with the user data of the task
 * and of the context. Runs inside doca_pe_progress().
 */
typedef void (*doca_comch_consumer_task_post_recv_completion_cb_t)(
	struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Creates a consumer of a connection.
 * @param comch_connection established connection
 * @param buf_mmap memory map that contains the buffers of all receives; a map of this process, with
 *   the connection's device and a permission to write. Start it before the consumer, and retain it
 *   until the consumer is IDLE again.
 * @param consumer receives the object; release it with doca_comch_consumer_destroy
 * States: the connection is established.
 * Threads: any thread, also another one than the connection's, which may end the connection
 *   meanwhile. The connection of a client may be passed until the client is destroyed, the
 *   connection of a server until its disconnect callback returns: later the pointer belongs to
 *   another client or is freed.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory, or the connection already has
 *   doca_comch_consumer_cap_get_max_consumers() consumers; destroy one first.
 * - DOCA_ERROR_BAD_STATE: the connection is not established yet or has ended.
 * - DOCA_ERROR_NOT_PERMITTED: the device does not support consumers.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
						    struct doca_mmap *buf_mmap,
						    struct doca_comch_consumer **consumer);

/**
 * Destroys the consumer and its context.
 * @param consumer consumer
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INITIALIZATION: the context is not IDLE; stop it and progress until it is.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer);

/**
 * Checks whether a device can run consumers. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support consumers.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the id by which the peer's producers send to a consumer. The id changes when the consumer is
 * started again after a stop.
 * @param consumer consumer
 * @param id receives the id; never 0, and unique among the consumers of this end of the connection
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer,
						    uint32_t *id);

/**
 * Gets the largest number of receive tasks that one consumer can have.
 * @param devinfo device to query
 * @param max_num_tasks receives the number
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_get_max_num_tasks(
	const struct doca_devinfo *devinfo, uint32_t *max_num_tasks);

/**
 * Gets the size of the largest message. Room in a buffer beyond that size is not used.
 * @param devinfo device to query
 * @param max_buf_size receives the number of bytes; 2 MiB if the device's limit is 1 GiB or
 *   more, because programs allocate buffers of this size
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support consumers.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_size);

/**
 * Gets the largest number of elements in the buffer list of one receive.
 * @param devinfo device to query
 * @param max_buf_list_len receives the number of elements; 1 if lists are not supported
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support consumers.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Gets the largest number of consumers of one end of a connection.
 * @param devinfo device to query
 * @param max_consumers receives the number
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_get_max_consumers(
	const struct doca_devinfo *devinfo, uint32_t *max_consumers);

/**
 * Gets the largest size of the immediate data of a message that the device supports.
 * @param devinfo device to query
 * @param max_imm_data_len receives the number of bytes
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(
	const struct doca_devinfo *devinfo, uint32_t *max_imm_data_len);

/**
 * Gets the largest size of the immediate data that a consumer accepts: the configured one, or by
 * default 32 bytes or the device's maximum, whichever is less.
 * @param consumer consumer
 * @param imm_data_len receives the number of bytes
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_get_imm_data_len(
	const struct doca_comch_consumer *consumer, uint32_t *imm_data_len);

/**
 * Sets the largest size of the immediate data that a consumer accepts. The submission of a message
 * with more fails at the sender.
 * @param consumer consumer
 * @param imm_data_len bytes, up to the result of doca_comch_consumer_cap_get_max_imm_data_len()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the length is out of range.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer,
							      uint32_t imm_data_len);

/**
 * Returns the context of a consumer. To start it, the memory map must be started (otherwise
 * DOCA_ERROR_BAD_STATE) and the connection established (otherwise DOCA_ERROR_NOT_CONNECTED, or
 * DOCA_ERROR_CONNECTION_RESET if the peer died).
 * @param consumer consumer
 * @return the context, owned by the consumer; NULL if consumer is NULL
 * Since 2.7.
 */
DOCA_STABLE struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer);

/**
 * DPA: creates a completion object.
 * @param consumer_comp not written
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_comch_consumer_completion_create(struct doca_comch_consumer_completion **consumer_comp);

/**
 * DPA: sets the thread that a completion object wakes.
 * @param consumer_comp completion object; none can exist
 * @param dpa_thread DPA thread
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_completion_set_dpa_thread(
	struct doca_comch_consumer_completion *consumer_comp, struct doca_dpa_thread *dpa_thread);

/**
 * DPA: destroys a completion object.
 * @param consumer_comp completion object; none can exist
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion *consumer_comp);

/**
 * DPA: starts a completion object.
 * @param consumer_comp completion object; none can exist
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_comch_consumer_completion_start(struct doca_comch_consumer_completion *consumer_comp);

/**
 * DPA: stops a completion object.
 * @param consumer_comp completion object; none can exist
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion *consumer_comp);

/**
 * DPA: gets the handle of a completion object.
 * @param consumer_comp completion object; none can exist
 * @param consumer_comp_handle not written
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_completion_get_dpa_handle(
	struct doca_comch_consumer_completion *consumer_comp,
	doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle);

/**
 * DPA: sets the number of consumers that a completion object serves.
 * @param consumer_comp completion object; none can exist
 * @param max_num_consumers number of consumers
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers);

/**
 * DPA: gets the number of consumers that a completion object serves.
 * @param consumer_comp completion object; none can exist
 * @param max_num_consumers not written
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers);

/**
 * DPA: sets the number of receives that a completion object serves.
 * @param consumer_comp completion object; none can exist
 * @param max_num_recv number of receives
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_completion_set_max_num_recv(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv);

/**
 * DPA: gets the number of receives that a completion object serves.
 * @param consumer_comp completion object; none can exist
 * @param max_num_recv not written
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_completion_get_max_num_recv(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv);

/**
 * DPA: sets the size of the immediate data of a completion object.
 * @param consumer_comp completion object; none can exist
 * @param imm_data_len bytes
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_completion_set_imm_data_len(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len);

/**
 * DPA: gets the size of the immediate data of a completion object.
 * @param consumer_comp completion object; none can exist
 * @param imm_data_len not written
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_completion_get_imm_data_len(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len);

/**
 * DPA: sets the number of receives that code on the DPA can post.
 * @param consumer consumer
 * @param dev_num_recv number of receives
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_set_dev_max_num_recv(
	struct doca_comch_consumer *consumer, uint32_t dev_num_recv);

/**
 * DPA: sets the completion object of a consumer.
 * @param consumer consumer
 * @param consumer_comp completion object; none can exist
 * @param user_data user data of the completions
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_set_completion(
	struct doca_comch_consumer *consumer, struct doca_comch_consumer_completion *consumer_comp,
	uint32_t user_data);

/**
 * DPA: gets the handle of a consumer.
 * @param consumer consumer
 * @param dpa_consumer not written
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_get_dpa_handle(
	struct doca_comch_consumer *consumer, doca_dpa_dev_comch_consumer_t *dpa_consumer);

/**
 * GPU: gets the handle of a consumer.
 * @param consumer consumer
 * @param gpu_consumer not written
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 3.2.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_get_gpu_handle(
	struct doca_comch_consumer *consumer, struct doca_comch_gpu_consumer **gpu_consumer);

/**
 * Configures the receive tasks of a consumer: their callbacks and their number. Without this call
 * none can be allocated.
 * @param consumer consumer
 * @param task_completion_cb called for each message that was received
 * @param task_error_cb called for each receive that was flushed. doca_task_get_status() returns
 *   DOCA_ERROR_SHUTDOWN after a stop, DOCA_ERROR_NOT_CONNECTED if the connection was closed, and
 *   DOCA_ERROR_CONNECTION_RESET if the peer died or violated the protocol.
 * @param num_post_recv_tasks number of tasks, from 1 to the result of
 *   doca_comch_consumer_cap_get_max_num_tasks()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is out of range.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_task_post_recv_set_conf(
	struct doca_comch_consumer *consumer,
	doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
	doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb,
	uint32_t num_post_recv_tasks);

/**
 * Allocates a receive task from the pool of a consumer and sets its buffer. Submitting the task
 * posts the receive. The submission fails with DOCA_ERROR_INVALID_VALUE if the buffer is a list or
 * not in the consumer's memory map.
 * @param consumer consumer
 * @param buf a message is appended to the buffer's data; owned by the library from submission until
 *   the task completes. If NULL, the task receives only messages that consist of immediate data.
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; progress and free some, or configure more.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_task_post_recv_alloc_init(
	struct doca_comch_consumer *consumer, struct doca_buf *buf,
	struct doca_comch_consumer_task_post_recv **task);

/**
 * Returns the buffer of a receive task. After completion its data length includes the message.
 * @param task receive task; must not be NULL
 * @return the buffer of the task; may be NULL
 * Since 2.7.
 */
DOCA_STABLE struct doca_buf *doca_comch_consumer_task_post_recv_get_buf(
	const struct doca_comch_consumer_task_post_recv *task);

/**
 * Replaces the buffer of a receive task.
 * @param task receive task; must not be NULL
 * @param buf as in doca_comch_consumer_task_post_recv_alloc_init()
 * States: the program owns the task.
 * Since 2.7.
 */
DOCA_STABLE void doca_comch_consumer_task_post_recv_set_buf(
	struct doca_comch_consumer_task_post_recv *task, struct doca_buf *buf);

/**
 * Returns the id of the producer that sent the received message.
 * @param task receive task; must not be NULL
 * States: completed.
 * @return id among the peer's producers; 0 if there was no message
 * Since 2.7.
 */
DOCA_STABLE uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
	const struct doca_comch_consumer_task_post_recv *task);

/**
 * Returns the immediate data of the received message.
 * @param task receive task; must not be NULL
 * States: completed.
 * @return the bytes, owned by the task until it is freed or submitted again; NULL if there are none
 * Since 2.7.
 */
DOCA_STABLE const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
	const struct doca_comch_consumer_task_post_recv *task);

/**
 * Returns the size of the immediate data of the received message.
 * @param task receive task; must not be NULL
 * States: completed.
 * @return number of bytes; 0 if there are none
 * Since 2.7.
 */
DOCA_STABLE uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
	const struct doca_comch_consumer_task_post_recv *task);

/**
 * Returns a receive task as a general task, for submission.
 * @param task receive task; must not be NULL
 * @return the same task, never NULL
 * Since 2.7.
 */
DOCA_STABLE struct doca_task *doca_comch_consumer_task_post_recv_as_task(
	struct doca_comch_consumer_task_post_recv *task);

#ifdef __cplusplus
}
#endif

#endif
