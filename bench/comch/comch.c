/*
 * comch: messages between two polling processes, compared with the raw ring (bench/raw_ring.h)
 * between the same processes. latency is half a round trip, from submission to the receive callback
 * of the other process. throughput is a stream of messages with depth tasks in flight.
 *
 * A receive callback gets its message in place, whereas the raw ring copies it out. From 4 KiB on,
 * the raw ring is also measured in place, because then the copy dominates. In-place receivers read
 * the first and the last byte.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/measure.h"
#include "bench/base/peer.h"
#include "bench/base/report.h"
#include "bench/base/ring_loop.h"
#include "bench/comch/link.h"
#include "bench/comch/many_clients.h"

#define IN_PLACE_SIZE 4096u
#define LATENCY_TASKS 8u

struct comch_case {
	struct bench *bench;
	struct comch_end *end;
	uint32_t size, depth;
	bool is_in_place;
	struct raw_ring there, back;
	uint8_t *message;
};

static void engage(struct comch_case *c, enum peer_op op, uint64_t n)
{
	struct peer_msg msg = {
		.op = op, .n = n, .size = c->size, .depth = c->depth, .kind = c->is_in_place};

	peer_engage(c->bench->peer, &msg);
}

static void wait_done(void *arg)
{
	struct comch_case *c = arg;

	peer_wait_done(c->bench->peer);
}

/* --- latency: an operation is one way --- */

static void ping_begin(void *arg, uint64_t n)
{
	struct comch_case *c = arg;

	engage(c, PEER_COMCH_ECHO, n / 2);
	comch_end_set_message(c->end, c->size, c->depth);
}

static void ping_run(void *arg, uint64_t n)
{
	struct comch_case *c = arg;

	comch_end_ping(c->end, n / 2);
}

static void rings_prepare(struct comch_case *c, enum raw_ring_use use)
{
	struct peer_shared *shared = c->bench->peer->shared;

	raw_ring_wipe(&shared->there, c->size, use);
	raw_ring_wipe(&shared->back, c->size, use);
	raw_ring_init(&c->there, &shared->there, c->size, use);
	raw_ring_init(&c->back, &shared->back, c->size, use);
}

static void ring_ping_begin(void *arg, uint64_t n)
{
	struct comch_case *c = arg;

	rings_prepare(c, RAW_RING_ONE_BY_ONE);
	engage(c, PEER_RING_ECHO, n / 2);
}

static void ring_ping_run(void *arg, uint64_t n)
{
	struct comch_case *c = arg;

	if (c->is_in_place)
		ring_ping_in_place(&c->there, &c->back, c->message, c->size, n / 2);
	else
		ring_ping(&c->there, &c->back, c->message, c->size, n / 2);
}

/* --- throughput: until the last message has arrived --- */

static void source_begin(void *arg, uint64_t n)
{
	struct comch_case *c = arg;

	comch_end_set_message(c->end, c->size, c->depth);
	engage(c, PEER_COMCH_SINK, n);
}

static void source_run(void *arg, uint64_t n)
{
	struct comch_case *c = arg;

	comch_end_source(c->end, n);
	peer_wait_done(c->bench->peer);
}

static void ring_source_begin(void *arg, uint64_t n)
{
	struct comch_case *c = arg;

	rings_prepare(c, RAW_RING_STREAM);
	engage(c, PEER_RING_SINK, n);
}

static void ring_source_run(void *arg, uint64_t n)
{
	struct comch_case *c = arg;

	ring_source(&c->there, c->message, c->size, n);
	peer_wait_done(c->bench->peer);
}

static const struct work ping = {.run = ping_run, .begin = ping_begin, .end = wait_done};
static const struct work ring_ping_work = {
	.run = ring_ping_run, .begin = ring_ping_begin, .end = wait_done};
static const struct work source = {.run = source_run, .begin = source_begin};
static const struct work ring_source_work = {.run = ring_source_run, .begin = ring_source_begin};

static void case_measure(struct comch_case *c, const char *variant, uint64_t depth,
			 const struct work *ours_of, const struct work *reference_of)
{
	struct measure_plan plan = report_plan(c->bench, 2, 1);
	struct work ours = *ours_of, reference = *reference_of;
	struct report_row row = {.test = "comch",
				 .variant = variant,
				 .transport = "shm",
				 .size = c->size,
				 .depth = depth,
				 .n_threads = 1,
				 .moves_bytes = true,
				 .reference = c->is_in_place ? "raw ring in place" : "raw ring"};

	plan.peer = c->bench->peer;
	ours.args[0] = reference.args[0] = c;
	report_measure(c->bench->report, &row, &plan, &ours, &reference);
}

static void size_measure(struct bench *bench, uint32_t size, const struct bench_list *depths)
{
	struct comch_case c = {.bench = bench, .size = size};
	uint32_t n_tasks = LATENCY_TASKS;
	size_t i;

	for (i = 0; i < depths->n; i++)
		n_tasks = MAX(n_tasks, (uint32_t)depths->values[i]);
	c.message = bench_alloc(1, size);
	c.end = comch_link_open(bench, 1, size, RAW_RING_SLOTS, n_tasks, NULL);
	c.depth = LATENCY_TASKS;
	case_measure(&c, "latency", 1, &ping, &ring_ping_work);
	if (size >= IN_PLACE_SIZE) {
		c.is_in_place = true;
		case_measure(&c, "latency", 1, &ping, &ring_ping_work);
		c.is_in_place = false;
	}
	for (i = 0; i < depths->n; i++) {
		c.depth = (uint32_t)depths->values[i];
		case_measure(&c, "throughput", c.depth, &source, &ring_source_work);
	}
	comch_link_close(bench, c.end);
	free(c.message);
}

void bench_comch(struct bench *bench)
{
	static const struct bench_list default_sizes = {{64, 4096}, 2}, default_depths = {{32}, 1};
	const struct bench_options *o = bench->options;
	const struct bench_list *sizes = o->sizes.n ? &o->sizes : &default_sizes;
	const struct bench_list *depths = o->depths.n ? &o->depths : &default_depths;
	size_t i;

	for (i = 0; i < sizes->n; i++) {
		if (sizes->values[i] + RAW_RING_HEADER + 64 > RAW_RING_BYTES / 4)
			bench_die("comch: the raw ring takes messages of up to 1m");
		size_measure(bench, (uint32_t)sizes->values[i], depths);
	}
	bench_fast(bench);
	bench_comch_many_clients(bench);
}
