/*
 * RDMA engine: life cycle of a context. Stops in every state and from every callback, restarts,
 * failing starts, removed devices, sleep and wake-up, graphs, and the restrictions of the hot path.
 */
#include <errno.h>
#include <string.h>

#include <doca_graph.h>

#include "tests/lib/allocount.h"
#include "tests/unit/client/rdma/fixture.h"

static struct end a, b;

static void setup(void)
{
	ends_open(&a, &b);
}

static void teardown(void)
{
	ends_close(&a, &b);
}

static void submit(struct doca_task *task)
{
	ck_ok(doca_task_submit(task));
}

static struct doca_task *empty_send(uint64_t n)
{
	return END_TASK(&a, send, a.conn, NULL, DATA(n));
}

static void receive_any(struct end *end, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		submit(END_TASK(end, receive, NULL, DATA(1000 + i)));
}

/* --- stop --- */

START_TEST(test_stop_idle)
{
	ck_ok(doca_ctx_stop(a.ctx));
	ck_assert_int_eq(unit_state(a.ctx), IDLE);
	ck_assert_uint_eq(fake_n_ports, 1);
	ends_progress(&a, &b);
	/* The other end's engine detects it, its program gets no callback. */
	ck_assert_int_eq(b.conn->state, CONN_OVER);
	ck_assert_uint_eq(a.n_disconnections + b.n_disconnections, 0);
	ck_ok(doca_ctx_stop(a.ctx));
}
END_TEST

START_TEST(test_stop_flushes)
{
	receive_any(&a, 3);
	/* In flight, because no receive is posted. */
	submit(empty_send(1));
	submit(empty_send(2));
	ends_progress(&a, &b);
	ck_fails(doca_ctx_stop(a.ctx), DOCA_ERROR_IN_PROGRESS);
	ck_assert_int_eq(unit_state(a.ctx), STOPPING);
	ck_fails(doca_ctx_stop(a.ctx), DOCA_ERROR_IN_PROGRESS);
	ck_fails(doca_rdma_destroy(a.rdma), DOCA_ERROR_BAD_STATE);
	unit_progress(a.pe);
	ck_assert_uint_eq(a.n_failed, 5);
	ck_assert_int_eq(a.status, DOCA_ERROR_SHUTDOWN);
	ck_assert_int_eq(unit_state(a.ctx), IDLE);
	/* Callbacks of connections do not run meanwhile. */
	ck_assert_uint_eq(a.n_failures + a.n_disconnections, 0);
}
END_TEST

START_TEST(test_stop_waits_for_tasks)
{
	struct doca_task *held = empty_send(1);

	a.keeps = true;
	receive_any(&a, 1);
	ck_fails(doca_ctx_stop(a.ctx), DOCA_ERROR_IN_PROGRESS);
	unit_progress(a.pe);
	ck_assert_uint_eq(a.n_failed, 1);
	ck_fails(doca_task_submit(held), DOCA_ERROR_BAD_STATE);
	ck_assert_int_eq(unit_state(a.ctx), STOPPING);
	doca_task_free(held);
	unit_progress(a.pe);
	ck_assert_int_eq(unit_state(a.ctx), STOPPING);
	doca_task_free(a.last);
	unit_progress(a.pe);
	ck_assert_int_eq(unit_state(a.ctx), IDLE);
}
END_TEST

/* The other end's last messages are acknowledged before the port is closed. */
START_TEST(test_stop_disconnects)
{
	fake.n_draining = UINT_MAX;
	ck_fails(doca_ctx_stop(a.ctx), DOCA_ERROR_IN_PROGRESS);
	ck_says("is still ending its connections; progress until it is idle");
	unit_progress(a.pe);
	ck_assert_int_eq(unit_state(a.ctx), STOPPING);
	ck_assert_uint_eq(fake_n_ports, 2);
	fake.n_draining = 0;
	unit_progress(a.pe);
	ck_assert_int_eq(unit_state(a.ctx), IDLE);
	ck_assert_uint_eq(fake_n_ports, 1);
}
END_TEST

START_TEST(test_stop_while_connecting)
{
	end_stop(&a);
	end_stop(&b);
	a.n_failed = 0;
	ck_ok(doca_ctx_start(a.ctx));
	ck_ok(doca_ctx_start(b.ctx));
	fake.waits = true;
	end_export(&a);
	end_export(&b);
	end_connect(&a, &b);
	submit(empty_send(1));
	submit(empty_send(2));
	ck_fails(doca_ctx_stop(a.ctx), DOCA_ERROR_IN_PROGRESS);
	unit_progress(a.pe);
	ck_assert_uint_eq(a.n_failed, 2);
	ck_assert_int_eq(a.status, DOCA_ERROR_SHUTDOWN);
	ck_assert_int_eq(unit_state(a.ctx), IDLE);
	ck_ok(doca_ctx_stop(b.ctx));
	ck_assert_uint_eq(fake_n_qps, 0);
}
END_TEST

START_TEST(test_stop_while_requested)
{
	struct doca_rdma_addr *addr;

	ck_ok(doca_rdma_connection_disconnect(a.conn));
	ends_progress(&a, &b);
	ck_ok(doca_rdma_connection_disconnect(b.conn));
	ck_ok(doca_rdma_start_listen_to_port(b.rdma, 9));
	ck_ok(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv6, "::1", 9, &addr));
	ck_ok(doca_rdma_connect_to_addr(a.rdma, addr, DATA(1)));
	ck_ok(doca_rdma_addr_destroy(addr));
	ends_progress(&a, &b);
	ck_assert_uint_eq(b.n_requests, 1);
	ck_ok(doca_ctx_stop(b.ctx));
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_failures, 1);
	ck_assert_uint_eq(b.n_failures, 0);
	ck_assert_uint_eq(fake_n_qps, 0);
}
END_TEST

static void stop_now(struct end *end)
{
	ck_fails(doca_ctx_stop(end->ctx), DOCA_ERROR_IN_PROGRESS);
}

static void free_and_stop(struct end *end, struct doca_task *task)
{
	doca_task_free(task);
	if (end->n_order == 1) {
		ck_ok(doca_rdma_connection_disconnect(end->conn));
		stop_now(end);
	}
}

START_TEST(test_stop_in_task_callback)
{
	receive_any(&b, 1);
	receive_any(&a, 2);
	a.on_task = free_and_stop;
	submit(empty_send(1));
	submit(empty_send(2));
	ends_progress(&a, &b);
	ck_assert_int_eq(unit_state(a.ctx), IDLE);
	ck_assert_uint_eq(a.n_ok, 1);
	ck_assert_uint_eq(a.n_failed, 3);
	ck_assert_uint_eq(b.n_ok, 1);
	ck_assert_int_eq(b.conn->state, CONN_OVER);
}
END_TEST

static void stop_when_notified(struct end *end, struct doca_rdma_connection *conn)
{
	(void)conn;
	stop_now(end);
}

START_TEST(test_stop_in_connection_callback)
{
	ck_ok(doca_rdma_connection_disconnect(a.conn));
	ck_ok(doca_rdma_connection_disconnect(b.conn));
	ends_progress(&a, &b);
	ends_connect_by_address(&a, &b);
	receive_any(&a, 1);
	a.on_disconnection = a.on_failure = stop_when_notified;
	if (_i == 0)
		ck_ok(doca_rdma_connection_disconnect(b.conn));
	else
		fake_break(a.conn->qp, DOCA_ERROR_CONNECTION_RESET);
	ends_progress(&a, &b);
	ck_assert_int_eq(unit_state(a.ctx), IDLE);
	ck_assert_uint_eq(a.n_failed, 1);
}
END_TEST

/* Like programs that do everything in the state callback. */
static void work_when_running(const union doca_data user_data, struct doca_ctx *ctx,
			      enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct end *end = user_data.ptr, *other = end == &a ? &b : &a;

	end_state(user_data, ctx, prev, next);
	if (next == STOPPING && end->conn != NULL)
		ck_ok(doca_rdma_connection_disconnect(end->conn));
	if (next != RUNNING)
		return;
	end_export(end);
	if (other->conn != NULL)
		end_connect(end, other);
	submit(END_TASK(end, receive, NULL, DATA(1)));
}

START_TEST(test_work_in_state_callback)
{
	end_stop(&a);
	end_stop(&b);
	a.conn = b.conn = NULL;
	a.n_states = b.n_states = a.n_failed = b.n_failed = 0;
	ck_ok(doca_ctx_set_state_changed_cb(a.ctx, work_when_running));
	ck_ok(doca_ctx_set_state_changed_cb(b.ctx, work_when_running));
	ck_ok(doca_ctx_start(a.ctx));
	ck_ok(doca_ctx_start(b.ctx));
	end_connect(&a, &b);
	submit(END_TASK(&b, send, b.conn, NULL, DATA(2)));
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_ok, 1);
	ck_assert_uint_eq(b.n_ok, 1);
	ck_fails(doca_ctx_stop(b.ctx), DOCA_ERROR_IN_PROGRESS);
	ends_progress(&a, &b);
	ck_assert_int_eq(unit_state(b.ctx), IDLE);
	ck_assert_int_eq(a.conn->state, CONN_OVER);
}
END_TEST

/* --- start --- */

START_TEST(test_restart)
{
	const void *old = a.details;

	for (uint32_t i = 1; i < 4; i++) {
		receive_any(&b, 1);
		submit(empty_send(i));
		ends_progress(&a, &b);
		ck_assert_uint_eq(a.n_ok, i);
		end_stop(&a);
		end_stop(&b);
		ck_assert_uint_eq(fake_n_ports, 0);
		ck_ok(doca_ctx_start(a.ctx));
		ck_ok(doca_ctx_start(b.ctx));
		/* Connections of the time before the stop do not exist any more. */
		ck_fails(doca_rdma_connect(a.rdma, b.details, b.details_len, a.conn),
			 DOCA_ERROR_INVALID_VALUE);
		ends_connect(&a, &b);
		/* The configuration stays. */
		ck_assert_uint_eq(fake_conf.max_qps, 1);
		ck_assert_uint_eq(fake_conf.permissions, 15);
	}
	ck_assert_ptr_eq(old, a.details);
}
END_TEST

START_TEST(test_start_fails)
{
	end_stop(&a);
	fake.open = DOCA_ERROR_OPERATING_SYSTEM;
	ck_fails(doca_ctx_start(a.ctx), DOCA_ERROR_OPERATING_SYSTEM);
	ck_assert_int_eq(unit_state(a.ctx), IDLE);
	fake.open = DOCA_SUCCESS;
	ck_ok(doca_ctx_start(a.ctx));
	end_stop(&a);
	/* One allocation for each kind, then one for connections if there are several. */
	ck_ok(doca_rdma_set_max_num_connections(a.rdma, 5));
	for (unsigned n = 0; allocount_works && n <= RDMA_N_KINDS; n++) {
		doca_error_t result;

		allocount_fail_after(n);
		result = doca_ctx_start(a.ctx);
		allocount_fail_never();
		ck_fails(result, DOCA_ERROR_NO_MEMORY);
		ck_assert_int_eq(unit_state(a.ctx), IDLE);
	}
	ck_ok(doca_rdma_set_max_num_connections(a.rdma, 7));
	ck_ok(doca_ctx_start(a.ctx));
	ck_assert_uint_eq(fake_conf.max_qps, 7);
}
END_TEST

START_TEST(test_configuration)
{
	struct doca_rdma *rdma;
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	uint32_t n;
	uint8_t small;
	uint16_t time;
	enum doca_mtu_size mtu;

	ck_ok(doca_rdma_create(&unit_dev, &rdma));
	ctx = doca_rdma_as_ctx(rdma);
	ck_ok(doca_pe_create(&pe));
	ck_ok(doca_pe_connect_ctx(pe, ctx));
	/* Without task types: permissions for peers and connections are enough to start. */
	ck_ok(doca_ctx_start(ctx));
	ck_assert_uint_eq(fake_conf.send_queue, 256);
	ck_assert_uint_eq(fake_conf.recv_queue, 256);
	ck_assert_uint_eq(fake_conf.max_send_sges, 1);
	ck_assert_uint_eq(fake_conf.max_recv_sges, 1);
	ck_assert_uint_eq(fake_conf.max_qps, 1);
	ck_assert_uint_eq(fake_conf.permissions, 0);
	ck_assert_uint_eq(fake_conf.mtu, 1024);
	ck_assert_uint_eq(fake_conf.rnr_retry, 7);
	ck_assert_uint_eq(fake_conf.connect_timeout_ms, 5000);
	ck_assert(fake_conf.grh);
	ck_fails(doca_rdma_set_send_queue_size(rdma, 1), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_ctx_stop(ctx));
	ck_ok(doca_rdma_set_send_queue_size(rdma, 3));
	ck_ok(doca_rdma_set_recv_queue_size(rdma, 4));
	ck_ok(doca_rdma_set_max_send_buf_list_len(rdma, 5));
	ck_ok(doca_rdma_task_receive_set_dst_buf_list_len(rdma, 6));
	ck_ok(doca_rdma_set_mtu(rdma, DOCA_MTU_SIZE_2K_BYTES));
	ck_ok(doca_rdma_set_gid_index(rdma, 2));
	ck_ok(doca_rdma_set_sl(rdma, 15));
	ck_ok(doca_rdma_set_grh_enabled(rdma, 0));
	ck_ok(doca_rdma_set_rnr_retry_count(rdma, 2));
	ck_ok(doca_rdma_set_connection_request_timeout(rdma, 9));
	ck_ok(doca_ctx_start(ctx));
	ck_assert_uint_eq(fake_conf.send_queue, 3);
	ck_assert_uint_eq(fake_conf.recv_queue, 4);
	ck_assert_uint_eq(fake_conf.max_send_sges, 5);
	ck_assert_uint_eq(fake_conf.max_recv_sges, 6);
	ck_assert_uint_eq(fake_conf.mtu, 2048);
	ck_assert_uint_eq(fake_conf.gid_index, 2);
	ck_assert_uint_eq(fake_conf.sl, 15);
	ck_assert(!fake_conf.grh);
	ck_assert_uint_eq(fake_conf.rnr_retry, 2);
	ck_assert_uint_eq(fake_conf.connect_timeout_ms, 9);
	ck_ok(doca_rdma_get_send_queue_size(rdma, &n));
	ck_assert_uint_eq(n, 3);
	ck_ok(doca_rdma_get_recv_queue_size(rdma, &n));
	ck_assert_uint_eq(n, 4);
	ck_ok(doca_rdma_get_max_send_buf_list_len(rdma, &n));
	ck_assert_uint_eq(n, 5);
	ck_ok(doca_rdma_task_receive_get_dst_buf_list_len(rdma, &n));
	ck_assert_uint_eq(n, 6);
	ck_ok(doca_rdma_get_mtu(rdma, &mtu));
	ck_assert_int_eq(mtu, DOCA_MTU_SIZE_2K_BYTES);
	ck_ok(doca_rdma_get_grh_enabled(rdma, &small));
	ck_assert_uint_eq(small, 0);
	ck_ok(doca_rdma_get_rnr_retry_count(rdma, &small));
	ck_assert_uint_eq(small, 2);
	ck_ok(doca_rdma_get_connection_request_timeout(rdma, &time));
	ck_assert_uint_eq(time, 9);
	ck_ok(doca_ctx_stop(ctx));
	ck_ok(doca_rdma_destroy(rdma));
	ck_ok(doca_pe_destroy(pe));
}
END_TEST

START_TEST(test_no_provider)
{
	struct doca_devinfo info = {.refs = 1, .name = "p1"};
	struct doca_dev dev = {.info = &info, .n_opens = 1};
	struct doca_rdma *rdma = NULL;
	uint32_t n = 7;

	ck_fails(doca_rdma_create(&dev, &rdma), DOCA_ERROR_INITIALIZATION);
	ck_says("not the fake device");
	ck_assert_ptr_null(rdma);
	ck_fails(doca_rdma_cap_get_max_message_size(&info, &n), DOCA_ERROR_DRIVER);
	ck_assert_uint_eq(n, 7);
	ck_fails(doca_rdma_cap_task_send_is_supported(&info), DOCA_ERROR_NOT_SUPPORTED);
	ck_ok(doca_rdma_cap_task_atomic_cmp_swp_is_supported(&unit_info));
	fake.has_no_atomics = true;
	ck_fails(doca_rdma_cap_task_atomic_cmp_swp_is_supported(&unit_info),
		 DOCA_ERROR_NOT_SUPPORTED);
	ck_fails(doca_rdma_cap_task_remote_net_sync_event_notify_add_is_supported(&unit_info),
		 DOCA_ERROR_NOT_SUPPORTED);
	ck_ok(doca_rdma_cap_task_remote_net_sync_event_get_is_supported(&unit_info));
}
END_TEST

START_TEST(test_gids)
{
	struct doca_rdma_gid gids[FAKE_N_GIDS + 1];

	ck_ok(doca_rdma_cap_get_gid(&unit_info, 1, 2, gids));
	ck_assert_uint_eq(gids[0].raw[0], 2);
	ck_assert_uint_eq(gids[1].raw[15], 3);
	ck_fails(doca_rdma_cap_get_gid(&unit_info, 0, 0, gids), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_rdma_cap_get_gid(&unit_info, 0, 4, gids), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_rdma_cap_get_gid(&unit_info, 3, 1, gids), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_rdma_cap_get_gid(&unit_info, UINT32_MAX, 2, gids), DOCA_ERROR_INVALID_VALUE);
	fake.gid = -EIO;
	ck_fails(doca_rdma_cap_get_gid(&unit_info, 0, 1, gids), DOCA_ERROR_DRIVER);
}
END_TEST

/* --- the device goes --- */

START_TEST(test_device_gone)
{
	receive_any(&a, 2);
	submit(empty_send(1));
	unit_progress(a.pe);
	fake_unplug(a.rdma->domain);
	unit_progress(a.pe);
	ck_assert_uint_eq(a.n_failed, 3);
	ck_assert_int_eq(unit_state(a.ctx), IDLE);
	ck_assert_uint_eq(fake_n_ports, 1);
	ck_assert_int_eq(a.states[a.n_states - 2], STOPPING);
	/* The device came back. */
	ck_ok(doca_ctx_start(a.ctx));
}
END_TEST

/* Events that a provider reports late or twice. */
START_TEST(test_odd_events)
{
	struct rdma_qp *qp;

	ck_ok(doca_rdma_connection_disconnect(a.conn));
	ends_progress(&a, &b);
	ck_ok(doca_rdma_connection_disconnect(b.conn));
	ends_connect_by_address(&a, &b);
	qp = a.conn->qp;
	fake_report(a.rdma->domain, RDMA_QP_ESTABLISHED, qp, DOCA_SUCCESS);
	fake_report(a.rdma->domain, RDMA_QP_BROKEN, qp, DOCA_SUCCESS);
	fake_report(a.rdma->domain, RDMA_QP_BROKEN, qp, DOCA_SUCCESS);
	fake_report(a.rdma->domain, RDMA_QP_DISCONNECTED, qp, DOCA_SUCCESS);
	fake_report(a.rdma->domain, RDMA_QP_ESTABLISHED, qp, DOCA_SUCCESS);
	fake_report(a.rdma->domain, RDMA_QP_FAILED, NULL, DOCA_SUCCESS);
	unit_progress(a.pe);
	ck_assert_uint_eq(a.n_established, 1);
	ck_assert_uint_eq(a.n_failures, 1);
	ck_assert_uint_eq(a.n_disconnections, 0);
}
END_TEST

/* --- sleep --- */

START_TEST(test_wakes)
{
	ck_ok(doca_pe_request_notification(b.pe));
	ck_assert(!unit_is_readable(b.pe));
	ck_assert_uint_eq(fake_n_arms, 1);
	ck_ok(doca_pe_clear_notification(b.pe, 0));
	ck_assert_uint_eq(fake_n_disarms, 1);
	receive_any(&b, 1);
	unit_progress(b.pe);
	ck_ok(doca_pe_request_notification(b.pe));
	ck_assert(!unit_is_readable(b.pe));
	submit(empty_send(1));
	unit_progress(a.pe);
	ck_assert(unit_is_readable(b.pe));
	ck_ok(doca_pe_clear_notification(b.pe, 0));
	ck_assert(!unit_is_readable(b.pe));
	unit_progress(b.pe);
	ck_assert_uint_eq(b.n_ok, 1);
	/* An event that is there already is like a wake-up. */
	receive_any(&b, 1);
	submit(empty_send(2));
	unit_progress(a.pe);
	ck_ok(doca_pe_request_notification(b.pe));
	ck_assert(unit_is_readable(b.pe));
	ck_ok(doca_pe_clear_notification(b.pe, 0));
	unit_progress(b.pe);
	/* Requests to an armed port, for which it was not armed. */
	unit_progress(a.pe);
	ck_ok(doca_pe_request_notification(b.pe));
	ck_assert(!unit_is_readable(b.pe));
	receive_any(&b, 1);
	ck_assert(unit_is_readable(b.pe));
	ck_ok(doca_pe_clear_notification(b.pe, 0));
	ck_ok(doca_pe_request_notification(a.pe));
	ck_assert(!unit_is_readable(a.pe));
	submit(empty_send(3));
	ck_assert(unit_is_readable(a.pe));
	ck_ok(doca_pe_clear_notification(a.pe, 0));
	ends_progress(&a, &b);
	ck_assert_uint_eq(b.n_ok, 3);
	/* The end of a connection wakes, too. */
	ck_ok(doca_pe_request_notification(a.pe));
	ck_assert(!unit_is_readable(a.pe));
	ck_ok(doca_pe_request_notification(b.pe));
	ck_ok(doca_rdma_connection_disconnect(a.conn));
	ck_assert(unit_is_readable(a.pe));
	ck_ok(doca_pe_clear_notification(a.pe, 0));
	ck_assert(unit_is_readable(b.pe));
	ck_ok(doca_pe_clear_notification(b.pe, 0));
	unit_progress(b.pe);
	ck_assert_int_eq(b.conn->state, CONN_OVER);
}
END_TEST

/* --- queues, the hot path --- */

START_TEST(test_full_queues)
{
	struct doca_task *task;

	end_stop(&a);
	ck_ok(doca_rdma_set_send_queue_size(a.rdma, 2));
	ck_ok(doca_rdma_set_recv_queue_size(a.rdma, 3));
	ck_ok(doca_ctx_start(a.ctx));
	end_stop(&b);
	ck_ok(doca_ctx_start(b.ctx));
	ends_connect(&a, &b);
	receive_any(&a, 3);
	task = END_TASK(&a, receive, NULL, DATA(4));
	ck_fails(doca_task_submit(task), DOCA_ERROR_AGAIN);
	doca_task_free(task);
	submit(empty_send(1));
	submit(empty_send(2));
	task = empty_send(3);
	ck_fails(doca_task_try_submit(task), DOCA_ERROR_AGAIN);
	ck_says("progress");
	receive_any(&b, 3);
	ends_progress(&a, &b);
	submit(task);
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_ok, 3);
	fake.post = DOCA_ERROR_INVALID_VALUE;
	task = empty_send(4);
	ck_fails(doca_task_submit(task), DOCA_ERROR_INVALID_VALUE);
	doca_task_free(task);
	fake.post = DOCA_SUCCESS;
}
END_TEST

#define HOT_ROUNDS 5000u

/* Check's macros allocate memory, so these functions use none. */
static uint32_t n_hot, n_hot_failed;
static bool is_hot_over;

static void hot_ok(struct doca_task *task, union doca_data user_data, union doca_data ctx_data)
{
	struct rdma_task *t = rdma_task_of(task);

	(void)user_data;
	(void)ctx_data;
	n_hot++;
	if (t->written != NULL)
		doca_buf_reset_data_len(t->written);
	if (!is_hot_over && doca_task_submit(task) == DOCA_SUCCESS)
		return;
	doca_task_free(task);
}

static void hot_failed(struct doca_task *task, union doca_data user_data, union doca_data ctx_data)
{
	(void)user_data;
	(void)ctx_data;
	n_hot_failed++;
	doca_task_free(task);
}

static void hot_end(struct end *end)
{
	end_stop(end);
	for (unsigned kind = 0; kind < RDMA_N_KINDS; kind++)
		ck_ok(rdma_kind_conf(end->rdma, (enum rdma_kind)kind, hot_ok, hot_failed, 2));
	ck_ok(doca_ctx_start(end->ctx));
}

START_TEST(test_hot_path)
{
	struct doca_buf *src = end_data(&a, 0, 64), *dst = end_remote(&a, &b, 0, 64, 0);
	struct doca_buf *remote_buf = end_remote(&a, &b, 64, 64, 64),
			*back = end_recv_buf(&a, 64, 64);
	struct doca_buf *word = end_remote(&a, &b, 128, 8, 8), *before = end_recv_buf(&a, 128, 8);
	struct doca_buf *room = end_recv_buf(&b, 256, 64);
	uint64_t n;

	hot_end(&a);
	hot_end(&b);
	ends_connect(&a, &b);
	submit(END_TASK(&b, receive, room, DATA(1)));
	submit(END_TASK(&a, send, a.conn, src, DATA(2)));
	submit(END_TASK(&a, write, a.conn, src, dst, DATA(3)));
	submit(END_TASK(&a, read, a.conn, remote_buf, back, DATA(4)));
	submit(END_TASK(&a, atomic_fetch_add, a.conn, word, before, 1, DATA(5)));
	n = allocount_n();
	while (n_hot < HOT_ROUNDS) {
		if (!(doca_pe_progress(a.pe) | doca_pe_progress(b.pe)))
			break;
	}
	n = allocount_n() - n;
	is_hot_over = true;
	ck_assert_uint_eq(n, 0);
	ck_assert_uint_ge(n_hot, HOT_ROUNDS);
	ck_assert_uint_eq(n_hot_failed, 0);
	end_stop(&a);
	end_stop(&b);
	unit_put(src);
	unit_put(dst);
	unit_put(remote_buf);
	unit_put(back);
	unit_put(word);
	unit_put(before);
	unit_put(room);
}
END_TEST

/* A port with a constant stream of completions also gets other events. */
START_TEST(test_busy_port_hears)
{
	struct doca_buf *src = end_data(&a, 0, 8), *dst = end_remote(&a, &b, 0, 8, 0);
	struct doca_rdma_addr *addr;
	uint32_t n;

	hot_end(&a);
	end_stop(&a);
	ck_ok(doca_rdma_set_max_num_connections(a.rdma, 2));
	ck_ok(doca_ctx_start(a.ctx));
	end_stop(&b);
	ck_ok(doca_rdma_set_max_num_connections(b.rdma, 2));
	ck_ok(doca_ctx_start(b.ctx));
	ends_connect(&a, &b);
	ck_ok(doca_rdma_start_listen_to_port(a.rdma, 7));
	submit(END_TASK(&a, write, a.conn, src, dst, DATA(1)));
	submit(END_TASK(&a, write, a.conn, NULL, NULL, DATA(2)));
	ck_ok(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv6, "::1", 7, &addr));
	ck_ok(doca_rdma_connect_to_addr(b.rdma, addr, DATA(1)));
	ck_ok(doca_rdma_addr_destroy(addr));
	for (n = 0; n < 1000 && a.n_requests == 0; n++)
		ck_assert_uint_eq(doca_pe_progress(a.pe), 1);
	ck_assert_uint_eq(a.n_requests, 1);
	is_hot_over = true;
	end_stop(&a);
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* --- lists --- */

#define N_PIECES 16u

START_TEST(test_lists)
{
	struct doca_buf *src = NULL, *dst = NULL, *back = NULL, *remote_buf;
	uint64_t seed = 11;
	size_t at = 0, len = 0;

	end_stop(&a);
	end_stop(&b);
	ck_ok(doca_rdma_set_max_send_buf_list_len(a.rdma, N_PIECES));
	ck_ok(doca_rdma_task_receive_set_dst_buf_list_len(b.rdma, N_PIECES));
	ck_ok(doca_ctx_start(a.ctx));
	ck_ok(doca_ctx_start(b.ctx));
	ends_connect(&a, &b);
	unit_fill(a.memory, END_LEN, 12);
	for (uint32_t i = 0; i < N_PIECES; i++) {
		size_t n = unit_random(&seed) % 60;

		src = unit_chain(src, end_data(&a, at, n));
		at += n;
		len += n;
	}
	for (uint32_t i = 0; i < N_PIECES; i++) {
		/* Some buffers are full, some are not empty. */
		size_t n = i % 5 == 0 ? 0 : 70;

		dst = unit_chain(dst, unit_buf(b.inventory, b.mmap, b.memory + i * 100, 80, 5,
					       n == 0 ? 75 : 5));
		back = unit_chain(back, end_recv_buf(&a, 2000 + i * 70, 70));
	}
	submit(END_TASK(&b, receive, dst, DATA(1)));
	submit(END_TASK(&a, send, a.conn, src, DATA(2)));
	ends_progress(&a, &b);
	ck_assert_uint_eq(b.n_ok, 1);
	at = 0;
	for (struct doca_buf *pos = dst; pos != NULL; pos = pos->next) {
		size_t old = pos->data_len == 75 && pos == dst ? 75 : 5, n;

		if ((size_t)(pos->head - b.memory) / 100 % 5 == 0)
			old = 75;
		n = pos->data_len - old;
		ck_assert_mem_eq(pos->data + old, a.memory + at, n);
		at += n;
	}
	ck_assert_uint_eq(at, len);
	/* A read into a list that it does not fill. */
	remote_buf = end_remote(&a, &b, 0, 1000, 1000);
	submit(END_TASK(&a, read, a.conn, remote_buf, back, DATA(3)));
	ends_progress(&a, &b);
	ck_assert_uint_eq(unit_data_len(back), 1000);
	ck_assert_mem_eq(a.memory + 2000, b.memory, 1000);
	unit_put(src);
	unit_put(dst);
	unit_put(back);
	unit_put(remote_buf);
}
END_TEST

/* --- graphs --- */

static uint32_t n_instances, n_broken_instances;

static void instance_ok(struct doca_graph_instance *instance, union doca_data data,
			union doca_data graph_data)
{
	(void)instance;
	(void)data;
	(void)graph_data;
	n_instances++;
}

static void instance_failed(struct doca_graph_instance *instance, union doca_data data,
			    union doca_data graph_data)
{
	(void)instance;
	(void)data;
	(void)graph_data;
	n_broken_instances++;
}

START_TEST(test_graph)
{
	struct doca_buf *src = end_data(&a, 0, 8), *dst = end_remote(&a, &b, 0, 8, 0);
	struct doca_buf *back = end_recv_buf(&a, 8, 8), *remote_buf = end_remote(&a, &b, 0, 8, 8);
	struct doca_task *write = END_TASK(&a, write, a.conn, src, dst, DATA(1));
	struct doca_task *read = END_TASK(&a, read, a.conn, remote_buf, back, DATA(2));
	struct doca_graph *graph;
	struct doca_graph_node *first, *second;
	struct doca_graph_instance *instance;

	memcpy(a.memory, "a graph", 8);
	n_instances = n_broken_instances = 0;
	ck_ok(doca_graph_create(a.pe, &graph));
	ck_ok(doca_graph_set_conf(graph, instance_ok, instance_failed, 1));
	ck_ok(doca_graph_node_create_from_ctx(graph, a.ctx, &first));
	ck_ok(doca_graph_node_create_from_ctx(graph, a.ctx, &second));
	ck_ok(doca_graph_add_dependency(graph, first, second));
	ck_ok(doca_graph_start(graph));
	ck_ok(doca_graph_instance_create(graph, &instance));
	ck_ok(doca_graph_instance_set_ctx_node_data(instance, first, write));
	ck_ok(doca_graph_instance_set_ctx_node_data(instance, second, read));
	ck_ok(doca_graph_instance_submit(instance));
	ends_progress(&a, &b);
	ck_assert_uint_eq(n_instances, 1);
	ck_assert_str_eq((char *)a.memory + 8, "a graph");
	/* The callbacks of the task types are not called for tasks of a graph. */
	ck_assert_uint_eq(a.n_order, 0);
	/* A failed task fails the instance. */
	ck_ok(doca_buf_reset_data_len(dst));
	ck_ok(doca_buf_reset_data_len(back));
	fake.next = DOCA_ERROR_NOT_PERMITTED;
	ck_ok(doca_graph_instance_submit(instance));
	ends_progress(&a, &b);
	ck_assert_uint_eq(n_broken_instances, 1);
	ck_ok(doca_graph_instance_destroy(instance));
	ck_ok(doca_graph_stop(graph));
	ck_ok(doca_graph_destroy(graph));
	doca_task_free(write);
	doca_task_free(read);
	unit_put(src);
	unit_put(dst);
	unit_put(back);
	unit_put(remote_buf);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rdma life");
	TCase *tcase = unit_case(suite, "two ends", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_stop_idle);
	tcase_add_test(tcase, test_stop_flushes);
	tcase_add_test(tcase, test_stop_waits_for_tasks);
	tcase_add_test(tcase, test_stop_disconnects);
	tcase_add_test(tcase, test_stop_while_connecting);
	tcase_add_test(tcase, test_stop_while_requested);
	tcase_add_test(tcase, test_stop_in_task_callback);
	tcase_add_loop_test(tcase, test_stop_in_connection_callback, 0, 2);
	tcase_add_test(tcase, test_work_in_state_callback);
	tcase_add_test(tcase, test_restart);
	tcase_add_test(tcase, test_start_fails);
	tcase_add_test(tcase, test_device_gone);
	tcase_add_test(tcase, test_odd_events);
	tcase_add_test(tcase, test_wakes);
	tcase_add_test(tcase, test_full_queues);
	tcase_add_test(tcase, test_hot_path);
	tcase_add_test(tcase, test_busy_port_hears);
	tcase_add_test(tcase, test_lists);
	tcase_add_test(tcase, test_graph);
	tcase = unit_case(suite, "alone", UNIT_TIMEOUT);
	tcase_add_test(tcase, test_configuration);
	tcase_add_test(tcase, test_no_provider);
	tcase_add_test(tcase, test_gids);
	return unit_run(suite);
}
