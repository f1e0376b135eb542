/*
 * The data path of comch: messages from a producer into receives that a consumer in another process
 * has posted; both poll. Short messages are compared with the raw ring of bench/base/raw_ring.h,
 * copied in and out, in latency (half a round trip) and throughput. Long messages are compared in
 * throughput with the same bytes moved by the same mechanism alone: memcpy into shared memory, or
 * process_vm_writev into the other process's private memory.
 *
 * A row has a consumer with posted receives and a producer in each process, on the connection of a
 * struct comch and on their own progress engine. The rows of remote have these ends where the sides
 * are linked as between machines.
 */
#include <string.h>
#include <unistd.h>

#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>

#include "bench/base/measure.h"
#include "bench/base/peer.h"
#include "bench/base/reference.h"
#include "bench/comch/end.h"

#define LONG_SIZE     65536u
#define MAX_RECEIVES  256u
#define MIN_RECEIVES  4u
#define READY_LIMIT_S 10u
#define LATENCY_TASKS 32u

struct fast {
	struct bench *bench;
	struct comch *comch;
	struct doca_pe *pe;
	struct doca_mmap *recv_map, *send_map;
	struct doca_buf_inventory *inventory;
	uint8_t *recv_memory, *send_memory;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct doca_comch_producer_task_send **tasks; /* free[0..n_free) */
	uint32_t size, n_receives, n_tasks, n_free;
	bool is_posted;
	bool is_remote; /* a producer learns of posted receives with a delay */
	uint32_t n_due; /* answers that found no receive */
	uint64_t n_received;
	uint64_t n_answers; /* number of following messages to answer at once */
	uint64_t sum;       /* sum of first and last bytes, so that each message is read */
};

/* --- callbacks --- */

static bool task_submit(struct fast *f)
{
	doca_error_t result;

	if (f->n_free == 0)
		bench_die("comch: an answer came before the completion of what it answers");
	result = doca_task_submit(doca_comch_producer_task_send_as_task(f->tasks[f->n_free - 1]));
	if (result == DOCA_ERROR_AGAIN)
		return false;
	bench_check(result, "send by a producer");
	f->n_free--;
	return true;
}

static void on_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
			union doca_data ctx_data)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	struct fast *f = ctx_data.ptr;
	const uint8_t *bytes = task_data.ptr;

	f->sum += bytes[0] + (uint64_t)bytes[f->size - 1];
	f->n_received++;
	if (f->n_answers > 0) {
		f->n_answers--;
		laps_mark(f->bench->laps);
		if (!task_submit(f)) {
			if (!f->is_remote)
				bench_die("comch: no receive was posted for an answer");
			f->n_due++;
		}
	}
	doca_buf_reset_data_len(buf);
	bench_check(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)),
		    "post a receive");
}

static inline void progress(struct fast *f)
{
	doca_pe_progress(f->pe);
	while (unlikely(f->n_due > 0) && task_submit(f))
		f->n_due--;
}

static void on_failed_receive(struct doca_comch_consumer_task_post_recv *task,
			      union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data, (void)ctx_data;
	bench_check(doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task)),
		    "receive by a consumer");
}

static void on_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct fast *f = ctx_data.ptr;

	(void)task_data;
	f->tasks[f->n_free++] = task;
}

static void on_not_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
			union doca_data ctx_data)
{
	(void)task_data, (void)ctx_data;
	bench_check(doca_task_get_status(doca_comch_producer_task_send_as_task(task)),
		    "send by a producer");
}

/* --- opening --- */

static void ends_open(struct fast *f, struct doca_comch_connection *connection)
{
	MUST(doca_comch_consumer_create(connection, f->recv_map, &f->consumer));
	MUST(doca_comch_consumer_task_post_recv_set_conf(f->consumer, on_received,
							 on_failed_receive, f->n_receives));
	device_ctx_start(doca_comch_consumer_as_ctx(f->consumer), f->pe, f);
	MUST(doca_comch_producer_create(connection, &f->producer));
	MUST(doca_comch_producer_task_send_set_conf(f->producer, on_sent, on_not_sent, f->n_tasks));
	device_ctx_start(doca_comch_producer_as_ctx(f->producer), f->pe, f);
}

static void receives_post(struct fast *f)
{
	struct doca_comch_consumer_task_post_recv *task;
	uint32_t i;

	for (i = 0; i < f->n_receives; i++) {
		uint8_t *place = f->recv_memory + (size_t)i * f->size;
		struct doca_buf *buf = device_buf_new(f->inventory, f->recv_map, (uintptr_t)place,
						      f->size, false);

		MUST(doca_comch_consumer_task_post_recv_alloc_init(f->consumer, buf, &task));
		doca_task_set_user_data(doca_comch_consumer_task_post_recv_as_task(task),
					(union doca_data){.ptr = place});
		MUST(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	}
	f->is_posted = true;
}

static void tasks_make(struct fast *f)
{
	for (; f->n_free < f->n_tasks; f->n_free++) {
		struct doca_buf *buf = device_buf_new(f->inventory, f->send_map,
						      (uintptr_t)f->send_memory, f->size, true);

		MUST(doca_comch_producer_task_send_alloc_init(
			f->producer, buf, NULL, 0, f->comch->consumer, &f->tasks[f->n_free]));
	}
}

/* Returns true if receives are posted here and the peer's consumer is known. */
static bool ready_poll(struct bench *b)
{
	struct fast *f = b->state;
	enum doca_ctx_states state;

	doca_pe_progress(f->pe);
	doca_pe_progress(f->comch->pe);
	MUST(doca_ctx_get_state(doca_comch_consumer_as_ctx(f->consumer), &state));
	if (!f->is_posted && state == DOCA_CTX_STATE_RUNNING)
		receives_post(f);
	if (f->n_free == 0 && f->comch->consumer != 0)
		tasks_make(f);
	return f->is_posted && f->n_free != 0;
}

static const char *fast_setup(struct bench *b)
{
	static const struct comch_spec spec = {
		.n_servers = 1, .n_clients = 1, .max_msg = 4080, .queue = 64, .n_tasks = 8};
	struct fast *f = b->state = bench_alloc(1, sizeof(*f));
	struct {
		uint64_t memory;
		int pid;
	} mine, other;
	size_t len;

	f->bench = b;
	f->is_remote = strcmp(b->row->test, "remote") == 0;
	if (f->is_remote)
		comch_choose_path(b);
	f->size = (uint32_t)b->size;
	f->n_tasks = b->row->flags & ROW_LAPS ? LATENCY_TASKS : (uint32_t)b->depth;
	f->n_receives = MAX(MIN(RAW_RING_BYTES / f->size, MAX_RECEIVES), MIN_RECEIVES);
	len = (size_t)f->n_receives * f->size;
	reference_setup(b, b->row->flags & ROW_LAPS ? RAW_RING_ONE_BY_ONE : RAW_RING_STREAM);
	f->comch = comch_open(b, &spec);
	MUST(doca_pe_create(&f->pe));
	f->tasks = bench_alloc(f->n_tasks, sizeof(struct doca_comch_producer_task_send *));
	f->recv_memory = device_memory_new(b->row->memory, len);
	f->recv_map = device_map_new(f->comch->dev, f->recv_memory, len, DEVICE_RIGHTS);
	f->send_memory = device_memory_new(TRANSPORT_LOCAL, f->size);
	f->send_map = device_map_new(f->comch->dev, f->send_memory, f->size, DEVICE_RIGHTS);
	f->inventory = device_inventory_new(f->n_receives + f->n_tasks);
	ends_open(f, f->comch->links[0].connection);
	peer_meet(b, ready_poll, READY_LIMIT_S, "no consumer is there");
	mine.memory = (uintptr_t)f->recv_memory;
	mine.pid = getpid();
	peer_swap(b, &mine, sizeof(mine), &other, sizeof(other));
	b->peer_memory = other.memory;
	b->peer_pid = other.pid;
	b->n_places = MIN(f->n_receives, RAW_RING_BYTES / f->size);
	return NULL;
}

/* --- loops --- */

static void completions_wait(struct fast *f)
{
	while (f->n_free < f->n_tasks)
		doca_pe_progress(f->pe);
}

static void ping(struct bench *b, uint64_t n)
{
	struct fast *f = b->state;

	f->n_received = 0;
	f->n_answers = n / 2 - 1;
	laps_mark(b->laps);
	while (!task_submit(f))
		doca_pe_progress(f->pe);
	while (f->n_received < n / 2)
		progress(f);
	laps_mark(b->laps);
	completions_wait(f);
}

static void echo(struct bench *b, uint64_t n)
{
	struct fast *f = b->state;

	f->n_received = 0;
	f->n_answers = n / 2;
	while (f->n_received < n / 2 || f->n_due > 0)
		progress(f);
	completions_wait(f);
}

static void source(struct bench *b, uint64_t n)
{
	struct fast *f = b->state;

	while (n > 0) {
		while (n > 0 && f->n_free > 0 && task_submit(f))
			n--;
		doca_pe_progress(f->pe);
	}
	completions_wait(f);
	peer_wait_done(b->peer);
}

static void sink(struct bench *b, uint64_t n)
{
	struct fast *f = b->state;

	f->n_received = 0;
	f->n_answers = 0;
	while (f->n_received < n)
		doca_pe_progress(f->pe);
}

#define FAST(name, other, way)                                                  \
	.test = "comch", .variant = name, .reference = other, .transport = way, \
	.setup = fast_setup, .multiple = 2
#define FLAGS (ROW_PEER | ROW_NEAR | ROW_BYTES | ROW_SIZES | ROW_DEPTHS)

#define REMOTE(name, path)                                                             \
	.test = "remote", .variant = name, .transport = path, .reference = "raw ring", \
	.memory = TRANSPORT_SHM, .setup = fast_setup, .multiple = 2
#define REMOTE_FLAGS (ROW_PEER | ROW_BYTES | ROW_SIZES)
#define REMOTE_LATENCY(path)                                                                       \
	{                                                                                          \
		REMOTE("fast lat.", path), .flags = REMOTE_FLAGS | ROW_LAPS, .ops_of_lap = 2,      \
					   .max_size = LONG_SIZE - 1, .points = {{64, 1, 0}},      \
					   .run = ping, .serve = echo, .reference_run = ring_ping, \
					   .reference_serve = ring_echo                            \
	}
#define REMOTE_RATE(path)                                                                     \
	{                                                                                     \
		REMOTE("fast rate", path),                                                    \
			.flags = REMOTE_FLAGS | ROW_DEPTHS, .max_size = LONG_SIZE - 1,        \
			.points = {{64, 32, 0}, {4096, 32, 0}}, .run = source, .serve = sink, \
			.reference_run = ring_source, .reference_serve = ring_sink            \
	}

static const struct bench_row rows[] = {
	{FAST("fast lat.", "raw ring", "shm"), .memory = TRANSPORT_SHM, .ops_of_lap = 2,
	 .flags = (FLAGS | ROW_LAPS) & ~ROW_DEPTHS, .max_size = LONG_SIZE - 1,
	 .points = {{64, 1, 1.35}}, .run = ping, .serve = echo, .reference_run = ring_ping,
	 .reference_serve = ring_echo},
	{FAST("fast rate", "raw ring", "shm"), .memory = TRANSPORT_SHM, .flags = FLAGS,
	 .max_size = LONG_SIZE - 1, .points = {{64, 32, 1.25}}, .run = source, .serve = sink,
	 .reference_run = ring_source, .reference_serve = ring_sink},
	{FAST("fast rate", "memcpy", "shm"), .memory = TRANSPORT_SHM, .flags = FLAGS,
	 .min_size = LONG_SIZE, .points = {{LONG_SIZE, 32, 1.15}, {1u << 20, 32, 1.15}},
	 .run = source, .serve = sink, .reference_run = reference_memcpy},
	{FAST("fast rate", "vm_writev", "pvm"), .memory = TRANSPORT_PVM, .flags = FLAGS,
	 .min_size = LONG_SIZE, .points = {{LONG_SIZE, 32, 1.15}, {1u << 20, 32, 1.15}},
	 .run = source, .serve = sink, .reference_run = reference_writev},
	REMOTE_LATENCY("verbs"),
	REMOTE_LATENCY("relay"),
	REMOTE_RATE("verbs"),
	REMOTE_RATE("relay"),
};

BENCH_TABLE(bench_fast, rows);
