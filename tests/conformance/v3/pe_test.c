/*
 * doca_ctx.h and doca_pe.h, with DMA contexts as the example: state machine and its callback, stops
 * with tasks in flight, what callbacks may do, flushing, notification, several contexts per engine.
 * Task batches have no public constructor yet, so no engine makes them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/conformance/cover.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "util/fd.h"

#define N_TASKS 8u

static struct lab lab;
static struct doca_dev *dev;
static struct doca_mmap *mmap_;
static struct use_dma use;
static struct doca_buf *src, *dst;
static char memory[2][4096];

static void setup(void)
{
	static const struct lab_options options = {.only = {true, false}};

	lab_setup_client(&lab, &options, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	mmap_ = use_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	use_dma_open(&use, dev, N_TASKS);
	src = use_src(&use, mmap_, memory[0], 64);
	dst = use_dst(&use, mmap_, memory[1], 4096);
}

static void teardown(void)
{
	use_buf_end(src);
	use_buf_end(dst);
	use_dma_close(&use);
	use_mmap_end(mmap_);
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	PASSES(doca_ctx_get_state(ctx, &state));
	return state;
}

static size_t n_inflight(void)
{
	size_t of_ctx, of_pe;

	PASSES(doca_ctx_get_num_inflight_tasks(use.ctx, &of_ctx));
	PASSES(doca_pe_get_num_inflight_tasks(use.pe, &of_pe));
	ck_assert_uint_eq(of_ctx, of_pe);
	return of_ctx;
}

static struct doca_task *task(void)
{
	return use_task(&use, src, dst);
}

START_TEST(test_null)
{
	struct doca_pe *none = NULL;
	struct doca_ctx *no_ctx = NULL;
	union doca_data data = {.u64 = 0};
	enum doca_ctx_states state;
	doca_notification_handle_t handle;
	size_t n;
	uint32_t count;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_pe_create(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_pe_destroy(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_pe_get_num_inflight_tasks(none, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_pe_connect_ctx(none, use.ctx));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_pe_connect_ctx(use.pe, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_pe_get_notification_handle(use.pe, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_pe_get_notification_handle(none, &handle));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_pe_set_event_mode(none, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_pe_set_event_mode(use.pe, (enum doca_pe_event_mode)2));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(no_ctx));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_stop(no_ctx));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_get_num_inflight_tasks(no_ctx, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_set_datapath_on_gpu(use.ctx, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_set_datapath_on_dpa(use.ctx, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_set_user_data(no_ctx, data));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_get_user_data(use.ctx, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_set_state_changed_cb(use.ctx, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_get_state(no_ctx, &state));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_set_completion_vector(no_ctx, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_cap_get_num_completion_vectors(NULL, &count));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_task_batch_try_submit(NULL));
}
END_TEST

/* --- states --- */

static struct {
	enum doca_ctx_states prev, next;
} changes[16];
static unsigned n_changes;

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
		     enum doca_ctx_states prev, enum doca_ctx_states next)
{
	ck_assert_ptr_eq(user_data.ptr, &use);
	ck_assert_ptr_eq(ctx, use.ctx);
	ck_assert_int_eq(state_of(ctx), next);
	changes[n_changes].prev = prev;
	changes[n_changes++].next = next;
}

static void check_change(unsigned i, enum doca_ctx_states prev, enum doca_ctx_states next)
{
	ck_assert_uint_lt(i, n_changes);
	ck_assert_int_eq(changes[i].prev, prev);
	ck_assert_int_eq(changes[i].next, next);
}

START_TEST(test_states)
{
	struct doca_gpu *gpu = (struct doca_gpu *)memory;
	struct doca_dpa *dpa = (struct doca_dpa *)memory;
	struct doca_dma_task_memcpy *t;
	union doca_data data;
	uint32_t n;

	PASSES(doca_ctx_set_state_changed_cb(use.ctx, on_state));
	PASSES(doca_ctx_get_user_data(use.ctx, &data));
	ck_assert_ptr_eq(data.ptr, &use);
	ck_assert_int_eq(state_of(use.ctx), DOCA_CTX_STATE_RUNNING);
	RETURNS(DOCA_ERROR_BAD_STATE, doca_ctx_start(use.ctx));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_pe_connect_ctx(use.pe, use.ctx));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_ctx_set_datapath_on_gpu(use.ctx, gpu));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_ctx_set_datapath_on_dpa(use.ctx, dpa));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_ctx_set_completion_vector(use.ctx, 0));
	PASSES(doca_ctx_stop(use.ctx));
	PASSES(doca_ctx_stop(use.ctx));
	check_change(0, DOCA_CTX_STATE_RUNNING, DOCA_CTX_STATE_IDLE);
	ck_assert_uint_eq(n_changes, 1);
	EXPECT(DOCA_ERROR_BAD_STATE, doca_dma_task_memcpy_alloc_init(use.dma, src, dst, data, &t));
	/* A context stays connected to its engine for its whole life. */
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_pe_connect_ctx(use.pe, use.ctx));
	RETURNS(DOCA_ERROR_IN_USE, doca_pe_destroy(use.pe));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_set_datapath_on_gpu(use.ctx, gpu));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_set_datapath_on_dpa(use.ctx, dpa));
	PASSES(doca_ctx_cap_get_num_completion_vectors(doca_dev_as_devinfo(dev), &n));
	PASSES(doca_ctx_set_completion_vector(use.ctx, n - 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_set_completion_vector(use.ctx, n));
	PASSES(doca_ctx_start(use.ctx));
	check_change(1, DOCA_CTX_STATE_IDLE, DOCA_CTX_STATE_RUNNING);
}
END_TEST

/* A forked child has copies of its parent's contexts, but can neither start nor stop them. */
START_TEST(test_forked_child)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		RETURNS(DOCA_ERROR_NOT_CONNECTED, doca_ctx_stop(use.ctx));
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(state_of(use.ctx), DOCA_CTX_STATE_RUNNING);
	OK(doca_task_submit(task()));
	use_dma_await(&use, 1);
	ck_assert_uint_eq(use.n_ok, 1);
}
END_TEST

START_TEST(test_start_needs_engine_and_tasks)
{
	struct doca_dma *dma;
	struct doca_pe *pe;

	OK(doca_dma_create(dev, &dma));
	RETURNS(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(doca_dma_as_ctx(dma)));
	RETURNS(DOCA_ERROR_NOT_CONNECTED, doca_ctx_stop(doca_dma_as_ctx(dma)));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "no progress engine"));
	PASSES(doca_pe_create(&pe));
	PASSES(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_ctx_start(doca_dma_as_ctx(dma)));
	ck_assert_int_eq(state_of(doca_dma_as_ctx(dma)), DOCA_CTX_STATE_IDLE);
	/* A connected context may be stopped in every state. */
	PASSES(doca_ctx_stop(doca_dma_as_ctx(dma)));
	OK(doca_dma_destroy(dma));
	PASSES(doca_pe_destroy(pe));
	if (allocount_works)
		RUNS_OUT(0, doca_pe_create(&pe));
}
END_TEST

START_TEST(test_stop_with_tasks_in_flight)
{
	PASSES(doca_ctx_set_state_changed_cb(use.ctx, on_state));
	use.keep_tasks = true;
	struct doca_task *a = task(), *b = task(), *held = task();

	PASSES(doca_task_submit(a));
	PASSES(doca_task_submit(b));
	ck_assert_uint_eq(n_inflight(), 2);
	RETURNS(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(use.ctx));
	check_change(0, DOCA_CTX_STATE_RUNNING, DOCA_CTX_STATE_STOPPING);
	RETURNS(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(use.ctx));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_task_submit(held));
	EXPECT(DOCA_ERROR_IN_USE, doca_dma_destroy(use.dma));
	use_dma_await(&use, 2);
	/* The tasks were flushed, and not executed. */
	ck_assert_uint_eq(use.n_failed, 2);
	ck_assert_int_eq(CALLED(doca_task_get_status(a)), DOCA_ERROR_SHUTDOWN);
	ck_assert_uint_eq(n_inflight(), 0);
	/* The context becomes idle only when the completed tasks are also freed. */
	for (int i = 0; i < 10; i++)
		doca_pe_progress(use.pe);
	ck_assert_int_eq(state_of(use.ctx), DOCA_CTX_STATE_STOPPING);
	doca_task_free(a);
	doca_task_free(b);
	doca_pe_progress(use.pe);
	ck_assert_int_eq(state_of(use.ctx), DOCA_CTX_STATE_STOPPING);
	CALLED(doca_task_free(held));
	use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
	check_change(1, DOCA_CTX_STATE_STOPPING, DOCA_CTX_STATE_IDLE);
	ck_assert_uint_eq(n_changes, 2);
}
END_TEST

/* --- callbacks --- */

static unsigned left_to_submit;

static void ok_and_again(struct doca_dma_task_memcpy *t, union doca_data task_data,
			 union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	use.n_ok++;
	OK(doca_buf_reset_data_len(dst));
	if (left_to_submit-- > 0)
		PASSES(doca_task_submit(doca_dma_task_memcpy_as_task(t)));
	else
		doca_task_free(doca_dma_task_memcpy_as_task(t));
}

static void ok_and_stop(struct doca_dma_task_memcpy *t, union doca_data task_data,
			union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	use.n_ok++;
	doca_task_free(doca_dma_task_memcpy_as_task(t));
	RETURNS(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(use.ctx));
	ck_assert_int_eq(state_of(use.ctx), DOCA_CTX_STATE_STOPPING);
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_pe_set_event_mode(use.pe, 0));
	/* Progress cannot be called from a callback of progress. */
	ck_assert_uint_eq(CALLED(doca_pe_progress(use.pe)), 0);
}

static void restart_with(doca_dma_task_memcpy_completion_cb_t ok_cb)
{
	OK(doca_ctx_stop(use.ctx));
	OK(doca_dma_task_memcpy_set_conf(use.dma, ok_cb, use_dma_err_cb, N_TASKS));
	OK(doca_ctx_start(use.ctx));
}

START_TEST(test_resubmit_in_callback)
{
	restart_with(ok_and_again);
	left_to_submit = 1000;
	OK(doca_task_submit(task()));
	use_dma_await(&use, 1001);
	ck_assert_uint_eq(use.n_failed, 0);
	ck_assert_uint_eq(n_inflight(), 0);
}
END_TEST

START_TEST(test_stop_in_callback)
{
	restart_with(ok_and_stop);
	OK(doca_task_submit(task()));
	OK(doca_task_submit(task()));
	use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
	ck_assert_uint_eq(use.n_ok, 1);
	ck_assert_uint_eq(use.n_failed, 1);
	ck_assert_int_eq(use.status, DOCA_ERROR_SHUTDOWN);
}
END_TEST

/* A second context, which its own callback destroys during progress of the shared engine. */
static struct doca_dma *doomed;

static void destroy_when_idle(const union doca_data user_data, struct doca_ctx *ctx,
			      enum doca_ctx_states prev, enum doca_ctx_states next)
{
	(void)user_data;
	(void)ctx;
	(void)prev;
	if (next != DOCA_CTX_STATE_IDLE)
		return;
	OK(doca_dma_destroy(doomed));
	doomed = NULL;
}

START_TEST(test_destroy_in_idle_callback)
{
	struct doca_dma_task_memcpy *t;
	struct doca_ctx *ctx;

	OK(doca_dma_create(dev, &doomed));
	ctx = doca_dma_as_ctx(doomed);
	OK(doca_dma_task_memcpy_set_conf(doomed, use_dma_ok_cb, use_dma_err_cb, 2));
	OK(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = &use}));
	OK(doca_ctx_set_state_changed_cb(ctx, destroy_when_idle));
	OK(doca_pe_connect_ctx(use.pe, ctx));
	OK(doca_ctx_start(ctx));
	OK(doca_dma_task_memcpy_alloc_init(doomed, src, dst, (union doca_data){0}, &t));
	OK(doca_task_submit(doca_dma_task_memcpy_as_task(t)));
	OK(doca_task_submit(task()));
	RETURNS(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(ctx));
	use_dma_await(&use, 2);
	for (int i = 0; i < 10 && doomed != NULL; i++)
		doca_pe_progress(use.pe);
	ck_assert_ptr_null(doomed);
	ck_assert_uint_eq(use.n_failed, 1);
	/* The engine still works. */
	OK(doca_task_submit(task()));
	use_dma_await(&use, 3);
}
END_TEST

/* --- submission --- */

START_TEST(test_flush)
{
	struct doca_task *a = task(), *b = task(), *c = task();

	PASSES(doca_task_submit_ex(a, DOCA_TASK_SUBMIT_FLAG_NONE));
	PASSES(doca_task_submit_ex(b, DOCA_TASK_SUBMIT_FLAG_NONE));
	ck_assert_uint_eq(n_inflight(), 2);
	for (int i = 0; i < 10; i++)
		ck_assert_uint_eq(doca_pe_progress(use.pe), 0);
	CALLED(doca_ctx_flush_tasks(use.ctx));
	use_dma_await(&use, 2);
	/* A submission with the flush flag also submits the tasks that were waiting. */
	a = task();
	PASSES(doca_task_submit_ex(a, DOCA_TASK_SUBMIT_FLAG_NONE));
	PASSES(doca_task_submit_ex(c, DOCA_TASK_SUBMIT_FLAG_FLUSH |
					      DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS));
	use_dma_await(&use, 4);
	/* A stop does not lose waiting tasks either. */
	PASSES(doca_task_submit_ex(task(), DOCA_TASK_SUBMIT_FLAG_NONE));
	RETURNS(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(use.ctx));
	use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
	ck_assert_uint_eq(use.n_failed, 1);
	doca_ctx_flush_tasks(use.ctx);
}
END_TEST

START_TEST(test_try_submit)
{
	struct doca_task *t = task();
	union doca_data data = {.u64 = 42};

	CALLED(doca_task_set_user_data(t, data));
	ck_assert_uint_eq(CALLED(doca_task_get_user_data(t)).u64, 42);
	ck_assert_ptr_eq(CALLED(doca_task_get_ctx(t)), use.ctx);
	PASSES(doca_task_try_submit(t));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(t));
	use_dma_await(&use, 1);
	/* Every error in the task has the same code. */
	t = task();
	OK(doca_buf_set_data_len(src, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(t));
	OK(doca_buf_set_data(src, memory[0] + 60, 5));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(t));
	OK(doca_buf_set_data(src, memory[0], 64));
	OK(doca_buf_set_data_len(dst, 4096 - 63));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(t));
	OK(doca_buf_set_data_len(dst, 4096 - 64));
	PASSES(doca_task_try_submit(t));
	use_dma_await(&use, 2);
	ck_assert_uint_eq(use.n_failed, 0);
}
END_TEST

/* --- notification --- */

static bool wakes(int epoll, int timeout_ms)
{
	struct epoll_event event;

	return epoll_wait(epoll, &event, 1, timeout_ms) == 1;
}

static void check_notification(enum doca_pe_event_mode mode)
{
	CLEANUP_FD int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = {.events = EPOLLIN};
	doca_notification_handle_t handle, again;

	PASSES(doca_pe_set_event_mode(use.pe, mode));
	PASSES(doca_pe_get_notification_handle(use.pe, &handle));
	ck_assert_int_eq(epoll_ctl(epoll, EPOLL_CTL_ADD, handle, &event), 0);
	/* There is no work: armed, the engine does not wake. */
	PASSES(doca_pe_request_notification(use.pe));
	ck_assert(!wakes(epoll, 0));
	/* A submission while armed wakes the program. */
	OK(doca_task_submit(task()));
	ck_assert(wakes(epoll, (int)runner_timeout_ms(1000)));
	if (mode == DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE)
		PASSES(doca_pe_clear_notification(use.pe, 0));
	while (doca_pe_progress(use.pe))
		continue;
	ck_assert_uint_eq(use.n_ok, 1);
	/* The work existed before arming, after the last progress: the program wakes at once. */
	OK(doca_task_submit(task()));
	PASSES(doca_pe_request_notification(use.pe));
	ck_assert(wakes(epoll, (int)runner_timeout_ms(1000)));
	PASSES(doca_pe_clear_notification(use.pe, handle));
	ck_assert(!wakes(epoll, 0));
	while (doca_pe_progress(use.pe))
		continue;
	ck_assert_uint_eq(use.n_ok, 2);
	/* A wake-up that was handled does not stay, even in the mode without an explicit clear. */
	PASSES(doca_pe_request_notification(use.pe));
	ck_assert(!wakes(epoll, 0));
	/* A pending change of state counts as work. */
	OK(doca_task_submit_ex(task(), DOCA_TASK_SUBMIT_FLAG_NONE));
	ck_assert(!wakes(epoll, 0));
	RETURNS(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(use.ctx));
	ck_assert(wakes(epoll, (int)runner_timeout_ms(1000)));
	PASSES(doca_pe_clear_notification(use.pe, 0));
	while (state_of(use.ctx) != DOCA_CTX_STATE_IDLE) {
		while (doca_pe_progress(use.pe))
			continue;
		PASSES(doca_pe_request_notification(use.pe));
		ck_assert(state_of(use.ctx) == DOCA_CTX_STATE_IDLE ||
			  wakes(epoll, (int)runner_timeout_ms(1000)));
		PASSES(doca_pe_clear_notification(use.pe, 0));
	}
	PASSES(doca_pe_get_notification_handle(use.pe, &again));
	ck_assert_int_eq(again, handle);
}

START_TEST(test_notification_selective)
{
	check_notification(DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE);
}
END_TEST

START_TEST(test_notification_all)
{
	check_notification(DOCA_PE_EVENT_MODE_PROGRESS_ALL);
}
END_TEST

START_TEST(test_no_descriptors)
{
	struct rlimit limit, none;
	struct doca_pe *pe;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 3;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	doca_error_t result = doca_pe_create(&pe);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	EXPECT(DOCA_ERROR_OPERATING_SYSTEM, result);
}
END_TEST

/* --- several contexts --- */

START_TEST(test_several_contexts)
{
	struct doca_dma *dmas[4];
	struct doca_dma_task_memcpy *t;
	size_t n;

	for (int i = 0; i < 4; i++) {
		struct doca_ctx *ctx;

		OK(doca_dma_create(dev, &dmas[i]));
		ctx = doca_dma_as_ctx(dmas[i]);
		OK(doca_dma_task_memcpy_set_conf(dmas[i], use_dma_ok_cb, use_dma_err_cb, 4));
		OK(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = &use}));
		OK(doca_pe_connect_ctx(use.pe, ctx));
		OK(doca_ctx_start(ctx));
	}
	for (int i = 0; i < 16; i++) {
		OK(doca_dma_task_memcpy_alloc_init(dmas[i % 4], src, dst, (union doca_data){0},
						   &t));
		OK(doca_task_submit(doca_dma_task_memcpy_as_task(t)));
	}
	PASSES(doca_pe_get_num_inflight_tasks(use.pe, &n));
	ck_assert_uint_eq(n, 16);
	for (int i = 0; i < 4; i++) {
		PASSES(doca_ctx_get_num_inflight_tasks(doca_dma_as_ctx(dmas[i]), &n));
		ck_assert_uint_eq(n, 4);
	}
	/* When a context stops, only its own tasks are flushed. */
	RETURNS(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(doca_dma_as_ctx(dmas[2])));
	use_dma_await(&use, 16);
	ck_assert_uint_eq(use.n_ok, 12);
	ck_assert_uint_eq(use.n_failed, 4);
	use_ctx_await(use.pe, doca_dma_as_ctx(dmas[2]), DOCA_CTX_STATE_IDLE);
	for (int i = 0; i < 4; i++) {
		OK(doca_ctx_stop(doca_dma_as_ctx(dmas[i])));
		OK(doca_dma_destroy(dmas[i]));
	}
}
END_TEST

static const struct unreachable pe_unreachable[] = {
	{"doca_pe_clear_notification", "OPERATING_SYSTEM", "epoll on descriptors of ours works"},
	{"doca_pe_connect_ctx", "NO_MEMORY", "a context carries its own list node"},
	{NULL},
};

static const struct unreachable ctx_unreachable[] = {
	{"*", "UNEXPECTED", "no rule of our own was broken"},
	{"doca_ctx_start", "NOT_SUPPORTED", "a device that lacks it gives no object to start"},
	{"doca_ctx_set_completion_vector", "NOT_SUPPORTED", "every context has vector 0"},
	{NULL},
};

/* No batch can be created, so these cannot be called. */
static const char *const batch_functions[] = {
	"doca_task_batch_submit",
	"doca_task_batch_free",
	"doca_task_batch_get_status",
	"doca_task_batch_set_user_data",
	"doca_task_batch_get_user_data",
	"doca_task_batch_get_ctx",
	"doca_task_batch_get_ctx_user_data",
	"doca_task_batch_get_tasks_num",
};

static bool finish(void)
{
	for (size_t i = 0; i < ARRAY_LEN(batch_functions); i++)
		cover_excuse(batch_functions[i]);
	bool pe_ok = cover_report("doca_pe", documented_doca_pe, pe_unreachable);

	return cover_report("doca_ctx", documented_doca_ctx, ctx_unreachable) && pe_ok;
}

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("pe");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_null);
	tcase_add_test(tcase, test_states);
	tcase_add_test(tcase, test_forked_child);
	tcase_add_test(tcase, test_start_needs_engine_and_tasks);
	tcase_add_test(tcase, test_stop_with_tasks_in_flight);
	tcase_add_test(tcase, test_resubmit_in_callback);
	tcase_add_test(tcase, test_stop_in_callback);
	tcase_add_test(tcase, test_destroy_in_idle_callback);
	tcase_add_test(tcase, test_flush);
	tcase_add_test(tcase, test_try_submit);
	tcase_add_test(tcase, test_notification_selective);
	tcase_add_test(tcase, test_notification_all);
	tcase_add_test(tcase, test_no_descriptors);
	tcase_add_test(tcase, test_several_contexts);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_pe", add_cases, finish);
}
