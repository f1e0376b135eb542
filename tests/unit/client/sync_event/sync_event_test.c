/*
 * Sync events within one process, without a daemon: values and masks of all 64 bits, states, sleep
 * words that events on one address share, tasks that are held, completed and flushed, and races
 * around falling asleep.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_graph.h>
#include <doca_sync_event.h>

#include "client/sync_event/sync_event.h"
#include "tests/unit/client/fixture.h"
#include "util/clock.h"

#define ALL     UINT64_MAX
#define N_TASKS 1024u

static struct doca_sync_event *event_configured(uint64_t *addr)
{
	struct doca_sync_event *event;

	unit_info.caps.sync_event = true;
	unit_info.caps.sync_max_tasks = 4096;
	ck_ok(doca_sync_event_create(&event));
	ck_ok(doca_sync_event_add_publisher_location_cpu(event, &unit_dev));
	ck_ok(doca_sync_event_add_subscriber_location_cpu(event, &unit_dev_other));
	if (addr != NULL)
		ck_ok(doca_sync_event_set_addr(event, addr));
	return event;
}

static struct doca_sync_event *event_started(uint64_t *addr)
{
	struct doca_sync_event *event = event_configured(addr);

	ck_ok(doca_sync_event_start(event));
	return event;
}

static void event_end(struct doca_sync_event *event)
{
	ck_ok(doca_sync_event_stop(event));
	ck_ok(doca_sync_event_destroy(event));
	ck_assert_uint_eq(unit_dev.n_users, 0);
	ck_assert_uint_eq(unit_dev_other.n_users, 0);
}

START_TEST(test_values)
{
	static const uint64_t values[] = {1, 254, 255, 1ull << 32, 1ull << 63, UINT64_MAX, 0};
	size_t n_fds = unit_n_fds();
	struct doca_sync_event *event = event_started(NULL);
	uint64_t value, fetched;

	/* Nothing leaves this process, so no descriptor is needed. */
	ck_assert_uint_eq(unit_n_fds(), n_fds);
	ck_ok(doca_sync_event_get(event, &value));
	ck_assert_uint_eq(value, 0);
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		ck_ok(doca_sync_event_update_set(event, values[i]));
		ck_ok(doca_sync_event_get(event, &value));
		ck_assert_uint_eq(value, values[i]);
		ck_ok(doca_sync_event_wait_eq(event, values[i], ALL));
		ck_ok(doca_sync_event_wait_eq_yield(event, values[i], ALL));
		ck_ok(doca_sync_event_update_add(event, 3, &fetched));
		ck_assert_uint_eq(fetched, values[i]);
		ck_ok(doca_sync_event_wait_neq(event, values[i], ALL));
		ck_ok(doca_sync_event_wait_neq_yield(event, values[i], ALL));
	}
	event_end(event);
}
END_TEST

START_TEST(test_conditions)
{
	static const struct {
		enum sync_cond cond;
		uint64_t counter, value, mask;
		bool is_met;
	} cases[] = {
		{SYNC_GT, 5, 4, ALL, true},
		{SYNC_GT, 5, 5, ALL, false},
		{SYNC_GT, 1ull << 63, 1, ALL, true}, /* comparisons are unsigned */
		{SYNC_GT, 0x105, 4, 0xff, true},
		{SYNC_GT, 0x104, 4, 0xff, false},
		{SYNC_GT, 0xff00, 0xff, 0xff, false},
		{SYNC_GT, ALL, ALL - 1, ALL, true},
		{SYNC_GT, ALL, 0, 0, false},
		{SYNC_EQ, 0x1234, 0x34, 0xff, true},
		{SYNC_EQ, 0x1234, 0x1234, 0xff, false}, /* the mask applies to the counter only */
		{SYNC_EQ, ALL, ALL, ALL, true},
		{SYNC_EQ, 7, 0, 0, true},
		{SYNC_NEQ, 0x1234, 0x34, 0xff, false},
		{SYNC_NEQ, 0x1234, 0x1234, 0xff, true},
		{SYNC_NEQ, 1ull << 40, 0, 1ull << 40, true},
		{SYNC_NEQ, 1ull << 40, 0, ~(1ull << 40), false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ck_assert_msg(sync_is_met(cases[i].cond, cases[i].counter, cases[i].value,
					  cases[i].mask) == cases[i].is_met,
			      "case %zu", i);
}
END_TEST

/* --- waiting threads --- */

struct waiter {
	pthread_t id;
	struct doca_sync_event *event;
	unsigned form;
	doca_error_t result;
};

static void *waiter_main(void *arg)
{
	static doca_error_t (*const forms[])(struct doca_sync_event *, uint64_t, uint64_t) = {
		doca_sync_event_wait_gt,  doca_sync_event_wait_gt_yield,
		doca_sync_event_wait_neq, doca_sync_event_wait_neq_yield,
		doca_sync_event_wait_eq,  doca_sync_event_wait_eq_yield,
	};
	struct waiter *w = arg;
	uint64_t value = w->form >= 4 ? 0xab : 0;

	w->result = forms[w->form](w->event, value, 0xff);
	return NULL;
}

static _Atomic unsigned n_yields;

/* Replaces the C library's function and counts its calls. */
int sched_yield(void)
{
	atomic_fetch_add(&n_yields, 1);
	return (int)syscall(SYS_sched_yield);
}

static bool is_asleep(const struct doca_sync_event *event)
{
	return atomic_load(&event->cell.words->sleepers) & SYNC_SLEEP_FUTEX;
}

/* Yields, because the other thread may need this core. */
static void await_asleep(const struct doca_sync_event *event)
{
	while (!is_asleep(event))
		poll(NULL, 0, 1);
}

/* Each form, woken by a change through another event on the same address. */
START_TEST(test_wait_forms)
{
	static _Alignas(8) uint64_t counter;
	struct doca_sync_event *publisher, *events[6];
	struct waiter waiters[6];
	uint64_t fetched;

	counter = 0;
	publisher = event_started(&counter);
	for (unsigned i = 0; i < ARRAY_LEN(waiters); i++) {
		events[i] = event_started(&counter);
		ck_assert_ptr_eq(events[i]->cell.words, publisher->cell.words);
		waiters[i] = (struct waiter){.event = events[i], .form = i};
		ck_assert_int_eq(pthread_create(&waiters[i].id, NULL, waiter_main, &waiters[i]), 0);
	}
	await_asleep(publisher);
	/* Bits outside the mask end no wait. */
	ck_ok(doca_sync_event_update_add(publisher, 0x100, &fetched));
	ck_ok(doca_sync_event_update_set(publisher, 0x3ab));
	for (unsigned i = 0; i < ARRAY_LEN(waiters); i++) {
		pthread_join(waiters[i].id, NULL);
		ck_assert_int_eq(waiters[i].result, DOCA_SUCCESS);
	}
	for (unsigned i = 0; i < ARRAY_LEN(events); i++) {
		ck_ok(doca_sync_event_stop(events[i]));
		ck_ok(doca_sync_event_destroy(events[i]));
	}
	event_end(publisher);
}
END_TEST

/* A store that bypasses the library also ends a sleep. The sleeper yielded its core before. */
START_TEST(test_unseen_writer)
{
	static _Atomic uint64_t counter;
	struct doca_sync_event *event;
	struct waiter w;

	atomic_store(&counter, 0);
	event = event_started((uint64_t *)&counter);
	w = (struct waiter){.event = event, .form = 1};
	ck_assert_int_eq(pthread_create(&w.id, NULL, waiter_main, &w), 0);
	await_asleep(event);
	/* The waiter yielded its core before it slept. */
	ck_assert_uint_gt(atomic_load(&n_yields), 0);
	atomic_store(&counter, 1);
	pthread_join(w.id, NULL);
	ck_assert_int_eq(w.result, DOCA_SUCCESS);
	event_end(event);
}
END_TEST

/* Events on one address share the sleep words, others do not. The last event frees them. */
START_TEST(test_shared_sleep_words)
{
	static _Alignas(8) uint64_t counters[2];
	size_t n_fds = unit_n_fds();
	struct doca_sync_event *a = event_started(&counters[0]), *b = event_started(&counters[0]);
	struct doca_sync_event *c = event_started(&counters[1]);
	uint64_t value;

	ck_assert_ptr_eq(a->cell.words, b->cell.words);
	ck_assert_ptr_ne(a->cell.words, c->cell.words);
	counters[0] = 9; /* start does not set it to 0 */
	ck_ok(doca_sync_event_stop(a));
	ck_ok(doca_sync_event_update_add(b, 1, &value));
	ck_assert_uint_eq(value, 9);
	ck_assert_uint_eq(counters[0], 10);
	ck_ok(doca_sync_event_destroy(a));
	ck_ok(doca_sync_event_stop(b));
	ck_ok(doca_sync_event_destroy(b));
	event_end(c);
	ck_assert_uint_eq(unit_n_fds(), n_fds);
}
END_TEST

/* The words may contain anything. */
START_TEST(test_garbage_in_sleep_words)
{
	struct doca_sync_event *event = event_started(NULL);
	struct sync_words *words = event->cell.words;

	for (uint32_t bits = 0; bits < 64; bits++) {
		atomic_store(&words->sleepers, bits | bits << 20);
		atomic_store(&words->seq, bits * 0x4000000u);
		ck_ok(doca_sync_event_update_set(event, bits));
		ck_ok(doca_sync_event_wait_eq_yield(event, bits, ALL));
		/* Bits that belong to no sleeper are cleared, too. */
		ck_assert_uint_eq(atomic_load(&words->sleepers) & ~SYNC_SLEEP_FENCE, 0);
	}
	event_end(event);
}
END_TEST

/* --- without membarrier --- */

static int deny_membarrier(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = ARRAY_LEN(code), .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

START_TEST(test_without_membarrier)
{
	uint64_t until_ns = clock_now_ns() + 10 * NS_PER_SEC;
	struct doca_sync_event *event;
	struct waiter w;

	/* Check runs each test in its own process. */
	ck_assert_int_eq(deny_membarrier(), 0);
	event = event_started(NULL);
	ck_assert_uint_eq(event->cell.fence, SYNC_SLEEP_FENCE);
	ck_assert(atomic_load(&event->cell.words->sleepers) & SYNC_SLEEP_FENCE);
	/* On a busy machine a thread that yields its core gets it back late. */
	for (unsigned i = 0; i < 20 || (i < 200 && clock_now_ns() < until_ns); i++) {
		ck_ok(doca_sync_event_update_set(event, 0));
		w = (struct waiter){.event = event, .form = 1};
		ck_assert_int_eq(pthread_create(&w.id, NULL, waiter_main, &w), 0);
		if (i % 2)
			await_asleep(event);
		ck_ok(doca_sync_event_update_set(event, 1));
		pthread_join(w.id, NULL);
		ck_assert(atomic_load(&event->cell.words->sleepers) & SYNC_SLEEP_FENCE);
	}
	event_end(event);
}
END_TEST

/* --- states --- */

START_TEST(test_states)
{
	struct doca_sync_event *event = event_configured(NULL);
	struct doca_pe *pe;
	uint64_t value = 1;

	ck_fails(doca_sync_event_get(event, &value), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sync_event_update_set(event, 1), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sync_event_update_add(event, 1, &value), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sync_event_wait_gt(event, 0, ALL), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sync_event_wait_gt_yield(event, 0, ALL), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sync_event_stop(event), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_sync_event_start(event));
	ck_fails(doca_sync_event_start(event), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sync_event_set_addr(event, &value), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sync_event_add_publisher_location_remote_pci(event), DOCA_ERROR_BAD_STATE);
	/* An event that was started for calls is not a context. */
	ck_ok(doca_pe_create(&pe));
	ck_ok(doca_pe_connect_ctx(pe, doca_sync_event_as_ctx(event)));
	ck_fails(doca_ctx_start(doca_sync_event_as_ctx(event)), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_sync_event_stop(event));
	ck_ok(doca_sync_event_stop(event));
	ck_fails(doca_sync_event_start(event), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sync_event_get(event, &value), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_sync_event_destroy(event));
	/* Destroyed while started. */
	event = event_started(NULL);
	ck_ok(doca_sync_event_destroy(event));
	ck_ok(doca_pe_destroy(pe));
	ck_assert_uint_eq(unit_dev.n_users, 0);
}
END_TEST

/* --- tasks --- */

static struct {
	struct doca_sync_event *event;
	struct doca_ctx *ctx;
	struct doca_pe *pe;
	unsigned n_ok, n_failed;
	doca_error_t status;
	uint64_t last; /* user data */
} t;

static void on_done(struct doca_task *task, bool is_ok)
{
	t.n_ok += is_ok;
	t.n_failed += !is_ok;
	t.status = doca_task_get_status(task);
	t.last = doca_task_get_user_data(task).u64;
	doca_task_free(task);
}

#define CALLBACKS(kind)                                                                        \
	static void kind##_ok(struct doca_sync_event_task_##kind *task, union doca_data data,  \
			      union doca_data ctx_data)                                        \
	{                                                                                      \
		(void)data;                                                                    \
		ck_assert_ptr_eq(ctx_data.ptr, &t);                                            \
		on_done(doca_sync_event_task_##kind##_as_doca_task(task), true);               \
	}                                                                                      \
	static void kind##_err(struct doca_sync_event_task_##kind *task, union doca_data data, \
			       union doca_data ctx_data)                                       \
	{                                                                                      \
		(void)data;                                                                    \
		ck_assert_ptr_eq(ctx_data.ptr, &t);                                            \
		on_done(doca_sync_event_task_##kind##_as_doca_task(task), false);              \
	}
CALLBACKS(get)
CALLBACKS(notify_set)
CALLBACKS(notify_add)
CALLBACKS(wait_eq)
CALLBACKS(wait_neq)

static void tasks_setup_at(uint64_t *addr)
{
	t.event = event_configured(addr);
	t.ctx = doca_sync_event_as_ctx(t.event);
	ck_ok(doca_pe_create(&t.pe));
	ck_ok(doca_pe_connect_ctx(t.pe, t.ctx));
	ck_ok(doca_ctx_set_user_data(t.ctx, (union doca_data){.ptr = &t}));
	ck_ok(doca_sync_event_task_get_set_conf(t.event, get_ok, get_err, 2));
	ck_ok(doca_sync_event_task_notify_set_set_conf(t.event, notify_set_ok, notify_set_err, 2));
	ck_ok(doca_sync_event_task_notify_add_set_conf(t.event, notify_add_ok, notify_add_err, 2));
	ck_ok(doca_sync_event_task_wait_eq_set_conf(t.event, wait_eq_ok, wait_eq_err, N_TASKS));
	ck_ok(doca_sync_event_task_wait_neq_set_conf(t.event, wait_neq_ok, wait_neq_err, N_TASKS));
	ck_ok(doca_ctx_start(t.ctx));
}

static void tasks_setup(void)
{
	tasks_setup_at(NULL);
}

static void tasks_teardown(void)
{
	if (unit_state(t.ctx) != IDLE && doca_ctx_stop(t.ctx) != DOCA_SUCCESS)
		unit_progress(t.pe);
	ck_assert_int_eq(unit_state(t.ctx), IDLE);
	ck_ok(doca_sync_event_destroy(t.event));
	ck_ok(doca_pe_destroy(t.pe));
	ck_assert_uint_eq(unit_dev.n_users, 0);
	ck_assert_uint_eq(unit_dev_other.n_users, 0);
}

static struct doca_task *new_get(uint64_t *result_at)
{
	struct doca_sync_event_task_get *task;

	ck_ok(doca_sync_event_task_get_alloc_init(t.event, result_at, (union doca_data){.u64 = 1},
						  &task));
	return doca_sync_event_task_get_as_doca_task(task);
}

static struct doca_task *new_set(uint64_t value)
{
	struct doca_sync_event_task_notify_set *task;

	ck_ok(doca_sync_event_task_notify_set_alloc_init(t.event, value,
							 (union doca_data){.u64 = 2}, &task));
	return doca_sync_event_task_notify_set_as_doca_task(task);
}

static struct doca_task *new_add(uint64_t value, uint64_t *result_at)
{
	struct doca_sync_event_task_notify_add *task;

	ck_ok(doca_sync_event_task_notify_add_alloc_init(t.event, value, result_at,
							 (union doca_data){.u64 = 3}, &task));
	return doca_sync_event_task_notify_add_as_doca_task(task);
}

static struct doca_task *new_wait(bool is_eq, uint64_t value, uint64_t mask, uint64_t data)
{
	struct doca_sync_event_task_wait_eq *eq;
	struct doca_sync_event_task_wait_neq *neq;
	union doca_data user_data = {.u64 = data};

	if (is_eq) {
		ck_ok(doca_sync_event_task_wait_eq_alloc_init(t.event, value, mask, user_data,
							      &eq));
		return doca_sync_event_task_wait_eq_as_doca_task(eq);
	}
	ck_ok(doca_sync_event_task_wait_neq_alloc_init(t.event, value, mask, user_data, &neq));
	return doca_sync_event_task_wait_neq_as_doca_task(neq);
}

static void submit(struct doca_task *task)
{
	ck_ok(doca_task_submit(task));
}

START_TEST(test_tasks)
{
	uint64_t value = 1, before = 2;

	submit(new_set(ALL - 1));
	submit(new_add(3, &before));
	submit(new_get(&value));
	ck_assert_uint_eq(unit_progress(t.pe), 3);
	ck_assert_uint_eq(t.n_ok, 3);
	ck_assert_uint_eq(before, ALL - 1);
	ck_assert_uint_eq(value, 1);
	/* These waits are fulfilled already. */
	submit(new_wait(true, 1, ALL, 4));
	submit(new_wait(false, 2, ALL, 5));
	ck_assert_uint_eq(unit_progress(t.pe), 2);
	ck_assert_uint_eq(t.n_ok, 5);
	/* These tasks have no place for the result. */
	submit(new_get(NULL));
	submit(new_add(1, NULL));
	ck_assert_uint_eq(unit_progress(t.pe), 2);
	ck_assert_uint_eq(t.n_failed, 2);
	ck_assert_int_eq(t.status, DOCA_ERROR_INVALID_VALUE);
	ck_assert_uint_eq(sync_cell_get(&t.event->cell), 1);
	/* Synchronous calls are not allowed on a context. */
	ck_fails(doca_sync_event_get(t.event, &value), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sync_event_update_set(t.event, value), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sync_event_stop(t.event), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sync_event_start(t.event), DOCA_ERROR_BAD_STATE);
}
END_TEST

START_TEST(test_held_waits)
{
	for (uint64_t i = 0; i < N_TASKS; i++)
		submit(new_wait(true, 1 + i % 8, 0xff, i));
	submit(new_wait(false, 0, 0x100, 2000));
	ck_assert_uint_eq(unit_progress(t.pe), 0);
	for (unsigned n = 8; n > 0; n--) {
		submit(new_set(n));
		ck_assert_uint_eq(unit_progress(t.pe), 1 + N_TASKS / 8);
	}
	ck_assert_uint_eq(t.n_ok, 8 + N_TASKS);
	submit(new_set(0x100));
	ck_assert_uint_eq(unit_progress(t.pe), 2);
	ck_assert_uint_eq(t.last, 2000);
	ck_assert_uint_eq(t.n_failed, 0);
	ck_assert(!t.ctx->polled);
}
END_TEST

/* A value that was present, changed and came back while a wait for it was submitted does count. */
START_TEST(test_value_comes_back)
{
	submit(new_wait(true, 1000, ALL, 1));
	ck_assert_uint_eq(unit_progress(t.pe), 0);
	sync_cell_set(&t.event->cell, 7);
	submit(new_wait(true, 0, ALL, 2));
	sync_cell_set(&t.event->cell, 0);
	ck_assert_uint_eq(unit_progress(t.pe), 1);
	ck_assert_uint_eq(t.last, 2);
	sync_cell_set(&t.event->cell, 1000);
	ck_assert_uint_eq(unit_progress(t.pe), 1);
}
END_TEST

START_TEST(test_stop_flushes)
{
	struct doca_task *kept;

	for (uint64_t i = 1; i <= 10; i++)
		submit(new_wait(true, i, ALL, i));
	submit(new_wait(true, 0, ALL, 11)); /* fulfilled, callback still to come */
	kept = new_wait(true, 3, ALL, 12);
	ck_fails(doca_ctx_stop(t.ctx), DOCA_ERROR_IN_PROGRESS);
	ck_assert_int_eq(unit_state(t.ctx), STOPPING);
	unit_progress(t.pe);
	ck_assert_uint_eq(t.n_ok, 1);
	ck_assert_uint_eq(t.n_failed, 10);
	ck_assert_int_eq(unit_state(t.ctx), STOPPING);
	ck_fails(doca_task_submit(kept), DOCA_ERROR_BAD_STATE);
	doca_task_free(kept);
	unit_progress(t.pe);
	ck_assert_int_eq(unit_state(t.ctx), IDLE);
	/* A context can be started only once. */
	ck_fails(doca_ctx_start(t.ctx), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sync_event_start(t.event), DOCA_ERROR_BAD_STATE);
}
END_TEST

START_TEST(test_destroy_while_running)
{
	ck_fails(doca_sync_event_destroy(t.event), DOCA_ERROR_IN_USE);
}
END_TEST

/* --- in a graph --- */

static void graph_ok(struct doca_graph_instance *instance, union doca_data a, union doca_data b)
{
	(void)instance;
	(void)a;
	(void)b;
	t.n_ok++;
}

static void graph_failed(struct doca_graph_instance *instance, union doca_data a, union doca_data b)
{
	(void)instance;
	(void)a;
	(void)b;
	t.n_failed++;
}

/* A node waits for the value that another node adds. */
START_TEST(test_graph)
{
	struct doca_graph_instance *instance;
	struct doca_graph_node *wait, *add;
	struct doca_task *tasks[2];
	struct doca_graph *graph;
	uint64_t fetched = 9;

	ck_ok(doca_graph_create(t.pe, &graph));
	ck_ok(doca_graph_set_conf(graph, graph_ok, graph_failed, 1));
	ck_ok(doca_graph_node_create_from_ctx(graph, t.ctx, &wait));
	ck_ok(doca_graph_node_create_from_ctx(graph, t.ctx, &add));
	ck_ok(doca_graph_start(graph));
	ck_ok(doca_graph_instance_create(graph, &instance));
	tasks[0] = new_wait(true, 5, ALL, 1);
	tasks[1] = new_add(5, &fetched);
	ck_ok(doca_graph_instance_set_ctx_node_data(instance, wait, tasks[0]));
	ck_ok(doca_graph_instance_set_ctx_node_data(instance, add, tasks[1]));
	ck_ok(doca_graph_instance_submit(instance));
	unit_progress(t.pe);
	ck_assert_uint_eq(fetched, 0);
	ck_assert_uint_eq(t.n_ok, 1);
	ck_assert_uint_eq(t.n_failed, 0);
	ck_ok(doca_graph_instance_destroy(instance));
	ck_ok(doca_graph_stop(graph));
	ck_ok(doca_graph_destroy(graph));
	doca_task_free(tasks[0]);
	doca_task_free(tasks[1]);
}
END_TEST

/* --- sleeping --- */

static void request(void)
{
	ck_ok(doca_pe_request_notification(t.pe));
}

static void clear(void)
{
	ck_ok(doca_pe_clear_notification(t.pe, 0));
}

START_TEST(test_arm)
{
	request();
	clear();
	submit(new_wait(true, 5, ALL, 1));
	request();
	ck_assert(!unit_is_readable(t.pe));
	sync_cell_set(&t.event->cell, 4); /* a change, but not to the awaited value */
	ck_assert(unit_is_readable(t.pe));
	clear();
	ck_assert(!unit_is_readable(t.pe));
	ck_assert_uint_eq(unit_progress(t.pe), 0);
	/* Between the last progress call and arming. */
	sync_cell_set(&t.event->cell, 5);
	request();
	ck_assert(unit_is_readable(t.pe));
	clear();
	ck_assert_uint_eq(unit_progress(t.pe), 1);
	/* Without clearing, as PROGRESS_ALL allows. */
	submit(new_wait(true, 6, ALL, 2));
	request();
	sync_cell_set(&t.event->cell, 6);
	ck_assert_uint_eq(unit_progress(t.pe), 1);
	submit(new_wait(true, 7, ALL, 3));
	request();
	ck_assert(!unit_is_readable(t.pe));
	sync_cell_set(&t.event->cell, 7);
	ck_assert(unit_is_readable(t.pe));
}
END_TEST

/* Submitted while armed. */
START_TEST(test_submit_while_armed)
{
	request();
	submit(new_wait(true, 1, ALL, 1));
	ck_assert(unit_is_readable(t.pe));
	clear();
	request();
	sync_cell_set(&t.event->cell, 2);
	clear();
	submit(new_wait(true, 0, ALL, 2));
	request();
	/* Both cannot be waited for together. */
	ck_assert(unit_is_readable(t.pe));
}
END_TEST

/*
 * Tasks submitted without a flush run with the next wait that has one, whether the engine holds
 * that wait or not.
 */
START_TEST(test_held_wait_flushes)
{
	ck_ok(doca_task_submit_ex(new_set(5), DOCA_TASK_SUBMIT_FLAG_NONE));
	ck_ok(doca_task_submit_ex(new_wait(true, 6, ALL, 1), DOCA_TASK_SUBMIT_FLAG_NONE));
	ck_assert_uint_eq(unit_progress(t.pe), 0);
	submit(new_wait(true, 5, ALL, 2));
	ck_assert_uint_eq(unit_progress(t.pe), 2);
	ck_assert_uint_eq(t.n_ok, 2);
	ck_assert_uint_eq(t.last, 2);
	/* The same while the program is about to sleep. */
	ck_ok(doca_task_submit_ex(new_set(6), DOCA_TASK_SUBMIT_FLAG_NONE));
	request();
	submit(new_wait(true, 7, ALL, 3));
	ck_assert(unit_is_readable(t.pe));
	clear();
	ck_assert_uint_eq(unit_progress(t.pe), 2);
	ck_assert_uint_eq(t.last, 1);
}
END_TEST

/* --- in a graph --- */

static unsigned n_instances_ok;

static void instance_ok(struct doca_graph_instance *instance, union doca_data instance_data,
			union doca_data graph_data)
{
	(void)instance;
	(void)instance_data;
	(void)graph_data;
	n_instances_ok++;
}

static void instance_failed(struct doca_graph_instance *instance, union doca_data instance_data,
			    union doca_data graph_data)
{
	(void)instance;
	(void)instance_data;
	(void)graph_data;
	ck_abort_msg("an instance failed");
}

#define N_NODES 3

/* Submits the tasks as nodes that start together, and frees them after `then`. */
static void run_as_graph(struct doca_task *tasks[N_NODES], uint64_t then)
{
	struct doca_graph_instance *instance;
	struct doca_graph_node *nodes[N_NODES];
	struct doca_graph *graph;

	n_instances_ok = 0;
	ck_ok(doca_graph_create(t.pe, &graph));
	ck_ok(doca_graph_set_conf(graph, instance_ok, instance_failed, 1));
	for (size_t i = 0; i < N_NODES; i++)
		ck_ok(doca_graph_node_create_from_ctx(graph, t.ctx, &nodes[i]));
	ck_ok(doca_graph_start(graph));
	ck_ok(doca_graph_instance_create(graph, &instance));
	for (size_t i = 0; i < N_NODES; i++)
		ck_ok(doca_graph_instance_set_ctx_node_data(instance, nodes[i], tasks[i]));
	ck_ok(doca_graph_instance_submit(instance));
	unit_progress(t.pe);
	ck_assert_uint_eq(n_instances_ok, 0);
	sync_cell_set(&t.event->cell, then);
	unit_progress(t.pe);
	ck_assert_uint_eq(n_instances_ok, 1);
	ck_ok(doca_graph_instance_destroy(instance));
	ck_ok(doca_graph_stop(graph));
	ck_ok(doca_graph_destroy(graph));
	for (size_t i = 0; i < N_NODES; i++)
		doca_task_free(tasks[i]);
}

/* A wait in a graph behaves like a wait outside. */
START_TEST(test_waits_in_graph)
{
	struct doca_task *eq[] = {new_set(5), new_wait(true, 5, ALL, 0), new_wait(true, 6, ALL, 0)};
	struct doca_task *neq[N_NODES];

	run_as_graph(eq, 6);
	neq[0] = new_set(7);
	neq[1] = new_wait(false, 6, ALL, 0);
	neq[2] = new_wait(false, 0, 8, 0);
	run_as_graph(neq, 8);
	ck_assert_uint_eq(t.n_ok + t.n_failed, 0);
}
END_TEST

/* Several engines sleep on one counter: one change wakes each of them. */
START_TEST(test_two_engines)
{
	static _Alignas(8) uint64_t counter;
	struct doca_sync_event *publisher;
	struct doca_pe *pe;
	struct doca_sync_event *event;

	tasks_teardown();
	counter = 0;
	publisher = event_started(&counter);
	tasks_setup_at(&counter);
	event = t.event;
	pe = t.pe;
	submit(new_wait(true, 1, ALL, 1));
	tasks_setup_at(&counter);
	submit(new_wait(true, 1, ALL, 2));
	/* Leaves only the words' eventfd, not the timer that detects unseen writers. */
	event->cell.is_rechecked = t.event->cell.is_rechecked = false;
	atomic_store(&event->cell.words->flags, 0);
	ck_ok(doca_pe_request_notification(pe));
	request();
	ck_ok(doca_sync_event_update_set(publisher, 1));
	ck_assert(unit_is_readable(pe));
	ck_assert(unit_is_readable(t.pe));
	ck_assert_uint_eq(unit_progress(pe), 1);
	ck_assert_uint_eq(unit_progress(t.pe), 1);
	ck_ok(doca_ctx_stop(&event->ctx));
	ck_ok(doca_sync_event_destroy(event));
	ck_ok(doca_pe_destroy(pe));
	ck_ok(doca_sync_event_stop(publisher));
	ck_ok(doca_sync_event_destroy(publisher));
}
END_TEST

/* A store that bypasses the library, while the engine's program sleeps. */
START_TEST(test_unseen_writer_while_armed)
{
	static _Atomic uint64_t counter;
	struct pollfd pfd = {.events = POLLIN};

	tasks_teardown();
	atomic_store(&counter, 0);
	tasks_setup_at((uint64_t *)&counter);
	submit(new_wait(false, 0, ALL, 1));
	request();
	atomic_store(&counter, 1);
	ck_ok(doca_pe_get_notification_handle(t.pe, &pfd.fd));
	ck_assert_int_eq(poll(&pfd, 1, -1), 1);
	clear();
	ck_assert_uint_eq(unit_progress(t.pe), 1);
}
END_TEST

/* No descriptor is left for the eventfds: a clear error, and no partial state. */
START_TEST(test_no_descriptors)
{
	struct doca_sync_event *event = event_configured(NULL);
	struct doca_pe *pe;
	int fds[4096], n = 0;

	ck_ok(doca_pe_create(&pe));
	ck_ok(doca_pe_connect_ctx(pe, doca_sync_event_as_ctx(event)));
	while (n < (int)ARRAY_LEN(fds) && (fds[n] = dup(0)) >= 0)
		n++;
	if (n < (int)ARRAY_LEN(fds)) {
		ck_assert_int_ne(doca_ctx_start(doca_sync_event_as_ctx(event)), DOCA_SUCCESS);
		ck_says("RLIMIT_NOFILE");
		close(fds[--n]); /* one descriptor is not enough either */
		ck_assert_int_ne(doca_ctx_start(doca_sync_event_as_ctx(event)), DOCA_SUCCESS);
	}
	while (n > 0)
		close(fds[--n]);
	ck_ok(doca_ctx_start(doca_sync_event_as_ctx(event)));
	ck_ok(doca_ctx_stop(doca_sync_event_as_ctx(event)));
	ck_ok(doca_sync_event_destroy(event));
	ck_ok(doca_pe_destroy(pe));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sync event");
	TCase *calls = unit_case(suite, "calls", UNIT_TIMEOUT_LONG);
	TCase *tasks = unit_case(suite, "tasks", UNIT_TIMEOUT_LONG);

	tcase_add_test(calls, test_values);
	tcase_add_test(calls, test_conditions);
	tcase_add_test(calls, test_wait_forms);
	tcase_add_test(calls, test_unseen_writer);
	tcase_add_test(calls, test_shared_sleep_words);
	tcase_add_test(calls, test_garbage_in_sleep_words);
	tcase_add_test(calls, test_without_membarrier);
	tcase_add_test(calls, test_states);
	tcase_add_test(calls, test_no_descriptors);
	tcase_add_checked_fixture(tasks, tasks_setup, tasks_teardown);
	tcase_add_test(tasks, test_tasks);
	tcase_add_test(tasks, test_held_waits);
	tcase_add_test(tasks, test_value_comes_back);
	tcase_add_test(tasks, test_stop_flushes);
	tcase_add_test(tasks, test_destroy_while_running);
	tcase_add_test(tasks, test_graph);
	tcase_add_test(tasks, test_arm);
	tcase_add_test(tasks, test_submit_while_armed);
	tcase_add_test(tasks, test_held_wait_flushes);
	tcase_add_test(tasks, test_waits_in_graph);
	tcase_add_test(tasks, test_two_engines);
	tcase_add_test(tasks, test_unseen_writer_while_armed);
	return unit_run(suite);
}
