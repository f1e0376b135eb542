/*
 * Messages, writes, reads and additions between two processes over the provider soft, both polling.
 * strace shows that neither makes a system call between its marks, and counters that neither
 * allocates memory or takes a lock. The program runs itself under strace, once for each side.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/rdma/end.h"
#include "tests/lib/hot.h"
#include "tests/lib/runner.h"
#include "tests/lib/traced.h"

#define N_ROUNDS traced_n(30000)
#define N_IDLE   300000u
#define LEN      65536u
#define MSG_LEN  64u
#define PORT     99

static struct lab lab;
static bool is_server;

static const struct rdma_endpoint gid_p0 = {
	.type = RDMA_ADDR_GID,
	.port = PORT,
	.bytes = {0xfe, 0x80, [11] = 0xff, [12] = 0xfe, [14] = 0x03},
};

/* --- the traced program: one side --- */

static struct rdma_side end;
static struct rdma_mem mem;
static struct rdma_qp *qp;
static struct rdma_req req_recv, req_send;

static struct rdma_wr *next(void)
{
	struct rdma_wr *wr;

	while ((wr = end.ops->poll(end.domain)) == NULL) {
		struct rdma_event event;

		/* Neither end may exit before the other has finished. */
		if (end.ops->next_event(end.domain, &event))
			abort();
	}
	if (wr->status != DOCA_SUCCESS)
		abort();
	return wr;
}

/* A message and its reply, without assertions, because a successful one would be a system call. */
static void exchange(void)
{
	bool has_sent = false, has_received = false;

	if (end.ops->post_recv(end.domain, &req_recv.wr) != DOCA_SUCCESS)
		abort();
	if (!is_server && end.ops->post(qp, &req_send.wr) != DOCA_SUCCESS)
		abort();
	while (!has_sent || !has_received) {
		struct rdma_wr *wr = next();

		has_sent |= wr == &req_send.wr;
		if (wr != &req_recv.wr)
			continue;
		has_received = true;
		if (is_server && end.ops->post(qp, &req_send.wr) != DOCA_SUCCESS)
			abort();
	}
}

static const enum rdma_op ops[] = {RDMA_WRITE, RDMA_READ, RDMA_FETCH_ADD};
static struct rdma_req req_ops[ARRAY_LEN(ops)];

static void one_sided_init(const struct doca_mmap *remote, uint64_t addr)
{
	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		rdma_req_init(&req_ops[i], ops[i], &mem, 4096, ops[i] == RDMA_FETCH_ADD ? 8 : 1024);
		rdma_req_remote(&req_ops[i], remote, addr);
		req_ops[i].wr.value = 1;
	}
}

static void one_sided(struct rdma_req *req)
{
	for (uint32_t i = 0; i < N_ROUNDS; i++) {
		if (end.ops->post(qp, &req->wr) != DOCA_SUCCESS || next() != &req->wr)
			abort();
	}
}

static void idle(void)
{
	struct rdma_event event;

	for (uint32_t i = 0; i < N_IDLE; i++) {
		if (end.ops->poll(end.domain) != NULL || end.ops->next_event(end.domain, &event))
			abort();
	}
}

static void side_connect(void)
{
	if (is_server) {
		OK(end.ops->listen(end.domain, PORT));
		qp = rdma_end_event(&end, NULL, RDMA_QP_REQUESTED).qp;
		OK(end.ops->qp_accept(qp, NULL, 0));
		rdma_end_event(&end, NULL, RDMA_QP_ESTABLISHED);
		return;
	}
	/* Retries until the server listens. */
	for (;;) {
		OK(end.ops->qp_new(end.domain, NULL, &qp));
		OK(end.ops->qp_connect_addr(qp, &gid_p0));
		while (end.n_events == 0)
			rdma_end_progress(&end);
		end.n_events = 0;
		if (end.events[0].type == RDMA_QP_ESTABLISHED)
			return;
		end.ops->qp_free(qp);
	}
}

static void run_side(void)
{
	struct doca_mmap *remote = NULL;
	struct rdma_desc desc;
	uint64_t addr = 0;

	rdma_end_open(&end, is_server ? USE_DPU_P0 : USE_HOST_PF0, NULL);
	rdma_mem_make(&mem, end.dev, LEN, true, RDMA_END_ALL);
	side_connect();
	/* A message contains the address of the server's memory. */
	rdma_req_init(&req_recv, RDMA_RECV, &mem, 0, 2048);
	rdma_req_init(&req_send, RDMA_SEND, &mem, 2048, 2048);
	addr = (uintptr_t)mem.bytes;
	memcpy(mem.bytes + 2048, &mem.desc, sizeof(mem.desc));
	memcpy(mem.bytes + 2048 + sizeof(desc), &addr, sizeof(addr));
	exchange();
	memcpy(&desc, mem.bytes, sizeof(desc));
	memcpy(&addr, mem.bytes + sizeof(desc), sizeof(addr));
	if (!is_server)
		remote = rdma_mem_import(end.dev, &desc);
	one_sided_init(remote, addr + 8192);
	rdma_req_init(&req_recv, RDMA_RECV, &mem, 0, MSG_LEN);
	rdma_req_init(&req_send, RDMA_SEND, &mem, 2048, MSG_LEN);
	exchange();
	hot_begin();
	for (uint32_t i = 0; i < N_ROUNDS; i++)
		exchange();
	if (!is_server) {
		idle();
		for (size_t i = 0; i < ARRAY_LEN(ops); i++)
			one_sided(&req_ops[i]);
	}
	exchange();
	hot_end();
	/* The result of the writes and additions; the client ends last. */
	if (is_server)
		ck_assert_uint_ge(*(uint64_t *)(void *)(mem.bytes + 8192), N_ROUNDS);
	else
		rdma_end_event(&end, NULL, RDMA_QP_DISCONNECTED);
	if (remote != NULL)
		OK(doca_mmap_destroy(remote));
	rdma_mem_free(&mem);
	rdma_end_close(&end);
}

/* --- the test --- */

static void setup(void)
{
	lab_setup(&lab, NULL);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

START_TEST(test_polling)
{
	traced_run_both(&lab, "soft", false);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("hot");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 2 * RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_polling);
}

int main(int argc, char **argv)
{
	struct traced traced;

	if (traced_parse(argc, argv, &traced)) {
		is_server = strcmp(traced.name, "server") == 0;
		return traced_main(run_side);
	}
	lab_require();
	if (!traced_is_possible())
		return RUNNER_SKIPPED;
	return runner_main("rdma_hot", add_cases, NULL);
}
