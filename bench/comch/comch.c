/*
 * comch and remote: messages between two polling processes, compared with the raw ring
 * (bench/base/raw_ring.h) between the same processes. latency is half a round trip, from submission
 * to the receive callback of the other process. throughput is a stream of messages with depth tasks
 * in flight, until the last message has arrived.
 *
 * A receive callback gets its message in place, whereas the raw ring copies it out. From 4 KiB on,
 * the raw ring is also measured in place, because then the copy dominates. In-place receivers read
 * the first and the last byte.
 *
 * The rows "1000" have a server with a thousand clients, ten of which send messages, compared with
 * a server with those ten alone: a round trip, with each of the ten in turn, and the server's
 * progress call without messages. The row of the round trip is
 * measured by the clients, the other one by the servers.
 *
 * The rows of remote are those of messages where the sides are linked as between machines.
 */
#include "bench/base/measure.h"
#include "bench/base/peer.h"
#include "bench/base/reference.h"
#include "bench/comch/end.h"

#define IN_PLACE_SIZE  4096u
#define LATENCY_TASKS  8u
#define N_MANY_CLIENTS 1000u
#define REMOTE_QUEUE   64u
#define WARM_UP_PINGS  64u
#define SHARED_LEN     64u
#define SHARED_QUEUE   16u
#define SETTLE_POLLS   200000u /* until silent clients count as idle */
#define REMOTE_MAX_MSG 4080u   /* offers of remote rings fit */

enum kind { KIND_LATENCY, KIND_STREAM, KIND_SHARED };

/* The state: one set of links, or that with a thousand clients and that with ten. */
struct links {
	struct comch *ours, *few;
};

static const char *comch_setup(struct bench *b)
{
	struct links *l = b->state = bench_alloc(1, sizeof(*l));
	struct comch_spec spec = {.n_servers = 1,
				  .n_clients = 1,
				  .max_msg = (uint32_t)b->size,
				  .queue = RAW_RING_SLOTS,
				  .n_tasks = (uint32_t)b->depth};
	bool is_stream = b->row->kind == KIND_STREAM;

	if (!is_stream)
		spec.n_tasks = LATENCY_TASKS;
	reference_setup(b, is_stream ? RAW_RING_STREAM : RAW_RING_ONE_BY_ONE);
	l->ours = comch_open(b, &spec);
	return NULL;
}

/* Lets the connection change from the relay to its remote rings, so that the number of iterations
 * is chosen for the path that is measured. */
static void remote_warm_up(struct bench *b, struct comch *c)
{
	int mine = 0, other;

	comch_idle(c, SETTLE_POLLS);
	peer_swap(b, &mine, sizeof(mine), &other, sizeof(other));
	if (b->is_peer)
		comch_echo(c, WARM_UP_PINGS);
	else
		comch_ping(c, WARM_UP_PINGS);
}

static const char *remote_setup(struct bench *b)
{
	struct links *l = b->state = bench_alloc(1, sizeof(*l));
	bool is_stream = b->row->kind == KIND_STREAM;
	const struct comch_spec spec = {.n_servers = 1,
					.n_clients = 1,
					.max_msg = MAX((uint32_t)b->size, REMOTE_MAX_MSG),
					.len = (uint32_t)b->size,
					.queue = REMOTE_QUEUE,
					.n_tasks = is_stream ? (uint32_t)b->depth : LATENCY_TASKS};

	comch_choose_path(b);
	reference_setup(b, is_stream ? RAW_RING_STREAM : RAW_RING_ONE_BY_ONE);
	l->ours = comch_open(b, &spec);
	remote_warm_up(b, l->ours);
	return NULL;
}

static const char *shared_setup(struct bench *b)
{
	struct links *l = b->state = bench_alloc(1, sizeof(*l));
	struct comch_spec spec = {.n_servers = 1,
				  .n_clients = COMCH_ACTIVE,
				  .max_msg = SHARED_LEN,
				  .queue = SHARED_QUEUE,
				  .n_tasks = SHARED_QUEUE,
				  .is_shared = true};

	l->few = comch_open(b, &spec);
	spec.n_clients = N_MANY_CLIENTS;
	l->ours = comch_open(b, &spec);
	if (b->side == SIDE_DPU)
		comch_idle(l->ours, SETTLE_POLLS);
	return NULL;
}

static void ping(struct bench *b, uint64_t n)
{
	comch_ping(((struct links *)b->state)->ours, n / 2);
}

static void echo(struct bench *b, uint64_t n)
{
	comch_echo(((struct links *)b->state)->ours, n / 2);
}

static void source(struct bench *b, uint64_t n)
{
	comch_source(((struct links *)b->state)->ours, n);
	peer_wait_done(b->peer);
}

static void sink(struct bench *b, uint64_t n)
{
	comch_sink(((struct links *)b->state)->ours, n);
}

static void many_run(struct bench *b, uint64_t n)
{
	comch_shared_ping(((struct links *)b->state)->ours, n);
}

static void many_serve(struct bench *b, uint64_t n)
{
	comch_shared_echo(((struct links *)b->state)->ours, n);
}

static void few_run(struct bench *b, uint64_t n)
{
	comch_shared_ping(((struct links *)b->state)->few, n);
}

static void few_serve(struct bench *b, uint64_t n)
{
	comch_shared_echo(((struct links *)b->state)->few, n);
}

static void many_idle(struct bench *b, uint64_t n)
{
	comch_idle(((struct links *)b->state)->ours, n);
}

static void few_idle(struct bench *b, uint64_t n)
{
	comch_idle(((struct links *)b->state)->few, n);
}

#define SHARED(name, more)                                                                   \
	.test = "comch", .variant = name, .transport = "shm", .reference = "10 connections", \
	.flags = ROW_PEER | ROW_NEAR | (more), .multiple = COMCH_ACTIVE, .setup = shared_setup
#define MESSAGE (ROW_PEER | ROW_NEAR | ROW_BYTES | ROW_SIZES)

#define REMOTE(name, path)                                                             \
	.test = "remote", .variant = name, .transport = path, .reference = "raw ring", \
	.multiple = 2, .max_size = 1u << 20, .setup = remote_setup
#define REMOTE_LATENCY(path)                                                                     \
	{                                                                                        \
		REMOTE("latency", path),                                                         \
			.flags = ROW_PEER | ROW_BYTES | ROW_SIZES | ROW_LAPS, .ops_of_lap = 2,   \
			.kind = KIND_LATENCY, .points = {{64, 1, 0}, {4080, 1, 0}}, .run = ping, \
			.serve = echo, .reference_run = ring_ping, .reference_serve = ring_echo  \
	}
#define REMOTE_STREAM(path)                                                          \
	{                                                                            \
		REMOTE("throughput", path),                                          \
			.flags = ROW_PEER | ROW_BYTES | ROW_SIZES | ROW_DEPTHS,      \
			.kind = KIND_STREAM, .points = {{64, 32, 0}, {4080, 32, 0}}, \
			.run = source, .serve = sink, .reference_run = ring_source,  \
			.reference_serve = ring_sink                                 \
	}

static const struct bench_row rows[] = {
	{.test = "comch",
	 .variant = "latency",
	 .transport = "shm",
	 .reference = "raw ring",
	 .flags = MESSAGE | ROW_LAPS,
	 .multiple = 2,
	 .ops_of_lap = 2,
	 .kind = KIND_LATENCY,
	 .max_size = 1u << 20,
	 .points = {{64, 1, 1.25}, {4096, 1, 0}},
	 .setup = comch_setup,
	 .run = ping,
	 .serve = echo,
	 .reference_run = ring_ping,
	 .reference_serve = ring_echo},
	{.test = "comch",
	 .variant = "latency",
	 .transport = "shm",
	 .reference = "raw ring in place",
	 .flags = MESSAGE | ROW_LAPS,
	 .multiple = 2,
	 .ops_of_lap = 2,
	 .kind = KIND_LATENCY,
	 .min_size = IN_PLACE_SIZE,
	 .max_size = 1u << 20,
	 .points = {{4096, 1, 1.15}},
	 .setup = comch_setup,
	 .run = ping,
	 .serve = echo,
	 .reference_run = ring_ping_in_place,
	 .reference_serve = ring_echo_in_place},
	{.test = "comch",
	 .variant = "throughput",
	 .transport = "shm",
	 .reference = "raw ring",
	 .flags = MESSAGE | ROW_DEPTHS,
	 .multiple = 2,
	 .kind = KIND_STREAM,
	 .max_size = 1u << 20,
	 .points = {{64, 32, 1.11}, {4096, 32, 0}},
	 .setup = comch_setup,
	 .run = source,
	 .serve = sink,
	 .reference_run = ring_source,
	 .reference_serve = ring_sink},
	{SHARED("1000, 10 on", ROW_LAPS | ROW_ON_HOST), .points = {{SHARED_LEN, 1, 1.2}},
	 .run = many_run, .serve = many_serve, .reference_run = few_run,
	 .reference_serve = few_serve},
	{SHARED("1000, idle", ROW_ON_DPU), .points = {{0, 1, 1.2}}, .run = many_idle,
	 .reference_run = few_idle},
	REMOTE_LATENCY("verbs"),
	REMOTE_LATENCY("relay"),
	REMOTE_STREAM("verbs"),
	REMOTE_STREAM("relay"),
};

BENCH_TABLE(bench_comch, rows);
