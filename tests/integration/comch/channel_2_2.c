/* Programs of DOCA 2.2 with the comm channel, see channel.h. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <doca_comm_channel.h>

#include "tests/integration/comch/channel.h"
#include "tests/lib/expect.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "util/clock.h"

struct end {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_comm_channel_ep_t *ep;
	struct doca_comm_channel_addr_t *peer;
	int send_fd, recv_fd;
	const char *service; /* NULL: CHANNEL_NAME */
};

static const char *service_of(const struct end *end)
{
	return end->service != NULL ? end->service : CHANNEL_NAME;
}

static void end_make(struct end *end, uint16_t queue)
{
	OK(doca_comm_channel_ep_create(&end->ep));
	OK(doca_comm_channel_ep_set_device(end->ep, end->dev));
	OK(doca_comm_channel_ep_set_recv_queue_size(end->ep, queue));
	OK(doca_comm_channel_ep_set_max_msg_size(end->ep, 64));
}

static void end_serve(struct end *end, uint16_t queue)
{
	end->dev = use_dev(USE_DPU_P0);
	end->rep = use_rep(end->dev);
	end_make(end, queue);
	OK(doca_comm_channel_ep_set_device_rep(end->ep, end->rep));
	OK(doca_comm_channel_ep_listen(end->ep, service_of(end)));
	OK(doca_comm_channel_ep_get_event_channel(end->ep, &end->send_fd, &end->recv_fd));
}

static void sleep_on(int fd)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};

	EXPECT_TRUE(poll(&pollfd, 1, LOST_MS) == 1, "a wake-up was lost");
}

static void end_connect(struct end *end, uint16_t queue)
{
	doca_error_t result;

	end_make(end, queue);
	OK(doca_comm_channel_ep_connect(end->ep, CHANNEL_NAME, &end->peer));
	OK(doca_comm_channel_ep_get_event_channel(end->ep, &end->send_fd, &end->recv_fd));
	while ((result = doca_comm_channel_peer_addr_update_info(end->peer)) ==
	       DOCA_ERROR_CONNECTION_INPROGRESS) {
		OK(doca_comm_channel_ep_event_handle_arm_send(end->ep));
		sleep_on(end->send_fd);
	}
	OK(result);
}

static void end_close(struct end *end)
{
	OK(doca_comm_channel_ep_destroy(end->ep));
	if (end->rep != NULL)
		use_rep_end(end->rep);
	use_dev_end(end->dev);
}

static doca_error_t receive(struct end *end, uint64_t *number)
{
	size_t len = sizeof(*number);
	doca_error_t result;

	result = doca_comm_channel_ep_recvfrom(end->ep, number, &len, 0, &end->peer);
	EXPECT_TRUE(result != DOCA_SUCCESS || len == sizeof(*number), "a message of %zu bytes",
		    len);
	return result;
}

static uint64_t receive_asleep(struct end *end)
{
	doca_error_t result;
	uint64_t number;

	while ((result = receive(end, &number)) == DOCA_ERROR_AGAIN) {
		OK(doca_comm_channel_ep_event_handle_arm_recv(end->ep));
		sleep_on(end->recv_fd);
	}
	OK(result);
	return number;
}

static void send_asleep(struct end *end, uint64_t number)
{
	doca_error_t result;

	while ((result = doca_comm_channel_ep_sendto(end->ep, &number, sizeof(number), 0,
						     end->peer)) == DOCA_ERROR_AGAIN) {
		OK(doca_comm_channel_ep_event_handle_arm_send(end->ep));
		sleep_on(end->send_fd);
	}
	OK(result);
}

/* Waits for no, few or many nanoseconds. */
static void pause_randomly(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	if (*seed >> 28 == 0)
		nanosleep(&(struct timespec){.tv_nsec = *seed >> 12 & 0xffff}, NULL);
}

void channel_hammer_serve(int sock, void *arg)
{
	const struct channel_load *load = arg;
	uint32_t seed = load->seed;
	struct end end = {0};

	end_serve(&end, load->queue);
	lab_signal(sock);
	for (uint64_t i = 0; i < load->n; i++) {
		EXPECT_TRUE(receive_asleep(&end) == i, "a message is lost or doubled");
		pause_randomly(&seed);
		send_asleep(&end, ~i);
	}
	lab_wait(sock);
	end_close(&end);
}

/* Sends whenever there is room, and receives whenever there is a message, with one epoll. */
void channel_hammer_ask(int sock, void *arg)
{
	const struct channel_load *load = arg;
	uint64_t n_sent = 0, n_received = 0;
	uint32_t seed = load->seed + 1;
	struct end end = {.dev = use_dev(USE_HOST_PF0)};
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

	(void)sock;
	end_connect(&end, load->queue);
	for (int i = 0; i < 2; i++) {
		struct epoll_event event = {.events = EPOLLIN};

		ck_assert_int_eq(
			epoll_ctl(epoll_fd, EPOLL_CTL_ADD, i ? end.send_fd : end.recv_fd, &event),
			0);
	}
	while (n_received < load->n) {
		struct epoll_event event;
		doca_error_t result = DOCA_SUCCESS;
		uint64_t number;

		while (n_sent < load->n && result == DOCA_SUCCESS) {
			result = doca_comm_channel_ep_sendto(end.ep, &n_sent, sizeof(n_sent), 0,
							     end.peer);
			n_sent += result == DOCA_SUCCESS;
		}
		if (result == DOCA_ERROR_AGAIN)
			OK(doca_comm_channel_ep_event_handle_arm_send(end.ep));
		else
			OK(result);
		while ((result = receive(&end, &number)) == DOCA_SUCCESS)
			EXPECT_TRUE(number == ~n_received++, "a message is lost or doubled");
		EXPECT(DOCA_ERROR_AGAIN, result);
		pause_randomly(&seed);
		if (n_received == load->n)
			break;
		OK(doca_comm_channel_ep_event_handle_arm_recv(end.ep));
		EXPECT_TRUE(epoll_wait(epoll_fd, &event, 1, LOST_MS) == 1, "a wake-up was lost");
	}
	close(epoll_fd);
	OK(doca_comm_channel_ep_disconnect(end.ep, end.peer));
	end_close(&end);
}

/* A function of 1.3, which this version's headers do not have. */
extern doca_error_t get_user_data_1_3(
	struct doca_comm_channel_addr_t *peer,
	uint64_t *user_data) __asm__("doca_comm_channel_peer_addr_user_data_get");

/* --- peers that die --- */

void channel_killed_serve(int sock, void *arg)
{
	struct doca_comm_channel_addr_t *dead;
	struct end end = {0};
	doca_error_t result;
	uint64_t number;

	(void)arg;
	end_serve(&end, 8);
	lab_signal(sock);
	ck_assert_uint_eq(receive_asleep(&end), 7);
	dead = end.peer;
	OK(doca_comm_channel_peer_addr_set_user_data(dead, 77));
	lab_signal(sock);
	end.peer = NULL;
	while ((result = receive(&end, &number)) == DOCA_ERROR_AGAIN) {
		OK(doca_comm_channel_ep_event_handle_arm_recv(end.ep));
		sleep_on(end.recv_fd);
	}
	EXPECT(DOCA_ERROR_CONNECTION_RESET, result);
	ck_assert_ptr_eq(end.peer, dead);
	OK(doca_comm_channel_peer_addr_get_user_data(dead, &number));
	ck_assert_uint_eq(number, 77);
	EXPECT(DOCA_ERROR_AGAIN, receive(&end, &number));
	EXPECT(DOCA_ERROR_CONNECTION_RESET,
	       doca_comm_channel_ep_sendto(end.ep, &number, sizeof(number), 0, dead));
	EXPECT(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_peer_addr_update_info(dead));
	OK(doca_comm_channel_peer_addr_get_recv_messages(dead, &number));
	ck_assert_uint_eq(number, 1);
	OK(doca_comm_channel_ep_disconnect(end.ep, dead));
	lab_signal(sock);
	ck_assert_uint_eq(receive_asleep(&end), 8);
	OK(doca_comm_channel_peer_addr_get_user_data(end.peer, &number));
	EXPECT(DOCA_ERROR_BAD_STATE, get_user_data_1_3(end.peer, &number));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "was created by a call of DOCA "));
	ck_assert_uint_eq(number, 0);
	send_asleep(&end, 9);
	end_close(&end);
}

void channel_killed_ask(int sock, void *arg)
{
	struct end end = {.dev = use_dev(USE_HOST_PF0)};

	(void)arg;
	end_connect(&end, 8);
	send_asleep(&end, 7);
	lab_wait(sock);
}

void channel_disconnect_ask(int sock, void *arg)
{
	struct end end = {.dev = use_dev(USE_HOST_PF0)};

	(void)sock;
	(void)arg;
	end_connect(&end, 8);
	send_asleep(&end, 8);
	ck_assert_uint_eq(receive_asleep(&end), 9);
	OK(doca_comm_channel_ep_disconnect(end.ep, end.peer));
	end_close(&end);
}

void channel_orphan(int sock, void *arg)
{
	struct end end = {.dev = use_dev(USE_HOST_PF0)};
	doca_error_t result;
	uint64_t number;

	(void)arg;
	end_connect(&end, 8);
	send_asleep(&end, 0);
	lab_signal(sock);
	/* Messages that were sent before come first. */
	while ((result = receive(&end, &number)) != DOCA_ERROR_CONNECTION_RESET) {
		if (result == DOCA_SUCCESS)
			continue;
		OK(doca_comm_channel_ep_event_handle_arm_recv(end.ep));
		sleep_on(end.recv_fd);
	}
	EXPECT(DOCA_ERROR_CONNECTION_RESET, result);
	EXPECT(DOCA_ERROR_CONNECTION_RESET,
	       doca_comm_channel_ep_sendto(end.ep, &number, sizeof(number), 0, end.peer));
	EXPECT(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_peer_addr_update_info(end.peer));
	OK(doca_comm_channel_ep_event_handle_arm_send(end.ep));
	sleep_on(end.send_fd);
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_comm_channel_ep_connect(end.ep, CHANNEL_NAME, &end.peer));
	OK(doca_comm_channel_ep_disconnect(end.ep, end.peer));
	EXPECT(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_disconnect(end.ep, end.peer));
	EXPECT(DOCA_ERROR_NOT_CONNECTED,
	       doca_comm_channel_ep_sendto(end.ep, &number, sizeof(number), 0, end.peer));
	EXPECT(DOCA_ERROR_NOT_CONNECTED, receive(&end, &number));
	end_close(&end);
}

/* --- a client that disconnects with a full queue --- */

void channel_orphan_serve(int sock, void *arg)
{
	struct doca_comm_channel_addr_t *gone;
	struct end end = {0};
	doca_error_t result;
	uint64_t number = 0;

	(void)arg;
	end_serve(&end, 8);
	lab_signal(sock);
	ck_assert_uint_eq(receive_asleep(&end), 1);
	lab_signal(sock);
	ck_assert_uint_eq(receive_asleep(&end), 2);
	gone = end.peer;
	lab_signal(sock);
	lab_wait(sock);
	while ((result = doca_comm_channel_ep_sendto(end.ep, &number, sizeof(number), 0, gone)) ==
	       DOCA_SUCCESS)
		number++;
	EXPECT(DOCA_ERROR_AGAIN, result);
	lab_signal(sock);
	lab_wait(sock);
	/* The peer is gone; detecting that takes a number of calls, not time. */
	for (int i = 0; i < 10000 && result == DOCA_ERROR_AGAIN; i++)
		result = doca_comm_channel_ep_sendto(end.ep, &number, sizeof(number), 0, gone);
	EXPECT(DOCA_ERROR_CONNECTION_RESET, result);
	ck_assert_uint_eq(receive_asleep(&end), 3);
	lab_signal(sock);
	lab_wait(sock);
	end_close(&end);
}

void channel_orphan_a(int sock, void *arg)
{
	struct end end = {.dev = use_dev(USE_HOST_PF0)};

	(void)arg;
	end_connect(&end, 8);
	send_asleep(&end, 1);
	lab_signal(sock);
	lab_wait(sock);
	send_asleep(&end, 3);
	lab_signal(sock);
	lab_wait(sock);
	end_close(&end);
}

void channel_orphan_b(int sock, void *arg)
{
	struct end end = {.dev = use_dev(USE_HOST_PF0)};

	(void)arg;
	end_connect(&end, 8);
	send_asleep(&end, 2);
	lab_signal(sock);
	lab_wait(sock);
	OK(doca_comm_channel_ep_disconnect(end.ep, end.peer));
	lab_signal(sock);
	lab_wait(sock);
	end_close(&end);
}

/* --- the state of a service --- */

static void state(const struct end *end, uint32_t *n_peers, uint32_t *n_pending)
{
	struct doca_comm_channel_addr_t **list;

	OK(doca_comm_channel_ep_update_service_state_info(end->ep));
	OK(doca_comm_channel_ep_get_peer_addr_list(end->ep, &list, n_peers));
	OK(doca_comm_channel_ep_get_pending_connections(end->ep, n_pending));
}

void channel_clients_serve(int sock, void *arg)
{
	struct doca_comm_channel_addr_t **list;
	uint32_t n_peers, n_pending, n_left = 0;
	struct end end = {0};
	uint64_t number;
	int service_fd;

	(void)arg;
	end_serve(&end, 8);
	OK(doca_comm_channel_ep_get_service_event_channel(end.ep, &service_fd));
	state(&end, &n_peers, &n_pending);
	ck_assert_uint_eq(n_peers + n_pending, 0);
	lab_signal(sock);
	/* All wait to be accepted, without a call of recvfrom. */
	while (n_pending < CHANNEL_N_EPS) {
		sleep_on(service_fd);
		state(&end, &n_peers, &n_pending);
		ck_assert_uint_eq(n_peers, 0);
	}
	for (uint64_t n = 0; n < CHANNEL_N_EPS; n++) {
		uint64_t who = receive_asleep(&end);

		OK(doca_comm_channel_peer_addr_set_user_data(end.peer, who));
		send_asleep(&end, who + 1);
	}
	state(&end, &n_peers, &n_pending);
	ck_assert_uint_eq(n_peers, CHANNEL_N_EPS);
	ck_assert_uint_eq(n_pending, 0);
	lab_signal(sock);
	/* The clients disconnect in order: recvfrom accepts that and returns nothing. */
	while (n_left < CHANNEL_N_EPS) {
		sleep_on(service_fd);
		EXPECT(DOCA_ERROR_AGAIN, receive(&end, &number));
		state(&end, &n_peers, &n_pending);
		OK(doca_comm_channel_ep_get_peer_addr_list(end.ep, &list, &n_peers));
		for (uint32_t i = n_left = 0; i < n_peers; i++)
			n_left += doca_comm_channel_peer_addr_update_info(list[i]) != DOCA_SUCCESS;
	}
	while (n_peers > 0) {
		OK(doca_comm_channel_ep_disconnect(end.ep, list[0]));
		state(&end, &n_peers, &n_pending);
		OK(doca_comm_channel_ep_get_peer_addr_list(end.ep, &list, &n_peers));
	}
	end_close(&end);
}

void channel_clients_ask(int sock, void *arg)
{
	struct end ends[CHANNEL_N_EPS] = {{0}};
	uint64_t n;

	(void)arg;
	for (n = 0; n < CHANNEL_N_EPS; n++) {
		ends[n].dev = use_dev(USE_HOST_PF0);
		end_make(&ends[n], 8);
		OK(doca_comm_channel_ep_connect(ends[n].ep, CHANNEL_NAME, &ends[n].peer));
		OK(doca_comm_channel_ep_get_event_channel(ends[n].ep, &ends[n].send_fd,
							  &ends[n].recv_fd));
	}
	for (n = 0; n < CHANNEL_N_EPS; n++)
		send_asleep(&ends[n], n * 1000);
	for (n = 0; n < CHANNEL_N_EPS; n++)
		ck_assert_uint_eq(receive_asleep(&ends[n]), n * 1000 + 1);
	lab_wait(sock);
	for (n = 0; n < CHANNEL_N_EPS; n++) {
		OK(doca_comm_channel_ep_disconnect(ends[n].ep, ends[n].peer));
		end_close(&ends[n]);
	}
}

static doca_error_t await_end(struct end *end, bool by_state, int service_fd)
{
	doca_error_t result;
	uint64_t number;

	while (by_state &&
	       (result = doca_comm_channel_ep_update_service_state_info(end->ep)) == DOCA_SUCCESS)
		sleep_on(service_fd);
	while (!by_state && (result = receive(end, &number)) == DOCA_ERROR_AGAIN) {
		OK(doca_comm_channel_ep_event_handle_arm_recv(end->ep));
		sleep_on(end->recv_fd);
	}
	return result;
}

void channel_removed_serve(int sock, void *arg)
{
	bool by_state = *(int *)arg;
	struct end end = {0};
	uint64_t number;
	int service_fd;

	end_serve(&end, 8);
	OK(doca_comm_channel_ep_get_service_event_channel(end.ep, &service_fd));
	lab_signal(sock);
	ck_assert_int_eq(await_end(&end, by_state, service_fd), DOCA_ERROR_CONNECTION_RESET);
	ck_assert_msg(strstr(dococ_last_error(), "removed from the machine") != NULL, "%s",
		      dococ_last_error());
	EXPECT(DOCA_ERROR_CONNECTION_RESET, receive(&end, &number));
	EXPECT(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_update_service_state_info(end.ep));
	end_close(&end);
}

void channel_close_serve(int sock, void *arg)
{
	uint32_t n_peers, n_pending;
	struct end end = {0};
	struct pollfd pollfd = {.events = POLLIN};
	uint64_t number;

	(void)arg;
	end_serve(&end, 8);
	OK(doca_comm_channel_ep_get_service_event_channel(end.ep, &pollfd.fd));
	lab_signal(sock);
	ck_assert_uint_eq(receive_asleep(&end), 7);
	state(&end, &n_peers, &n_pending);
	EXPECT(DOCA_ERROR_AGAIN, receive(&end, &number));
	lab_signal(sock);
	lab_wait(sock);
	/* The disconnect was reported, and not read yet. */
	sleep_on(pollfd.fd);
	state(&end, &n_peers, &n_pending);
	ck_assert_uint_eq(n_peers, 1);
	sleep_on(pollfd.fd);
	/* Reported once. */
	state(&end, &n_peers, &n_pending);
	ck_assert_int_eq(poll(&pollfd, 1, 0), 0);
	EXPECT(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_peer_addr_update_info(end.peer));
	end_close(&end);
}

void channel_close_ask(int sock, void *arg)
{
	struct end end = {.dev = use_dev(USE_HOST_PF0)};

	(void)arg;
	end_connect(&end, 8);
	send_asleep(&end, 7);
	lab_wait(sock);
	end_close(&end);
}

/* --- a full queue --- */

void channel_full_serve(int sock, void *arg)
{
	struct end end = {0};

	(void)arg;
	end_serve(&end, 8);
	lab_signal(sock);
	ck_assert_uint_eq(receive_asleep(&end), 1);
	lab_wait(sock);
	ck_assert_uint_eq(receive_asleep(&end), 2);
	lab_signal(sock);
	lab_wait(sock);
	end_close(&end);
}

void channel_full_ask(int sock, void *arg)
{
	struct end end = {.dev = use_dev(USE_HOST_PF0)};
	doca_error_t result;
	uint64_t number = 1;

	(void)arg;
	end_connect(&end, 8);
	send_asleep(&end, number++);
	/* The service receives the first one at once. */
	while (number < 10)
		send_asleep(&end, number++);
	EXPECT(DOCA_ERROR_AGAIN,
	       doca_comm_channel_ep_sendto(end.ep, &number, sizeof(number), 0, end.peer));
	lab_signal(sock);
	lab_wait(sock);
	/* Between machines the report takes some time. */
	do
		result = doca_comm_channel_ep_sendto(end.ep, &number, sizeof(number), 0, end.peer);
	while (result == DOCA_ERROR_AGAIN);
	OK(result);
	/* Full again, but no send found it full. */
	OK(doca_comm_channel_ep_event_handle_arm_send(end.ep));
	sleep_on(end.send_fd);
	end_close(&end);
}

/* --- daemons that are restarted --- */

void channel_sleeping_serve(int sock, void *arg)
{
	struct end end = {.service = arg};
	doca_error_t result;
	uint64_t number = 0;

	end_serve(&end, 8);
	lab_signal(sock);
	lab_wait(sock);
	while (number != CHANNEL_STOP) {
		result = receive(&end, &number);
		if (result == DOCA_ERROR_AGAIN) {
			poll(NULL, 0, 1);
			continue;
		}
		OK(result);
		number = ~number;
		OK(doca_comm_channel_ep_sendto(end.ep, &number, sizeof(number), 0, end.peer));
		number = ~number;
	}
	/* Waits until the answer was received. */
	lab_wait(sock);
	end_close(&end);
}

/* Retries until it is connected, because a connection may be refused while daemons restart. */
static void connect_retry(struct end *end)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(20000) * NS_PER_MS;
	doca_error_t result;

	do {
		ck_assert_msg(clock_now_ns() < deadline, "not connected: %s", dococ_last_error());
		result = doca_comm_channel_ep_connect(end->ep, service_of(end), &end->peer);
		if (result != DOCA_SUCCESS) {
			poll(NULL, 0, 1);
			continue;
		}
		while ((result = doca_comm_channel_peer_addr_update_info(end->peer)) ==
			       DOCA_ERROR_CONNECTION_INPROGRESS &&
		       clock_now_ns() < deadline)
			poll(NULL, 0, 1);
		if (result == DOCA_SUCCESS)
			return;
		OK(doca_comm_channel_ep_disconnect(end->ep, end->peer));
	} while (true);
}

static void ask_number(struct end *end, uint64_t number)
{
	OK(doca_comm_channel_ep_sendto(end->ep, &number, sizeof(number), 0, end->peer));
	ck_assert_uint_eq(receive_asleep(end), ~number);
}

void channel_sleeping_ask(int sock, void *arg)
{
	struct end end = {.dev = use_dev(USE_HOST_PF0), .service = arg};

	end_make(&end, 8);
	lab_signal(sock);
	connect_retry(&end);
	OK(doca_comm_channel_ep_get_event_channel(end.ep, &end.send_fd, &end.recv_fd));
	ask_number(&end, 1);
	lab_signal(sock);
	lab_wait(sock);
	ask_number(&end, 2);
	OK(doca_comm_channel_ep_disconnect(end.ep, end.peer));
	connect_retry(&end);
	ask_number(&end, CHANNEL_STOP);
	end_close(&end);
}

/* --- fork --- */

void channel_fork_serve(int sock, void *arg)
{
	struct end end = {0};
	int status;
	pid_t pid;

	(void)arg;
	end_serve(&end, 8);
	lab_signal(sock);
	ck_assert_uint_eq(receive_asleep(&end), 8);
	pid = fork();
	if (pid == 0) {
		alarm(30);
		_exit(doca_comm_channel_ep_disconnect(end.ep, end.peer) !=
			      DOCA_ERROR_NOT_CONNECTED ||
		      doca_comm_channel_ep_destroy(end.ep) != DOCA_ERROR_NOT_CONNECTED);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	send_asleep(&end, 9);
	end_close(&end);
}

/* --- result codes --- */

static void codes_of_setters(struct doca_comm_channel_ep_t *ep, struct doca_dev *dev)
{
	uint16_t size;

	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_create(NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_set_device(ep, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_set_max_msg_size(ep, 0));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_set_send_queue_size(ep, 32769));
	OK(doca_comm_channel_ep_set_send_queue_size(ep, 1));
	OK(doca_comm_channel_ep_get_send_queue_size(ep, &size));
	ck_assert_uint_eq(size, 8);
	OK(doca_comm_channel_ep_set_recv_queue_size(ep, 33));
	OK(doca_comm_channel_ep_get_recv_queue_size(ep, &size));
	ck_assert_uint_eq(size, 64);
	OK(doca_comm_channel_ep_get_max_msg_size(ep, &size));
	ck_assert_uint_eq(size, 4080);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_max_msg_size(ep, NULL));
	OK(doca_comm_channel_ep_set_device(ep, dev));
}

void channel_codes_host(int sock, void *arg)
{
	struct doca_comm_channel_addr_t *peer = NULL;
	struct doca_comm_channel_ep_t *ep;
	struct doca_dev *dev = use_dev(USE_HOST_PF0), *same;
	char name[300];
	uint32_t n;
	int fd;

	(void)sock;
	(void)arg;
	OK(doca_comm_channel_ep_create(&ep));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_connect(ep, CHANNEL_NAME, &peer));
	codes_of_setters(ep, dev);
	OK(doca_comm_channel_ep_get_device(ep, &same));
	ck_assert_ptr_eq(same, dev);
	EXPECT(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_get_event_channel(ep, &fd, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_event_channel(ep, NULL, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_event_handle_arm_recv(ep));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_event_handle_arm_send(NULL));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_listen(ep, CHANNEL_NAME));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_connect(ep, NULL, &peer));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_connect(ep, "", &peer));
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_connect(ep, name, &peer));
	/* There is no service; the endpoint is unchanged. */
	EXPECT(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_ep_connect(ep, "nobody", &peer));
	EXPECT(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_ep_connect(ep, "nobody", &peer));
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_comm_channel_ep_update_service_state_info(ep));
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_comm_channel_ep_get_pending_connections(ep, &n));
	OK(doca_comm_channel_ep_destroy(ep));
	EXPECT(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_destroy(NULL));
	OK(doca_comm_channel_get_max_service_name_len(&n));
	ck_assert_uint_ge(n, 100);
	use_dev_end(dev);
	/* Endpoints of another generation are refused, and vice versa. */
	ep = channel_make_1_3();
	EXPECT(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_set_max_msg_size(ep, 64));
	OK(doca_comm_channel_ep_destroy(ep));
	OK(doca_comm_channel_ep_create(&ep));
	channel_refused_1_3(ep);
	OK(doca_comm_channel_ep_destroy(ep));
}

/* A service of this process with the test's name, and a message that is too long. */
void channel_codes_dpu(int sock, void *arg)
{
	struct doca_comm_channel_ep_t *other;
	struct end end = {0};
	uint8_t small[4];
	uint64_t number;
	size_t len;

	(void)arg;
	end_serve(&end, 8);
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_comm_channel_ep_listen(end.ep, CHANNEL_NAME));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_set_max_msg_size(end.ep, 64));
	OK(doca_comm_channel_ep_create(&other));
	OK(doca_comm_channel_ep_set_device(other, end.dev));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_listen(other, CHANNEL_NAME));
	OK(doca_comm_channel_ep_set_device_rep(other, end.rep));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_comm_channel_ep_listen(other, CHANNEL_NAME));
	EXPECT(DOCA_ERROR_NOT_SUPPORTED,
	       doca_comm_channel_ep_connect(other, CHANNEL_NAME, &end.peer));
	OK(doca_comm_channel_ep_destroy(other));
	EXPECT(DOCA_ERROR_AGAIN, receive(&end, &number));
	EXPECT(DOCA_ERROR_NOT_CONNECTED,
	       doca_comm_channel_ep_sendto(end.ep, &number, sizeof(number), 0, NULL));
	lab_signal(sock);
	/* The visitor's message is longer than this, and stays for a receive with enough room. */
	do {
		len = sizeof(small);
		OK(doca_comm_channel_ep_event_handle_arm_recv(end.ep));
		sleep_on(end.recv_fd);
	} while (doca_comm_channel_ep_recvfrom(end.ep, small, &len, 0, &end.peer) ==
		 DOCA_ERROR_AGAIN);
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_comm_channel_ep_recvfrom(end.ep, small, &len, 0, &end.peer));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_comm_channel_ep_recvfrom(end.ep, small, &len, 1, &end.peer));
	OK(doca_comm_channel_ep_event_handle_arm_recv(end.ep));
	sleep_on(end.recv_fd);
	ck_assert_uint_eq(receive_asleep(&end), 8);
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_comm_channel_ep_sendto(end.ep, (uint8_t[65]){0}, 65, 0, end.peer));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_comm_channel_ep_sendto(end.ep, &number, 0, 0, end.peer));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_comm_channel_ep_sendto(end.ep, &number, 8, 1, end.peer));
	send_asleep(&end, 9);
	end_close(&end);
}
