/*
 * A bare peer links with the DPU's daemon and breaks the link again and again. Requests that need
 * the peer wait for it once, not after each loss. Representors show whether a request waited: there
 * is one while the peer is linked.
 */
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/unit/daemon/pair.h"
#include "util/clock.h"

/* Half of the time after which the daemon starts another grace period. */
#define SHORT_NS (100 * NS_PER_MS)
#define N_ROUNDS 100

static struct daemon_pair pair;
static struct client client, bystander;

static void set_up(void)
{
	pair_set_up(&pair);
	pair_write_topology(&pair, SIDE_DPU,
			    "[topology]\nside = dpu\n[device p0]\npci = 03:00.0\n"
			    "[representor hpf0]\nparent = p0\npci = 0b:00.0\n");
	pair_start(&pair, SIDE_DPU);
	client_open(&client, &pair, SIDE_DPU);
	client_open(&bystander, &pair, SIDE_DPU);
}

static void tear_down(void)
{
	client_close(&client);
	client_close(&bystander);
	pair_tear_down(&pair);
}

static void ask_devices(void)
{
	Dococore__DeviceList ask = DOCOCORE__DEVICE_LIST__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST;
	packet.device_list = &ask;
	client_ask(&bystander, &packet, NULL, 0);
}

static void send_reps(void)
{
	Dococore__RepList ask = DOCOCORE__REP_LIST__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.device_id = 1;
	packet.body_case = DOCOCORE__PACKET__BODY_REP_LIST;
	packet.rep_list = &ask;
	client_send(&client, &packet, NULL, 0);
}

static uint32_t await_reps(void)
{
	ck_assert_ptr_nonnull(client_await(&client));
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_REP_LIST_REPLY);
	return client.reply->rep_list_reply->total;
}

static void peer_send_hello(struct client *peer)
{
	Dococore__PeerHello hello = DOCOCORE__PEER_HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	uint8_t id[16] = {1};

	hello.protocol = FRAME_PROTOCOL;
	hello.side = (char *)"host";
	hello.daemon_id = (ProtobufCBinaryData){sizeof(id), id};
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_HELLO;
	packet.peer_hello = &hello;
	ck_assert_int_eq(conn_send(peer->conn, &packet, NULL, 0), 0);
}

static void peer_send_function(struct client *peer)
{
	Dococore__PeerFunction function = DOCOCORE__PEER_FUNCTION__INIT, *functions = &function;
	Dococore__PeerFunctions list = DOCOCORE__PEER_FUNCTIONS__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	function.pci_addr = (char *)"0000:0b:00.0";
	list.n_functions = 1;
	list.functions = &functions;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_FUNCTIONS;
	packet.peer_functions = &list;
	ck_assert_int_eq(conn_send(peer->conn, &packet, NULL, 0), 0);
}

/* Returns when the daemon has the peer's function. */
static void peer_link(struct client *peer)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%.64s/peer.sock", pair.dir);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	*peer = (struct client){.conn = conn_new(fd, 1u << 20)};
	ck_assert_ptr_nonnull(peer->conn);
	peer_send_hello(peer);
	peer_send_function(peer);
	while (client_count_reps(&bystander, 1) == 0)
		continue;
}

/*
 * Returns when the daemon has processed all earlier events: it handles them before it answers a
 * later request.
 */
static void peer_break(struct client *peer)
{
	client_close(peer);
	ask_devices();
	ask_devices();
}

START_TEST(test_first_loss_is_waited_for)
{
	struct client peer;

	peer_link(&peer);
	peer_break(&peer);
	send_reps();
	ask_devices();
	peer_link(&peer);
	ck_assert_uint_eq(await_reps(), 1);
	client_close(&peer);
}
END_TEST

START_TEST(test_further_losses_are_not)
{
	struct client peer;
	uint64_t linked_at_ns;
	bool was_short = false;

	peer_link(&peer);
	peer_break(&peer);
	for (int i = 0; i < N_ROUNDS && !was_short; i++) {
		/* Until the grace period is over. */
		send_reps();
		ck_assert_uint_eq(await_reps(), 0);
		linked_at_ns = clock_now_ns();
		peer_link(&peer);
		peer_break(&peer);
		was_short = clock_now_ns() - linked_at_ns < SHORT_NS;
	}
	ck_assert(was_short);
	send_reps();
	ask_devices();
	ask_devices();
	peer_link(&peer);
	ck_assert_uint_eq(await_reps(), 0);
	client_close(&peer);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon grace period");
	TCase *tcase = unit_case(suite, "a link that comes and goes", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, test_first_loss_is_waited_for);
	tcase_add_test(tcase, test_further_losses_are_not);
	return unit_run(suite);
}
