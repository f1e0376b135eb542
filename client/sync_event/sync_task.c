/*
 * Sync events: the context, and the execution of its tasks; the functions for each kind of task are
 * in sync_task_api.c. doca_pe_progress() executes get, set and add. A wait whose condition is met
 * at submission completes in the next progress; any other is held. The poll hook reads the counter,
 * and checks the held waits only if the counter has changed or a wait was added. While the counter
 * is unchanged, a progress call costs the same for one wait and for a thousand.
 *
 * The event's eventfd wakes an engine whose user sleeps. All processes share it and none reads it;
 * it is watched edge-triggered. If a third process could hide the sleeper from those who ring, a
 * timer wakes it too. Threads: those of the progress engine.
 */
#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "client/base/error.h"
#include "client/sync_event/sync_event.h"
#include "util/fd.h"
#include "util/str.h"

/*
 * The idle polls between two checks of the exporter's process, for a user that polls and never
 * sleeps. The check is a system call, made once in a good part of a second, as in sync_wait.c.
 * ThreadSanitizer makes each poll take many times as long.
 */
#ifdef BARRIER_TSAN
#define POLLS_PER_CHECK (1u << 21)
#else
#define POLLS_PER_CHECK (1u << 25)
#endif

static struct doca_sync_event *event_of(const struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_sync_event, ctx);
}

static struct sync_task *sync_task_of(const struct doca_task *task)
{
	return (struct sync_task *)(void *)task;
}

/* --- tasks that execute at once --- */

static doca_error_t task_report_ended(void)
{
	return error_set(DOCA_ERROR_CONNECTION_RESET,
			 "sync event task: the exporter of the event stopped it or ended; stop the "
			 "context and import a new one");
}

/* The slow path: checks everything that a task can be refused for. */
doca_error_t sync_task_check(const struct doca_task *task, bool writes, bool needs_result)
{
	const struct doca_sync_event *event = event_of(task->ctx);

	if (needs_result && sync_task_of(task)->result_at == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sync event task: there is no place for the result; set one when "
				 "the task is allocated");
	if (writes && !event->cell.is_writable)
		return error_set(DOCA_ERROR_NOT_PERMITTED, "sync event task: %s",
				 sync_is_read_only);
	return sync_cell_is_alive(&event->cell) ? DOCA_SUCCESS : task_report_ended();
}

static doca_error_t get_execute(struct doca_task *task)
{
	struct doca_sync_event *event = event_of(task->ctx);
	uint64_t *result_at = sync_task_of(task)->result_at;

	if (unlikely(result_at == NULL || !sync_cell_is_alive(&event->cell)))
		return sync_task_check(task, false, true);
	*result_at = sync_cell_get(&event->cell);
	return DOCA_SUCCESS;
}

static doca_error_t set_execute(struct doca_task *task)
{
	struct doca_sync_event *event = event_of(task->ctx);

	if (unlikely(!event->cell.is_writable || !sync_cell_is_alive(&event->cell)))
		return sync_task_check(task, true, false);
	sync_cell_set(&event->cell, sync_task_of(task)->value);
	return DOCA_SUCCESS;
}

static doca_error_t add_execute(struct doca_task *task)
{
	struct doca_sync_event *event = event_of(task->ctx);
	uint64_t *result_at = sync_task_of(task)->result_at;

	if (unlikely(result_at == NULL || !event->cell.is_writable ||
		     !sync_cell_is_alive(&event->cell)))
		return sync_task_check(task, true, true);
	*result_at = sync_cell_add(&event->cell, sync_task_of(task)->value);
	return DOCA_SUCCESS;
}

/* The contract of try_submit has one code for an invalid task. */
static doca_error_t task_validate(const struct doca_task *task, bool writes, bool needs_result)
{
	return sync_task_check(task, writes, needs_result) == DOCA_SUCCESS
		       ? DOCA_SUCCESS
		       : DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t get_validate(const struct doca_task *task)
{
	return task_validate(task, false, true);
}

static doca_error_t set_validate(const struct doca_task *task)
{
	return task_validate(task, true, false);
}

static doca_error_t add_validate(const struct doca_task *task)
{
	return task_validate(task, true, true);
}

static doca_error_t wait_validate(const struct doca_task *task)
{
	return task_validate(task, false, false);
}

/* --- waits --- */

static bool wait_is_met(const struct sync_task *t, uint64_t counter)
{
	return sync_is_met(t->cond, counter, t->value, t->mask);
}

static doca_error_t wait_submit(struct doca_task *task, uint32_t flags)
{
	struct doca_sync_event *event = event_of(task->ctx);
	struct sync_task *t = sync_task_of(task);
	bool is_alive = sync_cell_is_alive(&event->cell);
	uint64_t counter = sync_cell_get(&event->cell);
	bool is_met = wait_is_met(t, counter);

	if (is_met || unlikely(!is_alive)) {
		task->done |= TASK_DONE;
		task->status = is_met ? DOCA_SUCCESS : task_report_ended();
		task_queue(task, flags);
		return DOCA_SUCCESS;
	}
	ctx_count_wait(&event->ctx);
	task_hold(task);
	if (list_is_empty(&event->held)) {
		event->seen = counter;
		event->must_check_waits = false;
	} else if (counter != event->seen) {
		/* Noted explicitly, because the counter may return to the value that was seen. */
		event->must_check_waits = true;
		if (event->ctx.pe->armed)
			pe_wake(event->ctx.pe);
	}
	list_append(&event->held, &t->node);
	ctx_set_polled(&event->ctx, true);
	/* The wait may depend on tasks that rely on its flush. */
	if (flags & DOCA_TASK_SUBMIT_FLAG_FLUSH)
		doca_ctx_flush_tasks(&event->ctx);
	return DOCA_SUCCESS;
}

static void waits_check_all(struct doca_sync_event *event)
{
	/* Liveness is read first: values that the exporter stored before it went still count. */
	bool is_alive = sync_cell_is_alive(&event->cell);
	uint64_t counter = sync_cell_get(&event->cell);
	doca_error_t ended = is_alive ? DOCA_SUCCESS : task_report_ended();
	struct sync_task *t, *tmp;

	event->seen = counter;
	event->must_check_waits = false;
	list_for_each_safe(t, tmp, &event->held, node)
	{
		bool is_met = wait_is_met(t, counter);

		if (!is_met && is_alive)
			continue;
		t->task.status = is_met ? DOCA_SUCCESS : ended;
		list_remove(&t->node);
		list_append(&event->ready, &t->node);
	}
}

static uint8_t sync_poll(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_of(ctx);
	struct sync_task *t;

	if (list_is_empty(&event->ready)) {
		if (likely(sync_cell_get(&event->cell) == event->seen && !event->must_check_waits &&
			   sync_cell_is_alive(&event->cell) &&
			   (++event->n_idle % POLLS_PER_CHECK != 0 ||
			    sync_cell_check_exporter(&event->cell))))
			return 0;
		waits_check_all(event);
		if (list_is_empty(&event->ready))
			return 0;
	}
	t = list_entry(event->ready.next, struct sync_task, node);
	list_remove(&t->node);
	if (list_is_empty(&event->ready) && list_is_empty(&event->held))
		ctx_set_polled(ctx, false);
	task_finish(&t->task, t->task.status);
	return 1;
}

/* --- sleeping --- */

static bool must_poll(struct doca_sync_event *event)
{
	return sync_cell_get(&event->cell) != event->seen || !sync_cell_is_alive(&event->cell);
}

/* Returns the time after which a sleeper checks the counter itself; 0: it need not. */
static uint64_t recheck_ns(const struct sync_cell *cell)
{
	if (sync_cell_is_rechecked(cell))
		return SYNC_RECHECK_NS;
	return sync_cell_is_in_shared_use(cell) ? SYNC_SHARED_NS : 0;
}

void sync_timer_set(struct doca_sync_event *event, uint64_t ns)
{
	const struct itimerspec when = {.it_value = {.tv_sec = (time_t)(ns / NS_PER_SEC),
						     .tv_nsec = (long)(ns % NS_PER_SEC)}};

	if (event->timerfd < 0 || (ns == 0 && !event->is_timed))
		return;
	timerfd_settime(event->timerfd, 0, &when, NULL);
	event->is_timed = ns != 0;
}

int sync_timer_open(struct doca_sync_event *event)
{
	event->timerfd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return event->timerfd < 0 ? -errno : pe_add_eventfd(event->ctx.pe, event->timerfd);
}

void sync_timer_close(struct doca_sync_event *event)
{
	if (event->timerfd >= 0)
		pe_remove_eventfd(event->ctx.pe, event->timerfd);
	fd_close(&event->timerfd);
	event->is_timed = false;
}

static bool sync_arm(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_of(ctx);

	if (!list_is_empty(&event->ready) || event->must_check_waits || must_poll(event))
		return true;
	sync_cell_arm(&event->cell, SYNC_SLEEP_EVENT);
	if (must_poll(event) || !sync_cell_check_exporter(&event->cell))
		return true;
	/* If further processes take part later, the eventfd announces it. */
	sync_timer_set(event, recheck_ns(event->counter_owner != NULL ? &event->counter_owner->cell
								      : &event->cell));
	return false;
}

static void sync_disarm(struct doca_ctx *ctx)
{
	sync_timer_set(event_of(ctx), 0);
}

/* --- context --- */

static void doorbells_close(struct doca_sync_event *event)
{
	struct doca_pe *pe = event->ctx.pe;

	if (event->doorbell >= 0)
		pe_remove_eventfd(pe, event->doorbell);
	if (event->cell.pidfd >= 0)
		pe_remove_eventfd(pe, event->cell.pidfd);
	fd_close(&event->doorbell);
	sync_timer_close(event);
}

static doca_error_t doorbells_open(struct doca_sync_event *event)
{
	struct doca_pe *pe = event->ctx.pe;
	int r;

	/* Duplicated, because two events of one engine may share an eventfd, and epoll
	 * distinguishes descriptors. */
	event->doorbell = fd_dup(atomic_load(event->cell.eventfd));
	r = event->doorbell < 0 ? event->doorbell : pe_add_shared_fd(pe, event->doorbell);
	if (r == 0 && event->cell.pidfd >= 0)
		r = pe_add_shared_fd(pe, event->cell.pidfd);
	if (r == 0 && event->cell.is_shared)
		r = sync_timer_open(event);
	if (r == 0)
		return DOCA_SUCCESS;
	doorbells_close(event);
	return error_set(
		error_from_errno(r),
		"sync event start: no descriptor for wake-ups (error %d); raise RLIMIT_NOFILE", -r);
}

const struct doca_dev *sync_event_dev(const struct doca_sync_event *event)
{
	if (event->is_imported)
		return event->import.dev;
	return event->publisher.dev != NULL ? event->publisher.dev : event->subscriber.dev;
}

doca_error_t sync_pools_check(const struct doca_sync_event *event, const struct doca_dev *dev)
{
	for (int i = 0; dev != NULL && i < SYNC_N_TASK_KINDS; i++) {
		if (event->pools[i].n_tasks > dev->info->caps.sync_max_tasks)
			return error_set(DOCA_ERROR_INVALID_VALUE,
					 "sync event start: %u %s of one kind, %s allows %u",
					 event->pools[i].n_tasks,
					 plural(event->pools[i].n_tasks, "task", "tasks"),
					 dev->info->name, dev->info->caps.sync_max_tasks);
	}
	return DOCA_SUCCESS;
}

static doca_error_t sync_ctx_start(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_of(ctx);
	doca_error_t result = sync_event_open(event, "ctx start", true);

	if (result != DOCA_SUCCESS)
		return result;
	result = sync_pools_check(event, sync_event_dev(event));
	if (result == DOCA_SUCCESS)
		result = doorbells_open(event);
	if (result != DOCA_SUCCESS) {
		sync_event_close(event);
		return result;
	}
	event->state = SYNC_STARTED_CTX;
	return DOCA_SUCCESS;
}

static void sync_ctx_stop(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_of(ctx);
	struct sync_task *t, *tmp;

	list_for_each_safe(t, tmp, &event->ready, node)
	{
		list_remove(&t->node);
		task_release(&t->task, t->task.status);
	}
	list_for_each_safe(t, tmp, &event->held, node)
	{
		list_remove(&t->node);
		task_release(&t->task, DOCA_ERROR_SHUTDOWN);
	}
	ctx_set_polled(ctx, false);
}

static void sync_ctx_release(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_of(ctx);

	doorbells_close(event);
	sync_event_close(event);
	event->state = SYNC_STOPPED;
}

static const struct ctx_ops sync_ops = {
	.name = "sync event",
	.counted_as = COUNTERS_SYNC_EVENT,
	.start = sync_ctx_start,
	.stop = sync_ctx_stop,
	.release = sync_ctx_release,
	.poll = sync_poll,
	.arm = sync_arm,
	.disarm = sync_disarm,
};

void sync_ctx_init(struct doca_sync_event *event)
{
	struct task_pool *pools = event->pools;

	ctx_init(&event->ctx, &sync_ops, NULL);
	list_init(&event->held);
	list_init(&event->ready);
	event->doorbell = event->timerfd = -1;
	pools[SYNC_TASK_GET].execute = get_execute;
	pools[SYNC_TASK_GET].validate = get_validate;
	pools[SYNC_TASK_SET].execute = set_execute;
	pools[SYNC_TASK_SET].validate = set_validate;
	pools[SYNC_TASK_ADD].execute = add_execute;
	pools[SYNC_TASK_ADD].validate = add_validate;
	for (int i = SYNC_TASK_EQ; i <= SYNC_TASK_GT; i++) {
		pools[i].submit = wait_submit;
		pools[i].validate = wait_validate;
	}
}

doca_error_t sync_ctx_deinit(struct doca_sync_event *event)
{
	doca_error_t result = ctx_deinit(&event->ctx);

	for (int i = 0; result == DOCA_SUCCESS && i < SYNC_N_TASK_KINDS; i++)
		task_pool_deinit(&event->pools[i]);
	return result;
}
