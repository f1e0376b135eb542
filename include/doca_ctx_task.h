/*
 * Context, from 2.5 on; included by doca_ctx.h.
 *
 * IDLE: configure. STARTING: start was called and needs the engine to be progressed; neither
 * configure nor allocate. RUNNING: allocate and submit tasks. STOPPING: in-flight tasks complete
 * with an error during progress; free them; the context is IDLE again when all are freed.
 *
 * Threads: one thread at a time per context and the engine it is connected to.
 */
#ifndef DOCA_CTX_TASK_H_
#define DOCA_CTX_TASK_H_

#include <doca_ctx.h>

#if DOCA_API_WORKQ
#error "doca_ctx_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_ctx.h"
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
 * Told of every change of state, also of those inside start and stop. user_data is the context's;
 * the context is in next_state already. Runs in the thread that called start, stop or progress. It
 * may call start or stop.
 */
typedef void (*doca_ctx_state_changed_callback_t)(const union doca_data user_data,
						  struct doca_ctx *ctx,
						  enum doca_ctx_states prev_state,
						  enum doca_ctx_states next_state);

/**
 * Starts a context with the configuration it has. Most are RUNNING when this returns; a channel
 * client is STARTING and gets there by progress.
 * @param ctx context of a library object
 * States: IDLE, connected to an engine.
 * Threads: one at a time per context and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL, or what it needs is not configured.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do what was configured.
 * - DOCA_ERROR_NOT_CONNECTED: no engine is connected, call doca_pe_connect_ctx first; no daemon of
 *   this side answers, start one, then repeat; the connection of a comch producer or consumer has
 *   ended, or another daemon made it, destroy them; or the context belongs to the process that
 *   forked this one.
 * - DOCA_ERROR_CONNECTION_RESET: the peer of a comch producer or consumer died; destroy them.
 * - DOCA_ERROR_ALREADY_EXIST: a comch server of this name is there for the representor; stop it or
 *   take another name.
 * - DOCA_ERROR_NO_MEMORY: no memory, or a limit of the daemon's for this user is reached;
 *   dococ_last_error() says which. Give something back and repeat.
 * - DOCA_ERROR_FULL: the daemon has no room for more processes of this user, or of consumers for
 *   more on this connection; dococ_last_error() says which.
 * - DOCA_ERROR_AGAIN: the daemon of the other side is too busy to be asked or told; repeat.
 * - DOCA_ERROR_OPERATING_SYSTEM: the system refused something, descriptors for one;
 *   dococ_last_error() has the reason.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * - DOCA_ERROR_INITIALIZATION: the device, or the daemon, could not set it up; dococ_last_error()
 *   has the reason.
 * - DOCA_ERROR_UNEXPECTED: a rule of our own was broken; report it.
 * - DOCA_ERROR_IN_PROGRESS: begun; progress the engine until the state is RUNNING, or IDLE if it
 *   failed.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE, or what it needs is not started.
 * Since 2.5. Source: DOCA Core guide, context.
 */
DOCA_STABLE doca_error_t doca_ctx_start(struct doca_ctx *ctx) DOCA_BIND(doca_ctx_start, 2_5);

/**
 * Stops a context; an IDLE one that has an engine stays so. With tasks allocated or in flight, and
 * inside a callback, it is STOPPING: progress until those in flight have completed with an error,
 * free every task, progress, and it is IDLE. One of RDMA that peers have sent to stays STOPPING
 * until they know that it arrived, for less than a second.
 * @param ctx context of a library object
 * States: any, once an engine is connected; also inside callbacks.
 * Threads: one at a time per context and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_PROGRESS: begun; progress the engine and free the tasks.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_CONNECTED: no engine was ever connected, so there is nothing to stop; or the
 *   context belongs to the process that forked this one.
 * - DOCA_ERROR_UNEXPECTED: a rule of our own was broken; report it.
 * Since 2.5. Source: DOCA Core guide, context.
 */
DOCA_STABLE doca_error_t doca_ctx_stop(struct doca_ctx *ctx) DOCA_BIND(doca_ctx_stop, 2_5);

/**
 * Number of tasks that were submitted and have not completed.
 * @param ctx context of a library object
 * @param num_inflight_tasks receives the number
 * States: any.
 * Threads: one at a time per context and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, context.
 */
DOCA_STABLE doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx,
							 size_t *num_inflight_tasks);

/**
 * Keeps a word of the program's own with a context; every callback of the context gets it.
 * @param ctx context of a library object
 * @param user_data not interpreted
 * States: any.
 * Threads: one at a time per context and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL.
 * Since 2.5. Source: DOCA Core guide, context.
 */
DOCA_STABLE doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data);

/**
 * Word kept with a context.
 * @param ctx context of a library object
 * @param user_data receives it; 0 if none was set
 * States: any.
 * Threads: one at a time per context and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, context.
 */
DOCA_STABLE doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx,
						union doca_data *user_data);

/**
 * Registers a callback for changes of state; a second one replaces the first.
 * @param ctx context of a library object
 * @param cb called on every change
 * States: any; usual before start.
 * Threads: one at a time per context and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, context.
 */
DOCA_STABLE doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
						       doca_ctx_state_changed_callback_t cb);

/**
 * State of a context now.
 * @param ctx context of a library object
 * @param state receives it
 * States: any.
 * Threads: one at a time per context and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, context.
 */
DOCA_STABLE doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx,
					    enum doca_ctx_states *state);

/**
 * Starts all tasks that were submitted without FLUSH.
 * @param ctx context of a library object; NULL is reported as a mistake (dococ_last_error())
 * States: RUNNING.
 * Threads: one at a time per context and its engine.
 * Since 2.7. Source: DOCA Core guide, context.
 */
DOCA_STABLE void doca_ctx_flush_tasks(struct doca_ctx *ctx);

/**
 * Moves the context's data path to an accelerator of the card. There is none here.
 * @param ctx context of a library object
 * @param dpa_dev accelerator
 * States: IDLE.
 * Threads: one at a time per context and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments and the state are right.
 * Since 2.5. Source: DOCA Core guide, context.
 */
DOCA_STABLE doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx,
						      struct doca_dpa *dpa_dev);

/**
 * Chooses which completion vector of the device signals this context.
 * @param ctx context of a library object
 * @param comp_vector number below doca_ctx_cap_get_num_completion_vectors
 * States: IDLE.
 * Threads: one at a time per context and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL or there is no such vector.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * - DOCA_ERROR_NOT_SUPPORTED: not given here: every context has vector 0.
 * Since 2.7. Source: DOCA Core guide, context.
 */
DOCA_STABLE doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector);

/**
 * Number of completion vectors of a device.
 * @param devinfo description of the device; borrowed for the call
 * @param num_comp_vectors receives the number, at least 1
 * States: any.
 * Threads: one at a time per context and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Core guide, context.
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
