/*
 * Programs of different generations are connected by RDMA: each with each, host and DPU, polling
 * and sleeping until their handle is readable, in separate processes without an RDMA device.
 * Messages with and without immediate data, writes with and without notification, reads, swaps and
 * additions. Then one of them ends, and the other's receive ends if its generation has one
 * connection per object.
 */
#include <stdio.h>
#include <string.h>

#include "tests/integration/rdma/program.h"
#include "tests/lib/expect.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "util/util.h"

#define MSG_LEN 3000u
#define IMM     0x01020304u

/* Offsets in the memories. */
enum { OUT = 0, IN = 8192, WRITTEN = 16384, BACK = 24576, COUNTER = 32768, WORD = 32776 };

static const struct peer_role *const roles[] = {&peer_200, &peer_202, &peer_205, &peer_208,
						&peer_303};
#define N_ROLES ((int)ARRAY_LEN(roles))

struct cell {
	const struct peer_role *host, *dpu;
	bool sleeps;
};

static struct lab lab;

static void setup(void)
{
	lab_setup(&lab, NULL);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

static struct peer_done await_op(const struct peer_role *role, void *peer, enum peer_op op)
{
	struct peer_done done = role->await(peer);

	ck_assert_msg(done.op == op, "%d instead of %d", (int)done.op, (int)op);
	ck_assert_msg(done.status == DOCA_SUCCESS, "%d: %s", (int)op,
		      doca_error_get_name(done.status));
	return done;
}

static void *peer_start(const struct peer_role *role, const char *pci_addr, bool sleeps, int sock)
{
	struct peer_desc mine = {0}, theirs;
	void *peer = role->open(pci_addr, sleeps, &mine);

	lab_send(sock, &mine, sizeof(mine));
	lab_recv(sock, &theirs, sizeof(theirs));
	role->connect(peer, &theirs);
	return peer;
}

/*
 * Replies to a message, receives the notification of a write, and checks the changes of its memory.
 */
static void host_run(int sock, void *arg)
{
	const struct cell *cell = arg;
	const struct peer_role *role = cell->host;
	void *peer = peer_start(role, USE_HOST_PF0, cell->sleeps, sock);
	uint8_t *memory = role->memory(peer);
	const uint32_t imm = IMM;
	struct peer_done done;

	role->receive(peer, IN, MSG_LEN);
	lab_signal(sock);
	done = await_op(role, peer, PEER_RECEIVE);
	ck_assert_int_eq(done.by, PEER_SEND);
	ck_assert_uint_eq(done.len, MSG_LEN - 7);
	ck_assert(use_is_filled(memory + IN, MSG_LEN - 7, 1));
	use_fill(memory + OUT, MSG_LEN, 2);
	role->send(peer, OUT, MSG_LEN, &imm);
	await_op(role, peer, PEER_SEND_IMM);
	role->receive(peer, PEER_NOWHERE, 0);
	lab_signal(sock);
	done = await_op(role, peer, PEER_RECEIVE);
	ck_assert_int_eq(done.by, PEER_WRITE_IMM);
	ck_assert_uint_eq(done.imm, imm);
	ck_assert(use_is_filled(memory + WRITTEN, MSG_LEN, 3));
	/* From here on this process is passive. */
	lab_wait(sock);
	ck_assert_uint_eq(*(uint64_t *)(void *)(memory + COUNTER), 12);
	ck_assert_uint_eq(*(uint64_t *)(void *)(memory + WORD), 77);
	role->close(peer);
}

static void change(const struct peer_role *role, void *peer, size_t there, const uint64_t *compare,
		   uint64_t value, uint64_t before)
{
	uint64_t got;

	role->change(peer, there, BACK, compare, value);
	await_op(role, peer, compare == NULL ? PEER_ADD : PEER_SWAP);
	memcpy(&got, role->memory(peer) + BACK, sizeof(got));
	ck_assert_uint_eq(got, before);
}

static void changes(const struct peer_role *role, void *peer)
{
	static const uint64_t zero, other = 5;

	change(role, peer, COUNTER, NULL, 5, 0);
	change(role, peer, COUNTER, NULL, 7, 5);
	change(role, peer, WORD, &other, 66, 0);
	change(role, peer, WORD, &zero, 77, 0);
	change(role, peer, WORD, &zero, 88, 77);
}

static void dpu_run(int sock, void *arg)
{
	const struct cell *cell = arg;
	const struct peer_role *role = cell->dpu;
	void *peer = peer_start(role, USE_DPU_P0, cell->sleeps, sock);
	uint8_t *memory = role->memory(peer);
	const uint32_t imm = IMM;
	struct peer_done done;

	use_fill(memory + OUT, MSG_LEN, 1);
	lab_wait(sock);
	role->receive(peer, IN, MSG_LEN);
	role->send(peer, OUT, MSG_LEN - 7, NULL);
	/* The two results may arrive in either order. */
	done = role->await(peer);
	if (done.op == PEER_RECEIVE)
		await_op(role, peer, PEER_SEND);
	else
		done = await_op(role, peer, PEER_RECEIVE);
	ck_assert_int_eq(done.status, DOCA_SUCCESS);
	ck_assert_int_eq(done.by, PEER_SEND_IMM);
	ck_assert_uint_eq(done.len, MSG_LEN);
	ck_assert_uint_eq(done.imm, imm);
	ck_assert(use_is_filled(memory + IN, MSG_LEN, 2));
	lab_wait(sock);
	use_fill(memory + OUT, MSG_LEN, 3);
	role->write(peer, OUT, WRITTEN, MSG_LEN, NULL);
	await_op(role, peer, PEER_WRITE);
	role->write(peer, OUT, WRITTEN, 1, &imm);
	await_op(role, peer, PEER_WRITE_IMM);
	role->read(peer, WRITTEN, BACK, MSG_LEN);
	await_op(role, peer, PEER_READ);
	ck_assert(use_is_filled(memory + BACK, MSG_LEN, 3));
	changes(role, peer);
	/* The other process ends. */
	if (role->version < 205)
		role->receive(peer, IN, MSG_LEN);
	lab_signal(sock);
	if (role->version < 205) {
		done = role->await(peer);
		ck_assert_int_eq(done.op, PEER_RECEIVE);
		ck_assert_int_eq(done.status, DOCA_ERROR_CONNECTION_RESET);
		/* New operations end at once. */
		role->receive(peer, IN, MSG_LEN);
		ck_assert_int_eq(role->await(peer).status, DOCA_ERROR_CONNECTION_RESET);
		role->send(peer, OUT, 1, NULL);
		ck_assert_int_eq(role->await(peer).status, DOCA_ERROR_CONNECTION_RESET);
	}
	role->close(peer);
}

/* Passes the data of one process to the other. */
static void forward_desc(int from, int to)
{
	struct peer_desc desc;

	lab_recv(from, &desc, sizeof(desc));
	lab_send(to, &desc, sizeof(desc));
}

START_TEST(all_pairs_of_versions)
{
	struct cell cell = {.host = roles[_i / N_ROLES], .dpu = roles[_i % N_ROLES]};

	for (int sleeps = 0; sleeps < 2; sleeps++) {
		struct lab_child host, dpu;

		cell.sleeps = sleeps;
		host = lab_fork(&lab, LAB_HOST, host_run, &cell);
		dpu = lab_fork(&lab, LAB_DPU, dpu_run, &cell);
		forward_desc(host.sock, dpu.sock);
		forward_desc(dpu.sock, host.sock);
		/*
		 * Synchronises twice: after the receive, and while the process waits for the write.
		 */
		for (int i = 0; i < 2; i++) {
			lab_wait(host.sock);
			lab_signal(dpu.sock);
		}
		lab_wait(dpu.sock);
		lab_signal(host.sock);
		lab_join(&host);
		lab_join(&dpu);
		printf("host of %d, DPU of %d, %s: messages, writes, reads, changes\n",
		       cell.host->version, cell.dpu->version, sleeps ? "asleep" : "polling");
	}
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("peers");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, all_pairs_of_versions, 0, N_ROLES * N_ROLES);
}

int main(void)
{
	lab_require();
	return runner_main("rdma_peer", add_cases, NULL);
}
