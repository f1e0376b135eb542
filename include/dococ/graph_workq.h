/*
 * Graph, up to 2.2. Included by doca_graph.h.
 *
 * Use a graph in this order: create it, create its nodes, add dependencies, start it, add work
 * queues. Then create instances, set the data of each node of an instance, and submit the instance
 * to one of the work queues as often as needed. An instance is in flight once at a time; any number
 * of instances can be in flight together, and beside ordinary jobs. Tear down in this order:
 * destroy the instances, remove the work queues, stop the graph, destroy it.
 *
 * Execution: the nodes without a predecessor start with the submission. Every other node starts
 * when all its predecessors are complete. Nodes that become ready together are submitted together.
 * Nodes that do not depend on each other run in any order.
 *
 * Everything but the submission happens in doca_workq_progress_retrieve(), which returns
 * DOCA_ERROR_AGAIN while an instance makes progress. When the instance is complete it returns
 * DOCA_SUCCESS with an event of type DOCA_GRAPH_JOB, the user data of the submission, and in
 * result.u64 DOCA_SUCCESS or the code of the first node that failed. An instance counts as one job
 * against the depth of the work queue. Its nodes do not count: each context has slots of its own
 * for nodes, and a node waits while all of them are in use.
 *
 * - A context node submits the job that the instance has for it. The job's event is written to the
 *   event that was set with the job, and is not retrieved from the queue. The work queue need not
 *   be added to the context, and the context cannot be stopped while the graph has a work queue.
 * - A user node runs its callback inside doca_workq_progress_retrieve().
 * - A sub-graph node runs an instance of the other graph on the same work queue, which need not be
 *   added to that graph.
 *
 * Failure: a node fails if its job fails or is refused, if its callback returns anything but
 * DOCA_SUCCESS, or if its sub-graph instance fails. Then no further node of the instance starts.
 * When the running nodes are complete, the instance is complete. An instance cannot be aborted.
 *
 * Threads: one thread at a time per graph and its instances. Instances in flight are used by the
 * thread of their work queue.
 */
#ifndef DOCA_GRAPH_WORKQ_H_
#define DOCA_GRAPH_WORKQ_H_

#include <doca_ctx.h>
#include <dococ/ctx_workq.h>
#include <doca_graph.h>

#if !DOCA_API_WORKQ && !defined(DOCA_API_LIBRARY)
#error "dococ/graph_workq.h is there up to 2.2: set DOCA_USE_VERSION to that, or include doca_graph.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum doca_graph_job_types {
	DOCA_GRAPH_JOB = DOCA_ACTION_GRAPH_FIRST + 1, /* type of the event of an instance */
};

/* State of a node since the last submission of its instance. */
enum doca_graph_instance_node_state {
	DOCA_GRAPH_INSTANCE_NODE_STATE_NOT_STARTED = 0,
	DOCA_GRAPH_INSTANCE_NODE_STATE_STARTED = 1,
	DOCA_GRAPH_INSTANCE_NODE_STATE_COMPLETED = 2,
	DOCA_GRAPH_INSTANCE_NODE_STATE_ERROR = 3,
};

#if DOCA_API_WORKQ
/*
 * Callback of a user node. Receives the cookie and the event from
 * doca_graph_instance_set_user_node_data(). The event, if there is one, has type 0, the cookie as
 * user data and DOCA_SUCCESS as its result; the callback may overwrite it. If the callback returns
 * anything but DOCA_SUCCESS, the instance fails, and the code becomes the result of the event. Runs
 * inside doca_workq_progress_retrieve().
 */
typedef doca_error_t (*doca_graph_user_node_cb_t)(void *cookie, struct doca_event *ev);

/**
 * Creates a graph without nodes.
 * @param graph receives the graph; release it with doca_graph_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_graph_create(struct doca_graph **graph)
	DOCA_BIND(doca_graph_create, 2_0);

/**
 * Destroys a graph and its nodes. A graph that other graphs contain may be destroyed before them,
 * but then they cannot be started any more.
 * @param graph graph
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: it is started; call doca_graph_stop first.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_graph_destroy(struct doca_graph *graph)
	DOCA_BIND(doca_graph_destroy, 2_0);

/**
 * Starts a graph: checks it and prepares it for instances. Succeeds if it is started already.
 * @param graph graph
 * States: every context of its nodes started, every sub-graph started. At least one node is a
 *   context node or a sub-graph node.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: a context or a sub-graph is not started, or there are only user nodes; or
 *   it was created for 2.5 or later.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_graph_start(struct doca_graph *graph)
	DOCA_BIND(doca_graph_start, 2_0);

/**
 * Stops a graph, which may then be changed, started again or destroyed.
 * @param graph graph
 * States: started, all its instances destroyed, all its work queues removed.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: instances or work queues still exist; destroy and remove them first.
 * - DOCA_ERROR_BAD_STATE: it is not started, or was created for 2.5 or later.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_graph_stop(struct doca_graph *graph) DOCA_BIND(doca_graph_stop, 2_0);

/**
 * Creates an instance of the graph, without data.
 * @param graph graph
 * @param graph_instance receives the instance; release it with doca_graph_instance_destroy
 * States: started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the graph is not started, or was created for 2.5 or later.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
						    struct doca_graph_instance **graph_instance)
	DOCA_BIND(doca_graph_instance_create, 2_0);

/**
 * Destroys an instance. The program still owns the jobs and events of its nodes.
 * @param graph_instance instance
 * States: not in flight, and not the data of another instance's node.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: it is in flight, or is set as the instance of a sub-graph node;
 *   retrieve the event, or destroy the other instance first.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance)
	DOCA_BIND(doca_graph_instance_destroy, 2_0);

/**
 * Sets the job of a context node. The library owns the job and the event from submission to
 * completion of the instance. Before the next submission, the program may change the job's buffers
 * and settings.
 * @param graph_instance instance
 * @param node context node of the instance's graph
 * @param job job of the node's type and context; must stay valid as long as the instance
 * @param ev receives the event of the job at each submission; must stay valid as long as the
 *   instance; may be NULL
 * States: not in flight.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph_instance, node or job is NULL.
 * - DOCA_ERROR_BAD_STATE: the instance is in flight, or was created for 2.5 or later.
 * - DOCA_ERROR_NOT_PERMITTED: the node belongs to another graph or is of another kind, or the job
 *   is of another type or context than the node.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_graph_instance_set_ctx_node_data(
	struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
	struct doca_job *job, struct doca_event *ev)
	DOCA_BIND(doca_graph_instance_set_ctx_node_data, 2_0);

/**
 * Sets the cookie that the callback of a user node receives. The default is NULL.
 * @param graph_instance instance
 * @param node user node of the instance's graph
 * @param cookie pointer for the callback, which the library never uses; may be NULL
 * @param ev event that is passed to the callback; must stay valid as long as the instance; may be
 *   NULL
 * States: not in flight.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the instance is in flight, or was created for 2.5 or later.
 * - DOCA_ERROR_NOT_PERMITTED: the node belongs to another graph or is of another kind.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_graph_instance_set_user_node_data(
	struct doca_graph_instance *graph_instance, struct doca_graph_node *node, void *cookie,
	struct doca_event *ev) DOCA_BIND(doca_graph_instance_set_user_node_data, 2_0);

/**
 * Sets the instance that a sub-graph node runs. It cannot be destroyed before graph_instance is
 * destroyed or has another one for the node. While graph_instance is in flight, the program must
 * not submit it by itself.
 * @param graph_instance instance
 * @param node sub-graph node of the instance's graph
 * @param sub_graph_instance instance of the node's sub-graph
 * @param ev receives type DOCA_GRAPH_JOB and the result at each submission; must stay valid as long
 *   as the instance; may be NULL
 * States: not in flight.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph_instance, node or sub_graph_instance is NULL.
 * - DOCA_ERROR_BAD_STATE: an instance is in flight, or was created for 2.5 or later.
 * - DOCA_ERROR_NOT_PERMITTED: the node belongs to another graph or is of another kind, or
 *   sub_graph_instance of another graph.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_graph_instance_set_sub_graph_node_data(
	struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
	struct doca_graph_instance *sub_graph_instance, struct doca_event *ev)
	DOCA_BIND(doca_graph_instance_set_sub_graph_node_data, 2_0);

/**
 * Adds a node that calls a function. It has no predecessor until a dependency gives it one.
 * @param graph graph
 * @param cb the function
 * @param node receives the node, which the graph owns
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the graph is started, or was created for 2.5 or later.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.0, until 2.2; replaced by doca_graph_node_create_from_user.
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
 * @param node receives the node, which the graph owns
 * States: not started; the context in any state.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the context has no jobs of the type.
 * - DOCA_ERROR_BAD_STATE: the graph is started, or graph or context was created for 2.5 or later.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.0, until 2.2; replaced by doca_graph_node_create_from_ctx.
 */
DOCA_STABLE doca_error_t doca_graph_ctx_node_create(struct doca_graph *graph, int job_type,
						    const struct doca_ctx *ctx,
						    struct doca_graph_node **node);

/**
 * Adds a node that runs an instance of another graph. It has no predecessor until a dependency
 * gives it one.
 * @param graph graph
 * @param sub_graph the other graph, started
 * @param node receives the node, which the graph owns
 * States: graph not started, sub_graph started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: graph is started, or sub_graph is not, or one of them was created for 2.5
 *   or later.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_PERMITTED: sub_graph is the graph itself, or contains it.
 * Since 2.0, until 2.2; replaced by doca_graph_node_create_from_graph.
 */
DOCA_STABLE doca_error_t doca_graph_sub_graph_node_create(struct doca_graph *graph,
							  struct doca_graph *sub_graph,
							  struct doca_graph_node **node);

/**
 * Adds a work queue to a graph, which prepares it for instances of the graph.
 * @param graph graph
 * @param workq work queue; cannot be destroyed before it is removed
 * States: started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the work queue is already added.
 * - DOCA_ERROR_BAD_STATE: the graph or a context of it is not started, or the graph was created for
 *   2.5 or later.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_SUPPORTED: the work queue is event driven, and a context of the graph is not.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_graph_workq_add(struct doca_graph *graph, struct doca_workq *workq);

/**
 * Removes a work queue from a graph.
 * @param graph graph
 * @param workq work queue that was added
 * States: started, none of its instances in flight on the work queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the work queue is not added.
 * - DOCA_ERROR_IN_USE: instances are in flight; retrieve their events first.
 * - DOCA_ERROR_BAD_STATE: the graph is not started, or was created for 2.5 or later, or the work
 *   queue is that of the process that forked this one.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_graph_workq_rm(struct doca_graph *graph, struct doca_workq *workq);

/**
 * Submits an instance. The event reports failures of nodes, even of those that the submission
 * starts.
 * @param workq work queue that was added to the instance's graph
 * @param graph_instance instance; the data of every context and sub-graph node is set
 * @param user_data returned with the event
 * States: not in flight.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a node has no data, or the work queue is not added to the graph.
 * - DOCA_ERROR_IN_USE: the instance is in flight; retrieve its event first.
 * - DOCA_ERROR_NO_MEMORY: the number of jobs in flight has reached the work queue's depth; retrieve
 *   events first.
 * Since 2.0, until 2.2; replaced by doca_graph_instance_submit.
 */
DOCA_STABLE doca_error_t doca_workq_graph_submit(struct doca_workq *workq,
						 struct doca_graph_instance *graph_instance,
						 union doca_data user_data);

/**
 * Gets how many nodes failed in the last submission of an instance. Nodes inside sub-graphs are
 * counted with the instances of the sub-graphs.
 * @param graph_instance instance
 * @param num_failed_nodes receives the number
 * @return DOCA_SUCCESS
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_graph_instance_get_num_failed_nodes(
	const struct doca_graph_instance *graph_instance, uint32_t *num_failed_nodes);

/**
 * Gets the nodes that failed in the last submission of an instance.
 * @param graph_instance instance
 * @param failed_nodes array that receives the nodes
 * @param num_failed_nodes in: number of elements of the array; out: number of nodes written
 * @return DOCA_SUCCESS
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_graph_instance_get_failed_nodes(
	const struct doca_graph_instance *graph_instance,
	const struct doca_graph_node **failed_nodes, uint32_t *num_failed_nodes);

/**
 * Gets the state of a node since the last submission of its instance.
 * @param graph_instance instance
 * @param node node of the instance's graph
 * @param state receives the value
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: the node belongs to another graph.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_graph_instance_node_get_state(
	const struct doca_graph_instance *graph_instance, const struct doca_graph_node *node,
	enum doca_graph_instance_node_state *state);

/**
 * Gets the result of a node in the last submission of the instance: the result of the node's event,
 * or, if none was set, the result that the event would have.
 * @param graph_instance instance
 * @param node node of the instance's graph
 * @param result receives the value
 * States: the node is COMPLETED or ERROR.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: the node belongs to another graph.
 * - DOCA_ERROR_BAD_STATE: the node is not complete, or the instance was created for 2.5 or later.
 * Since 2.0, until 2.2.
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
