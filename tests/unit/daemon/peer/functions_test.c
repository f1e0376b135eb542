/*
 * Functions that daemons announce to each other, if they exceed one packet; a raw peer checks the
 * messages, and sends too many.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/daemon/pair.h"
#include "util/clock.h"

#define AWAIT_NS (30 * NS_PER_SEC)
#define N_LIMIT  1024u /* of functions of one peer */

static struct daemon_pair pair;

static void set_up(void)
{
	pair_set_up(&pair);
}

static void tear_down(void)
{
	pair_tear_down(&pair);
}

/* Returns a topology with the maximum number of functions, with texts of maximum length. */
static char *topology_of_many(const char *side)
{
	char *text = NULL;
	size_t len;
	FILE *file = open_memstream(&text, &len);

	ck_assert_ptr_nonnull(file);
	fprintf(file, "[topology]\nside = %s\n", side);
	for (unsigned i = 0; i < TOPOLOGY_MAX_DEVICES; i++)
		fprintf(file,
			"[device d%062u]\npci = %02x:%02x.%u\nvuid = %0127u\niface = %063u\n"
			"mac = 02:00:00:00:00:%02x\n",
			i, 0x10 + i / 64, i / 8 % 8, i % 8, i, i, i);
	ck_assert_int_eq(fclose(file), 0);
	return text;
}

/* The daemons are linked, and the last function is known as well as the first. */
START_TEST(many_functions)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;
	char *text = topology_of_many("host");
	struct client client;

	pair_write_topology(&pair, SIDE_HOST, text);
	pair_write_topology(&pair, SIDE_DPU,
			    "[topology]\nside = dpu\n[device p0]\npci = 03:00.0\n"
			    "[representor first]\nparent = p0\npci = 10:00.0\n"
			    "[representor last]\nparent = p0\npci = 13:07.7\n");
	pair_start(&pair, SIDE_DPU);
	client_open(&client, &pair, SIDE_DPU);
	pair_start(&pair, SIDE_HOST);
	while (client_count_reps(&client, 1) < 2) {
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
		poll(NULL, 0, 2);
	}
	client_close(&client);
	free(text);
}
END_TEST

/* --- a raw peer of the DPU's daemon --- */

static struct client peer_open(bool pages_functions)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	Dococore__PeerHello hello = DOCOCORE__PEER_HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client peer = {.conn = NULL};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	uint8_t id[16] = {1};

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%.64s/peer.sock", pair.dir);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	peer.conn = conn_new(fd, 1u << 20);
	ck_assert_ptr_nonnull(peer.conn);
	hello.protocol = FRAME_PROTOCOL;
	hello.side = (char *)"host";
	hello.daemon_id = (ProtobufCBinaryData){sizeof(id), id};
	hello.pages_functions = pages_functions;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_HELLO;
	packet.peer_hello = &hello;
	ck_assert_int_eq(conn_send(peer.conn, &packet, NULL, 0), 0);
	do
		ck_assert_ptr_nonnull(client_await(&peer));
	while (peer.reply->body_case == DOCOCORE__PACKET__BODY_PEER_HELLO);
	return peer;
}

/* A peer that supports pages gets all functions; another gets one packet of those that fit. */
START_TEST(pages)
{
	char *text = topology_of_many("dpu"), last[64];
	size_t n_packets = 0, n = 0;
	struct client peer;
	bool more;

	pair_write_topology(&pair, SIDE_DPU, text);
	free(text);
	pair_start(&pair, SIDE_DPU);
	peer = peer_open(_i);
	do {
		const Dococore__PeerFunctions *list;

		ck_assert_int_eq(peer.reply->body_case, DOCOCORE__PACKET__BODY_PEER_FUNCTIONS);
		list = peer.reply->peer_functions;
		for (size_t i = 0; i < list->n_functions; i++) {
			snprintf(last, sizeof(last), "d%062zu", n++);
			ck_assert_str_eq(list->functions[i]->name, last);
			ck_assert_uint_eq(strlen(list->functions[i]->vuid), 127);
		}
		n_packets++;
		more = list->more;
		if (more)
			ck_assert_ptr_nonnull(client_await(&peer));
	} while (more);
	if (_i) {
		ck_assert_uint_eq(n, TOPOLOGY_MAX_DEVICES);
		ck_assert_uint_gt(n_packets, 1);
	} else {
		ck_assert_uint_gt(n, 200);
		ck_assert_uint_lt(n, TOPOLOGY_MAX_DEVICES);
		ck_assert_uint_eq(n_packets, 1);
	}
	client_close(&peer);
}
END_TEST

/*
 * The limit applies to the whole list: a peer that announces further pages without end is
 * disconnected.
 */
START_TEST(pages_without_end)
{
	enum { N = 128 };
	Dococore__PeerFunction functions[N], *pointers[N];
	Dococore__PeerFunctions list = DOCOCORE__PEER_FUNCTIONS__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client peer, client;

	pair_write_topology(&pair, SIDE_DPU,
			    "[topology]\nside = dpu\n[device p0]\npci = 03:00.0\n"
			    "[representor hpf0]\nparent = p0\npci = 0b:00.0\n");
	pair_start(&pair, SIDE_DPU);
	client_open(&client, &pair, SIDE_DPU);
	peer = peer_open(true);
	for (size_t i = 0; i < N; i++) {
		dococore__peer_function__init(&functions[i]);
		functions[i].pci_addr = (char *)"0000:0b:00.0";
		pointers[i] = &functions[i];
	}
	list.n_functions = N;
	list.functions = pointers;
	list.more = true;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_FUNCTIONS;
	packet.peer_functions = &list;
	for (size_t n = 0; n <= N_LIMIT / N; n++)
		ck_assert_int_eq(conn_send(peer.conn, &packet, NULL, 0), 0);
	while (client_await(&peer))
		;
	/* The daemon uses no function of the incomplete list. */
	ck_assert_uint_eq(client_count_reps(&client, 1), 0);
	client_close(&peer);
	client_close(&client);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon functions");
	TCase *tcase = unit_case(suite, "lists", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, many_functions);
	tcase_add_loop_test(tcase, pages, 0, 2);
	tcase_add_test(tcase, pages_without_end);
	return unit_run(suite);
}
