/*
 * Graph objects: graphs, nodes, dependencies, and the operations allowed in each state. See
 * client/graph/graph.h. A dependency that would close a cycle is refused, so start need not search
 * for cycles.
 */
#include "client/graph/graph.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "client/base/error.h"
#include "util/str.h"

doca_error_t graph_check_api(const struct doca_graph *graph, uint16_t api, const char *what)
{
	return graph->api == api ? DOCA_SUCCESS : api_refuse(what, "graph", graph->api);
}

doca_error_t graph_check_stopped(const struct doca_graph *graph, doca_error_t code,
				 const char *what)
{
	if (graph->program == NULL)
		return DOCA_SUCCESS;
	return error_set(code, "%s: the graph is started; call doca_graph_stop first", what);
}

/* Checks that the graph is a graph of tasks and is stopped. */
static doca_error_t graph_check(const struct doca_graph *graph, const char *what)
{
	doca_error_t result = graph_check_api(graph, API_TASK, what);

	return result != DOCA_SUCCESS ? result
				      : graph_check_stopped(graph, DOCA_ERROR_BAD_STATE, what);
}

void graph_init(struct doca_graph *graph, struct doca_pe *pe, uint16_t api)
{
	graph->pe = pe;
	graph->api = api;
	graph->refs = 1;
	graph->nodes_tail = &graph->nodes;
}

doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph_out)
{
	struct doca_graph *graph;

	if (pe == NULL || graph_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "graph create: %s is NULL",
				 pe == NULL ? "pe" : "the result");
	graph = calloc(1, sizeof(*graph));
	if (graph == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "graph create: out of memory");
	graph_init(graph, pe, API_TASK);
	ctx_init(&graph->ctx, &graph_ctx_ops, NULL);
	graph->ctx.state = DOCA_CTX_STATE_RUNNING;
	ctx_connect(&graph->ctx, pe);
	*graph_out = graph;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_graph_create, 2_5);

/* A graph that others contain leaves an empty object behind, by which they detect that it was
 * destroyed. */
static void graph_release(struct doca_graph *graph)
{
	if (--graph->refs == 0)
		free(graph);
}

void graph_deinit(struct doca_graph *graph)
{
	while (graph->nodes != NULL) {
		struct doca_graph_node *node = graph->nodes;

		graph->nodes = node->next;
		if (node->kind == GRAPH_SUB)
			graph_release(node->work.sub);
		free(node->successors);
		free(node);
	}
	graph->is_destroyed = true;
	graph_release(graph);
}

doca_error_t doca_graph_destroy(struct doca_graph *graph)
{
	doca_error_t result;

	if (graph == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "graph destroy: graph is NULL");
	result = graph_check(graph, "graph destroy");
	if (result != DOCA_SUCCESS)
		return result;
	if (graph->pe->polling == &graph->ctx)
		graph->pe->polling = NULL;
	list_remove(&graph->ctx.pe_node);
	counters_close(&graph->ctx.counters);
	graph_deinit(graph);
	return DOCA_SUCCESS;
}
API_PLAIN(doca_graph_destroy, 2_5);

doca_error_t doca_graph_set_conf(struct doca_graph *graph,
				 doca_graph_completion_cb_t graph_completion_cb,
				 doca_graph_completion_cb_t graph_error_cb, uint32_t num_instances)
{
	doca_error_t result;

	if (graph == NULL || graph_completion_cb == NULL || graph_error_cb == NULL ||
	    num_instances == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "graph set conf: %s",
				 graph == NULL                 ? "graph is NULL"
				 : graph_completion_cb == NULL ? "the completion callback is NULL"
				 : graph_error_cb == NULL      ? "the error callback is NULL"
							       : "0 instances; ask for at least 1");
	result = graph_check(graph, "graph set conf");
	if (result != DOCA_SUCCESS)
		return result;
	graph->ok_cb = graph_completion_cb;
	graph->err_cb = graph_error_cb;
	graph->n_instances = num_instances;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_set_user_data(struct doca_graph *graph, union doca_data user_data)
{
	doca_error_t result;

	if (graph == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "graph set user data: graph is NULL");
	result = graph_check(graph, "graph set user data");
	if (result == DOCA_SUCCESS)
		graph->user_data = user_data;
	return result;
}

doca_error_t doca_graph_get_user_data(const struct doca_graph *graph,
				      union doca_data *user_data_out)
{
	doca_error_t result;

	if (graph == NULL || user_data_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "graph get user data: %s is NULL",
				 graph == NULL ? "graph" : "the result");
	result = graph_check_api(graph, API_TASK, "graph get user data");
	if (result == DOCA_SUCCESS)
		*user_data_out = graph->user_data;
	return result;
}

/* --- nodes --- */

doca_error_t graph_node_new(struct doca_graph *graph, enum graph_kind kind, union graph_work work,
			    struct doca_graph_node **node_out)
{
	struct doca_graph_node *node = calloc(1, sizeof(*node));

	if (node == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "graph node create: out of memory");
	node->graph = graph;
	node->kind = kind;
	node->work = work;
	*graph->nodes_tail = node;
	graph->nodes_tail = &node->next;
	graph->n_nodes++;
	*node_out = node;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_node_create_from_ctx(struct doca_graph *graph, const struct doca_ctx *ctx,
					     struct doca_graph_node **node_out)
{
	doca_error_t result;

	if (graph == NULL || ctx == NULL || node_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "graph node from ctx: %s is NULL",
				 graph == NULL ? "graph"
				 : ctx == NULL ? "ctx"
					       : "the result");
	if (ctx->legacy != NULL)
		return api_refuse("graph node from ctx", "context", ctx->legacy->api);
	if (ctx->pe != NULL && ctx->pe != graph->pe)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "graph node from ctx: the %s context is connected to another "
				 "engine than the graph's",
				 ctx->ops->name);
	result = graph_check(graph, "graph node from ctx");
	if (result != DOCA_SUCCESS)
		return result;
	return graph_node_new(graph, GRAPH_CTX, (union graph_work){.ctx = ctx}, node_out);
}

doca_error_t doca_graph_node_create_from_user(struct doca_graph *graph,
					      doca_graph_user_node_cb_t cb,
					      struct doca_graph_node **node_out)
{
	doca_error_t result;

	if (graph == NULL || cb == NULL || node_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "graph node from user: %s is NULL",
				 graph == NULL ? "graph"
				 : cb == NULL  ? "the callback"
					       : "the result");
	result = graph_check(graph, "graph node from user");
	if (result != DOCA_SUCCESS)
		return result;
	return graph_node_new(graph, GRAPH_USER, (union graph_work){.cb = cb}, node_out);
}

/* Each search has a number of its own, so that marks of earlier searches need no reset. */
uint64_t graph_search_next(void)
{
	static atomic_uint_fast64_t n;

	return atomic_fetch_add_explicit(&n, 1, memory_order_relaxed) + 1;
}

static bool graph_contains(struct doca_graph *graph, const struct doca_graph *wanted)
{
	uint64_t search = graph_search_next();
	struct doca_graph *stack = graph;

	graph->visit = search;
	graph->to_visit = NULL;
	while (stack != NULL) {
		const struct doca_graph_node *node;

		graph = stack;
		stack = graph->to_visit;
		if (graph == wanted)
			return true;
		for (node = graph->nodes; node != NULL; node = node->next) {
			struct doca_graph *sub = node->work.sub;

			if (node->kind != GRAPH_SUB || sub->visit == search)
				continue;
			sub->visit = search;
			sub->to_visit = stack;
			stack = sub;
		}
	}
	return false;
}

doca_error_t graph_node_new_sub(struct doca_graph *graph, struct doca_graph *sub_graph,
				struct doca_graph_node **node_out)
{
	doca_error_t result;

	if (graph_contains(sub_graph, graph))
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "graph node from graph: the sub-graph %s; a graph cannot run "
				 "inside itself",
				 graph == sub_graph ? "is the graph itself" : "contains the graph");
	if (sub_graph->program == NULL)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "graph node from graph: the sub-graph is not started; start the "
				 "inner graph first");
	result = graph_node_new(graph, GRAPH_SUB, (union graph_work){.sub = sub_graph}, node_out);
	if (result == DOCA_SUCCESS)
		sub_graph->refs++;
	return result;
}

doca_error_t doca_graph_node_create_from_graph(struct doca_graph *graph,
					       struct doca_graph *sub_graph,
					       struct doca_graph_node **node_out)
{
	doca_error_t result;

	if (graph == NULL || sub_graph == NULL || node_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "graph node from graph: %s is NULL",
				 graph == NULL       ? "graph"
				 : sub_graph == NULL ? "sub_graph"
						     : "the result");
	result = graph_check_api(graph, API_TASK, "graph node from graph");
	if (result == DOCA_SUCCESS)
		result = graph_check_api(sub_graph, API_TASK, "graph node from graph");
	if (result != DOCA_SUCCESS)
		return result;
	if (sub_graph->pe != graph->pe)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "graph node from graph: the sub-graph belongs to another engine");
	result = graph_check(graph, "graph node from graph");
	if (result != DOCA_SUCCESS)
		return result;
	return graph_node_new_sub(graph, sub_graph, node_out);
}

/* --- dependencies --- */

static bool node_leads_to(struct doca_graph_node *node, const struct doca_graph_node *wanted)
{
	uint64_t search = graph_search_next();
	struct doca_graph_node *stack = node;
	uint32_t i;

	node->visit = search;
	node->to_visit = NULL;
	while (stack != NULL) {
		node = stack;
		stack = node->to_visit;
		if (node == wanted)
			return true;
		for (i = 0; i < node->n_successors; i++) {
			struct doca_graph_node *next = node->successors[i];

			if (next->visit == search)
				continue;
			next->visit = search;
			next->to_visit = stack;
			stack = next;
		}
	}
	return false;
}

static int node_reserve_successor(struct doca_graph_node *node)
{
	uint32_t max = node->successors_max == 0 ? 4 : 2 * node->successors_max;
	struct doca_graph_node **successors;

	if (node->n_successors < node->successors_max)
		return 0;
	successors = realloc(node->successors, max * sizeof(struct doca_graph_node *));
	if (successors == NULL)
		return -1;
	node->successors = successors;
	node->successors_max = max;
	return 0;
}

doca_error_t doca_graph_add_dependency(struct doca_graph *graph, struct doca_graph_node *from,
				       struct doca_graph_node *to)
{
	doca_error_t result;
	uint32_t i;

	if (graph == NULL || from == NULL || to == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "graph add dependency: %s is NULL",
				 graph == NULL  ? "graph"
				 : from == NULL ? "from"
						: "to");
	if (from->graph != graph || to->graph != graph)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "graph add dependency: %s is a node of another graph",
				 from->graph != graph ? "from" : "to");
	result = graph_check_stopped(graph, DOCA_ERROR_BAD_STATE, "graph add dependency");
	if (result != DOCA_SUCCESS)
		return result;
	for (i = 0; i < from->n_successors; i++) {
		if (from->successors[i] == to)
			return DOCA_SUCCESS;
	}
	/* Graphs are usually built in order, so that `to` has no successors yet and no search is
	 * needed. */
	if (from == to || (to->n_successors > 0 && node_leads_to(to, from)))
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "graph add dependency: %s; nodes cannot wait for each other",
				 from == to ? "from and to are the same node"
					    : "from already comes after to");
	if (node_reserve_successor(from) < 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "graph add dependency: out of memory");
	from->successors[from->n_successors++] = to;
	to->n_predecessors++;
	return DOCA_SUCCESS;
}

/* --- start and stop --- */

doca_error_t graph_check_sub(const struct doca_graph *sub_graph)
{
	if (sub_graph->program != NULL)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_BAD_STATE, "graph start: a sub-graph %s",
			 sub_graph->is_destroyed ? "was destroyed"
						 : "is not started; start the inner ones first");
}

doca_error_t graph_has_no_work(void)
{
	return error_set(DOCA_ERROR_BAD_STATE,
			 "graph start: no node is one of a context or of another graph; add one");
}

static doca_error_t graph_check_startable(const struct doca_graph *graph)
{
	const struct doca_graph_node *node;
	bool has_work = false;

	for (node = graph->nodes; node != NULL; node = node->next) {
		if (node->kind == GRAPH_CTX && node->work.ctx->pe != graph->pe)
			return error_set(DOCA_ERROR_BAD_STATE,
					 "graph start: a %s context is not connected to the "
					 "graph's engine",
					 node->work.ctx->ops->name);
		if (node->kind == GRAPH_CTX && node->work.ctx->state != DOCA_CTX_STATE_RUNNING)
			return error_set(DOCA_ERROR_BAD_STATE,
					 "graph start: a %s context is not running; start the "
					 "contexts of all nodes first",
					 node->work.ctx->ops->name);
		if (node->kind == GRAPH_SUB && node->work.sub->program == NULL)
			return graph_check_sub(node->work.sub);
		has_work |= node->kind != GRAPH_USER;
	}
	return has_work ? DOCA_SUCCESS : graph_has_no_work();
}

doca_error_t doca_graph_start(struct doca_graph *graph)
{
	doca_error_t result;
	uint32_t n;
	size_t len;

	if (graph == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "graph start: graph is NULL");
	result = graph_check_api(graph, API_TASK, "graph start");
	if (result != DOCA_SUCCESS)
		return result;
	if (graph->program != NULL)
		return DOCA_SUCCESS;
	result = graph_check_startable(graph);
	if (result != DOCA_SUCCESS)
		return result;
	n = graph->n_instances != 0 ? graph->n_instances : GRAPH_INSTANCES_DEFAULT;
	graph->program = graph_compile(graph, n, &len);
	if (graph->program == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "graph start: out of memory; %u %s of %u %s need %zu bytes", n,
				 plural(n, "instance", "instances"), graph->n_nodes,
				 plural(graph->n_nodes, "node", "nodes"), len);
	return DOCA_SUCCESS;
}
API_PLAIN(doca_graph_start, 2_5);

doca_error_t doca_graph_stop(struct doca_graph *graph)
{
	doca_error_t result;

	if (graph == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "graph stop: graph is NULL");
	result = graph_check_api(graph, API_TASK, "graph stop");
	if (result != DOCA_SUCCESS)
		return result;
	if (graph->program == NULL)
		return DOCA_SUCCESS;
	if (graph->program->n_live > 0)
		return error_set(DOCA_ERROR_IN_USE, "graph stop: %u %s left; destroy them first",
				 graph->program->n_live,
				 plural(graph->program->n_live, "instance is", "instances are"));
	graph->program = graph_program_free(graph->program);
	return DOCA_SUCCESS;
}
API_PLAIN(doca_graph_stop, 2_5);
