/*
 * Execution of graph instances; see client/graph/graph.h.
 *
 * A node starts when its instance is launched or when its last predecessor completes. Starting a
 * node calls no callback: a node that fails at once is queued as a completion. Callbacks thus run
 * in doca_pe_progress() only, and no function is re-entered. The end of an instance is the last
 * step of a completion, because the program may destroy everything in its callback.
 */
#include <sys/timerfd.h>

#include "client/base/error.h"
#include "client/graph/graph.h"
#include "util/fd.h"

/* The most waiting nodes that one call of progress tries. */
#define RETRY_MAX 32u
/* The longest sleep of a program while nodes wait, if no engine wakes it earlier. */
#define RETRY_NS 2000000

/* Nodes that become ready together; passed by value, to stay in registers. One context node is held
 * back until it is known whether it is the last one of its context, which flushes. */
struct launch {
	struct graph_slot *held;
	struct doca_graph_instance *subs;
};

static struct graph_slot *slot_of_entry(const struct doca_task *entry)
{
	return container_of(entry, struct graph_slot, entry);
}

static inline void node_done(struct graph_slot *slot, doca_error_t status);

void graph_task_ok(struct doca_task *task, union doca_data task_data, union doca_data ctx_data)
{
	struct graph_slot *slot = container_of(task->pool, struct graph_slot, hook);

	(void)task_data;
	(void)ctx_data;
	task->pool = slot->pool;
	node_done(slot, DOCA_SUCCESS);
}

void graph_task_failed(struct doca_task *task, union doca_data task_data, union doca_data ctx_data)
{
	struct graph_slot *slot = container_of(task->pool, struct graph_slot, hook);

	(void)task_data;
	(void)ctx_data;
	task->pool = slot->pool;
	node_done(slot, task->status);
}

/* --- internal entries in the engine's queue --- */

static void entry_ok(struct doca_task *entry, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	node_done(slot_of_entry(entry), DOCA_SUCCESS);
}

static void entry_failed(struct doca_task *entry, union doca_data task_data,
			 union doca_data ctx_data)
{
	struct graph_slot *slot = slot_of_entry(entry);
	doca_error_t status = entry->status;

	(void)task_data;
	(void)ctx_data;
	if (slot->op->kind == GRAPH_CTX)
		graph_hook_set(slot);
	node_done(slot, status);
}

static doca_error_t entry_execute(struct doca_task *entry)
{
	const struct graph_slot *slot = slot_of_entry(entry);
	doca_error_t result;

	/* Another node failed while this one was queued. */
	if (unlikely(slot->instance->status != DOCA_SUCCESS))
		return DOCA_ERROR_SKIPPED;
	result = slot->op->work.cb(slot->cookie);
	if (unlikely(result != DOCA_SUCCESS))
		error_note(result, "graph: the callback of a user node returned %s",
			   doca_error_get_name(result));
	return result;
}

const struct task_pool graph_entry_pool = {
	.ok_cb = entry_ok,
	.err_cb = entry_failed,
	.execute = entry_execute,
};

/* The entry of a user node was initialised with the instance. */
static inline void user_node_start(struct graph_slot *slot)
{
	task_queue(&slot->entry, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

static __attribute__((noinline)) void node_fail(struct graph_slot *slot, doca_error_t status)
{
	graph_entry_init(slot);
	slot->entry.status = status;
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

static void blocked_append(struct graph_slot *slot)
{
	struct graph_program *program = slot->instance->program;

	slot->entry = (struct doca_task){.next = NULL};
	*program->blocked_tail = &slot->entry;
	program->blocked_tail = &slot->entry.next;
	program->n_blocked++;
	counters_add(&program->graph->ctx.line->submitted, 1);
}

static struct graph_slot *blocked_dequeue(struct graph_program *program)
{
	struct graph_slot *slot = slot_of_entry(program->blocked);

	program->blocked = slot->entry.next;
	if (program->blocked == NULL)
		program->blocked_tail = &program->blocked;
	program->n_blocked--;
	/* The entry was counted while it waited; it does not count as a task of the graph. */
	counters_add(&program->graph->ctx.line->submitted, (uint64_t)-1);
	return slot;
}

static __attribute__((noinline)) void task_refused(struct graph_slot *slot, doca_error_t result)
{
	struct doca_task *task = slot->task;

	if (task->state == TASK_OWNED) {
		task->pool = slot->pool;
		if (is_full(result)) {
			blocked_append(slot);
			ctx_set_polled(&slot->instance->program->graph->ctx, true);
			return;
		}
		task->status = result;
	}
	node_fail(slot, result);
}

static __attribute__((noinline)) doca_error_t task_explain(const struct doca_task *task)
{
	if (task->state != TASK_OWNED)
		return error_set(DOCA_ERROR_IN_USE,
				 "graph: the task of a node is %s; it must be the program's when "
				 "the node starts",
				 task->state == TASK_FREE ? "freed" : "submitted already");
	return error_set(DOCA_ERROR_BAD_STATE,
			 "graph: the %s context of a node is not running; the instance fails",
			 task->ctx->ops->name);
}

static inline doca_error_t task_start(struct graph_slot *slot, uint32_t flags)
{
	struct doca_task *task = slot->task;

	if (unlikely(task->state != TASK_OWNED || task->ctx->state != DOCA_CTX_STATE_RUNNING))
		return task_explain(task);
	task->pool = &slot->hook;
	if (slot->hook.submit != NULL)
		return slot->hook.submit(task, flags);
	task_queue(task, flags);
	return DOCA_SUCCESS;
}

static inline void ctx_node_start(struct graph_slot *slot, uint32_t flags)
{
	doca_error_t result = task_start(slot, flags);

	if (likely(result == DOCA_SUCCESS))
		return;
	/* Earlier tasks relied on its flush. */
	if (flags & DOCA_TASK_SUBMIT_FLAG_FLUSH)
		doca_ctx_flush_tasks(slot->task->ctx);
	task_refused(slot, result);
}

/* Implements graph_ctx_ops.poll: tries nodes that wait for room in a queue. */
static uint8_t graph_poll(struct doca_ctx *ctx)
{
	struct graph_program *program = container_of(ctx, struct doca_graph, ctx)->program;
	uint32_t n = MIN(program->n_blocked, RETRY_MAX);
	uint8_t moved = 0;

	for (; n > 0; n--) {
		struct graph_slot *slot = blocked_dequeue(program);
		doca_error_t result = DOCA_ERROR_SKIPPED;

		if (slot->instance->status == DOCA_SUCCESS) {
			graph_hook_set(slot);
			result = task_start(slot, DOCA_TASK_SUBMIT_FLAG_FLUSH);
			if (is_full(result)) {
				slot->task->pool = slot->pool;
				blocked_append(slot);
				continue;
			}
		}
		moved = 1;
		if (result == DOCA_ERROR_SKIPPED)
			node_fail(slot, result);
		else if (result != DOCA_SUCCESS)
			task_refused(slot, result);
	}
	if (program->n_blocked == 0)
		ctx_set_polled(ctx, false);
	return moved;
}

static void timer_set(const struct graph_program *program, long ns)
{
	struct itimerspec when = {.it_value = {.tv_nsec = ns}};

	timerfd_settime(program->timer_fd, 0, &when, NULL);
}

/* Some engines ring when a full queue has room; the timer is for the others. */
static bool graph_arm(struct doca_ctx *ctx)
{
	const struct doca_graph *graph = container_of(ctx, struct doca_graph, ctx);
	struct graph_program *program = graph->program;

	if (program->timer_fd < 0) {
		program->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
		if (program->timer_fd < 0)
			return true;
		if (pe_add_eventfd(graph->pe, program->timer_fd) < 0) {
			fd_close(&program->timer_fd);
			return true;
		}
	}
	timer_set(program, RETRY_NS);
	return false;
}

static void graph_disarm(struct doca_ctx *ctx)
{
	const struct doca_graph *graph = container_of(ctx, struct doca_graph, ctx);

	if (graph->program->timer_fd >= 0)
		timer_set(graph->program, 0);
}

const struct ctx_ops graph_ctx_ops = {
	.name = "graph",
	.counted_as = COUNTERS_GRAPH,
	.poll = graph_poll,
	.arm = graph_arm,
	.disarm = graph_disarm,
};

/* --- start of nodes --- */

/*
 * Checks the instance of a sub-graph node. The inner graph may have been stopped and started again
 * since the node was given the instance, so the instance is accessed only if it lies in the memory
 * of current instances.
 */
static doca_error_t sub_check(const struct graph_slot *slot)
{
	const struct graph_program *program = slot->op->work.sub->program;
	const struct doca_graph_instance *sub = slot->sub;

	if (program == NULL)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "graph: the graph of a sub-graph node is not started any more");
	if ((uintptr_t)sub - (uintptr_t)program->memory >= program->n_created * program->stride ||
	    ((uintptr_t)sub - (uintptr_t)program->memory) % program->stride != 0 ||
	    sub->state == INSTANCE_FREE)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "graph: the instance of a sub-graph node was destroyed");
	if (sub->state == INSTANCE_IN_FLIGHT)
		return error_set(DOCA_ERROR_IN_USE,
				 "graph: the instance of a sub-graph node is in flight already");
	if (sub->n_unset > 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "graph: the instance of a sub-graph node has nodes without data");
	return DOCA_SUCCESS;
}

/* Returns the list of instances to launch. */
static __attribute__((noinline)) struct doca_graph_instance *sub_node_start(
	struct graph_slot *slot, struct doca_graph_instance *subs)
{
	struct doca_graph_instance *sub = slot->sub;
	doca_error_t result = sub_check(slot);

	if (result != DOCA_SUCCESS) {
		node_fail(slot, result);
		return subs;
	}
	/* The instance is marked here, so that it cannot be submitted again. */
	sub->state = INSTANCE_IN_FLIGHT;
	sub->parent = slot;
	sub->next = subs;
	return sub;
}

static inline struct launch node_start(struct launch launch, struct graph_slot *slot)
{
	struct graph_slot *held = launch.held;

	if (likely(slot->op->kind == GRAPH_CTX)) {
		launch.held = slot;
		if (held != NULL)
			ctx_node_start(held, held->op->work.ctx == slot->op->work.ctx
						     ? DOCA_TASK_SUBMIT_FLAG_NONE
						     : DOCA_TASK_SUBMIT_FLAG_FLUSH);
	} else if (slot->op->kind == GRAPH_USER) {
		user_node_start(slot);
	} else {
		launch.subs = sub_node_start(slot, launch.subs);
	}
	return launch;
}

static inline struct launch instance_start(struct launch launch,
					   struct doca_graph_instance *instance)
{
	const struct graph_program *program = instance->program;
	uint32_t i, n_roots = program->n_roots;

	instance->state = INSTANCE_IN_FLIGHT;
	instance->status = DOCA_SUCCESS;
	instance->n_inflight = n_roots;
	for (i = n_roots; i < program->n_nodes; i++)
		instance->n_waits_for[i] = program->n_predecessors[i];
	for (i = 0; i < n_roots; i++)
		launch = node_start(launch, &instance->slots[i]);
	return launch;
}

/* Launches sub-graphs, which may add further ones; each instance is in the list at most once. */
static __attribute__((noinline)) struct graph_slot *launch_subs(struct graph_slot *held,
								struct doca_graph_instance *subs)
{
	struct launch launch = {held, subs};

	while (launch.subs != NULL) {
		struct doca_graph_instance *sub = launch.subs;

		launch.subs = sub->next;
		launch = instance_start(launch, sub);
	}
	return launch.held;
}

static inline void launch_end(struct launch launch)
{
	if (unlikely(launch.subs != NULL))
		launch.held = launch_subs(launch.held, launch.subs);
	if (launch.held != NULL)
		ctx_node_start(launch.held, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

void graph_launch(struct doca_graph_instance *instance)
{
	instance->parent = NULL;
	launch_end(instance_start((struct launch){NULL, NULL}, instance));
}

/* --- end of nodes --- */

/* Returns how many successors were started. */
static inline uint32_t successors_start(const struct graph_slot *slot)
{
	const struct doca_graph_instance *instance = slot->instance;
	const struct graph_op *op = slot->op;
	struct launch launch = {NULL, NULL};
	uint32_t i, n = 0;

	for (i = 0; i < op->n_successors; i++) {
		uint32_t next = op->successors[i];

		if (--instance->n_waits_for[next] != 0)
			continue;
		n++;
		launch = node_start(launch, &instance->slots[next]);
	}
	launch_end(launch);
	return n;
}

/* Returns the node of another instance that is complete with this instance. If there is none, calls
 * the program; the instance and the objects behind it may be freed then. */
static inline struct graph_slot *instance_end(struct doca_graph_instance *instance)
{
	const struct graph_program *program = instance->program;
	struct graph_slot *parent = instance->parent;
	doca_graph_completion_cb_t cb;

	instance->state = INSTANCE_IDLE;
	if (unlikely(parent != NULL))
		return parent;
	cb = likely(instance->status == DOCA_SUCCESS) ? program->ok_cb : program->err_cb;
	if (likely(cb != NULL))
		cb(instance, instance->user_data, program->user_data);
	return NULL;
}

static __attribute__((noinline)) void node_done_any(struct graph_slot *slot, doca_error_t status)
{
	while (slot != NULL) {
		struct doca_graph_instance *instance = slot->instance;
		uint32_t n = 0;

		if (status != DOCA_SUCCESS && instance->status == DOCA_SUCCESS)
			instance->status = status;
		if (instance->status == DOCA_SUCCESS)
			n = successors_start(slot);
		instance->n_inflight += n - 1;
		if (instance->n_inflight != 0)
			return;
		status = instance->status;
		slot = instance_end(instance);
	}
}

/* Fast paths: at most one successor, which is no sub-graph. */
static inline void node_done(struct graph_slot *slot, doca_error_t status)
{
	struct doca_graph_instance *instance = slot->instance;
	const struct graph_op *op = slot->op;
	uint32_t next;

	if (unlikely(status != DOCA_SUCCESS || instance->status != DOCA_SUCCESS ||
		     op->n_successors > 1))
		goto any;
	if (op->n_successors == 0) {
		if (instance->n_inflight == 1)
			goto any;
		instance->n_inflight--;
		return;
	}
	next = op->successors[0];
	if (instance->n_waits_for[next] > 1) {
		/* Its other predecessors are in flight, or come after nodes in flight. */
		instance->n_waits_for[next]--;
		instance->n_inflight--;
		return;
	}
	slot = &instance->slots[next];
	/* The number of nodes in flight stays the same. */
	if (slot->op->kind == GRAPH_CTX) {
		ctx_node_start(slot, DOCA_TASK_SUBMIT_FLAG_FLUSH);
		return;
	}
	if (slot->op->kind == GRAPH_USER) {
		user_node_start(slot);
		return;
	}
	slot = &instance->slots[op - instance->program->ops];
any:
	node_done_any(slot, status);
}
