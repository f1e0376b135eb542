/* Instances of a graph: allocation from the memory that start reserved, the data of their nodes,
 * submission. See client/graph/graph.h. */
#include <string.h>

#include "client/base/error.h"
#include "client/graph/graph.h"
#include "util/str.h"

static doca_error_t instance_check(const struct doca_graph_instance *instance, const char *what)
{
	if (instance != NULL && instance->state == INSTANCE_OF_JOBS)
		return api_refuse(what, "graph instance", instance->program->graph->api);
	if (instance != NULL && instance->state != INSTANCE_FREE)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s: the instance %s", what,
			 instance == NULL ? "is NULL" : "was destroyed");
}

static doca_error_t instance_check_idle(const struct doca_graph_instance *instance,
					doca_error_t code, const char *what)
{
	doca_error_t result = instance_check(instance, what);

	if (result != DOCA_SUCCESS || instance->state == INSTANCE_IDLE)
		return result;
	return error_set(
		code, "%s: the instance is in flight; progress until its callback is called", what);
}

static void instance_init(struct doca_graph_instance *instance, struct graph_program *program)
{
	uint8_t *memory = (uint8_t *)instance;
	uint32_t i;

	memset(instance, 0, program->stride);
	instance->program = program;
	instance->slots = (struct graph_slot *)(void *)(memory + sizeof(*instance));
	instance->n_waits_for = (uint32_t *)(void *)&instance->slots[program->n_nodes];
	instance->n_unset = program->n_data_nodes;
	instance->state = INSTANCE_IDLE;
	for (i = 0; i < program->n_nodes; i++) {
		instance->slots[i].instance = instance;
		instance->slots[i].op = &program->ops[i];
		if (program->ops[i].kind == GRAPH_USER)
			graph_entry_init(&instance->slots[i]);
	}
}

doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
					struct doca_graph_instance **instance_out)
{
	struct doca_graph_instance *instance;
	struct graph_program *program;
	doca_error_t result;

	if (graph == NULL || instance_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "graph instance create: %s is NULL",
				 graph == NULL ? "graph" : "the result");
	result = graph_check_api(graph, API_TASK, "graph instance create");
	if (result != DOCA_SUCCESS)
		return result;
	program = graph->program;
	if (program == NULL)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "graph instance create: the graph is not started");
	instance = program->free;
	if (instance != NULL) {
		program->free = instance->next;
	} else {
		if (program->n_created == program->n_max)
			return error_note(DOCA_ERROR_NO_MEMORY,
					  "graph instance create: all %u %s in use; destroy one or "
					  "ask for more in doca_graph_set_conf",
					  program->n_max,
					  plural(program->n_max, "instance is", "instances are"));
		instance = (struct doca_graph_instance *)(void *)(program->memory +
								  program->n_created++ *
									  program->stride);
	}
	instance_init(instance, program);
	program->n_live++;
	*instance_out = instance;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_graph_instance_create, 2_5);

doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *instance)
{
	doca_error_t result = instance_check_idle(instance, DOCA_ERROR_IN_USE,
						  "graph instance destroy");

	if (result != DOCA_SUCCESS)
		return result;
	instance->state = INSTANCE_FREE;
	instance->next = instance->program->free;
	instance->program->free = instance;
	instance->program->n_live--;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_graph_instance_destroy, 2_5);

doca_error_t doca_graph_instance_set_user_data(struct doca_graph_instance *instance,
					       union doca_data user_data)
{
	doca_error_t result = instance_check_idle(instance, DOCA_ERROR_IN_USE,
						  "graph instance set user data");

	if (result == DOCA_SUCCESS)
		instance->user_data = user_data;
	return result;
}

doca_error_t doca_graph_instance_get_user_data(const struct doca_graph_instance *instance,
					       union doca_data *user_data_out)
{
	doca_error_t result = instance_check(instance, "graph instance get user data");

	if (result != DOCA_SUCCESS)
		return result;
	if (user_data_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "graph instance get user data: the result is NULL");
	*user_data_out = instance->user_data;
	return DOCA_SUCCESS;
}

/* --- data of nodes --- */

static const char *const kind_names[] = {
	[GRAPH_CTX] = "context", [GRAPH_USER] = "user", [GRAPH_SUB] = "sub-graph"};

static doca_error_t slot_check(const struct doca_graph_instance *instance,
			       const struct doca_graph_node *node, enum graph_kind kind,
			       const char *what)
{
	doca_error_t result = instance_check(instance, what);

	if (result != DOCA_SUCCESS)
		return result;
	if (node == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: the node is NULL", what);
	result = instance_check_idle(instance, DOCA_ERROR_BAD_STATE, what);
	if (result != DOCA_SUCCESS)
		return result;
	if (node->graph != instance->program->graph)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "%s: the node belongs to another graph than the instance", what);
	if (node->kind != kind)
		return error_set(DOCA_ERROR_NOT_PERMITTED, "%s: the node is a %s node", what,
				 kind_names[node->kind]);
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_set_ctx_node_data(struct doca_graph_instance *instance,
						   struct doca_graph_node *node,
						   struct doca_task *task)
{
	static const char what[] = "graph instance set ctx node data";
	doca_error_t result = slot_check(instance, node, GRAPH_CTX, what);
	struct graph_slot *slot;

	if (result != DOCA_SUCCESS)
		return result;
	if (task == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: the task is NULL", what);
	if (task->ctx != node->work.ctx)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "%s: the task belongs to another context than the node", what);
	if (task->state != TASK_OWNED)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "%s: the task is %s; set one that the program owns", what,
				 task->state == TASK_FREE ? "freed" : "submitted");
	slot = &instance->slots[node->index];
	instance->n_unset -= slot->task == NULL;
	slot->task = task;
	slot->pool = task->pool;
	graph_hook_set(slot);
	return DOCA_SUCCESS;
}
API_PLAIN(doca_graph_instance_set_ctx_node_data, 2_5);

doca_error_t doca_graph_instance_set_user_node_data(struct doca_graph_instance *instance,
						    struct doca_graph_node *node, void *cookie)
{
	doca_error_t result = slot_check(instance, node, GRAPH_USER,
					 "graph instance set user node data");

	if (result == DOCA_SUCCESS)
		instance->slots[node->index].cookie = cookie;
	return result;
}
API_PLAIN(doca_graph_instance_set_user_node_data, 2_5);

doca_error_t doca_graph_instance_set_sub_graph_node_data(struct doca_graph_instance *instance,
							 struct doca_graph_node *node,
							 struct doca_graph_instance *sub_instance)
{
	static const char what[] = "graph instance set sub graph node data";
	doca_error_t result = slot_check(instance, node, GRAPH_SUB, what);
	struct graph_slot *slot;

	if (result == DOCA_SUCCESS)
		result = instance_check_idle(sub_instance, DOCA_ERROR_BAD_STATE, what);
	if (result != DOCA_SUCCESS)
		return result;
	if (sub_instance->program->graph != node->work.sub)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "%s: the sub-graph instance is one of another graph than the node",
				 what);
	slot = &instance->slots[node->index];
	instance->n_unset -= slot->sub == NULL;
	slot->sub = sub_instance;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_graph_instance_set_sub_graph_node_data, 2_5);

doca_error_t doca_graph_instance_submit(struct doca_graph_instance *instance)
{
	if (unlikely(instance == NULL || instance->state != INSTANCE_IDLE))
		return instance_check_idle(instance, DOCA_ERROR_IN_USE, "graph instance submit");
	if (unlikely(instance->n_unset > 0))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "graph instance submit: %u %s no data; set the task of each "
				 "context node and the instance of each sub-graph node",
				 instance->n_unset,
				 plural(instance->n_unset, "node has", "nodes have"));
	graph_launch(instance);
	return DOCA_SUCCESS;
}
