/* Graphs of jobs: graphs, their work queues, instances and their data. See
 * client/compat/graph/graph.h. client/graph/graph.c has what graphs of tasks share. */
#include "client/compat/graph/graph.h"

#include <stdlib.h>

#include "client/base/error.h"
#include "client/compat/workq/jobs.h"
#include "util/str.h"

static struct job_graph *job_graph_of(struct doca_graph *graph)
{
	return container_of(graph, struct job_graph, base);
}

/* Checks that the graph is a graph of jobs. */
static doca_error_t graph_check(const struct doca_graph *graph, const char *call)
{
	if (graph == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: graph is NULL", call);
	return graph_check_api(graph, API_2_0, call);
}

static doca_error_t graph_check_started(const struct doca_graph *graph, const char *call)
{
	doca_error_t result = graph_check(graph, call);

	if (result != DOCA_SUCCESS || graph->program != NULL)
		return result;
	return error_set(DOCA_ERROR_BAD_STATE, "%s: the graph is not started", call);
}

static doca_error_t null_argument(const char *call, const char *name)
{
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", call, name);
}

/* --- create and destroy --- */

doca_error_t compat_graph_create(struct doca_graph **graph_out)
{
	struct job_graph *graph;

	if (graph_out == NULL)
		return null_argument("graph create", "the result");
	graph = calloc(1, sizeof(*graph));
	if (graph == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "graph create: out of memory");
	graph_init(&graph->base, NULL, API_2_0);
	list_init(&graph->graph_workqs);
	*graph_out = &graph->base;
	return DOCA_SUCCESS;
}

doca_error_t compat_graph_destroy(struct doca_graph *graph)
{
	static const char call[] = "graph destroy";
	doca_error_t result = graph_check(graph, call);

	if (result == DOCA_SUCCESS)
		result = graph_check_stopped(graph, DOCA_ERROR_NOT_PERMITTED, call);
	if (result == DOCA_SUCCESS)
		graph_deinit(graph);
	return result;
}

/* --- nodes --- */

static doca_error_t graph_check_node(const struct doca_graph *graph, const void *what,
				     const char *name, const void *out, const char *call)
{
	doca_error_t result = graph_check(graph, call);

	if (result == DOCA_SUCCESS && (what == NULL || out == NULL))
		return null_argument(call, what == NULL ? name : "the result");
	return result != DOCA_SUCCESS ? result
				      : graph_check_stopped(graph, DOCA_ERROR_BAD_STATE, call);
}

doca_error_t doca_graph_ctx_node_create(struct doca_graph *graph, int job_type,
					const struct doca_ctx *ctx, struct doca_graph_node **node)
{
	static const char call[] = "graph ctx node create";
	doca_error_t result = graph_check_node(graph, ctx, "ctx", node, call);
	const struct legacy_ctx *legacy_ctx;

	if (result != DOCA_SUCCESS)
		return result;
	legacy_ctx = legacy_ctx_of((struct doca_ctx *)ctx, call);
	if (legacy_ctx == NULL)
		return DOCA_ERROR_BAD_STATE;
	if (legacy_ctx->engine->prepare == NULL || job_type < legacy_ctx->engine->first_type ||
	    job_type > legacy_ctx->engine->last_type)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: a %s context has no jobs of type %d for graphs", call,
				 legacy_ctx->engine->name, job_type);
	result = graph_node_new(graph, GRAPH_CTX, (union graph_work){.ctx = ctx}, node);
	if (result == DOCA_SUCCESS)
		(*node)->job_type = job_type;
	return result;
}

doca_error_t compat_graph_user_node(struct doca_graph *graph,
				    doca_error_t (*cb)(void *cookie, struct doca_event *ev),
				    struct doca_graph_node **node_out)
{
	doca_error_t result = graph_check_node(graph, cb == NULL ? NULL : graph, "the callback",
					       node_out, "graph user node create");

	if (result != DOCA_SUCCESS)
		return result;
	return graph_node_new(graph, GRAPH_USER, (union graph_work){.job_cb = cb}, node_out);
}

doca_error_t doca_graph_sub_graph_node_create(struct doca_graph *graph,
					      struct doca_graph *sub_graph,
					      struct doca_graph_node **node)
{
	static const char call[] = "graph sub graph node create";
	doca_error_t result = graph_check_node(graph, sub_graph, "sub_graph", node, call);

	if (result == DOCA_SUCCESS)
		result = graph_check_api(sub_graph, API_2_0, call);
	if (result != DOCA_SUCCESS)
		return result;
	return graph_node_new_sub(graph, sub_graph, node);
}

/* --- start and stop --- */

static doca_error_t graph_check_startable(const struct doca_graph *graph)
{
	const struct doca_graph_node *node;
	bool has_work = false;

	for (node = graph->nodes; node != NULL; node = node->next) {
		if (node->kind == GRAPH_CTX && node->work.ctx->state != DOCA_CTX_STATE_RUNNING)
			return error_set(DOCA_ERROR_BAD_STATE,
					 "graph start: a %s context is not started; start the "
					 "contexts of all nodes first",
					 node->work.ctx->ops->name);
		if (node->kind == GRAPH_SUB && node->work.sub->program == NULL)
			return graph_check_sub(node->work.sub);
		has_work |= node->kind != GRAPH_USER;
	}
	return has_work ? DOCA_SUCCESS : graph_has_no_work();
}

doca_error_t compat_graph_start(struct doca_graph *graph)
{
	doca_error_t result = graph_check(graph, "graph start");
	size_t len;

	if (result != DOCA_SUCCESS || graph->program != NULL)
		return result;
	result = graph_check_startable(graph);
	if (result != DOCA_SUCCESS)
		return result;
	/* Instances are allocated one by one. */
	graph->program = graph_compile(graph, 0, &len);
	if (graph->program == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "graph start: out of memory for %u %s",
				 graph->n_nodes, plural(graph->n_nodes, "node", "nodes"));
	return DOCA_SUCCESS;
}

doca_error_t compat_graph_stop(struct doca_graph *graph)
{
	static const char call[] = "graph stop";
	doca_error_t result = graph_check_started(graph, call);

	if (result != DOCA_SUCCESS)
		return result;
	if (graph->program->n_live > 0)
		return error_set(DOCA_ERROR_NOT_PERMITTED, "%s: %u %s left; destroy them first",
				 call, graph->program->n_live,
				 plural(graph->program->n_live, "instance is", "instances are"));
	if (!list_is_empty(&job_graph_of(graph)->graph_workqs))
		return error_set(
			DOCA_ERROR_NOT_PERMITTED,
			"%s: work queues are left; call doca_graph_workq_rm for each first", call);
	graph->program = graph_program_free(graph->program);
	return DOCA_SUCCESS;
}

/* --- work queues --- */

static struct graph_workq *graph_workq_find(struct doca_graph *graph,
					    const struct doca_workq *workq)
{
	struct graph_workq *graph_workq;

	list_for_each(graph_workq, &job_graph_of(graph)->graph_workqs, node)
	{
		if (graph_workq->workq == workq)
			return graph_workq;
	}
	return NULL;
}

static void graph_workq_delete(struct graph_workq *graph_workq)
{
	for (uint32_t i = 0; i < graph_workq->n_workq_ctxs; i++)
		workq_ctx_close(graph_workq->workq_ctxs[i]);
	if (graph_workq->ctx.pe->polling == &graph_workq->ctx)
		graph_workq->ctx.pe->polling = NULL;
	list_remove(&graph_workq->ctx.pe_node);
	counters_close(&graph_workq->ctx.counters);
	list_remove(&graph_workq->node);
	free(graph_workq->workq_ctxs);
	free(graph_workq);
}

static doca_error_t graph_workq_add_ctx(struct graph_workq *graph_workq, const struct doca_ctx *ctx)
{
	struct workq_ctx **workq_ctxs;
	doca_error_t result;

	if (graph_workq_find_ctx(graph_workq, ctx) != NULL)
		return DOCA_SUCCESS;
	workq_ctxs = realloc(graph_workq->workq_ctxs,
			     (graph_workq->n_workq_ctxs + 1) * sizeof(struct workq_ctx *));
	if (workq_ctxs == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "graph workq add: out of memory");
	graph_workq->workq_ctxs = workq_ctxs;
	result = workq_ctx_open((struct doca_ctx *)ctx, graph_workq->workq, "graph workq add",
				&workq_ctxs[graph_workq->n_workq_ctxs]);
	if (result == DOCA_SUCCESS)
		graph_workq->n_workq_ctxs++;
	return result;
}

/* Adds all contexts of a graph and of its sub-graphs. */
static doca_error_t graph_workq_add_graph(struct graph_workq *graph_workq, struct doca_graph *graph,
					  uint64_t search)
{
	const struct doca_graph_node *node;
	doca_error_t result = DOCA_SUCCESS;

	graph->visit = search;
	for (node = graph->nodes; node != NULL && result == DOCA_SUCCESS; node = node->next) {
		if (node->kind == GRAPH_CTX)
			result = graph_workq_add_ctx(graph_workq, node->work.ctx);
		else if (node->kind == GRAPH_SUB && node->work.sub->visit != search)
			result = graph_workq_add_graph(graph_workq, node->work.sub, search);
	}
	return result;
}

static struct graph_workq *graph_workq_new(struct doca_graph *graph, struct doca_workq *workq)
{
	struct graph_workq *graph_workq = calloc(1, sizeof(*graph_workq));

	if (graph_workq == NULL)
		return NULL;
	graph_workq->workq = workq;
	graph_workq->blocked_tail = &graph_workq->blocked;
	ctx_init(&graph_workq->ctx, &graph_home_ops, NULL);
	graph_workq->ctx.state = DOCA_CTX_STATE_RUNNING;
	ctx_connect(&graph_workq->ctx, workq_pe(workq));
	list_append(&job_graph_of(graph)->graph_workqs, &graph_workq->node);
	return graph_workq;
}

doca_error_t doca_graph_workq_add(struct doca_graph *graph, struct doca_workq *workq)
{
	static const char call[] = "graph workq add";
	struct graph_workq *graph_workq;
	doca_error_t result;

	if (workq == NULL)
		return null_argument(call, "workq");
	result = graph_check_started(graph, call);
	if (result != DOCA_SUCCESS)
		return result;
	if (graph_workq_find(graph, workq) != NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: the work queue is added to the graph already", call);
	graph_workq = graph_workq_new(graph, workq);
	if (graph_workq == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: out of memory", call);
	result = graph_workq_add_graph(graph_workq, graph, graph_search_next());
	if (result != DOCA_SUCCESS)
		graph_workq_delete(graph_workq);
	return result;
}

doca_error_t doca_graph_workq_rm(struct doca_graph *graph, struct doca_workq *workq)
{
	static const char call[] = "graph workq rm";
	struct graph_workq *graph_workq;
	doca_error_t result;

	if (workq == NULL)
		return null_argument(call, "workq");
	result = graph_check_started(graph, call);
	if (result != DOCA_SUCCESS)
		return result;
	graph_workq = graph_workq_find(graph, workq);
	if (graph_workq == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: the work queue is not added to the graph", call);
	if (!pe_is_own_process(graph_workq->ctx.pe))
		return error_set(DOCA_ERROR_BAD_STATE,
				 "%s: the work queue belongs to the process that forked this one "
				 "and continues there",
				 call);
	if (graph_workq->n_inflight != 0 || graph_workq->ctx.pe->flags & PE_IN_PROGRESS)
		return error_set(DOCA_ERROR_IN_USE,
				 "%s: %u %s in flight on the work queue, or this is a callback of "
				 "it; retrieve their events first",
				 call, graph_workq->n_inflight,
				 plural(graph_workq->n_inflight, "instance is", "instances are"));
	graph_workq_delete(graph_workq);
	return DOCA_SUCCESS;
}

/* --- instances --- */

/* Returns the instance if it is of a graph of jobs; otherwise NULL and *result, with an error
 * sentence. */
static struct job_instance *instance_of(const struct doca_graph_instance *instance,
					const char *call, doca_error_t *result)
{
	if (instance == NULL) {
		*result = null_argument(call, "graph_instance");
		return NULL;
	}
	if (instance->state != INSTANCE_OF_JOBS) {
		*result = api_refuse(call, "graph instance", API_TASK);
		return NULL;
	}
	*result = DOCA_SUCCESS;
	return container_of(instance, struct job_instance, base);
}

static doca_error_t instance_check_idle(const struct job_instance *instance, doca_error_t code,
					const char *call)
{
	if (instance->graph_workq == NULL)
		return DOCA_SUCCESS;
	return error_set(code, "%s: the instance is in flight; retrieve its event first", call);
}

doca_error_t compat_graph_instance_create(const struct doca_graph *graph,
					  struct doca_graph_instance **instance_out)
{
	static const char call[] = "graph instance create";
	doca_error_t result = graph_check_started(graph, call);
	struct job_instance *instance;
	struct graph_program *program;
	size_t len;

	if (result != DOCA_SUCCESS)
		return result;
	if (instance_out == NULL)
		return null_argument(call, "the result");
	program = graph->program;
	len = sizeof(*instance) + program->n_nodes * sizeof(struct job_slot);
	if (posix_memalign((void **)&instance, _Alignof(struct job_instance), len) != 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: out of memory for %u %s", call,
				 program->n_nodes, plural(program->n_nodes, "node", "nodes"));
	__builtin_memset(instance, 0, len);
	instance->base.program = program;
	instance->base.state = INSTANCE_OF_JOBS;
	instance->base.n_unset = program->n_data_nodes;
	for (uint32_t i = 0; i < program->n_nodes; i++) {
		instance->slots[i].instance = instance;
		instance->slots[i].op = &program->ops[i];
	}
	program->n_live++;
	*instance_out = &instance->base;
	return DOCA_SUCCESS;
}

static void slot_drop_sub(struct job_slot *slot)
{
	if (slot->op->kind == GRAPH_SUB && slot->sub != NULL)
		slot->sub->n_parents--;
}

doca_error_t compat_graph_instance_destroy(struct doca_graph_instance *graph_instance)
{
	static const char call[] = "graph instance destroy";
	doca_error_t result;
	struct job_instance *instance = instance_of(graph_instance, call, &result);

	if (instance == NULL)
		return result;
	result = instance_check_idle(instance, DOCA_ERROR_NOT_PERMITTED, call);
	if (result != DOCA_SUCCESS)
		return result;
	if (instance->n_parents != 0)
		return error_set(
			DOCA_ERROR_NOT_PERMITTED,
			"%s: sub-graph nodes of other instances use it; destroy those first", call);
	for (uint32_t i = 0; i < instance->base.program->n_nodes; i++)
		slot_drop_sub(&instance->slots[i]);
	instance->base.program->n_live--;
	free(instance);
	return DOCA_SUCCESS;
}

/* --- data of nodes --- */

static const char *const kind_names[] = {
	[GRAPH_CTX] = "context", [GRAPH_USER] = "user", [GRAPH_SUB] = "sub-graph"};

/* Returns NULL and *result, with an error sentence, if the node has no slot. */
static struct job_slot *slot_of(const struct job_instance *instance,
				const struct doca_graph_node *node, const char *call,
				doca_error_t *result)
{
	if (node == NULL) {
		*result = null_argument(call, "node");
		return NULL;
	}
	if (node->graph != instance->base.program->graph) {
		*result = error_set(DOCA_ERROR_NOT_PERMITTED,
				    "%s: the node belongs to another graph than the instance",
				    call);
		return NULL;
	}
	return (struct job_slot *)&instance->slots[node->index];
}

static struct job_slot *slot_to_set(const struct doca_graph_instance *graph_instance,
				    const struct doca_graph_node *node, enum graph_kind kind,
				    const char *call, doca_error_t *result)
{
	const struct job_instance *instance = instance_of(graph_instance, call, result);
	struct job_slot *slot;

	if (instance == NULL)
		return NULL;
	slot = slot_of(instance, node, call, result);
	if (slot == NULL)
		return NULL;
	*result = instance_check_idle(instance, DOCA_ERROR_BAD_STATE, call);
	if (*result != DOCA_SUCCESS)
		return NULL;
	if (node->kind != kind) {
		*result = error_set(DOCA_ERROR_NOT_PERMITTED, "%s: the node is a %s node", call,
				    kind_names[node->kind]);
		return NULL;
	}
	return slot;
}

doca_error_t compat_graph_set_job(struct doca_graph_instance *instance,
				  struct doca_graph_node *node, struct doca_job *job,
				  struct doca_event *ev)
{
	static const char call[] = "graph instance set ctx node data";
	doca_error_t result;
	struct job_slot *slot = slot_to_set(instance, node, GRAPH_CTX, call, &result);

	if (slot == NULL)
		return result;
	if (job == NULL)
		return null_argument(call, "job");
	if (job->ctx != node->work.ctx)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "%s: the job has another context than the node", call);
	if (job->type != node->job_type)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "%s: the job is of type %d, the node was created for type %d",
				 call, job->type, node->job_type);
	instance->n_unset -= slot->job == NULL;
	slot->job = job;
	slot->event = ev;
	return DOCA_SUCCESS;
}

doca_error_t compat_graph_set_cookie(struct doca_graph_instance *instance,
				     struct doca_graph_node *node, void *cookie,
				     struct doca_event *ev)
{
	doca_error_t result;
	struct job_slot *slot = slot_to_set(instance, node, GRAPH_USER,
					    "graph instance set user node data", &result);

	if (slot == NULL)
		return result;
	slot->cookie = cookie;
	slot->event = ev;
	return DOCA_SUCCESS;
}

doca_error_t compat_graph_set_sub(struct doca_graph_instance *graph_instance,
				  struct doca_graph_node *node,
				  struct doca_graph_instance *sub_instance, struct doca_event *ev)
{
	static const char call[] = "graph instance set sub graph node data";
	doca_error_t result;
	struct job_slot *slot = slot_to_set(graph_instance, node, GRAPH_SUB, call, &result);
	struct job_instance *sub;

	if (slot == NULL)
		return result;
	sub = instance_of(sub_instance, call, &result);
	if (sub == NULL)
		return result;
	result = instance_check_idle(sub, DOCA_ERROR_BAD_STATE, call);
	if (result != DOCA_SUCCESS)
		return result;
	if (sub->base.program->graph != node->work.sub)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "%s: the sub-graph instance is one of another graph than the node",
				 call);
	graph_instance->n_unset -= slot->sub == NULL;
	slot_drop_sub(slot);
	sub->n_parents++;
	slot->sub = sub;
	slot->event = ev;
	return DOCA_SUCCESS;
}

doca_error_t doca_workq_graph_submit(struct doca_workq *workq,
				     struct doca_graph_instance *graph_instance,
				     union doca_data user_data)
{
	static const char call[] = "workq graph submit";
	doca_error_t result;
	struct job_instance *instance = instance_of(graph_instance, call, &result);
	struct graph_workq *graph_workq;

	if (instance == NULL)
		return result;
	if (workq == NULL)
		return null_argument(call, "workq");
	result = instance_check_idle(instance, DOCA_ERROR_IN_USE, call);
	if (result != DOCA_SUCCESS)
		return result;
	graph_workq = graph_workq_find(instance->base.program->graph, workq);
	if (graph_workq == NULL || instance->base.n_unset != 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s", call,
				 graph_workq == NULL
					 ? "the work queue is not added to the graph; call "
					   "doca_graph_workq_add first"
					 : "nodes have no data; set the job of each context "
					   "node and the instance of each sub-graph node");
	if (!workq_has_room(workq))
		return error_hint(DOCA_ERROR_NO_MEMORY,
				  "workq graph submit: the jobs in flight have reached the queue's "
				  "depth; retrieve events first");
	workq->n_jobs++;
	job_instance_launch(instance, graph_workq, user_data);
	return DOCA_SUCCESS;
}

/* --- results of nodes --- */

doca_error_t doca_graph_instance_get_num_failed_nodes(
	const struct doca_graph_instance *graph_instance, uint32_t *num_failed_nodes)
{
	static const char call[] = "graph instance failed nodes";
	doca_error_t result;
	const struct job_instance *instance = instance_of(graph_instance, call, &result);
	uint32_t n = 0;

	if (instance == NULL)
		return result;
	if (num_failed_nodes == NULL)
		return null_argument(call, "the result");
	for (uint32_t i = 0; i < instance->base.program->n_nodes; i++)
		n += instance->slots[i].state == DOCA_GRAPH_INSTANCE_NODE_STATE_ERROR;
	*num_failed_nodes = n;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_get_failed_nodes(const struct doca_graph_instance *graph_instance,
						  const struct doca_graph_node **failed_nodes,
						  uint32_t *num_failed_nodes)
{
	static const char call[] = "graph instance failed nodes";
	doca_error_t result;
	const struct job_instance *instance = instance_of(graph_instance, call, &result);
	const struct doca_graph_node *node;
	uint32_t n = 0;

	if (instance == NULL)
		return result;
	if (failed_nodes == NULL || num_failed_nodes == NULL)
		return null_argument(call, failed_nodes == NULL ? "the array" : "its length");
	node = instance->base.program->graph->nodes;
	for (; node != NULL && n < *num_failed_nodes; node = node->next) {
		if (instance->slots[node->index].state == DOCA_GRAPH_INSTANCE_NODE_STATE_ERROR)
			failed_nodes[n++] = node;
	}
	*num_failed_nodes = n;
	return DOCA_SUCCESS;
}

static const struct job_slot *slot_to_read(const struct doca_graph_instance *graph_instance,
					   const struct doca_graph_node *node, const void *out,
					   const char *call, doca_error_t *result)
{
	const struct job_instance *instance = instance_of(graph_instance, call, result);

	if (instance == NULL)
		return NULL;
	if (out == NULL) {
		*result = null_argument(call, "the result");
		return NULL;
	}
	return slot_of(instance, node, call, result);
}

doca_error_t doca_graph_instance_node_get_state(const struct doca_graph_instance *graph_instance,
						const struct doca_graph_node *node,
						enum doca_graph_instance_node_state *state)
{
	doca_error_t result;
	const struct job_slot *slot = slot_to_read(graph_instance, node, state,
						   "graph instance node state", &result);

	if (slot == NULL)
		return result;
	*state = (enum doca_graph_instance_node_state)slot->state;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_node_get_result(const struct doca_graph_instance *graph_instance,
						 const struct doca_graph_node *node,
						 union doca_data *result_out)
{
	static const char call[] = "graph instance node result";
	doca_error_t result;
	const struct job_slot *slot = slot_to_read(graph_instance, node, result_out, call, &result);

	if (slot == NULL)
		return result;
	if (slot->state != DOCA_GRAPH_INSTANCE_NODE_STATE_COMPLETED &&
	    slot->state != DOCA_GRAPH_INSTANCE_NODE_STATE_ERROR)
		return error_set(DOCA_ERROR_BAD_STATE, "%s: the node is not complete", call);
	*result_out = slot->result;
	return DOCA_SUCCESS;
}
