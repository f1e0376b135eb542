/*
 * Sync events over an RDMA device (client/sync_event/sync_remote.h) in one process: the fake
 * provider replaces the device, and a simulated requester replaces the one that asks a daemon. The
 * counter of an event imported this way is in this file.
 */
#include <poll.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_sync_event.h>

#include "client/rma/requester.h"
#include "client/sync_event/sync_remote.h"
#include "tests/unit/client/fixture.h"
#include "tests/unit/client/rdma/fake_provider.h"

#define ALL    UINT64_MAX
#define N_GETS 64u /* more than are posted at once */
/* Each round of the engine ends one task, and checks waiting tasks once per REMOTE_READ_NS. */
#define ROUNDS (1u << 20)

/* --- a requester with one peer --- */

static struct rdma_domain *other_port;
static unsigned n_closed, n_finds;
static enum requester_state state_found = REQUESTER_READY;
static struct requester_peer *found; /* result of the last find */
static unsigned n_polls_called;      /* polls until the daemon accepts a call; 0: forever */

doca_error_t requester_open(struct doca_dev *dev, struct doca_pe *watcher, bool relays,
			    uint32_t send_queue, uint32_t max_sges,
			    struct requester **requester_out)
{
	struct requester *requester = calloc(1, sizeof(*requester));

	ck_assert_ptr_nonnull(requester);
	ck_assert(!relays);
	list_init(&requester->peers);
	requester->ops = rdma_providers[0];
	requester->conf = (struct rdma_conf){.send_queue = send_queue,
					     .recv_queue = 1,
					     .max_send_sges = max_sges,
					     .max_recv_sges = 1};
	ck_assert(requester->ops->query(dev->info, &requester->limits, (char[RDMA_REASON_MAX]){0}));
	ck_ok(requester->ops->open(dev, &requester->conf, &requester->domain));
	ck_ok(requester->ops->open(dev, &requester->conf, &other_port));
	ck_ok(requester_watch(requester, watcher));
	*requester_out = requester;
	return DOCA_SUCCESS;
}

void requester_close(struct requester *requester)
{
	struct requester_peer *peer, *tmp;

	if (requester == NULL)
		return;
	requester_unwatch(requester);
	list_for_each_safe(peer, tmp, &requester->peers, node)
	{
		requester->ops->qp_free(peer->qp);
		list_remove(&peer->node);
		free(peer);
	}
	requester->ops->close(requester->domain);
	requester->ops->close(other_port);
	free(requester);
	n_closed++;
}

static void qp_connect(const struct rdma_provider *ops, struct rdma_qp *qp, struct rdma_qp *to)
{
	uint8_t details[RDMA_PARAMS_MAX];
	size_t len;

	ck_ok(ops->qp_params(to, details, &len));
	ck_ok(ops->qp_connect(qp, details, len));
}

doca_error_t requester_find(struct requester *requester, const struct peer_address *address,
			    struct requester_peer **peer_out)
{
	struct requester_peer *peer = calloc(1, sizeof(*peer));
	struct rdma_qp *other;

	(void)address;
	ck_assert_ptr_nonnull(peer);
	ck_ok(requester->ops->qp_new(requester->domain, peer, &peer->qp));
	ck_ok(requester->ops->qp_new(other_port, NULL, &other));
	qp_connect(requester->ops, peer->qp, other);
	qp_connect(requester->ops, other, peer->qp);
	peer->state = state_found;
	found = peer;
	n_finds++;
	list_append(&requester->peers, &peer->node);
	*peer_out = peer;
	return DOCA_SUCCESS;
}

static doca_error_t refusal; /* the daemon's */

static void daemon_answers(struct requester_peer *peer)
{
	peer->state = refusal == DOCA_SUCCESS ? REQUESTER_READY : REQUESTER_FAILED;
	peer->refusal = refusal;
	peer->failure = REQUESTER_UNTRIED;
	peer->reason = "the script refuses";
}

bool requester_poll(struct requester *requester)
{
	struct requester_peer *peer = list_entry(requester->peers.next, struct requester_peer,
						 node);
	struct rdma_event notified;

	while (requester->ops->next_event(requester->domain, &notified)) {
		if (notified.type == RDMA_QP_BROKEN)
			peer->state = REQUESTER_FAILED;
	}
	if (found->state == REQUESTER_CALL_SENT && n_polls_called > 0 && --n_polls_called == 0)
		daemon_answers(found);
	return false;
}

void requester_disconnect(struct requester *requester)
{
	struct requester_peer *peer;

	list_for_each(peer, &requester->peers, node)
	{
		peer->state = REQUESTER_FAILED;
		ck_ok(requester->ops->qp_disconnect(peer->qp));
	}
}

size_t requester_fds(const struct requester *requester, int fds_out[REQUESTER_FDS])
{
	fds_out[0] = requester->ops->get_fd(requester->domain);
	return 1;
}

bool requester_arm(struct requester *requester)
{
	return requester->ops->arm(requester->domain);
}

void requester_disarm(struct requester *requester)
{
	requester->ops->disarm(requester->domain);
}

/* --- keys of memory --- */

static doca_error_t key_result;

static bool keys_serve(const struct doca_devinfo *info)
{
	(void)info;
	return false;
}

static doca_error_t key_get_own(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *key_out)
{
	(void)mmap;
	(void)dev;
	if (key_result != DOCA_SUCCESS)
		return error_set(key_result, "keys: the script gives none");
	*key_out = 1;
	return DOCA_SUCCESS;
}

static const struct mem_key_ops key_ops = {.serves = keys_serve, .get_local = key_get_own};
const struct mem_key_ops *const mem_key_table[] = {&key_ops, NULL};

/* --- an event --- */

static _Atomic uint64_t counter;
static _Atomic uint32_t alive;
static struct doca_sync_event *event;
/* Tasks only. */
static struct doca_pe *pe;
static struct doca_ctx *ctx;
static unsigned n_gets, n_waits_ok, n_failed;
static doca_error_t status;
static bool again; /* gets are submitted again */
static uint64_t got[N_GETS];

static void setup_event(void)
{
	unit_info.caps.sync_event = true;
	unit_info.caps.sync_max_tasks = N_GETS;
	counter = 5;
	alive = 1;
	ck_ok(doca_sync_event_create(&event));
	event->is_imported = true;
	event->import.cell.pidfd = -1;
	event->import.cell.alive = &alive;
	event->import.cell.generation = 1;
	event->import.cell.is_writable = true;
	event->import.cell.value = &counter;
	event->import.memory = (struct sync_memory)SYNC_MEMORY_INIT;
	event->import.is_remote = event->import.is_posted = true;
	event->import.dev = &unit_dev;
	dev_hold(&unit_dev);
	sync_remote_ctx_init(event);
}

static void setup(void)
{
	fake_reset();
	setup_event();
}

static void teardown(void)
{
	ck_ok(doca_sync_event_destroy(event));
	ck_assert_uint_eq(unit_dev.n_users, 0);
	ck_assert_uint_eq(fake_n_ports, 0);
}

/* Every kind of task starts with its common part. */
static void on_get(struct doca_task *task, union doca_data data, union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	n_gets++;
	if (again)
		ck_ok(doca_task_submit(task));
	else
		doca_task_free(task);
}

static void on_wait(struct doca_task *task, union doca_data data, union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	n_waits_ok++;
	doca_task_free(task);
}

static void on_failed(struct doca_task *task, union doca_data data, union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	n_failed++;
	status = doca_task_get_status(task);
	doca_task_free(task);
}

#define CONF(kind, ok, n)                                                                   \
	ck_ok(doca_sync_event_task_##kind##_set_conf(                                       \
		event, (doca_sync_event_task_##kind##_completion_cb_t)(void (*)(void))(ok), \
		(doca_sync_event_task_##kind##_completion_cb_t)(void (*)(void))on_failed, n))

static void ctx_begin(void)
{
	ck_ok(doca_pe_create(&pe));
	ctx = doca_sync_event_as_ctx(event);
	ck_ok(doca_pe_connect_ctx(pe, ctx));
	CONF(get, on_get, N_GETS);
	CONF(notify_add, on_get, 1);
	CONF(wait_eq, on_wait, 2);
	ck_ok(doca_ctx_start(ctx));
}

static void ctx_end(void)
{
	doca_error_t result;

	again = false;
	result = doca_ctx_stop(ctx);
	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	for (unsigned i = 0; i < ROUNDS && unit_state(ctx) != DOCA_CTX_STATE_IDLE; i++)
		doca_pe_progress(pe);
	ck_assert_int_eq(unit_state(ctx), DOCA_CTX_STATE_IDLE);
	ck_ok(doca_sync_event_destroy(event));
	ck_ok(doca_pe_destroy(pe));
	ck_assert_uint_eq(unit_dev.n_users, 0);
	ck_assert_uint_eq(fake_n_ports, 0);
}

static doca_error_t try_get(unsigned i)
{
	struct doca_sync_event_task_get *task;

	ck_ok(doca_sync_event_task_get_alloc_init(event, &got[i], (union doca_data){.u64 = 0},
						  &task));
	return doca_task_submit(doca_sync_event_task_get_as_doca_task(task));
}

static void submit_get(unsigned i)
{
	ck_ok(try_get(i));
}

static void submit_add(void)
{
	struct doca_sync_event_task_notify_add *task;

	ck_ok(doca_sync_event_task_notify_add_alloc_init(event, 1, &got[0],
							 (union doca_data){.u64 = 0}, &task));
	ck_ok(doca_task_submit(doca_sync_event_task_notify_add_as_doca_task(task)));
}

static doca_error_t try_wait(uint64_t value)
{
	struct doca_sync_event_task_wait_eq *task;

	ck_ok(doca_sync_event_task_wait_eq_alloc_init(event, value, ALL,
						      (union doca_data){.u64 = 0}, &task));
	return doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(task));
}

static void submit_wait(uint64_t value)
{
	ck_ok(try_wait(value));
}

static void progress_until(const unsigned *n, unsigned at_least)
{
	for (unsigned i = 0; i < ROUNDS && *n < at_least; i++)
		doca_pe_progress(pe);
	ck_assert_uint_ge(*n, at_least);
}

/* --- tests --- */

START_TEST(test_calls)
{
	uint64_t value;

	state_found = REQUESTER_CALL_SENT;
	n_polls_called = 3;
	ck_ok(doca_sync_event_start(event));
	ck_assert_int_eq(found->state, REQUESTER_READY);
	ck_ok(doca_sync_event_get(event, &value));
	ck_assert_uint_eq(value, 5);
	ck_ok(doca_sync_event_update_set(event, 7));
	ck_ok(doca_sync_event_update_add(event, 3, &value));
	ck_assert_uint_eq(value, 7);
	ck_ok(doca_sync_event_wait_eq(event, 10, ALL));
	alive = 2;
	ck_fails(doca_sync_event_get(event, &value), DOCA_ERROR_CONNECTION_RESET);
	ck_ok(doca_sync_event_stop(event));
	teardown();
}
END_TEST

START_TEST(test_tasks)
{
	state_found = REQUESTER_CALL_SENT;
	ctx_begin();
	ck_assert_int_eq(found->state, REQUESTER_CALL_SENT);
	daemon_answers(found);
	submit_get(0);
	progress_until(&n_gets, 1);
	ck_assert_uint_eq(got[0], 5);
	submit_wait(6);
	submit_add();
	progress_until(&n_waits_ok, 1);
	ck_assert_uint_eq(counter, 6);
	ck_assert_uint_eq(n_failed, 0);
	ctx_end();
}
END_TEST

/* A start waits for the daemon's refusal and reports it, unless the next call may succeed. */
START_TEST(test_start_refused)
{
	uint64_t value;

	state_found = REQUESTER_CALL_SENT;
	n_polls_called = 3;
	refusal = DOCA_ERROR_FULL;
	ck_fails(doca_sync_event_start(event), DOCA_ERROR_FULL);
	ck_says("the script refuses");
	n_polls_called = 3;
	refusal = DOCA_ERROR_NOT_CONNECTED;
	ck_ok(doca_sync_event_start(event));
	n_polls_called = 3;
	ck_fails(doca_sync_event_get(event, &value), DOCA_ERROR_CONNECTION_RESET);
	ck_says("the script refuses; try again");
	n_polls_called = 3;
	refusal = DOCA_SUCCESS;
	ck_ok(doca_sync_event_get(event, &value));
	ck_assert_uint_eq(value, 5);
	teardown();
}
END_TEST

static void refuse(doca_error_t code, const char *reason)
{
	found->state = REQUESTER_FAILED;
	found->refusal = code;
	found->reason = reason;
	found->failure = REQUESTER_UNTRIED;
}

/*
 * The daemon refuses the call, or does not answer: this is reported to those that waited, and the
 * next one causes a new request.
 */
START_TEST(test_uncalled)
{
	state_found = REQUESTER_CALLED;
	ctx_begin();
	submit_get(0);
	submit_wait(5);
	for (unsigned i = 0; i < 10; i++)
		ck_assert_uint_eq(doca_pe_progress(pe), 0);
	refuse(DOCA_ERROR_NO_MEMORY, "the script has none");
	progress_until(&n_failed, 2);
	ck_assert_int_eq(status, DOCA_ERROR_NO_MEMORY);
	ck_says("the script has none; submit again");
	ck_assert_uint_eq(n_finds, 1);
	submit_wait(5);
	submit_get(0);
	ck_assert_uint_eq(n_finds, 2);
	refuse(DOCA_ERROR_NOT_FOUND, "the script knows it not");
	progress_until(&n_failed, 4);
	ck_assert_int_eq(status, DOCA_ERROR_CONNECTION_RESET);
	submit_get(0);
	refuse(DOCA_SUCCESS, "it does not answer");
	progress_until(&n_failed, 5);
	ck_assert_int_eq(status, DOCA_ERROR_CONNECTION_RESET);
	ck_says("it does not answer; submit again");
	submit_get(0);
	found->state = REQUESTER_READY;
	progress_until(&n_gets, 1);
	ck_assert_uint_eq(got[0], 5);
	/* An established connection is lost. */
	refuse(DOCA_ERROR_NO_MEMORY, "gone");
	submit_get(0);
	progress_until(&n_failed, 6);
	ck_assert_int_eq(status, DOCA_ERROR_CONNECTION_RESET);
	ck_says("import it again");
	ck_assert_uint_eq(n_finds, 4);
	ctx_end();
}
END_TEST

/* The daemon ended before it had answered the first call. */
static void fail_stale(void)
{
	found->state = REQUESTER_FAILED;
	found->reason = "the script's daemon went";
	found->failure = REQUESTER_STALE;
}

/*
 * Nothing was done to the event: the next task calls again. An established connection is not
 * affected.
 */
START_TEST(test_truncated_tasks)
{
	state_found = REQUESTER_CALLED;
	ctx_begin();
	submit_get(0);
	submit_wait(5);
	fail_stale();
	progress_until(&n_failed, 2);
	ck_assert_int_eq(status, DOCA_ERROR_CONNECTION_RESET);
	ck_says("the script's daemon went; submit again");
	ck_assert_uint_eq(n_finds, 1);
	submit_get(0);
	ck_assert_uint_eq(n_finds, 2);
	found->state = REQUESTER_READY;
	progress_until(&n_gets, 1);
	ck_assert_uint_eq(got[0], 5);
	fail_stale();
	submit_get(0);
	progress_until(&n_failed, 3);
	ck_assert_int_eq(status, DOCA_ERROR_CONNECTION_RESET);
	ck_says("import it again");
	ck_assert_uint_eq(n_finds, 2);
	ctx_end();
}
END_TEST

START_TEST(test_truncated_calls)
{
	uint64_t value = 0;

	ck_ok(doca_sync_event_start(event));
	fail_stale();
	ck_ok(doca_sync_event_get(event, &value));
	ck_assert_uint_eq(value, 5);
	ck_assert_uint_eq(n_finds, 2);
	fail_stale();
	ck_fails(doca_sync_event_get(event, &value), DOCA_ERROR_CONNECTION_RESET);
	ck_says("import it again");
	ck_assert_uint_eq(n_finds, 2);
	teardown();
}
END_TEST

static bool handle_is_ready(void)
{
	doca_notification_handle_t handle;
	struct pollfd pfd;

	ck_ok(doca_pe_get_notification_handle(pe, &handle));
	pfd = (struct pollfd){.fd = handle, .events = POLLIN};
	return poll(&pfd, 1, 0) == 1;
}

/* Progress asks for the new call, so a sleeping engine must wake. */
START_TEST(test_called_again_asleep)
{
	state_found = REQUESTER_CALLED;
	ctx_begin();
	submit_get(0);
	refuse(DOCA_SUCCESS, "it does not answer");
	progress_until(&n_failed, 1);
	while (doca_pe_progress(pe) > 0)
		;
	ck_ok(doca_pe_request_notification(pe));
	ck_assert(!handle_is_ready());
	submit_get(0);
	ck_assert_uint_eq(n_finds, 2);
	/* The engine was notified; connected queue pairs of the fake notify, too. */
	ck_assert(!pe->armed);
	ck_assert(handle_is_ready());
	ck_ok(doca_pe_clear_notification(pe, 0));
	ctx_end();
}
END_TEST

static bool has_timer(void)
{
	struct itimerspec when;

	ck_assert_int_eq(timerfd_gettime(event->timerfd, &when), 0);
	return when.it_value.tv_sec != 0 || when.it_value.tv_nsec != 0;
}

/*
 * A timer makes sleeping programs check, but not for a peer that is still being called: the answer
 * wakes them.
 */
START_TEST(test_sleep)
{
	bool is_timed = false;

	state_found = REQUESTER_CALLED;
	ctx_begin();
	submit_wait(6);
	ck_assert_uint_eq(doca_pe_progress(pe), 0);
	ck_ok(doca_pe_request_notification(pe));
	ck_assert(!has_timer());
	ck_ok(doca_pe_clear_notification(pe, 0));
	found->state = REQUESTER_READY;
	for (unsigned i = 0; i < ROUNDS && !is_timed; i++) {
		ck_assert_uint_eq(doca_pe_progress(pe), 0);
		ck_ok(doca_pe_request_notification(pe));
		is_timed = has_timer();
		ck_ok(doca_pe_clear_notification(pe, 0));
	}
	ck_assert(is_timed);
	ctx_end();
}
END_TEST

/* A check that can never be posted fails the waiting tasks. */
START_TEST(test_read_fails)
{
	ctx_begin();
	fake.post = DOCA_ERROR_NO_MEMORY;
	submit_wait(6);
	submit_wait(7);
	progress_until(&n_failed, 2);
	ck_assert_int_eq(status, DOCA_ERROR_NO_MEMORY);
	ctx_end();
}
END_TEST

/* Memory that the device refuses fails the start, with the provider's sentence. */
START_TEST(test_no_key)
{
	key_result = DOCA_ERROR_NO_MEMORY;
	ck_fails(doca_sync_event_start(event), DOCA_ERROR_NO_MEMORY);
	ck_says("the script gives none");
	key_result = DOCA_ERROR_NOT_SUPPORTED;
	ck_ok(doca_sync_event_start(event));
	teardown();
}
END_TEST

/* Waiting tasks are served while there are always more requests than can be posted. */
START_TEST(test_busy_waits)
{
	again = fake.holds = true;
	ctx_begin();
	for (unsigned i = 0; i < N_GETS; i++)
		submit_get(i);
	submit_wait(5);
	for (unsigned round = 0; round < 1000 && n_waits_ok == 0; round++) {
		/*
		 * Everything posted completes, and each get is submitted again before more is
		 * posted.
		 */
		fake.holds = false;
		doca_pe_progress(pe);
		fake.holds = true;
		while (doca_pe_progress(pe) > 0)
			;
	}
	ck_assert_uint_eq(n_waits_ok, 1);
	ck_assert_uint_gt(n_gets, N_GETS / 2 - 2);
	fake.holds = false;
	ctx_end();
}
END_TEST

/* A device without atomic requests: other operations continue. */
START_TEST(test_no_atomics)
{
	uint64_t value;

	fake.has_no_atomics = true;
	ck_ok(doca_sync_event_start(event));
	ck_fails(doca_sync_event_update_add(event, 1, &value), DOCA_ERROR_NOT_SUPPORTED);
	ck_says("p0 does not support atomic requests");
	ck_ok(doca_sync_event_update_set(event, 8));
	ck_ok(doca_sync_event_get(event, &value));
	ck_assert_uint_eq(value, 8);
	teardown();
}
END_TEST

START_TEST(test_no_atomic_tasks)
{
	fake.has_no_atomics = true;
	ctx_begin();
	submit_add();
	progress_until(&n_failed, 1);
	ck_assert_int_eq(status, DOCA_ERROR_NOT_SUPPORTED);
	submit_get(0);
	progress_until(&n_gets, 1);
	ck_assert_uint_eq(got[0], 5);
	ctx_end();
}
END_TEST

/* Counted like those of local events. */
START_TEST(test_counted)
{
	ctx_begin();
	ck_assert_int_eq(ctx->ops->counted_as, COUNTERS_SYNC_EVENT);
	submit_wait(6);
	ck_assert_uint_eq(ctx->line->waits, 1);
	submit_get(0);
	ck_assert_uint_eq(ctx->line->waits, 1);
	counter = 6;
	progress_until(&n_waits_ok, 1);
	progress_until(&n_gets, 1);
	ctx_end();
}
END_TEST

/* Runs it in a child of this process, where the parent's connection must not be used. */
static void in_child(int (*run)(void))
{
	unsigned n_qps = fake_n_qps;
	int how;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		int step = run();

		_exit(step != 0 ? step : n_closed != 0 || fake_n_qps != n_qps ? 99 : 0);
	}
	ck_assert_int_eq(waitpid(pid, &how, 0), pid);
	ck_assert_msg(how == 0, "the child ended with %#x", (unsigned)how);
}

static int child_calls(void)
{
	uint64_t value;

	if (doca_sync_event_get(event, &value) != DOCA_ERROR_NOT_CONNECTED)
		return 1;
	if (strstr(dococ_last_error(), "forked") == NULL)
		return 2;
	if (doca_sync_event_update_set(event, 1) != DOCA_ERROR_NOT_CONNECTED ||
	    doca_sync_event_update_add(event, 1, &value) != DOCA_ERROR_NOT_CONNECTED ||
	    doca_sync_event_wait_eq_yield(event, 5, ALL) != DOCA_ERROR_NOT_CONNECTED)
		return 3;
	if (doca_sync_event_destroy(event) != DOCA_SUCCESS)
		return 4;
	/* An object of the child is not mistaken for the parent's. */
	n_closed = 0;
	setup_event();
	if (doca_sync_event_start(event) != DOCA_SUCCESS ||
	    doca_sync_event_get(event, &value) != DOCA_SUCCESS)
		return 5;
	if (doca_sync_event_destroy(event) != DOCA_SUCCESS || n_closed != 1)
		return 6;
	n_closed = 0;
	return 0;
}

START_TEST(test_fork)
{
	uint64_t value;

	ck_ok(doca_sync_event_start(event));
	ck_ok(doca_sync_event_get(event, &value));
	in_child(child_calls);
	ck_ok(doca_sync_event_update_add(event, 1, &value));
	ck_assert_uint_eq(value, 5);
	teardown();
}
END_TEST

static int child_tasks(void)
{
	fake.holds = false;
	if (try_get(2) != DOCA_ERROR_NOT_CONNECTED || try_wait(5) != DOCA_ERROR_NOT_CONNECTED ||
	    strstr(dococ_last_error(), "forked") == NULL)
		return 1;
	for (unsigned i = 0; i < 100; i++)
		doca_pe_progress(pe);
	/* Earlier submissions belong to the parent. */
	if (n_gets + n_waits_ok + n_failed != 0 || got[1] != 0)
		return 2;
	return doca_ctx_stop(ctx) == DOCA_ERROR_NOT_CONNECTED ? 0 : 3;
}

START_TEST(test_fork_tasks)
{
	fake.holds = true;
	ctx_begin();
	submit_wait(6);
	submit_get(1);
	in_child(child_tasks);
	fake.holds = false;
	progress_until(&n_gets, 1);
	ck_assert_uint_eq(got[1], 5);
	ck_assert_uint_eq(n_failed, 0);
	ctx_end();
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("sync remote");
	TCase *tcase = unit_case(suite, "remote", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, test_calls);
	tcase_add_test(tcase, test_tasks);
	tcase_add_test(tcase, test_start_refused);
	tcase_add_test(tcase, test_uncalled);
	tcase_add_test(tcase, test_truncated_tasks);
	tcase_add_test(tcase, test_truncated_calls);
	tcase_add_test(tcase, test_called_again_asleep);
	tcase_add_test(tcase, test_sleep);
	tcase_add_test(tcase, test_read_fails);
	tcase_add_test(tcase, test_no_key);
	tcase_add_test(tcase, test_busy_waits);
	tcase_add_test(tcase, test_no_atomics);
	tcase_add_test(tcase, test_no_atomic_tasks);
	tcase_add_test(tcase, test_counted);
	tcase_add_test(tcase, test_fork);
	tcase_add_test(tcase, test_fork_tasks);
	return suite;
}

int main(void)
{
	return unit_run(suite_make());
}
