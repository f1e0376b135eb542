/*
 * Each allocation of a workload fails once, in whichever thread it is made. The call that needs it
 * returns an error with a sentence, or succeeds without it; all objects can be ended; nothing
 * leaks; and the same workload succeeds directly afterwards. Memory is from the heap, mmap() or
 * memfd_create().
 */
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_comch.h>
#include <doca_graph.h>
#include <doca_rdma.h>
#include <doca_sync_event.h>

#include "tests/lib/allocount.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/talk.h"
#include "tests/lib/use.h"
#include "util/clock.h"

#define LEN            64u
#define SETTLE_MS      5000
#define NOTHING_FAILED 3
#define N_MAX          20000u

/* Steps that other processes or daemons take part in. */
#define AWAIT_MS 20000

static struct lab lab;
static struct lab_child server;
static uint8_t memory[2 * LEN];

struct rdma_end {
	struct doca_rdma *rdma;
	struct doca_rdma_connection *conn;
	const void *details;
	size_t details_len;
};

/* Objects that were not created or have ended are NULL. */
struct work {
	struct doca_devinfo **list;
	struct doca_dev *dev;
	struct doca_mmap *mmap, *imported;
	struct doca_sync_event *event;
	struct use_dma use;
	struct doca_buf *src, *dst, *out;
	struct doca_task *task;
	bool is_submitted;
	struct doca_graph *graph;
	struct doca_graph_instance *instance;
	struct rdma_end ends[2];
	struct doca_comch_client *client;
	unsigned n_completed, n_errors, n_echoes;
	const void *desc;
	size_t desc_len;
};

/* --- a server of the DPU, which returns each message --- */

static void echo(struct talk *talk, struct doca_comch_connection *connection, const uint8_t *bytes,
		 uint32_t len)
{
	/* The program may end its context before. */
	(void)talk_try_send(talk, connection, bytes, len);
}

static void server_main(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct talk talk = {.on_message = echo, .ignores_failures = true};
	struct pollfd signalled = {.fd = sock, .events = POLLIN};
	struct doca_pe *pe;

	(void)arg;
	OK(doca_pe_create(&pe));
	talk_serve(&talk, pe, dev, "no-memory", 4);
	lab_signal(sock);
	while (poll(&signalled, 1, 0) == 0)
		if (!doca_pe_progress(pe))
			sched_yield();
	talk_end(&talk);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
}

static void setup(void)
{
	lab_setup(&lab, NULL);
	server = lab_fork(&lab, LAB_DPU, server_main, NULL);
	lab_wait(server.sock);
	lab_use(&lab, LAB_HOST);
}

static void teardown(void)
{
	lab_signal(server.sock);
	lab_join(&server);
	lab_stop(&lab);
}

/* --- the workload, step by step --- */

static doca_error_t open_device(struct work *w)
{
	uint32_t n;
	doca_error_t result = doca_devinfo_create_list(&w->list, &n);

	if (result == DOCA_SUCCESS)
		result = doca_dev_open(w->list[0], &w->dev);
	if (result == DOCA_SUCCESS)
		result = doca_devinfo_destroy_list(w->list);
	if (result == DOCA_SUCCESS)
		w->list = NULL;
	return result;
}

static doca_error_t make_map(struct work *w)
{
	uint32_t rights = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE |
			  DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE;
	doca_error_t result = doca_mmap_create(&w->mmap);

	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(w->mmap, memory, sizeof(memory));
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(w->mmap, rights);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(w->mmap, w->dev);
	return result == DOCA_SUCCESS ? doca_mmap_start(w->mmap) : result;
}

static doca_error_t export_map(struct work *w)
{
	doca_error_t result = doca_mmap_export_pci(w->mmap, w->dev, &w->desc, &w->desc_len);

	return result != DOCA_SUCCESS
		       ? result
		       : doca_mmap_export_rdma(w->mmap, w->dev, &w->desc, &w->desc_len);
}

static doca_error_t import_map(struct work *w)
{
	return doca_mmap_create_from_export(NULL, w->desc, w->desc_len, w->dev, &w->imported);
}

static doca_error_t use_event(struct work *w)
{
	doca_error_t result = doca_sync_event_create(&w->event);

	if (result == DOCA_SUCCESS)
		result = doca_sync_event_add_publisher_location_cpu(w->event, w->dev);
	if (result == DOCA_SUCCESS)
		result = doca_sync_event_add_subscriber_location_cpu(w->event, w->dev);
	if (result == DOCA_SUCCESS)
		result = doca_sync_event_start(w->event);
	return result == DOCA_SUCCESS ? doca_sync_event_update_set(w->event, 1) : result;
}

static doca_error_t start_copies(struct work *w)
{
	doca_error_t result = doca_pe_create(&w->use.pe);

	if (result == DOCA_SUCCESS)
		result = doca_dma_create(w->dev, &w->use.dma);
	if (result != DOCA_SUCCESS)
		return result;
	w->use.keep_tasks = true;
	w->use.ctx = doca_dma_as_ctx(w->use.dma);
	result = doca_dma_task_memcpy_set_conf(w->use.dma, use_dma_ok_cb, use_dma_err_cb, 1);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(w->use.ctx, (union doca_data){.ptr = &w->use});
	if (result == DOCA_SUCCESS)
		result = doca_pe_connect_ctx(w->use.pe, w->use.ctx);
	return result == DOCA_SUCCESS ? doca_ctx_start(w->use.ctx) : result;
}

static doca_error_t make_buffers(struct work *w)
{
	doca_error_t result = doca_buf_inventory_create(3, &w->use.inventory);

	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_start(w->use.inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_data(w->use.inventory, w->imported, memory,
							    LEN, &w->src);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_addr(w->use.inventory, w->mmap, memory + LEN,
							    LEN, &w->dst);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_data(w->use.inventory, w->mmap, memory, LEN,
							    &w->out);
	return result;
}

static doca_error_t copy(struct work *w)
{
	struct doca_dma_task_memcpy *task;
	doca_error_t result = doca_dma_task_memcpy_alloc_init(w->use.dma, w->src, w->dst,
							      (union doca_data){0}, &task);

	if (result != DOCA_SUCCESS)
		return result;
	w->task = doca_dma_task_memcpy_as_task(task);
	result = doca_task_submit(w->task);
	if (result != DOCA_SUCCESS)
		return result;
	w->is_submitted = true;
	use_dma_await(&w->use, 1);
	return w->use.status;
}

/* Progresses until this many tasks or messages have come, or one has failed. */
static doca_error_t await(struct work *w, const unsigned *n, unsigned n_wanted)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(AWAIT_MS) * NS_PER_MS;

	while (*n < n_wanted && w->n_errors == 0) {
		if (!doca_pe_progress(w->use.pe))
			sched_yield();
		/* Without an assertion, which allocates memory. */
		if (clock_now_ns() >= deadline)
			ck_abort_msg("nothing comes, and nothing fails");
	}
	/* The error sentence shows whether the call failed for lack of memory. */
	return w->n_errors == 0 ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

static void on_instance(struct doca_graph_instance *instance, union doca_data data,
			union doca_data graph_data)
{
	struct work *w = graph_data.ptr;

	(void)instance, (void)data;
	w->n_completed++;
}

static void on_instance_error(struct doca_graph_instance *instance, union doca_data data,
			      union doca_data graph_data)
{
	struct work *w = graph_data.ptr;

	(void)instance, (void)data;
	w->n_errors++;
}

static doca_error_t empty_user_node(void *cookie)
{
	(void)cookie;
	return DOCA_SUCCESS;
}

/* The copy of the step before again, as a node, and a function after it. */
static doca_error_t run_graph(struct work *w)
{
	struct doca_graph_node *copying, *noting;
	doca_error_t result = doca_graph_create(w->use.pe, &w->graph);

	if (result == DOCA_SUCCESS)
		result = doca_graph_node_create_from_ctx(w->graph, w->use.ctx, &copying);
	if (result == DOCA_SUCCESS)
		result = doca_graph_node_create_from_user(w->graph, empty_user_node, &noting);
	if (result == DOCA_SUCCESS)
		result = doca_graph_add_dependency(w->graph, copying, noting);
	if (result == DOCA_SUCCESS)
		result = doca_graph_set_conf(w->graph, on_instance, on_instance_error, 1);
	if (result == DOCA_SUCCESS)
		result = doca_graph_set_user_data(w->graph, (union doca_data){.ptr = w});
	if (result == DOCA_SUCCESS)
		result = doca_graph_start(w->graph);
	if (result == DOCA_SUCCESS)
		result = doca_graph_instance_create(w->graph, &w->instance);
	if (result == DOCA_SUCCESS)
		result = doca_graph_instance_set_ctx_node_data(w->instance, copying, w->task);
	if (result == DOCA_SUCCESS)
		result = doca_graph_instance_set_user_node_data(w->instance, noting, w);
	if (result == DOCA_SUCCESS)
		result = doca_buf_reset_data_len(w->dst);
	if (result == DOCA_SUCCESS)
		result = doca_graph_instance_submit(w->instance);
	return result == DOCA_SUCCESS ? await(w, &w->n_completed, 1) : result;
}

static void on_task(struct doca_task *task, union doca_data data, union doca_data ctx_data)
{
	struct work *w = ctx_data.ptr;

	(void)data;
	w->n_errors += doca_task_get_status(task) != DOCA_SUCCESS;
	w->n_completed++;
	doca_task_free(task);
}

#define ON(kind) (doca_rdma_task_##kind##_completion_cb_t)(void *) on_task

static doca_error_t start_end(struct work *w, struct rdma_end *end)
{
	doca_error_t result = doca_rdma_create(w->dev, &end->rdma);
	struct doca_ctx *ctx = doca_rdma_as_ctx(end->rdma);

	if (result == DOCA_SUCCESS)
		result = doca_rdma_set_permissions(end->rdma, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	if (result == DOCA_SUCCESS)
		result = doca_rdma_task_send_set_conf(end->rdma, ON(send), ON(send), 1);
	if (result == DOCA_SUCCESS)
		result = doca_rdma_task_receive_set_conf(end->rdma, ON(receive), ON(receive), 1);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(ctx, (union doca_data){.ptr = w});
	if (result == DOCA_SUCCESS)
		result = doca_pe_connect_ctx(w->use.pe, ctx);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	return result == DOCA_SUCCESS
		       ? doca_rdma_export(end->rdma, &end->details, &end->details_len, &end->conn)
		       : result;
}

static doca_error_t submit(doca_error_t result, struct doca_task *task)
{
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_task_submit(task);
	if (result != DOCA_SUCCESS)
		doca_task_free(task);
	return result;
}

/* Two contexts of this program connect, and one sends a message to the other. */
static doca_error_t use_rdma(struct work *w)
{
	struct rdma_end *from = &w->ends[0], *to = &w->ends[1];
	struct doca_rdma_task_receive *receive = NULL;
	struct doca_rdma_task_send *send = NULL;
	doca_error_t result = start_end(w, from);

	w->n_completed = 0;
	if (result == DOCA_SUCCESS)
		result = start_end(w, to);
	if (result == DOCA_SUCCESS)
		result = doca_rdma_connect(from->rdma, to->details, to->details_len, from->conn);
	if (result == DOCA_SUCCESS)
		result = doca_rdma_connect(to->rdma, from->details, from->details_len, to->conn);
	if (result == DOCA_SUCCESS)
		result = doca_buf_reset_data_len(w->dst);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_rdma_task_receive_allocate_init(to->rdma, w->dst, (union doca_data){0},
						      &receive);
	result = submit(result, doca_rdma_task_receive_as_task(receive));
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_rdma_task_send_allocate_init(from->rdma, from->conn, w->out,
						   (union doca_data){0}, &send);
	result = submit(result, doca_rdma_task_send_as_task(send));
	return result == DOCA_SUCCESS ? await(w, &w->n_completed, 2) : result;
}

static void on_echo(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		    struct doca_comch_connection *connection)
{
	struct doca_comch_client *client = doca_comch_client_get_client_ctx(connection);
	union doca_data data;
	struct work *w;

	(void)event;
	OK(doca_ctx_get_user_data(doca_comch_client_as_ctx(client), &data));
	w = data.ptr;
	w->n_errors += len != LEN || memcmp(bytes, memory, len) != 0;
	w->n_echoes++;
}

/* Counts the end of the context as an error, and that it runs as one message. */
static void on_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		     enum doca_ctx_states next)
{
	struct work *w = data.ptr;

	(void)ctx, (void)prev;
	w->n_echoes += next == DOCA_CTX_STATE_RUNNING;
	w->n_errors += next == DOCA_CTX_STATE_IDLE;
}

static doca_error_t start_client(struct work *w)
{
	doca_error_t result = doca_comch_client_create(w->dev, "no-memory", &w->client);
	struct doca_ctx *ctx = doca_comch_client_as_ctx(w->client);

	if (result == DOCA_SUCCESS)
		result = doca_comch_client_task_send_set_conf(
			w->client, (doca_comch_task_send_completion_cb_t)(void *)on_task,
			(doca_comch_task_send_completion_cb_t)(void *)on_task, 1);
	if (result == DOCA_SUCCESS)
		result = doca_comch_client_event_msg_recv_register(w->client, on_echo);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(ctx, (union doca_data){.ptr = w});
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_state_changed_cb(ctx, on_state);
	if (result == DOCA_SUCCESS)
		result = doca_pe_connect_ctx(w->use.pe, ctx);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
		return result;
	return await(w, &w->n_echoes, 1);
}

static doca_error_t send_message(struct work *w)
{
	struct doca_comch_connection *connection;
	struct doca_comch_task_send *task = NULL;
	doca_error_t result = doca_comch_client_get_connection(w->client, &connection);

	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_client_task_send_alloc_init(w->client, connection, memory, LEN, &task);
	result = submit(result, doca_comch_task_send_as_task(task));
	return result == DOCA_SUCCESS ? await(w, &w->n_echoes, 2) : result;
}

static const struct step {
	const char *name;
	doca_error_t (*run)(struct work *w);
} steps[] = {{"open a device", open_device}, {"make a map", make_map},
	     {"export", export_map},         {"import", import_map},
	     {"sync event", use_event},      {"start a context", start_copies},
	     {"buffers", make_buffers},      {"copy", copy},
	     {"graph", run_graph},           {"rdma", use_rdma},
	     {"comch client", start_client}, {"message", send_message}};

/* A call that ends an object may fail once for lack of memory, but not twice. */
#define END(object, call)                                                                   \
	do {                                                                                \
		if ((object) != NULL && (call) != DOCA_SUCCESS) {                           \
			EXPECT_TRUE(*dococ_last_error() != '\0', "%s: no sentence", #call); \
			OK(call);                                                           \
		}                                                                           \
		(object) = NULL;                                                            \
	} while (0)

static void ctx_end(struct work *w, struct doca_ctx *ctx)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

	if (ctx != NULL)
		OK(doca_ctx_get_state(ctx, &state));
	if (state != DOCA_CTX_STATE_IDLE && doca_ctx_stop(ctx) != DOCA_SUCCESS)
		use_ctx_await(w->use.pe, ctx, DOCA_CTX_STATE_IDLE);
}

static void work_end(struct work *w)
{
	if (w->client != NULL)
		ctx_end(w, doca_comch_client_as_ctx(w->client));
	END(w->client, doca_comch_client_destroy(w->client));
	for (size_t i = 0; i < ARRAY_LEN(w->ends); i++) {
		if (w->ends[i].rdma != NULL)
			ctx_end(w, doca_rdma_as_ctx(w->ends[i].rdma));
		END(w->ends[i].rdma, doca_rdma_destroy(w->ends[i].rdma));
	}
	END(w->instance, doca_graph_instance_destroy(w->instance));
	if (w->graph != NULL)
		(void)doca_graph_stop(w->graph);
	END(w->graph, doca_graph_destroy(w->graph));
	if (w->task != NULL)
		doca_task_free(w->task);
	if (w->src != NULL)
		OK(doca_buf_dec_refcount(w->src, NULL));
	if (w->dst != NULL)
		OK(doca_buf_dec_refcount(w->dst, NULL));
	if (w->out != NULL)
		OK(doca_buf_dec_refcount(w->out, NULL));
	ctx_end(w, w->use.ctx);
	END(w->use.inventory, doca_buf_inventory_destroy(w->use.inventory));
	END(w->use.dma, doca_dma_destroy(w->use.dma));
	END(w->use.pe, doca_pe_destroy(w->use.pe));
	END(w->event, doca_sync_event_destroy(w->event));
	END(w->imported, doca_mmap_destroy(w->imported));
	END(w->mmap, doca_mmap_destroy(w->mmap));
	END(w->list, doca_devinfo_destroy_list(w->list));
	END(w->dev, doca_dev_close(w->dev));
}

static doca_error_t work_run(const struct step **step_out)
{
	struct work w = {.dev = NULL};
	doca_error_t result = DOCA_SUCCESS;

	for (size_t i = 0; i < ARRAY_LEN(steps) && result == DOCA_SUCCESS; i++) {
		*step_out = &steps[i];
		result = steps[i].run(&w);
	}
	EXPECT_TRUE(result == DOCA_SUCCESS || *dococ_last_error() != '\0', "%s: no sentence",
		    (*step_out)->name);
	work_end(&w);
	return result;
}

/* --- the test --- */

static void work_succeeds(void)
{
	const struct step *step = NULL;
	doca_error_t result = work_run(&step);

	ck_assert_msg(result == DOCA_SUCCESS, "%s: %s (%s)", step->name,
		      doca_error_get_name(result), dococ_last_error());
}

/* Threads of the library may free memory a moment later. */
static void await_live(int64_t n_live, const struct leaks *leaks, unsigned n, const char *step)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(SETTLE_MS) * NS_PER_MS;

	while (allocount_n_live() > n_live && clock_now_ns() < deadline)
		sched_yield();
	ck_assert_msg(allocount_n_live() <= n_live,
		      "allocation %u failed (%s): %lld were not freed", n, step,
		      (long long)(allocount_n_live() - n_live));
	ck_assert_msg(leaks_find(leaks) == NULL, "allocation %u failed (%s): %s", n, step,
		      leaks_find(leaks));
}

/* doca_ctx_start() and doca_rdma_export() have no other code for it. */
static bool is_clear(doca_error_t result)
{
	return (result == DOCA_ERROR_NO_MEMORY || result == DOCA_ERROR_INITIALIZATION ||
		result == DOCA_ERROR_CONNECTION_ABORTED) &&
	       strstr(dococ_last_error(), "memory") != NULL;
}

/*
 * The library keeps the memory of some maps and buffers that have ended (see quarantine.h). From
 * here on as many blocks are kept, whatever ends.
 */
#define N_KEPT 64

static void fill_quarantine(void)
{
	struct doca_buf_inventory *inventory;

	for (int i = 0; i < N_KEPT; i++) {
		OK(doca_buf_inventory_create(1, &inventory));
		OK(doca_buf_inventory_destroy(inventory));
	}
}

START_TEST(test_each_allocation_fails_once)
{
	unsigned n_failed = 0, n_survived = 0, n = 0;
	const struct step *step = NULL;
	struct leaks leaks;
	int64_t n_live;

	if (!allocount_works)
		return;
	work_succeeds();
	work_succeeds();
	fill_quarantine();
	leaks_count(&leaks);
	n_live = allocount_n_live();
	for (;; n++) {
		doca_error_t result;

		ck_assert_uint_lt(n, N_MAX);
		allocount_fail_one(n);
		result = work_run(&step);
		if (!allocount_has_failed_one())
			break;
		n_failed++;
		n_survived += result == DOCA_SUCCESS;
		ck_assert_msg(result == DOCA_SUCCESS || is_clear(result),
			      "allocation %u failed, %s: %s (%s)", n, step->name,
			      doca_error_get_name(result), dococ_last_error());
		work_succeeds();
		await_live(n_live, &leaks, n, step->name);
	}
	ck_assert_uint_gt(n_failed, n_survived);
	printf("%u allocations failed, %u of them without an error\n", n_failed, n_survived);
}
END_TEST

/*
 * Runs in a process of its own, which has no connection to the daemon yet. Returns the exit status.
 */
static int run_first(unsigned n)
{
	const struct step *step = NULL;
	doca_error_t result;

	allocount_fail_one(n);
	result = work_run(&step);
	if (!allocount_has_failed_one())
		return NOTHING_FAILED;
	ck_assert_msg(result == DOCA_SUCCESS || is_clear(result),
		      "allocation %u failed, %s: %s (%s)", n, step->name,
		      doca_error_get_name(result), dococ_last_error());
	work_succeeds();
	return EXIT_SUCCESS;
}

START_TEST(test_each_allocation_of_a_new_program_fails_once)
{
	int status = 0;

	if (!allocount_works)
		return;
	for (unsigned n = 0; status == 0; n++) {
		pid_t pid = fork();

		ck_assert_uint_lt(n, N_MAX);
		ck_assert_int_ge(pid, 0);
		if (pid == 0)
			_exit(run_first(n));
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_msg(status == 0 || (n > 0 && WIFEXITED(status) &&
					      WEXITSTATUS(status) == NOTHING_FAILED),
			      "allocation %u: status %x", n, status);
	}
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("no memory");

	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_each_allocation_fails_once);
	tcase_add_test(tcase, test_each_allocation_of_a_new_program_fails_once);
	suite_add_tcase(suite, tcase);
}

int main(void)
{
	lab_require();
	return runner_main("no_memory", add_cases, NULL);
}
