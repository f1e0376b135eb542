/*
 * Result codes of the comm channel as 2.2, 2.5 and 2.6 document them: a service and a client, in
 * processes of the two sides, provoke every code that can be provoked.
 */
#include <string.h>
#include <sys/resource.h>

#include <doca_comm_channel.h>
#include <doca_dev.h>

#include "tests/conformance/cover.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

#define NAME "conformance"

static struct lab lab;

static void setup(void)
{
	lab_setup(&lab, NULL);
}

/* A DPU device that supports no services. */
static void setup_bare(void)
{
	const struct lab_options options = {
		.only = {[LAB_DPU] = true},
		.topology = "[topology]\nside = dpu\n"
			    "[device bare]\npci = 05:00.0\ncomch_server = no\n"
			    "[representor bare]\nparent = bare\npci = 06:00.0\n"
			    "presence = always\n",
	};

	lab_setup(&lab, &options);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

/* While on, no descriptor can be created. */
static void limit_fds(bool is_on)
{
	static struct rlimit before;
	struct rlimit limit;

	if (is_on) {
		ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
		limit = before;
		limit.rlim_cur = 3;
	} else {
		limit = before;
	}
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void check_new_ep(struct doca_comm_channel_ep_t *ep)
{
	struct doca_comm_channel_addr_t *peer, **list;
	struct doca_dev_rep *rep;
	struct doca_dev *dev;
	uint8_t byte = 0;
	uint16_t size;
	size_t len = 1;
	uint32_t n;
	int fd;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_device(ep, &dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_device_rep(ep, &rep));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_set_device(ep, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_set_device_rep(ep, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_set_max_msg_size(ep, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_set_send_queue_size(ep, 40000));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_set_recv_queue_size(ep, 40000));
	PASSES(doca_comm_channel_ep_set_max_msg_size(ep, 16));
	PASSES(doca_comm_channel_ep_set_send_queue_size(ep, 8));
	PASSES(doca_comm_channel_ep_set_recv_queue_size(ep, 8));
	PASSES(doca_comm_channel_ep_get_max_msg_size(ep, &size));
	PASSES(doca_comm_channel_ep_get_send_queue_size(ep, &size));
	PASSES(doca_comm_channel_ep_get_recv_queue_size(ep, &size));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_max_msg_size(NULL, &size));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_send_queue_size(ep, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_recv_queue_size(ep, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_get_event_channel(ep, &fd, &fd));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_event_channel(ep, NULL, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_get_service_event_channel(ep, &fd));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_service_event_channel(ep, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_event_handle_arm_send(ep));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_event_handle_arm_recv(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_update_service_state_info(NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comm_channel_ep_update_service_state_info(ep));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comm_channel_ep_get_peer_addr_list(ep, &list, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_peer_addr_list(ep, NULL, &n));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comm_channel_ep_get_pending_connections(ep, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_pending_connections(ep, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_listen(ep, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_listen(ep, NAME));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_connect(ep, NULL, &peer));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_connect(ep, NAME, &peer));
	RETURNS(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_sendto(ep, &byte, 1, 0, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_sendto(ep, NULL, 1, 0, NULL));
	RETURNS(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_recvfrom(ep, &byte, &len, 0, &peer));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_recvfrom(ep, &byte, NULL, 0, &peer));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_disconnect(ep, NULL));
}

static void peer_codes(struct doca_comm_channel_addr_t *peer)
{
	uint64_t n;

	PASSES(doca_comm_channel_peer_addr_get_user_data(peer, &n));
	ck_assert_uint_eq(n, 0);
	PASSES(doca_comm_channel_peer_addr_set_user_data(peer, 3));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_peer_addr_get_user_data(peer, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_peer_addr_set_user_data(NULL, 3));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_peer_addr_update_info(NULL));
	PASSES(doca_comm_channel_peer_addr_update_info(peer));
	PASSES(doca_comm_channel_peer_addr_get_send_messages(peer, &n));
	PASSES(doca_comm_channel_peer_addr_get_send_bytes(peer, &n));
	PASSES(doca_comm_channel_peer_addr_get_recv_messages(peer, &n));
	PASSES(doca_comm_channel_peer_addr_get_recv_bytes(peer, &n));
	PASSES(doca_comm_channel_peer_addr_get_send_in_flight_messages(peer, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_peer_addr_get_send_messages(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_peer_addr_get_send_bytes(peer, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comm_channel_peer_addr_get_recv_messages(peer, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_peer_addr_get_recv_bytes(peer, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comm_channel_peer_addr_get_send_in_flight_messages(peer, NULL));
}

static doca_error_t receive(struct doca_comm_channel_ep_t *ep, uint8_t *byte,
			    struct doca_comm_channel_addr_t **peer)
{
	doca_error_t result;
	size_t len = 1;

	do
		result = doca_comm_channel_ep_recvfrom(ep, byte, &len, 0, peer);
	while (result == DOCA_ERROR_AGAIN);
	return result;
}

static void serve(int sock, void *arg)
{
	struct doca_comm_channel_addr_t *peer, **list;
	struct doca_dev *dev = use_dev(USE_DPU_P0), *same;
	struct doca_dev_rep *rep = use_rep(dev), *same_rep;
	struct doca_comm_channel_ep_t *ep, *other;
	size_t len = 1;
	uint8_t byte;
	uint32_t n;
	int fd;

	(void)arg;
	PASSES(doca_comm_channel_ep_create(&ep));
	check_new_ep(ep);
	PASSES(doca_comm_channel_ep_set_device(ep, dev));
	PASSES(doca_comm_channel_ep_set_device_rep(ep, rep));
	PASSES(doca_comm_channel_ep_get_device(ep, &same));
	PASSES(doca_comm_channel_ep_get_device_rep(ep, &same_rep));
	ck_assert(same == dev && same_rep == rep);
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comm_channel_ep_connect(ep, NAME, &peer));
	ck_assert_str_eq(
		dococ_last_error(),
		"comm channel connect: device p0 does not support it, clients run on the host "
		"side; key comch_client of the device in the topology allows it");
	if (allocount_works)
		RUNS_OUT(0, doca_comm_channel_ep_listen(ep, NAME));
	PASSES(doca_comm_channel_ep_listen(ep, NAME));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_comm_channel_ep_listen(ep, NAME));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_comm_channel_ep_connect(ep, NAME, &peer));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_set_device(ep, dev));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_set_device_rep(ep, rep));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_set_max_msg_size(ep, 8));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_set_send_queue_size(ep, 8));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_set_recv_queue_size(ep, 8));
	limit_fds(true);
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_comm_channel_ep_get_event_channel(ep, &fd, &fd));
	RETURNS(DOCA_ERROR_DRIVER, doca_comm_channel_ep_update_service_state_info(ep));
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_comm_channel_ep_create(&other));
	limit_fds(false);
	PASSES(doca_comm_channel_ep_get_event_channel(ep, &fd, &fd));
	PASSES(doca_comm_channel_ep_get_service_event_channel(ep, &fd));
	PASSES(doca_comm_channel_ep_event_handle_arm_send(ep));
	PASSES(doca_comm_channel_ep_event_handle_arm_recv(ep));
	PASSES(doca_comm_channel_ep_update_service_state_info(ep));
	PASSES(doca_comm_channel_ep_get_peer_addr_list(ep, &list, &n));
	PASSES(doca_comm_channel_ep_get_pending_connections(ep, &n));
	PASSES(doca_comm_channel_get_service_max_num_connections(doca_dev_as_devinfo(dev), &n));
	RETURNS(DOCA_ERROR_AGAIN, doca_comm_channel_ep_recvfrom(ep, &byte, &len, 0, &peer));
	lab_signal(sock);
	/* The client checks its state before it is accepted. */
	lab_wait(sock);
	OK(receive(ep, &byte, &peer));
	PASSES(doca_comm_channel_ep_event_handle_arm_recv(ep));
	peer_codes(peer);
	/* The client does not receive these. */
	while (doca_comm_channel_ep_sendto(ep, &byte, 1, 0, peer) == DOCA_SUCCESS)
		continue;
	RETURNS(DOCA_ERROR_AGAIN, doca_comm_channel_ep_sendto(ep, &byte, 1, 0, peer));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_sendto(ep, &byte, 17, 0, peer));
	lab_signal(sock);
	PASSES(doca_comm_channel_ep_disconnect(ep, peer));
	PASSES(doca_comm_channel_ep_destroy(ep));
	RETURNS(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_destroy(NULL));
	use_rep_end(rep);
	use_dev_end(dev);
}

static void capabilities(struct doca_devinfo *info)
{
	uint32_t n;

	PASSES(doca_comm_channel_get_max_service_name_len(&n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_get_max_service_name_len(NULL));
	PASSES(doca_comm_channel_get_max_message_size(info, &n));
	ck_assert_uint_ge(n, 4080);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_get_max_message_size(NULL, &n));
	PASSES(doca_comm_channel_get_max_send_queue_size(info, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_get_max_send_queue_size(info, NULL));
	PASSES(doca_comm_channel_get_max_recv_queue_size(info, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_get_max_recv_queue_size(info, NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_comm_channel_get_service_max_num_connections(info, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comm_channel_get_service_max_num_connections(NULL, &n));
}

static void ask(int sock, void *arg)
{
	struct doca_comm_channel_addr_t *peer, *from;
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_comm_channel_ep_t *ep;
	doca_error_t result;
	uint8_t byte = 1;
	int fd;

	(void)arg;
	capabilities(doca_dev_as_devinfo(dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_create(NULL));
	if (allocount_works)
		RUNS_OUT(0, doca_comm_channel_ep_create(&ep));
	PASSES(doca_comm_channel_ep_create(&ep));
	PASSES(doca_comm_channel_ep_set_device(ep, dev));
	PASSES(doca_comm_channel_ep_set_max_msg_size(ep, 16));
	RETURNS(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_ep_connect(ep, "nobody", &peer));
	/* The sentence is that of a comch client, worded for this interface. */
	ck_assert_msg(strstr(dococ_last_error(), "comm channel \"nobody\": not connected on") ==
			      dococ_last_error(),
		      "%s", dococ_last_error());
	if (allocount_works)
		RUNS_OUT(0, doca_comm_channel_ep_connect(ep, NAME, &peer));
	PASSES(doca_comm_channel_ep_connect(ep, NAME, &peer));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_comm_channel_ep_connect(ep, NAME, &peer));
	RETURNS(DOCA_ERROR_CONNECTION_INPROGRESS, doca_comm_channel_peer_addr_update_info(peer));
	RETURNS(DOCA_ERROR_AGAIN, doca_comm_channel_ep_sendto(ep, &byte, 1, 0, peer));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comm_channel_ep_get_service_event_channel(ep, &fd));
	lab_signal(sock);
	while ((result = doca_comm_channel_ep_sendto(ep, &byte, 1, 0, peer)) == DOCA_ERROR_AGAIN)
		continue;
	OK(result);
	lab_wait(sock);
	/* Receives all messages that were sent, then sees the end. */
	while ((result = receive(ep, &byte, &from)) == DOCA_SUCCESS)
		ck_assert_ptr_eq(from, peer);
	RETURNS(DOCA_ERROR_CONNECTION_RESET,
		doca_comm_channel_ep_recvfrom(ep, &byte, &(size_t){1}, 0, &from));
	RETURNS(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(ep, &byte, 1, 0, peer));
	RETURNS(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_peer_addr_update_info(peer));
	PASSES(doca_comm_channel_ep_disconnect(ep, peer));
	RETURNS(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_disconnect(ep, peer));
	PASSES(doca_comm_channel_ep_destroy(ep));
	use_dev_end(dev);
}

/* The daemon is not running when the endpoints are created. */
static void start_without_daemon(int sock, void *arg)
{
	struct doca_comm_channel_addr_t *peer;
	struct doca_comm_channel_ep_t *ep;
	struct doca_dev *dev = use_dev(arg == NULL ? USE_HOST_PF0 : USE_DPU_P0);
	struct doca_dev_rep *rep = arg == NULL ? NULL : use_rep(dev);

	PASSES(doca_comm_channel_ep_create(&ep));
	PASSES(doca_comm_channel_ep_set_device(ep, dev));
	if (rep != NULL)
		PASSES(doca_comm_channel_ep_set_device_rep(ep, rep));
	lab_signal(sock);
	lab_wait(sock);
	if (rep == NULL)
		RETURNS(DOCA_ERROR_DRIVER, doca_comm_channel_ep_connect(ep, NAME, &peer));
	else
		RETURNS(DOCA_ERROR_DRIVER, doca_comm_channel_ep_listen(ep, NAME));
	PASSES(doca_comm_channel_ep_destroy(ep));
	if (rep != NULL)
		use_rep_end(rep);
	use_dev_end(dev);
}

START_TEST(conversation)
{
	struct lab_child server = lab_fork(&lab, LAB_DPU, serve, NULL), client;

	lab_wait(server.sock);
	client = lab_fork(&lab, LAB_HOST, ask, NULL);
	lab_wait(client.sock);
	lab_signal(server.sock);
	/* The server has filled the queue; the client may now receive. */
	lab_wait(server.sock);
	lab_signal(client.sock);
	lab_join(&client);
	lab_join(&server);
}
END_TEST

START_TEST(without_daemon)
{
	enum lab_side side = _i == 0 ? LAB_HOST : LAB_DPU;
	struct lab_child child = lab_fork(&lab, side, start_without_daemon, _i == 0 ? NULL : &lab);

	lab_wait(child.sock);
	lab_kill_daemon(&lab, side);
	lab_signal(child.sock);
	lab_join(&child);
	lab_start_daemon(&lab, side);
}
END_TEST

static void listen_unsupported(int sock, void *arg)
{
	struct doca_dev *dev = use_dev("05:00.0");
	struct doca_dev_rep *rep = use_rep(dev);
	struct doca_comm_channel_ep_t *ep;
	uint32_t n;

	(void)sock;
	(void)arg;
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_comm_channel_get_service_max_num_connections(doca_dev_as_devinfo(dev), &n));
	PASSES(doca_comm_channel_ep_create(&ep));
	PASSES(doca_comm_channel_ep_set_device(ep, dev));
	PASSES(doca_comm_channel_ep_set_device_rep(ep, rep));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comm_channel_ep_listen(ep, NAME));
	PASSES(doca_comm_channel_ep_destroy(ep));
	use_rep_end(rep);
	use_dev_end(dev);
}

START_TEST(without_services)
{
	struct lab_child child = lab_fork(&lab, LAB_DPU, listen_unsupported, NULL);

	lab_join(&child);
}
END_TEST

static const struct documented documented[] = {
	{"doca_comm_channel_ep_connect", "INVALID_VALUE DRIVER NOT_SUPPORTED NOT_PERMITTED "
					 "BAD_STATE NO_MEMORY INITIALIZATION CONNECTION_ABORTED"},
	{"doca_comm_channel_ep_create", "INVALID_VALUE NO_MEMORY INITIALIZATION DRIVER"},
	{"doca_comm_channel_ep_destroy", "NOT_CONNECTED"},
	{"doca_comm_channel_ep_disconnect", "INVALID_VALUE NO_MEMORY NOT_CONNECTED UNKNOWN"},
	{"doca_comm_channel_ep_event_handle_arm_recv", "INVALID_VALUE"},
	{"doca_comm_channel_ep_event_handle_arm_send", "INVALID_VALUE"},
	{"doca_comm_channel_ep_get_device", "INVALID_VALUE"},
	{"doca_comm_channel_ep_get_device_rep", "INVALID_VALUE"},
	{"doca_comm_channel_ep_get_event_channel", "INVALID_VALUE BAD_STATE NOT_FOUND"},
	{"doca_comm_channel_ep_get_max_msg_size", "INVALID_VALUE"},
	{"doca_comm_channel_ep_get_peer_addr_list", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_comm_channel_ep_get_pending_connections", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_comm_channel_ep_get_recv_queue_size", "INVALID_VALUE"},
	{"doca_comm_channel_ep_get_send_queue_size", "INVALID_VALUE"},
	{"doca_comm_channel_ep_get_service_event_channel", "INVALID_VALUE BAD_STATE NOT_SUPPORTED"},
	{"doca_comm_channel_ep_listen",
	 "INVALID_VALUE DRIVER NOT_SUPPORTED BAD_STATE NOT_PERMITTED NO_MEMORY INITIALIZATION "
	 "CONNECTION_ABORTED"},
	{"doca_comm_channel_ep_recvfrom",
	 "INVALID_VALUE NOT_CONNECTED AGAIN CONNECTION_RESET INITIALIZATION UNKNOWN"},
	{"doca_comm_channel_ep_sendto",
	 "NOT_CONNECTED INVALID_VALUE AGAIN CONNECTION_RESET INITIALIZATION UNKNOWN"},
	{"doca_comm_channel_ep_set_device", "INVALID_VALUE BAD_STATE"},
	{"doca_comm_channel_ep_set_device_rep", "INVALID_VALUE BAD_STATE"},
	{"doca_comm_channel_ep_set_max_msg_size", "INVALID_VALUE BAD_STATE"},
	{"doca_comm_channel_ep_set_recv_queue_size", "INVALID_VALUE BAD_STATE"},
	{"doca_comm_channel_ep_set_send_queue_size", "INVALID_VALUE BAD_STATE"},
	{"doca_comm_channel_ep_update_service_state_info",
	 "INVALID_VALUE NOT_SUPPORTED DRIVER AGAIN CONNECTION_RESET"},
	{"doca_comm_channel_get_max_message_size", "INVALID_VALUE UNEXPECTED"},
	{"doca_comm_channel_get_max_recv_queue_size", "INVALID_VALUE UNEXPECTED"},
	{"doca_comm_channel_get_max_send_queue_size", "INVALID_VALUE UNEXPECTED"},
	{"doca_comm_channel_get_max_service_name_len", "INVALID_VALUE"},
	{"doca_comm_channel_get_service_max_num_connections",
	 "INVALID_VALUE NOT_SUPPORTED UNEXPECTED"},
	{"doca_comm_channel_peer_addr_get_recv_bytes", "INVALID_VALUE"},
	{"doca_comm_channel_peer_addr_get_recv_messages", "INVALID_VALUE"},
	{"doca_comm_channel_peer_addr_get_send_bytes", "INVALID_VALUE"},
	{"doca_comm_channel_peer_addr_get_send_in_flight_messages", "INVALID_VALUE"},
	{"doca_comm_channel_peer_addr_get_send_messages", "INVALID_VALUE"},
	{"doca_comm_channel_peer_addr_get_user_data", "INVALID_VALUE"},
	{"doca_comm_channel_peer_addr_set_user_data", "INVALID_VALUE"},
	{"doca_comm_channel_peer_addr_update_info",
	 "INVALID_VALUE CONNECTION_INPROGRESS CONNECTION_ABORTED"},
	{NULL, NULL},
};

static const struct unreachable unreachable[] = {
	{"*", "UNEXPECTED", "no rule of our own is broken"},
	{"*", "UNKNOWN", "every failure has a reason"},
	{"doca_comm_channel_ep_create", "DRIVER", "no driver is asked"},
	{"doca_comm_channel_ep_connect", "INITIALIZATION",
	 "when the daemon can make no descriptors, or the device was taken away"},
	{"doca_comm_channel_ep_listen", "INITIALIZATION",
	 "when the daemon can make no descriptors, or the device was taken away"},
	{"doca_comm_channel_ep_listen", "CONNECTION_ABORTED", "listening waits for nobody"},
	{"doca_comm_channel_ep_disconnect", "NO_MEMORY", "nothing is allocated"},
	{"doca_comm_channel_ep_update_service_state_info", "AGAIN",
	 "it does not wait for anything"},
	{"doca_comm_channel_ep_update_service_state_info", "CONNECTION_RESET",
	 "when the daemon broke a rule only"},
	{"doca_comm_channel_ep_sendto", "INITIALIZATION", "up to 1.3, which waits"},
	{"doca_comm_channel_ep_recvfrom", "INITIALIZATION", "up to 1.3, which waits"},
	{NULL, NULL, NULL},
};

/* A sanitizer replaces the allocator by one that does not fail. */
static const struct unreachable no_memory[] = {
	{"*", "NO_MEMORY", "allocations cannot be made to fail here"},
	{NULL, NULL, NULL},
};

static bool finish(void)
{
	struct unreachable both[ARRAY_LEN(unreachable) + ARRAY_LEN(no_memory)];
	size_t n = 0;

	for (size_t i = 0; unreachable[i].function != NULL; i++) {
		if (allocount_works || strcmp(unreachable[i].code, "NO_MEMORY") != 0)
			both[n++] = unreachable[i];
	}
	for (size_t i = 0; i < ARRAY_LEN(no_memory); i++)
		both[n + i] = no_memory[allocount_works ? ARRAY_LEN(no_memory) - 1 : i];
	return cover_report("2.2 doca_comm_channel", documented, both);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("comm channel"), *bare = tcase_create("bare");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, conversation);
	tcase_add_loop_test(tcase, without_daemon, 0, 2);
	tcase_add_checked_fixture(bare, setup_bare, teardown);
	tcase_set_timeout(bare, RUNNER_TEST_S);
	suite_add_tcase(suite, bare);
	tcase_add_test(bare, without_services);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("comm channel of 2.2", add_cases, finish);
}
