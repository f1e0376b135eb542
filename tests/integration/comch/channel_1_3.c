/* Programs of DOCA 1.3 with the comm channel, see channel.h. */
#include <poll.h>
#include <signal.h>
#include <string.h>

#include <doca_comm_channel.h>

#include "tests/integration/comch/channel.h"
#include "tests/lib/expect.h"
#include "tests/lib/lab.h"

static struct doca_comm_channel_ep_t *make(uint32_t flags)
{
	struct doca_comm_channel_init_attr attr = {.flags = flags, .maxmsgs = 16, .msgsize = 64};
	struct doca_comm_channel_ep_t *ep;

	OK(doca_comm_channel_ep_create(&attr, &ep));
	return ep;
}

void *channel_make_1_3(void)
{
	struct doca_comm_channel_init_attr attr = {.flags = 2};
	struct doca_comm_channel_ep_t *ep;

	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_create(&attr, &ep));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_create(NULL, &ep));
	return make(0);
}

void channel_refused_1_3(void *ep_of_2_2)
{
	ck_assert_int_eq(doca_comm_channel_ep_event_channel_get(ep_of_2_2), -1);
	ck_assert_int_eq(doca_comm_channel_ep_event_channel_get(NULL), -1);
}

static void receive(struct doca_comm_channel_ep_t *ep, uint64_t expected,
		    struct doca_comm_channel_addr_t **peer)
{
	uint64_t number;
	size_t len = sizeof(number);

	OK(doca_comm_channel_ep_recvfrom(ep, &number, &len, 0, peer));
	ck_assert_uint_eq(len, sizeof(number));
	ck_assert_uint_eq(number, expected);
}

static void send_number(struct doca_comm_channel_ep_t *ep, uint64_t number,
			struct doca_comm_channel_addr_t *peer)
{
	OK(doca_comm_channel_ep_sendto(ep, &number, sizeof(number), 0, peer));
}

/* Functions of 1.5 and later, which this version's headers do not have. */
extern doca_error_t get_user_data_1_5(
	struct doca_comm_channel_addr_t *peer,
	uint64_t *user_data) __asm__("doca_comm_channel_peer_addr_get_user_data");
extern doca_error_t update_info_1_5(struct doca_comm_channel_addr_t *peer) __asm__(
	"doca_comm_channel_peer_addr_update_info");

void channel_waiter_serve(int sock, void *arg)
{
	struct doca_comm_channel_addr_t *peer;
	struct doca_comm_channel_ep_t *ep = make(0);
	uint64_t number = 0;
	size_t len = sizeof(number);

	(void)arg;
	OK(doca_comm_channel_ep_listen(ep, CHANNEL_NAME));
	EXPECT(DOCA_ERROR_AGAIN,
	       doca_comm_channel_ep_recvfrom(ep, &number, &len, DOCA_CC_MSG_FLAG_DONTWAIT, &peer));
	lab_signal(sock);
	receive(ep, 1, &peer);
	send_number(ep, 2, peer);
	/* The client fills this service's queue meanwhile, and waits for room. */
	lab_wait(sock);
	for (uint64_t i = 0; i < CHANNEL_N_FLOOD; i++)
		receive(ep, i, &peer);
	OK(doca_comm_channel_peer_addr_user_data_set(peer, 5));
	OK(doca_comm_channel_peer_addr_user_data_get(peer, &number));
	ck_assert_uint_eq(number, 5);
	EXPECT(DOCA_ERROR_BAD_STATE, get_user_data_1_5(peer, &number));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "created by a call of DOCA 1.3"));
	EXPECT(DOCA_ERROR_BAD_STATE, update_info_1_5(peer));
	OK(doca_comm_channel_ep_destroy(ep));
}

void channel_waiting_serve(int sock, void *arg)
{
	struct doca_comm_channel_addr_t *peer;
	struct doca_comm_channel_ep_t *ep = make(0);
	uint64_t number = 0;

	OK(doca_comm_channel_ep_listen(ep, arg));
	lab_signal(sock);
	lab_wait(sock);
	while (number != CHANNEL_STOP) {
		size_t len = sizeof(number);

		OK(doca_comm_channel_ep_recvfrom(ep, &number, &len, 0, &peer));
		send_number(ep, ~number, peer);
	}
	lab_wait(sock);
	OK(doca_comm_channel_ep_destroy(ep));
}

void channel_waiter_ask(int sock, void *arg)
{
	struct doca_comm_channel_addr_t *peer, *from;
	struct doca_comm_channel_ep_t *ep = make(0);
	uint64_t number = 0;
	size_t len = sizeof(number);

	(void)arg;
	OK(doca_comm_channel_ep_connect(ep, CHANNEL_NAME, &peer));
	send_number(ep, 1, peer);
	receive(ep, 2, &from);
	ck_assert_ptr_eq(from, peer);
	lab_signal(sock);
	for (uint64_t i = 0; i < CHANNEL_N_FLOOD; i++)
		send_number(ep, i, peer);
	/* The service ends when it has received all of them; this waits for its end. */
	EXPECT(DOCA_ERROR_CONNECTION_RESET,
	       doca_comm_channel_ep_recvfrom(ep, &number, &len, 0, &from));
	EXPECT(DOCA_ERROR_CONNECTION_RESET,
	       doca_comm_channel_ep_sendto(ep, &number, sizeof(number), 0, peer));
	OK(doca_comm_channel_ep_disconnect(ep, peer));
	OK(doca_comm_channel_ep_destroy(ep));
}

static void on_signal(int signal)
{
	(void)signal;
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
}

void channel_interrupted_serve(int sock, void *arg)
{
	struct doca_comm_channel_addr_t *peer;
	struct doca_comm_channel_ep_t *ep = make(0);
	uint64_t number = 0;
	size_t len = sizeof(number);

	(void)arg;
	catch_signals();
	OK(doca_comm_channel_ep_listen(ep, CHANNEL_NAME));
	lab_signal(sock);
	EXPECT(DOCA_ERROR_AGAIN, doca_comm_channel_ep_recvfrom(ep, &number, &len, 0, &peer));
	lab_signal(sock);
	lab_wait(sock);
	receive(ep, 1, &peer);
	lab_wait(sock);
	OK(doca_comm_channel_ep_destroy(ep));
}

void channel_interrupted_ask(int sock, void *arg)
{
	struct doca_comm_channel_addr_t *peer;
	struct doca_comm_channel_ep_t *ep = make(0);
	doca_error_t result;

	(void)arg;
	catch_signals();
	lab_signal(sock);
	EXPECT(DOCA_ERROR_AGAIN, doca_comm_channel_ep_connect(ep, CHANNEL_NAME, &peer));
	lab_signal(sock);
	lab_wait(sock);
	OK(doca_comm_channel_ep_connect(ep, CHANNEL_NAME, &peer));
	lab_signal(sock);
	send_number(ep, 1, peer);
	do {
		uint64_t number = 2;

		result = doca_comm_channel_ep_sendto(ep, &number, sizeof(number), 0, peer);
	} while (result == DOCA_SUCCESS);
	EXPECT(DOCA_ERROR_AGAIN, result);
	lab_signal(sock);
	OK(doca_comm_channel_ep_destroy(ep));
}

/* The event channel arms itself whenever a call found nothing. */
void channel_poller_serve(int sock, void *arg)
{
	struct doca_comm_channel_ep_t *ep = make(DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK);
	const struct channel_load *load = arg;
	struct pollfd pollfd = {.events = POLLIN};
	struct doca_comm_channel_addr_t *peer;
	uint64_t n = 0;

	OK(doca_comm_channel_ep_listen(ep, CHANNEL_NAME));
	pollfd.fd = doca_comm_channel_ep_event_channel_get(ep);
	ck_assert_int_ge(pollfd.fd, 0);
	lab_signal(sock);
	while (n < load->n) {
		uint64_t number;
		size_t len = sizeof(number);
		doca_error_t result = doca_comm_channel_ep_recvfrom(ep, &number, &len, 0, &peer);

		if (result == DOCA_SUCCESS) {
			ck_assert_uint_eq(number, n);
			number = ~n++;
			while ((result = doca_comm_channel_ep_sendto(ep, &number, sizeof(number), 0,
								     peer)) == DOCA_ERROR_AGAIN)
				EXPECT_TRUE(poll(&pollfd, 1, LOST_MS) == 1, "a wake-up was lost");
			OK(result);
			continue;
		}
		EXPECT(DOCA_ERROR_AGAIN, result);
		EXPECT_TRUE(poll(&pollfd, 1, LOST_MS) == 1, "a wake-up was lost");
	}
	lab_wait(sock);
	OK(doca_comm_channel_ep_destroy(ep));
}
