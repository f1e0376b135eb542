/*
 * The provider soft within one process, in which both ends of a connection can progress
 * alternately: each operation with its data, the order of requests, refusals and what they break,
 * receives that are posted too late, several connections of one port.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <doca_sync_event.h>

#include "client/rma/soft/domain.h"
#include "client/rma/soft/soft.h"
#include "client/sync_event/sync_event.h"
#include "tests/integration/rdma/end.h"
#include "tests/lib/runner.h"
#include "util/clock.h"

#define LEN  (4u << 20)
#define LONG SOFT_PUSH_BYTES

static struct lab lab;

static struct {
	struct rdma_side a, b;
	struct rdma_qp *qa, *qb;
	struct rdma_mem ma, mb; /* mb is exported */
	struct doca_mmap *mb_at_a;
} pair;

static void pair_open(const struct rdma_conf *conf_a, const struct rdma_conf *conf_b,
		      bool is_shared, uint32_t permissions)
{
	rdma_end_open(&pair.a, USE_HOST_PF0, conf_a);
	rdma_end_open(&pair.b, USE_HOST_PF0, conf_b);
	rdma_end_join(&pair.a, &pair.qa, &pair.b, &pair.qb);
	rdma_mem_make(&pair.ma, pair.a.dev, LEN, is_shared, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	rdma_mem_make(&pair.mb, pair.b.dev, LEN, is_shared, permissions);
	pair.mb_at_a = rdma_mem_import(pair.a.dev, &pair.mb.desc);
}

static void pair_close(void)
{
	OK(doca_mmap_destroy(pair.mb_at_a));
	rdma_mem_free(&pair.ma);
	rdma_mem_free(&pair.mb);
	rdma_end_close(&pair.a);
	rdma_end_close(&pair.b);
}

static void setup(void)
{
	lab_setup_client(&lab, &(struct lab_options){.only = {[LAB_HOST] = true}}, LAB_HOST);
}

static void teardown(void)
{
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 0, 5000);
	lab_await(&lab, LAB_HOST, LAB_IMPORTS, 0, 5000);
	lab_teardown(&lab);
}

static uint8_t *b_bytes(size_t offset)
{
	return pair.mb.bytes + offset;
}

static uint64_t addr_b(size_t offset)
{
	return (uintptr_t)b_bytes(offset);
}

static void check_recv(const struct rdma_req *recv, enum rdma_op by, size_t len)
{
	ck_assert_ptr_eq(recv->wr.qp, pair.qb);
	ck_assert_int_eq(recv->wr.received_as, by);
	ck_assert_uint_eq(recv->wr.len, len);
}

/* --- each operation --- */

static const size_t lens[] = {0,     1,     8,     63,    64,      4096, 12288,
			      12289, 16000, 50000, 65536, 1000003, LEN};

static void check_send(size_t which)
{
	size_t len = lens[which];
	struct rdma_req send, recv;

	pair_open(NULL, NULL, false, RDMA_END_ALL);
	use_fill(pair.ma.bytes, LEN, 1);
	rdma_req_init(&recv, RDMA_RECV, &pair.mb, 0, LEN);
	rdma_req_init(&send, RDMA_SEND, &pair.ma, 0, len);
	rdma_req_post_recv(&pair.b, &recv);
	rdma_req_post(pair.qa, &send);
	rdma_end_await(&pair.b, &pair.a, &recv.wr, DOCA_SUCCESS);
	/* Whether the receiver polls again or not. */
	rdma_end_await(&pair.a, NULL, &send.wr, DOCA_SUCCESS);
	ck_assert_uint_eq(send.wr.len, len);
	check_recv(&recv, RDMA_SEND, len);
	ck_assert(use_is_filled(pair.mb.bytes, len, 1));
	ck_assert(len == LEN || pair.mb.bytes[len] == 0);
	pair_close();
}

START_TEST(test_send)
{
	for (size_t i = 0; i < ARRAY_LEN(lens); i++)
		check_send(i);
}
END_TEST

/* Lists on both ends with different boundaries. */
START_TEST(test_send_lists)
{
	size_t len = _i == 0 ? 1000 : 1000000;
	struct rdma_req send, recv;

	pair_open(NULL, NULL, false, RDMA_END_ALL);
	use_fill(pair.ma.bytes, len, 7);
	rdma_req_init(&recv, RDMA_RECV, &pair.mb, 0, len / 3);
	rdma_req_add(&recv, &pair.mb, len / 3, len / 7);
	rdma_req_add(&recv, &pair.mb, len / 3 + len / 7, len);
	rdma_req_init(&send, RDMA_SEND_IMM, &pair.ma, 0, len / 2);
	rdma_req_add(&send, &pair.ma, len / 2, 0);
	rdma_req_add(&send, &pair.ma, len / 2, len / 2);
	send.wr.imm = 0x01020304;
	rdma_req_post_recv(&pair.b, &recv);
	rdma_req_post(pair.qa, &send);
	rdma_end_await(&pair.a, &pair.b, &send.wr, DOCA_SUCCESS);
	rdma_end_await(&pair.b, &pair.a, &recv.wr, DOCA_SUCCESS);
	check_recv(&recv, RDMA_SEND_IMM, len);
	ck_assert_uint_eq(recv.wr.imm, 0x01020304);
	ck_assert(use_is_filled(pair.mb.bytes, len, 7));
	pair_close();
}
END_TEST

static void check_write_and_read(size_t which)
{
	size_t len = lens[which / 2];
	struct rdma_req req;

	pair_open(NULL, NULL, which % 2, RDMA_END_ALL);
	use_fill(pair.ma.bytes, len, 3);
	rdma_req_init(&req, RDMA_WRITE, &pair.ma, 0, len / 2);
	rdma_req_add(&req, &pair.ma, len / 2, len - len / 2);
	rdma_req_remote(&req, pair.mb_at_a, addr_b(LEN - len));
	rdma_req_post(pair.qa, &req);
	rdma_end_await(&pair.a, NULL, &req.wr, DOCA_SUCCESS);
	ck_assert_uint_eq(req.wr.len, len);
	ck_assert(use_is_filled(b_bytes(LEN - len), len, 3));
	use_fill(b_bytes(LEN - len), len, 4);
	rdma_req_init(&req, RDMA_READ, &pair.ma, 0, len / 3);
	rdma_req_add(&req, &pair.ma, len / 3, len - len / 3);
	rdma_req_remote(&req, pair.mb_at_a, addr_b(LEN - len));
	rdma_req_post(pair.qa, &req);
	rdma_end_await(&pair.a, NULL, &req.wr, DOCA_SUCCESS);
	ck_assert(use_is_filled(pair.ma.bytes, len, 4));
	pair_close();
}

START_TEST(test_write_and_read)
{
	for (size_t i = 0; i < 2 * ARRAY_LEN(lens); i++)
		check_write_and_read(i);
}
END_TEST

START_TEST(test_write_imm)
{
	struct rdma_req write, recv;

	pair_open(NULL, NULL, _i, RDMA_END_ALL);
	use_fill(pair.ma.bytes, 5000, 9);
	rdma_req_init(&recv, RDMA_RECV, NULL, 0, 0);
	rdma_req_init(&write, RDMA_WRITE_IMM, &pair.ma, 0, 5000);
	rdma_req_remote(&write, pair.mb_at_a, addr_b(100));
	write.wr.imm = 77;
	rdma_req_post_recv(&pair.b, &recv);
	rdma_req_post(pair.qa, &write);
	rdma_end_await(&pair.b, &pair.a, &recv.wr, DOCA_SUCCESS);
	check_recv(&recv, RDMA_WRITE_IMM, 5000);
	ck_assert_uint_eq(recv.wr.imm, 77);
	ck_assert(use_is_filled(b_bytes(100), 5000, 9));
	rdma_end_await(&pair.a, &pair.b, &write.wr, DOCA_SUCCESS);
	pair_close();
}
END_TEST

/* If a write waits for an earlier message, which is not received yet, its program can sleep. */
START_TEST(test_write_imm_waits_asleep)
{
	struct rdma_req send, write, recvs[2];

	pair_open(NULL, NULL, false, RDMA_END_ALL);
	rdma_req_init(&send, RDMA_SEND, &pair.ma, 0, 8);
	rdma_req_init(&write, RDMA_WRITE_IMM, &pair.ma, 0, 8);
	rdma_req_remote(&write, pair.mb_at_a, addr_b(0));
	rdma_req_post(pair.qa, &send);
	rdma_req_post(pair.qa, &write);
	while (rdma_end_progress(&pair.a))
		continue;
	ck_assert(!pair.a.ops->arm(pair.a.domain));
	pair.a.ops->disarm(pair.a.domain);
	for (int i = 0; i < 2; i++) {
		rdma_req_init(&recvs[i], RDMA_RECV, &pair.mb, 100, 8);
		rdma_req_post_recv(&pair.b, &recvs[i]);
	}
	rdma_end_await(&pair.a, &pair.b, &send.wr, DOCA_SUCCESS);
	rdma_end_await(&pair.a, &pair.b, &write.wr, DOCA_SUCCESS);
	pair_close();
}
END_TEST

/* A single call does not move all the data queued behind a message. */
START_TEST(test_long_writes_take_turns)
{
	struct rdma_req send, writes[3], recv;

	pair_open(NULL, NULL, false, RDMA_END_ALL);
	memset(pair.mb.bytes, 0, 3);
	memset(pair.ma.bytes, 1, LONG);
	rdma_req_init(&send, RDMA_SEND, &pair.ma, 0, 8);
	rdma_req_post(pair.qa, &send);
	for (unsigned i = 0; i < 3; i++) {
		rdma_req_init(&writes[i], RDMA_WRITE, &pair.ma, 0, LONG);
		rdma_req_remote(&writes[i], pair.mb_at_a, addr_b(i));
		rdma_req_post(pair.qa, &writes[i]);
	}
	rdma_req_init(&recv, RDMA_RECV, &pair.mb, LONG + 16, 8);
	rdma_req_post_recv(&pair.b, &recv);
	while (pair.b.ops->poll(pair.b.domain) != &recv.wr)
		continue;
	rdma_end_progress(&pair.b);
	ck_assert_ptr_eq(pair.a.ops->poll(pair.a.domain), &send.wr);
	ck_assert_uint_eq(pair.mb.bytes[0], 1);
	ck_assert_uint_eq(pair.mb.bytes[LONG + 1], 0);
	/* A program that is about to sleep has work. */
	ck_assert_ptr_eq(pair.a.ops->poll(pair.a.domain), &writes[0].wr);
	ck_assert(pair.a.ops->arm(pair.a.domain));
	pair.a.ops->disarm(pair.a.domain);
	rdma_end_await(&pair.a, NULL, &writes[1].wr, DOCA_SUCCESS);
	rdma_end_await(&pair.a, NULL, &writes[2].wr, DOCA_SUCCESS);
	ck_assert_uint_eq(pair.mb.bytes[LONG + 1], 1);
	pair_close();
}
END_TEST

/* An empty write need not name a destination. */
START_TEST(test_write_nothing)
{
	struct rdma_req write, recv;

	pair_open(NULL, NULL, false, RDMA_END_ALL);
	rdma_req_init(&write, RDMA_WRITE, NULL, 0, 0);
	rdma_req_post(pair.qa, &write);
	rdma_end_await(&pair.a, NULL, &write.wr, DOCA_SUCCESS);
	rdma_req_init(&recv, RDMA_RECV, NULL, 0, 0);
	rdma_req_init(&write, RDMA_WRITE_IMM, NULL, 0, 0);
	write.wr.imm = 78;
	rdma_req_post_recv(&pair.b, &recv);
	rdma_req_post(pair.qa, &write);
	rdma_end_await(&pair.b, &pair.a, &recv.wr, DOCA_SUCCESS);
	check_recv(&recv, RDMA_WRITE_IMM, 0);
	ck_assert_uint_eq(recv.wr.imm, 78);
	rdma_end_await(&pair.a, &pair.b, &write.wr, DOCA_SUCCESS);
	rdma_req_init(&write, RDMA_WRITE, &pair.ma, 0, 1);
	EXPECT(DOCA_ERROR_INVALID_VALUE, pair.a.ops->post(pair.qa, &write.wr));
	pair_close();
}
END_TEST

START_TEST(test_atomics)
{
	uint64_t *counter, *before;
	struct rdma_req req;

	pair_open(NULL, NULL, _i, RDMA_END_ALL);
	counter = (uint64_t *)(void *)b_bytes(64);
	before = (uint64_t *)(void *)pair.ma.bytes;
	*counter = UINT64_MAX - 1;
	rdma_req_init(&req, RDMA_FETCH_ADD, &pair.ma, 0, 8);
	rdma_req_remote(&req, pair.mb_at_a, addr_b(64));
	req.wr.value = 5;
	rdma_req_post(pair.qa, &req);
	rdma_end_await(&pair.a, NULL, &req.wr, DOCA_SUCCESS);
	ck_assert_uint_eq(*before, UINT64_MAX - 1);
	ck_assert_uint_eq(*counter, 3);
	for (uint64_t expected = 2; expected < 4; expected++) {
		rdma_req_init(&req, RDMA_CMP_SWP, &pair.ma, 0, 8);
		rdma_req_remote(&req, pair.mb_at_a, addr_b(64));
		req.wr.compare = expected;
		req.wr.value = 1000;
		rdma_req_post(pair.qa, &req);
		rdma_end_await(&pair.a, NULL, &req.wr, DOCA_SUCCESS);
		ck_assert_uint_eq(*before, 3);
		ck_assert_uint_eq(*counter, expected == 3 ? 1000 : 3);
	}
	pair_close();
}
END_TEST

static void run_on_event(struct rdma_req *req, enum rdma_op op,
			 struct doca_sync_event_remote_net *event, uint64_t value)
{
	rdma_req_init(req, op, &pair.ma, 0, 8);
	req->wr.remote_event = &event->import;
	req->wr.value = value;
	rdma_req_post(pair.qa, req);
	rdma_end_await(&pair.a, NULL, &req->wr, DOCA_SUCCESS);
}

START_TEST(test_remote_event)
{
	struct doca_sync_event_remote_net *remote;
	uint64_t *local, value;
	struct doca_sync_event *event;
	struct rdma_req req;
	const uint8_t *data;
	size_t len;

	pair_open(NULL, NULL, false, RDMA_END_ALL);
	local = (uint64_t *)(void *)pair.ma.bytes;
	OK(doca_sync_event_create(&event));
	OK(doca_sync_event_add_subscriber_location_cpu(event, pair.b.dev));
	OK(doca_sync_event_add_publisher_location_remote_net(event));
	OK(doca_sync_event_start(event));
	OK(doca_sync_event_export_to_remote_net(event, &data, &len));
	OK(doca_sync_event_remote_net_create_from_export(pair.a.dev, data, len, &remote));
	*local = 40;
	run_on_event(&req, RDMA_WRITE, remote, 0);
	run_on_event(&req, RDMA_FETCH_ADD, remote, 2);
	ck_assert_uint_eq(*local, 40);
	run_on_event(&req, RDMA_READ, remote, 0);
	ck_assert_uint_eq(*local, 42);
	OK(doca_sync_event_get(event, &value));
	ck_assert_uint_eq(value, 42);
	OK(doca_sync_event_remote_net_destroy(remote));
	OK(doca_sync_event_stop(event));
	OK(doca_sync_event_destroy(event));
	pair_close();
}
END_TEST

/* --- order --- */

/* Requests of all kinds take effect and complete in the order of posting. */
START_TEST(test_order)
{
	struct rdma_req recvs[4], reqs[7];
	uint64_t *word;

	pair_open(NULL, NULL, true, RDMA_END_ALL);
	word = (uint64_t *)(void *)pair.ma.bytes;
	for (size_t i = 0; i < 6; i++)
		word[i] = i + 1;
	rdma_req_init(&reqs[0], RDMA_SEND, &pair.ma, 0, 8);
	rdma_req_init(&reqs[1], RDMA_WRITE, &pair.ma, 8, 8);
	rdma_req_init(&reqs[2], RDMA_SEND_IMM, &pair.ma, 16, 8);
	rdma_req_init(&reqs[3], RDMA_FETCH_ADD, &pair.ma, 24, 8);
	rdma_req_init(&reqs[4], RDMA_WRITE_IMM, &pair.ma, 32, 8);
	rdma_req_init(&reqs[5], RDMA_READ, &pair.ma, 40, 8);
	rdma_req_init(&reqs[6], RDMA_SEND, &pair.ma, 40, 8);
	reqs[3].wr.value = 10;
	for (size_t i = 0; i < ARRAY_LEN(reqs); i++) {
		rdma_req_remote(&reqs[i], pair.mb_at_a, addr_b(4096));
		if (reqs[i].wr.op == RDMA_SEND || reqs[i].wr.op == RDMA_SEND_IMM)
			reqs[i].wr.remote_mmap = NULL;
		rdma_req_post(pair.qa, &reqs[i]);
	}
	/* There is no receive: nothing may happen yet. */
	for (int i = 0; i < 100; i++) {
		ck_assert(!rdma_end_progress(&pair.a));
		ck_assert(!rdma_end_progress(&pair.b));
	}
	ck_assert_uint_eq(*(uint64_t *)(void *)b_bytes(4096), 0);
	for (size_t i = 0; i < ARRAY_LEN(recvs); i++) {
		rdma_req_init(&recvs[i], RDMA_RECV, &pair.mb, 8 * i, 8);
		rdma_req_post_recv(&pair.b, &recvs[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(reqs); i++)
		rdma_end_await(&pair.a, &pair.b, &reqs[i].wr, DOCA_SUCCESS);
	for (size_t i = 0; i < ARRAY_LEN(recvs); i++)
		rdma_end_await(&pair.b, &pair.a, &recvs[i].wr, DOCA_SUCCESS);
	ck_assert_uint_eq(word[3], 2); /* the value after the write */
	ck_assert_uint_eq(word[5], 5);
	ck_assert_uint_eq(*(uint64_t *)(void *)b_bytes(0), 1);
	ck_assert_uint_eq(*(uint64_t *)(void *)b_bytes(8), 3);
	ck_assert_uint_eq(*(uint64_t *)(void *)b_bytes(24), 5);
	pair_close();
}
END_TEST

/* Many messages of all lengths, more than there is room for, through few receives. */
START_TEST(test_stream)
{
	static struct rdma_req sends[64], recvs[8];
	size_t n_sent = 0, n_acked = 0, n_received = 0, n = 2000;
	const size_t slot = 40000;

	pair_open(NULL, NULL, false, RDMA_END_ALL);
	for (size_t i = 0; i < ARRAY_LEN(recvs); i++) {
		rdma_req_init(&recvs[i], RDMA_RECV, &pair.mb, i * slot, slot);
		rdma_req_post_recv(&pair.b, &recvs[i]);
	}
	while (n_received < n || n_acked < n) {
		while (n_sent < n && n_sent - n_acked < ARRAY_LEN(sends)) {
			struct rdma_req *req = &sends[n_sent % ARRAY_LEN(sends)];
			size_t at = n_sent % ARRAY_LEN(sends) * slot;
			size_t len = n_sent * 7919 % slot;

			use_fill(pair.ma.bytes + at, len, (uint32_t)n_sent);
			rdma_req_init(req, RDMA_SEND, &pair.ma, at, len);
			rdma_req_post(pair.qa, req);
			n_sent++;
		}
		rdma_end_progress(&pair.a);
		rdma_end_progress(&pair.b);
		if (pair.a.n_done > 0) {
			rdma_end_await(&pair.a, NULL, &sends[n_acked % ARRAY_LEN(sends)].wr,
				       DOCA_SUCCESS);
			n_acked++;
		}
		if (pair.b.n_done > 0) {
			struct rdma_req *recv = &recvs[n_received % ARRAY_LEN(recvs)];

			rdma_end_await(&pair.b, NULL, &recv->wr, DOCA_SUCCESS);
			check_recv(recv, RDMA_SEND, n_received * 7919 % slot);
			ck_assert(use_is_filled(recv->sges[0].addr, recv->wr.len,
						(uint32_t)n_received));
			rdma_req_post_recv(&pair.b, recv);
			n_received++;
		}
	}
	pair_close();
}
END_TEST

/* --- refusals --- */

/* The request fails, later ones are flushed, and the connection fails at both ends. */
static void check_broken(struct rdma_req *req)
{
	struct rdma_req after, recv;
	struct rdma_event event;

	rdma_req_init(&recv, RDMA_RECV, &pair.mb, 0, 8);
	rdma_req_post_recv(&pair.b, &recv);
	rdma_req_init(&after, RDMA_SEND, &pair.ma, 0, 8);
	rdma_req_post(pair.qa, req);
	rdma_req_post(pair.qa, &after);
	rdma_end_await(&pair.a, NULL, &req->wr, DOCA_ERROR_IO_FAILED);
	rdma_end_await(&pair.a, NULL, &after.wr, DOCA_ERROR_CONNECTION_RESET);
	event = rdma_end_event(&pair.a, NULL, RDMA_QP_BROKEN);
	ck_assert_ptr_eq(event.qp, pair.qa);
	ck_assert_int_eq(event.reason, DOCA_ERROR_IO_FAILED);
	event = rdma_end_event(&pair.b, NULL, RDMA_QP_BROKEN);
	ck_assert_ptr_eq(event.qp, pair.qb);
	rdma_req_post(pair.qa, &after);
	rdma_end_await(&pair.a, NULL, &after.wr, DOCA_ERROR_CONNECTION_RESET);
	/* The receive belongs to the port, not to the connection. */
	ck_assert_uint_eq(pair.b.n_done, 0);
	pair.b.ops->flush_recvs(pair.b.domain);
	rdma_end_await(&pair.b, NULL, &recv.wr, DOCA_ERROR_CONNECTION_RESET);
	/* Reported once. */
	ck_assert(!rdma_end_progress(&pair.a));
	ck_assert(!rdma_end_progress(&pair.b));
}

static const struct {
	enum rdma_op op;
	uint32_t right;
} one_sided[] = {
	{RDMA_WRITE, DOCA_ACCESS_FLAG_RDMA_WRITE},
	{RDMA_WRITE_IMM, DOCA_ACCESS_FLAG_RDMA_WRITE},
	{RDMA_READ, DOCA_ACCESS_FLAG_RDMA_READ},
	{RDMA_CMP_SWP, DOCA_ACCESS_FLAG_RDMA_ATOMIC},
	{RDMA_FETCH_ADD, DOCA_ACCESS_FLAG_RDMA_ATOMIC},
};

/* Without the right of the map, or of the port: both are needed. */
static void check_rights(size_t which)
{
	uint32_t right = one_sided[which / 2].right, others = RDMA_END_ALL & ~right;
	struct rdma_conf conf = rdma_end_conf();
	struct rdma_req req;

	conf.permissions = which % 2 ? others : RDMA_END_ALL;
	pair_open(NULL, &conf, true, which % 2 ? RDMA_END_ALL : others);
	memset(pair.mb.bytes, 0x11, 64);
	memset(pair.ma.bytes, 0x22, 64);
	rdma_req_init(&req, one_sided[which / 2].op, &pair.ma, 0, 8);
	rdma_req_remote(&req, pair.mb_at_a, addr_b(0));
	check_broken(&req);
	for (size_t i = 0; i < 64; i++) {
		ck_assert_uint_eq(pair.mb.bytes[i], 0x11);
		ck_assert_uint_eq(pair.ma.bytes[i], 0x22);
	}
	pair_close();
}

START_TEST(test_rights)
{
	for (size_t i = 0; i < 2 * ARRAY_LEN(one_sided); i++)
		check_rights(i);
}
END_TEST

/* The right alone is enough. */
static void check_right_alone(size_t which)
{
	struct rdma_req req, recv;

	pair_open(NULL, NULL, true, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | one_sided[which].right);
	rdma_req_init(&recv, RDMA_RECV, &pair.mb, 0, 8);
	rdma_req_post_recv(&pair.b, &recv);
	rdma_req_init(&req, one_sided[which].op, &pair.ma, 0, 8);
	rdma_req_remote(&req, pair.mb_at_a, addr_b(0));
	rdma_req_post(pair.qa, &req);
	rdma_end_await(&pair.a, &pair.b, &req.wr, DOCA_SUCCESS);
	pair_close();
}

START_TEST(test_right_alone)
{
	for (size_t i = 0; i < ARRAY_LEN(one_sided); i++)
		check_right_alone(i);
}
END_TEST

static void check_bounds(size_t which)
{
	static const struct {
		int64_t at; /* from the beginning, or if negative from the end */
		size_t len;
	} cases[] = {{LEN - 8, 16}, {LEN, 8}, {-4096, 8}, {0, LEN}, {INT64_MAX, 8}};
	struct rdma_req req;

	pair_open(NULL, NULL, which % 2, RDMA_END_ALL);
	rdma_req_init(&req, which % 4 < 2 ? RDMA_WRITE : RDMA_READ, &pair.ma, 0,
		      cases[which / 4].len);
	rdma_req_remote(&req, pair.mb_at_a, addr_b(0) + (uint64_t)cases[which / 4].at);
	if (cases[which / 4].len == LEN)
		req.wr.remote_addr += 1;
	check_broken(&req);
	pair_close();
}

START_TEST(test_bounds)
{
	for (size_t i = 0; i < 20; i++)
		check_bounds(i);
}
END_TEST

/* A stopped map is inaccessible at once. */
START_TEST(test_stopped_mmap)
{
	struct rdma_req req;

	pair_open(NULL, NULL, _i, RDMA_END_ALL);
	rdma_req_init(&req, RDMA_WRITE, &pair.ma, 0, 8);
	rdma_req_remote(&req, pair.mb_at_a, addr_b(0));
	OK(doca_mmap_stop(pair.mb.mmap));
	check_broken(&req);
	pair_close();
}
END_TEST

/* Impossible requests are refused at once, and break nothing. */
START_TEST(test_impossible)
{
	struct rdma_req req;

	pair_open(NULL, NULL, true, RDMA_END_ALL);
	rdma_req_init(&req, RDMA_FETCH_ADD, &pair.ma, 0, 8);
	rdma_req_remote(&req, pair.mb_at_a, addr_b(4));
	EXPECT(DOCA_ERROR_INVALID_VALUE, pair.a.ops->post(pair.qa, &req.wr));
	rdma_req_init(&req, RDMA_CMP_SWP, &pair.ma, 0, 16);
	rdma_req_remote(&req, pair.mb_at_a, addr_b(0));
	EXPECT(DOCA_ERROR_INVALID_VALUE, pair.a.ops->post(pair.qa, &req.wr));
	rdma_req_init(&req, RDMA_WRITE, &pair.ma, 0, 16);
	EXPECT(DOCA_ERROR_INVALID_VALUE, pair.a.ops->post(pair.qa, &req.wr));
	rdma_req_init(&req, RDMA_RECV, &pair.ma, 0, 16);
	EXPECT(DOCA_ERROR_INVALID_VALUE, pair.a.ops->post(pair.qa, &req.wr));
	rdma_req_init(&req, RDMA_SEND, &pair.ma, 0, 16);
	req.wr.n_sges = RDMA_END_SGES + 1;
	EXPECT(DOCA_ERROR_INVALID_VALUE, pair.a.ops->post(pair.qa, &req.wr));
	EXPECT(DOCA_ERROR_INVALID_VALUE, pair.a.ops->post_recv(pair.a.domain, &req.wr));
	rdma_req_init(&req, RDMA_WRITE, &pair.ma, 0, 16);
	rdma_req_remote(&req, pair.mb_at_a, addr_b(0));
	rdma_req_post(pair.qa, &req);
	rdma_end_await(&pair.a, NULL, &req.wr, DOCA_SUCCESS);
	pair_close();
}
END_TEST

/* Both ends fail, like those of a reliable connection. */
START_TEST(test_too_long)
{
	size_t len = _i == 0 ? 100 : 1000000;
	struct rdma_req sends[3], recvs[3];
	struct rdma_event event;

	pair_open(NULL, NULL, false, RDMA_END_ALL);
	for (size_t i = 0; i < ARRAY_LEN(sends); i++) {
		rdma_req_init(&recvs[i], RDMA_RECV, &pair.mb, i * LEN / 4, i == 1 ? len - 1 : len);
		rdma_req_post_recv(&pair.b, &recvs[i]);
		rdma_req_init(&sends[i], RDMA_SEND, &pair.ma, 0, len);
		rdma_req_post(pair.qa, &sends[i]);
	}
	rdma_end_await(&pair.b, &pair.a, &recvs[0].wr, DOCA_SUCCESS);
	rdma_end_await(&pair.b, &pair.a, &recvs[1].wr, DOCA_ERROR_TOO_BIG);
	event = rdma_end_event(&pair.b, NULL, RDMA_QP_BROKEN);
	ck_assert_int_eq(event.reason, DOCA_ERROR_TOO_BIG);
	rdma_end_await(&pair.a, NULL, &sends[0].wr, DOCA_SUCCESS);
	rdma_end_await(&pair.a, NULL, &sends[1].wr, DOCA_ERROR_IO_FAILED);
	rdma_end_await(&pair.a, NULL, &sends[2].wr, DOCA_ERROR_CONNECTION_RESET);
	rdma_end_event(&pair.a, NULL, RDMA_QP_BROKEN);
	pair_close();
}
END_TEST

/* Full queues return an error, and have room again later. */
START_TEST(test_full_queues)
{
	static struct rdma_req sends[65], recvs[65];

	pair_open(NULL, NULL, false, RDMA_END_ALL);
	for (size_t i = 0; i < ARRAY_LEN(sends); i++) {
		rdma_req_init(&recvs[i], RDMA_RECV, &pair.mb, i * 64, 64);
		rdma_req_init(&sends[i], RDMA_SEND, &pair.ma, i * 64, 64);
	}
	for (size_t i = 0; i < 64; i++)
		rdma_req_post(pair.qa, &sends[i]);
	EXPECT(DOCA_ERROR_AGAIN, pair.a.ops->post(pair.qa, &sends[64].wr));
	for (size_t i = 0; i < 64; i++)
		rdma_req_post_recv(&pair.b, &recvs[i]);
	EXPECT(DOCA_ERROR_AGAIN, pair.b.ops->post_recv(pair.b.domain, &recvs[64].wr));
	for (size_t i = 0; i < 64; i++) {
		rdma_end_await(&pair.b, &pair.a, &recvs[i].wr, DOCA_SUCCESS);
		rdma_end_await(&pair.a, &pair.b, &sends[i].wr, DOCA_SUCCESS);
	}
	rdma_req_post(pair.qa, &sends[64]);
	rdma_req_post_recv(&pair.b, &recvs[64]);
	rdma_end_await(&pair.b, &pair.a, &recvs[64].wr, DOCA_SUCCESS);
	rdma_end_await(&pair.a, &pair.b, &sends[64].wr, DOCA_SUCCESS);
	pair_close();
}
END_TEST

/* Without a receive, a sender with limited retries gives up. */
START_TEST(test_no_receive)
{
	struct rdma_conf conf = rdma_end_conf();
	struct rdma_req send, after;

	conf.rnr_retry = (uint8_t)_i;
	pair_open(&conf, NULL, false, RDMA_END_ALL);
	rdma_req_init(&send, RDMA_SEND, &pair.ma, 0, 8);
	rdma_req_init(&after, RDMA_SEND, &pair.ma, 0, 8);
	rdma_req_post(pair.qa, &send);
	rdma_req_post(pair.qa, &after);
	rdma_end_await(&pair.a, &pair.b, &send.wr, DOCA_ERROR_IO_FAILED);
	rdma_end_await(&pair.a, &pair.b, &after.wr, DOCA_ERROR_CONNECTION_RESET);
	rdma_end_event(&pair.a, &pair.b, RDMA_QP_BROKEN);
	rdma_end_event(&pair.b, &pair.a, RDMA_QP_BROKEN);
	pair_close();
}
END_TEST

static struct soft_qp *soft_qa(void)
{
	return soft_qp_of(pair.qa);
}

/* The same for a message in pieces, the first of which waits in the ring. */
START_TEST(test_no_receive_for_pieces)
{
	struct rdma_conf conf = rdma_end_conf();
	struct rdma_req send;

	conf.rnr_retry = 1;
	pair_open(&conf, NULL, false, RDMA_END_ALL);
	atomic_store(&soft_qa()->outbox->can_pull, 0);
	rdma_req_init(&send, RDMA_SEND, &pair.ma, 0, 1000000);
	rdma_req_post(pair.qa, &send);
	rdma_end_await(&pair.a, &pair.b, &send.wr, DOCA_ERROR_IO_FAILED);
	rdma_end_event(&pair.a, &pair.b, RDMA_QP_BROKEN);
	pair_close();
}
END_TEST

/* A sleeping sender has a timer, although it detects the missing receive just before. */
START_TEST(test_no_receive_asleep)
{
	struct rdma_conf conf = rdma_end_conf();
	struct rdma_req send;

	conf.rnr_retry = 1;
	pair_open(&conf, NULL, false, RDMA_END_ALL);
	rdma_req_init(&send, RDMA_SEND, &pair.ma, 0, 8);
	rdma_req_post(pair.qa, &send);
	while (rdma_end_progress(&pair.a))
		continue;
	while (atomic_load(&soft_qa()->outbox->starved) == 0)
		rdma_end_progress(&pair.b);
	ck_assert(pair.a.ops->arm(pair.a.domain));
	pair.a.ops->disarm(pair.a.domain);
	pair.a.is_asleep = true;
	rdma_end_await(&pair.a, NULL, &send.wr, DOCA_ERROR_IO_FAILED);
	ck_assert_uint_gt(pair.a.n_sleeps, 0);
	rdma_end_event(&pair.a, NULL, RDMA_QP_BROKEN);
	pair_close();
}
END_TEST

/* --- a sender that breaks the rules --- */

/*
 * The sender completes the request before the receiver has read the buffer: the receiver must not
 * get the buffer's later contents.
 */
START_TEST(test_sender_withdraws)
{
	struct rdma_req send, recv;

	pair_open(NULL, NULL, false, RDMA_END_ALL);
	ck_assert_uint_eq(atomic_load(&soft_qa()->outbox->can_pull), 1);
	rdma_req_init(&recv, RDMA_RECV, &pair.mb, 0, LEN);
	rdma_req_init(&send, RDMA_SEND, &pair.ma, 0, LEN);
	rdma_req_post_recv(&pair.b, &recv);
	rdma_req_post(pair.qa, &send);
	OK(pair.a.ops->qp_disconnect(pair.qa));
	rdma_end_await(&pair.a, NULL, &send.wr, DOCA_ERROR_CONNECTION_RESET);
	memset(pair.ma.bytes, 0xee, LEN);
	rdma_end_await(&pair.b, NULL, &recv.wr, DOCA_ERROR_CONNECTION_RESET);
	rdma_end_event(&pair.b, NULL, RDMA_QP_DISCONNECTED);
	pair_close();
}
END_TEST

/* --- connections --- */

START_TEST(test_disconnect)
{
	struct rdma_req send, unsent, recv;
	struct rdma_event event;

	pair_open(NULL, NULL, false, RDMA_END_ALL);
	rdma_req_init(&recv, RDMA_RECV, &pair.mb, 0, 8);
	rdma_req_init(&send, RDMA_SEND, &pair.ma, 0, 8);
	rdma_req_init(&unsent, RDMA_SEND, &pair.ma, 0, 8);
	rdma_req_post_recv(&pair.b, &recv);
	rdma_req_post(pair.qa, &send);
	rdma_end_await(&pair.b, &pair.a, &recv.wr, DOCA_SUCCESS);
	rdma_end_await(&pair.a, &pair.b, &send.wr, DOCA_SUCCESS);
	rdma_req_post(pair.qa, &unsent);
	OK(pair.a.ops->qp_disconnect(pair.qa));
	rdma_end_await(&pair.a, NULL, &unsent.wr, DOCA_ERROR_CONNECTION_RESET);
	event = rdma_end_event(&pair.b, NULL, RDMA_QP_DISCONNECTED);
	ck_assert_ptr_eq(event.qp, pair.qb);
	ck_assert(!rdma_end_progress(&pair.a));
	pair.a.ops->qp_free(pair.qa);
	pair.b.ops->qp_free(pair.qb);
	/* Both ports can be connected again. */
	rdma_end_join(&pair.a, &pair.qa, &pair.b, &pair.qb);
	rdma_req_post_recv(&pair.b, &recv);
	rdma_req_post(pair.qa, &send);
	rdma_end_await(&pair.b, &pair.a, &recv.wr, DOCA_SUCCESS);
	rdma_end_await(&pair.a, &pair.b, &send.wr, DOCA_SUCCESS);
	pair_close();
}
END_TEST

/* Requests that one end posts before the other has connected wait. */
START_TEST(test_one_end_first)
{
	struct rdma_req send, recv;
	struct rdma_desc da, db;
	struct rdma_mem mem;
	struct rdma_side a;

	rdma_end_open(&a, USE_HOST_PF0, NULL);
	rdma_mem_make(&mem, a.dev, 4096, false, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	pair.qa = rdma_end_qp(&a, &da);
	pair.qb = rdma_end_qp(&a, &db);
	rdma_req_init(&send, RDMA_SEND, &mem, 0, 100);
	rdma_req_init(&recv, RDMA_RECV, &mem, 2048, 100);
	EXPECT(DOCA_ERROR_INVALID_VALUE, a.ops->post(pair.qa, &send.wr));
	rdma_end_connect(&a, pair.qa, &db);
	use_fill(mem.bytes, 100, 5);
	rdma_req_post(pair.qa, &send);
	rdma_req_post_recv(&a, &recv);
	for (int i = 0; i < 100; i++)
		ck_assert(!rdma_end_progress(&a));
	rdma_end_connect(&a, pair.qb, &da);
	rdma_end_await(&a, NULL, &recv.wr, DOCA_SUCCESS);
	rdma_end_await(&a, NULL, &send.wr, DOCA_SUCCESS);
	ck_assert(use_is_filled(mem.bytes + 2048, 100, 5));
	rdma_mem_free(&mem);
	rdma_end_close(&a);
}
END_TEST

/* Many connections with one receive queue. */
START_TEST(test_many_connections)
{
	static struct rdma_req sends[16], recvs[16];
	struct rdma_qp *qas[16], *qbs[16], *qp;
	struct rdma_side a, b;
	struct rdma_mem mem;
	unsigned seen = 0;

	rdma_end_open(&a, USE_HOST_PF0, NULL);
	rdma_end_open(&b, USE_HOST_PF1, NULL);
	rdma_mem_make(&mem, a.dev, 65536, false, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	for (size_t i = 0; i < 16; i++)
		rdma_end_join(&a, &qas[i], &b, &qbs[i]);
	EXPECT(DOCA_ERROR_FULL, a.ops->qp_new(a.domain, NULL, &qp));
	for (size_t i = 0; i < 16; i++) {
		mem.bytes[i] = (uint8_t)i;
		rdma_req_init(&sends[i], RDMA_SEND, &mem, i, 1);
		rdma_req_init(&recvs[i], RDMA_RECV, &mem, 100 + i, 1);
		rdma_req_post(qas[i], &sends[i]);
		rdma_req_post_recv(&b, &recvs[i]);
	}
	for (size_t i = 0; i < 16; i++) {
		struct rdma_wr *wr = rdma_end_next(&b, &a);

		ck_assert_int_eq(wr->status, DOCA_SUCCESS);
		ck_assert_ptr_eq(wr->qp, qbs[wr->sges[0].addr[0]]);
		seen |= 1u << wr->sges[0].addr[0];
	}
	ck_assert_uint_eq(seen, 0xffff);
	for (size_t i = 0; i < 16; i++)
		ck_assert_int_eq(rdma_end_next(&a, &b)->status, DOCA_SUCCESS);
	rdma_mem_free(&mem);
	rdma_end_close(&a);
	rdma_end_close(&b);
}
END_TEST

/* Details that are invalid, damaged, outdated, of another kind, or in use. */
START_TEST(test_wrong_details)
{
	struct rdma_desc da, db, bad;
	struct rdma_qp *qc, *qd;
	struct rdma_side a;
	struct rdma_mem mem;

	rdma_end_open(&a, USE_HOST_PF0, NULL);
	rdma_mem_make(&mem, a.dev, 4096, false, RDMA_END_ALL);
	pair.qa = rdma_end_qp(&a, &da);
	pair.qb = rdma_end_qp(&a, &db);
	EXPECT(DOCA_ERROR_INVALID_VALUE, a.ops->qp_connect(pair.qa, db.bytes, 10));
	bad = db;
	bad.bytes[20] ^= 1;
	EXPECT(DOCA_ERROR_INVALID_VALUE, a.ops->qp_connect(pair.qa, bad.bytes, bad.len));
	EXPECT(DOCA_ERROR_INVALID_VALUE, a.ops->qp_connect(pair.qa, mem.desc.bytes, mem.desc.len));
	rdma_end_connect(&a, pair.qa, &db);
	EXPECT(DOCA_ERROR_BAD_STATE, a.ops->qp_connect(pair.qa, db.bytes, db.len));
	OK(a.ops->qp_new(a.domain, NULL, &qc));
	EXPECT(DOCA_ERROR_IN_USE, a.ops->qp_connect(qc, db.bytes, db.len));
	qd = rdma_end_qp(&a, &bad);
	a.ops->qp_free(qd);
	EXPECT(DOCA_ERROR_NOT_PERMITTED, a.ops->qp_connect(qc, bad.bytes, bad.len));
	/* The valid ones still work. */
	rdma_end_connect(&a, pair.qb, &da);
	rdma_mem_free(&mem);
	rdma_end_close(&a);
}
END_TEST

/* A device without addresses in the topology also has the four GIDs. */
START_TEST(test_gids_of_a_raw_device)
{
	static const uint8_t link_local[] = {0xfe, 0x80, [11] = 0xff, 0xfe, 0, 1, 2};
	static const uint8_t made[] = {[10] = 0xff, 0xff, 169, 254, 2, 2};
	const struct doca_devinfo info = {.caps.rdma = true, .vhca_id = 0x102};
	char reason[RDMA_REASON_MAX];
	struct rdma_limits limits;
	uint8_t gid[RDMA_GID_LEN];

	ck_assert(rdma_soft.query(&info, &limits, reason));
	ck_assert_uint_eq(limits.n_gids, 4);
	for (uint32_t i = 0; i < limits.n_gids; i++) {
		ck_assert_int_eq(rdma_soft.get_gid(&info, i, gid), 0);
		ck_assert_mem_eq(gid, i < 2 ? link_local : made, sizeof(gid));
	}
}
END_TEST

START_TEST(test_limits)
{
	static const uint8_t link_local[] = {0xfe, 0x80, [11] = 0xff, 0xfe, 0, 0x0b, 0};
	static const uint8_t of_ipv4[] = {[10] = 0xff, 0xff, 192, 168, 100, 1};
	struct rdma_conf conf = rdma_end_conf();
	char reason[RDMA_REASON_MAX];
	struct rdma_limits limits;
	struct rdma_domain *domain;
	uint8_t gid[RDMA_GID_LEN];
	struct rdma_side a;

	rdma_end_open(&a, USE_HOST_PF0, NULL);
	ck_assert(a.ops->query(doca_dev_as_devinfo(a.dev), &limits, reason));
	ck_assert(limits.has_atomics && limits.has_rc);
	ck_assert_uint_eq(limits.n_gids, 4);
	for (uint32_t i = 0; i < limits.n_gids; i++) {
		ck_assert_int_eq(a.ops->get_gid(doca_dev_as_devinfo(a.dev), i, gid), 0);
		ck_assert_mem_eq(gid, i < 2 ? link_local : of_ipv4, sizeof(gid));
	}
	ck_assert_int_lt(a.ops->get_gid(doca_dev_as_devinfo(a.dev), limits.n_gids, gid), 0);
	conf.gid_index = limits.n_gids;
	EXPECT(DOCA_ERROR_INVALID_VALUE, a.ops->open(a.dev, &conf, &domain));
	conf = rdma_end_conf();
	conf.max_qps = limits.max_qps + 1;
	EXPECT(DOCA_ERROR_INVALID_VALUE, a.ops->open(a.dev, &conf, &domain));
	rdma_end_close(&a);
}
END_TEST

/* --- by address --- */

static const struct rdma_endpoint gid_pf1 = {
	.type = RDMA_ADDR_GID,
	.port = 4791,
	.bytes = {0xfe, 0x80, [11] = 0xff, [12] = 0xfe, [14] = 0x0b, [15] = 0x01},
};

static void addr_open(struct rdma_side *a, struct rdma_side *b)
{
	rdma_end_open(a, USE_HOST_PF0, NULL);
	rdma_end_open(b, USE_HOST_PF1, NULL);
	rdma_mem_make(&pair.ma, a->dev, 4096, false, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

static void addr_close(struct rdma_side *a, struct rdma_side *b)
{
	rdma_mem_free(&pair.ma);
	rdma_end_close(a);
	rdma_end_close(b);
}

static void send_one(struct rdma_side *from, struct rdma_qp *qp, struct rdma_side *to)
{
	struct rdma_req send, recv;

	use_fill(pair.ma.bytes, 100, 3);
	rdma_req_init(&send, RDMA_SEND, &pair.ma, 0, 100);
	rdma_req_init(&recv, RDMA_RECV, &pair.ma, 1000, 100);
	rdma_req_post_recv(to, &recv);
	rdma_req_post(qp, &send);
	rdma_end_await(to, from, &recv.wr, DOCA_SUCCESS);
	rdma_end_await(from, to, &send.wr, DOCA_SUCCESS);
	ck_assert(use_is_filled(pair.ma.bytes + 1000, 100, 3));
}

START_TEST(test_addr_accept)
{
	struct rdma_side a, b;
	struct rdma_qp *qa, *qb;
	struct rdma_event event;
	struct rdma_endpoint end;

	addr_open(&a, &b);
	OK(b.ops->listen(b.domain, 4791));
	OK(a.ops->qp_new(a.domain, &a, &qa));
	ck_assert_int_lt(a.ops->qp_get_addr(qa, &end), 0);
	OK(a.ops->qp_connect_addr(qa, &gid_pf1));
	event = rdma_end_event(&b, &a, RDMA_QP_REQUESTED);
	qb = event.qp;
	ck_assert_ptr_null(qb->owner);
	ck_assert_int_eq(b.ops->qp_get_addr(qb, &end), 0);
	ck_assert_int_eq(end.type, RDMA_ADDR_GID);
	ck_assert_mem_eq(end.bytes, "\xfe\x80\0\0\0\0\0\0\0\0\0\xff\xfe\0\x0b\0", 16);
	/* The requested one. */
	ck_assert_uint_eq(end.port, 4791);
	ck_assert_int_eq(a.n_events, 0);
	OK(b.ops->qp_accept(qb, "hello", 5));
	event = rdma_end_event(&b, &a, RDMA_QP_ESTABLISHED);
	ck_assert_ptr_eq(event.qp, qb);
	event = rdma_end_event(&a, &b, RDMA_QP_ESTABLISHED);
	ck_assert_ptr_eq(event.qp, qa);
	ck_assert_int_eq(a.ops->qp_get_addr(qa, &end), 0);
	ck_assert_uint_eq(end.port, 4791);
	send_one(&a, qa, &b);
	send_one(&b, qb, &a);
	OK(b.ops->qp_disconnect(qb));
	rdma_end_event(&a, &b, RDMA_QP_DISCONNECTED);
	OK(b.ops->unlisten(b.domain, 4791));
	EXPECT(DOCA_ERROR_INVALID_VALUE, b.ops->unlisten(b.domain, 4791));
	addr_close(&a, &b);
}
END_TEST

/* Waits until the daemon has a message about a call. */
static void await_word(const struct rdma_side *end)
{
	const struct event_reader *events = &soft_domain_of(end->domain)->rendezvous.base.events;
	uint64_t until = clock_now_ns() + runner_timeout_ms(5000) * NS_PER_MS;

	while (!event_reader_pending(events))
		EXPECT_TRUE(clock_now_ns() < until, "the daemon says nothing");
}

/* The answer is not waited for, and wakes a sleeping program. */
static void read_word_late(struct rdma_side *end)
{
	struct epoll_event event;

	await_word(end);
	lab_freeze(lab.daemons[LAB_HOST].pid);
	for (unsigned i = 0; i < 1000; i++)
		ck_assert(!rdma_end_progress(end));
	ck_assert(!end->ops->arm(end->domain));
	lab_thaw(lab.daemons[LAB_HOST].pid);
	ck_assert_int_eq(epoll_wait(end->epoll_fd, &event, 1, -1), 1);
	end->ops->disarm(end->domain);
	end->is_asleep = true;
}

START_TEST(test_addr_answered_late)
{
	struct rdma_side a, b;
	struct rdma_qp *qa, *qb;

	addr_open(&a, &b);
	OK(b.ops->listen(b.domain, 4791));
	OK(a.ops->qp_new(a.domain, &a, &qa));
	OK(a.ops->qp_connect_addr(qa, &gid_pf1));
	read_word_late(&b);
	qb = rdma_end_event(&b, NULL, RDMA_QP_REQUESTED).qp;
	OK(b.ops->qp_accept(qb, NULL, 0));
	rdma_end_event(&b, NULL, RDMA_QP_ESTABLISHED);
	read_word_late(&a);
	ck_assert_ptr_eq(rdma_end_event(&a, NULL, RDMA_QP_ESTABLISHED).qp, qa);
	a.is_asleep = b.is_asleep = false;
	send_one(&a, qa, &b);
	send_one(&b, qb, &a);
	addr_close(&a, &b);
}
END_TEST

/* A stopped daemon does not delay the end of a connection: it is notified afterwards. */
START_TEST(test_end_without_the_daemon)
{
	struct rdma_side a, b;
	struct rdma_qp *qa, *qb;

	rdma_end_open(&a, USE_HOST_PF0, NULL);
	rdma_end_open(&b, USE_HOST_PF0, NULL);
	rdma_end_join(&a, &qa, &b, &qb);
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 2, 5000);
	lab_freeze(lab.daemons[LAB_HOST].pid);
	a.ops->qp_free(qa);
	ck_assert_ptr_eq(rdma_end_event(&b, &a, RDMA_QP_DISCONNECTED).qp, qb);
	lab_thaw(lab.daemons[LAB_HOST].pid);
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 1, 5000);
	rdma_end_close(&a);
	rdma_end_close(&b);
}
END_TEST

/* The request is cancelled: its queue pair is destroyed, its port, or the caller ends. */
START_TEST(test_addr_answered_in_vain)
{
	struct rdma_side a, b;
	struct rdma_qp *qa, *qb;

	addr_open(&a, &b);
	OK(b.ops->listen(b.domain, 4791));
	OK(a.ops->qp_new(a.domain, &a, &qa));
	OK(a.ops->qp_connect_addr(qa, &gid_pf1));
	await_word(&b);
	if (_i >= 2) {
		qb = rdma_end_event(&b, NULL, RDMA_QP_REQUESTED).qp;
		OK(b.ops->qp_accept(qb, NULL, 0));
		await_word(&a);
	}
	lab_freeze(lab.daemons[LAB_HOST].pid);
	ck_assert(!rdma_end_progress(_i < 2 ? &b : &a));
	if (_i == 1 || _i == 2)
		a.ops->qp_free(qa);
	lab_thaw(lab.daemons[LAB_HOST].pid);
	if (_i == 1) {
		await_word(&b);
		ck_assert(!rdma_end_progress(&b));
		ck_assert_uint_eq(soft_domain_of(b.domain)->n_requesting, 0);
	}
	ck_assert_uint_eq(soft_domain_of(a.domain)->n_requesting, _i == 3 ? 1 : 0);
	addr_close(&a, &b);
}
END_TEST

/* Refused by the user, by a missing listener, by a listener that stops, or by one that is freed. */
START_TEST(test_addr_refused)
{
	struct rdma_side a, b;
	struct rdma_event event;
	struct rdma_endpoint wrong = gid_pf1;
	struct rdma_qp *qa;

	addr_open(&a, &b);
	OK(b.ops->listen(b.domain, 4791));
	OK(a.ops->qp_new(a.domain, &a, &qa));
	if (_i == 3)
		wrong.port++;
	if (_i == 4)
		wrong.bytes[15]++;
	OK(a.ops->qp_connect_addr(qa, &wrong));
	if (_i < 3) {
		event = rdma_end_event(&b, &a, RDMA_QP_REQUESTED);
		if (_i == 0)
			OK(b.ops->qp_reject(event.qp));
		else if (_i == 1)
			OK(b.ops->unlisten(b.domain, 4791));
		if (_i == 1)
			rdma_end_event(&b, &a, RDMA_QP_FAILED);
		EXPECT(_i < 2 ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS, b.ops->qp_reject(event.qp));
		b.ops->qp_free(event.qp);
	}
	event = rdma_end_event(&a, &b, RDMA_QP_FAILED);
	ck_assert_ptr_eq(event.qp, qa);
	ck_assert_int_eq(event.reason, DOCA_ERROR_CONNECTION_ABORTED);
	a.ops->qp_free(qa);
	addr_close(&a, &b);
}
END_TEST

/* There is no answer; the caller gives up, polling or sleeping, and the listener is notified. */
START_TEST(test_addr_timeout)
{
	struct rdma_conf conf = rdma_end_conf();
	struct rdma_side a, b;
	struct rdma_event event;
	struct rdma_qp *qa, *qb;

	conf.connect_timeout_ms = 50;
	rdma_end_open(&a, USE_HOST_PF0, &conf);
	rdma_end_open(&b, USE_HOST_PF1, NULL);
	OK(b.ops->listen(b.domain, 4791));
	OK(a.ops->qp_new(a.domain, &a, &qa));
	OK(a.ops->qp_connect_addr(qa, &gid_pf1));
	b.is_asleep = true;
	qb = rdma_end_event(&b, NULL, RDMA_QP_REQUESTED).qp;
	a.is_asleep = _i;
	event = rdma_end_event(&a, NULL, RDMA_QP_FAILED);
	ck_assert_int_eq(event.reason, DOCA_ERROR_TIME_OUT);
	if (_i == 0) {
		event = rdma_end_event(&b, NULL, RDMA_QP_FAILED);
		ck_assert_ptr_eq(event.qp, qb);
		EXPECT(DOCA_ERROR_BAD_STATE, b.ops->qp_accept(qb, NULL, 0));
	} else {
		EXPECT(DOCA_ERROR_CONNECTION_ABORTED, b.ops->qp_accept(qb, NULL, 0));
	}
	rdma_end_close(&a);
	rdma_end_close(&b);
}
END_TEST

/* The caller ends before it is accepted, and before that was reported: it is reported once. */
START_TEST(test_addr_accept_late)
{
	struct rdma_side a, b;
	struct rdma_event event;
	struct rdma_qp *qa, *qb;

	addr_open(&a, &b);
	OK(b.ops->listen(b.domain, 4791));
	OK(a.ops->qp_new(a.domain, &a, &qa));
	OK(a.ops->qp_connect_addr(qa, &gid_pf1));
	qb = rdma_end_event(&b, &a, RDMA_QP_REQUESTED).qp;
	a.ops->qp_free(qa);
	EXPECT(DOCA_ERROR_CONNECTION_ABORTED, b.ops->qp_accept(qb, NULL, 0));
	event = rdma_end_event(&b, NULL, RDMA_QP_FAILED);
	ck_assert_ptr_eq(event.qp, qb);
	ck_assert_int_eq(event.reason, DOCA_ERROR_CONNECTION_ABORTED);
	b.ops->qp_free(qb);
	addr_close(&a, &b);
}
END_TEST

/* A number has one listener; other numbers and other devices are free. */
START_TEST(test_addr_numbers)
{
	struct rdma_side a, b;

	addr_open(&a, &b);
	OK(b.ops->listen(b.domain, 4791));
	EXPECT(DOCA_ERROR_ALREADY_EXIST, b.ops->listen(b.domain, 4791));
	EXPECT(DOCA_ERROR_INVALID_VALUE, b.ops->listen(b.domain, 0));
	OK(a.ops->listen(a.domain, 4791));
	OK(b.ops->listen(b.domain, 4792));
	for (uint16_t i = 0; i < 14; i++)
		OK(b.ops->listen(b.domain, (uint16_t)(5000 + i)));
	EXPECT(DOCA_ERROR_FULL, b.ops->listen(b.domain, 6000));
	OK(b.ops->unlisten(b.domain, 4791));
	OK(b.ops->listen(b.domain, 4791));
	addr_close(&a, &b);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("soft");

	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_send);
	tcase_add_loop_test(tcase, test_send_lists, 0, 2);
	tcase_add_test(tcase, test_write_and_read);
	tcase_add_test(tcase, test_write_imm_waits_asleep);
	tcase_add_test(tcase, test_long_writes_take_turns);
	tcase_add_loop_test(tcase, test_write_imm, 0, 2);
	tcase_add_test(tcase, test_write_nothing);
	tcase_add_loop_test(tcase, test_atomics, 0, 2);
	tcase_add_test(tcase, test_remote_event);
	tcase_add_test(tcase, test_order);
	tcase_add_test(tcase, test_stream);
	tcase_add_test(tcase, test_rights);
	tcase_add_test(tcase, test_right_alone);
	tcase_add_test(tcase, test_bounds);
	tcase_add_loop_test(tcase, test_stopped_mmap, 0, 2);
	tcase_add_test(tcase, test_impossible);
	tcase_add_loop_test(tcase, test_too_long, 0, 2);
	tcase_add_test(tcase, test_full_queues);
	tcase_add_loop_test(tcase, test_no_receive, 0, 3);
	tcase_add_test(tcase, test_no_receive_for_pieces);
	tcase_add_test(tcase, test_no_receive_asleep);
	tcase_add_test(tcase, test_sender_withdraws);
	tcase_add_test(tcase, test_disconnect);
	tcase_add_test(tcase, test_one_end_first);
	tcase_add_test(tcase, test_many_connections);
	tcase_add_test(tcase, test_wrong_details);
	tcase_add_test(tcase, test_limits);
	tcase_add_test(tcase, test_gids_of_a_raw_device);
	tcase_add_test(tcase, test_addr_accept);
	tcase_add_test(tcase, test_addr_answered_late);
	tcase_add_loop_test(tcase, test_addr_answered_in_vain, 0, 4);
	tcase_add_test(tcase, test_end_without_the_daemon);
	tcase_add_loop_test(tcase, test_addr_refused, 0, 5);
	tcase_add_loop_test(tcase, test_addr_timeout, 0, 2);
	tcase_add_test(tcase, test_addr_accept_late);
	tcase_add_test(tcase, test_addr_numbers);
}

int main(void)
{
	lab_require();
	return runner_main("rdma_soft", add_cases, NULL);
}
