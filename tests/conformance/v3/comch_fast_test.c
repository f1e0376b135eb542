/*
 * doca_comch_consumer.h and doca_comch_producer.h: capabilities, configuration, tasks and states of
 * consumers and producers, with a real peer process on the other side of a lab.
 */
#include <string.h>

#include "tests/conformance/cover.h"
#include "tests/lib/allocount.h"
#include "tests/lib/fast.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "util/clock.h"

#define SERVICE "conformance"
#define N_TASKS 2u
#define BUF_LEN 4096u

static const struct documented documented_doca_comch_consumer[] = {
	{"doca_comch_consumer_create", "INVALID_VALUE NO_MEMORY BAD_STATE NOT_PERMITTED"},
	{"doca_comch_consumer_destroy", "INVALID_VALUE INITIALIZATION"},
	{"doca_comch_consumer_cap_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_comch_consumer_get_id", "INVALID_VALUE"},
	{"doca_comch_consumer_cap_get_max_num_tasks", "INVALID_VALUE"},
	{"doca_comch_consumer_cap_get_max_buf_size", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_comch_consumer_cap_get_max_buf_list_len", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_comch_consumer_cap_get_max_consumers", "INVALID_VALUE"},
	{"doca_comch_consumer_cap_get_max_imm_data_len", "INVALID_VALUE"},
	{"doca_comch_consumer_get_imm_data_len", "INVALID_VALUE"},
	{"doca_comch_consumer_set_imm_data_len", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_consumer_as_ctx", ""},
	{"doca_comch_consumer_completion_create", ""},
	{"doca_comch_consumer_completion_set_dpa_thread", ""},
	{"doca_comch_consumer_completion_destroy", ""},
	{"doca_comch_consumer_completion_start", ""},
	{"doca_comch_consumer_completion_stop", ""},
	{"doca_comch_consumer_completion_get_dpa_handle", ""},
	{"doca_comch_consumer_completion_set_max_num_consumers", ""},
	{"doca_comch_consumer_completion_get_max_num_consumers", ""},
	{"doca_comch_consumer_completion_set_max_num_recv", ""},
	{"doca_comch_consumer_completion_get_max_num_recv", ""},
	{"doca_comch_consumer_completion_set_imm_data_len", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_consumer_completion_get_imm_data_len", "INVALID_VALUE"},
	{"doca_comch_consumer_set_dev_max_num_recv", ""},
	{"doca_comch_consumer_set_completion", ""},
	{"doca_comch_consumer_get_dpa_handle", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_consumer_task_post_recv_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_consumer_task_post_recv_alloc_init", "INVALID_VALUE NO_MEMORY"},
	{"doca_comch_consumer_task_post_recv_get_buf", ""},
	{"doca_comch_consumer_task_post_recv_set_buf", ""},
	{"doca_comch_consumer_task_post_recv_get_producer_id", ""},
	{"doca_comch_consumer_task_post_recv_get_imm_data", ""},
	{"doca_comch_consumer_task_post_recv_get_imm_data_len", ""},
	{"doca_comch_consumer_task_post_recv_as_task", ""},
	{"doca_comch_consumer_get_gpu_handle", ""},
	{NULL, NULL},
};

static const struct documented documented_doca_comch_producer[] = {
	{"doca_comch_producer_create", "INVALID_VALUE NO_MEMORY BAD_STATE NOT_PERMITTED"},
	{"doca_comch_producer_destroy", "INVALID_VALUE INITIALIZATION"},
	{"doca_comch_producer_cap_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_comch_producer_get_id", "INVALID_VALUE"},
	{"doca_comch_producer_cap_get_max_num_tasks", "INVALID_VALUE"},
	{"doca_comch_producer_cap_get_max_buf_size", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_comch_producer_cap_get_max_buf_list_len", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_comch_producer_cap_get_max_producers", "INVALID_VALUE"},
	{"doca_comch_producer_as_ctx", ""},
	{"doca_comch_producer_set_dev_max_num_send", ""},
	{"doca_comch_producer_dpa_completion_attach", ""},
	{"doca_comch_producer_get_dpa_handle", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_producer_task_send_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_producer_task_send_alloc_init", "INVALID_VALUE NO_MEMORY"},
	{"doca_comch_producer_task_send_get_buf", ""},
	{"doca_comch_producer_task_send_set_buf", ""},
	{"doca_comch_producer_task_send_get_consumer_id", ""},
	{"doca_comch_producer_task_send_set_consumer_id", ""},
	{"doca_comch_producer_task_send_get_imm_data", ""},
	{"doca_comch_producer_task_send_get_imm_data_len", ""},
	{"doca_comch_producer_task_send_set_imm_data", ""},
	{"doca_comch_producer_task_send_as_task", ""},
	{"doca_comch_producer_get_gpu_handle", ""},
	{NULL, NULL},
};

static struct lab lab;

static void setup(void)
{
	lab_setup(&lab, NULL);
	lab_use(&lab, LAB_DPU);
	leaks_allow_fds(1); /* the library's connection to its daemon stays open */
}

/* A function that supports neither consumers nor producers. */
static void setup_bare(void)
{
	static const struct lab_options options = {
		.only = {false, true},
		.topology = "[topology]\nside = dpu\n"
			    "[device bare]\npci = 05:00.0\ncomch_producer = no\n"
			    "comch_consumer = no\n",
	};

	lab_setup_client(&lab, &options, LAB_DPU);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

/* --- the peer: a client that sends one message, receives one, and leaves on request --- */

static void client_exchange(int sock, void *arg)
{
	struct fast_source source;
	struct fast_sink sink;
	struct fast_end end;

	(void)arg;
	fast_client_open(&end, SERVICE);
	fast_sink_open(&sink, &end, end.pe, FAST_SHARED, 4, BUF_LEN);
	fast_await(&end, &end.n_new, 1);
	fast_source_open(&source, &end, end.pe, 2, BUF_LEN);
	OK(fast_send_retry(&source, end.peers[0], 0, 100, "imm", 3));
	fast_sink_await(&sink, 1);
	lab_signal(sock);
	lab_wait(sock);
	fast_source_close(&source);
	fast_sink_stop(&sink);
	fast_sink_close(&sink);
	fast_end_close(&end);
}

/* --- consumer --- */

static struct {
	unsigned n_recv, n_flushed, n_sent;
	doca_error_t status;
} seen;

static void on_recv(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	const uint8_t *imm = CALLED(doca_comch_consumer_task_post_recv_get_imm_data(task));
	struct doca_buf *buf = CALLED(doca_comch_consumer_task_post_recv_get_buf(task));
	size_t len;

	(void)task_data;
	(void)ctx_data;
	ck_assert_uint_eq(CALLED(doca_comch_consumer_task_post_recv_get_imm_data_len(task)), 3);
	ck_assert_mem_eq(imm, "imm", 3);
	ck_assert_uint_eq(CALLED(doca_comch_consumer_task_post_recv_get_producer_id(task)), 1);
	OK(doca_buf_get_data_len(buf, &len));
	ck_assert_uint_eq(len, 100);
	seen.n_recv++;
	OK(doca_buf_dec_refcount(buf, NULL));
	doca_task_free(CALLED(doca_comch_consumer_task_post_recv_as_task(task)));
}

static void on_flushed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		       union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	seen.n_flushed++;
	seen.status = doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task));
	OK(doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL));
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void check_no_dpa(struct doca_comch_consumer *consumer)
{
	/* No such completion can be made, so any address stands for it. */
	struct doca_comch_consumer_completion *none = (void *)&seen;
	struct doca_comch_consumer_completion *made;
	struct doca_comch_gpu_consumer *gpu;
	uint64_t handle;
	uint32_t value;

	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_completion_create(&made));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_completion_create(NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_completion_destroy(none));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_comch_consumer_completion_set_dpa_thread(none, (void *)&seen));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_completion_start(none));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_completion_stop(none));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_comch_consumer_completion_get_dpa_handle(none, &handle));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_comch_consumer_completion_set_max_num_consumers(none, 1));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_comch_consumer_completion_get_max_num_consumers(none, &value));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_completion_set_max_num_recv(none, 1));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_comch_consumer_completion_get_max_num_recv(none, &value));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_completion_set_imm_data_len(none, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_completion_set_imm_data_len(NULL, 1));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_comch_consumer_completion_get_imm_data_len(none, &value));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_consumer_completion_get_imm_data_len(none, NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_set_dev_max_num_recv(consumer, 1));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_set_completion(consumer, none, 1));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_get_dpa_handle(consumer, &handle));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_get_dpa_handle(consumer, NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_get_gpu_handle(consumer, &gpu));
}

static void check_consumer_configuration(struct doca_comch_consumer *consumer,
					 const struct doca_devinfo *info)
{
	uint32_t value, max;

	PASSES(doca_comch_consumer_get_id(consumer, &value));
	ck_assert_uint_ne(value, 0);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_get_id(consumer, NULL));
	PASSES(doca_comch_consumer_get_imm_data_len(consumer, &value));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_get_imm_data_len(NULL, &value));
	PASSES(doca_comch_consumer_cap_get_max_imm_data_len(info, &max));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_set_imm_data_len(consumer, max + 1));
	PASSES(doca_comch_consumer_set_imm_data_len(consumer, 8));
	PASSES(doca_comch_consumer_get_imm_data_len(consumer, &value));
	ck_assert_uint_eq(value, 8);
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_consumer_task_post_recv_set_conf(consumer, on_recv, NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_consumer_task_post_recv_set_conf(consumer, on_recv, on_flushed, 0));
	PASSES(doca_comch_consumer_task_post_recv_set_conf(consumer, on_recv, on_flushed, N_TASKS));
	ck_assert_ptr_null(doca_comch_consumer_as_ctx(NULL));
}

static void await(struct doca_pe *pe, const unsigned *counter, unsigned n)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(5000) * NS_PER_MS;

	while (*counter < n) {
		ck_assert_msg(clock_now_ns() < deadline, "%u of %u (%s)", *counter, n,
			      dococ_last_error());
		doca_pe_progress(pe);
	}
}

/* A consumer on the server's side, to which the client sends. */
static void check_consumer(struct fast_end *end)
{
	static uint8_t memory[N_TASKS * BUF_LEN];
	struct doca_mmap *mmap = use_mmap(end->dev, memory, sizeof(memory),
					  DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_comch_consumer_task_post_recv *task, *tasks[N_TASKS];
	struct doca_comch_consumer *consumer, *other;
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf;
	struct doca_ctx *ctx;
	uint32_t i;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_create(NULL, mmap, &consumer));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_create(end->conn, NULL, &consumer));
	if (allocount_works)
		RUNS_OUT(0, doca_comch_consumer_create(end->conn, mmap, &other));
	PASSES(doca_comch_consumer_create(end->conn, mmap, &consumer));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_destroy(NULL));
	check_consumer_configuration(consumer, doca_dev_as_devinfo(end->dev));
	check_no_dpa(consumer);
	ctx = CALLED(doca_comch_consumer_as_ctx(consumer));
	OK(doca_pe_connect_ctx(end->pe, ctx));
	EXPECT(DOCA_ERROR_BAD_STATE,
	       doca_comch_consumer_task_post_recv_alloc_init(consumer, NULL, &task));
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
	EXPECT(DOCA_ERROR_BAD_STATE,
	       doca_comch_consumer_task_post_recv_alloc_init(consumer, NULL, &task));
	use_ctx_await(end->pe, ctx, DOCA_CTX_STATE_RUNNING);
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comch_consumer_set_imm_data_len(consumer, 8));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_comch_consumer_task_post_recv_set_conf(consumer, on_recv, on_flushed, 1));
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_comch_consumer_destroy(consumer));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_consumer_task_post_recv_alloc_init(consumer, NULL, NULL));
	OK(doca_buf_inventory_create(N_TASKS, &inventory));
	OK(doca_buf_inventory_start(inventory));
	for (i = 0; i < N_TASKS; i++) {
		OK(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + i * BUF_LEN,
						      BUF_LEN, &buf));
		PASSES(doca_comch_consumer_task_post_recv_alloc_init(consumer, NULL, &tasks[i]));
		doca_comch_consumer_task_post_recv_set_buf(tasks[i], buf);
		ck_assert_ptr_eq(doca_comch_consumer_task_post_recv_get_buf(tasks[i]), buf);
	}
	cover_call("doca_comch_consumer_task_post_recv_set_buf");
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_comch_consumer_task_post_recv_alloc_init(consumer, NULL, &task));
	for (i = 0; i < N_TASKS; i++)
		OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(tasks[i])));
	await(end->pe, &seen.n_recv, 1);
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(ctx));
	use_ctx_await(end->pe, ctx, DOCA_CTX_STATE_IDLE);
	ck_assert_uint_eq(seen.n_flushed, N_TASKS - 1);
	ck_assert_int_eq(seen.status, DOCA_ERROR_SHUTDOWN);
	PASSES(doca_comch_consumer_destroy(consumer));
	OK(doca_buf_inventory_destroy(inventory));
	use_mmap_end(mmap);
}

/* --- producer --- */

static void on_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
	seen.n_sent++;
}

static void on_not_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
			union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	ck_abort_msg("a send failed: %s", doca_error_get_name(doca_task_get_status(
						  doca_comch_producer_task_send_as_task(task))));
}

static void check_send_task(struct doca_comch_producer_task_send *task, uint32_t peer,
			    const struct doca_buf *buf)
{
	uint8_t imm[4] = "abc";

	doca_comch_producer_task_send_set_buf(task, buf);
	cover_call("doca_comch_producer_task_send_set_buf");
	ck_assert_ptr_eq(CALLED(doca_comch_producer_task_send_get_buf(task)), buf);
	doca_comch_producer_task_send_set_consumer_id(task, peer);
	cover_call("doca_comch_producer_task_send_set_consumer_id");
	ck_assert_uint_eq(CALLED(doca_comch_producer_task_send_get_consumer_id(task)), peer);
	ck_assert_uint_eq(CALLED(doca_comch_producer_task_send_get_imm_data_len(task)), 0);
	ck_assert_ptr_null(CALLED(doca_comch_producer_task_send_get_imm_data(task)));
	doca_comch_producer_task_send_set_imm_data(task, imm, 3);
	cover_call("doca_comch_producer_task_send_set_imm_data");
	ck_assert_uint_eq(doca_comch_producer_task_send_get_imm_data_len(task), 3);
	ck_assert_mem_eq(doca_comch_producer_task_send_get_imm_data(task), imm, 3);
}

/* try_submit has one code for every invalid task, whatever submit returns for it. */
static void check_wrong_task(struct fast_end *end, struct doca_comch_producer_task_send *send)
{
	static uint8_t bytes[BUF_LEN];
	struct doca_task *task = doca_comch_producer_task_send_as_task(send);
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	struct doca_buf *buf;

	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_set_memrange(mmap, bytes, sizeof(bytes)));
	OK(doca_mmap_add_dev(mmap, end->dev));
	/* This map does not count its buffers, so it can stop while one is in use. */
	OK(doca_mmap_enable_thread_safety(mmap));
	OK(doca_mmap_start(mmap));
	OK(doca_buf_inventory_create(1, &inventory));
	OK(doca_buf_inventory_start(inventory));
	OK(doca_buf_inventory_buf_get_by_data(inventory, mmap, bytes, BUF_LEN, &buf));
	OK(doca_mmap_stop(mmap));
	doca_comch_producer_task_send_set_buf(send, buf);
	doca_comch_producer_task_send_set_consumer_id(send, end->peers[0]);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(task));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "not mapped here"));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_task_submit(task));
	doca_comch_producer_task_send_set_buf(send, NULL);
	OK(doca_buf_dec_refcount(buf, NULL));
	OK(doca_buf_inventory_destroy(inventory));
	OK(doca_mmap_destroy(mmap));
}

/* A producer on the server's side, which sends to the client. */
static void check_producer(struct fast_end *end)
{
	static uint8_t memory[BUF_LEN];
	struct doca_mmap *mmap = use_mmap(end->dev, memory, sizeof(memory),
					  DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_comch_producer_task_send *task, *tasks[N_TASKS];
	struct doca_comch_producer *producer, *other;
	struct doca_buf_inventory *inventory;
	struct doca_comch_gpu_producer *gpu;
	uint8_t imm[1024] = {0};
	struct doca_buf *buf;
	struct doca_ctx *ctx;
	uint64_t handle;
	uint32_t i, id;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_create(NULL, &producer));
	if (allocount_works)
		RUNS_OUT(0, doca_comch_producer_create(end->conn, &other));
	PASSES(doca_comch_producer_create(end->conn, &producer));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_destroy(NULL));
	PASSES(doca_comch_producer_get_id(producer, &id));
	ck_assert_uint_ne(id, 0);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_get_id(NULL, &id));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_producer_task_send_set_conf(producer, NULL, on_not_sent, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_producer_task_send_set_conf(producer, on_sent, on_not_sent, 0));
	PASSES(doca_comch_producer_task_send_set_conf(producer, on_sent, on_not_sent, N_TASKS));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_producer_set_dev_max_num_send(producer, 1));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_comch_producer_dpa_completion_attach(producer, (void *)&seen));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_producer_get_dpa_handle(producer, &handle));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_get_dpa_handle(NULL, &handle));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_producer_get_gpu_handle(producer, &gpu));
	ck_assert_ptr_null(doca_comch_producer_as_ctx(NULL));
	ctx = CALLED(doca_comch_producer_as_ctx(producer));
	OK(doca_pe_connect_ctx(end->pe, ctx));
	EXPECT(DOCA_ERROR_BAD_STATE,
	       doca_comch_producer_task_send_alloc_init(producer, NULL, NULL, 0, 1, &task));
	OK(doca_ctx_start(ctx));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_comch_producer_task_send_set_conf(producer, on_sent, on_not_sent, 1));
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_comch_producer_destroy(producer));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_producer_task_send_alloc_init(producer, NULL, NULL, 0, 1, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_task_send_alloc_init(
						  producer, NULL, imm, sizeof(imm), 1, &task));
	for (i = 0; i < N_TASKS; i++)
		PASSES(doca_comch_producer_task_send_alloc_init(producer, NULL, NULL, 0, 1,
								&tasks[i]));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_comch_producer_task_send_alloc_init(producer, NULL, NULL, 0, 1, &task));
	OK(doca_buf_inventory_create(1, &inventory));
	OK(doca_buf_inventory_start(inventory));
	OK(doca_buf_inventory_buf_get_by_data(inventory, mmap, memory, BUF_LEN, &buf));
	check_send_task(tasks[0], end->peers[0], buf);
	OK(doca_task_submit(CALLED(doca_comch_producer_task_send_as_task(tasks[0]))));
	await(end->pe, &seen.n_sent, 1);
	check_wrong_task(end, tasks[0]);
	for (i = 0; i < N_TASKS; i++)
		doca_task_free(doca_comch_producer_task_send_as_task(tasks[i]));
	OK(doca_buf_dec_refcount(buf, NULL));
	OK(doca_ctx_stop(ctx));
	PASSES(doca_comch_producer_destroy(producer));
	OK(doca_buf_inventory_destroy(inventory));
	use_mmap_end(mmap);
}

START_TEST(test_server_side)
{
	struct lab_child child;
	struct fast_end end;

	fast_server_open(&end, SERVICE);
	child = lab_fork(&lab, LAB_HOST, client_exchange, NULL);
	fast_await(&end, &end.n_new, 1);
	check_consumer(&end);
	check_producer(&end);
	lab_wait(child.sock);
	lab_signal(child.sock);
	fast_await(&end, &end.n_disconnects, 1);
	ck_assert_uint_eq(end.n_expired, 1);
	ck_assert_uint_eq(end.last_expired, end.peers[0]);
	lab_join(&child);
	fast_end_close(&end);
}
END_TEST

/* --- a connection that has ended: the client's object can still be passed to calls --- */

static void serve(int sock, void *arg)
{
	struct fast_end end;

	(void)arg;
	fast_server_open(&end, SERVICE);
	lab_signal(sock);
	fast_await(&end, &end.n_disconnects, 1);
	fast_end_close(&end);
}

static void client_main(int sock, void *arg)
{
	static uint8_t memory[BUF_LEN];
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct doca_mmap *mmap;
	struct fast_end end;

	(void)sock;
	(void)arg;
	fast_client_open(&end, SERVICE);
	mmap = use_mmap(end.dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	fast_end_stop(&end);
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comch_consumer_create(end.conn, mmap, &consumer));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comch_producer_create(end.conn, &producer));
	use_mmap_end(mmap);
	fast_end_close(&end);
}

static void connect_and_wait(int sock, void *arg)
{
	struct fast_end end;

	(void)arg;
	fast_client_open(&end, SERVICE);
	lab_wait(sock);
	fast_end_close(&end);
}

/*
 * A map that a consumer uses cannot stop until the consumer is idle; an idle consumer cannot start
 * without the map.
 */
START_TEST(test_memory_in_use)
{
	static uint8_t memory[N_TASKS * BUF_LEN];
	struct doca_comch_consumer *consumer;
	struct doca_mmap *mmap;
	struct lab_child child;
	struct doca_ctx *ctx;
	struct fast_end end;

	fast_server_open(&end, SERVICE);
	child = lab_fork(&lab, LAB_HOST, connect_and_wait, NULL);
	fast_await(&end, &end.n_connects, 1);
	mmap = use_mmap(end.dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	if (_i == 1) {
		/* Now buffers are not counted, but consumers are. */
		OK(doca_mmap_stop(mmap));
		OK(doca_mmap_enable_thread_safety(mmap));
		OK(doca_mmap_start(mmap));
	}
	OK(doca_comch_consumer_create(end.conn, mmap, &consumer));
	ctx = doca_comch_consumer_as_ctx(consumer);
	OK(doca_pe_connect_ctx(end.pe, ctx));
	OK(doca_comch_consumer_task_post_recv_set_conf(consumer, on_recv, on_flushed, 4));
	OK(doca_mmap_stop(mmap));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_ctx_start(ctx));
	OK(doca_mmap_start(mmap));
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(mmap));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(mmap));
	use_ctx_await(end.pe, ctx, DOCA_CTX_STATE_RUNNING);
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(mmap));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "consumer"));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(mmap));
	OK(doca_ctx_stop(ctx));
	use_mmap_end(mmap);
	EXPECT(DOCA_ERROR_BAD_STATE, doca_ctx_start(ctx));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "destroyed"));
	OK(doca_comch_consumer_destroy(consumer));
	lab_signal(child.sock);
	fast_await(&end, &end.n_disconnects, 1);
	lab_join(&child);
	fast_end_close(&end);
}
END_TEST

START_TEST(test_client_side)
{
	struct lab_child server = lab_fork(&lab, LAB_DPU, serve, NULL), client;

	lab_wait(server.sock);
	client = lab_fork(&lab, LAB_HOST, client_main, NULL);
	lab_join(&client);
	lab_join(&server);
}
END_TEST

/* --- capabilities --- */

START_TEST(test_caps)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	const struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	uint32_t value;

	PASSES(doca_comch_consumer_cap_is_supported(info));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_cap_is_supported(NULL));
	PASSES(doca_comch_consumer_cap_get_max_num_tasks(info, &value));
	ck_assert_uint_ge(value, 1024);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_cap_get_max_num_tasks(info, NULL));
	PASSES(doca_comch_consumer_cap_get_max_buf_size(info, &value));
	ck_assert_uint_ge(value, 2u << 20);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_cap_get_max_buf_size(NULL, &value));
	PASSES(doca_comch_consumer_cap_get_max_buf_list_len(info, &value));
	ck_assert_uint_eq(value, 1);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_cap_get_max_buf_list_len(info, NULL));
	PASSES(doca_comch_consumer_cap_get_max_consumers(info, &value));
	ck_assert_uint_ge(value, 2);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_cap_get_max_consumers(NULL, &value));
	PASSES(doca_comch_consumer_cap_get_max_imm_data_len(info, &value));
	ck_assert_uint_ge(value, 8);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_cap_get_max_imm_data_len(info, NULL));
	PASSES(doca_comch_producer_cap_is_supported(info));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_cap_is_supported(NULL));
	PASSES(doca_comch_producer_cap_get_max_num_tasks(info, &value));
	ck_assert_uint_ge(value, 1024);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_cap_get_max_num_tasks(info, NULL));
	PASSES(doca_comch_producer_cap_get_max_buf_size(info, &value));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_cap_get_max_buf_size(NULL, &value));
	PASSES(doca_comch_producer_cap_get_max_buf_list_len(info, &value));
	ck_assert_uint_eq(value, 1);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_cap_get_max_buf_list_len(info, NULL));
	PASSES(doca_comch_producer_cap_get_max_producers(info, &value));
	ck_assert_uint_ge(value, 2);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_cap_get_max_producers(NULL, &value));
	OK(doca_dev_close(dev));
}
END_TEST

START_TEST(test_unsupported_device)
{
	struct doca_dev *dev = use_dev("05:00.0");
	const struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	uint32_t value;

	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_cap_is_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_cap_get_max_buf_size(info, &value));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_comch_consumer_cap_get_max_buf_list_len(info, &value));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_producer_cap_is_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_producer_cap_get_max_buf_size(info, &value));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_comch_producer_cap_get_max_buf_list_len(info, &value));
	OK(doca_dev_close(dev));
}
END_TEST

static const struct unreachable unreachable_consumer[] = {
	{"doca_comch_consumer_create", "NOT_PERMITTED", "both sides are of one version"},
	{"doca_comch_consumer_get_dpa_handle", "BAD_STATE", "there is no DPA in any state"},
	{"doca_comch_consumer_completion_set_imm_data_len", "BAD_STATE",
	 "there is no DPA in any state"},
	{NULL, NULL, NULL},
};

static const struct unreachable unreachable_producer[] = {
	{"doca_comch_producer_create", "NOT_PERMITTED", "both sides are of one version"},
	{"doca_comch_producer_get_dpa_handle", "BAD_STATE", "there is no DPA in any state"},
	{NULL, NULL, NULL},
};

static bool finish(void)
{
	bool ok = cover_report("doca_comch_consumer", documented_doca_comch_consumer,
			       unreachable_consumer);

	return cover_report("doca_comch_producer", documented_doca_comch_producer,
			    unreachable_producer) &&
	       ok;
}

static void add_cases(Suite *suite)
{
	TCase *lab_case = tcase_create("lab"), *bare = tcase_create("bare");

	tcase_add_checked_fixture(lab_case, setup, teardown);
	tcase_add_checked_fixture(bare, setup_bare, teardown);
	suite_add_tcase(suite, lab_case);
	suite_add_tcase(suite, bare);
	tcase_set_timeout(lab_case, RUNNER_TEST_S);
	tcase_set_timeout(bare, RUNNER_TEST_S);
	tcase_add_test(lab_case, test_server_side);
	tcase_add_loop_test(lab_case, test_memory_in_use, 0, 2);
	tcase_add_test(lab_case, test_client_side);
	tcase_add_test(lab_case, test_caps);
	tcase_add_test(bare, test_unsupported_device);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_comch_fast", add_cases, finish);
}
