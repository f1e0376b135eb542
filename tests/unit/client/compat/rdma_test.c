/*
 * RDMA of 2.0 and 2.2 on the fake provider: an object with one connection, whose operations are
 * jobs of a work queue. Compiled for both versions. integration/rdma/program_test tests the effects
 * of jobs on the other end's memory.
 */
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_rdma.h>
#include <dococ.h>

#include "tests/conformance/cover.h"
#include "tests/unit/client/rdma/fake_provider.h"
#include "tests/unit/unit.h"

#define LEN   64u
#define DEPTH 4u

#define ck_ok(call)         ck_assert_int_eq(call, DOCA_SUCCESS)
#define ck_fails(how, call) ck_assert_int_eq(call, how)

struct end {
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_workq *workq;
	const void *details;
	size_t details_len;
	uint8_t memory[4 * LEN];
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_rdma_result result;
	struct doca_event event;
};

static struct end a, b;

static enum doca_rdma_state state_of(const struct end *end)
{
	enum doca_rdma_state state;

	PASSES(doca_rdma_get_state(end->rdma, &state));
	return state;
}

/* Starts an end; its queue is not added. */
static void end_open(struct end *end)
{
	*end = (struct end){.details_len = 0};
	PASSES(doca_rdma_create(&end->rdma));
	end->ctx = doca_rdma_as_ctx(end->rdma);
	ck_ok(doca_ctx_dev_add(end->ctx, fake_dev()));
	PASSES(doca_rdma_set_recv_buf_chain_len(end->rdma, 2));
	ck_ok(doca_ctx_start(end->ctx));
	ck_ok(doca_workq_create(DEPTH, &end->workq));
	ck_ok(doca_mmap_create(NULL, &end->mmap));
	ck_ok(doca_mmap_set_memrange(end->mmap, end->memory, sizeof(end->memory)));
	ck_ok(doca_mmap_set_permissions(end->mmap, DOCA_ACCESS_LOCAL_READ_WRITE));
	ck_ok(doca_mmap_dev_add(end->mmap, fake_dev()));
	ck_ok(doca_mmap_start(end->mmap));
	ck_ok(doca_buf_inventory_create(NULL, FAKE_MAX_SGES + 8, DOCA_BUF_EXTENSION_NONE,
					&end->inventory));
	ck_ok(doca_buf_inventory_start(end->inventory));
}

static void end_close(struct end *end)
{
	ck_ok(doca_workq_destroy(end->workq));
	ck_ok(doca_ctx_stop(end->ctx));
	ck_ok(doca_ctx_dev_rm(end->ctx, fake_dev()));
	PASSES(doca_rdma_destroy(end->rdma));
	ck_ok(doca_buf_inventory_destroy(end->inventory));
	ck_ok(doca_mmap_destroy(end->mmap));
}

static void ends_connect(void)
{
	PASSES(doca_rdma_export(a.rdma, &a.details, &a.details_len));
	PASSES(doca_rdma_export(b.rdma, &b.details, &b.details_len));
	PASSES(doca_rdma_connect(a.rdma, b.details, b.details_len));
	PASSES(doca_rdma_connect(b.rdma, a.details, a.details_len));
}

static void setup(void)
{
	fake_reset();
	end_open(&a);
	end_open(&b);
}

static void teardown(void)
{
	end_close(&a);
	end_close(&b);
	ck_assert_uint_eq(fake_n_ports, 0);
	ck_assert_uint_eq(fake_n_qps, 0);
}

static void queues_add(void)
{
	ck_ok(doca_ctx_workq_add(a.ctx, a.workq));
	ck_ok(doca_ctx_workq_add(b.ctx, b.workq));
}

static void queues_rm(void)
{
	ck_ok(doca_ctx_workq_rm(a.ctx, a.workq));
	ck_ok(doca_ctx_workq_rm(b.ctx, b.workq));
}

static struct doca_buf *buf_of(struct end *end, unsigned at, size_t len)
{
	struct doca_buf *buf;

	ck_ok(doca_buf_inventory_buf_by_data(end->inventory, end->mmap, end->memory + at * LEN, len,
					     &buf));
	return buf;
}

static void put(struct doca_buf *buf)
{
	ck_ok(doca_buf_refcount_rm(buf, NULL));
}

static size_t data_len(struct doca_buf *buf)
{
	size_t len;

	ck_ok(doca_buf_get_data_len(buf, &len));
	return len;
}

static doca_error_t submit_recv(struct end *end, struct doca_buf *buf, uint64_t data)
{
	const struct doca_rdma_job_recv job = {
		.base = {.type = DOCA_RDMA_JOB_RECV, .ctx = end->ctx, .user_data = {.u64 = data}},
		.dst_buff = buf,
	};

	return doca_workq_submit(end->workq, &job.base);
}

static doca_error_t submit_send(struct end *end, struct doca_buf *buf, uint64_t data)
{
	const struct doca_rdma_job_send job = {
		.base = {.type = DOCA_RDMA_JOB_SEND, .ctx = end->ctx, .user_data = {.u64 = data}},
		.src_buff = buf,
		/* Programs need not set it. */
		.rdma_peer_addr = (const struct doca_rdma_addr *)&job,
	};

	return doca_workq_submit(end->workq, &job.base);
}

/* Returns the result of one retrieve; the other end makes progress, too, but must have no event. */
static doca_error_t retrieve_once(struct end *end)
{
	end->event = (struct doca_event){.type = -1, .result = {.ptr = &end->result}};
	memset(&end->result, 0xa5, sizeof(end->result));
	return doca_workq_progress_retrieve(end->workq, &end->event, 0);
}

/* Waits for an event of `end`. Both ends make progress in turn. */
static doca_error_t retrieve(struct end *end)
{
	doca_error_t result;
	unsigned n = 0;

	do {
		result = retrieve_once(end);
		ck_assert_ptr_eq(end->event.result.ptr, &end->result);
		if (result == DOCA_ERROR_AGAIN)
			ck_assert_int_eq(end->event.type, -1);
		ck_assert_uint_lt(n++, 1000);
	} while (result == DOCA_ERROR_AGAIN);
	return result;
}

static void awaits(struct end *end, int type, uint64_t data, doca_error_t status)
{
	ck_fails(status == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED, retrieve(end));
	ck_assert_int_eq(end->event.type, type);
	ck_assert_uint_eq(end->event.user_data.u64, data);
	ck_assert_int_eq(end->result.result, status);
	ck_assert_ptr_null(end->result.rdma_peer_addr);
}

static void no_event(struct end *end)
{
	for (unsigned i = 0; i < 20; i++)
		ck_fails(DOCA_ERROR_AGAIN, retrieve_once(end));
}

/* --- the object --- */

START_TEST(test_needs_a_device)
{
	enum doca_rdma_state state;
	struct doca_rdma *rdma;
	uint32_t n = 7;
	bool is_on;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_create(NULL));
	PASSES(doca_rdma_create(&rdma));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_set_send_queue_size(rdma, 1));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_set_mtu(rdma, DOCA_MTU_SIZE_1K_BYTES));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_set_recv_buf_chain_len(rdma, 1));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_set_grh_enabled(rdma, true));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_get_grh_enabled(rdma, &is_on));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_get_recv_buf_chain_len(rdma, &n));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_get_sl(rdma, &n));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_get_state(rdma, &state));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "doca_ctx_dev_add"));
	ck_assert_uint_eq(n, 7);
	ck_fails(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(doca_rdma_as_ctx(rdma)));
	ck_ok(doca_ctx_dev_add(doca_rdma_as_ctx(rdma), fake_dev()));
	PASSES(doca_rdma_set_sl(rdma, 3));
	PASSES(doca_rdma_get_state(rdma, &state));
	ck_assert_int_eq(state, DOCA_RDMA_STATE_RESET);
	/* The settings applied to that device. */
	ck_ok(doca_ctx_dev_rm(doca_rdma_as_ctx(rdma), fake_dev()));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_get_sl(rdma, &n));
	ck_ok(doca_ctx_dev_add(doca_rdma_as_ctx(rdma), fake_dev()));
	PASSES(doca_rdma_get_sl(rdma, &n));
	ck_assert_uint_eq(n, 0);
	PASSES(doca_rdma_destroy(rdma));
}
END_TEST

START_TEST(test_configuration_arrives)
{
	struct doca_rdma *rdma;
	uint8_t is_on;

	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_set_send_queue_size(a.rdma, 1));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_destroy(a.rdma));
	PASSES(doca_rdma_create(&rdma));
	ck_ok(doca_ctx_dev_add(doca_rdma_as_ctx(rdma), fake_dev()));
	PASSES(doca_rdma_set_send_queue_size(rdma, 11));
	PASSES(doca_rdma_set_recv_queue_size(rdma, 12));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_rdma_set_recv_queue_size(rdma, FAKE_MAX_QUEUE + 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_set_recv_buf_chain_len(rdma, FAKE_MAX_SGES + 1));
	PASSES(doca_rdma_set_recv_buf_chain_len(rdma, 3));
	PASSES(doca_rdma_set_mtu(rdma, DOCA_MTU_SIZE_512_BYTES));
	PASSES(doca_rdma_set_gid_index(rdma, 2));
	PASSES(doca_rdma_set_sl(rdma, 5));
	PASSES(doca_rdma_set_grh_enabled(rdma, false));
	PASSES(doca_rdma_set_permissions(rdma, DOCA_ACCESS_RDMA_READ));
	ck_ok(doca_ctx_start(doca_rdma_as_ctx(rdma)));
	ck_assert_uint_eq(fake_conf.send_queue, 11);
	ck_assert_uint_eq(fake_conf.recv_queue, 12);
	ck_assert_uint_eq(fake_conf.max_recv_sges, 3);
	ck_assert_uint_eq(fake_conf.max_send_sges, FAKE_MAX_SGES);
	ck_assert_uint_eq(fake_conf.max_qps, 1);
	ck_assert_uint_eq(fake_conf.mtu, 512);
	ck_assert_uint_eq(fake_conf.gid_index, 2);
	ck_assert_uint_eq(fake_conf.sl, 5);
	ck_assert(!fake_conf.grh);
	ck_assert_uint_eq(fake_conf.permissions, DOCA_ACCESS_RDMA_READ);
	ck_ok(doca_ctx_get_event_driven_supported(doca_rdma_as_ctx(rdma), &is_on));
	ck_assert_uint_eq(is_on, 1);
	ck_ok(doca_ctx_stop(doca_rdma_as_ctx(rdma)));
	/* The device cannot be opened. */
	fake.open = DOCA_ERROR_NO_MEMORY;
	ck_fails(DOCA_ERROR_INITIALIZATION, doca_ctx_start(doca_rdma_as_ctx(rdma)));
	fake.open = DOCA_SUCCESS;
	ck_ok(doca_ctx_start(doca_rdma_as_ctx(rdma)));
	ck_ok(doca_ctx_stop(doca_rdma_as_ctx(rdma)));
	PASSES(doca_rdma_destroy(rdma));
}
END_TEST

START_TEST(test_connection)
{
	const void *again;
	size_t len;

	ck_assert_int_eq(state_of(&a), DOCA_RDMA_STATE_INIT);
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_connect(a.rdma, &len, sizeof(len)));
	fake.qp_new = DOCA_ERROR_NO_MEMORY;
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_export(a.rdma, &again, &len));
	fake.qp_new = DOCA_SUCCESS;
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_export(a.rdma, NULL, &len));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_export(a.rdma, &again, NULL));
	PASSES(doca_rdma_export(a.rdma, &a.details, &a.details_len));
	PASSES(doca_rdma_export(a.rdma, &again, &len));
	ck_assert_ptr_eq(again, a.details);
	ck_assert_uint_eq(len, a.details_len);
	ck_assert_int_eq(state_of(&a), DOCA_RDMA_STATE_INIT);
	PASSES(doca_rdma_export(b.rdma, &b.details, &b.details_len));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(a.rdma, NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(a.rdma, b.details, 7));
	fake.connect = DOCA_ERROR_CONNECTION_ABORTED;
	RETURNS(DOCA_ERROR_CONNECTION_ABORTED, doca_rdma_connect(a.rdma, b.details, b.details_len));
	fake.connect = DOCA_SUCCESS;
	PASSES(doca_rdma_connect(a.rdma, b.details, b.details_len));
	ck_assert_int_eq(state_of(&a), DOCA_RDMA_STATE_CONNECTED);
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_connect(a.rdma, b.details, b.details_len));
	ck_ok(doca_ctx_stop(a.ctx));
	ck_assert_int_eq(state_of(&a), DOCA_RDMA_STATE_RESET);
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_export(a.rdma, &again, &len));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_connect(a.rdma, b.details, b.details_len));
	/* Another start makes another connection. */
	ck_ok(doca_ctx_start(a.ctx));
	ck_assert_int_eq(state_of(&a), DOCA_RDMA_STATE_INIT);
}
END_TEST

/* --- jobs --- */

/* The stop has finished on return, and the other end's last messages have been acknowledged. */
START_TEST(test_stop_drains)
{
	fake.n_draining = 4;
	ck_ok(doca_ctx_stop(a.ctx));
	ck_assert_uint_eq(fake.n_draining, 0);
	ck_assert_uint_eq(fake_n_ports, 1);
	ck_assert_int_eq(state_of(&a), DOCA_RDMA_STATE_RESET);
	ck_ok(doca_ctx_start(a.ctx));
}
END_TEST

START_TEST(test_message)
{
	struct doca_buf *out, *in;

	queues_add();
	out = buf_of(&a, 0, 20);
	in = buf_of(&b, 0, LEN);
	memset(a.memory, 'x', 20);
	/* A receive may be posted before the connection, a message needs it. */
	ck_ok(submit_recv(&b, in, 8));
	ck_fails(DOCA_ERROR_BAD_STATE, submit_send(&a, out, 9));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "doca_rdma_connect"));
	PASSES(doca_rdma_export(a.rdma, &a.details, &a.details_len));
	ck_fails(DOCA_ERROR_BAD_STATE, submit_send(&a, out, 9));
	ends_connect();
	ck_ok(submit_send(&a, out, 9));
	awaits(&a, DOCA_RDMA_JOB_SEND, 9, DOCA_SUCCESS);
	ck_assert_uint_eq(a.result.length, 0);
	awaits(&b, DOCA_RDMA_JOB_RECV, 8, DOCA_SUCCESS);
	ck_assert_uint_eq(b.result.length, 20);
	ck_assert_int_eq(b.result.opcode, DOCA_RDMA_OPCODE_RECV_SEND);
	/* The received bytes are the data now, wherever the buffer's data ended before. */
	ck_assert_uint_eq(data_len(in), 20);
	ck_assert_mem_eq(b.memory, a.memory, 20);
	put(out);
	put(in);
	queues_rm();
}
END_TEST

START_TEST(test_immediate_data)
{
	struct doca_rdma_job_send job = {
		.base = {.type = DOCA_RDMA_JOB_SEND_IMM, .user_data = {.u64 = 5}},
		.immediate_data = 0x01020304,
	};

	queues_add();
	ends_connect();
	job.base.ctx = a.ctx;
	ck_ok(submit_recv(&b, NULL, 6));
	ck_ok(doca_workq_submit(a.workq, &job.base));
	awaits(&a, DOCA_RDMA_JOB_SEND_IMM, 5, DOCA_SUCCESS);
	awaits(&b, DOCA_RDMA_JOB_RECV, 6, DOCA_SUCCESS);
	ck_assert_int_eq(b.result.opcode, DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM);
	ck_assert_uint_eq(b.result.immediate_data, 0x01020304);
	ck_assert_uint_eq(b.result.length, 0);
	queues_rm();
}
END_TEST

START_TEST(test_result_goes_nowhere)
{
	struct doca_event event = {.result = {.ptr = NULL}};
	doca_error_t result;

	queues_add();
	ends_connect();
	ck_ok(submit_recv(&b, NULL, 1));
	ck_ok(submit_send(&a, NULL, 2));
	awaits(&a, DOCA_RDMA_JOB_SEND, 2, DOCA_SUCCESS);
	do
		result = doca_workq_progress_retrieve(b.workq, &event, 0);
	while (result == DOCA_ERROR_AGAIN);
	ck_ok(result);
	ck_assert_int_eq(event.type, DOCA_RDMA_JOB_RECV);
	ck_assert_ptr_null(event.result.ptr);
	queues_rm();
}
END_TEST

START_TEST(test_bad_jobs)
{
	struct doca_rdma_job_read_write job = {.base = {.type = DOCA_RDMA_JOB_READ}};
	struct doca_buf *bufs[3], *in = NULL;

	queues_add();
	ends_connect();
	job.base.ctx = a.ctx;
	ck_fails(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(a.workq, &job.base));
	/* Both buffers are this end's own. */
	job.src_buff = job.dst_buff = in = buf_of(&a, 0, 8);
	ck_fails(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(a.workq, &job.base));
	job.base.type = DOCA_RDMA_JOB_WRITE;
	ck_fails(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(a.workq, &job.base));
	job.base.type = DOCA_RDMA_JOB_ATOMIC_FETCH_ADD + 1;
	ck_fails(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(a.workq, &job.base));
	job.base.type = DOCA_RDMA_JOB_RECV - 1;
	ck_fails(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(a.workq, &job.base));
	job.base.type = DOCA_RDMA_JOB_READ;
	job.base.flags = 1;
	ck_fails(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(a.workq, &job.base));
	/* A list that is too long is refused and stays unchanged. */
	for (unsigned i = 0; i < 3; i++) {
		bufs[i] = buf_of(&b, i, 10 + i);
		if (i > 0)
			ck_ok(doca_buf_list_chain(bufs[0], bufs[i]));
	}
	ck_fails(DOCA_ERROR_INVALID_VALUE, submit_recv(&b, bufs[0], 1));
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(data_len(bufs[i]), 10 + i);
	put(bufs[0]);
	put(in);
	no_event(&a);
	no_event(&b);
	queues_rm();
}
END_TEST

/* The list's elements are used one after the other, each from the start of its data on. */
START_TEST(test_list)
{
	struct doca_buf *first, *second, *out;

	queues_add();
	ends_connect();
	memset(a.memory, 'y', 20);
	out = buf_of(&a, 0, 20);
	first = buf_of(&b, 0, 16);
	second = buf_of(&b, 2, 16);
	ck_ok(doca_buf_list_chain(first, second));
	ck_ok(submit_recv(&b, first, 1));
	ck_ok(submit_send(&a, out, 2));
	awaits(&a, DOCA_RDMA_JOB_SEND, 2, DOCA_SUCCESS);
	awaits(&b, DOCA_RDMA_JOB_RECV, 1, DOCA_SUCCESS);
	ck_assert_uint_eq(data_len(first), 16);
	ck_assert_uint_eq(data_len(second), 4);
	ck_assert_mem_eq(b.memory, a.memory, 16);
	ck_assert_mem_eq(b.memory + 2 * LEN, a.memory, 4);
	put(first);
	put(out);
	queues_rm();
}
END_TEST

static struct doca_buf *list_of(struct end *end, unsigned n)
{
	struct doca_buf *list = buf_of(end, 0, 1);

	for (unsigned i = 1; i < n; i++) {
		struct doca_buf *next;

		ck_ok(doca_buf_inventory_buf_by_data(end->inventory, end->mmap, end->memory + i, 1,
						     &next));
		ck_ok(doca_buf_list_chain(list, next));
	}
	return list;
}

START_TEST(test_longest_list)
{
	struct doca_buf *list, *out;
	unsigned n;

	ck_ok(doca_ctx_stop(b.ctx));
	PASSES(doca_rdma_set_recv_buf_chain_len(b.rdma, FAKE_MAX_SGES));
	ck_ok(doca_ctx_start(b.ctx));
	queues_add();
	ends_connect();
	for (n = 0; n < FAKE_MAX_SGES; n++)
		a.memory[n] = (uint8_t)n;
	out = buf_of(&a, 0, FAKE_MAX_SGES);
	list = list_of(&b, FAKE_MAX_SGES);
	ck_ok(submit_recv(&b, list, 1));
	ck_ok(submit_send(&a, out, 2));
	awaits(&a, DOCA_RDMA_JOB_SEND, 2, DOCA_SUCCESS);
	awaits(&b, DOCA_RDMA_JOB_RECV, 1, DOCA_SUCCESS);
	ck_assert_mem_eq(b.memory, a.memory, FAKE_MAX_SGES);
	put(list);
	/* One element more. */
	list = list_of(&b, FAKE_MAX_SGES + 1);
	ck_fails(DOCA_ERROR_INVALID_VALUE, submit_recv(&b, list, 3));
	ck_assert_uint_eq(data_len(list), 1);
	put(list);
	put(out);
	queues_rm();
}
END_TEST

START_TEST(test_as_many_as_the_queue_is_deep)
{
	queues_add();
	ends_connect();
	for (unsigned i = 0; i < DEPTH; i++)
		ck_ok(submit_recv(&b, NULL, i));
	ck_fails(DOCA_ERROR_NO_MEMORY, submit_recv(&b, NULL, DEPTH));
	for (unsigned i = 0; i < DEPTH; i++) {
		ck_ok(submit_send(&a, NULL, i));
		awaits(&a, DOCA_RDMA_JOB_SEND, i, DOCA_SUCCESS);
		awaits(&b, DOCA_RDMA_JOB_RECV, i, DOCA_SUCCESS);
	}
	queues_rm();
}
END_TEST

START_TEST(test_queue_of_the_connection)
{
	ck_ok(doca_ctx_stop(a.ctx));
	PASSES(doca_rdma_set_send_queue_size(a.rdma, 1));
	ck_ok(doca_ctx_start(a.ctx));
	queues_add();
	ends_connect();
	fake.holds = true;
	ck_ok(submit_send(&a, NULL, 1));
	ck_fails(DOCA_ERROR_NO_MEMORY, submit_send(&a, NULL, 2));
	fake.holds = false;
	ck_ok(submit_recv(&b, NULL, 3));
	awaits(&a, DOCA_RDMA_JOB_SEND, 1, DOCA_SUCCESS);
	awaits(&b, DOCA_RDMA_JOB_RECV, 3, DOCA_SUCCESS);
	queues_rm();
}
END_TEST

/* --- teardown --- */

START_TEST(test_failed_job_ends_all)
{
	queues_add();
	ends_connect();
	ck_ok(submit_recv(&a, NULL, 1));
	fake.next = DOCA_ERROR_IO_FAILED;
	ck_ok(submit_send(&a, NULL, 2));
	awaits(&a, DOCA_RDMA_JOB_SEND, 2, DOCA_ERROR_IO_FAILED);
	awaits(&a, DOCA_RDMA_JOB_RECV, 1, DOCA_ERROR_CONNECTION_RESET);
	ck_assert_int_eq(state_of(&a), DOCA_RDMA_STATE_ERROR);
	ck_ok(submit_send(&a, NULL, 3));
	awaits(&a, DOCA_RDMA_JOB_SEND, 3, DOCA_ERROR_CONNECTION_RESET);
	ck_ok(submit_recv(&a, NULL, 4));
	awaits(&a, DOCA_RDMA_JOB_RECV, 4, DOCA_ERROR_CONNECTION_RESET);
	no_event(&a);
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_connect(a.rdma, b.details, b.details_len));
	queues_rm();
	/* Once more, from the start. */
	ck_ok(doca_ctx_stop(a.ctx));
	ck_ok(doca_ctx_stop(b.ctx));
	ck_ok(doca_ctx_start(a.ctx));
	ck_ok(doca_ctx_start(b.ctx));
	queues_add();
	ends_connect();
	ck_ok(submit_recv(&b, NULL, 5));
	ck_ok(submit_send(&a, NULL, 6));
	awaits(&a, DOCA_RDMA_JOB_SEND, 6, DOCA_SUCCESS);
	awaits(&b, DOCA_RDMA_JOB_RECV, 5, DOCA_SUCCESS);
	queues_rm();
}
END_TEST

/* Receives that never complete do not block a program for ever. */
START_TEST(test_drain_with_receives)
{
	queues_add();
	ends_connect();
	ck_ok(submit_recv(&b, NULL, 1));
	ck_ok(submit_recv(&b, NULL, 2));
	ck_fails(DOCA_ERROR_NOT_PERMITTED, doca_ctx_stop(b.ctx));
	ck_fails(DOCA_ERROR_IN_USE, doca_ctx_workq_rm(b.ctx, b.workq));
	ck_fails(DOCA_ERROR_IN_USE, doca_workq_destroy(b.workq));
	awaits(&b, DOCA_RDMA_JOB_RECV, 1, DOCA_ERROR_CONNECTION_RESET);
	awaits(&b, DOCA_RDMA_JOB_RECV, 2, DOCA_ERROR_CONNECTION_RESET);
	queues_rm();
	ck_assert_int_eq(state_of(&b), DOCA_RDMA_STATE_ERROR);
}
END_TEST

/* A queue cannot be removed while operations are in flight that will end by themselves. */
START_TEST(test_drain_with_messages)
{
	queues_add();
	ends_connect();
	ck_ok(submit_recv(&a, NULL, 1));
	ck_ok(submit_recv(&b, NULL, 2));
	ck_ok(submit_send(&a, NULL, 3));
	ck_fails(DOCA_ERROR_IN_USE, doca_ctx_workq_rm(a.ctx, a.workq));
	awaits(&a, DOCA_RDMA_JOB_SEND, 3, DOCA_SUCCESS);
	awaits(&b, DOCA_RDMA_JOB_RECV, 2, DOCA_SUCCESS);
	ck_ok(submit_send(&b, NULL, 4));
	awaits(&b, DOCA_RDMA_JOB_SEND, 4, DOCA_SUCCESS);
	awaits(&a, DOCA_RDMA_JOB_RECV, 1, DOCA_SUCCESS);
	queues_rm();
}
END_TEST

START_TEST(test_device_is_removed)
{
	struct doca_workq *other;

	queues_add();
	ends_connect();
	ck_ok(submit_recv(&a, NULL, 1));
	fake_unplug_all();
	awaits(&a, DOCA_RDMA_JOB_RECV, 1, DOCA_ERROR_SHUTDOWN);
	no_event(&a);
	ck_assert_int_eq(state_of(&a), DOCA_RDMA_STATE_ERROR);
	ck_fails(DOCA_ERROR_BAD_STATE, submit_recv(&a, NULL, 2));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_export(a.rdma, &a.details, &a.details_len));
	ck_ok(doca_ctx_workq_rm(a.ctx, a.workq));
	ck_ok(doca_workq_create(1, &other));
	ck_fails(DOCA_ERROR_INITIALIZATION, doca_ctx_workq_add(a.ctx, other));
	ck_ok(doca_workq_destroy(other));
	no_event(&b);
	ck_ok(doca_ctx_workq_rm(b.ctx, b.workq));
}
END_TEST

/*
 * Without a connection, no event would end a receive that is posted while earlier ones are being
 * returned.
 */
START_TEST(test_device_is_removed_with_receives)
{
	ck_ok(doca_ctx_workq_add(a.ctx, a.workq));
	ck_ok(submit_recv(&a, NULL, 1));
	ck_ok(submit_recv(&a, NULL, 2));
	fake.holds = true;
	fake_unplug_all();
	no_event(&a);
	ck_assert_int_eq(state_of(&a), DOCA_RDMA_STATE_ERROR);
	ck_fails(DOCA_ERROR_BAD_STATE, submit_recv(&a, NULL, 3));
	fake.holds = false;
	awaits(&a, DOCA_RDMA_JOB_RECV, 1, DOCA_ERROR_SHUTDOWN);
	awaits(&a, DOCA_RDMA_JOB_RECV, 2, DOCA_ERROR_SHUTDOWN);
	no_event(&a);
	ck_fails(DOCA_ERROR_BAD_STATE, submit_recv(&a, NULL, 4));
	ck_ok(doca_ctx_workq_rm(a.ctx, a.workq));
}
END_TEST

/* --- queues --- */

START_TEST(test_one_queue_at_a_time)
{
	struct doca_workq *other, *first = b.workq;

	ends_connect();
	queues_add();
	ck_ok(doca_workq_create(1, &other));
	ck_fails(DOCA_ERROR_IN_USE, doca_ctx_workq_add(b.ctx, other));
	ck_fails(DOCA_ERROR_IN_USE, doca_ctx_workq_add(b.ctx, b.workq));
	/* The connection outlives the queue. */
	ck_ok(doca_ctx_workq_rm(b.ctx, b.workq));
	ck_ok(doca_ctx_workq_add(b.ctx, other));
	b.workq = other;
	ck_ok(submit_recv(&b, NULL, 1));
	ck_fails(DOCA_ERROR_NO_MEMORY, submit_recv(&b, NULL, 2));
	ck_ok(submit_send(&a, NULL, 3));
	awaits(&a, DOCA_RDMA_JOB_SEND, 3, DOCA_SUCCESS);
	awaits(&b, DOCA_RDMA_JOB_RECV, 1, DOCA_SUCCESS);
	queues_rm();
	ck_ok(doca_workq_destroy(other));
	b.workq = first;
}
END_TEST

/* Two objects on one queue, which has results of both. */
START_TEST(test_both_on_one_queue)
{
	struct doca_workq *own = b.workq;
	bool has_sent = false, has_received = false;

	b.workq = a.workq;
	queues_add();
	ends_connect();
	ck_ok(submit_recv(&b, NULL, 1));
	ck_ok(submit_send(&a, NULL, 2));
	for (unsigned i = 0; i < 2; i++) {
		ck_ok(retrieve(&a));
		has_sent |= a.event.type == DOCA_RDMA_JOB_SEND && a.event.user_data.u64 == 2;
		has_received |= a.event.type == DOCA_RDMA_JOB_RECV && a.event.user_data.u64 == 1;
	}
	ck_assert(has_sent && has_received);
	queues_rm();
	b.workq = own;
}
END_TEST

/* --- capabilities --- */

START_TEST(test_capabilities)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(fake_dev());
	struct doca_rdma_gid gids[FAKE_N_GIDS + 1];
	uint32_t n;

	for (int type = DOCA_RDMA_JOB_RECV; type <= DOCA_RDMA_JOB_ATOMIC_FETCH_ADD; type++) {
		PASSES(doca_rdma_job_get_supported(info, (enum doca_rdma_job_types)type));
		PASSES(doca_rdma_get_max_buf_chain_len(info, (enum doca_rdma_job_types)type,
						       DOCA_RDMA_TRANSPORT_RC, &n));
		ck_assert_uint_eq(n, type < DOCA_RDMA_JOB_ATOMIC_CMP_SWP ? FAKE_MAX_SGES : 1);
	}
	fake.has_no_atomics = true;
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_rdma_job_get_supported(info, DOCA_RDMA_JOB_ATOMIC_CMP_SWP));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_job_get_supported(NULL, DOCA_RDMA_JOB_SEND));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_job_get_supported(info, (enum doca_rdma_job_types)1));
	PASSES(doca_rdma_get_transport_type_supported(info, DOCA_RDMA_TRANSPORT_RC));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_rdma_get_transport_type_supported(info, DOCA_RDMA_TRANSPORT_DC));
	RETURNS(DOCA_ERROR_DRIVER, doca_rdma_get_max_buf_chain_len(info, DOCA_RDMA_JOB_SEND,
								   DOCA_RDMA_TRANSPORT_DC, &n));
	PASSES(doca_rdma_get_max_recv_queue_size(info, &n));
	ck_assert_uint_eq(n, FAKE_MAX_QUEUE);
	PASSES(doca_rdma_get_max_send_queue_size(info, &n));
	ck_assert_uint_eq(n, FAKE_MAX_QUEUE);
	PASSES(doca_rdma_get_max_message_size(info, &n));
	ck_assert_uint_eq(n, FAKE_MAX_MESSAGE);
	PASSES(doca_rdma_get_gid_table_size(info, &n));
	ck_assert_uint_eq(n, FAKE_N_GIDS);
	PASSES(doca_rdma_get_gid(info, 0, FAKE_N_GIDS, gids));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_gid(info, 0, FAKE_N_GIDS + 1, gids));
	fake.gid = -5;
	RETURNS(DOCA_ERROR_DRIVER, doca_rdma_get_gid(info, 0, 1, gids));
}
END_TEST

/* --- codes --- */

START_TEST(test_no_object)
{
	enum doca_rdma_transport_type transport = DOCA_RDMA_TRANSPORT_RC;
	enum doca_mtu_size mtu = DOCA_MTU_SIZE_1K_BYTES;
	enum doca_rdma_state state;
	uint32_t n;
	bool is_on;

	ck_assert_ptr_null(CALLED(doca_rdma_as_ctx(NULL)));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_destroy(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_export(NULL, &a.details, &a.details_len));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(NULL, "x", 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_state(NULL, &state));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_state(a.rdma, NULL));
#define NUMBER(name)                                                                   \
	do {                                                                           \
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_##name(NULL, 1));      \
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_##name(NULL, &n));     \
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_##name(a.rdma, NULL)); \
	} while (0)
	NUMBER(send_queue_size);
	NUMBER(recv_queue_size);
	NUMBER(recv_buf_chain_len);
	NUMBER(permissions);
	NUMBER(gid_index);
	NUMBER(sl);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_mtu(NULL, mtu));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_mtu(NULL, &mtu));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_mtu(a.rdma, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_transport_type(NULL, transport));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_transport_type(NULL, &transport));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_transport_type(a.rdma, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_grh_enabled(NULL, true));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_grh_enabled(NULL, &is_on));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_grh_enabled(a.rdma, NULL));
}
END_TEST

/* Started, and without a device; getters return what was set. */
START_TEST(test_codes)
{
	enum doca_rdma_transport_type transport = DOCA_RDMA_TRANSPORT_DC;
	enum doca_mtu_size mtu;
	struct doca_rdma *rdma;
	uint32_t n;

	if (allocount_works)
		RUNS_OUT(0, doca_rdma_create(&rdma));
	PASSES(doca_rdma_create(&rdma));
#define BEFORE(name, value)                                                         \
	do {                                                                        \
		RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_set_##name(rdma, value));   \
		RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_set_##name(a.rdma, value)); \
	} while (0)
	BEFORE(send_queue_size, 1);
	BEFORE(recv_queue_size, 1);
	BEFORE(permissions, 0);
	BEFORE(gid_index, 0);
	BEFORE(sl, 0);
	BEFORE(recv_buf_chain_len, 1);
	BEFORE(mtu, DOCA_MTU_SIZE_1K_BYTES);
	BEFORE(grh_enabled, true);
	BEFORE(transport_type, DOCA_RDMA_TRANSPORT_RC);
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_get_send_queue_size(rdma, &n));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_get_recv_queue_size(rdma, &n));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_get_permissions(rdma, &n));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_get_gid_index(rdma, &n));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_get_mtu(rdma, &mtu));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_get_transport_type(rdma, &transport));

	ck_ok(doca_ctx_dev_add(CALLED(doca_rdma_as_ctx(rdma)), fake_dev()));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_rdma_set_send_queue_size(rdma, FAKE_MAX_QUEUE + 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_permissions(rdma, 1u << 30));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_gid_index(rdma, FAKE_N_GIDS));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_sl(rdma, 16));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_mtu(rdma, (enum doca_mtu_size)6));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_rdma_set_mtu(rdma, DOCA_MTU_SIZE_4K_BYTES));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_set_transport_type(rdma, (enum doca_rdma_transport_type)2));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_rdma_set_transport_type(rdma, DOCA_RDMA_TRANSPORT_DC));
	PASSES(doca_rdma_set_transport_type(rdma, DOCA_RDMA_TRANSPORT_RC));
	PASSES(doca_rdma_get_transport_type(rdma, &transport));
	ck_assert_int_eq(transport, DOCA_RDMA_TRANSPORT_RC);
#define SAME(name, value)                                  \
	do {                                               \
		PASSES(doca_rdma_set_##name(rdma, value)); \
		PASSES(doca_rdma_get_##name(rdma, &n));    \
		ck_assert_uint_eq(n, value);               \
	} while (0)
	SAME(send_queue_size, 21u);
	SAME(recv_queue_size, 22u);
	SAME(recv_buf_chain_len, 4u);
	SAME(permissions, (uint32_t)DOCA_ACCESS_RDMA_WRITE);
	SAME(gid_index, 1u);
	SAME(sl, 7u);
	PASSES(doca_rdma_set_mtu(rdma, DOCA_MTU_SIZE_512_BYTES));
	PASSES(doca_rdma_get_mtu(rdma, &mtu));
	ck_assert_int_eq(mtu, DOCA_MTU_SIZE_512_BYTES);
	PASSES(doca_rdma_destroy(rdma));
}
END_TEST

START_TEST(test_device_without_rdma)
{
	struct doca_devinfo *poor = doca_dev_as_devinfo(fake_unsupported_dev());
	struct doca_devinfo *info = doca_dev_as_devinfo(fake_dev());
	struct doca_rdma_gid gid;
	struct doca_rdma *rdma;
	uint32_t n;

#define LIMIT(name)                                                                  \
	do {                                                                         \
		RETURNS(DOCA_ERROR_DRIVER, doca_rdma_get_##name(poor, &n));          \
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_##name(NULL, &n));   \
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_##name(info, NULL)); \
	} while (0)
	LIMIT(max_recv_queue_size);
	LIMIT(max_send_queue_size);
	LIMIT(max_message_size);
	LIMIT(gid_table_size);
	RETURNS(DOCA_ERROR_DRIVER, doca_rdma_get_gid(poor, 0, 1, &gid));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_gid(NULL, 0, 1, &gid));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_rdma_job_get_supported(poor, DOCA_RDMA_JOB_SEND));
	RETURNS(DOCA_ERROR_DRIVER,
		doca_rdma_get_transport_type_supported(poor, DOCA_RDMA_TRANSPORT_RC));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_get_transport_type_supported(NULL, DOCA_RDMA_TRANSPORT_RC));
	RETURNS(DOCA_ERROR_DRIVER, doca_rdma_get_max_buf_chain_len(poor, DOCA_RDMA_JOB_SEND,
								   DOCA_RDMA_TRANSPORT_RC, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_get_max_buf_chain_len(NULL, DOCA_RDMA_JOB_SEND, DOCA_RDMA_TRANSPORT_RC,
						&n));
	PASSES(doca_rdma_create(&rdma));
	ck_fails(DOCA_ERROR_NOT_SUPPORTED,
		 doca_ctx_dev_add(doca_rdma_as_ctx(rdma), fake_unsupported_dev()));
	PASSES(doca_rdma_destroy(rdma));
}
END_TEST

/* Error codes documented for 2.2. */
static const struct documented documented[] = {
	{"doca_rdma_as_ctx", ""},
	{"doca_rdma_connect", "INVALID_VALUE BAD_STATE CONNECTION_ABORTED"},
	{"doca_rdma_create", "INVALID_VALUE NO_MEMORY INITIALIZATION"},
	{"doca_rdma_destroy", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_export", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_get_gid", "INVALID_VALUE DRIVER"},
	{"doca_rdma_get_gid_index", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_get_gid_table_size", "INVALID_VALUE DRIVER"},
	{"doca_rdma_get_grh_enabled", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_get_max_buf_chain_len", "INVALID_VALUE DRIVER"},
	{"doca_rdma_get_max_message_size", "INVALID_VALUE DRIVER"},
	{"doca_rdma_get_max_recv_queue_size", "INVALID_VALUE DRIVER"},
	{"doca_rdma_get_max_send_queue_size", "INVALID_VALUE DRIVER"},
	{"doca_rdma_get_mtu", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_get_permissions", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_get_recv_buf_chain_len", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_get_recv_queue_size", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_get_send_queue_size", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_get_sl", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_get_state", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_get_transport_type", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_get_transport_type_supported", "INVALID_VALUE DRIVER NOT_SUPPORTED"},
	{"doca_rdma_job_get_supported", "INVALID_VALUE DRIVER NOT_SUPPORTED"},
	{"doca_rdma_set_gid_index", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_set_grh_enabled", "INVALID_VALUE BAD_STATE NOT_SUPPORTED"},
	{"doca_rdma_set_mtu", "INVALID_VALUE NOT_SUPPORTED BAD_STATE UNEXPECTED"},
	{"doca_rdma_set_permissions", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_set_recv_buf_chain_len", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_set_recv_queue_size", "INVALID_VALUE NOT_SUPPORTED BAD_STATE"},
	{"doca_rdma_set_send_queue_size", "INVALID_VALUE NOT_SUPPORTED BAD_STATE"},
	{"doca_rdma_set_sl", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_set_transport_type", "INVALID_VALUE NOT_SUPPORTED BAD_STATE"},
	{NULL},
};

static const struct unreachable unreachable[] = {
	{"doca_rdma_create", "INITIALIZATION", "nothing is set up before the start"},
	{"doca_rdma_job_get_supported", "DRIVER", "a device without RDMA has no such jobs"},
	{"doca_rdma_set_mtu", "UNEXPECTED", "nothing here answers that way"},
	{"doca_rdma_set_grh_enabled", "NOT_SUPPORTED", "every device takes both values"},
	{NULL},
};

int main(void)
{
	Suite *suite = suite_create("rdma jobs");
	TCase *object = unit_case(suite, "object", UNIT_TIMEOUT);
	TCase *jobs = unit_case(suite, "jobs", UNIT_TIMEOUT);
	int status;

	cover_init();

	tcase_add_checked_fixture(object, setup, teardown);
	tcase_add_test(object, test_needs_a_device);
	tcase_add_test(object, test_configuration_arrives);
	tcase_add_test(object, test_connection);
	tcase_add_test(object, test_stop_drains);
	tcase_add_test(object, test_capabilities);
	tcase_add_test(object, test_no_object);
	tcase_add_test(object, test_codes);
	tcase_add_test(object, test_device_without_rdma);
	tcase_add_checked_fixture(jobs, setup, teardown);
	tcase_add_test(jobs, test_message);
	tcase_add_test(jobs, test_immediate_data);
	tcase_add_test(jobs, test_result_goes_nowhere);
	tcase_add_test(jobs, test_bad_jobs);
	tcase_add_test(jobs, test_list);
	tcase_add_test(jobs, test_longest_list);
	tcase_add_test(jobs, test_as_many_as_the_queue_is_deep);
	tcase_add_test(jobs, test_queue_of_the_connection);
	tcase_add_test(jobs, test_failed_job_ends_all);
	tcase_add_test(jobs, test_drain_with_receives);
	tcase_add_test(jobs, test_drain_with_messages);
	tcase_add_test(jobs, test_device_is_removed);
	tcase_add_test(jobs, test_device_is_removed_with_receives);
	tcase_add_test(jobs, test_one_queue_at_a_time);
	tcase_add_test(jobs, test_both_on_one_queue);
	status = unit_run(suite);
	return cover_report("2.2 doca_rdma", documented, unreachable) ? status : 1;
}
