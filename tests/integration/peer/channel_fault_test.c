/*
 * An authenticated peer over TLS that breaks the rules of relayed channels: messages without
 * credit, too long, cut in two, credit for messages that were never sent, channels that do not
 * exist. The link ends or nothing happens; the server loses that client and nothing else; and valid
 * messages of the peer arrive.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <dococ.h>

#include "tests/lib/runner.h"
#include "tests/lib/talk.h"
#include "tests/lib/unauthorised_peer.h"
#include "tests/lib/use.h"
#include "util/clock.h"

#define MAX_MSG 1000u
#define QUEUE   256u /* of the server: as talk.c sets it */
#define OUR_ID  17u
#define PORT    (TLS_LAB_PORT + 1) /* where the DPU connects to the host, if configured */

static struct tls_lab tls;
static struct lab dpu;

static void setup_tls(void)
{
	signal(SIGPIPE, SIG_IGN);
	leaks_setup();
	tls_lab_make(&tls, "timeout_ms = 60000\n");
}

static void setup(void)
{
	setup_tls();
	tls_lab_start(&tls, &dpu, false, true);
	lab_use(&dpu, LAB_DPU);
	leaks_allow_fds(1);
}

/* With an address of the host, so that both sides connect. */
static void setup_mutual(void)
{
	char *config = tls.config[LAB_DPU];
	size_t len;

	setup_tls();
	len = strlen(config);
	snprintf(config + len, sizeof(tls.config[LAB_DPU]) - len, "address = tls:%s:%d\n",
		 tls.address, PORT);
}

static void teardown(void)
{
	lab_stop(&dpu);
	tls_lab_remove(&tls);
	leaks_teardown();
}

/* --- the server of this process --- */

static struct {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct talk talk;
} server;

static void check_message(struct talk *talk, struct doca_comch_connection *connection,
			  const uint8_t *bytes, uint32_t len)
{
	(void)connection;
	ck_assert(use_is_filled(bytes, len, (uint32_t)talk->n_received - 1));
}

/* Behind the representor of the peer's function, once that is present. */
static void server_open(void)
{
	server.dev = use_dev(USE_DPU_P0);
	OK(doca_pe_create(&server.pe));
	server.talk = (struct talk){.msg_max = MAX_MSG, .on_message = check_message};
	talk_serve(&server.talk, server.pe, server.dev, "service", 8);
}

static void server_close(void)
{
	talk_end(&server.talk);
	OK(doca_pe_destroy(server.pe));
	OK(doca_dev_close(server.dev));
}

#define AWAIT(what)                                                                            \
	for (uint64_t until_ = clock_now_ns() + runner_timeout_ms(20000) * NS_PER_MS; !(what); \
	     use_progress(server.pe))                                                          \
	EXPECT_TRUE(clock_now_ns() < until_, "%s does not come true", #what)

/* --- the peer --- */

static struct unauthorised_peer host;
static uint64_t their_id;

static void peer_handshake(void)
{
	unauthorised_peer_hello(&host, 42);
	unauthorised_peer_has_function(&host, "0000:0b:00.0");
	lab_await(&dpu, LAB_DPU, LAB_PEERS, 1, 10000);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
}

static void peer_open(void)
{
	unauthorised_peer_connect(&host, &tls, "host");
	peer_handshake();
}

static void peer_asks(bool relay, uint32_t max_msg, uint32_t queue)
{
	Dococore__PeerConnect ask = DOCOCORE__PEER_CONNECT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.channel_id = OUR_ID;
	ask.client_pci_addr = (char *)"0000:0b:00.0";
	ask.name = (char *)"service";
	ask.max_msg_size = max_msg;
	ask.recv_queue_size = queue;
	ask.relay = relay;
	packet.id = 1;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CONNECT;
	packet.peer_connect = &ask;
	unauthorised_peer_send(&host, &packet);
}

static void peer_connects(void)
{
	Dococore__Packet *answer;

	peer_asks(true, MAX_MSG, 4);
	answer = unauthorised_peer_await(&host, DOCOCORE__PACKET__BODY_PEER_CONNECT_REPLY);
	their_id = answer->peer_connect_reply->peer_channel_id;
	dococore__packet__free_unpacked(answer, NULL);
	AWAIT(server.talk.n_connected == 1);
	answer = unauthorised_peer_await(&host, DOCOCORE__PACKET__BODY_PEER_CHANNEL_READY);
	ck_assert_uint_eq(answer->peer_channel_ready->channel_id, OUR_ID);
	ck_assert(answer->peer_channel_ready->relay);
	ck_assert_uint_eq(answer->peer_channel_ready->max_msg_size, MAX_MSG);
	dococore__packet__free_unpacked(answer, NULL);
}

/* Writes its n-th message. */
static size_t message(uint8_t *to, uint32_t len, uint32_t n)
{
	const uint8_t length[4] = {(uint8_t)(len >> 24), (uint8_t)(len >> 16), (uint8_t)(len >> 8),
				   (uint8_t)len};

	memcpy(to, length, sizeof(length));
	use_fill(to + 4, len, n);
	return 4 + len;
}

/* --- tests --- */

/*
 * Producers of an earlier version could not reach a consumer: the consumer gets an error when it
 * starts, and the connection's messages pass.
 */
START_TEST(an_earlier_version)
{
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	static uint8_t memory[1000];
	struct doca_mmap *mmap;
	uint8_t data[4 + MAX_MSG];

	peer_open();
	server_open();
	peer_connects();
	mmap = use_mmap(server.dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	OK(doca_comch_consumer_create(server.talk.connection, mmap, &consumer));
	OK(doca_pe_connect_ctx(server.pe, doca_comch_consumer_as_ctx(consumer)));
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_start(doca_comch_consumer_as_ctx(consumer)));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "install one version on both machines"));
	OK(doca_comch_consumer_destroy(consumer));
	use_mmap_end(mmap);
	OK(doca_comch_producer_create(server.talk.connection, &producer));
	OK(doca_comch_producer_destroy(producer));
	unauthorised_peer_sends(&host, false, their_id, data, message(data, 10, 0));
	AWAIT(server.talk.n_received == 1);
	unauthorised_peer_close(&host);
	AWAIT(server.talk.n_left == 1);
	server_close();
}
END_TEST

enum violation {
	TOO_LONG,
	TRUNCATED_LENGTH,
	NO_CREDIT,
	FALSE_CREDIT,
	N_MISDEEDS,
};

static void break_rule(enum violation violation)
{
	uint8_t data[4 + MAX_MSG + 1];

	switch (violation) {
	case TOO_LONG:
		unauthorised_peer_sends(&host, false, their_id, data,
					message(data, MAX_MSG + 1, 1));
		break;
	case TRUNCATED_LENGTH:
		message(data, 0, 0);
		unauthorised_peer_sends(&host, false, their_id, data, 3);
		break;
	case NO_CREDIT:
		/* The server's program makes no progress: this many messages fit, and no more. */
		for (uint32_t n = 1; n <= QUEUE; n++)
			unauthorised_peer_sends(&host, false, their_id, data, message(data, 10, n));
		break;
	default:
		unauthorised_peer_credits(&host, false, their_id, 1);
	}
}

START_TEST(the_link_ends)
{
	uint64_t expected = _i == NO_CREDIT ? QUEUE : 1;
	uint8_t data[4 + MAX_MSG];

	peer_open();
	server_open();
	peer_connects();
	unauthorised_peer_sends(&host, false, their_id, data, message(data, MAX_MSG, 0));
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	break_rule((enum violation)_i);
	unauthorised_peer_await_end(&host);
	unauthorised_peer_close(&host);
	tls_lab_await_log(&dpu, LAB_DPU,
			  _i == FALSE_CREDIT ? "PeerChannelCredit broke the protocol"
					     : "PeerChannelData broke the protocol");
	/* Valid messages are delivered. */
	AWAIT(server.talk.n_left == 1);
	ck_assert_uint_eq(server.talk.n_received, expected);
	/* The next one is served. */
	server.talk.n_connected = 0;
	server.talk.n_received = 0;
	peer_open();
	peer_connects();
	unauthorised_peer_sends(&host, false, their_id, data, message(data, 20, 0));
	AWAIT(server.talk.n_received == 1);
	unauthorised_peer_close(&host);
	AWAIT(server.talk.n_left == 2);
	server_close();
	lab_await(&dpu, LAB_DPU, LAB_CHANNELS, 0, 10000);
}
END_TEST

/*
 * The DPU has connected to the host, and the host connects to it, which takes precedence: the first
 * link ends while the second one already exists. The channel ends with the link over which it was
 * relayed.
 */
START_TEST(the_peer_links_anew)
{
	int listener = unauthorised_peer_listen(&tls, PORT);
	uint8_t data[4 + MAX_MSG];
	struct unauthorised_peer first;
	uint64_t id;

	tls_lab_start(&tls, &dpu, false, true);
	lab_use(&dpu, LAB_DPU);
	leaks_allow_fds(1);
	unauthorised_peer_accept(&host, listener, &tls, "host");
	peer_handshake();
	server_open();
	peer_connects();
	unauthorised_peer_sends(&host, false, their_id, data, message(data, MAX_MSG, 0));
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	close(listener);
	first = host;
	id = their_id;
	peer_open();
	tls_lab_await_log(&dpu, LAB_DPU, "the same daemon has linked again");
	unauthorised_peer_await_end(&first);
	unauthorised_peer_close(&first);
	/* Over this link it is unknown. */
	unauthorised_peer_sends(&host, false, id, data, message(data, MAX_MSG, 1));
	unauthorised_peer_credits(&host, false, id, 0);
	AWAIT(server.talk.n_left == 1);
	ck_assert_uint_eq(server.talk.n_received, 1);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	/* The next one is served. */
	server.talk.n_connected = 0;
	server.talk.n_received = 0;
	peer_connects();
	unauthorised_peer_sends(&host, false, their_id, data, message(data, 20, 0));
	AWAIT(server.talk.n_received == 1);
	unauthorised_peer_close(&host);
	AWAIT(server.talk.n_left == 2);
	server_close();
	lab_await(&dpu, LAB_DPU, LAB_CHANNELS, 0, 10000);
}
END_TEST

/* The peer's objects are compared once per link. */
START_TEST(ends_after_the_last)
{
	Dococore__PeerEnds notice = DOCOCORE__PEER_ENDS__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	packet.body_case = DOCOCORE__PACKET__BODY_PEER_ENDS;
	packet.peer_ends = &notice;
	peer_open();
	unauthorised_peer_send(&host, &packet);
	notice.last = true;
	unauthorised_peer_send(&host, &packet);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	unauthorised_peer_send(&host, &packet);
	unauthorised_peer_await_end(&host);
	unauthorised_peer_close(&host);
	tls_lab_await_log(&dpu, LAB_DPU, "PeerEnds broke the protocol");
	/* Another link, another comparison. */
	peer_open();
	unauthorised_peer_send(&host, &packet);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	unauthorised_peer_close(&host);
}
END_TEST

/* The channel was not announced: the server has not accepted yet. */
START_TEST(messages_before_ready)
{
	uint8_t data[4 + MAX_MSG];
	Dococore__Packet *answer;

	peer_open();
	server_open();
	peer_asks(true, MAX_MSG, 4);
	answer = unauthorised_peer_await(&host, DOCOCORE__PACKET__BODY_PEER_CONNECT_REPLY);
	unauthorised_peer_sends(&host, false, answer->peer_connect_reply->peer_channel_id, data,
				message(data, 10, 0));
	dococore__packet__free_unpacked(answer, NULL);
	unauthorised_peer_await_end(&host);
	unauthorised_peer_close(&host);
	server_close();
}
END_TEST

/* Unknown ids: a channel may have ended in the meantime, so this breaks no rule. */
START_TEST(data_for_unknown_channels)
{
	uint8_t data[4 + MAX_MSG];

	peer_open();
	server_open();
	peer_connects();
	for (uint64_t id = their_id + 1; id < their_id + 50; id++) {
		unauthorised_peer_sends(&host, false, id, data, message(data, MAX_MSG, 0));
		unauthorised_peer_credits(&host, false, id, 1000);
	}
	unauthorised_peer_sends(&host, false, UINT64_MAX, data, 1);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	unauthorised_peer_sends(&host, false, their_id, data, message(data, 30, 0));
	AWAIT(server.talk.n_received == 1);
	server_close();
	/* The server's end is notified with the channel's data. */
	{
		Dococore__Packet *close =
			unauthorised_peer_await(&host, DOCOCORE__PACKET__BODY_PEER_CHANNEL_CLOSE);

		ck_assert_uint_eq(close->peer_channel_close->channel_id, OUR_ID);
		ck_assert_uint_eq(close->peer_channel_close->sender_channel_id, their_id);
		ck_assert_uint_eq(close->peer_channel_close->code, DOCA_SUCCESS);
		dococore__packet__free_unpacked(close, NULL);
	}
	unauthorised_peer_sends(&host, false, their_id, data, message(data, 30, 1));
	unauthorised_peer_credits(&host, false, their_id, 1);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	unauthorised_peer_close(&host);
}
END_TEST

/* Refused in one sentence; the link stays. */
START_TEST(invalid_requests_are_refused)
{
	static const struct {
		bool relay;
		uint32_t max_msg, queue, code;
	} cases[] = {
		{false, MAX_MSG, 4, DOCA_ERROR_NOT_SUPPORTED}, /* by a daemon that cannot relay */
		{true, 0, 4, DOCA_ERROR_INVALID_VALUE},
		{true, MAX_MSG, 0, DOCA_ERROR_INVALID_VALUE},
	};

	peer_open();
	server_open();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Dococore__Packet *answer;

		peer_asks(cases[i].relay, cases[i].max_msg, cases[i].queue);
		answer = unauthorised_peer_await(&host, DOCOCORE__PACKET__BODY_ERROR);
		ck_assert_uint_eq(answer->id, 1);
		ck_assert_uint_eq(answer->error->code, cases[i].code);
		dococore__packet__free_unpacked(answer, NULL);
	}
	peer_connects();
	unauthorised_peer_close(&host);
	AWAIT(server.talk.n_left == 1);
	server_close();
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "relay-fault");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, the_link_ends, 0, N_MISDEEDS);
	tcase_add_test(tcase, an_earlier_version);
	tcase_add_test(tcase, messages_before_ready);
	tcase_add_test(tcase, data_for_unknown_channels);
	tcase_add_test(tcase, invalid_requests_are_refused);
	tcase_add_test(tcase, ends_after_the_last);
	tcase = runner_case(suite, "linked from both sides");
	tcase_add_checked_fixture(tcase, setup_mutual, teardown);
	tcase_add_test(tcase, the_peer_links_anew);
}

int main(void)
{
	lab_require();
	return runner_main("relay-fault", add_cases, NULL);
}
