/*
 * Data-path producers: sends to the peer's consumers, over a connection of doca_comch.
 *
 * A producer belongs to one connection. Connect doca_comch_producer_as_ctx to an engine and start
 * it; it runs at once. The consumer event of doca_comch.h tells the ids of the peer's consumers;
 * each send names one. A message takes the oldest receive that is posted there and free; if there
 * is none, or a producer on another thread is taking one just then, submission gives
 * DOCA_ERROR_AGAIN and can be repeated without any progress of one's own. So it does for the first
 * messages to a consumer of another machine, until that is reached, or to one that could not be
 * taken over when it came, and while this side's daemon, which is asked for that and not waited
 * for, does not answer: for 10 seconds at most, then it is DOCA_ERROR_CONNECTION_RESET, and the
 * next submission has it tried again. What a submitted send
 * carried is the peer's; its completion follows from the engine.
 *
 * Submission fails, and the message is not sent, with DOCA_ERROR_NOT_FOUND when the consumer has
 * stopped or was never there, DOCA_ERROR_TOO_BIG when the posted buffer has not enough room,
 * DOCA_ERROR_INVALID_VALUE for a buffer list, a wrong data section, or more data or immediate data
 * than the device takes, DOCA_ERROR_NOT_CONNECTED when the connection has ended and
 * DOCA_ERROR_CONNECTION_RESET when the peer died, DOCA_ERROR_IO_FAILED when the posted buffer could
 * not be written, and DOCA_ERROR_NOT_SUPPORTED when it can be reached only through shared memory
 * and the message is too long for that.
 *
 * A producer may live on another engine and thread than its connection, and several may send to one
 * consumer at a time. Stop and destroy producers before the connection.
 *
 * Threads: one thread at a time per producer with the engine it is connected to.
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

struct doca_comch_connection;         /* one client at one server, see doca_comch.h */
struct doca_comch_producer;           /* sending end of the data path */
struct doca_comch_producer_task_send; /* one message to send */
struct doca_comch_gpu_producer;       /* GPU only, not supported */
struct doca_dpa_completion;
struct doca_buf;
struct doca_ctx;
struct doca_devinfo;
struct doca_task;

/* Handle of a DPA data path; nothing here makes one. */
typedef uint64_t doca_dpa_dev_comch_producer_t;

/*
 * Told of a sent or failed message, with the data of the task and of the context. Runs inside
 * doca_pe_progress.
 */
typedef void (*doca_comch_producer_task_send_completion_cb_t)(
	struct doca_comch_producer_task_send *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Makes a producer of a connection.
 * @param comch_connection connection that stands
 * @param producer receives it; give it back with doca_comch_producer_destroy
 * States: the connection stands.
 * Threads: any, also another than the connection's, which may end the connection meanwhile. A
 *   client's connection may be named until the client is destroyed, a server's until its disconnect
 *   callback returns: later it is another client's, or freed.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory, or the connection has as many producers as
 *   doca_comch_producer_cap_get_max_producers allows; destroy one first.
 * - DOCA_ERROR_BAD_STATE: the connection does not stand yet or has ended.
 * - DOCA_ERROR_NOT_PERMITTED: the device has no producers.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
						    struct doca_comch_producer **producer);

/**
 * Frees a producer with its context.
 * @param producer producer
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: producer is NULL.
 * - DOCA_ERROR_INITIALIZATION: the context is not IDLE; stop it and progress until it is.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer);

/**
 * Can a device carry producers? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it cannot.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * The id that receives of the peer show for messages of a producer.
 * @param producer producer
 * @param id receives it; never 0, and no other producer of this end of the connection has it
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer,
						    uint32_t *id);

/**
 * Most send tasks that one producer can have.
 * @param devinfo description of the device; borrowed for the call
 * @param max_num_tasks receives the number
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_producer_cap_get_max_num_tasks(
	const struct doca_devinfo *devinfo, uint32_t *max_num_tasks);

/**
 * Longest message.
 * @param devinfo description of the device; borrowed for the call
 * @param max_buf_size receives the bytes
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no producers.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_producer_cap_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_size);

/**
 * Longest buffer list that one send takes.
 * @param devinfo description of the device; borrowed for the call
 * @param max_buf_list_len receives the number of elements; 1 means no lists
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no producers.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_producer_cap_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Most producers of one end of a connection.
 * @param devinfo description of the device; borrowed for the call
 * @param max_producers receives the number
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_producer_cap_get_max_producers(
	const struct doca_devinfo *devinfo, uint32_t *max_producers);

/**
 * Context of a producer. Its start needs the connection up (DOCA_ERROR_NOT_CONNECTED, or
 * DOCA_ERROR_CONNECTION_RESET if the peer died).
 * @param producer producer
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the context, owned by the producer; NULL if producer is NULL
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer);

/**
 * DPA: how many sends can be submitted there.
 * @param producer producer
 * @param dev_num_send number of sends
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_producer_set_dev_max_num_send(
	struct doca_comch_producer *producer, uint32_t dev_num_send);

/**
 * DPA: completion of a producer.
 * @param producer producer
 * @param dpa_comp DPA completion
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_producer_dpa_completion_attach(
	struct doca_comch_producer *producer, struct doca_dpa_completion *dpa_comp);

/**
 * DPA: handle of a producer.
 * @param producer producer
 * @param dpa_producer not written
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_producer_get_dpa_handle(
	struct doca_comch_producer *producer, doca_dpa_dev_comch_producer_t *dpa_producer);

/**
 * GPU: handle of a producer.
 * @param producer producer
 * @param gpu_producer not written
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is no DPA and no GPU data path here; use tasks on the
 * CPU. Since 3.2. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_producer_get_gpu_handle(
	struct doca_comch_producer *producer, struct doca_comch_gpu_producer **gpu_producer);

/**
 * Sets up a producer's send tasks: callbacks and how many there are. Without it none can be
 * allocated.
 * @param producer producer
 * @param task_completion_cb called for each message that was sent
 * @param task_error_cb called for each message that failed; what fails here fails at submission
 * already
 * @param num_send_tasks number of tasks, from 1 to doca_comch_producer_cap_get_max_num_tasks
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or the number is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; do it before start.
 * - DOCA_ERROR_NO_MEMORY: no memory for that many tasks.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_producer_task_send_set_conf(
	struct doca_comch_producer *producer,
	doca_comch_producer_task_send_completion_cb_t task_completion_cb,
	doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Takes a send task from a producer's pool and fills it.
 * @param producer producer
 * @param buf its data is the message; the library's until the task completes. NULL: the message is
 *   immediate data only
 * @param imm_data immediate data; copied into the task. NULL: none
 * @param imm_data_len bytes; no more than the consumer takes, which submission checks
 * @param consumer_id consumer of the peer, as the consumer event told
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: producer or task is NULL, or there is more immediate data than
 *   doca_comch_consumer_cap_get_max_imm_data_len allows.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; progress and free some, or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE doca_error_t doca_comch_producer_task_send_alloc_init(
	struct doca_comch_producer *producer, const struct doca_buf *buf, uint8_t *imm_data,
	uint32_t imm_data_len, uint32_t consumer_id, struct doca_comch_producer_task_send **task);

/**
 * Buffer of a send task.
 * @param task send task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return what was given; may be NULL
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE const struct doca_buf *doca_comch_producer_task_send_get_buf(
	const struct doca_comch_producer_task_send *task);

/**
 * Gives a send task another buffer.
 * @param task send task; pointer not checked for NULL
 * @param buf as for alloc_init
 * States: the task is the program's.
 * Threads: one at a time per object and its engine.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
						       const struct doca_buf *buf);

/**
 * Consumer that a task sends to.
 * @param task send task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return its id
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE uint32_t
doca_comch_producer_task_send_get_consumer_id(const struct doca_comch_producer_task_send *task);

/**
 * Names another consumer for a task.
 * @param task send task; pointer not checked for NULL
 * @param consumer_id as for alloc_init
 * States: the task is the program's.
 * Threads: one at a time per object and its engine.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE void doca_comch_producer_task_send_set_consumer_id(
	struct doca_comch_producer_task_send *task, const uint32_t consumer_id);

/**
 * Immediate data of a task.
 * @param task send task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the task's copy; NULL if there is none
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE uint8_t *doca_comch_producer_task_send_get_imm_data(
	const struct doca_comch_producer_task_send *task);

/**
 * Length of the immediate data of a task.
 * @param task send task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return bytes; 0 if there is none
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE uint32_t
doca_comch_producer_task_send_get_imm_data_len(const struct doca_comch_producer_task_send *task);

/**
 * Gives a task other immediate data. Too much of it is refused at submission.
 * @param task send task; pointer not checked for NULL
 * @param imm_data copied into the task; NULL: none
 * @param imm_data_len bytes
 * States: the task is the program's.
 * Threads: one at a time per object and its engine.
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE void doca_comch_producer_task_send_set_imm_data(
	struct doca_comch_producer_task_send *task, uint8_t *imm_data, uint32_t imm_data_len);

/**
 * The general form of a send task, for submission.
 * @param task send task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the same task, never NULL
 * Since 2.7. Source: DOCA Comch guide, data path.
 */
DOCA_STABLE struct doca_task *doca_comch_producer_task_send_as_task(
	struct doca_comch_producer_task_send *task);

#ifdef __cplusplus
}
#endif

#endif
