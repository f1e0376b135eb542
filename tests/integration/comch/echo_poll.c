/* The conversation of echo.h by programs with a comm channel, from DOCA 1.5 to 2.5, which poll. */
#include <doca_comm_channel.h>

#include "tests/integration/comch/echo.h"
#include "tests/lib/expect.h"
#include "tests/lib/lab.h"

static void send_all(struct doca_comm_channel_ep_t *ep, const void *msg, size_t len,
		     struct doca_comm_channel_addr_t *peer)
{
	doca_error_t result;

	do
		result = doca_comm_channel_ep_sendto(ep, msg, len, DOCA_CC_MSG_FLAG_NONE, peer);
	while (result == DOCA_ERROR_AGAIN);
	OK(result);
}

static size_t receive(struct doca_comm_channel_ep_t *ep, uint8_t msg[ECHO_MAX],
		      struct doca_comm_channel_addr_t **peer)
{
	doca_error_t result;
	size_t len;

	do {
		len = ECHO_MAX;
		result = doca_comm_channel_ep_recvfrom(ep, msg, &len, DOCA_CC_MSG_FLAG_NONE, peer);
	} while (result == DOCA_ERROR_AGAIN);
	OK(result);
	return len;
}

static void serve(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_dev_rep *rep = use_rep(dev);
	struct doca_comm_channel_addr_t *peer;
	struct doca_comm_channel_ep_t *ep;
	uint8_t msg[ECHO_MAX];
	size_t len;

	(void)arg;
	OK(doca_comm_channel_ep_create(&ep));
	OK(doca_comm_channel_ep_set_device(ep, dev));
	OK(doca_comm_channel_ep_set_device_rep(ep, rep));
	OK(doca_comm_channel_ep_set_max_msg_size(ep, ECHO_MAX));
	OK(doca_comm_channel_ep_listen(ep, ECHO_SERVICE));
	lab_signal(sock);
	do {
		len = receive(ep, msg, &peer);
		send_all(ep, msg, len, peer);
	} while (!echo_is(msg, len, ECHO_N));
	OK(doca_comm_channel_ep_disconnect(ep, peer));
	OK(doca_comm_channel_ep_destroy(ep));
	use_rep_end(rep);
	use_dev_end(dev);
}

static void ask(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_comm_channel_addr_t *peer, *from;
	struct doca_comm_channel_ep_t *ep;
	unsigned n_asked = 0, n_answered;
	uint8_t msg[ECHO_MAX];
	doca_error_t result;
	uint64_t n;

	(void)sock;
	(void)arg;
	OK(doca_comm_channel_ep_create(&ep));
	OK(doca_comm_channel_ep_set_device(ep, dev));
	OK(doca_comm_channel_ep_set_max_msg_size(ep, ECHO_MAX));
	OK(doca_comm_channel_ep_connect(ep, ECHO_SERVICE, &peer));
	do
		result = doca_comm_channel_peer_addr_update_info(peer);
	while (result == DOCA_ERROR_CONNECTION_INPROGRESS);
	OK(result);
	for (n_answered = 0; n_answered <= ECHO_N; n_answered++) {
		for (; n_asked <= ECHO_N && n_asked - n_answered < ECHO_WINDOW; n_asked++)
			send_all(ep, msg, echo_make(msg, n_asked), peer);
		ck_assert(echo_is(msg, receive(ep, msg, &from), n_answered));
		ck_assert_ptr_eq(from, peer);
	}
	(void)doca_comm_channel_peer_addr_update_info(peer);
	OK(doca_comm_channel_peer_addr_get_send_messages(peer, &n));
	ck_assert_uint_eq(n, ECHO_N + 1);
	OK(doca_comm_channel_peer_addr_get_recv_messages(peer, &n));
	ck_assert_uint_eq(n, ECHO_N + 1);
	OK(doca_comm_channel_ep_disconnect(ep, peer));
	OK(doca_comm_channel_ep_destroy(ep));
	use_dev_end(dev);
}

const struct echo_role VERSIONED(echo_poll_) = {"comm channel", DOCA_USE_VERSION, serve, ask};
