/*
 * A server and a client for the tests of remote rings. Both ends are in the test's process; the
 * fake daemons' rings carry what real daemons would relay, and a simulated network replaces the
 * RDMA devices. One thread.
 */
#ifndef TESTS_UNIT_CLIENT_COMCH_REMOTE_RING_ENDS_H
#define TESTS_UNIT_CLIENT_COMCH_REMOTE_RING_ENDS_H

#include "client/comch/remote/ring_path.h"
#include "tests/unit/client/comch/ends.h"
#include "tests/unit/client/comch/network.h"

#define QUEUE   16u
#define MSG_MAX 3000u

static struct end server, client;

static inline void start(void)
{
	server_make(&server, "remote ring");
	client_make(&client, "remote ring");
	ck_assert_int_eq(doca_comch_server_set_recv_queue_size(server.server, QUEUE), DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_client_set_recv_queue_size(client.client, QUEUE), DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_server_set_max_msg_size(server.server, MSG_MAX), DOCA_SUCCESS);
	server_start(&server);
	client_connect(&client, &server);
}

static inline void stop(void)
{
	if (client.n_idle == 0)
		end_stop(&client);
	end_stop(&server);
	end_free(&client);
	end_free(&server);
	ck_assert_uint_eq(network.n_requesters, 0);
	ck_assert_uint_eq(network.n_exports, 0);
}

static inline void network_up(void)
{
	set_up();
	network_reset();
	network.exists = true;
}

static inline enum remote_ring_tx_state state_of(const struct end *end)
{
	return end->conn->remote_ring->tx_state;
}

/* Number of other messages that the daemons saw. */
static inline uint64_t n_relayed(const struct end *end)
{
	const struct comch_remote_ring *remote_ring = end->conn->remote_ring;

	return remote_ring->tx_state == REMOTE_RING_TX_UP ? remote_ring->relayed_tx.n_msgs
							  : end->conn->tx.n_msgs;
}

static inline void fill(uint8_t *to, uint32_t len, unsigned n)
{
	for (uint32_t i = 0; i < len; i++)
		to[i] = (uint8_t)(n * 131 + i * 7 + 1);
}

static inline doca_error_t send_number(struct end *from, uint32_t len, unsigned n)
{
	uint8_t bytes[MSG_MAX];

	fill(bytes, len, n);
	return send_msg(from, from->conn, bytes, len);
}

static inline void expect_last(const struct end *end, uint32_t len, unsigned n)
{
	uint8_t bytes[MSG_MAX];

	fill(bytes, len, n);
	ck_assert_uint_eq(end->last_len, len);
	ck_assert_mem_eq(end->last, bytes, len);
}

/* Sends a message, which must arrive next. */
static inline void send_and_check(struct end *from, struct end *to, uint32_t len, unsigned n)
{
	unsigned before = to->n_recv;

	ck_assert_int_eq(send_number(from, len, n), DOCA_SUCCESS);
	progress_both(from, to);
	ck_assert_uint_eq(to->n_recv, before + 1);
	expect_last(to, len, n);
}

/* Sends more than the queues hold, in both directions. */
static inline void exchange_beyond_queues(void)
{
	for (unsigned i = 0; i < 3 * QUEUE; i++) {
		send_and_check(&client, &server, 10 + i, i);
		send_and_check(&server, &client, 10 + i, i);
	}
}

static inline void expect_relayed(void)
{
	exchange_beyond_queues();
	ck_assert_uint_eq(network.n_writes, 0);
	ck_assert_uint_eq(network.n_requesters, 0);
}

/* Sends as many messages of the client as the server's queue accepts. Returns their number. */
static inline unsigned send_all(void)
{
	for (unsigned i = 0; i < QUEUE; i++)
		ck_assert_int_eq(send_number(&client, 8, i), DOCA_SUCCESS);
	return QUEUE;
}

#endif
