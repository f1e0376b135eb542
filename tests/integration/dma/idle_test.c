/*
 * A program that sleeps in epoll on the engine's handle without work uses no processor time: for
 * each kind of context, alone, with earlier work, and all on one engine. Measured from outside: the
 * process is blocked, and neither its time nor its context switches change.
 */
#include <stdlib.h>
#include <string.h>

#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_graph.h>
#include <doca_mmap_advise.h>
#include <doca_sha.h>
#include <doca_sync_event.h>

#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/sleeper.h"
#include "tests/lib/talk.h"
#include "tests/lib/use.h"

#define SERVICE "idle"
#define N_MANY  32u

static struct lab lab;

static void setup(void)
{
	lab_setup(&lab, NULL);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

/* Objects of a sleeping process. */
struct idle {
	struct doca_pe *pe;
	struct doca_dev *dev;
	struct doca_ctx *ctx;
	struct doca_dma *dma;
	struct doca_sha *sha;
	struct doca_mmap_advise *advise;
	struct doca_sync_event *event;
	struct doca_task *wait;
	struct doca_graph *graph;
	struct doca_graph_instance *instance;
	bool has_ended;
};

static void ctx_run(struct idle *idle)
{
	OK(doca_pe_connect_ctx(idle->pe, idle->ctx));
	OK(doca_ctx_start(idle->ctx));
}

static void ctx_end(struct idle *idle)
{
	doca_error_t result = doca_ctx_stop(idle->ctx);

	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	use_ctx_await(idle->pe, idle->ctx, DOCA_CTX_STATE_IDLE);
}

static void dma_open(struct idle *idle)
{
	OK(doca_dma_create(idle->dev, &idle->dma));
	idle->ctx = doca_dma_as_ctx(idle->dma);
	OK(doca_dma_task_memcpy_set_conf(idle->dma, use_dma_ok_cb, use_dma_err_cb, 4));
	ctx_run(idle);
}

static void dma_close(struct idle *idle)
{
	ctx_end(idle);
	OK(doca_dma_destroy(idle->dma));
}

static void hashed(struct doca_sha_task_hash *task, union doca_data task_data,
		   union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
}

static void sha_open(struct idle *idle)
{
	OK(doca_sha_create(idle->dev, &idle->sha));
	idle->ctx = doca_sha_as_ctx(idle->sha);
	OK(doca_sha_task_hash_set_conf(idle->sha, hashed, hashed, 2));
	ctx_run(idle);
}

static void sha_close(struct idle *idle)
{
	ctx_end(idle);
	OK(doca_sha_destroy(idle->sha));
}

static void advised(struct doca_mmap_advise_task_invalidate_cache *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
}

static void advise_open(struct idle *idle)
{
	OK(doca_mmap_advise_create(idle->dev, &idle->advise));
	idle->ctx = doca_mmap_advise_as_ctx(idle->advise);
	OK(doca_mmap_advise_task_invalidate_cache_set_conf(idle->advise, advised, advised, 4));
	ctx_run(idle);
}

static void advise_close(struct idle *idle)
{
	ctx_end(idle);
	OK(doca_mmap_advise_destroy(idle->advise));
}

static void waited(struct doca_sync_event_task_wait_neq *task, union doca_data task_data,
		   union doca_data ctx_data)
{
	struct idle *idle = task_data.ptr;

	(void)ctx_data;
	idle->has_ended = true;
	doca_task_free(doca_sync_event_task_wait_neq_as_doca_task(task));
}

static void event_run(struct idle *idle)
{
	struct doca_sync_event_task_wait_neq *task;

	OK(doca_sync_event_create(&idle->event));
	OK(doca_sync_event_add_publisher_location_cpu(idle->event, idle->dev));
	OK(doca_sync_event_add_subscriber_location_cpu(idle->event, idle->dev));
	idle->ctx = doca_sync_event_as_ctx(idle->event);
	OK(doca_sync_event_task_wait_neq_set_conf(idle->event, waited, waited, 1));
	ctx_run(idle);
	OK(doca_sync_event_task_wait_neq_alloc_init(idle->event, 0, UINT64_MAX,
						    (union doca_data){.ptr = idle}, &task));
	idle->wait = doca_sync_event_task_wait_neq_as_doca_task(task);
}

/* Opens an event, with a wait in flight that is never fulfilled. */
static void event_open(struct idle *idle)
{
	event_run(idle);
	OK(doca_task_submit(idle->wait));
}

static void event_close(struct idle *idle)
{
	ck_assert(!idle->has_ended);
	ctx_end(idle);
	OK(doca_sync_event_destroy(idle->event));
}

static void instance_ended(struct doca_graph_instance *instance, union doca_data instance_data,
			   union doca_data graph_data)
{
	struct idle *idle = instance_data.ptr;

	(void)instance;
	(void)graph_data;
	idle->has_ended = true;
	doca_task_free(idle->wait);
}

/* The same wait as a node of an instance. */
static void graph_open(struct idle *idle)
{
	struct doca_graph_node *node;

	event_run(idle);
	OK(doca_graph_create(idle->pe, &idle->graph));
	OK(doca_graph_set_conf(idle->graph, instance_ended, instance_ended, 1));
	OK(doca_graph_node_create_from_ctx(idle->graph, idle->ctx, &node));
	OK(doca_graph_start(idle->graph));
	OK(doca_graph_instance_create(idle->graph, &idle->instance));
	OK(doca_graph_instance_set_user_data(idle->instance, (union doca_data){.ptr = idle}));
	OK(doca_graph_instance_set_ctx_node_data(idle->instance, node, idle->wait));
	OK(doca_graph_instance_submit(idle->instance));
}

static void graph_close(struct idle *idle)
{
	ck_assert(!idle->has_ended);
	ctx_end(idle);
	ck_assert(idle->has_ended);
	OK(doca_graph_instance_destroy(idle->instance));
	OK(doca_graph_stop(idle->graph));
	OK(doca_graph_destroy(idle->graph));
	OK(doca_sync_event_destroy(idle->event));
}

static const struct kind {
	const char *name;
	void (*open)(struct idle *idle);
	void (*close)(struct idle *idle);
} kinds[] = {
	{"dma", dma_open, dma_close},
	{"sha", sha_open, sha_close},
	{"mmap advise", advise_open, advise_close},
	{"sync event", event_open, event_close},
	{"graph", graph_open, graph_close},
};

/* Sleeps until the parent sends something. */
static void sleep_until_notified(struct doca_pe *pe, enum sleeper_method way, int sock)
{
	struct sleeper sleeper;

	sleeper_open(&sleeper, pe, way, sock);
	sleeper_progress(&sleeper);
	lab_signal(sock);
	while (!sleeper_step(&sleeper))
		continue;
	lab_wait(sock);
	sleeper_close(&sleeper);
}

struct order {
	size_t first, n; /* range of kinds, each n_each times */
	size_t n_each;
	enum sleeper_method way;
};

static void kinds_main(int sock, void *arg)
{
	const struct order *order = arg;
	size_t n = order->n * order->n_each;
	struct idle *idles = calloc(n, sizeof(*idles));
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_pe *pe;

	ck_assert_ptr_nonnull(idles);
	OK(doca_pe_create(&pe));
	for (size_t i = 0; i < n; i++) {
		idles[i].pe = pe;
		idles[i].dev = dev;
		kinds[order->first + i % order->n].open(&idles[i]);
	}
	sleep_until_notified(pe, order->way, sock);
	for (size_t i = 0; i < n; i++)
		kinds[order->first + i % order->n].close(&idles[i]);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
	free(idles);
}

static void check_idle(struct lab_child *child)
{
	lab_wait(child->sock);
	sleeper_await_idle(child->pid);
	lab_signal(child->sock);
	lab_join(child);
}

START_TEST(test_kind)
{
	struct order order = {.first = (size_t)_i, .n = 1, .n_each = 1};
	struct lab_child children[SLEEPER_N_METHODS];

	for (order.way = 0; order.way < SLEEPER_N_METHODS; order.way++)
		children[order.way] = lab_fork(&lab, LAB_DPU, kinds_main, &order);
	for (size_t i = 0; i < SLEEPER_N_METHODS; i++)
		check_idle(&children[i]);
}
END_TEST

/* Many of each on one engine. */
START_TEST(test_many)
{
	struct order order = {
		.n = ARRAY_LEN(kinds), .n_each = N_MANY, .way = SLEEPER_ALL_NOT_CLEAR};
	struct lab_child child = lab_fork(&lab, LAB_DPU, kinds_main, &order);

	check_idle(&child);
}
END_TEST

/* --- comch: both ends, before and after messages --- */

static void answer(struct talk *talk, struct doca_comch_connection *connection,
		   const uint8_t *bytes, uint32_t len)
{
	ck_assert(talk_send(talk, connection, bytes, len));
}

static void server_main(int sock, void *arg)
{
	enum sleeper_method way = *(const enum sleeper_method *)arg;
	struct talk talk = {.on_message = answer};
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_pe *pe;

	OK(doca_pe_create(&pe));
	talk_serve(&talk, pe, dev, SERVICE, 16);
	/* First without clients; then with a client that has sent a message. */
	sleep_until_notified(pe, way, sock);
	sleep_until_notified(pe, way, sock);
	ck_assert_uint_eq(talk.n_connected, 1);
	ck_assert_uint_eq(talk.n_received, 1);
	talk_end(&talk);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
}

static void await_answer(struct sleeper *sleeper, const struct talk *talk)
{
	while (talk->n_received == 0)
		sleeper_step(sleeper);
}

static void received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		     union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void produced(struct doca_comch_producer_task_send *task, union doca_data task_data,
		     union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

/* Also a consumer and a producer of the connection, on the same engine. */
static void client_main(int sock, void *arg)
{
	enum sleeper_method way = *(const enum sleeper_method *)arg;
	static uint8_t memory[4096];
	struct talk talk = {.on_message = NULL};
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct idle consumer = {.dev = dev}, producer = {.dev = dev};
	struct doca_comch_consumer *consumer_object;
	struct doca_comch_producer *producer_object;
	struct sleeper sleeper;
	struct doca_mmap *mmap;
	struct doca_pe *pe;

	OK(doca_pe_create(&pe));
	talk_connect(&talk, pe, dev, SERVICE, 16);
	use_ctx_await(pe, talk.ctx, DOCA_CTX_STATE_RUNNING);
	talk_connected(&talk);
	sleeper_open(&sleeper, pe, way, -1);
	ck_assert(talk_send(&talk, talk.connection, "hello", 5));
	await_answer(&sleeper, &talk);
	sleeper_close(&sleeper);
	sleep_until_notified(pe, way, sock);

	mmap = use_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	OK(doca_comch_consumer_create(talk.connection, mmap, &consumer_object));
	consumer.pe = producer.pe = pe;
	consumer.ctx = doca_comch_consumer_as_ctx(consumer_object);
	OK(doca_comch_consumer_task_post_recv_set_conf(consumer_object, received, received, 4));
	OK(doca_pe_connect_ctx(pe, consumer.ctx));
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(consumer.ctx));
	use_ctx_await(pe, consumer.ctx, DOCA_CTX_STATE_RUNNING);
	OK(doca_comch_producer_create(talk.connection, &producer_object));
	producer.ctx = doca_comch_producer_as_ctx(producer_object);
	OK(doca_comch_producer_task_send_set_conf(producer_object, produced, produced, 4));
	ctx_run(&producer);
	sleep_until_notified(pe, way, sock);
	ctx_end(&producer);
	OK(doca_comch_producer_destroy(producer_object));
	ctx_end(&consumer);
	OK(doca_comch_consumer_destroy(consumer_object));
	use_mmap_end(mmap);
	talk_end(&talk);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
}

/* Waits until it is ready and asleep; then continues it. */
static void check_stage(struct lab_child *child)
{
	lab_wait(child->sock);
	sleeper_await_idle(child->pid);
}

START_TEST(test_comch)
{
	enum sleeper_method way = (enum sleeper_method)_i;
	struct lab_child server = lab_fork(&lab, LAB_DPU, server_main, &way), client;

	check_stage(&server);
	client = lab_fork(&lab, LAB_HOST, client_main, &way);
	check_stage(&client);
	lab_signal(server.sock);
	check_stage(&server);
	lab_signal(client.sock);
	check_stage(&client);
	sleeper_await_idle(server.pid);
	lab_signal(client.sock);
	lab_join(&client);
	lab_signal(server.sock);
	lab_join(&server);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("idle");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, test_kind, 0, ARRAY_LEN(kinds));
	tcase_add_test(tcase, test_many);
	tcase_add_loop_test(tcase, test_comch, 0, SLEEPER_N_METHODS);
}

int main(void)
{
	lab_require();
	return runner_main("idle", add_cases, NULL);
}
