/*
 * The data path of comch: messages from a producer into receives that a consumer in another process
 * has posted; both poll. Short messages are compared with the raw ring of bench/raw_ring.h, copied
 * in and out, in latency (half a round trip) and throughput. Long messages are compared in
 * throughput with the same bytes moved by the same mechanism alone: memcpy into shared memory, or
 * process_vm_writev into the other process's private memory.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "bench/base/measure.h"
#include "bench/base/peer.h"
#include "bench/base/report.h"
#include "bench/base/ring_loop.h"
#include "bench/comch/fast_end.h"
#include "bench/comch/link.h"
#include "util/clock.h"

#define LONG_SIZE      65536u
#define MAX_RECEIVES   256u
#define MIN_RECEIVES   4u
#define READY_LIMIT_NS (10 * NS_PER_SEC)

struct fast_case {
	struct bench *bench;
	struct fast_end *end;
	struct fast_end_spec spec;
	struct raw_ring there, back;
	uint8_t *message;
	uint64_t peer_memory; /* address of the peer's receives, for process_vm_writev() */
	int peer_pid;
};

static void engage(struct fast_case *c, enum peer_op op, uint64_t n)
{
	struct peer_msg msg = {.op = op, .n = n, .size = c->spec.size};

	peer_engage(c->bench->peer, &msg);
}

static void wait_done(void *arg)
{
	struct fast_case *c = arg;

	peer_wait_done(c->bench->peer);
}

static void rings_prepare(struct fast_case *c, enum raw_ring_use use)
{
	struct peer_shared *shared = c->bench->peer->shared;

	raw_ring_wipe(&shared->there, c->spec.size, use);
	raw_ring_wipe(&shared->back, c->spec.size, use);
	raw_ring_init(&c->there, &shared->there, c->spec.size, use);
	raw_ring_init(&c->back, &shared->back, c->spec.size, use);
}

/* --- latency --- */

static void ping_begin(void *arg, uint64_t n)
{
	engage(arg, PEER_FAST_ECHO, n / 2);
}

static void ping_run(void *arg, uint64_t n)
{
	struct fast_case *c = arg;

	fast_end_ping(c->end, n / 2);
}

static void ring_ping_begin(void *arg, uint64_t n)
{
	rings_prepare(arg, RAW_RING_ONE_BY_ONE);
	engage(arg, PEER_RING_ECHO, n / 2);
}

static void ring_ping_run(void *arg, uint64_t n)
{
	struct fast_case *c = arg;

	ring_ping(&c->there, &c->back, c->message, c->spec.size, n / 2);
}

/* --- throughput: until the last message has arrived --- */

static void source_begin(void *arg, uint64_t n)
{
	engage(arg, PEER_FAST_SINK, n);
}

static void source_run(void *arg, uint64_t n)
{
	struct fast_case *c = arg;

	fast_end_source(c->end, n);
	peer_wait_done(c->bench->peer);
}

static void ring_source_begin(void *arg, uint64_t n)
{
	rings_prepare(arg, RAW_RING_STREAM);
	engage(arg, PEER_RING_SINK, n);
}

static void ring_source_run(void *arg, uint64_t n)
{
	struct fast_case *c = arg;

	ring_source(&c->there, c->message, c->spec.size, n);
	peer_wait_done(c->bench->peer);
}

/* Copies to as many places as there are receives. */
static void memcpy_run(void *arg, uint64_t n)
{
	struct fast_case *c = arg;
	uint8_t *to = c->bench->peer->shared->there.slots;
	uint64_t i;

	for (i = 0; i < n; i++) {
		uint8_t *slot = to + i % c->spec.n_receives * c->spec.size;

		memcpy(slot, c->message, c->spec.size);
		MEASURE_ESCAPE(slot);
	}
}

static void writev_run(void *arg, uint64_t n)
{
	struct fast_case *c = arg;
	uint64_t i;

	for (i = 0; i < n; i++) {
		struct iovec local = {.iov_base = c->message, .iov_len = c->spec.size};
		struct iovec remote = {
			.iov_base = (void *)(uintptr_t)(c->peer_memory +
							i % c->spec.n_receives * c->spec.size),
			.iov_len = c->spec.size};

		if (process_vm_writev(c->peer_pid, &local, 1, &remote, 1, 0) !=
		    (ssize_t)c->spec.size)
			bench_die("process_vm_writev: %m");
	}
}

static const struct work ping = {.run = ping_run, .begin = ping_begin, .end = wait_done};
static const struct work ring_ping_work = {
	.run = ring_ping_run, .begin = ring_ping_begin, .end = wait_done};
static const struct work source = {.run = source_run, .begin = source_begin};
static const struct work ring_source_work = {.run = ring_source_run, .begin = ring_source_begin};
static const struct work memcpy_work = {.run = memcpy_run};
static const struct work writev_work = {.run = writev_run};

static void case_measure(struct fast_case *c, const char *variant, uint64_t depth,
			 const char *reference_name, const struct work *ours_of,
			 const struct work *reference_of)
{
	struct measure_plan plan = report_plan(c->bench, 2, 1);
	struct work ours = *ours_of, reference = *reference_of;
	struct report_row row = {.test = "comch",
				 .variant = variant,
				 .transport = bench_transport_name(c->spec.kind),
				 .size = c->spec.size,
				 .depth = depth,
				 .n_threads = 1,
				 .moves_bytes = true,
				 .reference = reference_name};

	plan.peer = c->bench->peer;
	ours.args[0] = reference.args[0] = c;
	report_measure(c->bench->report, &row, &plan, &ours, &reference);
}

/* Returns when both consumers exist and each producer knows the other end's consumer. */
static void case_open(struct fast_case *c, struct comch_end *end)
{
	struct peer_msg msg = {.op = PEER_FAST_OPEN,
			       .kind = c->spec.kind,
			       .size = c->spec.size,
			       .n = c->spec.n_receives,
			       .depth = c->spec.n_tasks};
	uint64_t deadline_ns = clock_now_ns() + READY_LIMIT_NS;
	bool ours = false, theirs = false;

	c->end = fast_end_new(end, &c->spec);
	peer_call(c->bench->peer, &msg);
	msg = (struct peer_msg){.op = PEER_FAST_READY};
	peer_send(c->bench->peer, &msg);
	while (!ours || !theirs) {
		ours |= fast_end_ready(c->end);
		theirs |= peer_poll_answer(c->bench->peer, &msg);
		if (clock_now_ns() > deadline_ns)
			bench_die("comch: no consumer after 10 seconds");
	}
	c->peer_memory = msg.addr;
	c->peer_pid = msg.pid;
}

static void case_close(struct fast_case *c)
{
	struct peer_msg msg = {.op = PEER_FAST_CLOSE};

	fast_end_delete(c->end);
	peer_call(c->bench->peer, &msg);
}

static void size_measure(struct bench *bench, uint32_t size, uint32_t depth,
			 enum bench_transport kind)
{
	struct fast_case c = {.bench = bench,
			      .spec = {.kind = kind,
				       .size = size,
				       .n_tasks = depth,
				       .n_receives = MAX(MIN(RAW_RING_BYTES / size, MAX_RECEIVES),
							 MIN_RECEIVES)}};
	struct comch_end *end = comch_link_open(bench, 1, 4080, 64, 8, NULL);

	c.message = bench_alloc(1, size);
	case_open(&c, end);
	if (size < LONG_SIZE) {
		case_measure(&c, "fast lat.", 1, "raw ring", &ping, &ring_ping_work);
		case_measure(&c, "fast rate", depth, "raw ring", &source, &ring_source_work);
	} else if (kind == TRANSPORT_SHM) {
		case_measure(&c, "fast rate", depth, "memcpy", &source, &memcpy_work);
	} else {
		case_measure(&c, "fast rate", depth, "vm_writev", &source, &writev_work);
	}
	case_close(&c);
	comch_link_close(bench, end);
	free(c.message);
}

void bench_fast(struct bench *bench)
{
	static const struct bench_list default_sizes = {{64, 64u << 10, 1u << 20}, 3};
	static const struct bench_list default_depths = {{32}, 1};
	const struct bench_options *o = bench->options;
	const struct bench_list *sizes = o->sizes.n ? &o->sizes : &default_sizes;
	const struct bench_list *depths = o->depths.n ? &o->depths : &default_depths;
	size_t i, j;

	for (i = 0; i < sizes->n; i++) {
		for (j = 0; j < depths->n; j++) {
			uint32_t size = (uint32_t)sizes->values[i];

			size_measure(bench, size, (uint32_t)depths->values[j], TRANSPORT_SHM);
			if (size >= LONG_SIZE)
				size_measure(bench, size, (uint32_t)depths->values[j],
					     TRANSPORT_PVM);
		}
	}
}
