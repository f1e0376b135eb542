/* Tasks: pools, ownership, submission with and without flush, batches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

#include "client/progress/task_batch.h"
#include "tests/unit/client/fixture.h"

static struct doca_pe *pe;
static struct toy *toy;

static void setup(void)
{
	ck_ok(doca_pe_create(&pe));
	toy = toy_new(pe, 8);
	ck_ok(doca_ctx_start(&toy->ctx));
}

static void teardown(void)
{
	ck_ok(doca_ctx_stop(&toy->ctx));
	toy_delete(toy);
	ck_ok(doca_pe_destroy(pe));
}

START_TEST(a_pool_has_its_number_of_tasks)
{
	struct doca_task *tasks[8];

	for (int round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < 8; i++) {
			tasks[i] = toy_task(toy, i);
			ck_assert_uint_eq((uintptr_t)tasks[i] % 64, 0);
			ck_assert_ptr_eq(doca_task_get_ctx(tasks[i]), &toy->ctx);
			ck_assert_uint_eq(doca_task_get_user_data(tasks[i]).u64, i);
		}
		ck_assert_ptr_null(task_pool_get(&toy->pool, (union doca_data){.u64 = 8}));
		for (size_t i = 0; i < 8; i++)
			doca_task_free(tasks[(i * 3 + (size_t)round) % 8]);
	}
	ck_assert_uint_eq(toy->ctx.n_allocated, 0);
}
END_TEST

START_TEST(pools_are_made_anew)
{
	struct task_pool *pool = &toy->pool;

	ck_ok(doca_ctx_stop(&toy->ctx));
	ck_assert_int_eq(task_pool_init(pool, &toy->ctx, 2, 200), 0);
	ck_assert_uint_eq(pool->stride, 256);
	ck_assert_int_lt(task_pool_init(pool, &toy->ctx, UINT32_MAX, SIZE_MAX / 8), 0);
	ck_assert_uint_eq(pool->n_tasks, 2);
	ck_ok(doca_ctx_start(&toy->ctx));
	doca_task_free(toy_task(toy, 1));
}
END_TEST

START_TEST(a_task_is_freed_once)
{
	struct doca_task *task = toy_task(toy, 1), *other = toy_task(toy, 2);

	doca_task_free(task);
	doca_task_free(task);
	ck_says("freed already");
	ck_assert_uint_eq(toy->ctx.n_allocated, 1);
	ck_ok(doca_task_submit(other));
	doca_task_free(other);
	ck_says("submitted");
	ck_assert_uint_eq(toy->ctx.n_allocated, 1);
	unit_progress(pe);
	ck_assert_uint_eq(toy->n_ok, 1);
	ck_assert_uint_eq(toy->ctx.n_allocated, 0);
}
END_TEST

static void keep_task(struct toy *t, struct doca_task *task)
{
	(void)t;
	ck_assert_int_eq(task->state, TASK_OWNED);
}

/*
 * A task that was freed too early returns to the pool after its callback, so that the context can
 * stop.
 */
START_TEST(a_submitted_task_is_freed)
{
	struct doca_task *tasks[8];

	toy->on_task = keep_task;
	for (uint64_t i = 0; i < 8; i++) {
		tasks[i] = toy_task(toy, i);
		ck_ok(doca_task_submit(tasks[i]));
		doca_task_free(tasks[i]);
		ck_says("submitted; it returns to its pool");
		doca_task_free(tasks[i]);
		ck_says("submitted and was not freed");
		if (i == 3)
			unit_progress(pe);
	}
	ck_assert_uint_eq(toy->n_ok, 4);
	ck_assert_uint_eq(toy->ctx.n_allocated, 4);
	ck_assert_int_eq(doca_ctx_stop(&toy->ctx), DOCA_ERROR_IN_PROGRESS);
	unit_progress(pe);
	ck_assert_uint_eq(toy->n_failed, 4);
	ck_assert_uint_eq(toy->ctx.n_allocated, 0);
	ck_assert_int_eq(unit_state(&toy->ctx), IDLE);
	/* The freed tasks can be allocated again. */
	ck_ok(doca_ctx_start(&toy->ctx));
	for (uint64_t i = 0; i < 8; i++)
		tasks[i] = toy_task(toy, i);
	ck_ok(doca_task_submit(tasks[7]));
	unit_progress(pe);
	ck_assert_int_eq(tasks[7]->state, TASK_OWNED);
	for (uint64_t i = 0; i < 8; i++)
		doca_task_free(tasks[i]);
}
END_TEST

static unsigned n_lines;
static char line[1024], last_line[1024];

static void on_log_line(char *text)
{
	if (strstr(text, "submitted") == NULL)
		return;
	n_lines++;
	snprintf(last_line, sizeof(last_line), "%s", text);
}

static void watch_log(void)
{
	struct doca_log_backend *backend;

	ck_ok(doca_log_backend_create_with_buf_sdk(line, sizeof(line), on_log_line, &backend));
	n_lines = 0;
}

static void ck_line(const char *part)
{
	ck_assert_msg(strstr(last_line, part) != NULL, "\"%s\" has no \"%s\"", last_line, part);
}

/*
 * The vendor's secure channel does this with all its tasks: one warning with their number. The next
 * run of the context counts from 0.
 */
START_TEST(tasks_freed_early_are_counted)
{
	watch_log();
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 1000; i++) {
			struct doca_task *task = toy_task(toy, i);

			ck_ok(doca_task_submit(task));
			doca_task_free(task);
			ck_says("submitted; it returns to its pool");
			if (round == 2)
				break;
			unit_progress(pe);
		}
		ck_assert_uint_eq(n_lines, round == 0 ? 1 : 0);
		if (round == 0)
			ck_line("toy context is submitted; it returns to its pool");
		ck_assert_int_eq(doca_ctx_stop(&toy->ctx),
				 round == 2 ? DOCA_ERROR_IN_PROGRESS : DOCA_SUCCESS);
		unit_progress(pe);
		ck_assert_int_eq(unit_state(&toy->ctx), IDLE);
		ck_assert_uint_eq(n_lines, round == 0 ? 2 : round == 1 ? 1 : 0);
		if (round < 2)
			ck_line("toy: 1000 tasks in all were freed while they were submitted");
		n_lines = 0;
		ck_ok(doca_ctx_start(&toy->ctx));
	}
}
END_TEST

/* In strict mode freeing such a task is refused: it stays, and so does its context. */
START_TEST(a_submitted_task_is_not_freed_in_strict_mode)
{
	struct doca_task *task = toy_task(toy, 1);

	setenv("DOCOCORED_STRICT", "1", 1);
	watch_log();
	toy->on_task = keep_task;
	ck_ok(doca_task_submit(task));
	doca_task_free(task);
	ck_says("submitted and was not freed");
	ck_assert_uint_eq(n_lines, 1);
	unit_progress(pe);
	ck_assert_uint_eq(toy->n_ok, 1);
	ck_assert_int_eq(doca_ctx_stop(&toy->ctx), DOCA_ERROR_IN_PROGRESS);
	unit_progress(pe);
	ck_assert_int_eq(unit_state(&toy->ctx), DOCA_CTX_STATE_STOPPING);
	doca_task_free(task);
	unit_progress(pe);
	ck_assert_int_eq(unit_state(&toy->ctx), IDLE);
	ck_assert_uint_eq(n_lines, 1);
}
END_TEST

static void free_and_allocate(struct toy *t, struct doca_task *task)
{
	doca_task_free(task);
	ck_assert_ptr_eq(toy_task(t, 5), task);
}

static void submit_again(struct toy *t, struct doca_task *task)
{
	t->on_task = keep_task;
	ck_ok(doca_task_submit(task));
}

static void free_and_stop(struct toy *t, struct doca_task *task)
{
	doca_task_free(task);
	ck_assert_int_eq(doca_ctx_stop(&t->ctx), DOCA_ERROR_IN_PROGRESS);
}

/* The callback's decision about a task that was freed early takes precedence. */
START_TEST(a_callback_decides_about_a_freed_task)
{
	static void (*const on_task[])(struct toy *, struct doca_task *) = {free_and_allocate,
									    submit_again};
	struct doca_task *task;

	for (size_t i = 0; i < 2; i++) {
		task = toy_task(toy, 1);
		toy->on_task = on_task[i];
		ck_ok(doca_task_submit(task));
		doca_task_free(task);
		unit_progress(pe);
		ck_assert_uint_eq(toy->n_ok, 2 * i + 1);
		ck_assert_int_eq(task->state, TASK_OWNED);
		ck_assert_uint_eq(toy->ctx.n_allocated, 1);
		doca_task_free(task);
		ck_assert_uint_eq(toy->ctx.n_allocated, 0);
	}
	task = toy_task(toy, 1);
	toy->on_task = free_and_stop;
	ck_ok(doca_task_submit(task));
	doca_task_free(task);
	unit_progress(pe);
	ck_assert_int_eq(unit_state(&toy->ctx), IDLE);
}
END_TEST

START_TEST(a_task_is_used_again)
{
	struct doca_task *task = toy_task(toy, 1);

	toy->on_task = keep_task;
	toy->execute_result = DOCA_ERROR_IO_FAILED;
	ck_ok(doca_task_submit(task));
	unit_progress(pe);
	ck_assert_int_eq(doca_task_get_status(task), DOCA_ERROR_IO_FAILED);
	toy->execute_result = DOCA_SUCCESS;
	doca_task_set_user_data(task, (union doca_data){.u64 = 9});
	ck_ok(doca_task_submit(task));
	unit_progress(pe);
	ck_assert_uint_eq(toy->order[1], 9);
	ck_assert_int_eq(doca_task_get_status(task), DOCA_SUCCESS);
	doca_task_free(task);
}
END_TEST

/* The task stays in flight, counts once, and its measured time ends with it. */
START_TEST(an_engine_keeps_a_task)
{
	struct doca_task *task = toy_task(toy, 1);
	bool is_timed;

	toy->execute_result = DOCA_ERROR_IN_PROGRESS;
	ck_ok(doca_task_submit(task));
	is_timed = toy->ctx.is_timed;
	unit_progress(pe);
	ck_assert_uint_eq(toy->n_ok + toy->n_failed, 0);
	ck_assert_int_eq(task->state, TASK_SUBMITTED);
	ck_assert_uint_eq(ctx_n_inflight(&toy->ctx), 1);
	ck_assert_uint_eq(counters_get(&toy->ctx.line->submitted), 1);
	ck_assert_uint_eq(counters_get(&toy->ctx.line->completed), 0);
	ck_assert(toy->ctx.is_timed == is_timed);
	task_finish(task, DOCA_SUCCESS);
	ck_assert_uint_eq(toy->n_ok, 1);
	ck_assert_uint_eq(ctx_n_inflight(&toy->ctx), 0);
	ck_assert_uint_eq(counters_get(&toy->ctx.line->submitted), 1);
	ck_assert_uint_eq(counters_get(&toy->ctx.line->completed), 1);
	ck_assert_uint_eq(counters_get(&toy->ctx.line->errors), 0);
	ck_assert(!toy->ctx.is_timed);
}
END_TEST

static doca_error_t refuse_odd(const struct doca_task *task)
{
	return task->user_data.u64 % 2 == 0 ? DOCA_SUCCESS
					    : error_set(DOCA_ERROR_INVALID_VALUE, "odd");
}

START_TEST(try_submit_validates_first)
{
	struct doca_task *task = toy_task(toy, 1);

	toy->pool.validate = refuse_odd;
	ck_fails(doca_task_try_submit(NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
	ck_assert_uint_eq(ctx_n_inflight(&toy->ctx), 0);
	doca_task_set_user_data(task, (union doca_data){.u64 = 2});
	ck_ok(doca_task_try_submit(task));
	ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
	ck_says("submitted already");
	unit_progress(pe);
	ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
	ck_says("freed");
	ck_assert_uint_eq(toy->n_ok, 1);
}
END_TEST

/* Deferred tasks run before the task that flushes them, in order. */
START_TEST(deferred_tasks_keep_their_order)
{
	for (uint64_t i = 0; i < 3; i++)
		ck_ok(doca_task_submit_ex(toy_task(toy, i), DOCA_TASK_SUBMIT_FLAG_NONE));
	ck_assert_uint_eq(doca_pe_progress(pe), 0);
	ck_ok(doca_task_submit_ex(toy_task(toy, 3), DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS));
	ck_assert_uint_eq(doca_pe_progress(pe), 0);
	ck_ok(doca_task_submit_ex(toy_task(toy, 4),
				  DOCA_TASK_SUBMIT_FLAG_FLUSH |
					  DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS));
	ck_ok(doca_task_submit_ex(toy_task(toy, 5), DOCA_TASK_SUBMIT_FLAG_NONE));
	ck_assert_uint_eq(unit_progress(pe), 5);
	doca_ctx_flush_tasks(&toy->ctx);
	doca_ctx_flush_tasks(&toy->ctx);
	ck_assert_uint_eq(unit_progress(pe), 1);
	for (uint64_t i = 0; i < 6; i++)
		ck_assert_uint_eq(toy->order[i], i);
}
END_TEST

START_TEST(only_a_running_context_accepts_tasks)
{
	struct doca_task *task = toy_task(toy, 1);

	ck_fails(doca_ctx_stop(&toy->ctx), DOCA_ERROR_IN_PROGRESS);
	ck_fails(doca_task_submit(task), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_task_submit_ex(task, 0), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_task_try_submit(task), DOCA_ERROR_BAD_STATE);
	ck_assert_int_eq(task->state, TASK_OWNED);
	doca_task_free(task);
	unit_progress(pe);
}
END_TEST

static uint32_t room;

static doca_error_t submit_with_room(struct doca_task *task, uint32_t flags)
{
	if (room == 0)
		return error_hint(DOCA_ERROR_AGAIN, "full");
	room--;
	task_queue(task, flags);
	return DOCA_SUCCESS;
}

static struct doca_task_batch *batch_of(uint16_t n)
{
	struct doca_task_batch *batch = task_batch_new(n);

	ck_assert_ptr_nonnull(batch);
	batch->ctx = &toy->ctx;
	for (uint16_t i = 0; i < n; i++)
		batch->tasks[batch->n_tasks++] = toy_task(toy, i);
	return batch;
}

START_TEST(a_batch_goes_in_one_flush)
{
	struct doca_task_batch *batch = batch_of(8);

	toy->on_task = keep_task;
	doca_task_batch_set_user_data(batch, (union doca_data){.u64 = 5});
	ck_assert_uint_eq(doca_task_batch_get_user_data(batch).u64, 5);
	ck_assert_ptr_eq(doca_task_batch_get_ctx(batch), &toy->ctx);
	ck_assert_ptr_eq(doca_task_batch_get_ctx_user_data(batch).ptr, &toy->ctx);
	ck_assert_uint_eq(doca_task_batch_get_tasks_num(batch), 8);
	for (int round = 0; round < 3; round++) {
		toy->n_order = 0;
		ck_ok(doca_task_batch_submit(batch));
		ck_assert_uint_eq(unit_progress(pe), 8);
		for (uint64_t i = 0; i < 8; i++)
			ck_assert_uint_eq(toy->order[i], i);
		ck_ok(doca_task_batch_get_status(batch));
	}
	toy->execute_result = DOCA_ERROR_IO_FAILED;
	toy->fail_at = 6;
	ck_ok(doca_task_batch_submit(batch));
	unit_progress(pe);
	ck_fails(doca_task_batch_get_status(batch), DOCA_ERROR_IO_FAILED);
	doca_task_batch_free(batch);
	ck_assert_uint_eq(toy->ctx.n_allocated, 0);
}
END_TEST

/*
 * Cut short at each position: the accepted tasks run, the next call takes the rest, each exactly
 * once.
 */
START_TEST(a_batch_is_submitted_in_part)
{
	struct doca_task_batch *batch = batch_of(8);

	toy->on_task = keep_task;
	toy->pool.submit = submit_with_room;
	for (uint32_t first = 0; first < 8; first++) {
		toy->n_order = 0;
		room = first;
		ck_fails(doca_task_batch_submit(batch), DOCA_ERROR_AGAIN);
		ck_assert_uint_eq(unit_progress(pe), first);
		room = 0;
		ck_fails(doca_task_batch_submit(batch), DOCA_ERROR_AGAIN);
		ck_assert_uint_eq(unit_progress(pe), 0);
		room = 8;
		ck_ok(doca_task_batch_submit(batch));
		ck_assert_uint_eq(room, first);
		ck_assert_uint_eq(unit_progress(pe), 8 - first);
		for (uint64_t i = 0; i < 8; i++)
			ck_assert_uint_eq(toy->order[i], i);
	}
	doca_task_batch_free(batch);
}
END_TEST

START_TEST(a_batch_is_tried)
{
	struct doca_task_batch *batch = batch_of(4);

	toy->on_task = keep_task;
	toy->pool.validate = refuse_odd;
	ck_fails(doca_task_batch_try_submit(NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_task_batch_try_submit(batch), DOCA_ERROR_INVALID_VALUE);
	ck_assert_uint_eq(ctx_n_inflight(&toy->ctx), 0);
	toy->pool.validate = NULL;
	ck_ok(doca_task_batch_try_submit(batch));
	ck_fails(doca_task_batch_try_submit(batch), DOCA_ERROR_INVALID_VALUE);
	ck_assert_uint_eq(unit_progress(pe), 4);
	doca_task_batch_free(batch);
}
END_TEST

START_TEST(a_stopped_context_takes_no_batch)
{
	struct doca_task_batch *batch = batch_of(4);

	ck_fails(doca_ctx_stop(&toy->ctx), DOCA_ERROR_IN_PROGRESS);
	ck_fails(doca_task_batch_submit(batch), DOCA_ERROR_BAD_STATE);
	doca_task_batch_free(batch);
	unit_progress(pe);
	ck_assert_int_eq(unit_state(&toy->ctx), IDLE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/task");
	TCase *tcase = unit_case(suite, "task", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_pool_has_its_number_of_tasks);
	tcase_add_test(tcase, pools_are_made_anew);
	tcase_add_test(tcase, a_task_is_freed_once);
	tcase_add_test(tcase, a_submitted_task_is_freed);
	tcase_add_test(tcase, tasks_freed_early_are_counted);
	tcase_add_test(tcase, a_submitted_task_is_not_freed_in_strict_mode);
	tcase_add_test(tcase, a_callback_decides_about_a_freed_task);
	tcase_add_test(tcase, a_task_is_used_again);
	tcase_add_test(tcase, an_engine_keeps_a_task);
	tcase_add_test(tcase, try_submit_validates_first);
	tcase_add_test(tcase, deferred_tasks_keep_their_order);
	tcase_add_test(tcase, only_a_running_context_accepts_tasks);
	tcase_add_test(tcase, a_batch_goes_in_one_flush);
	tcase_add_test(tcase, a_batch_is_submitted_in_part);
	tcase_add_test(tcase, a_batch_is_tried);
	tcase_add_test(tcase, a_stopped_context_takes_no_batch);
	return unit_run(suite);
}
