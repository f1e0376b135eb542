/* Context: every transition of the state machine, driven through a toy engine. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/client/fixture.h"
#include "util/fd.h"

static struct doca_pe *pe;
static struct toy *toy;

static void setup(void)
{
	ck_ok(doca_pe_create(&pe));
	toy = toy_new(pe, 4);
}

static void teardown(void)
{
	if (toy != NULL)
		toy_delete(toy);
	ck_ok(doca_pe_destroy(pe));
	ck_assert_uint_eq(unit_dev.n_users, 0);
}

START_TEST(a_plain_life)
{
	ck_ok(doca_ctx_start(&toy->ctx));
	ck_change(toy, 0, IDLE, RUNNING);
	ck_fails(doca_ctx_start(&toy->ctx), DOCA_ERROR_BAD_STATE);
	ck_fails(ctx_deinit(&toy->ctx), DOCA_ERROR_IN_USE);
	ck_ok(doca_ctx_stop(&toy->ctx));
	ck_change(toy, 1, RUNNING, IDLE);
	ck_ok(doca_ctx_stop(&toy->ctx));
	ck_assert_uint_eq(toy->n_states, 2);
	ck_assert_uint_eq(toy->n_stops, 1);
	ck_assert_uint_eq(toy->n_releases, 1);
	ck_ok(doca_ctx_start(&toy->ctx));
	ck_ok(doca_ctx_stop(&toy->ctx));
}
END_TEST

START_TEST(a_start_needs_an_engine)
{
	struct toy *lonely = toy_new(NULL, 0);

	ck_fails(doca_ctx_start(NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_ctx_start(&lonely->ctx), DOCA_ERROR_NOT_CONNECTED);
	ck_says("doca_pe_connect_ctx");
	ck_fails(doca_ctx_stop(&lonely->ctx), DOCA_ERROR_NOT_CONNECTED);
	toy_delete(lonely);
}
END_TEST

static int in_a_child(doca_error_t (*call)(struct doca_ctx *ctx))
{
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit((int)call(&toy->ctx));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Parent and child share one epoll set. */
START_TEST(a_child_leaves_its_parents_contexts)
{
	int fd = fd_eventfd();

	ck_assert_int_eq(in_a_child(doca_ctx_start), DOCA_ERROR_NOT_CONNECTED);
	ck_ok(doca_ctx_start(&toy->ctx));
	ck_assert_int_eq(pe_add_eventfd(pe, fd), 0);
	ck_assert_int_eq(in_a_child(doca_ctx_stop), DOCA_ERROR_NOT_CONNECTED);
	if (fork() == 0) {
		pe_remove_eventfd(pe, fd);
		_exit(pe_add_eventfd(pe, fd) == -EPERM ? 0 : 1);
	}
	wait(NULL);
	fd_eventfd_ring(fd);
	ck_assert(unit_is_readable(pe));
	pe_remove_eventfd(pe, fd);
	ck_ok(doca_ctx_stop(&toy->ctx));
	close(fd);
}
END_TEST

START_TEST(a_context_is_connected_once)
{
	struct doca_pe *other;

	ck_ok(doca_pe_create(&other));
	ck_fails(doca_pe_connect_ctx(other, &toy->ctx), DOCA_ERROR_NOT_PERMITTED);
	ck_ok(doca_ctx_start(&toy->ctx));
	ck_fails(doca_pe_connect_ctx(other, &toy->ctx), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_pe_destroy(pe), DOCA_ERROR_IN_USE);
	ck_ok(doca_ctx_stop(&toy->ctx));
	ck_ok(doca_pe_destroy(other));
}
END_TEST

START_TEST(a_failed_start_stays_idle)
{
	toy->start_result = DOCA_ERROR_INITIALIZATION;
	ck_fails(doca_ctx_start(&toy->ctx), DOCA_ERROR_INITIALIZATION);
	ck_assert_int_eq(unit_state(&toy->ctx), IDLE);
	ck_assert_uint_eq(toy->n_states, 0);
	toy->start_result = DOCA_SUCCESS;
	ck_ok(doca_ctx_start(&toy->ctx));
	ck_ok(doca_ctx_stop(&toy->ctx));
}
END_TEST

static void begin_start(void)
{
	toy->start_result = DOCA_ERROR_IN_PROGRESS;
	ck_fails(doca_ctx_start(&toy->ctx), DOCA_ERROR_IN_PROGRESS);
	ck_change(toy, 0, IDLE, STARTING);
	ck_fails(ctx_check_idle(&toy->ctx, DOCA_ERROR_BAD_STATE, "x"), DOCA_ERROR_BAD_STATE);
	ck_assert_ptr_null(task_pool_get(&toy->pool, (union doca_data){.u64 = 0}));
	ctx_set_polled(&toy->ctx, true);
}

static void event_started(struct toy *t)
{
	ctx_started(&t->ctx);
}

START_TEST(a_slow_start_runs_by_progress)
{
	begin_start();
	ck_assert_uint_eq(doca_pe_progress(pe), 0);
	toy->on_event = event_started;
	toy->n_events = 1;
	ck_assert_uint_eq(doca_pe_progress(pe), 1);
	ck_change(toy, 1, STARTING, RUNNING);
	ctx_started(&toy->ctx);
	ck_assert_uint_eq(toy->n_states, 2);
	ck_ok(doca_ctx_stop(&toy->ctx));
}
END_TEST

static void event_failed(struct toy *t)
{
	ctx_fail(&t->ctx);
}

START_TEST(a_slow_start_fails)
{
	begin_start();
	toy->on_event = event_failed;
	toy->n_events = 1;
	unit_progress(pe);
	ck_change(toy, 1, STARTING, STOPPING);
	ck_change(toy, 2, STOPPING, IDLE);
	ck_assert_uint_eq(toy->n_stops, 1);
	ck_assert_uint_eq(toy->n_releases, 1);
}
END_TEST

START_TEST(a_start_is_broken_off)
{
	begin_start();
	toy->is_slow = true;
	ck_fails(doca_ctx_stop(&toy->ctx), DOCA_ERROR_IN_PROGRESS);
	ck_change(toy, 1, STARTING, STOPPING);
	ck_fails(doca_ctx_stop(&toy->ctx), DOCA_ERROR_IN_PROGRESS);
	ck_assert_uint_eq(toy->n_stops, 1);
	ctx_started(&toy->ctx);
	ck_assert_int_eq(unit_state(&toy->ctx), STOPPING);
	ck_assert_uint_eq(doca_pe_progress(pe), 0);
	toy->is_stopped = true;
	ck_assert_uint_eq(doca_pe_progress(pe), 1);
	ck_change(toy, 2, STOPPING, IDLE);
}
END_TEST

START_TEST(a_second_stop_finds_the_end)
{
	ck_ok(doca_ctx_start(&toy->ctx));
	toy->is_slow = true;
	ck_fails(doca_ctx_stop(&toy->ctx), DOCA_ERROR_IN_PROGRESS);
	toy->is_stopped = true;
	ck_ok(doca_ctx_stop(&toy->ctx));
	ck_change(toy, 2, STOPPING, IDLE);
	ck_assert_uint_eq(doca_pe_progress(pe), 0);
	ck_assert_uint_eq(pe->flags & PE_FLAGS, 0);
}
END_TEST

/* Tasks in flight fail; for tasks that the engine holds, the stop waits. */
START_TEST(a_stop_waits_for_tasks)
{
	struct doca_task *held;
	size_t n;

	ck_ok(doca_ctx_start(&toy->ctx));
	held = toy_task(toy, 1);
	ck_ok(doca_task_submit(toy_task(toy, 2)));
	ck_ok(doca_task_submit_ex(toy_task(toy, 3), DOCA_TASK_SUBMIT_FLAG_NONE));
	ck_fails(doca_ctx_stop(&toy->ctx), DOCA_ERROR_IN_PROGRESS);
	ck_says("3 tasks");
	ck_assert_ptr_null(task_pool_get(&toy->pool, (union doca_data){.u64 = 0}));
	ck_fails(doca_task_submit(held), DOCA_ERROR_BAD_STATE);
	ck_says("is stopping; it was stopped, or a failure stopped it");
	ck_ok(doca_ctx_get_num_inflight_tasks(&toy->ctx, &n));
	ck_assert_uint_eq(n, 2);
	unit_progress(pe);
	ck_assert_uint_eq(toy->n_failed, 2);
	ck_assert_int_eq(toy->last_status, DOCA_ERROR_SHUTDOWN);
	ck_assert_int_eq(unit_state(&toy->ctx), STOPPING);
	doca_task_free(held);
	ck_assert_int_eq(unit_state(&toy->ctx), STOPPING);
	ck_assert_uint_eq(doca_pe_progress(pe), 1);
	ck_change(toy, 2, STOPPING, IDLE);
}
END_TEST

static void task_stop(struct toy *t, struct doca_task *task)
{
	doca_task_free(task);
	ck_assert_int_eq(doca_ctx_stop(&t->ctx), DOCA_ERROR_IN_PROGRESS);
}

START_TEST(a_stop_in_a_callback_leaves_by_progress)
{
	ck_ok(doca_ctx_start(&toy->ctx));
	toy->on_task = task_stop;
	ck_ok(doca_task_submit(toy_task(toy, 1)));
	ck_assert_uint_eq(doca_pe_progress(pe), 1);
	ck_assert_int_eq(unit_state(&toy->ctx), STOPPING);
	ck_assert_uint_eq(doca_pe_progress(pe), 1);
	ck_assert_int_eq(unit_state(&toy->ctx), IDLE);
	ck_assert_uint_eq(doca_pe_progress(pe), 0);
}
END_TEST

START_TEST(a_fatal_error_stops_by_itself)
{
	struct doca_task *held;

	toy->pool.fails_ctx = true;
	ck_ok(doca_ctx_start(&toy->ctx));
	held = toy_task(toy, 1);
	toy->execute_result = DOCA_ERROR_IO_FAILED;
	toy->fail_at = 2;
	ck_ok(doca_task_submit(toy_task(toy, 2)));
	ck_ok(doca_task_submit(toy_task(toy, 3)));
	ck_ok(doca_task_submit_ex(toy_task(toy, 4), DOCA_TASK_SUBMIT_FLAG_NONE));
	ck_assert_uint_eq(doca_pe_progress(pe), 1);
	ck_assert_int_eq(toy->last_status, DOCA_ERROR_IO_FAILED);
	ck_assert_int_eq(unit_state(&toy->ctx), RUNNING);
	unit_progress(pe);
	ck_change(toy, 1, RUNNING, STOPPING);
	ck_assert_uint_eq(toy->n_stops, 1);
	ck_assert_uint_eq(toy->n_failed, 3);
	ck_assert_int_eq(toy->last_status, DOCA_ERROR_SHUTDOWN);
	doca_task_free(held);
	unit_progress(pe);
	ck_change(toy, 2, STOPPING, IDLE);
	/* The context works again. */
	toy->execute_result = DOCA_SUCCESS;
	ck_ok(doca_ctx_start(&toy->ctx));
	ck_ok(doca_task_submit(toy_task(toy, 5)));
	ck_assert_uint_eq(doca_pe_progress(pe), 1);
	ck_assert_uint_eq(toy->n_ok, 1);
	ck_assert_uint_eq(doca_pe_progress(pe), 0);
	ck_ok(doca_ctx_stop(&toy->ctx));
}
END_TEST

START_TEST(a_stop_overtakes_a_fatal_error)
{
	ck_ok(doca_ctx_start(&toy->ctx));
	ctx_fail(&toy->ctx);
	ck_ok(doca_ctx_stop(&toy->ctx));
	ck_assert_uint_eq(pe->flags & PE_FLAGS, 0);
	ck_ok(doca_ctx_start(&toy->ctx));
	ck_assert_uint_eq(unit_progress(pe), 0);
	ck_assert_int_eq(unit_state(&toy->ctx), RUNNING);
	ck_ok(doca_ctx_stop(&toy->ctx));
	ck_assert_uint_eq(toy->n_stops, 2);
}
END_TEST

static void destroy_when_idle(struct toy *t, enum doca_ctx_states next)
{
	if (next == IDLE)
		toy = toy_delete(t);
}

START_TEST(the_state_callback_destroys_in_stop)
{
	ck_ok(doca_ctx_start(&toy->ctx));
	toy->on_state = destroy_when_idle;
	ck_ok(doca_ctx_stop(&toy->ctx));
	ck_assert_ptr_null(toy);
}
END_TEST

START_TEST(the_state_callback_destroys_in_progress)
{
	ck_ok(doca_ctx_start(&toy->ctx));
	toy->on_state = destroy_when_idle;
	toy->on_task = task_stop;
	ck_ok(doca_task_submit(toy_task(toy, 1)));
	unit_progress(pe);
	ck_assert_ptr_null(toy);
	ck_assert_uint_eq(pe->flags & PE_FLAGS, 0);
}
END_TEST

static void stop_when_running(struct toy *t, enum doca_ctx_states next)
{
	if (next == RUNNING)
		ck_ok(doca_ctx_stop(&t->ctx));
	else if (next == IDLE)
		toy = toy_delete(t);
}

START_TEST(the_state_callback_stops_in_start)
{
	toy->on_state = stop_when_running;
	ck_ok(doca_ctx_start(&toy->ctx));
	ck_assert_ptr_null(toy);
}
END_TEST

static void start_again(struct toy *t, enum doca_ctx_states next)
{
	if (next == IDLE && t->n_states < 6)
		ck_ok(doca_ctx_start(&t->ctx));
}

START_TEST(the_state_callback_starts_again)
{
	toy->on_state = start_again;
	ck_ok(doca_ctx_start(&toy->ctx));
	ctx_fail(&toy->ctx);
	unit_progress(pe);
	ck_assert_int_eq(unit_state(&toy->ctx), RUNNING);
	ck_change(toy, 3, IDLE, RUNNING);
	toy->on_state = NULL;
	ck_ok(doca_ctx_stop(&toy->ctx));
}
END_TEST

static struct doca_task *held_task;

static void free_and_stop(struct toy *t, enum doca_ctx_states next)
{
	if (next == STOPPING) {
		doca_task_free(held_task);
		ck_ok(doca_ctx_stop(&t->ctx));
	} else if (next == IDLE) {
		toy = toy_delete(t);
	}
}

/* The first state callback destroys everything; its caller must not use the objects afterwards. */
START_TEST(the_state_callback_ends_everything)
{
	ck_ok(doca_ctx_start(&toy->ctx));
	held_task = toy_task(toy, 1);
	toy->on_state = free_and_stop;
	ck_fails(doca_ctx_stop(&toy->ctx), DOCA_ERROR_IN_PROGRESS);
	ck_assert_ptr_null(toy);
}
END_TEST

static struct toy *other;

static void event_destroys(struct toy *t)
{
	(void)t;
	ck_ok(doca_ctx_stop(&other->ctx) == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS
								   : DOCA_ERROR_UNEXPECTED);
}

START_TEST(a_callback_stops_another_poller)
{
	other = toy_new(pe, 0);
	ck_ok(doca_ctx_start(&toy->ctx));
	ck_ok(doca_ctx_start(&other->ctx));
	ctx_set_polled(&toy->ctx, true);
	ctx_set_polled(&other->ctx, true);
	toy->on_event = event_destroys;
	toy->n_events = 1;
	unit_progress(pe);
	ck_assert_int_eq(unit_state(&other->ctx), IDLE);
	toy_delete(other);
	ck_assert_uint_eq(doca_pe_progress(pe), 0);
	ck_ok(doca_ctx_stop(&toy->ctx));
}
END_TEST

START_TEST(setters_know_their_states)
{
	uint32_t n;

	ck_fails(doca_ctx_set_completion_vector(&toy->ctx, 1), DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_ctx_set_completion_vector(&toy->ctx, 0));
	ck_fails(doca_ctx_set_datapath_on_gpu(&toy->ctx, (void *)&n), DOCA_ERROR_NOT_SUPPORTED);
	ck_fails(doca_ctx_set_datapath_on_dpa(&toy->ctx, (void *)&n), DOCA_ERROR_NOT_SUPPORTED);
	ck_ok(doca_ctx_cap_get_num_completion_vectors(&unit_info, &n));
	ck_assert_uint_eq(n, 1);
	ck_ok(doca_ctx_start(&toy->ctx));
	ck_fails(doca_ctx_set_completion_vector(&toy->ctx, 0), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_ctx_set_datapath_on_gpu(&toy->ctx, (void *)&n), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_ctx_set_datapath_on_dpa(&toy->ctx, (void *)&n), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_ctx_stop(&toy->ctx));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/ctx");
	TCase *tcase = unit_case(suite, "ctx", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_plain_life);
	tcase_add_test(tcase, a_start_needs_an_engine);
	tcase_add_test(tcase, a_context_is_connected_once);
	tcase_add_test(tcase, a_failed_start_stays_idle);
	tcase_add_test(tcase, a_slow_start_runs_by_progress);
	tcase_add_test(tcase, a_slow_start_fails);
	tcase_add_test(tcase, a_start_is_broken_off);
	tcase_add_test(tcase, a_second_stop_finds_the_end);
	tcase_add_test(tcase, a_stop_waits_for_tasks);
	tcase_add_test(tcase, a_stop_in_a_callback_leaves_by_progress);
	tcase_add_test(tcase, a_fatal_error_stops_by_itself);
	tcase_add_test(tcase, a_stop_overtakes_a_fatal_error);
	tcase_add_test(tcase, the_state_callback_destroys_in_stop);
	tcase_add_test(tcase, the_state_callback_destroys_in_progress);
	tcase_add_test(tcase, the_state_callback_stops_in_start);
	tcase_add_test(tcase, the_state_callback_starts_again);
	tcase_add_test(tcase, the_state_callback_ends_everything);
	tcase_add_test(tcase, a_callback_stops_another_poller);
	tcase_add_test(tcase, setters_know_their_states);
	tcase_add_test(tcase, a_child_leaves_its_parents_contexts);
	return unit_run(suite);
}
