/*
 * Graph, from 2.5 on. Included by doca_graph.h.
 *
 * Use a graph in this order: create it on an engine, create its nodes, add dependencies, set the
 * callbacks and the number of instances, start it. Then create instances, set the data of each node
 * of an instance, and submit the instance as often as needed. An instance is in flight once at a
 * time; any number of instances can be in flight together, and beside ordinary tasks. Destroy all
 * instances before stopping the graph, and stop it before destroying it. A stopped graph may be
 * changed and started again.
 *
 * Execution: the nodes without a predecessor start with the submission. Every other node starts
 * when all its predecessors are complete. Nodes that become ready together are submitted together,
 * with one flush per context. Nodes that do not depend on each other run in any order.
 *
 * - A context node submits the task that the instance has for it. The callbacks of the task's type
 *   are not called. The program owns the task again when the instance completes;
 *   doca_task_get_status() returns its status. If the context's queue is full, the node waits for
 *   room, and doca_pe_progress() submits it later.
 * - A user node runs its callback inside doca_pe_progress(), never inside a submission.
 * - A sub-graph node submits an instance of the other graph, and is complete when that instance is.
 *   The other graph's completion callbacks are not called.
 *
 * Failure: a node fails if its task fails or cannot be submitted (its context was stopped, or the
 * task is submitted elsewhere), if its callback returns anything but DOCA_SUCCESS, or if its
 * sub-graph instance fails. Then no further node of the instance starts. When the running nodes are
 * complete, including their sub-graph instances, the instance fails. An instance cannot be aborted,
 * but stopping a context fails the tasks of that context.
 *
 * Each submission causes one completion callback of the instance, inside doca_pe_progress(). The
 * callback may submit the instance again or destroy it. No call allocates memory after the start.
 *
 * Threads: one thread at a time per engine and everything that belongs to it, including graphs.
 */
#ifndef DOCA_GRAPH_TASK_H_
#define DOCA_GRAPH_TASK_H_

#include <doca_graph.h>

#if DOCA_API_WORKQ
#error "dococ/graph_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_graph.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_pe;
struct doca_task;

/*
 * Called when an instance is complete, with the user data of the instance and of the graph. Runs
 * inside doca_pe_progress(). The callback may submit or destroy the instance.
 */
typedef void (*doca_graph_completion_cb_t)(struct doca_graph_instance *instance,
					   union doca_data instance_user_data,
					   union doca_data graph_user_data);

/*
 * Callback of a user node. Receives the cookie from doca_graph_instance_set_user_node_data(). If it
 * returns anything but DOCA_SUCCESS, the instance fails. Runs inside doca_pe_progress().
 */
typedef doca_error_t (*doca_graph_user_node_cb_t)(void *cookie);

/**
 * Creates a graph without nodes. The engine cannot be destroyed before the graph.
 * @param pe engine that runs the graph; all contexts and sub-graphs of the graph belong to this
 *   engine
 * @param graph receives the graph; release it with doca_graph_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph)
	DOCA_BIND(doca_graph_create, 2_5);

/**
 * Destroys a graph and its nodes. A graph that other graphs contain may be destroyed before them,
 * but then they cannot be started any more.
 * @param graph graph
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the graph is started; call doca_graph_stop first.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_destroy(struct doca_graph *graph)
	DOCA_BIND(doca_graph_destroy, 2_5);

/**
 * Sets the completion callbacks of instances and the largest number of instances. Without this call
 * there are no callbacks, which suits a graph that runs only inside other graphs, and the number is
 * 1024.
 * @param graph graph
 * @param graph_completion_cb called for an instance whose nodes all succeeded
 * @param graph_error_cb called for an instance that failed; may be the same function
 * @param num_instances largest number of instances, 1 or more; the start allocates their memory
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph or a callback is NULL, or num_instances is 0.
 * - DOCA_ERROR_BAD_STATE: the graph is started; call doca_graph_stop first.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_set_conf(struct doca_graph *graph,
					     doca_graph_completion_cb_t graph_completion_cb,
					     doca_graph_completion_cb_t graph_error_cb,
					     uint32_t num_instances);

/**
 * Sets the graph's user data, which the completion callbacks receive. The default is zero.
 * @param graph graph
 * @param user_data any value; the library never interprets it
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the graph is started; call doca_graph_stop first.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_set_user_data(struct doca_graph *graph,
						  union doca_data user_data);

/**
 * Gets the user data of a graph.
 * @param graph graph
 * @param user_data receives the value
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_get_user_data(const struct doca_graph *graph,
						  union doca_data *user_data);

/**
 * Adds a node that submits a task of a context. It has no predecessor until a dependency gives it
 * one.
 * @param graph graph
 * @param ctx context of the node's tasks; must exist as long as the graph is started
 * @param node receives the node, which the graph owns
 * States: not started; the context in any state.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the context is connected to another engine.
 * - DOCA_ERROR_BAD_STATE: the graph is started; call doca_graph_stop first.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_node_create_from_ctx(struct doca_graph *graph,
							 const struct doca_ctx *ctx,
							 struct doca_graph_node **node);

/**
 * Adds a node that calls a function. It has no predecessor until a dependency gives it one.
 * @param graph graph
 * @param cb the function
 * @param node receives the node, which the graph owns
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the graph is started; call doca_graph_stop first.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_node_create_from_user(struct doca_graph *graph,
							  doca_graph_user_node_cb_t cb,
							  struct doca_graph_node **node);

/**
 * Adds a node that submits an instance of another graph. It has no predecessor until a dependency
 * gives it one.
 * @param graph graph
 * @param sub_graph the other graph, on the same engine and started
 * @param node receives the node, which the graph owns
 * States: graph not started, sub_graph started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: sub_graph belongs to another engine.
 * - DOCA_ERROR_BAD_STATE: graph is started, or sub_graph is not; start the inner one first.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_PERMITTED: sub_graph is the graph itself, or contains it.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_node_create_from_graph(struct doca_graph *graph,
							   struct doca_graph *sub_graph,
							   struct doca_graph_node **node);

/**
 * Starts a graph: checks it and allocates all memory for its instances. Succeeds if it is started
 * already.
 * @param graph graph
 * States: every context of its nodes RUNNING, every sub-graph started. At least one node is a
 *   context node or a sub-graph node.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: a context or a sub-graph is not started, a context is connected to
 *   another engine, or there are only user nodes.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many instances; dococ_last_error() has the size.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_start(struct doca_graph *graph)
	DOCA_BIND(doca_graph_start, 2_5);

/**
 * Stops a graph, which may then be changed, started again or destroyed. Succeeds if it is not
 * started.
 * @param graph graph
 * States: all its instances destroyed.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: instances still exist; progress until they are complete and destroy them.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_stop(struct doca_graph *graph) DOCA_BIND(doca_graph_stop, 2_5);

/**
 * Creates an instance of the graph, without data.
 * @param graph graph
 * @param graph_instance receives the instance; release it with doca_graph_instance_destroy
 * States: started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the graph is not started.
 * - DOCA_ERROR_NO_MEMORY: the graph already has the number of instances set by
 *   doca_graph_set_conf(); destroy one.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
						    struct doca_graph_instance **graph_instance)
	DOCA_BIND(doca_graph_instance_create, 2_5);

/**
 * Destroys an instance. The program still owns the tasks and instances of its nodes.
 * @param graph_instance instance
 * States: not in flight, neither by itself nor as part of another; allowed in its completion
 *   callback.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the instance was destroyed before.
 * - DOCA_ERROR_IN_USE: it is in flight; progress until it is complete.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance)
	DOCA_BIND(doca_graph_instance_destroy, 2_5);

/**
 * Sets the instance's user data, which the completion callbacks receive. The default is zero.
 * @param graph_instance instance
 * @param user_data any value; the library never interprets it
 * States: not in flight.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the instance is destroyed.
 * - DOCA_ERROR_IN_USE: it is in flight; progress until it is complete.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_instance_set_user_data(
	struct doca_graph_instance *graph_instance, union doca_data user_data);

/**
 * Gets the user data of an instance.
 * @param graph_instance instance
 * @param user_data receives the value
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the instance is destroyed.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_instance_get_user_data(
	const struct doca_graph_instance *graph_instance, union doca_data *user_data);

/**
 * Sets the task of a context node. The task must not be freed before the instance is destroyed or
 * has another task for the node. The library owns the task from submission to completion of the
 * instance. Before the next submission, the program may change the task's buffers and settings.
 * @param graph_instance instance
 * @param node context node of the instance's graph
 * @param task task of the node's context, allocated and not submitted
 * States: not in flight.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the instance is destroyed.
 * - DOCA_ERROR_BAD_STATE: the instance is in flight, or the task is submitted or freed.
 * - DOCA_ERROR_NOT_PERMITTED: the node belongs to another graph or is of another kind, or the task
 *   belongs to another context.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_instance_set_ctx_node_data(
	struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
	struct doca_task *task) DOCA_BIND(doca_graph_instance_set_ctx_node_data, 2_5);

/**
 * Sets the cookie that the callback of a user node receives. The default is NULL.
 * @param graph_instance instance
 * @param node user node of the instance's graph
 * @param cookie pointer for the callback, which the library never uses; may be NULL
 * States: not in flight.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the instance is destroyed.
 * - DOCA_ERROR_BAD_STATE: the instance is in flight.
 * - DOCA_ERROR_NOT_PERMITTED: the node belongs to another graph or is of another kind.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_instance_set_user_node_data(
	struct doca_graph_instance *graph_instance, struct doca_graph_node *node, void *cookie)
	DOCA_BIND(doca_graph_instance_set_user_node_data, 2_5);

/**
 * Sets the instance that a sub-graph node submits. It must not be destroyed before graph_instance
 * is destroyed or has another one for the node. While graph_instance is in flight, the program must
 * not submit it by itself.
 * @param graph_instance instance
 * @param node sub-graph node of the instance's graph
 * @param sub_graph_instance instance of the node's sub-graph
 * States: not in flight.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an instance is destroyed.
 * - DOCA_ERROR_BAD_STATE: graph_instance or sub_graph_instance is in flight.
 * - DOCA_ERROR_NOT_PERMITTED: the node belongs to another graph or is of another kind, or
 *   sub_graph_instance belongs to another graph.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_instance_set_sub_graph_node_data(
	struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
	struct doca_graph_instance *sub_graph_instance)
	DOCA_BIND(doca_graph_instance_set_sub_graph_node_data, 2_5);

/**
 * Submits an instance. The error callback reports failures of nodes, even of those that the
 * submission starts.
 * @param graph_instance instance; the data of every context and sub-graph node is set
 * States: not in flight; allowed in completion callbacks.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the instance is destroyed, or a node has no data.
 * - DOCA_ERROR_IN_USE: it is in flight; progress until it is complete.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_graph_instance_submit(struct doca_graph_instance *graph_instance);

DOCA_ELSEWHERE(doca_graph_ctx_node_create, "up to 2.2: use doca_graph_node_create_from_ctx");
DOCA_ELSEWHERE(doca_workq_graph_submit, "up to 2.2: use doca_graph_instance_submit");

#ifdef __cplusplus
}
#endif

#endif
