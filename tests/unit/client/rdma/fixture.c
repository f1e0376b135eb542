/* See fixture.h. */
#include "tests/unit/client/rdma/fixture.h"

static void end_task(struct end *end, struct doca_task *task, uint64_t user_data)
{
	ck_assert_uint_eq(doca_task_get_user_data(task).u64, user_data);
	if (end->n_order < END_EVENTS)
		end->order[end->n_order] = user_data;
	end->n_order++;
	end->last = task;
	end->status = doca_task_get_status(task);
	if (end->on_task != NULL)
		end->on_task(end, task);
	else if (!end->keeps)
		doca_task_free(task);
}

void end_ok(struct doca_task *task, union doca_data user_data, union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	end->n_ok++;
	ck_assert_int_eq(doca_task_get_status(task), DOCA_SUCCESS);
	end_task(end, task, user_data.u64);
}

void end_failed(struct doca_task *task, union doca_data user_data, union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	end->n_failed++;
	ck_assert_int_ne(doca_task_get_status(task), DOCA_SUCCESS);
	end_task(end, task, user_data.u64);
}

void end_requested(struct doca_rdma_connection *conn, union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	end->n_requests++;
	end->announced = conn;
	if (end->on_request != NULL)
		end->on_request(end, conn);
}

void end_established(struct doca_rdma_connection *conn, union doca_data data,
		     union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	end->n_established++;
	end->announced = conn;
	end->notified_data = data;
	if (end->on_established != NULL)
		end->on_established(end, conn);
}

void end_failure(struct doca_rdma_connection *conn, union doca_data data, union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	end->n_failures++;
	end->announced = conn;
	end->notified_data = data;
	if (end->on_failure != NULL)
		end->on_failure(end, conn);
}

void end_disconnected(struct doca_rdma_connection *conn, union doca_data data,
		      union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	end->n_disconnections++;
	end->announced = conn;
	end->notified_data = data;
	if (end->on_disconnection != NULL)
		end->on_disconnection(end, conn);
}

void end_state(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
	       enum doca_ctx_states next)
{
	struct end *end = user_data.ptr;

	(void)prev;
	ck_assert_ptr_eq(ctx, end->ctx);
	ck_assert_uint_lt(end->n_states, END_EVENTS);
	end->states[end->n_states++] = next;
}

#define END_CONF(kind)                                                      \
	ck_ok(doca_rdma_task_##kind##_set_conf(                             \
		end->rdma, (doca_rdma_task_##kind##_completion_cb_t)end_ok, \
		(doca_rdma_task_##kind##_completion_cb_t)end_failed, END_N))

void end_make(struct end *end)
{
	*end = (struct end){.keeps = false};
	ck_ok(doca_pe_create(&end->pe));
	ck_ok(doca_rdma_create(&unit_dev, &end->rdma));
	end->ctx = doca_rdma_as_ctx(end->rdma);
	END_CONF(receive);
	END_CONF(send);
	END_CONF(send_imm);
	END_CONF(read);
	END_CONF(write);
	END_CONF(write_imm);
	END_CONF(atomic_cmp_swp);
	END_CONF(atomic_fetch_add);
	END_CONF(remote_net_sync_event_get);
	END_CONF(remote_net_sync_event_notify_set);
	END_CONF(remote_net_sync_event_notify_add);
	ck_ok(doca_rdma_set_permissions(
		end->rdma, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |
				   DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC));
	ck_ok(doca_rdma_set_connection_state_callbacks(end->rdma, end_requested, end_established,
						       end_failure, end_disconnected));
	ck_ok(doca_ctx_set_user_data(end->ctx, (union doca_data){.ptr = end}));
	ck_ok(doca_ctx_set_state_changed_cb(end->ctx, end_state));
	ck_ok(doca_pe_connect_ctx(end->pe, end->ctx));
	end->memory = calloc(1, END_LEN);
	ck_assert_ptr_nonnull(end->memory);
	end->mmap = unit_mmap(end->memory, END_LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	end->inventory = unit_inventory(256);
}

void end_export(struct end *end)
{
	ck_ok(doca_rdma_export(end->rdma, &end->details, &end->details_len, &end->conn));
}

void end_connect(struct end *end, const struct end *other)
{
	ck_ok(doca_rdma_connect(end->rdma, other->details, other->details_len, end->conn));
}

/* Makes the other end's memory available as if it had been exported and imported. */
static void end_import(struct end *end, const struct end *other)
{
	const struct transport_region region = {.base = (uintptr_t)other->memory, .len = END_LEN};

	end->import = unit_import((uintptr_t)other->memory, END_LEN, true, true, &region);
}

uint32_t ends_progress(struct end *a, struct end *b)
{
	uint32_t n = 0, moved;

	do {
		moved = unit_progress(a->pe) + unit_progress(b->pe);
		n += moved;
	} while (moved > 0);
	return n;
}

void ends_connect(struct end *a, struct end *b)
{
	end_export(a);
	end_export(b);
	end_connect(a, b);
	end_connect(b, a);
	ends_progress(a, b);
	/* No callback runs, because the program itself connects. */
	ck_assert_uint_eq(a->n_established + b->n_established, 0);
	ck_assert_int_eq(a->conn->state, CONN_ESTABLISHED);
	ck_assert_int_eq(b->conn->state, CONN_ESTABLISHED);
}

static void accept_any(struct end *end, struct doca_rdma_connection *conn)
{
	(void)end;
	ck_ok(doca_rdma_connection_accept(conn, NULL, 0));
}

void ends_connect_by_address(struct end *a, struct end *b)
{
	struct doca_rdma_addr *addr;

	b->on_request = accept_any;
	ck_ok(doca_rdma_start_listen_to_port(b->rdma, 7));
	ck_ok(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 7, &addr));
	ck_ok(doca_rdma_connect_to_addr(a->rdma, addr, (union doca_data){.u64 = 42}));
	ck_ok(doca_rdma_addr_destroy(addr));
	a->announced = b->announced = NULL;
	ends_progress(a, b);
	ck_assert_ptr_nonnull(a->announced);
	ck_assert_ptr_nonnull(b->announced);
	a->conn = a->announced;
	b->conn = b->announced;
	ck_ok(doca_rdma_stop_listen_to_port(b->rdma, 7));
}

void ends_open(struct end *a, struct end *b)
{
	fake_reset();
	end_make(a);
	end_make(b);
	end_import(a, b);
	end_import(b, a);
	ck_ok(doca_ctx_start(a->ctx));
	ck_ok(doca_ctx_start(b->ctx));
	ends_connect(a, b);
}

void end_stop(struct end *end)
{
	doca_error_t result = doca_ctx_stop(end->ctx);

	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	unit_progress(end->pe);
	ck_assert_int_eq(unit_state(end->ctx), IDLE);
}

/* Checks that every buffer was released. */
static void end_delete(struct end *end)
{
	end_stop(end);
	ck_ok(doca_rdma_destroy(end->rdma));
	ck_assert_uint_eq(unit_n_free(end->inventory), 256);
	ck_ok(doca_buf_inventory_destroy(end->inventory));
	if (end->import != NULL)
		ck_ok(doca_mmap_destroy(end->import));
	ck_ok(doca_mmap_destroy(end->mmap));
	ck_ok(doca_pe_destroy(end->pe));
	free(end->memory);
}

void ends_close(struct end *a, struct end *b)
{
	end_delete(a);
	end_delete(b);
	ck_assert_uint_eq(fake_n_ports, 0);
	ck_assert_uint_eq(fake_n_qps, 0);
}

struct doca_buf *end_data(struct end *end, size_t at, size_t len)
{
	return unit_buf(end->inventory, end->mmap, end->memory + at, len, 0, len);
}

struct doca_buf *end_recv_buf(struct end *end, size_t at, size_t len)
{
	return unit_buf(end->inventory, end->mmap, end->memory + at, len, 0, 0);
}

struct doca_buf *end_remote(struct end *end, const struct end *other, size_t at, size_t len,
			    size_t data_len)
{
	return unit_buf(end->inventory, end->import, other->memory + at, len, 0, data_len);
}
