/*
 * Data-path producers: they send to the peer's consumers, over a connection of doca_comch.h.
 *
 * A producer belongs to one connection. Connect doca_comch_producer_as_ctx() to an engine and start
 * it; it is RUNNING at once. The consumer event of doca_comch.h provides the ids of the peer's
 * consumers, and each send names one of them. A message is written to the oldest free receive that
 * is posted there.
 *
 * A successful submission transfers the message to the peer; the task completes during progress. A
 * send to another machine can still fail after its submission. Its error callback then gets
 * DOCA_ERROR_CONNECTION_RESET or DOCA_ERROR_NOT_CONNECTED, and it is unknown whether the message
 * arrived.
 *
 * A submission that returns an error has not sent the message:
 *
 * - DOCA_ERROR_AGAIN: submit again later; the program need not progress in between. Either no
 *   receive is free, or a producer on another thread is claiming one. For the first messages to a
 *   consumer it also means that the path to the consumer is not set up yet, because the consumer is
 *   on another machine or this side's daemon does not answer.
 * - DOCA_ERROR_CONNECTION_RESET: the peer died; or the path to the consumer could not be set up
 *   within 10 s, and the next submission tries again.
 * - DOCA_ERROR_NOT_FOUND: the consumer has stopped or never existed.
 * - DOCA_ERROR_TOO_BIG: the posted buffer has too little room.
 * - DOCA_ERROR_INVALID_VALUE: the buffer is a list, its data section is invalid, its memory map
 *   does not have the connection's device, or the data or immediate data is larger than the device
 *   or the consumer accepts.
 * - DOCA_ERROR_NOT_PERMITTED: the memory of the buffer is not mapped here or may not be read.
 * - DOCA_ERROR_NOT_CONNECTED: the connection has ended.
 * - DOCA_ERROR_IO_FAILED: the posted buffer could not be written, or the exporter of the sent
 *   buffer's memory has stopped its map or ended.
 * - DOCA_ERROR_NOT_SUPPORTED: the posted buffer can be reached only through shared memory, and the
 *   message is too large for that.
 * - DOCA_ERROR_FULL: the consumer is on another machine, and its process serves no more producers;
 *   destroy one that reaches it, then submit again.
 *
 * A producer may use another engine and thread than its connection. Several producers may send to
 * one consumer at the same time. Stop and destroy producers before the connection.
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
 * Threads: one thread at a time per producer and the engine that it is connected to.
 *
 * Reference: DOCA Comch guide, data path.
 *
 * Example: send a buffer to a consumer of the peer. Before the start, the program configured the
 * send tasks with doca_comch_producer_task_send_set_conf() and connected the context to an engine,
 * as the example of doca_dma.h does.
 *
 *     #include <doca_pe.h>
 *
 *     doca_error_t send_to(struct doca_comch_producer *producer, uint32_t id,
 *                          const struct doca_buf *data)
 *     {
 *         struct doca_comch_producer_task_send *task;
 *         doca_error_t result = doca_comch_producer_task_send_alloc_init(producer, data, NULL, 0,
 *                                                                        id, &task);
 *
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         result = doca_task_submit(doca_comch_producer_task_send_as_task(task));
 *         if (result != DOCA_SUCCESS)
 *             doca_task_free(doca_comch_producer_task_send_as_task(task));
 *         return result;
 *     }
 */
#ifndef DOCA_COMCH_PRODUCER_H_
#define DOCA_COMCH_PRODUCER_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
#error "doca_comch_producer.h is there from 2.7 on: set DOCA_USE_VERSION to that or later; in 2.5 and 2.6 doca_cc_producer.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_comch_connection;         /* one connection, see doca_comch.h */
struct doca_comch_producer;           /* sending end of the data path */
struct doca_comch_producer_task_send; /* one message to send */
struct doca_comch_gpu_producer;       /* GPU only, not supported */
struct doca_dpa_completion;
struct doca_buf;
struct doca_ctx;
struct doca_devinfo;
struct doca_task;

/* Handle of a DPA data path. No call of this implementation returns one. */
typedef uint64_t doca_dpa_dev_comch_producer_t;

/*
 * Called when a message was sent or has failed, with the user data of the task and of the context.
 * Runs inside doca_pe_progress().
 */
typedef void (*doca_comch_producer_task_send_completion_cb_t)(
	struct doca_comch_producer_task_send *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Creates a producer of a connection.
 * @param comch_connection established connection
 * @param producer receives the object; release it with doca_comch_producer_destroy
 * States: the connection is established.
 * Threads: any thread, also another one than the connection's, which may end the connection
 *   meanwhile. The connection of a client may be passed until the client is destroyed, the
 *   connection of a server until its disconnect callback returns: later the pointer belongs to
 *   another client or is freed.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory, or the connection already has
 *   doca_comch_producer_cap_get_max_producers() producers; destroy one first.
 * - DOCA_ERROR_BAD_STATE: the connection is not established yet or has ended.
 * - DOCA_ERROR_NOT_PERMITTED: the device does not support producers.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
						    struct doca_comch_producer **producer);

/**
 * Destroys the producer and its context.
 * @param producer producer
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INITIALIZATION: the context is not IDLE; stop it and progress until it is.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer);

/**
 * Checks whether a device can run producers. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support producers.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the id of a producer, which the peer's completed receives show for its messages.
 * @param producer producer
 * @param id receives the id; never 0, and unique among the producers of this end of the connection
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer,
						    uint32_t *id);

/**
 * Gets the largest number of send tasks that one producer can have.
 * @param devinfo device to query
 * @param max_num_tasks receives the number
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_producer_cap_get_max_num_tasks(
	const struct doca_devinfo *devinfo, uint32_t *max_num_tasks);

/**
 * Gets the size of the largest message.
 * @param devinfo device to query
 * @param max_buf_size receives the number of bytes; 2 MiB if the device's limit is 1 GiB or
 *   more, because programs allocate buffers of this size
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support producers.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_producer_cap_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_size);

/**
 * Gets the largest number of elements in the buffer list of one send.
 * @param devinfo device to query
 * @param max_buf_list_len receives the number of elements; 1 if lists are not supported
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support producers.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_producer_cap_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Gets the largest number of producers of one end of a connection.
 * @param devinfo device to query
 * @param max_producers receives the number
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_producer_cap_get_max_producers(
	const struct doca_devinfo *devinfo, uint32_t *max_producers);

/**
 * Returns the context of a producer. To start it, the connection must be established (otherwise
 * DOCA_ERROR_NOT_CONNECTED, or DOCA_ERROR_CONNECTION_RESET if the peer died).
 * @param producer producer
 * @return the context, owned by the producer; NULL if producer is NULL
 * Since 2.7.
 */
DOCA_STABLE struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer);

/**
 * DPA: sets the number of sends that code on the DPA can submit.
 * @param producer producer
 * @param dev_num_send number of sends
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_producer_set_dev_max_num_send(
	struct doca_comch_producer *producer, uint32_t dev_num_send);

/**
 * DPA: attaches a completion object to a producer.
 * @param producer producer
 * @param dpa_comp DPA completion
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_producer_dpa_completion_attach(
	struct doca_comch_producer *producer, struct doca_dpa_completion *dpa_comp);

/**
 * DPA: gets the handle of a producer.
 * @param producer producer
 * @param dpa_producer not written
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_producer_get_dpa_handle(
	struct doca_comch_producer *producer, doca_dpa_dev_comch_producer_t *dpa_producer);

/**
 * GPU: gets the handle of a producer.
 * @param producer producer
 * @param gpu_producer not written
 * @return one of these errors:
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 3.2.
 */
DOCA_STABLE doca_error_t doca_comch_producer_get_gpu_handle(
	struct doca_comch_producer *producer, struct doca_comch_gpu_producer **gpu_producer);

/**
 * Configures the send tasks of a producer: their callbacks and their number. Without this call none
 * can be allocated.
 * @param producer producer
 * @param task_completion_cb called for each message that was sent
 * @param task_error_cb called for each message that failed after a successful submission, which
 *   happens only for consumers on another machine; all other errors are returned by the submission
 * @param num_send_tasks number of tasks, from 1 to the result of
 *   doca_comch_producer_cap_get_max_num_tasks()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is out of range.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_producer_task_send_set_conf(
	struct doca_comch_producer *producer,
	doca_comch_producer_task_send_completion_cb_t task_completion_cb,
	doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Allocates a send task from the pool of a producer and sets its arguments.
 * @param producer producer
 * @param buf buffer whose data is the message; owned by the library from submission until the task
 *   completes. If NULL, the message consists of immediate data only.
 * @param imm_data immediate data; copied into the task. NULL for none.
 * @param imm_data_len bytes; the submission checks that the consumer accepts them
 * @param consumer_id id of a consumer of the peer, from the consumer event
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: there is more immediate data than
 *   doca_comch_consumer_cap_get_max_imm_data_len allows.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; progress and free some, or configure more.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_producer_task_send_alloc_init(
	struct doca_comch_producer *producer, const struct doca_buf *buf, uint8_t *imm_data,
	uint32_t imm_data_len, uint32_t consumer_id, struct doca_comch_producer_task_send **task);

/**
 * Returns the buffer of a send task.
 * @param task send task; must not be NULL
 * @return the buffer of the task; may be NULL
 * Since 2.7.
 */
DOCA_STABLE const struct doca_buf *doca_comch_producer_task_send_get_buf(
	const struct doca_comch_producer_task_send *task);

/**
 * Replaces the buffer of a send task.
 * @param task send task; must not be NULL
 * @param buf as in doca_comch_producer_task_send_alloc_init()
 * States: the program owns the task.
 * Since 2.7.
 */
DOCA_STABLE void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
						       const struct doca_buf *buf);

/**
 * Returns the id of the consumer that a task sends to.
 * @param task send task; must not be NULL
 * @return consumer id
 * Since 2.7.
 */
DOCA_STABLE uint32_t
doca_comch_producer_task_send_get_consumer_id(const struct doca_comch_producer_task_send *task);

/**
 * Sets the consumer that a task sends to.
 * @param task send task; must not be NULL
 * @param consumer_id as in doca_comch_producer_task_send_alloc_init()
 * States: the program owns the task.
 * Since 2.7.
 */
DOCA_STABLE void doca_comch_producer_task_send_set_consumer_id(
	struct doca_comch_producer_task_send *task, const uint32_t consumer_id);

/**
 * Returns the immediate data of a task.
 * @param task send task; must not be NULL
 * @return the task's copy; NULL if there is none
 * Since 2.7.
 */
DOCA_STABLE uint8_t *doca_comch_producer_task_send_get_imm_data(
	const struct doca_comch_producer_task_send *task);

/**
 * Returns the size of the immediate data of a task.
 * @param task send task; must not be NULL
 * @return number of bytes; 0 if there is none
 * Since 2.7.
 */
DOCA_STABLE uint32_t
doca_comch_producer_task_send_get_imm_data_len(const struct doca_comch_producer_task_send *task);

/**
 * Replaces the immediate data of a task. A submission with too much of it fails.
 * @param task send task; must not be NULL
 * @param imm_data copied into the task; NULL for none
 * @param imm_data_len bytes
 * States: the program owns the task.
 * Since 2.7.
 */
DOCA_STABLE void doca_comch_producer_task_send_set_imm_data(
	struct doca_comch_producer_task_send *task, uint8_t *imm_data, uint32_t imm_data_len);

/**
 * Returns a send task as a general task, for submission.
 * @param task send task; must not be NULL
 * @return the same task, never NULL
 * Since 2.7.
 */
DOCA_STABLE struct doca_task *doca_comch_producer_task_send_as_task(
	struct doca_comch_producer_task_send *task);

#ifdef __cplusplus
}
#endif

#endif
