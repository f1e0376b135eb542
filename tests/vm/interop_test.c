/*
 * The RDMA library on one end and a third-party program on the other.
 *
 *   interop_test pingpong-server N            start ibv_rc_pingpong -n N ADDRESS afterwards
 *   interop_test pingpong-client N ADDRESS    of a waiting ibv_rc_pingpong -n N
 *   interop_test rping-client N ADDRESS       of a waiting rping -s: N pings, with their data
 *   interop_test rping-server accept|reject   start rping -c afterwards
 *   interop_test message-client ADDRESS       of a waiting rdma_server
 *   interop_test message-server N             start N rdma_clients afterwards, one by one
 *
 * ibv_rc_pingpong sends the description of its queue pair as a line of text over TCP; from it the
 * test makes the details that an end of ours would have exported. rping connects by address and
 * receives keys of buffers, which it reads and writes; the reverse is not tested, because no call
 * accepts a bare key. rdma_client and rdma_server use only messages, so they work in both roles:
 * one message in each direction, then they disconnect.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <doca_dev.h>

#include "tests/vm/end.h"
#include "util/conn_params.h"

#define PINGPONG_PORT 18515
#define PINGPONG_SIZE 4096u
#define PINGPONG_BYTE 0x7b
#define RPING_PORT    7174
#define RPING_SIZE    64u
#define MESSAGE_PORT  7471
#define MESSAGE_SIZE  16u
#define RIGHTS                                                            \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE)

static const char *device(void)
{
	const char *asked = getenv("VERBS_TEST_DEVICE");

	return asked != NULL ? asked : "mlx5_0";
}

/* --- ibv_rc_pingpong --- */

#define LINE_LEN sizeof("0000:000000:000000:00000000000000000000000000000000")

/* The verbs provider's part of the details, see client/rma/verbs/qp.c. */
struct queue_pair {
	unsigned lid, number, psn;
	uint8_t gid[16];
};

static void line_of(const struct queue_pair *qp, char line[LINE_LEN])
{
	int n = snprintf(line, LINE_LEN, "%04x:%06x:%06x:", qp->lid, qp->number, qp->psn);

	for (size_t i = 0; i < sizeof(qp->gid); i++)
		n += snprintf(line + n, LINE_LEN - (size_t)n, "%02x", qp->gid[i]);
}

static void line_read(const char *line, struct queue_pair *qp_out)
{
	char gid[33];

	int n = sscanf(line, "%x:%x:%x:%32s", &qp_out->lid, &qp_out->number, &qp_out->psn, gid);

	check(n == 4, "%s", line);
	for (size_t i = 0; i < sizeof(qp_out->gid); i++) {
		unsigned byte;

		n = sscanf(gid + 2 * i, "%2x", &byte);
		check(n == 1, "%s", gid);
		qp_out->gid[i] = (uint8_t)byte;
	}
}

static uint32_t be32_at(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return ntohl(value);
}

static void be32_put(uint8_t *p, uint32_t value)
{
	value = htonl(value);
	memcpy(p, &value, sizeof(value));
}

static struct queue_pair own_queue_pair(struct conn_params *details_out)
{
	struct queue_pair qp;
	const void *descriptor;
	size_t len;

	OK(doca_rdma_export(end.rdma, &descriptor, &len, &end.conn));
	check(conn_params_decode(descriptor, len, details_out) == CONN_PARAMS_OK, "details");
	check(strcmp(details_out->provider, "verbs") == 0, "%s", details_out->provider);
	qp = (struct queue_pair){.number = be32_at(details_out->body + 4),
				 .psn = be32_at(details_out->body + 8)};
	memcpy(qp.gid, details_out->body + 16, sizeof(qp.gid));
	return qp;
}

/*
 * Converts the peer's description to our details. Such a connection causes no callback: tasks wait
 * for it.
 */
static void connect_to(const struct queue_pair *peer, struct conn_params *details)
{
	uint8_t descriptor[CONN_PARAMS_MAX];
	size_t len;

	be32_put(details->body + 4, peer->number);
	be32_put(details->body + 8, peer->psn);
	details->body[12] = (uint8_t)(peer->lid >> 8);
	details->body[13] = (uint8_t)peer->lid;
	details->body[14] = details->body[15] = 1;
	memcpy(details->body + 16, peer->gid, sizeof(peer->gid));
	len = conn_params_encode(details, descriptor);
	OK(doca_rdma_connect(end.rdma, descriptor, len, end.conn));
}

static int tcp_open(const char *server)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(PINGPONG_PORT)};
	int sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1, peer;

	check(sock >= 0, "%m");
	if (server != NULL) {
		check(inet_pton(AF_INET, server, &addr.sin_addr) == 1, "%s", server);
		check(connect(sock, (struct sockaddr *)&addr, sizeof(addr)) == 0, "%m");
		return sock;
	}
	setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	check(bind(sock, (struct sockaddr *)&addr, sizeof(addr)) == 0, "%m");
	check(listen(sock, 1) == 0, "%m");
	peer = accept(sock, NULL, NULL);
	check(peer >= 0, "%m");
	close(sock);
	return peer;
}

static void message_check(void)
{
	OK(end.status);
	check(end.len == PINGPONG_SIZE, "%u bytes", end.len);
	for (uint32_t i = 0; i < PINGPONG_SIZE; i++)
		check(end.memory[i] == PINGPONG_BYTE, "byte %u of message %u is %u", i,
		      end.n_received, end.memory[i]);
	memset(end.memory, 0, PINGPONG_SIZE);
}

static void pingpong(const char *server, unsigned n)
{
	struct queue_pair own, peer;
	struct conn_params details;
	char line[LINE_LEN], other[LINE_LEN];
	int sock;

	end_open(base_dev_open(device()), RIGHTS);
	memset(end.memory + END_SEND_AT, PINGPONG_BYTE, PINGPONG_SIZE);
	own = own_queue_pair(&details);
	line_of(&own, line);
	sock = tcp_open(server);
	if (server != NULL)
		meet_put(sock, line, sizeof(line));
	meet_get(sock, other, sizeof(other));
	line_read(other, &peer);
	end_receive(PINGPONG_SIZE);
	connect_to(&peer, &details);
	if (server != NULL)
		meet_put(sock, "done", sizeof("done"));
	else
		meet_put(sock, line, sizeof(line));
	for (unsigned i = 1; i <= n; i++) {
		if (server != NULL)
			end_send(PINGPONG_SIZE);
		end_await(&end.n_received, i);
		message_check();
		if (i < n)
			end_receive(PINGPONG_SIZE);
		if (server == NULL)
			end_send(PINGPONG_SIZE);
	}
	close(sock);
	end_close();
	OK(doca_dev_close(end.dev));
	printf("ok: %u messages of %u bytes each way\n", n, PINGPONG_SIZE);
}

/* --- rping --- */

struct offer {
	uint64_t addr;
	uint32_t key, size;
};

/* Sends rping the address and key for reading or writing, and waits until it reports completion. */
static void offer(uint8_t *addr, uint32_t key)
{
	struct offer message = {
		.addr = htobe64((uintptr_t)addr), .key = htonl(key), .size = htonl(RPING_SIZE)};
	unsigned before = end.n_received;

	end_receive(sizeof(message));
	memcpy(end.memory + END_SEND_AT, &message, sizeof(message));
	end_send(sizeof(message));
	end_await(&end.n_received, before + 1);
	OK(end.status);
	check(end.len == sizeof(message), "%u bytes", end.len);
}

static void rping_client(const char *server, unsigned n)
{
	static const union doca_data none;
	struct doca_rdma_addr *addr;
	uint8_t *source, *sink;
	uint32_t key;

	end_open(base_dev_open(device()), RIGHTS);
	source = end.memory + END_LEN / 4;
	sink = source + 4096;
	key = end_key();
	OK(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, server, RPING_PORT, &addr));
	OK(doca_rdma_connect_to_addr(end.rdma, addr, none));
	end_await(&end.n_established, 1);
	OK(doca_rdma_addr_destroy(addr));
	for (unsigned i = 0; i < n; i++) {
		/* rping writes back what it read, up to the end of the text. */
		snprintf((char *)source, RPING_SIZE, "ping %u of an end of the RDMA library", i);
		memset(sink, 0, RPING_SIZE);
		offer(source, key);
		offer(sink, key);
		check(strcmp((char *)source, (char *)sink) == 0, "%s came back", (char *)sink);
	}
	OK(doca_rdma_connection_disconnect(end.conn));
	end_close();
	OK(doca_dev_close(end.dev));
	printf("ok: %u pings\n", n);
}

static void rping_server(bool rejects)
{
	struct offer message;

	end_open(base_dev_open(device()), RIGHTS);
	end.rejects = rejects;
	end_receive(sizeof(message));
	OK(doca_rdma_start_listen_to_port(end.rdma, RPING_PORT));
	printf("listening\n");
	fflush(stdout);
	end_await(&end.n_requests, 1);
	if (!rejects) {
		end_await(&end.n_established, 1);
		end_await(&end.n_received, 1);
		OK(end.status);
		memcpy(&message, end.memory, sizeof(message));
		check(end.len == sizeof(message), "%u bytes", end.len);
		check(ntohl(message.size) == RPING_SIZE, "%u", ntohl(message.size));
		check(message.addr != 0 && message.key != 0, "an offer of nothing");
		OK(doca_rdma_connection_disconnect(end.conn));
	}
	OK(doca_rdma_stop_listen_to_port(end.rdma, RPING_PORT));
	end_close();
	OK(doca_dev_close(end.dev));
	printf("ok: %s\n", rejects ? "rejected" : "accepted, received its offer, left");
}

/* --- rdma_client and rdma_server --- */

/*
 * The client's message comes first; the programs leave the content undefined. The receive is
 * already posted.
 */
static void messages(bool is_client, unsigned n_before)
{
	if (is_client)
		end_send(MESSAGE_SIZE);
	end_await(&end.n_received, n_before + 1);
	OK(end.status);
	check(end.len == MESSAGE_SIZE, "%u bytes", end.len);
	if (!is_client)
		end_send(MESSAGE_SIZE);
	end_await(&end.n_left, n_before + 1);
	OK(doca_rdma_connection_disconnect(end.conn));
}

static void message_client(const char *server)
{
	static const union doca_data none;
	struct doca_rdma_addr *addr;

	end_open(base_dev_open(device()), RIGHTS);
	OK(doca_rdma_addr_create(strchr(server, ':') != NULL ? DOCA_RDMA_ADDR_TYPE_IPv6
							     : DOCA_RDMA_ADDR_TYPE_IPv4,
				 server, MESSAGE_PORT, &addr));
	end_receive(MESSAGE_SIZE);
	OK(doca_rdma_connect_to_addr(end.rdma, addr, none));
	end_await(&end.n_established, 1);
	OK(doca_rdma_addr_destroy(addr));
	messages(true, 0);
	end_close();
	OK(doca_dev_close(end.dev));
	printf("ok: a message each way\n");
}

static void message_server(unsigned n)
{
	end_open(base_dev_open(device()), RIGHTS);
	OK(doca_rdma_start_listen_to_port(end.rdma, MESSAGE_PORT));
	for (unsigned i = 0; i < n; i++) {
		end_receive(MESSAGE_SIZE);
		printf("listening for %u\n", i);
		fflush(stdout);
		end_await(&end.n_established, i + 1);
		messages(false, i);
	}
	OK(doca_rdma_stop_listen_to_port(end.rdma, MESSAGE_PORT));
	end_close();
	OK(doca_dev_close(end.dev));
	printf("ok: a message each way with %u clients\n", n);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	if (strcmp(what, "pingpong-server") == 0) {
		pingpong(NULL, (unsigned)atoi(argv[2]));
	} else if (strcmp(what, "pingpong-client") == 0 && argc > 3) {
		pingpong(argv[3], (unsigned)atoi(argv[2]));
	} else if (strcmp(what, "rping-client") == 0 && argc > 3) {
		rping_client(argv[3], (unsigned)atoi(argv[2]));
	} else if (strcmp(what, "message-client") == 0) {
		message_client(argv[2]);
	} else if (strcmp(what, "message-server") == 0) {
		message_server((unsigned)atoi(argv[2]));
	} else if (strcmp(what, "rping-server") == 0) {
		rping_server(strcmp(argv[2], "reject") == 0);
	} else {
		fprintf(stderr, "usage: interop_test CASE ARGUMENT [ADDRESS]\n");
		return 2;
	}
	return 0;
}
