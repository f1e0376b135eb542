/*
 * comch with many clients: a server with a thousand clients, ten of which send messages, compared
 * with a server with those ten alone. `crowd` is a round trip, with each of the ten in turn; `crowd
 * idle` is the server's progress call without messages.
 */
#include <unistd.h>

#include "bench/base/measure.h"
#include "bench/base/peer.h"
#include "bench/base/report.h"
#include "bench/comch/clients.h"
#include "bench/comch/many_clients.h"
#include "util/clock.h"

#define N_MANY_CLIENTS   1000u
#define CONNECT_LIMIT_NS (60 * NS_PER_SEC)

struct clients_case {
	struct bench *bench;
	struct clients *group;
	uint32_t which;
};

static void clients_engage(const struct clients_case *c, enum peer_op op, uint64_t n)
{
	struct peer_msg msg = {.op = op, .kind = c->which, .n = n};

	peer_engage(c->bench->peer, &msg);
}

static void clients_wait(void *arg)
{
	const struct clients_case *c = arg;

	peer_wait_done(c->bench->peer);
}

static void trip_begin(void *arg, uint64_t n)
{
	clients_engage(arg, PEER_CLIENTS_RUN, n);
}

static void trip_run(void *arg, uint64_t n)
{
	const struct clients_case *c = arg;

	clients_run(c->group, n);
}

/* If the server is in the peer process, that process makes progress. */
static void idle_run(void *arg, uint64_t n)
{
	const struct clients_case *c = arg;

	if (c->bench->side == SIDE_DPU) {
		clients_idle(c->group, n);
		return;
	}
	clients_engage(c, PEER_CLIENTS_IDLE, n);
	peer_wait_done(c->bench->peer);
}

static void clients_open(struct clients_case *c, struct bench *bench, uint32_t which, size_t n)
{
	struct peer_msg msg = {.op = PEER_CLIENTS_OPEN, .kind = which, .n = n, .pid = getpid()};
	uint64_t deadline_ns = clock_now_ns() + CONNECT_LIMIT_NS;
	bool ours = false, theirs = false;

	*c = (struct clients_case){.bench = bench, .which = which};
	/* A client finds only a server that exists already. */
	if (bench->side == SIDE_DPU)
		c->group = clients_new(bench->side, msg.pid, n);
	peer_call(bench->peer, &msg);
	if (c->group == NULL)
		c->group = clients_new(bench->side, getpid(), n);
	msg = (struct peer_msg){.op = PEER_CLIENTS_CONNECT, .kind = which};
	peer_send(bench->peer, &msg);
	while (!ours || !theirs) {
		ours |= clients_connect(c->group);
		theirs |= peer_poll_answer(bench->peer, &msg);
		if (clock_now_ns() > deadline_ns)
			bench_die("comch: not all of many clients are connected after a minute");
	}
}

static void clients_close(struct clients_case *c)
{
	struct peer_msg msg = {.op = PEER_CLIENTS_CLOSE, .kind = c->which};

	if (c->bench->side == SIDE_HOST)
		clients_delete(c->group);
	peer_call(c->bench->peer, &msg);
	if (c->bench->side == SIDE_DPU)
		clients_delete(c->group);
}

static void clients_measure(struct bench *bench, struct clients_case cases[2], const char *variant,
			    const struct work *work, bool moves_bytes)
{
	struct measure_plan plan = report_plan(bench, CLIENTS_ACTIVE, 1);
	struct work ours = *work, reference = *work;
	struct report_row row = {.test = "comch",
				 .variant = variant,
				 .transport = "shm",
				 .size = moves_bytes ? CLIENTS_MSG_LEN : 0,
				 .depth = 1,
				 .n_threads = 1,
				 .reference = "10 connections"};

	plan.peer = bench->peer;
	ours.args[0] = &cases[1];
	reference.args[0] = &cases[0];
	report_measure(bench->report, &row, &plan, &ours, &reference);
}

void bench_comch_many_clients(struct bench *bench)
{
	static const struct work trip = {.run = trip_run, .begin = trip_begin, .end = clients_wait};
	static const struct work idle = {.run = idle_run};
	struct clients_case cases[2];

	clients_open(&cases[0], bench, 0, CLIENTS_ACTIVE);
	clients_open(&cases[1], bench, 1, N_MANY_CLIENTS);
	if (bench->side == SIDE_DPU)
		clients_await_idle(cases[1].group);
	clients_measure(bench, cases, "1000, 10 on", &trip, true);
	clients_measure(bench, cases, "1000, idle", &idle, false);
	clients_close(&cases[1]);
	clients_close(&cases[0]);
}
