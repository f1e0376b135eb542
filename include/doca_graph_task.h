/*
 * Graph, from 2.5 on; included by doca_graph.h.
 *
 * Order: create a graph on an engine, create its nodes, add dependencies, set callbacks and number
 * of instances, start. Then create instances, give each node of an instance its data, and submit
 * the instance as often as needed; one at a time per instance, any number of instances side by
 * side and beside ordinary tasks. Before stop the instances are destroyed, before destroy the
 * graph is stopped. A stopped graph may be changed and started again.
 *
 * Running: the nodes without a predecessor start with the submission. Every other node starts when
 * all its predecessors are complete. Nodes that become ready together are submitted together, with
 * one flush for each context. No order is promised between nodes that do not depend on each other.
 *  - A context node submits the task that the instance has for it. The callbacks of the task's type
 *    are not called then; the task is the program's again when the instance completes, with its
 *    status in doca_task_get_status. If the context's queue is full the node waits for room and is
 *    submitted later by doca_pe_progress.
 *  - A user node runs its callback inside doca_pe_progress, never inside a submission.
 *  - A sub-graph node submits an instance of the other graph and is complete when that is. The
 *    other graph's completion callbacks are not called then.
 *
 * Failure: a node fails when its task fails or cannot be submitted (a context that was stopped, a
 * task that is submitted elsewhere), when its callback returns something else than success, or when
 * its sub-graph instance fails. Then no further node of the instance starts, and when those that
 * run are complete, sub-graph instances as a whole, the instance fails. It cannot be aborted, but
 * stopping a context fails the tasks that it has.
 *
 * The completion of an instance is told once for each submission, inside doca_pe_progress. From
 * there the instance may be submitted again or destroyed. Nothing is allocated after start.
 *
 * Threads: one thread at a time per engine with everything that belongs to it, graphs included.
 */
#ifndef DOCA_GRAPH_TASK_H_
#define DOCA_GRAPH_TASK_H_

#include <doca_graph.h>

#if DOCA_API_WORKQ
#error "doca_graph_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_graph.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_pe;
struct doca_task;

/*
 * Told that an instance is complete, with the data of the instance and of the graph. Runs inside
 * doca_pe_progress; may submit or destroy the instance.
 */
typedef void (*doca_graph_completion_cb_t)(struct doca_graph_instance *instance,
					   union doca_data instance_user_data,
					   union doca_data graph_user_data);

/*
 * The work of a user node; gets what doca_graph_instance_set_user_node_data gave. Everything but
 * DOCA_SUCCESS fails the instance. Runs inside doca_pe_progress.
 */
typedef doca_error_t (*doca_graph_user_node_cb_t)(void *cookie);

/**
 * Makes a graph without nodes. The engine cannot be destroyed before it.
 * @param pe engine that runs it; all its contexts and sub-graphs belong to the same one
 * @param graph receives the graph; give it back with doca_graph_destroy
 * Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph)
	DOCA_BIND(doca_graph_create, 2_5);

/**
 * Frees a graph and its nodes. A graph that other graphs contain may be destroyed before them; they
 * cannot be started any more.
 * @param graph graph
 * States: not started.
 * Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph is NULL.
 * - DOCA_ERROR_BAD_STATE: it is started; call doca_graph_stop first.
 * Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_destroy(struct doca_graph *graph)
	DOCA_BIND(doca_graph_destroy, 2_5);

/**
 * Says who is told of completed instances, and how many instances there may be at a time. Without
 * this call nobody is told, which suits a graph that only runs inside others, and the number is
 * 1024.
 * @param graph graph
 * @param graph_completion_cb called for an instance whose nodes all succeeded
 * @param graph_error_cb called for an instance that failed; may be the same function
 * @param num_instances most instances at a time, 1 or more; their memory is taken by start
 * States: not started.
 * Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph or a callback is NULL, or num_instances is 0.
 * - DOCA_ERROR_BAD_STATE: it is started; call doca_graph_stop first.
 * Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_set_conf(struct doca_graph *graph,
					     doca_graph_completion_cb_t graph_completion_cb,
					     doca_graph_completion_cb_t graph_error_cb,
					     uint32_t num_instances);

/**
 * Sets what the completion callbacks get as the graph's data. All zero until then.
 * @param graph graph
 * @param user_data value that is handed on, not looked at
 * States: not started.
 * Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph is NULL.
 * - DOCA_ERROR_BAD_STATE: it is started; call doca_graph_stop first.
 * Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_set_user_data(struct doca_graph *graph,
						  union doca_data user_data);

/**
 * Gives the graph's data.
 * @param graph graph
 * @param user_data receives it
 * States: any.
 * Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_get_user_data(const struct doca_graph *graph,
						  union doca_data *user_data);

/**
 * Adds a node that submits a task of a context. It has no predecessor until a dependency gives it
 * one.
 * @param graph graph
 * @param ctx context of the node's tasks; must exist as long as the graph is started
 * @param node receives the node, which is freed with the graph
 * States: not started; the context in any state.
 * Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the context is connected to another engine.
 * - DOCA_ERROR_BAD_STATE: the graph is started; call doca_graph_stop first.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_node_create_from_ctx(struct doca_graph *graph,
							 const struct doca_ctx *ctx,
							 struct doca_graph_node **node);

/**
 * Adds a node that calls a function. It has no predecessor until a dependency gives it one.
 * @param graph graph
 * @param cb the function
 * @param node receives the node, which is freed with the graph
 * States: not started.
 * Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the graph is started; call doca_graph_stop first.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_node_create_from_user(struct doca_graph *graph,
							  doca_graph_user_node_cb_t cb,
							  struct doca_graph_node **node);

/**
 * Adds a node that submits an instance of another graph. It has no predecessor until a dependency
 * gives it one.
 * @param graph graph
 * @param sub_graph the other graph, on the same engine and started
 * @param node receives the node, which is freed with the graph
 * States: graph not started, sub_graph started.
 * Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or sub_graph belongs to another engine.
 * - DOCA_ERROR_BAD_STATE: graph is started, or sub_graph is not; start the inner one first.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_NOT_PERMITTED: sub_graph is the graph itself, or contains it.
 * Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_node_create_from_graph(struct doca_graph *graph,
							   struct doca_graph *sub_graph,
							   struct doca_graph_node **node);

/**
 * Checks the graph and takes all memory that its instances need. Success, too, if it is started
 * already.
 * @param graph graph
 * States: every context of its nodes RUNNING, every sub-graph started. At least one node is one of
 * a context or a sub-graph. Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph is NULL.
 * - DOCA_ERROR_BAD_STATE: a context or a sub-graph is not started, a context is connected to
 * another engine, or only user nodes are there.
 * - DOCA_ERROR_NO_MEMORY: no memory for that many instances; dococ_last_error() has the size.
 * Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_start(struct doca_graph *graph)
	DOCA_BIND(doca_graph_start, 2_5);

/**
 * Ends the use of a graph, which may then be changed, started again or destroyed. Success, too, if
 * it is not started.
 * @param graph graph
 * States: all its instances destroyed.
 * Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph is NULL.
 * - DOCA_ERROR_IN_USE: instances are left; progress until they are complete and destroy them.
 * Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_stop(struct doca_graph *graph) DOCA_BIND(doca_graph_stop, 2_5);

/**
 * Takes an instance of the graph, without data.
 * @param graph graph
 * @param graph_instance receives the instance; give it back with doca_graph_instance_destroy
 * States: started.
 * Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the graph is not started.
 * - DOCA_ERROR_NO_MEMORY: as many instances as doca_graph_set_conf said are there; destroy one.
 * Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
						    struct doca_graph_instance **graph_instance)
	DOCA_BIND(doca_graph_instance_create, 2_5);

/**
 * Gives an instance back. The tasks and instances that its nodes had remain the program's.
 * @param graph_instance instance
 * States: not in flight, neither by itself nor as part of another; allowed in its completion
 * callback.
 * Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph_instance is NULL, or was destroyed before.
 * - DOCA_ERROR_IN_USE: it is in flight; progress until it is complete.
 * Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance)
	DOCA_BIND(doca_graph_instance_destroy, 2_5);

/**
 * Sets what the completion callbacks get as the instance's data. All zero until then.
 * @param graph_instance instance
 * @param user_data value that is handed on, not looked at
 * States: not in flight.
 * Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph_instance is NULL or destroyed.
 * - DOCA_ERROR_IN_USE: it is in flight; progress until it is complete.
 * Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_instance_set_user_data(
	struct doca_graph_instance *graph_instance, union doca_data user_data);

/**
 * Gives the instance's data.
 * @param graph_instance instance
 * @param user_data receives it
 * States: any.
 * Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the instance is destroyed.
 * Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_instance_get_user_data(
	const struct doca_graph_instance *graph_instance, union doca_data *user_data);

/**
 * Gives a context node its task. The task must not be freed before the instance is destroyed or has
 * another one. Between submission and completion of the instance it is the library's; its buffers
 * and settings may be changed in between, for the next submission.
 * @param graph_instance instance
 * @param node context node of the instance's graph
 * @param task task of the node's context, allocated and not submitted
 * States: not in flight.
 * Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the instance is destroyed.
 * - DOCA_ERROR_BAD_STATE: the instance is in flight, or the task is submitted or freed.
 * - DOCA_ERROR_NOT_PERMITTED: the node is of another graph or kind, or the task of another context.
 * Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_instance_set_ctx_node_data(
	struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
	struct doca_task *task) DOCA_BIND(doca_graph_instance_set_ctx_node_data, 2_5);

/**
 * Gives a user node what its callback gets. NULL until then.
 * @param graph_instance instance
 * @param node user node of the instance's graph
 * @param cookie pointer that is handed on, not looked at; may be NULL
 * States: not in flight.
 * Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph_instance or node is NULL, or the instance is destroyed.
 * - DOCA_ERROR_BAD_STATE: the instance is in flight.
 * - DOCA_ERROR_NOT_PERMITTED: the node is of another graph or kind.
 * Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_instance_set_user_node_data(
	struct doca_graph_instance *graph_instance, struct doca_graph_node *node, void *cookie)
	DOCA_BIND(doca_graph_instance_set_user_node_data, 2_5);

/**
 * Gives a sub-graph node the instance that it submits. It must not be destroyed before
 * graph_instance is destroyed or has another one, and is not submitted by anybody else while that
 * is in flight.
 * @param graph_instance instance
 * @param node sub-graph node of the instance's graph
 * @param sub_graph_instance instance of the node's sub-graph
 * States: not in flight.
 * Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or an instance is destroyed.
 * - DOCA_ERROR_BAD_STATE: graph_instance or sub_graph_instance is in flight.
 * - DOCA_ERROR_NOT_PERMITTED: the node is of another graph or kind, or sub_graph_instance of
 * another graph. Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_instance_set_sub_graph_node_data(
	struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
	struct doca_graph_instance *sub_graph_instance)
	DOCA_BIND(doca_graph_instance_set_sub_graph_node_data, 2_5);

/**
 * Runs an instance. What goes wrong with a node is told by the error callback, also for the nodes
 * that start at once.
 * @param graph_instance instance; every context and sub-graph node has its data
 * States: not in flight; allowed in completion callbacks.
 * Threads: as for the graph's engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph_instance is NULL or destroyed, or a node has no data.
 * - DOCA_ERROR_IN_USE: it is in flight; progress until it is complete.
 * Since 2.5. Source: DOCA Core guide, graph.
 */
DOCA_STABLE doca_error_t doca_graph_instance_submit(struct doca_graph_instance *graph_instance);

DOCA_ELSEWHERE(doca_graph_ctx_node_create, "up to 2.2: use doca_graph_node_create_from_ctx");
DOCA_ELSEWHERE(doca_workq_graph_submit, "up to 2.2: use doca_graph_instance_submit");

#ifdef __cplusplus
}
#endif

#endif
