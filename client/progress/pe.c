/*
 * Progress engine. All its contexts share one queue of submitted tasks, in order of submission, so
 * that the cost of a progress call does not depend on the number of connected contexts. Contexts
 * with external events are polled in addition. The notification handle is an epoll descriptor that
 * contains the PE's own eventfd and those of the contexts, and can be added to the application's
 * epoll set. Threads: one at a time.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "client/base/error.h"
#include "client/base/program_api.h"
#include "client/progress/progress.h"
#include "client/progress/task.h"
#include "util/clock.h"
#include "util/doorbell.h"
#include "util/fd.h"

/*
 * All engines of the process. Rings, queue pairs and eventfds behind a context are shared with a
 * forked child, which would consume what its parent waits for. The fork handler therefore disables
 * the child's copies of all engines.
 */
static pthread_mutex_t engines_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list engines = LIST_INIT(engines);

static void before_fork(void)
{
	pthread_mutex_lock(&engines_lock);
}

static void after_fork_parent(void)
{
	pthread_mutex_unlock(&engines_lock);
}

static void after_fork_child(void)
{
	struct doca_pe *pe;

	list_for_each(pe, &engines, node)
	{
		pe->flags |= PE_FOREIGN;
		pe->armed = false;
	}
	pthread_mutex_unlock(&engines_lock);
}

static void watch_forks(void)
{
	(void)pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

static void pe_enlist(struct doca_pe *pe)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
	pthread_mutex_lock(&engines_lock);
	list_append(&engines, &pe->node);
	pthread_mutex_unlock(&engines_lock);
}

static void pe_delist(struct doca_pe *pe)
{
	pthread_mutex_lock(&engines_lock);
	list_remove(&pe->node);
	pthread_mutex_unlock(&engines_lock);
}

doca_error_t pe_check_process(const struct doca_pe *pe, const char *what)
{
	if (likely(!(pe->flags & PE_FOREIGN)))
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_NOT_CONNECTED,
			 "%s: the progress engine belongs to the process that forked this one and "
			 "continues there; create objects in this process",
			 what);
}

/* The data of an epoll event is a pointer to a doorbell, a descriptor shifted left with PE_EVENT_FD
 * set, or PE_EVENT_SESSION. */
#define PE_EVENT_FD      1u
#define PE_EVENT_SHARED  2u /* the descriptor is never read */
#define PE_EVENT_SHIFT   2
#define PE_EVENT_SESSION 2u /* the session's socket */

doca_error_t pe_new(struct doca_pe **pe_out)
{
	struct doca_pe *pe;
	int r;

	pe = calloc(1, sizeof(*pe));
	if (pe == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "pe create: out of memory");
	pe->tail = &pe->head;
	counters_init(&pe->counters);
	pe->line = pe->counters.line;
	list_init(&pe->pollers);
	list_init(&pe->transitions);
	list_init(&pe->ctxs);
	pe->epoll_fd = -1;
	pe->pid = getpid();
	pe->cleared = true;
	pe->event_fd = fd_eventfd();
	if (pe->event_fd < 0) {
		r = pe->event_fd;
		free(pe);
		return error_set(error_from_errno(r),
				 "pe create: no eventfd (error %d); raise RLIMIT_NOFILE", -r);
	}
	pe->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	r = pe->epoll_fd < 0 ? -errno : pe_add_eventfd(pe, pe->event_fd);
	if (r < 0) {
		fd_close(&pe->epoll_fd);
		fd_close(&pe->event_fd);
		free(pe);
		return error_set(error_from_errno(r),
				 "pe create: no epoll (error %d); raise RLIMIT_NOFILE", -r);
	}
	rpc_watch_init(&pe->session, pe->epoll_fd, PE_EVENT_SESSION);
	counters_open(&pe->counters, COUNTERS_PE, NULL);
	pe->line = pe->counters.line;
	pe_enlist(pe);
	*pe_out = pe;
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_create(struct doca_pe **pe_out)
{
	program_api_note(DOCA_MAKE_VERSION(2, 5), PROGRAM_API_NEWEST);
	if (pe_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "pe create: pe is NULL; pass a place for it");
	return pe_new(pe_out);
}

doca_error_t pe_delete(struct doca_pe *pe)
{
	if (pe->flags & PE_IN_PROGRESS)
		return error_set(DOCA_ERROR_IN_USE,
				 "pe destroy: called from a callback of the progress engine; "
				 "destroy it when doca_pe_progress has returned");
	if (!list_is_empty(&pe->ctxs)) {
		const struct doca_ctx *ctx = list_entry(pe->ctxs.next, struct doca_ctx, pe_node);

		return error_set(DOCA_ERROR_IN_USE,
				 "pe destroy: a %s context is still connected; destroy it first",
				 ctx->ops->name);
	}
	pe_delist(pe);
	fd_close(&pe->epoll_fd);
	fd_close(&pe->event_fd);
	pe_count_busy(pe);
	counters_close(&pe->counters);
	free(pe);
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_destroy(struct doca_pe *pe)
{
	if (pe == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "pe destroy: pe is NULL");
	return pe_delete(pe);
}

bool pe_is_own_process(const struct doca_pe *pe)
{
	return pe->pid == getpid();
}

static int pe_watch(struct doca_pe *pe, int fd, uint32_t events, uint64_t data)
{
	struct epoll_event event = {.events = events, .data.u64 = data};

	if (!pe_is_own_process(pe))
		return -EPERM;
	return epoll_ctl(pe->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int pe_add_eventfd(struct doca_pe *pe, int fd)
{
	return pe_watch(pe, fd, EPOLLIN, (uint64_t)fd << PE_EVENT_SHIFT | PE_EVENT_FD);
}

int pe_add_shared_fd(struct doca_pe *pe, int fd)
{
	return pe_watch(pe, fd, EPOLLIN | EPOLLET,
			(uint64_t)fd << PE_EVENT_SHIFT | PE_EVENT_SHARED | PE_EVENT_FD);
}

int pe_add_doorbell(struct doca_pe *pe, struct pe_doorbell *doorbell)
{
	return pe_watch(pe, doorbell->fd, EPOLLIN | EPOLLET, (uintptr_t)doorbell);
}

void pe_prepare_doorbells(void)
{
	static _Atomic bool was_logged;
	int r = doorbell_open();

	if (r < 0 && !atomic_exchange(&was_logged, true))
		sdk_debug("the kernel refuses asynchronous I/O (error %d): a hostile process can "
			  "block a process that wakes it",
			  -r);
}

void pe_remove_eventfd(struct doca_pe *pe, int fd)
{
	if (pe_is_own_process(pe))
		epoll_ctl(pe->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

bool pe_set_timer(struct doca_pe *pe, int *timer_fd, uint64_t at_ns)
{
	struct itimerspec when = {.it_value = {.tv_sec = (time_t)(at_ns / NS_PER_SEC),
					       .tv_nsec = (long)(at_ns % NS_PER_SEC)}};

	if (*timer_fd < 0) {
		*timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
		if (*timer_fd >= 0 && pe_add_eventfd(pe, *timer_fd) < 0)
			fd_close(timer_fd);
	}
	return *timer_fd >= 0 && timerfd_settime(*timer_fd, TFD_TIMER_ABSTIME, &when, NULL) == 0;
}

void pe_close_timer(struct doca_pe *pe, int *timer_fd)
{
	if (*timer_fd >= 0)
		pe_remove_eventfd(pe, *timer_fd);
	fd_close(timer_fd);
}

void pe_update_flags(struct doca_pe *pe)
{
	pe->flags = (pe->flags & ~(uint64_t)(PE_ATTENTION | PE_POLLERS)) |
		    (list_is_empty(&pe->transitions) ? 0 : PE_ATTENTION) |
		    (list_is_empty(&pe->pollers) ? 0 : PE_POLLERS);
}

void pe_wake(struct doca_pe *pe)
{
	uint64_t one = 1;
	int saved = errno;

	pe->armed = false;
	/* In PROGRESS_SELECTIVE mode the user clears the handle, so a ring that is not cleared
	 * suffices. In the other mode the user may wait for an edge, so it must ring again. */
	if (pe->rung && pe->event_mode == DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE)
		return;
	pe->rung = true;
	/* No other process shares this eventfd, so the write does not block. If the counter is
	 * full, the descriptor is readable anyway. */
	while (write(pe->event_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		continue;
	errno = saved;
}

static bool ctx_may_leave_stopping(const struct doca_ctx *ctx)
{
	return ctx->n_allocated == 0 && (ctx->ops->stopped == NULL || ctx->ops->stopped(ctx));
}

/* Checks what this thread has done, not what others may have done. */
static bool pe_has_work(const struct doca_pe *pe)
{
	const struct doca_ctx *ctx;

	if (pe->head != NULL)
		return true;
	list_for_each(ctx, &pe->transitions, transition_node)
	{
		if ((ctx->fatal && ctx->state == DOCA_CTX_STATE_RUNNING) ||
		    (ctx->state == DOCA_CTX_STATE_STOPPING && ctx_may_leave_stopping(ctx)))
			return true;
	}
	return false;
}

/* Runs at most one due transition. Returns 1 if the application was called. */
static uint8_t pe_run_transition(struct doca_pe *pe)
{
	struct doca_ctx *ctx;

	list_for_each(ctx, &pe->transitions, transition_node)
	{
		if (ctx->fatal && ctx->state == DOCA_CTX_STATE_RUNNING) {
			ctx->fatal = false;
			doca_ctx_flush_tasks(ctx);
			if (ctx->ops->stop != NULL)
				ctx->ops->stop(ctx);
			ctx_set_state(ctx, DOCA_CTX_STATE_STOPPING);
			return 1;
		}
		if (ctx->state == DOCA_CTX_STATE_STOPPING && ctx_may_leave_stopping(ctx)) {
			list_remove(&ctx->transition_node);
			pe_update_flags(pe);
			if (ctx->ops->release != NULL)
				ctx->ops->release(ctx);
			ctx_set_state(ctx, DOCA_CTX_STATE_IDLE);
			return 1;
		}
	}
	return 0;
}

/* Moves a context that had work to the end, so that it cannot starve the others, unless a callback
 * has removed it. */
static __attribute__((noinline)) void pe_move_back(struct doca_pe *pe)
{
	struct doca_ctx *ctx = pe->polling;

	if (ctx == NULL || !ctx->polled)
		return;
	list_remove(&ctx->poll_node);
	list_append(&pe->pollers, &ctx->poll_node);
}

static inline uint8_t pe_poll_one(struct doca_pe *pe, struct doca_ctx *ctx)
{
	pe->polling = ctx;
	if (!ctx->ops->poll(ctx))
		return 0;
	/* A context that was destroyed is not the last one either. */
	if (unlikely(list_entry(pe->pollers.prev, struct doca_ctx, poll_node) != pe->polling))
		pe_move_back(pe);
	pe->polling = NULL;
	return 1;
}

/* The walk ends after a callback, because the callback may have removed the next context too. */
static uint8_t pe_poll(struct doca_pe *pe, struct list *node)
{
	for (; node != &pe->pollers; node = node->next) {
		if (pe_poll_one(pe, list_entry(node, struct doca_ctx, poll_node)))
			return 1;
	}
	pe->polling = NULL;
	return 0;
}

static uint8_t pe_refuse_nested(void)
{
	error_note(DOCA_ERROR_NOT_PERMITTED,
		   "pe progress: called from a callback of the same progress engine; return first");
	return 0;
}

void pe_complete_slow(struct doca_task *task, doca_error_t status)
{
	struct doca_ctx *ctx = task->ctx;

	if (status == DOCA_ERROR_IN_PROGRESS) {
		/* The engine holds the task and will end it by task_finish(), which counts and
		 * times it. */
		task->state = TASK_SUBMITTED;
		return;
	}
	ctx_count_completed(ctx);
	counters_add(&ctx->line->errors, 1);
	if (task->done & TASK_TIMED)
		ctx_sampled(ctx);
	task->status = status;
	task->state = TASK_OWNED;
	task->done = 0;
	if (task->pool->fails_ctx && ctx->state == DOCA_CTX_STATE_RUNNING)
		ctx_fail(ctx);
	task->pool->err_cb(task, task->user_data, ctx->user_data);
}

static void pe_progress_end(struct doca_pe *pe, uint8_t changed)
{
	pe->flags &= ~(uint64_t)PE_IN_PROGRESS;
	if (changed)
		pe->flags += PE_BUSY_ONE;
	else
		counters_add(&pe->line->empty, 1);
	pe_count_busy(pe);
}

/* Continues after the first poller, which had nothing: a queued task runs if no other poller has
 * anything. */
static __attribute__((noinline)) uint8_t pe_progress_remaining(struct doca_pe *pe,
							       struct list *node)
{
	uint8_t changed = pe_poll(pe, node);

	if (!changed && pe->head != NULL) {
		pe_complete(pe);
		changed = 1;
	}
	pe_progress_end(pe, changed);
	return changed;
}

/* Polls the pollers. Usually there is one, and it has something. */
static __attribute__((noinline)) uint8_t pe_progress_poll(struct doca_pe *pe)
{
	pe->flags |= PE_IN_PROGRESS;
	if (unlikely(!pe_poll_one(pe, list_entry(pe->pollers.next, struct doca_ctx, poll_node))))
		return pe_progress_remaining(pe, pe->pollers.next->next);
	pe->flags += PE_BUSY_ONE - PE_IN_PROGRESS;
	if (unlikely((pe->flags & PE_BUSY_PUBLISH) == 0))
		pe_count_busy(pe);
	return 1;
}

static __attribute__((noinline)) uint8_t pe_progress_task(struct doca_pe *pe)
{
	return pe_run_queue(pe);
}

/* Runs the queue like pe_run_queue(); a task that is done already needs fewer registers. */
static __attribute__((noinline)) uint8_t pe_progress_queue(struct doca_pe *pe)
{
	struct doca_task *task = pe->head;

	if (!task_has_succeeded(task))
		return pe_progress_task(pe);
	pe->flags |= PE_IN_PROGRESS;
	pe_dequeue(pe, task);
	pe_return_task(task);
	pe->flags += PE_BUSY_ONE - PE_IN_PROGRESS;
	return 1;
}

/* While the queue is never empty, the pollers are called in at least one of eight calls that find
 * something; such a call finds something too. */
uint8_t pe_progress_polled(struct doca_pe *pe, uint64_t flags)
{
	if (pe->head != NULL && (flags & PE_BUSY_POLL) != 0)
		return pe_progress_queue(pe);
	return pe_progress_poll(pe);
}

/* Tasks in the queue are not executed, but they complete, for callers that wait for them. */
static uint8_t pe_progress_foreign(struct doca_pe *pe)
{
	struct doca_task *task = pe->head;

	(void)pe_check_process(pe, "pe progress");
	if (task == NULL)
		return 0;
	pe->head = task->next;
	if (pe->head == NULL)
		pe->tail = &pe->head;
	pe->flags |= PE_IN_PROGRESS;
	pe_complete_slow(task, DOCA_ERROR_NOT_CONNECTED);
	pe->flags &= ~(uint64_t)PE_IN_PROGRESS;
	return 1;
}

uint8_t pe_progress_slow(struct doca_pe *pe)
{
	uint8_t changed;

	if (pe->flags & PE_IN_PROGRESS)
		return pe_refuse_nested();
	if (pe->flags & PE_FOREIGN)
		return pe_progress_foreign(pe);
	pe->flags |= PE_IN_PROGRESS;
	changed = pe_run_transition(pe);
	/* A context that stops waits for its tasks, so pollers that always have something must not
	 * block the queue. */
	if (!changed && pe->head != NULL && (pe->flags & PE_BUSY_POLL) != 0) {
		pe_complete(pe);
		changed = 1;
	}
	if (!changed)
		return pe_progress_remaining(pe, pe->pollers.next);
	pe_progress_end(pe, changed);
	return 1;
}

/* Everything that has work to do is a tail call, so that a call that finds nothing saves no
 * register. */
uint8_t pe_progress(struct doca_pe *pe)
{
	return pe_progress_by(pe, pe_progress_queue);
}
/* An alias, because a call of another function would cost as much as an empty progress. */
uint8_t doca_pe_progress(struct doca_pe *pe) __attribute__((alias("pe_progress")));

doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
					     doca_notification_handle_t *handle_out)
{
	if (pe == NULL || handle_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "pe notification handle: %s is NULL",
				 pe == NULL ? "pe" : "handle");
	*handle_out = pe->epoll_fd;
	return DOCA_SUCCESS;
}

/*
 * Clears the eventfds behind the handle; progress finds what they announced. Other processes ring
 * some of them and could do so without end. What is left after CLEAR_TURNS_MAX rounds merely causes
 * an early wake-up.
 */
#define CLEAR_TURNS_MAX 64

static void pe_consume_event(const struct epoll_event *event)
{
	uint64_t data = event->data.u64;
	struct pe_doorbell *doorbell = (struct pe_doorbell *)(uintptr_t)data;

	if (data == PE_EVENT_SESSION) {
		rpc_watch_handle(event->events);
		return;
	}
	if (data & PE_EVENT_SHARED)
		return;
	if (data & PE_EVENT_FD) {
		fd_eventfd_clear((int)(data >> PE_EVENT_SHIFT));
		return;
	}
	doorbell->on_ring(doorbell);
}

doca_error_t pe_clear_events(struct doca_pe *pe)
{
	struct epoll_event events[16];
	int n, i, turns = 0;

	do {
		n = epoll_wait(pe->epoll_fd, events, ARRAY_LEN(events), 0);
		if (n < 0 && errno != EINTR)
			return error_set(DOCA_ERROR_OPERATING_SYSTEM,
					 "pe clear notification: epoll: %m");
		for (i = 0; i < n; i++)
			pe_consume_event(&events[i]);
	} while ((n == (int)ARRAY_LEN(events) || (n < 0 && errno == EINTR)) &&
		 ++turns < CLEAR_TURNS_MAX);
	pe->rung = false;
	return DOCA_SUCCESS;
}

doca_error_t pe_clear_notification(struct doca_pe *pe)
{
	doca_error_t result = pe_check_process(pe, "pe clear notification");
	struct doca_ctx *ctx;

	if (result != DOCA_SUCCESS)
		return result;
	pe->armed = false;
	pe->cleared = true;
	counters_add(&pe->line->wakes, 1);
	/* The last request found work and armed no poller. An earlier ring causes an early wake-up
	 * at the next request. */
	if (pe->rung && !pe->listening) {
		fd_eventfd_clear(pe->event_fd);
		pe->rung = false;
		return DOCA_SUCCESS;
	}
	pe->listening = false;
	list_for_each(ctx, &pe->pollers, poll_node)
	{
		if (ctx->ops->disarm != NULL)
			ctx->ops->disarm(ctx);
	}
	return pe_clear_events(pe);
}

doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle)
{
	(void)handle;
	if (pe == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "pe clear notification: pe is NULL");
	return pe_clear_notification(pe);
}

doca_error_t pe_request_notification(struct doca_pe *pe)
{
	doca_error_t result = pe_check_process(pe, "pe request notification");
	struct doca_ctx *ctx;
	bool is_clear;

	if (result != DOCA_SUCCESS)
		return result;
	is_clear = pe->cleared;
	pe->cleared = false;
	if (pe_has_work(pe)) {
		pe_wake(pe);
		return DOCA_SUCCESS;
	}
	/* In PROGRESS_ALL mode the user need not have cleared the handle; an old wake-up must not
	 * remain. */
	if (!is_clear) {
		result = pe_clear_events(pe);
		if (result != DOCA_SUCCESS)
			return result;
	}
	pe->listening = true;
	pe->armed = true;
	counters_add(&pe->line->sleeps, 1);
	pe_count_busy(pe);
	list_for_each(ctx, &pe->pollers, poll_node)
	{
		/* One context with something to do is sufficient: the user will not sleep. */
		if (ctx->ops->arm != NULL && ctx->ops->arm(ctx)) {
			pe_wake(pe);
			break;
		}
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_request_notification(struct doca_pe *pe)
{
	if (pe == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "pe request notification: pe is NULL");
	return pe_request_notification(pe);
}

doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_out)
{
	struct doca_ctx *ctx;
	size_t n = 0;

	if (pe == NULL || num_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "pe in-flight tasks: %s is NULL",
				 pe == NULL ? "pe" : "the result");
	list_for_each(ctx, &pe->ctxs, pe_node) n += ctx_n_inflight(ctx);
	*num_out = n;
	return DOCA_SUCCESS;
}

void ctx_connect(struct doca_ctx *ctx, struct doca_pe *pe)
{
	ctx->pe = pe;
	list_append(&pe->ctxs, &ctx->pe_node);
	ctx_open_counters(ctx);
	counters_set_pe(&ctx->counters, &pe->counters);
	counters_set_state(&ctx->counters, ctx->state);
}

doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
	if (pe == NULL || ctx == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "pe connect: %s is NULL",
				 pe == NULL ? "pe" : "ctx");
	if (ctx->legacy != NULL)
		return api_refuse("pe connect", "context", ctx->legacy->api);
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return error_set(
			DOCA_ERROR_BAD_STATE,
			"pe connect: the %s context is not idle; connect it before it is started",
			ctx->ops->name);
	if (ctx->pe != NULL)
		return error_set(
			DOCA_ERROR_NOT_PERMITTED,
			"pe connect: the %s context is connected already, for its whole life",
			ctx->ops->name);
	ctx_connect(ctx, pe);
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode)
{
	if (pe == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "pe event mode: pe is NULL");
	if (event_mode != DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE &&
	    event_mode != DOCA_PE_EVENT_MODE_PROGRESS_ALL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "pe event mode: %d is not a mode",
				 (int)event_mode);
	if (pe->flags & PE_IN_PROGRESS)
		return error_set(
			DOCA_ERROR_NOT_PERMITTED,
			"pe event mode: cannot be set from a callback; set it outside progress");
	pe->event_mode = event_mode;
	return DOCA_SUCCESS;
}
