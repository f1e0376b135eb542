/*
 * Servers and clients of comch in the two processes of a row: the DPU's side has the servers, the
 * host's side the clients, and client i connects to server i % n_servers. Loops send, answer and
 * count messages over the first connection, or over the first COMCH_ACTIVE of many in turn.
 *
 * Threads: the main thread of each process.
 */
#ifndef BENCH_COMCH_END_H
#define BENCH_COMCH_END_H

#include <doca_comch.h>

#include "bench/base/device.h"

/* Clients that send messages, where one server has many; the others are on an idle engine. */
#define COMCH_ACTIVE 10u

struct comch_spec {
	size_t n_servers, n_clients;
	uint32_t max_msg, queue, n_tasks;
	uint32_t len;       /* of a message; 0: max_msg */
	struct doca_pe *pe; /* NULL: one is created */
	bool is_shared;     /* one server answers all clients */
};

struct comch_link {
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_comch_connection *connection; /* NULL: not connected yet */
	struct doca_ctx *ctx;
};

struct comch {
	struct comch_spec spec;
	struct bench *bench;
	struct doca_pe *pe, *idle_pe;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct comch_link *links;
	size_t n_links, n_connected;
	uint8_t *message;
	struct doca_comch_task_send **tasks; /* free[0..n_free) */
	uint32_t n_free, n_tasks;
	uint32_t consumer; /* the peer's latest one; 0: none */
	uint64_t n_received, n_sent;
	uint64_t n_answers; /* number of following messages to answer at once */
	uint64_t sum;       /* sum of first and last bytes, so that each message is read */
};

/* Has the library take the path between machines that the row names as its transport: "verbs", by
 * RDMA devices, or "relay", through the daemons. Both processes call it before any other. */
void comch_choose_path(const struct bench *b);
/* Both processes call it. Returns when all connections are established. */
struct comch *comch_open(struct bench *b, const struct comch_spec *spec);

/* The loops over c. n is a number of messages, of ping a number of round trips. */
void comch_ping(struct comch *c, uint64_t n);
void comch_echo(struct comch *c, uint64_t n);
void comch_source(struct comch *c, uint64_t n);
void comch_sink(struct comch *c, uint64_t n);
/* Round trips of the active clients in turn; the server's process calls shared_echo(). */
void comch_shared_ping(struct comch *c, uint64_t n);
void comch_shared_echo(struct comch *c, uint64_t n);
/* Only makes progress. */
void comch_idle(struct comch *c, uint64_t n);

#endif
