/* Sync events: the public functions for each kind of task. The kinds differ in a task's contents;
 * sync_task.c executes the tasks. Threads: those of the progress engine. */
#include "client/base/error.h"
#include "client/sync_event/sync_event.h"
#include "util/str.h"

struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event)
{
	return event == NULL ? NULL : &event->ctx;
}

/* --- common part --- */

doca_error_t sync_pool_conf(struct doca_sync_event *event, enum sync_task_kind kind,
			    doca_task_completion_cb_t ok_cb, doca_task_completion_cb_t err_cb,
			    uint32_t n_tasks)
{
	const struct doca_dev *dev;
	struct task_pool *pool;
	doca_error_t result;

	if (event == NULL || ok_cb == NULL || err_cb == NULL || n_tasks == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sync event task set conf: %s",
				 event == NULL    ? "event is NULL"
				 : ok_cb == NULL  ? "the completion callback is NULL"
				 : err_cb == NULL ? "the error callback is NULL"
						  : "0 tasks; ask for at least 1");
	result = sync_event_check_api(event, API_TASK, "sync event task set conf");
	if (result != DOCA_SUCCESS)
		return result;
	if (event->state != SYNC_IDLE)
		return error_set(
			DOCA_ERROR_NOT_PERMITTED,
			"sync event task set conf: the event was started; configure tasks earlier");
	dev = sync_event_dev(event);
	if (dev != NULL && n_tasks > dev->info->caps.sync_max_tasks)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sync event task set conf: %u %s, %s allows %u", n_tasks,
				 plural(n_tasks, "task", "tasks"), dev->info->name,
				 dev->info->caps.sync_max_tasks);
	pool = &event->pools[kind];
	if (task_pool_init(pool, &event->ctx, n_tasks, sizeof(struct sync_task)) < 0)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "sync event task set conf: out of memory for %u %s", n_tasks,
				 plural(n_tasks, "task", "tasks"));
	pool->ok_cb = ok_cb;
	pool->err_cb = err_cb;
	return DOCA_SUCCESS;
}

static __attribute__((noinline)) doca_error_t pool_is_empty(const struct doca_sync_event *event,
							    enum sync_task_kind kind)
{
	if (event->ctx.legacy != NULL)
		return api_refuse("sync event task alloc", "sync event", event->ctx.legacy->api);
	if (event->ctx.state != DOCA_CTX_STATE_RUNNING)
		return ctx_not_running(&event->ctx, "sync event task alloc");
	return error_note(
		DOCA_ERROR_NO_MEMORY,
		"sync event task alloc: all %u %s in use; free some or "
		"configure more",
		event->pools[kind].n_tasks,
		plural(event->pools[kind].n_tasks, "task of the kind is", "tasks of the kind are"));
}

static inline doca_error_t pool_get_task(struct doca_sync_event *event, enum sync_task_kind kind,
					 const struct sync_task *init, union doca_data user_data,
					 void *task_out)
{
	struct sync_task *t;

	if (unlikely(event == NULL || task_out == NULL))
		return error_set(DOCA_ERROR_INVALID_VALUE, "sync event task alloc: %s is NULL",
				 event == NULL ? "event" : "the result");
	t = (struct sync_task *)(void *)task_pool_get(&event->pools[kind], user_data);
	if (unlikely(t == NULL))
		return pool_is_empty(event, kind);
	t->value = init->value;
	t->mask = init->mask;
	t->result_at = init->result_at;
	t->cond = kind == SYNC_TASK_EQ ? SYNC_EQ : kind == SYNC_TASK_NEQ ? SYNC_NEQ : SYNC_GT;
	list_init(&t->node);
	*(void **)task_out = t;
	return DOCA_SUCCESS;
}

doca_error_t sync_pool_alloc(struct doca_sync_event *event, enum sync_task_kind kind,
			     const struct sync_task *init, union doca_data user_data,
			     void *task_out)
{
	return pool_get_task(event, kind, init, user_data, task_out);
}

/* --- get --- */

doca_error_t doca_sync_event_task_get_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_get_completion_cb_t completion_cb,
	doca_sync_event_task_get_completion_cb_t error_cb, uint32_t num_tasks)
{
	return sync_pool_conf(event, SYNC_TASK_GET, (doca_task_completion_cb_t)completion_cb,
			      (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_get_alloc_init(struct doca_sync_event *event,
						 uint64_t *ret_val_ptr, union doca_data user_data,
						 struct doca_sync_event_task_get **task)
{
	return pool_get_task(event, SYNC_TASK_GET, &(struct sync_task){.result_at = ret_val_ptr},
			     user_data, task);
}

struct doca_task *doca_sync_event_task_get_as_doca_task(struct doca_sync_event_task_get *task)
{
	return task == NULL ? NULL : &((struct sync_task *)task)->task;
}

void doca_sync_event_task_get_set_ret_val_ptr(struct doca_sync_event_task_get *task,
					      uint64_t *ret_val_ptr)
{
	((struct sync_task *)task)->result_at = ret_val_ptr;
}

uint64_t *doca_sync_event_task_get_get_ret_val_ptr(const struct doca_sync_event_task_get *task)
{
	return ((const struct sync_task *)task)->result_at;
}

/* --- notify set --- */

doca_error_t doca_sync_event_task_notify_set_set_conf(
	struct doca_sync_event *event,
	doca_sync_event_task_notify_set_completion_cb_t completion_cb,
	doca_sync_event_task_notify_set_completion_cb_t error_cb, uint32_t num_tasks)
{
	return sync_pool_conf(event, SYNC_TASK_SET, (doca_task_completion_cb_t)completion_cb,
			      (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_notify_set_alloc_init(
	struct doca_sync_event *event, uint64_t set_val, union doca_data user_data,
	struct doca_sync_event_task_notify_set **task)
{
	return pool_get_task(event, SYNC_TASK_SET, &(struct sync_task){.value = set_val}, user_data,
			     task);
}

struct doca_task *doca_sync_event_task_notify_set_as_doca_task(
	struct doca_sync_event_task_notify_set *task)
{
	return task == NULL ? NULL : &((struct sync_task *)task)->task;
}

void doca_sync_event_task_notify_set_set_set_val(struct doca_sync_event_task_notify_set *task,
						 uint64_t set_val)
{
	((struct sync_task *)task)->value = set_val;
}

uint64_t doca_sync_event_task_notify_set_get_set_val(
	const struct doca_sync_event_task_notify_set *task)
{
	return ((const struct sync_task *)task)->value;
}

/* --- notify add --- */

doca_error_t doca_sync_event_task_notify_add_set_conf(
	struct doca_sync_event *event,
	doca_sync_event_task_notify_add_completion_cb_t completion_cb,
	doca_sync_event_task_notify_add_completion_cb_t error_cb, uint32_t num_tasks)
{
	return sync_pool_conf(event, SYNC_TASK_ADD, (doca_task_completion_cb_t)completion_cb,
			      (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_notify_add_alloc_init(
	struct doca_sync_event *event, uint64_t inc_val, uint64_t *fetched_val_ptr,
	union doca_data user_data, struct doca_sync_event_task_notify_add **task)
{
	return pool_get_task(event, SYNC_TASK_ADD,
			     &(struct sync_task){.value = inc_val, .result_at = fetched_val_ptr},
			     user_data, task);
}

struct doca_task *doca_sync_event_task_notify_add_as_doca_task(
	struct doca_sync_event_task_notify_add *task)
{
	return task == NULL ? NULL : &((struct sync_task *)task)->task;
}

void doca_sync_event_task_notify_add_set_inc_val(struct doca_sync_event_task_notify_add *task,
						 uint64_t inc_val)
{
	((struct sync_task *)task)->value = inc_val;
}

uint64_t doca_sync_event_task_notify_add_get_inc_val(
	const struct doca_sync_event_task_notify_add *task)
{
	return ((const struct sync_task *)task)->value;
}

void doca_sync_event_task_notify_add_set_fetched_val_ptr(
	struct doca_sync_event_task_notify_add *task, uint64_t *fetched_val_ptr)
{
	((struct sync_task *)task)->result_at = fetched_val_ptr;
}

uint64_t *doca_sync_event_task_notify_add_get_fetched_val_ptr(
	const struct doca_sync_event_task_notify_add *task)
{
	return ((const struct sync_task *)task)->result_at;
}

/* --- wait eq --- */

doca_error_t doca_sync_event_task_wait_eq_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
	doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t num_tasks)
{
	return sync_pool_conf(event, SYNC_TASK_EQ, (doca_task_completion_cb_t)completion_cb,
			      (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_wait_eq_alloc_init(struct doca_sync_event *event,
						     uint64_t wait_val, uint64_t mask,
						     union doca_data user_data,
						     struct doca_sync_event_task_wait_eq **task)
{
	return pool_get_task(event, SYNC_TASK_EQ,
			     &(struct sync_task){.value = wait_val, .mask = mask}, user_data, task);
}

struct doca_task *doca_sync_event_task_wait_eq_as_doca_task(
	struct doca_sync_event_task_wait_eq *task)
{
	return task == NULL ? NULL : &((struct sync_task *)task)->task;
}

void doca_sync_event_task_wait_eq_set_wait_val(struct doca_sync_event_task_wait_eq *task,
					       uint64_t wait_val)
{
	((struct sync_task *)task)->value = wait_val;
}

uint64_t doca_sync_event_task_wait_eq_get_wait_val(const struct doca_sync_event_task_wait_eq *task)
{
	return ((const struct sync_task *)task)->value;
}

void doca_sync_event_task_wait_eq_set_mask(struct doca_sync_event_task_wait_eq *task, uint64_t mask)
{
	((struct sync_task *)task)->mask = mask;
}

uint64_t doca_sync_event_task_wait_eq_get_mask(const struct doca_sync_event_task_wait_eq *task)
{
	return ((const struct sync_task *)task)->mask;
}

/* --- wait neq --- */

doca_error_t doca_sync_event_task_wait_neq_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
	doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t num_tasks)
{
	return sync_pool_conf(event, SYNC_TASK_NEQ, (doca_task_completion_cb_t)completion_cb,
			      (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_wait_neq_alloc_init(struct doca_sync_event *event,
						      uint64_t wait_val, uint64_t mask,
						      union doca_data user_data,
						      struct doca_sync_event_task_wait_neq **task)
{
	return pool_get_task(event, SYNC_TASK_NEQ,
			     &(struct sync_task){.value = wait_val, .mask = mask}, user_data, task);
}

struct doca_task *doca_sync_event_task_wait_neq_as_doca_task(
	struct doca_sync_event_task_wait_neq *task)
{
	return task == NULL ? NULL : &((struct sync_task *)task)->task;
}

void doca_sync_event_task_wait_neq_set_wait_val(struct doca_sync_event_task_wait_neq *task,
						uint64_t wait_val)
{
	((struct sync_task *)task)->value = wait_val;
}

uint64_t doca_sync_event_task_wait_neq_get_wait_val(
	const struct doca_sync_event_task_wait_neq *task)
{
	return ((const struct sync_task *)task)->value;
}

void doca_sync_event_task_wait_neq_set_mask(struct doca_sync_event_task_wait_neq *task,
					    uint64_t mask)
{
	((struct sync_task *)task)->mask = mask;
}

uint64_t doca_sync_event_task_wait_neq_get_mask(const struct doca_sync_event_task_wait_neq *task)
{
	return ((const struct sync_task *)task)->mask;
}
