/* See end.h. */
#include "tests/vm/end.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <dococ.h>

struct end end;
static const union doca_data none;

/* --- callbacks --- */

static void on_sent(struct doca_rdma_task_send *task, union doca_data user, union doca_data ctx)
{
	(void)user;
	(void)ctx;
	end.status = doca_task_get_status(doca_rdma_task_send_as_task(task));
	end.n_sent++;
	doca_task_free(doca_rdma_task_send_as_task(task));
}

static void on_received(struct doca_rdma_task_receive *task, union doca_data user,
			union doca_data ctx)
{
	struct doca_buf *buf = doca_rdma_task_receive_get_dst_buf(task);

	(void)user;
	(void)ctx;
	end.status = doca_task_get_status(doca_rdma_task_receive_as_task(task));
	end.len = end.status == DOCA_SUCCESS ? doca_rdma_task_receive_get_result_len(task) : 0;
	end.n_received++;
	doca_task_free(doca_rdma_task_receive_as_task(task));
	OK(doca_buf_dec_refcount(buf, NULL));
}

static void on_request(struct doca_rdma_connection *conn, union doca_data ctx)
{
	(void)ctx;
	end.n_requests++;
	if (end.rejects)
		OK(doca_rdma_connection_reject(conn));
	else
		OK(doca_rdma_connection_accept(conn, NULL, 0));
}

static void on_established(struct doca_rdma_connection *conn, union doca_data user,
			   union doca_data ctx)
{
	(void)user;
	(void)ctx;
	end.conn = conn;
	end.n_established++;
}

static void on_failed(struct doca_rdma_connection *conn, union doca_data user, union doca_data ctx)
{
	(void)conn;
	(void)user;
	(void)ctx;
	end.n_failed++;
}

static void on_left(struct doca_rdma_connection *conn, union doca_data user, union doca_data ctx)
{
	(void)conn;
	(void)user;
	(void)ctx;
	end.n_left++;
}

/* --- life --- */

static void memory_open(uint32_t rights)
{
	end.memory = base_memory_new(end.dev, END_LEN, rights, &end.mmap);
	OK(doca_buf_inventory_create(16, &end.inventory));
	OK(doca_buf_inventory_start(end.inventory));
}

void end_open(struct doca_dev *dev, uint32_t rights)
{
	end.dev = dev;
	memory_open(rights);
	OK(doca_pe_create(&end.pe));
	OK(doca_rdma_create(end.dev, &end.rdma));
	end.ctx = doca_rdma_as_ctx(end.rdma);
	OK(doca_rdma_set_permissions(end.rdma, rights));
	OK(doca_rdma_set_gid_index(end.rdma, 1));
	if (end.max_conns != 0)
		OK(doca_rdma_set_max_num_connections(end.rdma, end.max_conns));
	OK(doca_rdma_task_send_set_conf(end.rdma, on_sent, on_sent, 8));
	OK(doca_rdma_task_receive_set_conf(end.rdma, on_received, on_received, 8));
	OK(doca_rdma_set_connection_state_callbacks(end.rdma, on_request, on_established, on_failed,
						    on_left));
	OK(doca_pe_connect_ctx(end.pe, end.ctx));
	OK(doca_ctx_start(end.ctx));
}

void end_close(void)
{
	base_ctx_stop(end.pe, end.ctx);
	OK(doca_rdma_destroy(end.rdma));
	OK(doca_pe_destroy(end.pe));
	OK(doca_buf_inventory_destroy(end.inventory));
	OK(doca_mmap_destroy(end.mmap));
	free(end.memory);
}

/* --- messages --- */

void end_await(const unsigned *counter, unsigned value)
{
	base_await(end.pe, counter, value, false);
}

void end_receive(uint32_t room)
{
	struct doca_rdma_task_receive *task;
	struct doca_buf *buf;

	OK(doca_buf_inventory_buf_get_by_addr(end.inventory, end.mmap, end.memory + END_RECV_AT,
					      room, &buf));
	OK(doca_rdma_task_receive_allocate_init(end.rdma, buf, none, &task));
	OK(doca_task_submit(doca_rdma_task_receive_as_task(task)));
}

void end_send(uint32_t len)
{
	struct doca_rdma_task_send *task;
	struct doca_buf *buf;

	OK(doca_buf_inventory_buf_get_by_data(end.inventory, end.mmap, end.memory + END_SEND_AT,
					      len, &buf));
	OK(doca_rdma_task_send_allocate_init(end.rdma, end.conn, buf, none, &task));
	OK(doca_task_submit(doca_rdma_task_send_as_task(task)));
	end_await(&end.n_sent, end.n_sent + 1);
	OK(end.status);
	OK(doca_buf_dec_refcount(buf, NULL));
}

uint32_t end_key(void)
{
	struct doca_buf *buf;
	uint32_t key;

	OK(doca_buf_inventory_buf_get_by_addr(end.inventory, end.mmap, end.memory, END_LEN, &buf));
	OK(doca_rdma_bridge_get_buf_mkey(buf, end.dev, &key));
	OK(doca_buf_dec_refcount(buf, NULL));
	return key;
}
