/* Execution of instances of graphs of jobs. See client/compat/graph/graph.h. The end of an instance
 * is an event in the work queue's ring, so only user nodes call the program from here. */
#include "client/base/error.h"
#include "client/compat/graph/graph.h"

/* The most waiting nodes that one call of progress tries. */
#define RETRY_MAX 32u

static struct job_slot *slot_of_entry(const struct doca_task *entry)
{
	return container_of(entry, struct job_slot, entry);
}

static void node_end(struct job_slot *slot, doca_error_t status);

/* --- internal entries in the engine's queue --- */

static doca_error_t entry_execute(struct doca_task *entry)
{
	struct job_slot *slot = slot_of_entry(entry);
	struct doca_event scratch, *event = slot->event != NULL ? slot->event : &scratch;
	doca_error_t result;

	/* Another node failed while this one was queued. */
	if (unlikely(slot->instance->base.status != DOCA_SUCCESS))
		return DOCA_ERROR_SKIPPED;
	slot->state = DOCA_GRAPH_INSTANCE_NODE_STATE_STARTED;
	*event = (struct doca_event){.type = DOCA_ACTION_NONE, .user_data.ptr = slot->cookie};
	result = slot->op->work.job_cb(slot->cookie, slot->event);
	if (unlikely(result != DOCA_SUCCESS)) {
		error_note(result, "graph: the callback of a user node returned %s",
			   error_name(result));
		event->result.u64 = result;
	}
	slot->result = event->result;
	return result;
}

static void entry_done(struct doca_task *entry, union doca_data user_data, union doca_data ctx_data)
{
	(void)user_data;
	(void)ctx_data;
	node_end(slot_of_entry(entry), entry->status);
}

static const struct task_pool entry_pool = {
	.ok_cb = entry_done,
	.err_cb = entry_done,
	.execute = entry_execute,
};

static void entry_init(struct job_slot *slot)
{
	slot->entry = (struct doca_task){.ctx = &slot->instance->graph_workq->ctx,
					 .pool = &entry_pool};
}

static void entry_queue(struct job_slot *slot)
{
	entry_init(slot);
	task_queue(&slot->entry, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

static void node_fail(struct job_slot *slot, doca_error_t status)
{
	slot->state = DOCA_GRAPH_INSTANCE_NODE_STATE_STARTED;
	slot->result.u64 = status;
	if (slot->event != NULL && slot->op->kind == GRAPH_CTX)
		*slot->event = (struct doca_event){.type = slot->job->type,
						   .user_data = slot->job->user_data,
						   .result.u64 = status};
	entry_init(slot);
	slot->entry.status = status;
	slot->entry.done = TASK_DONE;
	task_queue(&slot->entry, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

static void node_skip(struct job_slot *slot)
{
	entry_init(slot);
	slot->entry.status = DOCA_ERROR_SKIPPED;
	slot->entry.done = TASK_DONE;
	task_queue(&slot->entry, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

/* --- context nodes --- */

/* Returns whether the error means that the queue has no room at present. Waiting does not help
 * against other shortages, such as memory or connections, so they fail the node. */
static bool is_full(doca_error_t result)
{
	return result == DOCA_ERROR_AGAIN;
}

static void task_done(struct doca_task *task, union doca_data user_data, union doca_data ctx_data)
{
	struct job_slot *slot = container_of(task->pool, struct job_slot, hook);
	const struct workq_ctx *workq_ctx = ctx_data.ptr;
	doca_error_t status = task->status;
	struct doca_event event;

	(void)user_data;
	task->pool = slot->pool;
	workq_ctx->engine->report(task, &event);
	task_put(task);
	slot->result = event.result;
	if (slot->event != NULL)
		*slot->event = event;
	node_end(slot, status);
}

static doca_error_t task_submit(const struct workq_ctx *workq_ctx, struct job_slot *slot,
				struct doca_task *task)
{
	struct doca_event unused;
	doca_error_t result;

	slot->pool = task->pool;
	slot->hook = *task->pool;
	slot->hook.ok_cb = slot->hook.err_cb = task_done;
	task->pool = &slot->hook;
	if (slot->hook.submit == NULL) {
		task_queue(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
		return DOCA_SUCCESS;
	}
	result = slot->hook.submit(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	if (likely(result == DOCA_SUCCESS))
		return result;
	task->pool = slot->pool;
	task->status = result;
	workq_ctx->engine->report(task, &unused);
	task_put(task);
	return result;
}

static doca_error_t job_start(struct job_slot *slot)
{
	const struct doca_ctx *ctx = slot->op->work.ctx;
	struct workq_ctx *workq_ctx = graph_workq_find_ctx(slot->instance->graph_workq, ctx);
	struct doca_task *task;
	doca_error_t result;

	if (unlikely(workq_ctx == NULL))
		return error_set(DOCA_ERROR_BAD_STATE,
				 "graph: the work queue was added before the %s context was added "
				 "to a sub-graph; remove the queue and add it again",
				 ctx->ops->name);
	if (unlikely(slot->job->ctx != ctx))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "graph: the job of a node has another context than the node");
	result = workq_check_job(workq_ctx, slot->job);
	if (unlikely(result != DOCA_SUCCESS))
		return result;
	result = workq_ctx->engine->prepare(workq_ctx, slot->job, &task);
	/* The tasks of the work queue are in use and will be returned. */
	if (unlikely(result == DOCA_ERROR_NO_MEMORY))
		return DOCA_ERROR_AGAIN;
	if (unlikely(result != DOCA_SUCCESS))
		return result;
	slot->state = DOCA_GRAPH_INSTANCE_NODE_STATE_STARTED;
	result = task_submit(workq_ctx, slot, task);
	if (unlikely(result != DOCA_SUCCESS))
		slot->state = DOCA_GRAPH_INSTANCE_NODE_STATE_NOT_STARTED;
	return result;
}

static void blocked_append(struct graph_workq *graph_workq, struct job_slot *slot)
{
	slot->entry = (struct doca_task){.next = NULL};
	*graph_workq->blocked_tail = &slot->entry;
	graph_workq->blocked_tail = &slot->entry.next;
}

static void job_node_start(struct job_slot *slot)
{
	struct graph_workq *graph_workq = slot->instance->graph_workq;
	doca_error_t result = job_start(slot);

	if (likely(result == DOCA_SUCCESS))
		return;
	if (!is_full(result)) {
		node_fail(slot, result);
		return;
	}
	blocked_append(graph_workq, slot);
	ctx_set_polled(&graph_workq->ctx, true);
}

/* Tries each waiting node at most once. */
static uint8_t graph_workq_poll(struct doca_ctx *ctx)
{
	struct graph_workq *graph_workq = container_of(ctx, struct graph_workq, ctx);
	struct doca_task *entry = graph_workq->blocked;
	uint8_t moved = 0;

	graph_workq->blocked = NULL;
	graph_workq->blocked_tail = &graph_workq->blocked;
	for (uint32_t n = 0; entry != NULL && n < RETRY_MAX; n++) {
		struct job_slot *slot = slot_of_entry(entry);
		doca_error_t result = DOCA_ERROR_SKIPPED;

		entry = entry->next;
		if (slot->instance->base.status == DOCA_SUCCESS)
			result = job_start(slot);
		if (is_full(result)) {
			blocked_append(graph_workq, slot);
			continue;
		}
		moved = 1;
		if (result == DOCA_ERROR_SKIPPED)
			node_skip(slot);
		else if (result != DOCA_SUCCESS)
			node_fail(slot, result);
	}
	/* Nodes that were not tried come before those that were. */
	if (entry != NULL) {
		struct doca_task *tried = graph_workq->blocked, **tail = graph_workq->blocked_tail;

		graph_workq->blocked = entry;
		while (entry->next != NULL)
			entry = entry->next;
		entry->next = tried;
		graph_workq->blocked_tail = tried != NULL ? tail : &entry->next;
	}
	if (graph_workq->blocked == NULL)
		ctx_set_polled(ctx, false);
	return moved;
}

/* Returns whether any task is in flight. Its completion wakes the program and makes room. */
static bool graph_workq_arm(struct doca_ctx *ctx)
{
	const struct graph_workq *graph_workq = container_of(ctx, struct graph_workq, ctx);

	for (uint32_t i = 0; i < graph_workq->n_workq_ctxs; i++) {
		if (ctx_n_inflight(graph_workq->workq_ctxs[i]->core) != 0)
			return false;
	}
	return true;
}

const struct ctx_ops graph_home_ops = {
	.name = "graph",
	.counted_as = COUNTERS_GRAPH,
	.poll = graph_workq_poll,
	.arm = graph_workq_arm,
};

/* --- start of nodes --- */

static void instance_start(struct job_instance *instance);

static doca_error_t sub_check(const struct job_slot *slot)
{
	if (slot->op->work.sub->program != slot->sub->base.program)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "graph: the graph of a sub-graph node was stopped since the node "
				 "was given its instance");
	if (slot->sub->graph_workq != NULL)
		return error_set(DOCA_ERROR_IN_USE,
				 "graph: the instance of a sub-graph node is in flight already");
	if (slot->sub->base.n_unset > 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "graph: the instance of a sub-graph node has nodes without data");
	return DOCA_SUCCESS;
}

static void sub_node_start(struct job_slot *slot)
{
	doca_error_t result = sub_check(slot);

	if (result != DOCA_SUCCESS) {
		node_fail(slot, result);
		return;
	}
	slot->state = DOCA_GRAPH_INSTANCE_NODE_STATE_STARTED;
	slot->sub->graph_workq = slot->instance->graph_workq;
	slot->sub->parent = slot;
	instance_start(slot->sub);
}

static void node_start(struct job_slot *slot)
{
	if (likely(slot->op->kind == GRAPH_CTX))
		job_node_start(slot);
	else if (slot->op->kind == GRAPH_USER)
		entry_queue(slot);
	else
		sub_node_start(slot);
}

static void instance_start(struct job_instance *instance)
{
	const struct graph_program *program = instance->base.program;

	instance->base.status = DOCA_SUCCESS;
	instance->base.n_inflight = program->n_roots;
	for (uint32_t i = 0; i < program->n_nodes; i++) {
		instance->slots[i].n_waits_for = program->n_predecessors[i];
		instance->slots[i].state = DOCA_GRAPH_INSTANCE_NODE_STATE_NOT_STARTED;
	}
	for (uint32_t i = 0; i < program->n_roots; i++)
		node_start(&instance->slots[i]);
}

void job_instance_launch(struct job_instance *instance, struct graph_workq *graph_workq,
			 union doca_data user_data)
{
	instance->graph_workq = graph_workq;
	instance->parent = NULL;
	instance->user_data = user_data;
	graph_workq->n_inflight++;
	instance_start(instance);
}

struct workq_ctx *graph_workq_find_ctx(const struct graph_workq *graph_workq,
				       const struct doca_ctx *ctx)
{
	for (uint32_t i = 0; i < graph_workq->n_workq_ctxs; i++) {
		if (graph_workq->workq_ctxs[i]->ctx == ctx)
			return graph_workq->workq_ctxs[i];
	}
	return NULL;
}

/* --- end of nodes --- */

/* Returns how many successors were started. */
static uint32_t successors_start(const struct job_slot *slot)
{
	struct job_instance *instance = slot->instance;
	const struct graph_op *op = slot->op;
	uint32_t n = 0;

	for (uint32_t i = 0; i < op->n_successors; i++) {
		struct job_slot *next = &instance->slots[op->successors[i]];

		if (--next->n_waits_for != 0)
			continue;
		n++;
		node_start(next);
	}
	return n;
}

/* Returns the node of another instance that is complete with this instance, or NULL. */
static struct job_slot *instance_end(struct job_instance *instance)
{
	struct graph_workq *graph_workq = instance->graph_workq;
	union doca_data result = {.u64 = instance->base.status};

	instance->graph_workq = NULL;
	if (instance->parent != NULL)
		return instance->parent;
	graph_workq->n_inflight--;
	workq_post(graph_workq->workq, DOCA_GRAPH_JOB, instance->user_data, result, DOCA_SUCCESS);
	return NULL;
}

static void node_mark(struct job_slot *slot, doca_error_t status)
{
	/* A skipped node was never started. */
	if (slot->state == DOCA_GRAPH_INSTANCE_NODE_STATE_NOT_STARTED)
		return;
	slot->state = status == DOCA_SUCCESS ? DOCA_GRAPH_INSTANCE_NODE_STATE_COMPLETED
					     : DOCA_GRAPH_INSTANCE_NODE_STATE_ERROR;
	if (slot->op->kind != GRAPH_SUB)
		return;
	slot->result.u64 = status;
	if (slot->event != NULL)
		*slot->event = (struct doca_event){.type = DOCA_GRAPH_JOB, .result.u64 = status};
}

static void node_end(struct job_slot *slot, doca_error_t status)
{
	while (slot != NULL) {
		struct job_instance *instance = slot->instance;
		uint32_t n = 0;

		node_mark(slot, status);
		if (status != DOCA_SUCCESS && instance->base.status == DOCA_SUCCESS)
			instance->base.status = status;
		if (instance->base.status == DOCA_SUCCESS)
			n = successors_start(slot);
		instance->base.n_inflight += n - 1;
		if (instance->base.n_inflight != 0)
			return;
		status = instance->base.status;
		slot = instance_end(instance);
	}
}
