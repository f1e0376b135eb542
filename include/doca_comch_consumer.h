/*
 * Data-path consumers: receives into the program's own buffers, over a connection of doca_comch.
 *
 * A consumer belongs to one connection and one memory map. Configure it, connect
 * doca_comch_consumer_as_ctx to an engine and start it: start gives DOCA_ERROR_IN_PROGRESS, the
 * next progress makes it RUNNING, and the peer is told its id by the consumer event of
 * doca_comch.h. Post receives; each takes one message of any producer of the peer, whose payload is
 * appended to the receive's buffer. Receives are filled in the order in which they were posted.
 *
 * Stopping flushes posted receives through the error callback; one that a producer is writing to at
 * that moment completes first. When the connection ends, the consumer delivers what had arrived,
 * flushes the rest and stops by itself. Stop and destroy it before the connection: then the end is
 * in the program's hands. A consumer may live on another engine and thread than its connection, but
 * it learns of the connection's end only while the server's or client's engine is progressed.
 *
 * Where payloads go: short ones pass through memory that both sides share; longer ones are written
 * straight into the posted buffer when its memory can be reached (allocate it with dococ_mem_alloc
 * for one plain copy), else through shared memory as well.
 *
 * Threads: one thread at a time per consumer with the engine it is connected to.
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

struct doca_comch_connection;              /* one client at one server, see doca_comch.h */
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

/* Handles of a DPA data path; nothing here makes one. */
typedef uint64_t doca_dpa_dev_comch_consumer_completion_t;
typedef uint64_t doca_dpa_dev_comch_consumer_t;

/*
 * Told of a receive that took a message, or that was flushed, with the data of the task and of the
 * context. Runs inside doca_pe_progress.
 */
typedef void (*doca_comch_consumer_task_post_recv_completion_cb_t)(
	struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Makes a consumer of a connection.
 * @param comch_connection connection that stands
 * @param buf_mmap memory in which all receives' buffers lie; of this process, with the connection's
 * device and a right to write; started before the consumer is, and kept until that is idle again
 * @param consumer receives it; give it back with doca_comch_consumer_destroy
 * States: the connection stands.
 * Threads: any, also another than the connection's, which may end the connection meanwhile. A
 *   client's connection may be named until the client is destroyed, a server's until its disconnect
 *   callback returns: later it is another client's, or freed.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory, or the connection has as many consumers as
 *   doca_comch_consumer_cap_get_max_consumers allows; destroy one first.
 * - DOCA_ERROR_BAD_STATE: the connection does not stand yet or has ended.
 * - DOCA_ERROR_NOT_PERMITTED: the device has no consumers.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
						    struct doca_mmap *buf_mmap,
						    struct doca_comch_consumer **consumer);

/**
 * Frees a consumer with its context.
 * @param consumer consumer
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: consumer is NULL.
 * - DOCA_ERROR_INITIALIZATION: the context is not IDLE; stop it and progress until it is.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer);

/**
 * Can a device carry consumers? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it cannot.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * The id by which the peer's producers send to a consumer. It changes when the consumer is started
 * again after a stop.
 * @param consumer consumer
 * @param id receives it; never 0, and no other consumer of this end of the connection has it
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer,
						    uint32_t *id);

/**
 * Most receive tasks that one consumer can have.
 * @param devinfo description of the device; borrowed for the call
 * @param max_num_tasks receives the number
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_get_max_num_tasks(
	const struct doca_devinfo *devinfo, uint32_t *max_num_tasks);

/**
 * Longest message; what a buffer has room for beyond that is not used.
 * @param devinfo description of the device; borrowed for the call
 * @param max_buf_size receives the bytes
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no consumers.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_size);

/**
 * Longest buffer list that one receive takes.
 * @param devinfo description of the device; borrowed for the call
 * @param max_buf_list_len receives the number of elements; 1 means no lists
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no consumers.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Most consumers of one end of a connection.
 * @param devinfo description of the device; borrowed for the call
 * @param max_consumers receives the number
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_get_max_consumers(
	const struct doca_devinfo *devinfo, uint32_t *max_consumers);

/**
 * Most bytes of immediate data that come with a message.
 * @param devinfo description of the device; borrowed for the call
 * @param max_imm_data_len receives the bytes
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(
	const struct doca_devinfo *devinfo, uint32_t *max_imm_data_len);

/**
 * Most immediate data that a consumer takes: what was set, or 32 bytes or the device's maximum if
 * that is less.
 * @param consumer consumer
 * @param imm_data_len receives the bytes
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_get_imm_data_len(
	const struct doca_comch_consumer *consumer, uint32_t *imm_data_len);

/**
 * Sets how much immediate data a consumer takes. A message with more is refused at its sender.
 * @param consumer consumer
 * @param imm_data_len bytes, up to doca_comch_consumer_cap_get_max_imm_data_len
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: consumer is NULL or the length is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; do it before start.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer,
							      uint32_t imm_data_len);

/**
 * Context of a consumer. Its start needs the mmap started (DOCA_ERROR_BAD_STATE) and the connection
 * up (DOCA_ERROR_NOT_CONNECTED, or DOCA_ERROR_CONNECTION_RESET if the peer died).
 * @param consumer consumer
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the context, owned by the consumer; NULL if consumer is NULL
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer);

/**
 * DPA: makes a completion object.
 * @param consumer_comp not written
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t
doca_comch_consumer_completion_create(struct doca_comch_consumer_completion **consumer_comp);

/**
 * DPA: thread that a completion object wakes.
 * @param consumer_comp completion object; there is none
 * @param dpa_thread DPA thread
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_completion_set_dpa_thread(
	struct doca_comch_consumer_completion *consumer_comp, struct doca_dpa_thread *dpa_thread);

/**
 * DPA: frees a completion object.
 * @param consumer_comp completion object; there is none
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t
doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion *consumer_comp);

/**
 * DPA: starts a completion object.
 * @param consumer_comp completion object; there is none
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t
doca_comch_consumer_completion_start(struct doca_comch_consumer_completion *consumer_comp);

/**
 * DPA: stops a completion object.
 * @param consumer_comp completion object; there is none
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t
doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion *consumer_comp);

/**
 * DPA: handle of a completion object.
 * @param consumer_comp completion object; there is none
 * @param consumer_comp_handle not written
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_completion_get_dpa_handle(
	struct doca_comch_consumer_completion *consumer_comp,
	doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle);

/**
 * DPA: how many consumers a completion object serves.
 * @param consumer_comp completion object; there is none
 * @param max_num_consumers number of consumers
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers);

/**
 * DPA: how many consumers a completion object serves.
 * @param consumer_comp completion object; there is none
 * @param max_num_consumers not written
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers);

/**
 * DPA: how many receives a completion object serves.
 * @param consumer_comp completion object; there is none
 * @param max_num_recv number of receives
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_completion_set_max_num_recv(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv);

/**
 * DPA: how many receives a completion object serves.
 * @param consumer_comp completion object; there is none
 * @param max_num_recv not written
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_completion_get_max_num_recv(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv);

/**
 * DPA: immediate data of a completion object.
 * @param consumer_comp completion object; there is none
 * @param imm_data_len bytes
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_completion_set_imm_data_len(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len);

/**
 * DPA: immediate data of a completion object.
 * @param consumer_comp completion object; there is none
 * @param imm_data_len not written
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_completion_get_imm_data_len(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len);

/**
 * DPA: how many receives can be posted there.
 * @param consumer consumer
 * @param dev_num_recv number of receives
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_set_dev_max_num_recv(
	struct doca_comch_consumer *consumer, uint32_t dev_num_recv);

/**
 * DPA: completion object of a consumer.
 * @param consumer consumer
 * @param consumer_comp completion object; there is none
 * @param user_data word of the program's
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_set_completion(
	struct doca_comch_consumer *consumer, struct doca_comch_consumer_completion *consumer_comp,
	uint32_t user_data);

/**
 * DPA: handle of a consumer.
 * @param consumer consumer
 * @param dpa_consumer not written
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_get_dpa_handle(
	struct doca_comch_consumer *consumer, doca_dpa_dev_comch_consumer_t *dpa_consumer);

/**
 * GPU: handle of a consumer.
 * @param consumer consumer
 * @param gpu_consumer not written
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 3.2. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_get_gpu_handle(
	struct doca_comch_consumer *consumer, struct doca_comch_gpu_consumer **gpu_consumer);

/**
 * Sets up a consumer's receive tasks: callbacks and how many there are. Without it none can be
 * allocated.
 * @param consumer consumer
 * @param task_completion_cb called for each message that was received
 * @param task_error_cb called for each receive that was flushed; doca_task_get_status says why:
 *   DOCA_ERROR_SHUTDOWN after a stop, DOCA_ERROR_NOT_CONNECTED when the connection was closed,
 *   DOCA_ERROR_CONNECTION_RESET when the peer died or broke the rules
 * @param num_post_recv_tasks number of tasks, from 1 to doca_comch_consumer_cap_get_max_num_tasks
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or the number is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; do it before start.
 * - DOCA_ERROR_NO_MEMORY: no memory for that many tasks.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_task_post_recv_set_conf(
	struct doca_comch_consumer *consumer,
	doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
	doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb,
	uint32_t num_post_recv_tasks);

/**
 * Takes a receive task from a consumer's pool and fills it. Submitting it posts the receive;
 * submission fails with DOCA_ERROR_INVALID_VALUE if the buffer is a list or not in the consumer's
 * mmap.
 * @param consumer consumer
 * @param buf a message is appended to its data; the library's until the task completes. NULL: takes
 *   messages of immediate data only
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: consumer or task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; progress and free some, or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_task_post_recv_alloc_init(
	struct doca_comch_consumer *consumer, struct doca_buf *buf,
	struct doca_comch_consumer_task_post_recv **task);

/**
 * Buffer of a receive task; once completed its data length has grown by the message.
 * @param task receive task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return what was given; may be NULL
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE struct doca_buf *doca_comch_consumer_task_post_recv_get_buf(
	const struct doca_comch_consumer_task_post_recv *task);

/**
 * Gives a receive task another buffer.
 * @param task receive task; pointer not checked for NULL
 * @param buf as for alloc_init
 * States: the task is the program's.
 * Threads: one at a time per object and its engine.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE void doca_comch_consumer_task_post_recv_set_buf(
	struct doca_comch_consumer_task_post_recv *task, struct doca_buf *buf);

/**
 * Producer whose message a completed task took.
 * @param task receive task; pointer not checked for NULL
 * States: completed.
 * Threads: one at a time per object and its engine.
 * @return its id among the producers of the peer; 0 if there was no message
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
	const struct doca_comch_consumer_task_post_recv *task);

/**
 * Immediate data that came with a message.
 * @param task receive task; pointer not checked for NULL
 * States: completed.
 * Threads: one at a time per object and its engine.
 * @return the bytes, the task's until it is freed or submitted again; NULL if there are none
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
	const struct doca_comch_consumer_task_post_recv *task);

/**
 * Length of the immediate data that came with a message.
 * @param task receive task; pointer not checked for NULL
 * States: completed.
 * Threads: one at a time per object and its engine.
 * @return bytes; 0 if there are none
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
	const struct doca_comch_consumer_task_post_recv *task);

/**
 * The general form of a receive task, for submission.
 * @param task receive task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the same task, never NULL
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE struct doca_task *doca_comch_consumer_task_post_recv_as_task(
	struct doca_comch_consumer_task_post_recv *task);

#ifdef __cplusplus
}
#endif

#endif
