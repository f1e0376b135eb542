/* The conversation of echo.h by a program of DOCA 1.3, whose calls block. */
#include <doca_comm_channel.h>

#include "tests/integration/comch/echo.h"
#include "tests/lib/expect.h"
#include "tests/lib/lab.h"

static struct doca_comm_channel_ep_t *make(void)
{
	struct doca_comm_channel_init_attr attr = {.maxmsgs = 32, .msgsize = ECHO_MAX};
	struct doca_comm_channel_ep_t *ep;

	OK(doca_comm_channel_ep_create(&attr, &ep));
	return ep;
}

static void serve(int sock, void *arg)
{
	struct doca_comm_channel_ep_t *ep = make();
	struct doca_comm_channel_addr_t *peer;
	uint8_t msg[ECHO_MAX];
	size_t len;

	(void)arg;
	OK(doca_comm_channel_ep_listen(ep, ECHO_SERVICE));
	lab_signal(sock);
	do {
		len = sizeof(msg);
		OK(doca_comm_channel_ep_recvfrom(ep, msg, &len, 0, &peer));
		OK(doca_comm_channel_ep_sendto(ep, msg, len, 0, peer));
	} while (!echo_is(msg, len, ECHO_N));
	OK(doca_comm_channel_ep_disconnect(ep, peer));
	OK(doca_comm_channel_ep_destroy(ep));
}

static void ask(int sock, void *arg)
{
	struct doca_comm_channel_peer_addr_info info;
	struct doca_comm_channel_addr_t *peer, *from;
	struct doca_comm_channel_ep_t *ep = make();
	unsigned n_asked = 0, n_answered;
	uint8_t msg[ECHO_MAX];

	(void)sock;
	(void)arg;
	OK(doca_comm_channel_ep_connect(ep, ECHO_SERVICE, &peer));
	for (n_answered = 0; n_answered <= ECHO_N; n_answered++) {
		size_t len = sizeof(msg);

		for (; n_asked <= ECHO_N && n_asked - n_answered < ECHO_WINDOW; n_asked++)
			OK(doca_comm_channel_ep_sendto(ep, msg, echo_make(msg, n_asked), 0, peer));
		OK(doca_comm_channel_ep_recvfrom(ep, msg, &len, 0, &from));
		ck_assert(echo_is(msg, len, n_answered));
		ck_assert_ptr_eq(from, peer);
	}
	OK(doca_comm_channel_peer_addr_info_get(peer, &info));
	ck_assert_uint_eq(info.tx_msgs, ECHO_N + 1);
	ck_assert_uint_eq(info.rx_msgs, ECHO_N + 1);
	ck_assert_uint_eq(info.msgsize, ECHO_MAX);
	OK(doca_comm_channel_ep_disconnect(ep, peer));
	OK(doca_comm_channel_ep_destroy(ep));
}

const struct echo_role VERSIONED(echo_wait_) = {"comm channel", DOCA_USE_VERSION, serve, ask};
