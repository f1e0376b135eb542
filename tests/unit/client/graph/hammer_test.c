/*
 * Graphs in a program that only sleeps in epoll. A simulated device, which is another thread,
 * completes the tasks of context nodes at random times. Between them are copies of a DMA context
 * and user nodes, which complete by themselves. A lost wake-up is a hang, which the test's deadline
 * detects. While the device does not respond, nothing may wake the program.
 *
 * DOCO_HAMMER_EVENTS: number of nodes to run.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "tests/unit/client/graph/fixture.h"
#include "util/fd.h"

#ifdef DOCO_SANITIZED
#define EVENTS_DEFAULT 100000u
#else
#define EVENTS_DEFAULT 1000000u
#endif

#define N_RUNS   24u
#define N_NODES  8u /* device, copy, user, device, device, copy, copy, user */
#define RING_LEN 256u
#define IDLE_MS  200
#define N_PARTS  8u
_Static_assert(1 + 3 * (N_PARTS - 1) <= N_RUNS, "as many as there are");

/* --- the device --- */

struct device {
	struct doca_ctx ctx;
	struct task_pool pool;
	int fd;
	atomic_bool armed, pauses, has_paused, ends;
	/* Tasks are passed to the thread by one ring and returned by another. */
	atomic_uint n_data_nodes, n_finished;
	struct doca_task *given[RING_LEN], *finished[RING_LEN];
	unsigned n_dequeued;
	uint64_t seed; /* used by the thread */
	pthread_t thread;
};

static struct device device;

static void *device_main(void *arg)
{
	struct device *d = arg;
	unsigned n = 0;

	while (!atomic_load_explicit(&d->ends, memory_order_acquire)) {
		unsigned i, batch;
		bool pauses = atomic_load(&d->pauses);

		atomic_store(&d->has_paused, pauses);
		if (pauses || n == atomic_load_explicit(&d->n_data_nodes, memory_order_acquire)) {
			sched_yield();
			continue;
		}
		/* Sometimes at once, sometimes while the other side is about to sleep. */
		if (unit_random(&d->seed) % 8 == 0) {
			for (i = unit_random(&d->seed) % 2000; i > 0; i--)
				__asm__ volatile("");
		}
		batch = 1 + (unsigned)(unit_random(&d->seed) % 6);
		for (;
		     batch > 0 && n != atomic_load_explicit(&d->n_data_nodes, memory_order_acquire);
		     batch--, n++)
			d->finished[n % RING_LEN] = d->given[n % RING_LEN];
		atomic_store(&d->n_finished, n);
		if (atomic_load(&d->armed) && atomic_exchange(&d->armed, false))
			fd_eventfd_ring(d->fd);
	}
	return NULL;
}

static struct device *device_of(const struct doca_ctx *ctx)
{
	return container_of(ctx, struct device, ctx);
}

static doca_error_t device_submit(struct doca_task *task, uint32_t flags)
{
	struct device *d = device_of(task->ctx);
	unsigned n = atomic_load_explicit(&d->n_data_nodes, memory_order_relaxed);

	(void)flags;
	if (n - d->n_dequeued == RING_LEN)
		return error_hint(DOCA_ERROR_AGAIN, "device: the queue is full");
	task_hold(task);
	d->given[n % RING_LEN] = task;
	atomic_store_explicit(&d->n_data_nodes, n + 1, memory_order_release);
	return DOCA_SUCCESS;
}

static uint8_t device_poll(struct doca_ctx *ctx)
{
	struct device *d = device_of(ctx);

	if (d->n_dequeued == atomic_load_explicit(&d->n_finished, memory_order_acquire))
		return 0;
	task_finish(d->finished[d->n_dequeued++ % RING_LEN], DOCA_SUCCESS);
	return 1;
}

static bool device_arm(struct doca_ctx *ctx)
{
	struct device *d = device_of(ctx);

	atomic_store(&d->armed, true);
	return d->n_dequeued != atomic_load(&d->n_finished);
}

static void device_disarm(struct doca_ctx *ctx)
{
	atomic_store(&device_of(ctx)->armed, false);
}

static const struct ctx_ops device_ops = {
	.name = "device", .poll = device_poll, .arm = device_arm, .disarm = device_disarm};

static void device_open(struct device *d)
{
	ctx_init(&d->ctx, &device_ops, &unit_dev);
	d->pool =
		(struct task_pool){.ok_cb = toy_ok, .err_cb = toy_failed, .submit = device_submit};
	ck_assert_int_eq(
		task_pool_init(&d->pool, &d->ctx, N_RUNS * N_NODES, sizeof(struct doca_task)), 0);
	ck_ok(doca_pe_connect_ctx(pe, &d->ctx));
	d->fd = fd_eventfd();
	ck_assert_int_ge(d->fd, 0);
	ck_assert_int_eq(pe_add_eventfd(pe, d->fd), 0);
	ck_ok(doca_ctx_start(&d->ctx));
	ctx_set_polled(&d->ctx, true);
	d->seed = 0x9e3779b97f4a7c15;
	ck_assert_int_eq(pthread_create(&d->thread, NULL, device_main, d), 0);
}

static void device_close(struct device *d)
{
	atomic_store_explicit(&d->ends, true, memory_order_release);
	ck_assert_int_eq(pthread_join(d->thread, NULL), 0);
	ctx_set_polled(&d->ctx, false);
	ck_ok(doca_ctx_stop(&d->ctx));
	pe_remove_eventfd(pe, d->fd);
	ck_ok(ctx_deinit(&d->ctx));
	task_pool_deinit(&d->pool);
	fd_close(&d->fd);
}

/* --- the program --- */

static uint64_t n_wanted, n_started, n_ended, n_nodes_run, n_sleeps;

static doca_error_t user_runs(void *cookie)
{
	(void)cookie;
	n_nodes_run++;
	return DOCA_SUCCESS;
}

static doca_error_t copy_runs(struct doca_task *task)
{
	(void)task;
	n_nodes_run++;
	return DOCA_SUCCESS;
}

/* Without assertions of Check, which take memory and time. */
static void instance_ended(struct doca_graph_instance *instance, union doca_data instance_data,
			   union doca_data graph_data)
{
	(void)instance_data;
	(void)graph_data;
	n_ended++;
	if (n_started < n_wanted && doca_graph_instance_submit(instance) == DOCA_SUCCESS)
		n_started++;
}

static void instance_failed(struct doca_graph_instance *instance, union doca_data instance_data,
			    union doca_data graph_data)
{
	(void)instance;
	(void)instance_data;
	(void)graph_data;
	ck_abort_msg("an instance failed: %s", dococ_last_error());
}

static struct doca_graph *graph_make(struct doca_graph_node *nodes[N_NODES])
{
	static const char kinds[] = "dcuddccu";
	/* Predecessors of each node, as a bit mask. */
	static const uint8_t before[N_NODES] = {0x00, 0x00, 0x03, 0x04, 0x04, 0x10, 0x04, 0x68};
	struct doca_graph *graph;

	ck_ok(doca_graph_create(pe, &graph));
	ck_ok(doca_graph_set_conf(graph, instance_ended, instance_failed, N_RUNS));
	for (unsigned i = 0; i < N_NODES; i++) {
		if (kinds[i] == 'u')
			nodes[i] = user_node(graph, user_runs);
		else
			ck_ok(doca_graph_node_create_from_ctx(
				graph, kinds[i] == 'd' ? &device.ctx : &a->ctx, &nodes[i]));
		for (unsigned k = 0; k < i; k++) {
			if (before[i] >> k & 1)
				ck_ok(doca_graph_add_dependency(graph, nodes[k], nodes[i]));
		}
	}
	ck_ok(doca_graph_start(graph));
	return graph;
}

static void sleep_and_run(int epoll_fd)
{
	struct epoll_event event;
	int n;

	ck_ok(doca_pe_request_notification(pe));
	n = epoll_wait(epoll_fd, &event, 1, -1);
	if (n != 1)
		ck_abort_msg("epoll_wait: %d %m", n);
	n_sleeps++;
	ck_ok(doca_pe_clear_notification(pe, 0));
	while (doca_pe_progress(pe) != 0)
		continue;
}

static void setup(void)
{
	open_engine(N_RUNS * N_NODES);
}

START_TEST(a_sleeper_misses_nothing)
{
	const char *text = getenv("DOCO_HAMMER_EVENTS");
	uint64_t n_all, n_events = text == NULL ? EVENTS_DEFAULT : strtoull(text, NULL, 10);
	struct epoll_event event = {.events = EPOLLIN};
	struct doca_graph_instance *instances[N_RUNS];
	struct doca_graph_node *nodes[N_NODES];
	struct doca_task *tasks[N_RUNS][N_NODES] = {{NULL}};
	struct doca_graph *graph;
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	doca_notification_handle_t handle;

	ck_ok(doca_pe_get_notification_handle(pe, &handle));
	ck_assert_int_eq(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, handle, &event), 0);
	device_open(&device);
	a->pool.execute = copy_runs;
	graph = graph_make(nodes);
	n_all = n_events / N_NODES + 1;
	for (unsigned r = 0; r < N_RUNS; r++) {
		instances[r] = instance_new(graph);
		for (unsigned i = 0; i < N_NODES; i++) {
			if (nodes[i]->kind == GRAPH_USER)
				continue;
			tasks[r][i] = nodes[i]->work.ctx == &a->ctx
					      ? toy_task(a, i)
					      : task_pool_get(&device.pool,
							      (union doca_data){.u64 = i});
			ck_ok(doca_graph_instance_set_ctx_node_data(instances[r], nodes[i],
								    tasks[r][i]));
		}
	}
	/*
	 * First one instance alone, so that each step may be the one during which the program
	 * sleeps; then more and more in parallel.
	 */
	for (unsigned part = 0; part < N_PARTS; part++) {
		n_wanted = n_all * (part + 1) / N_PARTS;
		for (unsigned r = 0; r < 1 + 3 * part && n_started < n_wanted; r++) {
			n_started++;
			ck_ok(doca_graph_instance_submit(instances[r]));
		}
		while (n_ended < n_wanted)
			sleep_and_run(epoll_fd);
	}
	ck_assert_uint_eq(n_started, n_ended);
	ck_assert_uint_eq(n_nodes_run, n_ended * 5);
	printf("%llu nodes, %llu sleeps\n", (unsigned long long)(n_ended * N_NODES),
	       (unsigned long long)n_sleeps);

	/*
	 * An instance waits for the device, which does not respond: no wake-up, no processor time.
	 */
	atomic_store(&device.pauses, true);
	while (!atomic_load(&device.has_paused))
		sched_yield();
	/*
	 * The device may have signalled its last completion after the program was woken by the
	 * engine itself and had cleared the handle. That signal must not count as a wake-up here.
	 */
	ck_ok(doca_pe_clear_notification(pe, 0));
	ck_ok(doca_graph_instance_submit(instances[0]));
	while (doca_pe_progress(pe) != 0)
		continue;
	ck_ok(doca_pe_request_notification(pe));
	ck_assert_int_eq(epoll_wait(epoll_fd, &event, 1, IDLE_MS), 0);
	ck_ok(doca_pe_clear_notification(pe, 0));
	atomic_store(&device.pauses, false);
	while (n_ended < n_all + 1)
		sleep_and_run(epoll_fd);

	for (unsigned r = 0; r < N_RUNS; r++) {
		ck_ok(doca_graph_instance_destroy(instances[r]));
		for (unsigned i = 0; i < N_NODES; i++) {
			if (tasks[r][i] != NULL)
				doca_task_free(tasks[r][i]);
		}
	}
	graph_end(graph);
	device_close(&device);
	close(epoll_fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("graph_hammer");
	TCase *tcase = unit_case(suite, "hammer", UNIT_TIMEOUT_LONG);

	tcase_add_checked_fixture(tcase, setup, close_engine);
	tcase_add_test(tcase, a_sleeper_misses_nothing);
	return unit_run(suite);
}
