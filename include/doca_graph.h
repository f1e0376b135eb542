/*
 * Graph: operations of contexts, callbacks and other graphs that are submitted together. They run
 * in the order of their dependencies, without the program's help. From 2.5 on a graph uses tasks
 * and a progress engine (dococ/graph_task.h); up to 2.2 it uses jobs and a work queue
 * (dococ/graph_workq.h).
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: the object was created by a call of another generation; see doca_api.h.
 *
 * Reference: DOCA Core guide, graph.
 *
 * Example: configure and start a graph that runs a task, and then a function of the program. For
 * each run, the program creates an instance with doca_graph_instance_create(), gives it the task
 * with doca_graph_instance_set_ctx_node_data(), and submits it with doca_graph_instance_submit().
 *
 *     doca_error_t start_graph(struct doca_graph *graph, struct doca_ctx *ctx,
 *                              doca_graph_user_node_cb_t then, doca_graph_completion_cb_t done,
 *                              struct doca_graph_node *nodes[2])
 *     {
 *         doca_error_t result = doca_graph_node_create_from_ctx(graph, ctx, &nodes[0]);
 *
 *         if (result == DOCA_SUCCESS)
 *             result = doca_graph_node_create_from_user(graph, then, &nodes[1]);
 *         if (result == DOCA_SUCCESS)
 *             result = doca_graph_add_dependency(graph, nodes[0], nodes[1]);
 *         if (result == DOCA_SUCCESS)
 *             result = doca_graph_set_conf(graph, done, done, 1);
 *         return result == DOCA_SUCCESS ? doca_graph_start(graph) : result;
 *     }
 */
#ifndef DOCA_GRAPH_H_
#define DOCA_GRAPH_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if !DOCA_API_WORKQ
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>
#endif

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 0)
#error "doca_graph.h is there from 2.0 on: set DOCA_USE_VERSION to that or later"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_graph;          /* nodes and their dependencies */
struct doca_graph_node;     /* one step; exists as long as its graph */
struct doca_graph_instance; /* data of one run of a graph */
struct doca_ctx;

/**
 * Makes a node wait for another one. Adding an existing dependency has no effect.
 * @param graph graph of both nodes
 * @param from node that must complete first
 * @param to node that waits
 * States: not started.
 * Threads: as for the graph's engine; up to 2.2 one at a time per graph.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a node belongs to another graph.
 * - DOCA_ERROR_BAD_STATE: the graph is started; call doca_graph_stop first.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_PERMITTED: the nodes would wait for each other: from is the same node as to, or
 *   already depends on it.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_graph_add_dependency(struct doca_graph *graph,
						   struct doca_graph_node *from,
						   struct doca_graph_node *to);

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <dococ/graph_workq.h>
#else
#include <dococ/graph_task.h>
#endif

#endif
