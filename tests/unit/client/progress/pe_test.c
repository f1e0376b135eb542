/*
 * Progress engine: order of events, fairness of pollers, the notification cycle, and what callbacks
 * may do.
 */
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/client/fixture.h"
#include "util/fd.h"

static struct doca_pe *pe;
static struct toy *a, *b;

static void setup(void)
{
	ck_ok(doca_pe_create(&pe));
	a = toy_new(pe, 16);
	b = toy_new(pe, 16);
	ck_ok(doca_ctx_start(&a->ctx));
	ck_ok(doca_ctx_start(&b->ctx));
}

static void teardown(void)
{
	ck_ok(doca_ctx_stop(&a->ctx));
	ck_ok(doca_ctx_stop(&b->ctx));
	toy_delete(a);
	toy_delete(b);
	ck_ok(doca_pe_destroy(pe));
}

static size_t n_inflight(void)
{
	size_t n;

	ck_ok(doca_pe_get_num_inflight_tasks(pe, &n));
	return n;
}

START_TEST(one_completion_per_call_in_order)
{
	for (uint64_t i = 0; i < 8; i++)
		ck_ok(doca_task_submit(toy_task(i % 2 ? b : a, i)));
	ck_assert_uint_eq(n_inflight(), 8);
	for (uint32_t i = 0; i < 8; i++) {
		ck_assert_uint_eq(doca_pe_progress(pe), 1);
		ck_assert_uint_eq(a->n_order + b->n_order, i + 1);
		ck_assert_uint_eq((i % 2 ? b : a)->order[i / 2], i);
	}
	ck_assert_uint_eq(doca_pe_progress(pe), 0);
	ck_assert_uint_eq(n_inflight(), 0);
}
END_TEST

static void submit_again(struct toy *toy, struct doca_task *task)
{
	if (toy->n_order < 1000)
		ck_ok(doca_task_submit(task));
	else
		doca_task_free(task);
}

START_TEST(a_task_is_submitted_in_its_callback)
{
	a->on_task = submit_again;
	ck_ok(doca_task_submit(toy_task(a, 7)));
	ck_assert_uint_eq(unit_progress(pe), 1000);
	ck_assert_uint_eq(a->n_ok, 1000);
}
END_TEST

static uint32_t queue_at_event[8], n_seen;

static void note_queue(struct toy *toy)
{
	(void)toy;
	if (n_seen < ARRAY_LEN(queue_at_event))
		queue_at_event[n_seen++] = a->n_order;
}

/* A queue that is never empty still leaves the pollers one turn in eight. */
START_TEST(pollers_are_not_starved)
{
	ctx_set_polled(&b->ctx, true);
	b->n_events = 8;
	b->on_event = note_queue;
	a->on_task = submit_again;
	ck_ok(doca_task_submit(toy_task(a, 7)));
	for (int i = 0; i < 80; i++)
		ck_assert_uint_eq(doca_pe_progress(pe), 1);
	ck_assert_uint_eq(n_seen, 8);
	for (uint32_t i = 1; i < 8; i++)
		ck_assert_uint_le(queue_at_event[i] - queue_at_event[i - 1], 8);
	/* The pollers do not take the queue's turns either. */
	b->n_events = UINT32_MAX;
	n_seen = a->n_order;
	for (int i = 0; i < 80; i++)
		doca_pe_progress(pe);
	ck_assert_uint_ge(a->n_order - n_seen, 60);
	unit_state(&a->ctx);
	b->n_events = 0;
	unit_progress(pe);
}
END_TEST

/*
 * The same while a context stops, which needs its tasks back; a context that stops for a long time
 * takes no turns of others.
 */
START_TEST(a_stop_is_not_starved)
{
	struct doca_task *held = _i == 0 ? NULL : toy_task(a, 9);

	ctx_set_polled(&b->ctx, true);
	b->n_events = UINT32_MAX;
	for (uint64_t i = 1; i <= 8; i++)
		ck_ok(doca_task_submit(toy_task(a, i)));
	ck_fails(doca_ctx_stop(&a->ctx), DOCA_ERROR_IN_PROGRESS);
	for (int i = 0; i < 16; i++)
		ck_assert_uint_eq(doca_pe_progress(pe), 1);
	ck_assert_uint_eq(a->n_failed, 8);
	ck_assert_uint_ge(b->n_polls, 1);
	if (held != NULL) {
		ck_assert_int_eq(unit_state(&a->ctx), STOPPING);
		b->on_task = submit_again;
		b->n_polls = 0;
		ck_ok(doca_task_submit(toy_task(b, 7)));
		for (int i = 0; i < 80; i++)
			ck_assert_uint_eq(doca_pe_progress(pe), 1);
		ck_assert_uint_eq(b->n_order, 70);
		ck_assert_uint_eq(b->n_polls, 10);
		doca_task_free(held);
		ck_assert_uint_eq(doca_pe_progress(pe), 1);
	}
	ck_assert_int_eq(unit_state(&a->ctx), IDLE);
	b->n_events = 0;
	unit_progress(pe);
}
END_TEST

/* Two pollers that always have events take turns. */
START_TEST(pollers_take_turns)
{
	ctx_set_polled(&a->ctx, true);
	ctx_set_polled(&b->ctx, true);
	a->n_events = b->n_events = 100;
	for (int i = 0; i < 100; i++)
		ck_assert_uint_eq(doca_pe_progress(pe), 1);
	ck_assert_uint_eq(a->n_events, 50);
	ck_assert_uint_eq(b->n_events, 50);
	a->n_events = b->n_events = 0;
}
END_TEST

static uint8_t inner_progress = 1;
static doca_error_t inner_mode, inner_destroy;

static void make_forbidden_calls(struct toy *toy, struct doca_task *task)
{
	inner_progress = doca_pe_progress(toy->ctx.pe);
	inner_mode = doca_pe_set_event_mode(toy->ctx.pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL);
	inner_destroy = doca_pe_destroy(toy->ctx.pe);
	doca_task_free(task);
}

START_TEST(callbacks_may_not_progress)
{
	a->on_task = make_forbidden_calls;
	ck_ok(doca_task_submit(toy_task(a, 1)));
	ck_ok(doca_task_submit(toy_task(a, 2)));
	ck_assert_uint_eq(doca_pe_progress(pe), 1);
	ck_assert_uint_eq(inner_progress, 0);
	ck_assert_int_eq(inner_mode, DOCA_ERROR_NOT_PERMITTED);
	ck_assert_int_eq(inner_destroy, DOCA_ERROR_IN_USE);
	ck_assert_uint_eq(a->n_order, 1);
	unit_progress(pe);
}
END_TEST

static struct doca_pe *last_pe;
static struct toy *last_toy;

static void destroy_all(struct toy *toy, enum doca_ctx_states next)
{
	if (next != IDLE)
		return;
	last_toy = toy_delete(toy);
	ck_fails(doca_pe_destroy(last_pe), DOCA_ERROR_IN_USE);
	ck_says("callback");
}

/* The engine executes the callback that destroys its last context, so it must survive that. */
START_TEST(an_engine_outlives_its_callbacks)
{
	ck_ok(doca_pe_create(&last_pe));
	last_toy = toy_new(last_pe, 1);
	ck_ok(doca_ctx_start(&last_toy->ctx));
	last_toy->on_state = destroy_all;
	ctx_fail(&last_toy->ctx);
	unit_progress(last_pe);
	ck_assert_ptr_null(last_toy);
	ck_ok(doca_pe_destroy(last_pe));
}
END_TEST

START_TEST(modes_are_checked)
{
	ck_ok(doca_pe_set_event_mode(pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	ck_ok(doca_pe_set_event_mode(pe, DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE));
	ck_fails(doca_pe_set_event_mode(pe, (enum doca_pe_event_mode)2), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_pe_set_event_mode(NULL, DOCA_PE_EVENT_MODE_PROGRESS_ALL),
		 DOCA_ERROR_INVALID_VALUE);
}
END_TEST

/*
 * The cycle: progress until 0, arm, wake, clear, progress. In both modes; the second without
 * clearing.
 */
START_TEST(the_cycle_of_notifications)
{
	bool clears = _i == 0;

	ck_ok(doca_pe_set_event_mode(pe, clears ? DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE
						: DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	for (uint64_t i = 0; i < 20; i++) {
		ck_assert_uint_eq(unit_progress(pe), 0);
		ck_ok(doca_pe_request_notification(pe));
		ck_assert(!unit_is_readable(pe));
		ck_ok(doca_task_submit(toy_task(a, i)));
		ck_assert(unit_is_readable(pe));
		if (clears) {
			ck_ok(doca_pe_clear_notification(pe, 0));
			ck_assert(!unit_is_readable(pe));
		}
		ck_assert_uint_eq(unit_progress(pe), 1);
	}
	ck_ok(doca_pe_clear_notification(pe, 0));
}
END_TEST

/* Events between the last progress call and the request wake the program, too. */
START_TEST(nothing_is_lost_before_the_request)
{
	struct doca_task *held;

	ck_ok(doca_task_submit(toy_task(a, 1)));
	ck_ok(doca_pe_request_notification(pe));
	ck_assert(unit_is_readable(pe));
	ck_ok(doca_pe_clear_notification(pe, 0));
	unit_progress(pe);

	ctx_set_polled(&b->ctx, true);
	b->is_pending = true;
	ck_ok(doca_pe_request_notification(pe));
	ck_assert_uint_eq(b->n_arms, 1);
	ck_assert(unit_is_readable(pe));
	ck_ok(doca_pe_clear_notification(pe, 0));
	ck_assert_uint_eq(b->n_disarms, 1);
	b->is_pending = false;
	ctx_set_polled(&b->ctx, false);

	ctx_fail(&b->ctx);
	ck_ok(doca_pe_request_notification(pe));
	ck_assert(unit_is_readable(pe));
	ck_ok(doca_pe_clear_notification(pe, 0));
	unit_progress(pe);
	ck_assert_int_eq(unit_state(&b->ctx), IDLE);

	held = toy_task(a, 2);
	ck_fails(doca_ctx_stop(&a->ctx), DOCA_ERROR_IN_PROGRESS);
	ck_ok(doca_pe_request_notification(pe));
	ck_assert(!unit_is_readable(pe));
	doca_task_free(held);
	ck_assert(unit_is_readable(pe));
	ck_ok(doca_pe_clear_notification(pe, 0));
	ck_ok(doca_pe_request_notification(pe));
	ck_assert(unit_is_readable(pe));
	ck_ok(doca_pe_clear_notification(pe, 0));
	unit_progress(pe);
	ck_assert_int_eq(unit_state(&a->ctx), IDLE);
}
END_TEST

/*
 * If there is work already, no peer is asked to notify, no eventfd is emptied, and one clear is
 * enough.
 */
START_TEST(a_request_with_work_arms_no_context)
{
	bool clears = _i == 0;

	ck_ok(doca_pe_set_event_mode(pe, clears ? DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE
						: DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	ctx_set_polled(&b->ctx, true);
	for (uint32_t i = 0; i < 4; i++) {
		ck_ok(doca_task_submit(toy_task(a, 1)));
		ck_ok(doca_pe_request_notification(pe));
		ck_ok(doca_pe_request_notification(pe));
		ck_assert_uint_eq(b->n_arms, i);
		ck_assert(unit_is_readable(pe));
		if (clears) {
			ck_ok(doca_pe_clear_notification(pe, 0));
			ck_assert(!unit_is_readable(pe));
		}
		ck_assert_uint_eq(unit_progress(pe), 1);
		/* A program that did not clear sees no left-over event. */
		ck_ok(doca_pe_request_notification(pe));
		ck_assert_uint_eq(b->n_arms, i + 1);
		ck_assert(!unit_is_readable(pe));
		if (clears)
			ck_ok(doca_pe_clear_notification(pe, 0));
	}
	ck_ok(doca_pe_clear_notification(pe, 0));
	ctx_set_polled(&b->ctx, false);
}
END_TEST

/* One poller with an event is enough. */
START_TEST(a_request_ends_at_the_first_event)
{
	ctx_set_polled(&a->ctx, true);
	ctx_set_polled(&b->ctx, true);
	a->is_pending = true;
	ck_ok(doca_pe_request_notification(pe));
	ck_assert_uint_eq(a->n_arms, 1);
	ck_assert_uint_eq(b->n_arms, 0);
	ck_assert(unit_is_readable(pe));
	ck_ok(doca_pe_clear_notification(pe, 0));
	ck_assert(!unit_is_readable(pe));
	a->is_pending = false;
	ck_ok(doca_pe_request_notification(pe));
	ck_assert_uint_eq(b->n_arms, 1);
	ck_assert(!unit_is_readable(pe));
	ck_ok(doca_pe_clear_notification(pe, 0));
	ctx_set_polled(&a->ctx, false);
	ctx_set_polled(&b->ctx, false);
}
END_TEST

static unsigned n_rang;

static void count_ring(struct pe_doorbell *doorbell)
{
	(void)doorbell;
	n_rang++;
}

/* Clearing the handle notifies exactly the doorbells that rang. */
START_TEST(doorbells_call_back)
{
	struct pe_doorbell doorbells[2];

	for (size_t i = 0; i < 2; i++) {
		doorbells[i] = (struct pe_doorbell){.fd = fd_eventfd(), .on_ring = count_ring};
		ck_assert_int_eq(pe_add_doorbell(pe, &doorbells[i]), 0);
	}
	n_rang = 0;
	ck_ok(doca_pe_request_notification(pe));
	fd_eventfd_ring(doorbells[1].fd);
	ck_assert(unit_is_readable(pe));
	ck_ok(doca_pe_clear_notification(pe, 0));
	ck_assert_uint_eq(n_rang, 1);
	ck_ok(doca_pe_request_notification(pe));
	fd_eventfd_ring(doorbells[0].fd);
	fd_eventfd_ring(doorbells[1].fd);
	/* The notification is not cleared in between. */
	ck_ok(doca_pe_request_notification(pe));
	ck_assert_uint_eq(n_rang, 3);
	ck_assert(!unit_is_readable(pe));
	for (size_t i = 0; i < 2; i++) {
		pe_remove_eventfd(pe, doorbells[i].fd);
		fd_close(&doorbells[i].fd);
	}
}
END_TEST

/* Deferred tasks wake the program when they are flushed, by any of the ways to flush. */
START_TEST(deferred_tasks_wake_when_flushed)
{
	for (int way = 0; way < 3; way++) {
		ck_ok(doca_pe_request_notification(pe));
		ck_ok(doca_task_submit_ex(toy_task(a, 1), DOCA_TASK_SUBMIT_FLAG_NONE));
		ck_assert(!unit_is_readable(pe));
		ck_assert_uint_eq(n_inflight(), 1);
		if (way == 0)
			doca_ctx_flush_tasks(&a->ctx);
		else if (way == 1)
			ck_ok(doca_task_submit(toy_task(a, 2)));
		else
			ck_fails(doca_ctx_stop(&a->ctx), DOCA_ERROR_IN_PROGRESS);
		ck_assert(unit_is_readable(pe));
		ck_ok(doca_pe_clear_notification(pe, 0));
		unit_progress(pe);
		ck_assert_uint_eq(n_inflight(), 0);
	}
	ck_assert_int_eq(unit_state(&a->ctx), IDLE);
}
END_TEST

/* A context that is started between request and sleep has not been armed. */
START_TEST(a_poller_that_comes_late_wakes)
{
	ck_ok(doca_pe_request_notification(pe));
	ck_assert(!unit_is_readable(pe));
	ctx_set_polled(&a->ctx, true);
	ck_assert(unit_is_readable(pe));
	ck_ok(doca_pe_clear_notification(pe, 0));
	unit_progress(pe);
	ck_ok(doca_pe_request_notification(pe));
	ck_assert_uint_eq(a->n_arms, 1);
	ck_assert(!unit_is_readable(pe));
	ctx_set_polled(&a->ctx, false);
	ck_assert(!unit_is_readable(pe));
}
END_TEST

START_TEST(eventfds_of_engines_wake)
{
	int fds[20];

	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		fds[i] = fd_eventfd();
		ck_assert_int_eq(pe_add_eventfd(pe, fds[i]), 0);
	}
	ck_ok(doca_pe_request_notification(pe));
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fd_eventfd_ring(fds[i]);
	ck_assert(unit_is_readable(pe));
	ck_ok(doca_pe_clear_notification(pe, 0));
	ck_assert(!unit_is_readable(pe));
	fd_eventfd_ring(fds[3]);
	pe_remove_eventfd(pe, fds[3]);
	ck_assert(!unit_is_readable(pe));
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fd_close(&fds[i]);
}
END_TEST

/* Bells that cannot be emptied, as with peers that signal without end. */
START_TEST(clearing_ends)
{
	uint64_t many = UINT64_C(1) << 60;
	int fds[32];

	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		fds[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
		ck_assert_int_ge(fds[i], 0);
		ck_assert_int_eq(write(fds[i], &many, sizeof(many)), sizeof(many));
		ck_assert_int_eq(pe_add_eventfd(pe, fds[i]), 0);
	}
	ck_ok(doca_pe_clear_notification(pe, 0));
	ck_ok(doca_pe_request_notification(pe));
	ck_assert(unit_is_readable(pe));
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fd_close(&fds[i]);
	ck_ok(doca_pe_clear_notification(pe, 0));
}
END_TEST

START_TEST(an_engine_leaves_no_descriptors)
{
	size_t n = unit_n_fds();
	struct doca_pe *other;

	ck_ok(doca_pe_create(&other));
	ck_assert_uint_eq(unit_n_fds(), n + 2);
	ck_ok(doca_pe_destroy(other));
	ck_assert_uint_eq(unit_n_fds(), n);
	ck_fails(doca_pe_create(NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_pe_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

static int child_progresses(void)
{
	/* One of the parent's contexts, one of its own. */
	if (doca_task_submit(toy_task(b, 8)) != DOCA_SUCCESS || doca_pe_progress(pe) != 1 ||
	    doca_pe_progress(pe) != 1 || doca_pe_progress(pe) != 0)
		return 1;
	if (a->n_ok + b->n_ok != 0 || a->n_failed != 1 || b->n_failed != 1)
		return 2;
	if (strstr(dococ_last_error(), "forked") == NULL)
		return 3;
	return doca_pe_request_notification(pe) == DOCA_ERROR_NOT_CONNECTED &&
			       doca_pe_clear_notification(pe, 0) == DOCA_ERROR_NOT_CONNECTED
		       ? 0
		       : 4;
}

/* The child's copies use neither its parent's tasks nor its parent's eventfds. */
START_TEST(a_child_has_copies)
{
	int fd = fd_eventfd(), status;
	eventfd_t n_rings;
	pid_t pid;

	ck_assert_int_eq(pe_add_eventfd(pe, fd), 0);
	ck_ok(doca_pe_request_notification(pe));
	fd_eventfd_ring(fd);
	ck_ok(doca_task_submit(toy_task(a, 7)));
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit(child_progresses());
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert(unit_is_readable(pe));
	ck_assert_int_eq(eventfd_read(fd, &n_rings), 0);
	ck_assert_uint_eq(n_rings, 1);
	ck_assert_uint_eq(unit_progress(pe), 1);
	ck_assert_uint_eq(a->n_ok, 1);
	pe_remove_eventfd(pe, fd);
	fd_close(&fd);
	ck_ok(doca_pe_clear_notification(pe, 0));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/pe");
	TCase *tcase = unit_case(suite, "pe", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, one_completion_per_call_in_order);
	tcase_add_test(tcase, a_task_is_submitted_in_its_callback);
	tcase_add_test(tcase, pollers_are_not_starved);
	tcase_add_loop_test(tcase, a_stop_is_not_starved, 0, 2);
	tcase_add_test(tcase, pollers_take_turns);
	tcase_add_test(tcase, callbacks_may_not_progress);
	tcase_add_test(tcase, an_engine_outlives_its_callbacks);
	tcase_add_test(tcase, modes_are_checked);
	tcase_add_loop_test(tcase, the_cycle_of_notifications, 0, 2);
	tcase_add_test(tcase, nothing_is_lost_before_the_request);
	tcase_add_loop_test(tcase, a_request_with_work_arms_no_context, 0, 2);
	tcase_add_test(tcase, a_request_ends_at_the_first_event);
	tcase_add_test(tcase, doorbells_call_back);
	tcase_add_test(tcase, deferred_tasks_wake_when_flushed);
	tcase_add_test(tcase, a_poller_that_comes_late_wakes);
	tcase_add_test(tcase, eventfds_of_engines_wake);
	tcase_add_test(tcase, clearing_ends);
	tcase_add_test(tcase, an_engine_leaves_no_descriptors);
	tcase_add_test(tcase, a_child_has_copies);
	return unit_run(suite);
}
