/*
 * RDMA of 2.7 and 2.8, on the fake provider: the context is RUNNING as soon as it is started, and
 * the object's one connection, which export, connect and tasks do not name, is made by details or
 * by address. Compiled for 2.8.
 */
#define DOCA_USE_VERSION 208
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>
#include <dococ.h>

#include "tests/unit/client/rdma/fake_provider.h"
#include "tests/unit/unit.h"

#define LEN     64u
#define PORT    4711u
#define N_TASKS 4u

#define ck_ok(call)         ck_assert_int_eq(call, DOCA_SUCCESS)
#define ck_fails(call, how) ck_assert_int_eq(call, how)
#define ck_says(text)       ck_assert_ptr_nonnull(strstr(dococ_last_error(), text))

/* Programs of 2.8 do not have it; a library of theirs that was built for 2.9 may call it. */
doca_error_t set_max_num_connections(struct doca_rdma *rdma,
				     uint16_t n) __asm__("doca_rdma_set_max_num_connections");

struct end {
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	const void *details;
	size_t details_len;
	struct doca_rdma_connection *conn; /* by address */
	unsigned n_requested, n_established, n_failures, n_disconnected;
	unsigned n_ok, n_failed;
	doca_error_t status;
	uint8_t memory[LEN];
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
};

static struct end a, b;
static const union doca_data no_data;

static void count(struct end *end, struct doca_task *task)
{
	end->status = doca_task_get_status(task);
	if (end->status == DOCA_SUCCESS)
		end->n_ok++;
	else
		end->n_failed++;
}

/* The program keeps the task and submits it again. */
static void on_sent(struct doca_rdma_task_send *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	(void)task_data;
	count(ctx_data.ptr, doca_rdma_task_send_as_task(task));
}

static void on_received(struct doca_rdma_task_receive *task, union doca_data task_data,
			union doca_data ctx_data)
{
	(void)task_data;
	count(ctx_data.ptr, doca_rdma_task_receive_as_task(task));
	doca_task_free(doca_rdma_task_receive_as_task(task));
}

static void on_request(struct doca_rdma_connection *conn, union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	end->n_requested++;
	end->conn = conn;
	ck_ok(doca_rdma_connection_accept(conn));
	ck_ok(doca_rdma_connection_set_user_data(conn, ctx_data));
	ck_fails(doca_rdma_connection_accept(conn), DOCA_ERROR_INVALID_VALUE);
}

static void on_established(struct doca_rdma_connection *conn, union doca_data conn_data,
			   union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	ck_assert_ptr_eq(conn_data.ptr, end);
	end->n_established++;
	end->conn = conn;
}

static void on_failure(struct doca_rdma_connection *conn, union doca_data conn_data,
		       union doca_data ctx_data)
{
	(void)conn;
	(void)conn_data;
	((struct end *)ctx_data.ptr)->n_failures++;
}

static void on_disconnected(struct doca_rdma_connection *conn, union doca_data conn_data,
			    union doca_data ctx_data)
{
	(void)conn_data;
	((struct end *)ctx_data.ptr)->n_disconnected++;
	ck_ok(doca_rdma_connection_disconnect(conn));
}

static void end_open(struct end *end)
{
	*end = (struct end){.n_ok = 0};
	ck_ok(doca_pe_create(&end->pe));
	ck_ok(doca_rdma_create(fake_dev(), &end->rdma));
	end->ctx = doca_rdma_as_ctx(end->rdma);
	ck_ok(doca_rdma_task_send_set_conf(end->rdma, on_sent, on_sent, N_TASKS));
	ck_ok(doca_rdma_task_receive_set_conf(end->rdma, on_received, on_received, N_TASKS));
	ck_ok(doca_rdma_set_connection_state_callbacks(end->rdma, on_request, on_established,
						       on_failure, on_disconnected));
	ck_ok(doca_ctx_set_user_data(end->ctx, (union doca_data){.ptr = end}));
	ck_ok(doca_pe_connect_ctx(end->pe, end->ctx));
	ck_ok(doca_mmap_create(&end->mmap));
	ck_ok(doca_mmap_set_memrange(end->mmap, end->memory, LEN));
	ck_ok(doca_mmap_set_permissions(end->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	ck_ok(doca_mmap_add_dev(end->mmap, fake_dev()));
	ck_ok(doca_mmap_start(end->mmap));
	ck_ok(doca_buf_inventory_create(N_TASKS, &end->inventory));
	ck_ok(doca_buf_inventory_start(end->inventory));
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

static void stop(struct end *end)
{
	doca_error_t result = doca_ctx_stop(end->ctx);

	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	progress();
	ck_assert_int_eq(state_of(end), DOCA_CTX_STATE_IDLE);
}

static void end_close(struct end *end)
{
	ck_ok(doca_rdma_destroy(end->rdma));
	ck_ok(doca_buf_inventory_destroy(end->inventory));
	ck_ok(doca_mmap_destroy(end->mmap));
	ck_ok(doca_pe_destroy(end->pe));
}

static void setup(void)
{
	fake_reset();
	end_open(&a);
	end_open(&b);
}

static void teardown(void)
{
	if (state_of(&a) != DOCA_CTX_STATE_IDLE)
		stop(&a);
	if (state_of(&b) != DOCA_CTX_STATE_IDLE)
		stop(&b);
	end_close(&a);
	end_close(&b);
	ck_assert_uint_eq(fake_n_ports, 0);
}

static void start_both(void)
{
	ck_ok(doca_ctx_start(a.ctx));
	ck_ok(doca_ctx_start(b.ctx));
	ck_assert_int_eq(state_of(&a), DOCA_CTX_STATE_RUNNING);
}

static void export(struct end *end)
{
	ck_ok(doca_rdma_export(end->rdma, &end->details, &end->details_len));
	ck_assert_uint_le(end->details_len, 256);
}

static void connect_by_details(void)
{
	export(&a);
	export(&b);
	ck_ok(doca_rdma_connect(a.rdma, b.details, b.details_len));
	ck_ok(doca_rdma_connect(b.rdma, a.details, a.details_len));
}

static doca_error_t ask(struct end *end)
{
	struct doca_rdma_addr *addr;
	doca_error_t result;

	ck_ok(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "192.0.2.1", PORT, &addr));
	result = doca_rdma_connect_to_addr(end->rdma, addr, (union doca_data){.ptr = end});
	ck_ok(doca_rdma_addr_destroy(addr));
	return result;
}

static void receive_any(struct end *end)
{
	struct doca_rdma_task_receive *task;

	ck_ok(doca_rdma_task_receive_allocate_init(end->rdma, NULL, no_data, &task));
	ck_ok(doca_task_submit(doca_rdma_task_receive_as_task(task)));
}

static struct doca_task *empty_send(const struct end *end)
{
	struct doca_rdma_task_send *task;

	ck_ok(doca_rdma_task_send_allocate_init(end->rdma, NULL, no_data, &task));
	return doca_rdma_task_send_as_task(task);
}

START_TEST(test_by_details)
{
	struct doca_rdma_task_receive *receive;
	struct doca_rdma_task_send *send;
	struct doca_buf *src, *dst;
	const void *details;
	size_t len;

	ck_fails(doca_rdma_export(a.rdma, &details, &len), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_rdma_connect(a.rdma, "junk", 4), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_rdma_task_send_allocate_init(a.rdma, NULL, no_data, &send),
		 DOCA_ERROR_BAD_STATE);
	for (unsigned i = 1; i < 3; i++) {
		start_both();
		ck_fails(doca_rdma_connect(a.rdma, "junk", 4), DOCA_ERROR_BAD_STATE);
		export(&a);
		ck_ok(doca_rdma_export(a.rdma, &details, &len));
		ck_assert_ptr_eq(details, a.details);
		ck_assert_uint_eq(len, a.details_len);
		ck_fails(doca_rdma_connect(a.rdma, "junk", 4), DOCA_ERROR_INVALID_VALUE);
		connect_by_details();
		ck_fails(doca_rdma_connect(a.rdma, b.details, b.details_len), DOCA_ERROR_BAD_STATE);
		ck_says("running");
		/* The task waits until the connection is established. */
		memcpy(a.memory, "ten bytes", 10);
		ck_ok(doca_buf_inventory_buf_get_by_data(a.inventory, a.mmap, a.memory, 10, &src));
		ck_ok(doca_buf_inventory_buf_get_by_addr(b.inventory, b.mmap, b.memory, LEN, &dst));
		ck_ok(doca_rdma_task_receive_allocate_init(b.rdma, dst, no_data, &receive));
		ck_ok(doca_task_submit(doca_rdma_task_receive_as_task(receive)));
		ck_ok(doca_rdma_task_send_allocate_init(a.rdma, src, no_data, &send));
		ck_ok(doca_task_submit(doca_rdma_task_send_as_task(send)));
		ck_assert_uint_eq(a.n_ok, i - 1);
		progress();
		ck_assert_uint_eq(a.n_ok, i);
		ck_assert_uint_eq(b.n_ok, i);
		ck_assert_mem_eq(b.memory, "ten bytes", 10);
		doca_task_free(doca_rdma_task_send_as_task(send));
		ck_ok(doca_buf_dec_refcount(src, NULL));
		ck_ok(doca_buf_dec_refcount(dst, NULL));
		stop(&a);
		stop(&b);
	}
	/* None of the callbacks is called for a connection by details. */
	ck_assert_uint_eq(a.n_established + a.n_failures + a.n_disconnected, 0);
}
END_TEST

START_TEST(test_by_address)
{
	struct doca_task *task;

	start_both();
	ck_ok(doca_rdma_start_listen_to_port(b.rdma, PORT));
	/* A task belongs to no connection before it is submitted. */
	task = empty_send(&a);
	ck_fails(doca_task_submit(task), DOCA_ERROR_NOT_CONNECTED);
	for (unsigned i = 1; i < 3; i++) {
		const void *details;
		size_t len;

		ck_ok(ask(&a));
		progress();
		ck_assert_uint_eq(b.n_requested, i);
		ck_assert_uint_eq(a.n_established, i);
		ck_assert_uint_eq(b.n_established, i);
		ck_fails(ask(&a), DOCA_ERROR_CONNECTION_ABORTED);
		ck_fails(doca_rdma_export(a.rdma, &details, &len), DOCA_ERROR_BAD_STATE);
		ck_says("in use");
		ck_fails(doca_rdma_connect(a.rdma, "junk", 4), DOCA_ERROR_BAD_STATE);
		receive_any(&b);
		ck_ok(doca_task_submit(task));
		progress();
		ck_assert_uint_eq(a.n_ok, i);
		ck_assert_uint_eq(b.n_ok, i);
		ck_ok(doca_rdma_connection_disconnect(a.conn));
		ck_fails(doca_task_submit(task), DOCA_ERROR_NOT_CONNECTED);
		progress();
		ck_assert_uint_eq(b.n_disconnected, i);
	}
	doca_task_free(task);
	/* Then by details. */
	connect_by_details();
	receive_any(&b);
	task = empty_send(&a);
	ck_ok(doca_task_submit(task));
	progress();
	ck_assert_uint_eq(b.n_ok, 3);
	ck_assert_uint_eq(b.n_established, 2);
	doca_task_free(task);
}
END_TEST

/* A connection that was released has a request in flight: its slot is not free yet. */
START_TEST(test_export_while_ending)
{
	struct doca_task *task;
	const void *details;
	size_t len;

	start_both();
	ck_ok(doca_rdma_start_listen_to_port(b.rdma, PORT));
	ck_ok(ask(&a));
	progress();
	task = empty_send(&a);
	fake.holds = true;
	ck_ok(doca_task_submit(task));
	ck_ok(doca_rdma_connection_disconnect(a.conn));
	ck_fails(doca_rdma_export(a.rdma, &details, &len), DOCA_ERROR_BAD_STATE);
	ck_says("progress until");
	fake.holds = false;
	progress();
	ck_assert_uint_eq(a.n_failed, 1);
	export(&a);
	doca_task_free(task);
}
END_TEST

START_TEST(test_accept_refused)
{
	ck_fails(doca_rdma_connection_accept(NULL), DOCA_ERROR_INVALID_VALUE);
	start_both();
	ck_ok(doca_rdma_start_listen_to_port(b.rdma, PORT));
	ck_ok(ask(&a));
	progress();
	ck_fails(doca_rdma_connection_accept(a.conn), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_rdma_connection_accept(b.conn), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

/* Which of several connections a call means that names none cannot be known. */
START_TEST(test_several_connections)
{
	struct doca_rdma_task_send *task;
	const void *details;
	size_t len;

	ck_ok(set_max_num_connections(a.rdma, 2));
	ck_ok(doca_ctx_start(a.ctx));
	ck_fails(doca_rdma_export(a.rdma, &details, &len), DOCA_ERROR_BAD_STATE);
	ck_says("2 connections");
	ck_fails(doca_rdma_connect(a.rdma, "junk", 4), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_rdma_task_send_allocate_init(a.rdma, NULL, no_data, &task),
		 DOCA_ERROR_BAD_STATE);
	stop(&a);
	ck_ok(set_max_num_connections(a.rdma, 1));
	ck_ok(doca_ctx_start(a.ctx));
	export(&a);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rdma of 2.7 and 2.8");
	TCase *tcase = unit_case(suite, "one connection", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_by_details);
	tcase_add_test(tcase, test_by_address);
	tcase_add_test(tcase, test_export_while_ending);
	tcase_add_test(tcase, test_accept_refused);
	tcase_add_test(tcase, test_several_connections);
	return unit_run(suite);
}
