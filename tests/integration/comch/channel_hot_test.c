/*
 * Messages between two polling endpoints of the comm channel, by a program of DOCA 2.2. strace
 * shows that neither makes a system call between its marks, and counters that neither allocates
 * memory or takes a lock. Every message gets a reply; several are in flight. The program runs
 * itself under strace, once for each side.
 */
#include <string.h>

#include <doca_comm_channel.h>

#include "tests/lib/expect.h"
#include "tests/lib/hot.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/traced.h"

#define N_MESSAGES traced_n(300000)
#define N_OPEN     100u
#define QUEUE      256u
#define MSG_LEN    64u
#define SERVICE    "hot"

static struct lab lab;
static bool is_server;

static struct {
	struct doca_comm_channel_ep_t *ep;
	struct doca_comm_channel_addr_t *peer;
	uint8_t message[MSG_LEN];
	unsigned n_sent, n_received, n_wrong;
} side;

static void send_one(void)
{
	doca_error_t result;

	do
		result = doca_comm_channel_ep_sendto(side.ep, side.message, MSG_LEN, 0, side.peer);
	while (result == DOCA_ERROR_AGAIN);
	OK(result);
	side.n_sent++;
}

/* Returns true if there was one. */
static bool receive_one(void)
{
	uint8_t bytes[MSG_LEN];
	size_t len = sizeof(bytes);
	doca_error_t result;

	result = doca_comm_channel_ep_recvfrom(side.ep, bytes, &len, 0, &side.peer);
	if (result == DOCA_ERROR_AGAIN)
		return false;
	OK(result);
	/* Check's assertions make system calls. */
	side.n_wrong += len != MSG_LEN || memcmp(bytes, side.message, MSG_LEN) != 0;
	side.n_received++;
	return true;
}

static void make(struct doca_dev *dev)
{
	use_fill(side.message, sizeof(side.message), 1);
	OK(doca_comm_channel_ep_create(&side.ep));
	OK(doca_comm_channel_ep_set_device(side.ep, dev));
	OK(doca_comm_channel_ep_set_recv_queue_size(side.ep, QUEUE));
}

static void run_server(void)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_dev_rep *rep = use_rep(dev);

	make(dev);
	OK(doca_comm_channel_ep_set_device_rep(side.ep, rep));
	OK(doca_comm_channel_ep_listen(side.ep, SERVICE));
	while (!receive_one())
		continue;
	send_one();
	hot_begin();
	while (side.n_received < N_MESSAGES) {
		if (receive_one())
			send_one();
	}
	hot_end();
	ck_assert_uint_eq(side.n_wrong, 0);
	/* Waits until the client has disconnected, so that its end is not part of the count. */
	while (doca_comm_channel_peer_addr_update_info(side.peer) == DOCA_SUCCESS)
		continue;
	OK(doca_comm_channel_ep_destroy(side.ep));
	use_rep_end(rep);
	use_dev_end(dev);
}

static void run_client(void)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);

	make(dev);
	OK(doca_comm_channel_ep_connect(side.ep, SERVICE, &side.peer));
	send_one();
	while (!receive_one())
		continue;
	hot_begin();
	while (side.n_received < N_MESSAGES) {
		while (side.n_sent < N_MESSAGES && side.n_sent - side.n_received < N_OPEN)
			send_one();
		(void)receive_one();
	}
	hot_end();
	ck_assert_uint_eq(side.n_wrong, 0);
	OK(doca_comm_channel_ep_disconnect(side.ep, side.peer));
	OK(doca_comm_channel_ep_destroy(side.ep));
	use_dev_end(dev);
}

static void run_side(void)
{
	if (is_server)
		run_server();
	else
		run_client();
}

static void setup(void)
{
	lab_setup(&lab, NULL);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

START_TEST(polling)
{
	traced_run_both(&lab, "", true);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("hot channel");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, polling);
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
	return runner_main("channel_hot", add_cases, NULL);
}
