/*
 * The echo server of the examples and a client that corrupts its ring: the client's connection
 * ends, and the server serves another client.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/shm_layout.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/talk.h"
#include "tests/lib/use.h"

#define SERVICE "echo"
#define N_TASKS 2048
#define WAIT_MS 30000

static struct lab lab;

static void setup(void)
{
	lab_setup(&lab, NULL);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

static void run_example(const char *name, const char *option, const char *value)
{
	const char *build = getenv("top_builddir");
	char path[4096];

	snprintf(path, sizeof(path), "%s/examples/%s", build == NULL ? "." : build, name);
	execl(path, name, "--name", SERVICE, option, value, (char *)NULL);
	perror(path);
	_exit(99);
}

static void serve(int sock, void *arg)
{
	(void)sock, (void)arg;
	run_example("comch_echo_server", "--clients", "2");
}

static void ask(int sock, void *arg)
{
	(void)sock, (void)arg;
	run_example("comch_echo_client", "--messages", "100");
}

/* Returns the library's mapping of the header of this process's only channel. */
static struct channel_header *find_header(void)
{
	struct channel_header *found = NULL;
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long from, to;
	char line[512];

	ck_assert_ptr_nonnull(maps);
	while (found == NULL && fgets(line, sizeof(line), maps) != NULL)
		if (strstr(line, "dococored-channel") != NULL &&
		    sscanf(line, "%lx-%lx", &from, &to) == 2 && to - from == CHANNEL_HEADER_LEN)
			found = (struct channel_header *)from;
	fclose(maps);
	ck_assert_ptr_nonnull(found);
	ck_assert_uint_eq(found->magic, CHANNEL_MAGIC);
	return found;
}

/*
 * Claims to have read more messages than there were, and makes the server detect it: the client
 * sends without reading, so that the server needs room.
 */
static void break_ring(int sock, void *arg)
{
	struct talk talk = {.msg_max = TALK_MSG_MAX};
	struct channel_header *header;
	char message[TALK_MSG_MAX] = "message";
	struct doca_dev *dev;
	struct doca_pe *pe;

	(void)arg;
	dev = use_dev(USE_HOST_PF0);
	OK(doca_pe_create(&pe));
	talk_connect(&talk, pe, dev, SERVICE, N_TASKS);
	use_ctx_await(pe, talk.ctx, DOCA_CTX_STATE_RUNNING);
	talk_connected(&talk);
	header = find_header();
	lab_signal(sock);
	lab_wait(sock);
	/* Killed here. The result of a send after the server has disconnected does not matter. */
	for (;;) {
		header->ring[0].consumed_pos = UINT64_MAX - 7;
		header->ring[0].consumed_msgs = UINT64_MAX;
		if (talk_try_send(&talk, talk.connection, message, sizeof(message)) != DOCA_SUCCESS)
			poll(NULL, 0, 1);
	}
}

START_TEST(test_server_goes_on)
{
	struct lab_child server = lab_fork(&lab, LAB_DPU, serve, NULL), breaker, client;

	lab_await(&lab, LAB_DPU, LAB_SERVERS, 1, WAIT_MS);
	breaker = lab_fork(&lab, LAB_HOST, break_ring, NULL);
	lab_wait(breaker.sock);
	lab_await(&lab, LAB_DPU, LAB_CHANNELS, 1, WAIT_MS);
	lab_signal(breaker.sock);
	lab_await(&lab, LAB_DPU, LAB_CHANNELS, 0, WAIT_MS);
	client = lab_fork(&lab, LAB_HOST, ask, NULL);
	lab_join(&client);
	lab_join(&server);
	lab_kill(&breaker);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("echo_break");

	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_server_goes_on);
	suite_add_tcase(suite, tcase);
}

int main(void)
{
	lab_require();
	return runner_main("a client that breaks its ring", add_cases, NULL);
}
