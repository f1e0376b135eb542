/*
 * RDMA of 2.5 and 2.6 on the fake provider: one implicit connection, established while the context
 * is STARTING. Compiled for both versions.
 */
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>
#include <dococ.h>

#include "client/sync_event/sync_event.h"
#include "tests/conformance/cover.h"
#include "tests/unit/client/rdma/fake_provider.h"
#include "tests/unit/unit.h"

#define LEN 64u

#define ck_ok(call)         ck_assert_int_eq(call, DOCA_SUCCESS)
#define ck_fails(call, how) ck_assert_int_eq(call, how)

struct end {
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	const void *details;
	size_t details_len;
	enum doca_ctx_states states[16];
	unsigned n_states, n_ok, n_failed;
	uint8_t memory[LEN];
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	uint32_t received;
};

static struct end a, b;
static const union doca_data no_data;

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
		     enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct end *end = user_data.ptr;

	(void)ctx;
	(void)prev;
	ck_assert_uint_lt(end->n_states, 16);
	end->states[end->n_states++] = next;
}

static void on_sent(struct doca_rdma_task_send *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	(void)task_data;
	((struct end *)ctx_data.ptr)->n_ok++;
	doca_task_free(doca_rdma_task_send_as_task(task));
}

static void on_send_failed(struct doca_rdma_task_send *task, union doca_data task_data,
			   union doca_data ctx_data)
{
	(void)task_data;
	((struct end *)ctx_data.ptr)->n_failed++;
	doca_task_free(doca_rdma_task_send_as_task(task));
}

static void on_received(struct doca_rdma_task_receive *task, union doca_data task_data,
			union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	(void)task_data;
	end->n_ok++;
#if DOCA_USE_VERSION == 205
	end->received = doca_rdma_task_receive_get_result_length(task);
#else
	end->received = doca_rdma_task_receive_get_result_len(task);
#endif
	doca_task_free(doca_rdma_task_receive_as_task(task));
}

static void on_receive_failed(struct doca_rdma_task_receive *task, union doca_data task_data,
			      union doca_data ctx_data)
{
	(void)task_data;
	((struct end *)ctx_data.ptr)->n_failed++;
	doca_task_free(doca_rdma_task_receive_as_task(task));
}

static void end_open(struct end *end)
{
	*end = (struct end){.n_ok = 0};
	ck_ok(doca_pe_create(&end->pe));
	ck_ok(doca_rdma_create(fake_dev(), &end->rdma));
	end->ctx = doca_rdma_as_ctx(end->rdma);
	ck_ok(doca_rdma_task_send_set_conf(end->rdma, on_sent, on_send_failed, 4));
	ck_ok(doca_rdma_task_receive_set_conf(end->rdma, on_received, on_receive_failed, 4));
	ck_ok(doca_rdma_set_grh_enabled(end->rdma, 1));
	ck_ok(doca_ctx_set_user_data(end->ctx, (union doca_data){.ptr = end}));
	ck_ok(doca_ctx_set_state_changed_cb(end->ctx, on_state));
	ck_ok(doca_pe_connect_ctx(end->pe, end->ctx));
	ck_ok(doca_mmap_create(&end->mmap));
	ck_ok(doca_mmap_set_memrange(end->mmap, end->memory, LEN));
	ck_ok(doca_mmap_set_permissions(end->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	ck_ok(doca_mmap_add_dev(end->mmap, fake_dev()));
	ck_ok(doca_mmap_start(end->mmap));
	ck_ok(doca_buf_inventory_create(4, &end->inventory));
	ck_ok(doca_buf_inventory_start(end->inventory));
}

static void end_close(struct end *end)
{
	ck_ok(doca_rdma_destroy(end->rdma));
	ck_ok(doca_buf_inventory_destroy(end->inventory));
	ck_ok(doca_mmap_destroy(end->mmap));
	ck_ok(doca_pe_destroy(end->pe));
}

static void progress(void)
{
	while (doca_pe_progress(a.pe) | doca_pe_progress(b.pe))
		continue;
}

static enum doca_ctx_states state_of(const struct end *end)
{
	enum doca_ctx_states state;

	ck_ok(doca_ctx_get_state(end->ctx, &state));
	return state;
}

static void start(struct end *end)
{
	ck_fails(doca_ctx_start(end->ctx), DOCA_ERROR_IN_PROGRESS);
	ck_assert_int_eq(state_of(end), DOCA_CTX_STATE_STARTING);
	ck_ok(doca_rdma_export(end->rdma, &end->details, &end->details_len));
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
}

static struct doca_buf *buf_of(struct end *end, size_t data_len)
{
	struct doca_buf *buf;

	ck_ok(doca_buf_inventory_buf_get_by_data(end->inventory, end->mmap, end->memory, LEN,
						 &buf));
	ck_ok(doca_buf_set_data(buf, end->memory, data_len));
	return buf;
}

static void stop(struct end *end)
{
	doca_error_t result = doca_ctx_stop(end->ctx);

	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	progress();
	ck_assert_int_eq(state_of(end), DOCA_CTX_STATE_IDLE);
}

START_TEST(test_connection)
{
	struct doca_rdma_task_receive *receive;
	struct doca_rdma_task_send *send;
	struct doca_buf *src, *dst;
	const void *details;
	size_t len;

	ck_fails(doca_rdma_export(a.rdma, &details, &len), DOCA_ERROR_BAD_STATE);
	for (unsigned i = 1; i < 3; i++) {
		start(&a);
		start(&b);
		ck_fails(doca_rdma_task_send_allocate_init(a.rdma, NULL, no_data, &send),
			 DOCA_ERROR_BAD_STATE);
		ck_ok(doca_rdma_export(a.rdma, &details, &len));
		ck_assert_ptr_eq(details, a.details);
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(a.rdma, "junk", 4));
		ck_ok(doca_rdma_connect(a.rdma, b.details, b.details_len));
		RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_connect(a.rdma, b.details, b.details_len));
		ck_ok(doca_rdma_connect(b.rdma, a.details, a.details_len));
		progress();
		ck_assert_int_eq(state_of(&a), DOCA_CTX_STATE_RUNNING);
		ck_assert_int_eq(state_of(&b), DOCA_CTX_STATE_RUNNING);
		src = buf_of(&a, 10);
		dst = buf_of(&b, 0);
		memcpy(a.memory, "ten bytes", 10);
		ck_ok(doca_rdma_task_receive_allocate_init(b.rdma, dst, no_data, &receive));
		ck_ok(doca_task_submit(doca_rdma_task_receive_as_task(receive)));
		ck_ok(doca_rdma_task_send_allocate_init(a.rdma, src, no_data, &send));
		ck_ok(doca_task_submit(doca_rdma_task_send_as_task(send)));
		progress();
		ck_assert_uint_eq(a.n_ok, i);
		ck_assert_uint_eq(b.n_ok, i);
		ck_assert_uint_eq(b.received, 10);
		ck_assert_mem_eq(b.memory, "ten bytes", 10);
		ck_ok(doca_buf_dec_refcount(src, NULL));
		ck_ok(doca_buf_dec_refcount(dst, NULL));
		stop(&a);
		stop(&b);
	}
}
END_TEST

START_TEST(test_connection_fails)
{
	fake.waits = true;
	start(&a);
	start(&b);
	fake.connect = DOCA_ERROR_CONNECTION_ABORTED;
	RETURNS(DOCA_ERROR_CONNECTION_ABORTED, doca_rdma_connect(a.rdma, b.details, b.details_len));
	fake.connect = DOCA_SUCCESS;
	ck_ok(doca_rdma_connect(a.rdma, b.details, b.details_len));
	fake_finish_connecting(DOCA_ERROR_TIME_OUT);
	progress();
	ck_assert_int_eq(state_of(&a), DOCA_CTX_STATE_IDLE);
	ck_assert_int_eq(a.states[a.n_states - 2], DOCA_CTX_STATE_STOPPING);
	stop(&b);
}
END_TEST

START_TEST(test_stop_while_starting)
{
	start(&a);
	ck_ok(doca_ctx_stop(a.ctx));
	ck_assert_int_eq(state_of(&a), DOCA_CTX_STATE_IDLE);
	start(&a);
	stop(&a);
}
END_TEST

START_TEST(test_what_is_set)
{
	struct doca_dpa_dev_rdma *dpa;
	uint32_t n;
#if DOCA_USE_VERSION == 205
	bool grh;
#else
	uint8_t grh;
#endif

	ck_ok(doca_rdma_get_grh_enabled(a.rdma, &grh));
	ck_assert(grh);
	ck_ok(doca_rdma_set_grh_enabled(a.rdma, 0));
	ck_ok(doca_rdma_get_grh_enabled(a.rdma, &grh));
	ck_assert(!grh);
	ck_fails(doca_rdma_get_dpa_handle(a.rdma, &dpa), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_rdma_get_dpa_handle(a.rdma, NULL), DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_rdma_cap_get_gid_table_size(doca_dev_as_devinfo(fake_dev()), &n));
	ck_assert_uint_eq(n, FAKE_N_GIDS);
	ck_fails(doca_rdma_export(NULL, NULL, NULL), DOCA_ERROR_INVALID_VALUE);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(NULL, NULL, 0));
	ck_fails(doca_rdma_set_grh_enabled(NULL, 0), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_rdma_create(fake_dev(), NULL), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

static void check_plain_kinds(struct doca_buf *src, struct doca_buf *dst,
			      struct doca_sync_event_remote_net *event)
{
	struct doca_rdma_task_send_imm *send;
	struct doca_rdma_task_read *read;
	struct doca_rdma_task_write *write;
	struct doca_rdma_task_atomic_fetch_add *fetch;
	struct doca_rdma_task_remote_net_sync_event_get *get;
	struct doca_rdma_task_remote_net_sync_event_notify_set *set;

	ck_ok(doca_rdma_task_send_imm_allocate_init(a.rdma, src, 4, no_data, &send));
	ck_assert_ptr_eq(doca_rdma_task_send_imm_get_src_buf(send), src);
	ck_assert_uint_eq(doca_rdma_task_send_imm_get_immediate_data(send), 4);
	doca_task_free(doca_rdma_task_send_imm_as_task(send));
	ck_ok(doca_rdma_task_read_allocate_init(a.rdma, src, dst, no_data, &read));
	ck_assert_ptr_eq(doca_rdma_task_read_get_src_buf(read), src);
	ck_assert_ptr_eq(doca_rdma_task_read_get_dst_buf(read), dst);
	doca_task_free(doca_rdma_task_read_as_task(read));
	ck_ok(doca_rdma_task_write_allocate_init(a.rdma, src, dst, no_data, &write));
	ck_assert_ptr_eq(doca_rdma_task_write_get_src_buf(write), src);
	ck_assert_ptr_eq(doca_rdma_task_write_get_dst_buf(write), dst);
	doca_task_free(doca_rdma_task_write_as_task(write));
	ck_ok(doca_rdma_task_atomic_fetch_add_allocate_init(a.rdma, dst, src, 9, no_data, &fetch));
	ck_assert_ptr_eq(doca_rdma_task_atomic_fetch_add_get_dst_buf(fetch), dst);
	ck_assert_ptr_eq(doca_rdma_task_atomic_fetch_add_get_result_buf(fetch), src);
	ck_assert_uint_eq(doca_rdma_task_atomic_fetch_add_get_add_data(fetch), 9);
	doca_task_free(doca_rdma_task_atomic_fetch_add_as_task(fetch));
	ck_ok(doca_rdma_task_remote_net_sync_event_get_allocate_init(a.rdma, event, dst, no_data,
								     &get));
	ck_assert_ptr_eq(doca_rdma_task_remote_net_sync_event_get_get_dst_buf(get), dst);
	doca_task_free(doca_rdma_task_remote_net_sync_event_get_as_task(get));
	ck_ok(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(a.rdma, event, src,
									    no_data, &set));
	ck_assert_ptr_eq(doca_rdma_task_remote_net_sync_event_notify_set_get_src_buf(set), src);
	doca_task_free(doca_rdma_task_remote_net_sync_event_notify_set_as_task(set));
}

/* The arguments of every task type reach the task unchanged. */
START_TEST(test_kinds)
{
	struct doca_sync_event_remote_net *event = (void *)&a;
	struct doca_buf *src = (void *)&a, *dst = (void *)&b;
	struct doca_rdma_task_write_imm *write;
	struct doca_rdma_task_atomic_cmp_swp *swap;
	struct doca_rdma_task_remote_net_sync_event_notify_add *add;

#define SOME(kind)                                                        \
	ck_ok(doca_rdma_task_##kind##_set_conf(                           \
		a.rdma, (doca_rdma_task_##kind##_completion_cb_t)on_sent, \
		(doca_rdma_task_##kind##_completion_cb_t)on_send_failed, 1))
	SOME(send_imm);
	SOME(read);
	SOME(write);
	SOME(write_imm);
	SOME(atomic_cmp_swp);
	SOME(atomic_fetch_add);
	SOME(remote_net_sync_event_get);
	SOME(remote_net_sync_event_notify_set);
	SOME(remote_net_sync_event_notify_add);
	start(&a);
	start(&b);
	ck_ok(doca_rdma_connect(a.rdma, b.details, b.details_len));
	progress();
	check_plain_kinds(src, dst, event);
	ck_ok(doca_rdma_task_write_imm_allocate_init(a.rdma, src, dst, 5, no_data, &write));
	ck_assert_ptr_eq(doca_rdma_task_write_imm_get_src_buf(write), src);
	ck_assert_ptr_eq(doca_rdma_task_write_imm_get_dst_buf(write), dst);
	ck_assert_uint_eq(doca_rdma_task_write_imm_get_immediate_data(write), 5);
	doca_task_free(doca_rdma_task_write_imm_as_task(write));
	ck_ok(doca_rdma_task_atomic_cmp_swp_allocate_init(a.rdma, dst, src, 6, 7, no_data, &swap));
	ck_assert_ptr_eq(doca_rdma_task_atomic_cmp_swp_get_dst_buf(swap), dst);
	ck_assert_ptr_eq(doca_rdma_task_atomic_cmp_swp_get_result_buf(swap), src);
	ck_assert_uint_eq(doca_rdma_task_atomic_cmp_swp_get_cmp_data(swap), 6);
	ck_assert_uint_eq(doca_rdma_task_atomic_cmp_swp_get_swap_data(swap), 7);
	doca_task_free(doca_rdma_task_atomic_cmp_swp_as_task(swap));
	ck_ok(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(a.rdma, event, dst, 8,
									    no_data, &add));
	ck_assert_ptr_eq(doca_rdma_task_remote_net_sync_event_notify_add_get_sync_event(add),
			 event);
	ck_assert_ptr_eq(doca_rdma_task_remote_net_sync_event_notify_add_get_result_buf(add), dst);
	ck_assert_uint_eq(doca_rdma_task_remote_net_sync_event_notify_add_get_add_data(add), 8);
	ck_fails(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(a.rdma, event, dst,
									       8, no_data, &add),
		 DOCA_ERROR_NO_MEMORY);
	doca_task_free(doca_rdma_task_remote_net_sync_event_notify_add_as_task(add));
	stop(&a);
	stop(&b);
}
END_TEST

/* Returns how much of an event was read, by a function whose name differs between versions. */
static void on_event_read(struct doca_rdma_task_remote_net_sync_event_get *task,
			  union doca_data task_data, union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	(void)task_data;
	end->n_ok++;
#if DOCA_USE_VERSION == 205
	end->received = doca_rdma_task_remote_net_sync_event_get_get_result_length(task);
#else
	end->received = doca_rdma_task_remote_net_sync_event_get_get_result_len(task);
#endif
	doca_task_free(doca_rdma_task_remote_net_sync_event_get_as_task(task));
}

START_TEST(test_event_is_read)
{
	_Atomic uint64_t counter = 0x1122334455667788ull;
	struct doca_sync_event_remote_net event = {
		.import = {.cell = {.value = &counter}, .dev = fake_dev()}};
	struct doca_rdma_task_remote_net_sync_event_get *task;
	struct doca_buf *buf;

	ck_ok(doca_rdma_task_remote_net_sync_event_get_set_conf(
		a.rdma, on_event_read,
		(doca_rdma_task_remote_net_sync_event_get_completion_cb_t)on_send_failed, 1));
	start(&a);
	start(&b);
	ck_ok(doca_rdma_connect(a.rdma, b.details, b.details_len));
	ck_ok(doca_rdma_connect(b.rdma, a.details, a.details_len));
	progress();
	ck_ok(doca_buf_inventory_buf_get_by_addr(a.inventory, a.mmap, a.memory, LEN, &buf));
	ck_ok(doca_rdma_task_remote_net_sync_event_get_allocate_init(a.rdma, &event, buf, no_data,
								     &task));
	ck_ok(doca_task_submit(doca_rdma_task_remote_net_sync_event_get_as_task(task)));
	progress();
	ck_assert_uint_eq(a.n_ok, 1);
	ck_assert_uint_eq(a.received, 8);
	ck_assert_mem_eq(a.memory, &counter, 8);
	ck_ok(doca_buf_dec_refcount(buf, NULL));
	stop(&a);
	stop(&b);
}
END_TEST

#if DOCA_USE_VERSION == 206
/* --- shared receive queues --- */

START_TEST(test_shared_queue)
{
	struct doca_rdma_srq *srq;
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	enum doca_ctx_states state;
	enum doca_rdma_srq_type type = DOCA_RDMA_SRQ_TYPE_CYCLIC;
	struct doca_rdma *rdma;
	uint32_t n = 0;

	if (allocount_works)
		RUNS_OUT(0, doca_rdma_srq_create(fake_dev(), &srq));
	PASSES(doca_rdma_srq_create(fake_dev(), &srq));
	PASSES(doca_rdma_srq_get_type(srq, &type));
	ck_assert_int_eq(type, DOCA_RDMA_SRQ_TYPE_LINKED_LIST);
	PASSES(doca_rdma_srq_set_type(srq, DOCA_RDMA_SRQ_TYPE_CYCLIC));
	PASSES(doca_rdma_srq_get_type(srq, &type));
	ck_assert_int_eq(type, DOCA_RDMA_SRQ_TYPE_CYCLIC);
	PASSES(doca_rdma_srq_set_shared_recv_queue_size(srq, FAKE_MAX_QUEUE));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_rdma_srq_set_shared_recv_queue_size(srq, FAKE_MAX_QUEUE + 1));
	PASSES(doca_rdma_srq_get_shared_recv_queue_size(srq, &n));
	ck_assert_uint_eq(n, FAKE_MAX_QUEUE);
	PASSES(doca_rdma_srq_task_receive_get_dst_buf_list_len(srq, &n));
	ck_assert_uint_eq(n, 1);
	PASSES(doca_rdma_srq_task_receive_set_dst_buf_list_len(srq, 5));
	PASSES(doca_rdma_srq_task_receive_get_dst_buf_list_len(srq, &n));
	ck_assert_uint_eq(n, 5);
	/* No task could be posted to it. */
	ctx = CALLED(doca_rdma_srq_as_ctx(srq));
	ck_ok(doca_pe_create(&pe));
	ck_ok(doca_pe_connect_ctx(pe, ctx));
	ck_fails(doca_ctx_start(ctx), DOCA_ERROR_NOT_SUPPORTED);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "doca_rdma_create"));
	ck_ok(doca_ctx_get_state(ctx, &state));
	ck_assert_int_eq(state, DOCA_CTX_STATE_IDLE);
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_create_with_srq(fake_dev(), srq, &rdma));
	PASSES(doca_rdma_srq_destroy(srq));
	ck_ok(doca_pe_destroy(pe));
}
END_TEST

START_TEST(test_shared_queue_codes)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(fake_dev());
	struct doca_dpa_dev_rdma_srq *handle;
	enum doca_rdma_srq_type type;
	struct doca_rdma_srq *srq;
	struct doca_rdma *rdma;
	uint32_t n;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_srq_create(NULL, &srq));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_srq_create(fake_dev(), NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_srq_create(fake_unsupported_dev(), &srq));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_srq_destroy(NULL));
	ck_assert_ptr_null(CALLED(doca_rdma_srq_as_ctx(NULL)));
	PASSES(doca_rdma_srq_create(fake_dev(), &srq));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_create_with_srq(NULL, srq, &rdma));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_create_with_srq(fake_dev(), NULL, &rdma));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_create_with_srq(fake_dev(), srq, NULL));
#define CAP(name)                                                                        \
	do {                                                                             \
		RETURNS(DOCA_ERROR_DRIVER, doca_rdma_srq_cap_##name(info, &n));          \
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_srq_cap_##name(NULL, &n));   \
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_srq_cap_##name(info, NULL)); \
	} while (0)
	CAP(get_max_shared_recv_queue_size);
	CAP(task_receive_get_max_dst_buf_list_len);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_srq_set_shared_recv_queue_size(NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_srq_set_shared_recv_queue_size(srq, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_srq_get_shared_recv_queue_size(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_srq_get_shared_recv_queue_size(srq, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_srq_task_receive_set_dst_buf_list_len(NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_srq_task_receive_set_dst_buf_list_len(srq, FAKE_MAX_SGES + 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_srq_task_receive_get_dst_buf_list_len(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_srq_task_receive_get_dst_buf_list_len(srq, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_srq_set_type(NULL, DOCA_RDMA_SRQ_TYPE_CYCLIC));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_srq_set_type(srq, (enum doca_rdma_srq_type)2));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_srq_get_type(NULL, &type));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_srq_get_type(srq, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_srq_get_dpa_handle(NULL, &handle));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_srq_get_dpa_handle(srq, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_srq_get_dpa_handle(srq, &handle));
	PASSES(doca_rdma_srq_destroy(srq));
}
END_TEST

static const struct documented documented[] = {
	{"doca_rdma_create_with_srq", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_srq_as_ctx", ""},
	{"doca_rdma_srq_cap_get_max_shared_recv_queue_size", "INVALID_VALUE DRIVER"},
	{"doca_rdma_srq_cap_task_receive_get_max_dst_buf_list_len", "INVALID_VALUE DRIVER"},
	{"doca_rdma_srq_create", "INVALID_VALUE NO_MEMORY"},
	{"doca_rdma_srq_destroy", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_srq_get_dpa_handle", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_srq_get_shared_recv_queue_size", "INVALID_VALUE"},
	{"doca_rdma_srq_get_type", "INVALID_VALUE"},
	{"doca_rdma_srq_set_shared_recv_queue_size", "INVALID_VALUE NOT_SUPPORTED BAD_STATE"},
	{"doca_rdma_srq_set_type", "INVALID_VALUE BAD_STATE"},
	{"doca_rdma_srq_task_receive_get_dst_buf_list_len", "INVALID_VALUE"},
	{"doca_rdma_srq_task_receive_set_dst_buf_list_len", "INVALID_VALUE BAD_STATE"},
	{NULL},
};

static const struct unreachable unreachable[] = {
	{"doca_rdma_srq_destroy", "BAD_STATE", "no queue can be started"},
	{"doca_rdma_srq_set_shared_recv_queue_size", "BAD_STATE", "no queue can be started"},
	{"doca_rdma_srq_set_type", "BAD_STATE", "no queue can be started"},
	{"doca_rdma_srq_task_receive_set_dst_buf_list_len", "BAD_STATE", "no queue can be started"},
	{NULL},
};

static bool finish(void)
{
	return cover_report("2.6 doca_rdma_srq", documented, unreachable);
}
#else
static const struct documented documented[] = {
	{"doca_rdma_connect", "INVALID_VALUE BAD_STATE CONNECTION_ABORTED NOT_SUPPORTED"},
	{NULL},
};

static const struct unreachable unreachable[] = {
	{"doca_rdma_connect", "NOT_SUPPORTED", "whatever fails has a code that says more"},
	{NULL},
};

static bool finish(void)
{
	return cover_report("2.5 doca_rdma", documented, unreachable);
}
#endif

int main(void)
{
	Suite *suite = suite_create("rdma of 2.5 and 2.6");
	TCase *tcase = unit_case(suite, "one connection", UNIT_TIMEOUT);
	int status;

	cover_init();
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_connection);
	tcase_add_test(tcase, test_connection_fails);
	tcase_add_test(tcase, test_stop_while_starting);
	tcase_add_test(tcase, test_what_is_set);
	tcase_add_test(tcase, test_kinds);
	tcase_add_test(tcase, test_event_is_read);
#if DOCA_USE_VERSION == 206
	tcase_add_test(tcase, test_shared_queue);
	tcase_add_test(tcase, test_shared_queue_codes);
#endif
	status = unit_run(suite);
	return finish() ? status : 1;
}
