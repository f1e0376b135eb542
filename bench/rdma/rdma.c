/*
 * RDMA between two processes. If both sides have a function of an RDMA device of the machine:
 * write, read, send and fetch-add one at a time, and long writes and reads with many in flight,
 * each compared with the same operation with verbs alone on the same device (bench/raw_verbs.h),
 * measured like perftest. Without a device: a short write from post to completion, compared with a
 * store into the other process's memory that it acknowledges; a long write, compared with the same
 * bytes moved by the same mechanism; a message, compared with the raw ring.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "bench/base/measure.h"
#include "bench/base/peer.h"
#include "bench/base/raw_verbs.h"
#include "bench/base/report.h"
#include "bench/base/ring_loop.h"

#define SHORT_SIZE  64u
#define STREAM_SIZE 65536u
#define LONG_SIZE   (1u << 20)
/* Laps of a sample, whose median is used; as many as in perftest. */
#define N_LAPS 1000u

struct rdma_case {
	struct bench *bench;
	struct rdma_end_spec spec;
	struct rdma_endpoint *end;
	struct raw_verbs *raw; /* NULL: not on a device */
	enum rdma_pattern pattern;
	struct laps *laps; /* NULL: the figure is a mean */
	struct raw_ring there, back;
	uint8_t *message;
	uint64_t peer_memory;
	int peer_pid;
};

static bool pattern_is_ping(enum rdma_pattern pattern)
{
	return pattern == RDMA_WRITE_PING || pattern == RDMA_SEND_PING;
}

/* Operations per round trip. */
static uint64_t ops_of(enum rdma_pattern pattern)
{
	return pattern_is_ping(pattern) ? 2 : 1;
}

static void engage(struct rdma_case *c, bool is_raw, uint64_t n)
{
	struct peer_msg msg = {.op = PEER_RDMA_RUN,
			       .kind = c->pattern,
			       .depth = is_raw,
			       .n = n / ops_of(c->pattern)};

	if (pattern_is_ping(c->pattern))
		peer_engage(c->bench->peer, &msg);
}

static void ours_begin(void *arg, uint64_t n)
{
	engage(arg, false, n);
}

static void ours_run(void *arg, uint64_t n)
{
	struct rdma_case *c = arg;

	rdma_end_run(c->end, c->pattern, true, n / ops_of(c->pattern), c->laps);
}

static void raw_begin(void *arg, uint64_t n)
{
	engage(arg, true, n);
}

static void raw_run(void *arg, uint64_t n)
{
	struct rdma_case *c = arg;

	raw_verbs_run(c->raw, c->pattern, true, n / ops_of(c->pattern), c->laps);
}

static void wait_done(void *arg)
{
	struct rdma_case *c = arg;

	peer_wait_done(c->bench->peer);
}

/* --- references without a device --- */

/* A store that the other process acknowledges: flag and acknowledgement are one word each. */
static void store_begin(void *arg, uint64_t n)
{
	struct rdma_case *c = arg;
	struct peer_msg msg = {.op = PEER_RDMA_ACKNOWLEDGE, .n = n};

	atomic_store(&c->bench->peer->shared->ball, 0);
	atomic_store(&c->bench->peer->shared->word, 0);
	peer_engage(c->bench->peer, &msg);
}

static void store_run(void *arg, uint64_t n)
{
	struct rdma_case *c = arg;
	struct peer_shared *shared = c->bench->peer->shared;

	for (uint64_t i = 1; i <= n; i++) {
		memcpy(shared->there.slots, c->message, c->spec.size);
		atomic_store_explicit(&shared->ball, i, memory_order_release);
		while (atomic_load_explicit(&shared->word, memory_order_acquire) != (uint32_t)i)
			;
	}
}

static void memcpy_run(void *arg, uint64_t n)
{
	struct rdma_case *c = arg;
	uint8_t *to = c->bench->peer->shared->there.slots;

	for (; n > 0; n--) {
		memcpy(to, c->message, c->spec.size);
		MEASURE_ESCAPE(to);
	}
}

static void writev_run(void *arg, uint64_t n)
{
	struct rdma_case *c = arg;
	struct iovec local = {.iov_base = c->message, .iov_len = c->spec.size};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)c->peer_memory,
			       .iov_len = c->spec.size};

	for (; n > 0; n--) {
		if (process_vm_writev(c->peer_pid, &local, 1, &remote, 1, 0) !=
		    (ssize_t)c->spec.size)
			bench_die("process_vm_writev: %m");
	}
}

static void ring_begin(void *arg, uint64_t n)
{
	struct rdma_case *c = arg;
	struct peer_shared *shared = c->bench->peer->shared;
	struct peer_msg msg = {.op = PEER_RING_ECHO, .n = n / 2, .size = c->spec.size};

	raw_ring_wipe(&shared->there, c->spec.size, RAW_RING_ONE_BY_ONE);
	raw_ring_wipe(&shared->back, c->spec.size, RAW_RING_ONE_BY_ONE);
	raw_ring_init(&c->there, &shared->there, c->spec.size, RAW_RING_ONE_BY_ONE);
	raw_ring_init(&c->back, &shared->back, c->spec.size, RAW_RING_ONE_BY_ONE);
	peer_engage(c->bench->peer, &msg);
}

static void ring_run(void *arg, uint64_t n)
{
	struct rdma_case *c = arg;

	ring_ping(&c->there, &c->back, c->message, c->spec.size, n / 2);
}

/* --- cases --- */

static void pattern_measure(struct rdma_case *c, enum rdma_pattern pattern, const char *variant,
			    const char *reference_name, const struct work *reference)
{
	static struct laps laps;
	bool has_depth = pattern == RDMA_WRITE_DEPTH || pattern == RDMA_READ_DEPTH;
	struct measure_plan plan = report_plan(c->bench, ops_of(pattern), 1);
	struct work ours = {.run = ours_run, .begin = ours_begin, .args = {c}};
	struct work other = *reference;
	struct report_row row = {.test = "rdma",
				 .variant = variant,
				 .transport = c->spec.is_verbs    ? "verbs"
					      : c->spec.is_shared ? "soft shm"
								  : "soft pvm",
				 .size = pattern == RDMA_ADD_ONE ? 8 : c->spec.size,
				 .depth = has_depth ? c->spec.depth : 1,
				 .n_threads = 1,
				 .moves_bytes = true,
				 .reference = reference_name};

	c->pattern = pattern;
	if (pattern_is_ping(pattern))
		ours.end = wait_done;
	/*
	 * On a device the time is spent in the kernel or the card, so the distance between the
	 * cores has no effect; in an emulated machine the canary could not classify it anyway.
	 */
	plan.peer = c->spec.is_verbs ? NULL : c->bench->peer;
	other.args[0] = c;
	c->laps = c->spec.is_verbs && !has_depth ? &laps : NULL;
	ours.laps = other.laps = c->laps;
	if (c->laps != NULL && plan.iterations == 0)
		plan.iterations = N_LAPS * ops_of(pattern);
	ours.ops_of_lap = other.ops_of_lap = ops_of(pattern);
	report_measure(c->bench->report, &row, &plan, &ours, &other);
}

static void verbs_measure(struct rdma_case *c, enum rdma_pattern pattern, const char *variant)
{
	struct work raw = {.run = raw_run, .begin = raw_begin};

	if (pattern_is_ping(pattern))
		raw.end = wait_done;
	pattern_measure(c, pattern, variant, "raw verbs", &raw);
}

static void case_open(struct rdma_case *c, const char *ibdev)
{
	struct peer_msg msg = {.op = PEER_RDMA_OPEN,
			       .kind = c->spec.is_verbs | (uint32_t)c->spec.is_shared << 1,
			       .size = c->spec.size,
			       .depth = c->spec.depth};

	c->message = bench_alloc(1, c->spec.size);
	c->end = rdma_end_new(&c->spec);
	if (c->end == NULL)
		bench_die("rdma: no device of side %s can do RDMA between processes",
			  bench_our_side());
	msg.payload_len = rdma_end_export(c->end, msg.payload);
	peer_call(c->bench->peer, &msg);
	rdma_end_connect(c->end, msg.payload, msg.payload_len);
	c->peer_memory = msg.addr;
	c->peer_pid = msg.pid;
	if (ibdev == NULL)
		return;
	c->raw = raw_verbs_new(ibdev, c->spec.size, c->spec.depth);
	msg = (struct peer_msg){
		.op = PEER_RDMA_OPEN_RAW, .size = c->spec.size, .depth = c->spec.depth};
	msg.payload_len = raw_verbs_export(c->raw, msg.payload);
	peer_call(c->bench->peer, &msg);
	raw_verbs_connect(c->raw, msg.payload, msg.payload_len);
}

static void case_close(struct rdma_case *c)
{
	struct peer_msg msg = {.op = PEER_RDMA_CLOSE};

	rdma_end_delete(c->end);
	if (c->raw != NULL)
		raw_verbs_delete(c->raw);
	peer_call(c->bench->peer, &msg);
	free(c->message);
}

static void on_device(struct bench *bench, const char *ibdev, uint32_t depth)
{
	struct rdma_case lat = {.bench = bench,
				.spec = {.is_verbs = true, .size = SHORT_SIZE, .depth = 16}};
	struct rdma_case bw = {
		.bench = bench,
		.spec = {.is_verbs = true, .size = STREAM_SIZE, .depth = depth},
	};

	case_open(&lat, ibdev);
	verbs_measure(&lat, RDMA_WRITE_PING, "write lat.");
	verbs_measure(&lat, RDMA_READ_ONE, "read lat.");
	verbs_measure(&lat, RDMA_SEND_PING, "send lat.");
	verbs_measure(&lat, RDMA_ADD_ONE, "add lat.");
	verbs_measure(&lat, RDMA_COPY_ONE, "dma lat.");
	case_close(&lat);
	case_open(&bw, ibdev);
	verbs_measure(&bw, RDMA_WRITE_DEPTH, "write bw.");
	verbs_measure(&bw, RDMA_READ_DEPTH, "read bw.");
	case_close(&bw);
}

static void between_processes(struct bench *bench)
{
	static const struct work store = {.run = store_run, .begin = store_begin, .end = wait_done};
	static const struct work ring = {.run = ring_run, .begin = ring_begin, .end = wait_done};
	static const struct work copy = {.run = memcpy_run}, writev = {.run = writev_run};
	struct rdma_case c = {.bench = bench,
			      .spec = {.is_shared = true, .size = SHORT_SIZE, .depth = 16}};

	case_open(&c, NULL);
	pattern_measure(&c, RDMA_WRITE_ONE, "write", "acked store", &store);
	pattern_measure(&c, RDMA_SEND_PING, "send lat.", "raw ring", &ring);
	case_close(&c);
	for (int is_shared = 1; is_shared >= 0; is_shared--) {
		c.spec = (struct rdma_end_spec){
			.is_shared = is_shared, .size = LONG_SIZE, .depth = 2};
		case_open(&c, NULL);
		pattern_measure(&c, RDMA_WRITE_ONE, "write", is_shared ? "memcpy" : "vm_writev",
				is_shared ? &copy : &writev);
		case_close(&c);
	}
}

void bench_rdma(struct bench *bench)
{
	const struct bench_list *depths = &bench->options->depths;
	struct peer_msg msg = {.op = PEER_RDMA_CHECK};
	char ibdev[64], why[PEER_PAYLOAD_MAX];

	rdma_end_why_not(why, sizeof(why));
	if (why[0] == '\0') {
		peer_call(bench->peer, &msg);
		snprintf(why, sizeof(why), "%.*s", (int)sizeof(msg.payload),
			 (const char *)msg.payload);
	}
	if (why[0] == '\0' && rdma_end_find_ibdev(ibdev))
		on_device(bench, ibdev, depths->n > 0 ? (uint32_t)depths->values[0] : 32);
	else
		report_note(bench->report, "rdma: verbs is not measured: %s", why);
	between_processes(bench);
}
