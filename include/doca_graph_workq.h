/*
 * Graph, up to 2.2; included by doca_graph.h.
 *
 * Order: create a graph, create its nodes, add dependencies, start it, add work queues. Then create
 * instances, give each node of an instance its data, and submit the instance to one of the work
 * queues as often as needed; one at a time per instance, any number of instances side by side and
 * beside ordinary jobs. Tear down: destroy the instances, remove the work queues, stop, destroy.
 *
 * Running: the nodes without a predecessor start with the submission. Every other node starts when
 * all its predecessors are complete. Nodes that become ready together are submitted together. No
 * order is promised between nodes that do not depend on each other. Everything but the submission
 * happens in doca_workq_progress_retrieve, which returns DOCA_ERROR_AGAIN for what moves inside a
 * graph. When all is done it returns DOCA_SUCCESS with an event of the type DOCA_GRAPH_JOB, the
 * user data of the submission, and in result.u64 DOCA_SUCCESS or the code of the first node that
 * failed. An instance counts as one job of the work queue's depth; its nodes do not count: they
 * have as many places of their own in each context, and wait when those are taken.
 *  - A context node submits the job that the instance has for it. What would have been its event
 *    is written to the event that was given with the job, and is not retrieved from the queue. The
 *    context need not have the work queue, and cannot be stopped while the graph has one.
 *  - A user node runs its callback inside doca_workq_progress_retrieve.
 *  - A sub-graph node runs an instance of the other graph on the same work queue, which that graph
 *    need not have.
 *
 * Failure: a node fails when its job fails or is refused, when its callback returns something else
 * than success, or when its sub-graph instance fails. Then no further node of the instance starts,
 * and when those that run are complete, the instance is. It cannot be aborted.
 *
 * Threads: a graph and its instances belong to one thread at a time; those in flight to the thread
 * of their work queue.
 */
#ifndef DOCA_GRAPH_WORKQ_H_
#define DOCA_GRAPH_WORKQ_H_

#include <doca_ctx.h>
#include <doca_ctx_workq.h>
#include <doca_graph.h>

#if !DOCA_API_WORKQ && !defined(DOCA_API_LIBRARY)
#error "doca_graph_workq.h is there up to 2.2: set DOCA_USE_VERSION to that, or include doca_graph.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum doca_graph_job_types {
	DOCA_GRAPH_JOB = DOCA_ACTION_GRAPH_FIRST + 1, /* of the event of an instance */
};

/* What has become of a node since the instance was submitted last. */
enum doca_graph_instance_node_state {
	DOCA_GRAPH_INSTANCE_NODE_STATE_NOT_STARTED = 0,
	DOCA_GRAPH_INSTANCE_NODE_STATE_STARTED = 1,
	DOCA_GRAPH_INSTANCE_NODE_STATE_COMPLETED = 2,
	DOCA_GRAPH_INSTANCE_NODE_STATE_ERROR = 3,
};

#if DOCA_API_WORKQ
/*
 * The work of a user node; gets what doca_graph_instance_set_user_node_data gave. The event, if
 * there is one, has type 0, the cookie as user data and DOCA_SUCCESS as its result; the callback
 * may write what it likes to it. Everything but DOCA_SUCCESS fails the instance and is the event's
 * result. Runs inside doca_workq_progress_retrieve.
 */
typedef doca_error_t (*doca_graph_user_node_cb_t)(void *cookie, struct doca_event *ev);

/**
 * Makes a graph without nodes.
 * @param graph receives the graph; give it back with doca_graph_destroy
 * Threads: one at a time per graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.0. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_create(struct doca_graph **graph)
	DOCA_BIND(doca_graph_create, 2_0);

/**
 * Frees a graph and its nodes. A graph that other graphs contain may be destroyed before them; they
 * cannot be started any more.
 * @param graph graph
 * States: not started.
 * Threads: one at a time per graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: it is started; call doca_graph_stop first.
 * - DOCA_ERROR_BAD_STATE: it was made for 2.5 or later.
 * Since 2.0. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_destroy(struct doca_graph *graph)
	DOCA_BIND(doca_graph_destroy, 2_0);

/**
 * Checks the graph and makes it ready for instances. Success, too, if it is started already.
 * @param graph graph
 * States: every context of its nodes started, every sub-graph started. At least one node is one of
 * a context or a sub-graph.
 * Threads: one at a time per graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph is NULL.
 * - DOCA_ERROR_BAD_STATE: a context or a sub-graph is not started, or only user nodes are there; or
 *   it was made for 2.5 or later.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.0. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_start(struct doca_graph *graph)
	DOCA_BIND(doca_graph_start, 2_0);

/**
 * Ends the use of a graph, which may then be changed, started again or destroyed.
 * @param graph graph
 * States: started, all its instances destroyed, all its work queues removed.
 * Threads: one at a time per graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: instances or work queues are left; destroy and remove them first.
 * - DOCA_ERROR_BAD_STATE: it is not started, or was made for 2.5 or later.
 * Since 2.0. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_stop(struct doca_graph *graph) DOCA_BIND(doca_graph_stop, 2_0);

/**
 * Makes an instance of the graph, without data.
 * @param graph graph
 * @param graph_instance receives the instance; give it back with doca_graph_instance_destroy
 * States: started.
 * Threads: one at a time per graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the graph is not started, or was made for 2.5 or later.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.0. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
						    struct doca_graph_instance **graph_instance)
	DOCA_BIND(doca_graph_instance_create, 2_0);

/**
 * Frees an instance. The jobs and events that its nodes had remain the program's.
 * @param graph_instance instance
 * States: not in flight, and not the data of another instance's node.
 * Threads: one at a time per graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph_instance is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: it is in flight, or the instance of a sub-graph node; retrieve the
 *   event, or destroy the other instance first.
 * - DOCA_ERROR_BAD_STATE: it was made for 2.5 or later.
 * Since 2.0. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance)
	DOCA_BIND(doca_graph_instance_destroy, 2_0);

/**
 * Gives a context node its job. Between submission and completion of the instance job and event
 * are the library's; in between the job's buffers and settings may be changed for the next
 * submission.
 * @param graph_instance instance
 * @param node context node of the instance's graph
 * @param job job of the node's type and context; kept by the caller as long as the instance
 * @param ev receives the event of the job at each submission; kept as the job; may be NULL
 * States: not in flight.
 * Threads: one at a time per graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph_instance, node or job is NULL.
 * - DOCA_ERROR_BAD_STATE: the instance is in flight, or was made for 2.5 or later.
 * - DOCA_ERROR_NOT_PERMITTED: the node is of another graph or kind, or the job of another type or
 *   context than the node.
 * Since 2.0. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_instance_set_ctx_node_data(
	struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
	struct doca_job *job, struct doca_event *ev)
	DOCA_BIND(doca_graph_instance_set_ctx_node_data, 2_0);

/**
 * Gives a user node what its callback gets. NULL until then.
 * @param graph_instance instance
 * @param node user node of the instance's graph
 * @param cookie pointer that is handed on, not looked at; may be NULL
 * @param ev event that is handed on; kept by the caller as long as the instance; may be NULL
 * States: not in flight.
 * Threads: one at a time per graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph_instance or node is NULL.
 * - DOCA_ERROR_BAD_STATE: the instance is in flight, or was made for 2.5 or later.
 * - DOCA_ERROR_NOT_PERMITTED: the node is of another graph or kind.
 * Since 2.0. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_instance_set_user_node_data(
	struct doca_graph_instance *graph_instance, struct doca_graph_node *node, void *cookie,
	struct doca_event *ev) DOCA_BIND(doca_graph_instance_set_user_node_data, 2_0);

/**
 * Gives a sub-graph node the instance that it runs. That cannot be destroyed before graph_instance
 * is destroyed or has another one, and is not submitted by anybody else while that is in flight.
 * @param graph_instance instance
 * @param node sub-graph node of the instance's graph
 * @param sub_graph_instance instance of the node's sub-graph
 * @param ev receives type DOCA_GRAPH_JOB and the result at each submission; kept by the caller as
 *   long as the instance; may be NULL
 * States: not in flight.
 * Threads: one at a time per graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph_instance, node or sub_graph_instance is NULL.
 * - DOCA_ERROR_BAD_STATE: an instance is in flight, or was made for 2.5 or later.
 * - DOCA_ERROR_NOT_PERMITTED: the node is of another graph or kind, or sub_graph_instance of
 *   another graph.
 * Since 2.0. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_instance_set_sub_graph_node_data(
	struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
	struct doca_graph_instance *sub_graph_instance, struct doca_event *ev)
	DOCA_BIND(doca_graph_instance_set_sub_graph_node_data, 2_0);

/**
 * Adds a node that calls a function. It has no predecessor until a dependency gives it one.
 * @param graph graph
 * @param cb the function
 * @param node receives the node, which is freed with the graph
 * States: not started.
 * Threads: one at a time per graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the graph is started, or was made for 2.5 or later.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.0, until 2.2; then doca_graph_node_create_from_user. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_user_node_create(struct doca_graph *graph,
						     doca_graph_user_node_cb_t cb,
						     struct doca_graph_node **node);
#endif

/**
 * Adds a node that submits a job of a context. It has no predecessor until a dependency gives it
 * one.
 * @param graph graph
 * @param job_type type of its jobs
 * @param ctx context of its jobs; must exist as long as the graph is started
 * @param node receives the node, which is freed with the graph
 * States: not started; the context in any state.
 * Threads: one at a time per graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the context has no jobs of the type.
 * - DOCA_ERROR_BAD_STATE: the graph is started, or graph or context was made for 2.5 or later.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.0, until 2.2; then doca_graph_node_create_from_ctx. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_ctx_node_create(struct doca_graph *graph, int job_type,
						    const struct doca_ctx *ctx,
						    struct doca_graph_node **node);

/**
 * Adds a node that runs an instance of another graph. It has no predecessor until a dependency
 * gives it one.
 * @param graph graph
 * @param sub_graph the other graph, started
 * @param node receives the node, which is freed with the graph
 * States: graph not started, sub_graph started.
 * Threads: one at a time per graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: graph is started, or sub_graph is not, or one of them was made for 2.5 or
 *   later.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_NOT_PERMITTED: sub_graph is the graph itself, or contains it.
 * Since 2.0, until 2.2; then doca_graph_node_create_from_graph. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_sub_graph_node_create(struct doca_graph *graph,
							  struct doca_graph *sub_graph,
							  struct doca_graph_node **node);

/**
 * Makes a work queue ready for instances of a graph.
 * @param graph graph
 * @param workq work queue; cannot be destroyed before it is removed
 * States: started.
 * Threads: that of the work queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the work queue was added before.
 * - DOCA_ERROR_BAD_STATE: the graph or a context of it is not started, or the graph was made for
 *   2.5 or later.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_NOT_SUPPORTED: the work queue is event driven, and a context of the graph is not.
 * Since 2.0, until 2.2. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_workq_add(struct doca_graph *graph, struct doca_workq *workq);

/**
 * Takes a work queue away from a graph.
 * @param graph graph
 * @param workq work queue that was added
 * States: started, none of its instances in flight on the work queue.
 * Threads: that of the work queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the work queue is not added.
 * - DOCA_ERROR_IN_USE: instances are in flight; retrieve their events first.
 * - DOCA_ERROR_BAD_STATE: the graph is not started, or was made for 2.5 or later, or the work queue
 *   is that of the process that forked this one.
 * Since 2.0, until 2.2. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_workq_rm(struct doca_graph *graph, struct doca_workq *workq);

/**
 * Runs an instance. What goes wrong with a node is told by the event, also for the nodes that start
 * at once.
 * @param workq work queue that was added to the instance's graph
 * @param graph_instance instance; every context and sub-graph node has its data
 * @param user_data comes back with the event
 * States: not in flight.
 * Threads: that of the work queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, a node has no data, or the work queue is not
 *   added to the graph.
 * - DOCA_ERROR_IN_USE: the instance is in flight; retrieve its event first.
 * - DOCA_ERROR_NO_MEMORY: as many jobs as the work queue is deep are in flight; retrieve events.
 * - DOCA_ERROR_BAD_STATE: the instance was made for 2.5 or later.
 * Since 2.0, until 2.2; then doca_graph_instance_submit. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_workq_graph_submit(struct doca_workq *workq,
						 struct doca_graph_instance *graph_instance,
						 union doca_data user_data);

/**
 * How many nodes failed in the last submission of an instance. Nodes inside sub-graphs are counted
 * with the instances of those.
 * @param graph_instance instance
 * @param num_failed_nodes receives the number
 * States: any.
 * Threads: one at a time per graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the instance was made for 2.5 or later.
 * Since 2.0, until 2.2. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_instance_get_num_failed_nodes(
	const struct doca_graph_instance *graph_instance, uint32_t *num_failed_nodes);

/**
 * Which nodes failed in the last submission of an instance.
 * @param graph_instance instance
 * @param failed_nodes array that receives them
 * @param num_failed_nodes in: elements of the array; out: how many were written
 * States: any.
 * Threads: one at a time per graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the instance was made for 2.5 or later.
 * Since 2.0, until 2.2. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_instance_get_failed_nodes(
	const struct doca_graph_instance *graph_instance,
	const struct doca_graph_node **failed_nodes, uint32_t *num_failed_nodes);

/**
 * What has become of a node since the instance was submitted last.
 * @param graph_instance instance
 * @param node node of the instance's graph
 * @param state receives it
 * States: any.
 * Threads: one at a time per graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the node is of another graph.
 * - DOCA_ERROR_BAD_STATE: the instance was made for 2.5 or later.
 * Since 2.0, until 2.2. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_instance_node_get_state(
	const struct doca_graph_instance *graph_instance, const struct doca_graph_node *node,
	enum doca_graph_instance_node_state *state);

/**
 * Result of a node in the last submission of the instance: that of its event, or what it would be.
 * @param graph_instance instance
 * @param node node of the instance's graph
 * @param result receives it
 * States: the node is COMPLETED or ERROR.
 * Threads: one at a time per graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the node is of another graph.
 * - DOCA_ERROR_BAD_STATE: the node is not complete, or the instance was made for 2.5 or later.
 * Since 2.0, until 2.2. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t
doca_graph_instance_node_get_result(const struct doca_graph_instance *graph_instance,
				    const struct doca_graph_node *node, union doca_data *result);

DOCA_ELSEWHERE(doca_graph_node_create_from_ctx, "from 2.5 on: use doca_graph_ctx_node_create");
DOCA_ELSEWHERE(doca_graph_instance_submit, "from 2.5 on: use doca_workq_graph_submit");

#ifdef __cplusplus
}
#endif

#endif
