/*
 * RDMA jobs on polled work queues, between two processes without an RDMA device. strace shows that
 * neither makes a system call between the program's marks, and counters that neither allocates
 * memory or takes a lock. Messages there and back; writes, reads and additions. Compiled for 2.0
 * and for 2.2.
 */
#include <string.h>

#include "tests/integration/rdma/program.h"
#include "tests/lib/expect.h"
#include "tests/lib/hot.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/traced.h"

#define N_ROUNDS traced_n(20000)
#define MSG_LEN  64u
#define COUNTER  32768u

static struct lab lab;
static struct traced traced_as;
static const struct peer_role *const role = &VERSIONED(peer_);

/* Without an assertion, because a successful one would be a system call. */
static void await(void *peer, enum peer_op op)
{
	struct peer_done done = role->await(peer);

	if (done.op != op || done.status != DOCA_SUCCESS)
		ck_abort_msg("%d instead of %d, status %d", (int)done.op, (int)op,
			     (int)done.status);
}

/* A message and its reply; the send may complete before or after the reply arrives. */
static void exchange(void *peer, bool is_first)
{
	struct peer_done done;

	role->receive(peer, 0, MSG_LEN);
	if (!is_first) {
		await(peer, PEER_RECEIVE);
		role->send(peer, 4096, MSG_LEN, NULL);
		await(peer, PEER_SEND);
		return;
	}
	role->send(peer, 4096, MSG_LEN, NULL);
	done = role->await(peer);
	if (done.op == PEER_SEND)
		await(peer, PEER_RECEIVE);
	else
		await(peer, PEER_SEND);
}

static void one_sided(void *peer)
{
	role->write(peer, 4096, 8192, MSG_LEN, NULL);
	await(peer, PEER_WRITE);
	role->read(peer, 8192, 16384, MSG_LEN);
	await(peer, PEER_READ);
	role->change(peer, COUNTER, 24576, NULL, 1);
	await(peer, PEER_ADD);
}

/* The connection data of both processes pass through files with their names. */
static void meet(void *peer, const struct peer_desc *mine, bool is_client)
{
	struct peer_desc theirs;

	(void)peer;
	if (is_client) {
		traced_get(traced_as.dir, &theirs, sizeof(theirs));
		traced_put_as(traced_as.dir, "client", mine, sizeof(*mine));
	} else {
		traced_put(traced_as.dir, mine, sizeof(*mine));
		traced_get_as(traced_as.dir, "client", &theirs, sizeof(theirs));
	}
	role->connect(peer, &theirs);
}

static void run(void)
{
	bool is_client = strcmp(traced_as.name, "client") == 0;
	struct peer_desc mine = {0};
	void *peer = role->open(is_client ? USE_HOST_PF0 : USE_DPU_P0, false, &mine);

	meet(peer, &mine, is_client);
	exchange(peer, is_client);
	if (is_client)
		one_sided(peer);
	hot_begin();
	for (uint32_t i = 0; i < N_ROUNDS; i++) {
		exchange(peer, is_client);
		if (is_client)
			one_sided(peer);
	}
	exchange(peer, is_client);
	hot_end();
	if (is_client)
		traced_await_over(traced_as.dir);
	else
		traced_report_calls(traced_as.dir);
	if (!is_client)
		ck_assert_uint_eq(*(uint64_t *)(void *)(role->memory(peer) + COUNTER),
				  N_ROUNDS + 1);
	role->close(peer);
}

START_TEST(no_system_call)
{
	traced_run_both(&lab, "", false);
}
END_TEST

static void setup(void)
{
	lab_start(&lab, NULL);
}

static void teardown(void)
{
	lab_stop(&lab);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "RDMA jobs without system calls");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, no_system_call);
}

int main(int argc, char **argv)
{
	if (traced_parse(argc, argv, &traced_as))
		return traced_main(run);
	lab_require();
	if (!traced_is_possible())
		return RUNNER_SKIPPED;
	return runner_main("rdma_jobs_hot", add_cases, NULL);
}
