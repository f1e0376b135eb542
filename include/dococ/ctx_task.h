/*
 * Context, from 2.5 on. Included by doca_ctx.h.
 *
 * A context has one of four states:
 *
 * - IDLE: configure it.
 * - STARTING: doca_ctx_start() was called, and the engine must be progressed to complete it. The
 *   context can neither be configured nor allocate tasks.
 * - RUNNING: allocate and submit tasks.
 * - STOPPING: tasks in flight complete with an error during progress. The program must free all
 *   tasks; then the context becomes IDLE.
 *
 * A context that was created through the interface of 2.2 or before belongs to dococ/ctx_workq.h:
 * the calls of this header refuse it with DOCA_ERROR_BAD_STATE.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Threads: one thread at a time per context and the engine that it is connected to.
 *
 * Reference: DOCA Core guide, context.
 */
#ifndef DOCA_CTX_TASK_H_
#define DOCA_CTX_TASK_H_

#include <doca_ctx.h>

#if DOCA_API_WORKQ
#error "dococ/ctx_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_ctx.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum doca_ctx_states {
	DOCA_CTX_STATE_IDLE = 0,
	DOCA_CTX_STATE_STARTING = 1,
	DOCA_CTX_STATE_RUNNING = 2,
	DOCA_CTX_STATE_STOPPING = 3
};

/*
 * Called at every change of state, also at changes inside doca_ctx_start() and doca_ctx_stop(),
 * with the user data of the context. The context is already in next_state. Runs in the thread that
 * called doca_ctx_start(), doca_ctx_stop() or doca_pe_progress(). The callback may start or stop
 * the context.
 */
typedef void (*doca_ctx_state_changed_callback_t)(const union doca_data user_data,
						  struct doca_ctx *ctx,
						  enum doca_ctx_states prev_state,
						  enum doca_ctx_states next_state);

/**
 * Starts a context with its current configuration. Most contexts are RUNNING when the call returns.
 * A comch client or consumer is STARTING, and becomes RUNNING through doca_pe_progress().
 * @param ctx context of a library object
 * States: IDLE, and connected to an engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL, or a required setting was not configured.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do what was configured.
 * - DOCA_ERROR_NOT_CONNECTED: one of four causes: (a) no engine is connected: call
 *   doca_pe_connect_ctx() first; (b) no daemon of this side answers: start one, then repeat; (c)
 *   the connection of a comch producer or consumer has ended, or another daemon made it: destroy
 *   the producer or consumer; (d) the context was created by the process that forked this one:
 *   create one in this process.
 * - DOCA_ERROR_CONNECTION_RESET: the peer of a comch producer or consumer died; destroy the
 *   producer or consumer.
 * - DOCA_ERROR_ALREADY_EXIST: the representor already has a comch server of this name; stop that
 *   server or choose another name.
 * - DOCA_ERROR_NO_MEMORY: out of memory, or a limit that the daemon sets for this user is reached;
 *   dococ_last_error() says which. Release something and repeat.
 * - DOCA_ERROR_FULL: the daemon accepts no more processes of this user, or no more consumers on
 *   this connection; dococ_last_error() says which. End a process, or destroy a consumer, and
 *   repeat.
 * - DOCA_ERROR_AGAIN: the daemon of the other side is too busy for the request; repeat.
 * - DOCA_ERROR_OPERATING_SYSTEM: a system call failed, for example for lack of file descriptors;
 *   dococ_last_error() has the reason.
 * - DOCA_ERROR_TIME_OUT: the daemon did not answer in time: it is stopped or overloaded; repeat
 *   later.
 * - DOCA_ERROR_INITIALIZATION: the device or the daemon could not set the context up;
 *   dococ_last_error() has the reason.
 * - DOCA_ERROR_UNEXPECTED: internal error of the library; report it.
 * - DOCA_ERROR_IN_PROGRESS: the start has begun; progress the engine until the state is RUNNING, or
 *   IDLE if the start failed.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE, or an object that it depends on is not started.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ctx_start(struct doca_ctx *ctx) DOCA_BIND(doca_ctx_start, 2_5);

/**
 * Stops a context. An IDLE context stays IDLE. If tasks are allocated or in flight, or inside a
 * callback, the context becomes STOPPING. Then progress until the tasks in flight have completed
 * with an error, free every task, and progress until the context is IDLE. An RDMA context that has
 * received messages stays STOPPING, for less than a second, until the peers know that their
 * messages arrived.
 * @param ctx context of a library object
 * States: any, once an engine is connected; also inside callbacks.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_PROGRESS: the stop has begun; progress the engine and free the tasks.
 * - DOCA_ERROR_NOT_CONNECTED: no engine was ever connected, so there is nothing to stop; or the
 *   context was created by the process that forked this one.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ctx_stop(struct doca_ctx *ctx) DOCA_BIND(doca_ctx_stop, 2_5);

/**
 * Gets the number of tasks that were submitted and have not completed.
 * @param ctx context of a library object
 * @param num_inflight_tasks receives the number
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx,
							 size_t *num_inflight_tasks);

/**
 * Sets the user data of a context, which every callback of the context receives.
 * @param ctx context of a library object
 * @param user_data any value; the library never interprets it
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data);

/**
 * Gets the user data of a context.
 * @param ctx context of a library object
 * @param user_data receives the user data; 0 if none was set
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx,
						union doca_data *user_data);

/**
 * Registers a callback for changes of state. A later registration replaces the callback.
 * @param ctx context of a library object
 * @param cb called on every change
 * States: any; usually called before start.
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
						       doca_ctx_state_changed_callback_t cb);

/**
 * Gets the current state of a context.
 * @param ctx context of a library object
 * @param state receives the state
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx,
					    enum doca_ctx_states *state);

/**
 * Starts all tasks that were submitted without DOCA_TASK_SUBMIT_FLAG_FLUSH.
 * @param ctx context of a library object; NULL is ignored and reported by dococ_last_error()
 * States: RUNNING.
 * Since 2.7.
 */
DOCA_STABLE void doca_ctx_flush_tasks(struct doca_ctx *ctx);

/**
 * Moves the context's data path to a data-path accelerator of the card. Not supported: this
 * implementation has none.
 * @param ctx context of a library object
 * @param dpa_dev accelerator
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments and the state are valid.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx,
						      struct doca_dpa *dpa_dev);

/**
 * Chooses the completion vector of the device that signals this context. Every context has vector
 * 0.
 * @param ctx context of a library object
 * @param comp_vector number of the vector, less than the result of
 *   doca_ctx_cap_get_num_completion_vectors()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the vector does not exist.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector);

/**
 * Gets the number of completion vectors of a device.
 * @param devinfo device to query
 * @param num_comp_vectors receives the number, at least 1
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
								 uint32_t *num_comp_vectors);

DOCA_ELSEWHERE(doca_workq_create, "work queues end with 2.2: use doca_pe_create of doca_pe.h");
DOCA_ELSEWHERE(doca_workq_submit, "jobs end with 2.2: use tasks and doca_task_submit of doca_pe.h");
DOCA_ELSEWHERE(doca_ctx_workq_add,
	       "work queues end with 2.2: use doca_pe_connect_ctx of doca_pe.h");
DOCA_ELSEWHERE(doca_ctx_dev_add, "from 2.5 on an object gets its device when it is created");

#ifdef __cplusplus
}
#endif

#endif
