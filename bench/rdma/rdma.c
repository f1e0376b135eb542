/*
 * RDMA between two processes. If both sides have a function of an RDMA device of the machine:
 * write, read, send and fetch-add one at a time, and long writes and reads with many in flight,
 * each compared with the same operation with verbs alone on the same device (raw_verbs.h), measured
 * like perftest. Without a device: a short write from post to completion, compared with a store
 * into the other process's memory that it acknowledges; a long write, compared with the same bytes
 * moved by the same mechanism; a message, compared with the raw ring.
 *
 * Each process has a context with one connection to the other process, and memory that the other
 * process may access: two halves, outgoing and incoming, of n_slots places for one message each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_dma.h>
#include <doca_rdma.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"
#include "bench/base/peer.h"
#include "bench/base/reference.h"
#include "bench/rdma/raw_verbs.h"

#define ON_DEVICE     0x100u /* in a row's kind, beside the pattern */
#define PATTERN       0xffu
#define STREAM_SIZE   65536u
#define LONG_SIZE     (1u << 20)
#define N_SLOTS       16u
#define N_SLOTS_LONG  2u
#define READY_LIMIT_S 10u
#define RIGHTS                                                            \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

struct rdma_end {
	bool is_verbs;
	uint32_t size, n_slots;
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_rdma_connection *conn;
	struct doca_mmap *map, *remote;
	struct doca_buf_inventory *inventory;
	uint8_t *memory, *in;
	uint64_t remote_addr;
	size_t stride, len;
	struct doca_task **sends, **writes, **reads, *add;
	/* Used by the copy test on a device. */
	struct doca_pe *copy_pe;
	struct doca_task *copy;
	struct doca_buf *copy_dst;
	uint64_t n_done, n_sent, n_received;
	uint64_t n_pings; /* number of pings so far; the writes contain it */
};

/* --- completions --- */

static void task_over(struct doca_task *task, struct doca_buf *grown)
{
	bench_check(doca_task_get_status(task), "an RDMA task");
	if (grown != NULL)
		doca_buf_reset_data_len(grown);
}

#define ON_DONE(kind)                                                                   \
	static void on_##kind(struct doca_rdma_task_##kind *task, union doca_data data, \
			      union doca_data ctx_data)                                 \
	{                                                                               \
		struct rdma_end *end = ctx_data.ptr;                                    \
                                                                                        \
		task_over(doca_rdma_task_##kind##_as_task(task), data.ptr);             \
		end->n_done++;                                                          \
	}
ON_DONE(write)
ON_DONE(read)
ON_DONE(atomic_fetch_add)

static void on_send(struct doca_rdma_task_send *task, union doca_data data,
		    union doca_data ctx_data)
{
	struct rdma_end *end = ctx_data.ptr;

	(void)data;
	task_over(doca_rdma_task_send_as_task(task), NULL);
	end->n_sent++;
}

static void on_receive(struct doca_rdma_task_receive *task, union doca_data data,
		       union doca_data ctx_data)
{
	struct doca_task *base = doca_rdma_task_receive_as_task(task);
	struct rdma_end *end = ctx_data.ptr;

	task_over(base, data.ptr);
	end->n_received++;
	bench_check(doca_task_submit(base), "post a receive");
}

static void on_copy(struct doca_dma_task_memcpy *task, union doca_data data,
		    union doca_data ctx_data)
{
	struct rdma_end *end = ctx_data.ptr;

	(void)data;
	task_over(doca_dma_task_memcpy_as_task(task), NULL);
	end->n_done++;
}

/* --- opening --- */

static bool is_of_machine(const char *ibdev)
{
	char path[128];

	return ibdev[0] != '\0' &&
	       snprintf(path, sizeof(path), "/sys/class/infiniband/%.64s", ibdev) <
		       (int)sizeof(path) &&
	       access(path, F_OK) == 0;
}

/*
 * Opens the first device that supports it: one that is bound to an RDMA device of the machine, or
 * one that is not. Returns NULL if there is none.
 */
static struct doca_dev *dev_open(bool is_verbs, char ibdev[64])
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t n, i;

	MUST(doca_devinfo_create_list(&list, &n));
	for (i = 0; i < n && dev == NULL; i++) {
		if (doca_devinfo_get_ibdev_name(list[i], ibdev, 64) != DOCA_SUCCESS)
			ibdev[0] = '\0';
		if (is_of_machine(ibdev) == is_verbs &&
		    doca_rdma_cap_task_write_is_supported(list[i]) == DOCA_SUCCESS)
			MUST(doca_dev_open(list[i], &dev));
	}
	doca_devinfo_destroy_list(list);
	return dev;
}

static void context_open(struct rdma_end *end)
{
	uint32_t n = end->n_slots;
	struct doca_rdma *rdma;

	MUST(doca_pe_create(&end->pe));
	MUST(doca_rdma_create(end->dev, &rdma));
	end->rdma = rdma;
	MUST(doca_rdma_set_permissions(rdma, RIGHTS));
	if (end->is_verbs) {
		/* Uses the GID of the IPv4 address and the MTU of perftest. */
		MUST(doca_rdma_set_gid_index(rdma, 1));
		MUST(doca_rdma_set_mtu(rdma, DOCA_MTU_SIZE_4K_BYTES));
	}
	MUST(doca_rdma_set_send_queue_size(rdma, MAX(n, 16u)));
	MUST(doca_rdma_set_recv_queue_size(rdma, MAX(n, 16u)));
	MUST(doca_rdma_task_send_set_conf(rdma, on_send, on_send, n));
	MUST(doca_rdma_task_receive_set_conf(rdma, on_receive, on_receive, n));
	MUST(doca_rdma_task_write_set_conf(rdma, on_write, on_write, n));
	MUST(doca_rdma_task_read_set_conf(rdma, on_read, on_read, n));
	MUST(doca_rdma_task_atomic_fetch_add_set_conf(rdma, on_atomic_fetch_add,
						      on_atomic_fetch_add, 1));
	device_ctx_start(doca_rdma_as_ctx(rdma), end->pe, end);
}

/*
 * Forces exports and imports between the two processes to use the RDMA device, although processes
 * of one machine have faster transports.
 */
static void transport_force(const struct rdma_end *end)
{
	if (end->is_verbs)
		setenv("DOCOCORED_TRANSPORT", "verbs", 1);
}

/* Exports a connection and memory, and connects with those of the other process. */
static void ends_connect(struct bench *b, struct rdma_end *end)
{
	uint8_t other[PEER_PAYLOAD_MAX];
	const void *data;
	void *addr;
	size_t len;

	MUST(doca_rdma_export(end->rdma, &data, &len, &end->conn));
	len = peer_swap(b, data, len, other, sizeof(other));
	MUST(doca_rdma_connect(end->rdma, other, len, end->conn));
	transport_force(end);
	MUST(doca_mmap_export_rdma(end->map, end->dev, &data, &len));
	len = peer_swap(b, data, len, other, sizeof(other));
	MUST(doca_mmap_create_from_export(NULL, other, len, end->dev, &end->remote));
	MUST(doca_mmap_get_memrange(end->remote, &addr, &len));
	end->remote_addr = (uintptr_t)addr;
}

/* --- tasks --- */

static struct doca_buf *buf_of(const struct rdma_end *end, struct doca_mmap *map, uint64_t addr,
			       bool has_data)
{
	return device_buf_new(end->inventory, map, addr, end->size, has_data);
}

static void receive_post(struct rdma_end *end, uint32_t i)
{
	struct doca_buf *buf = buf_of(end, end->map, (uintptr_t)end->in + i * end->stride, false);
	union doca_data data = {.ptr = buf};
	struct doca_rdma_task_receive *task;

	MUST(doca_rdma_task_receive_allocate_init(end->rdma, buf, data, &task));
	MUST(doca_task_submit(doca_rdma_task_receive_as_task(task)));
}

/* Creates the buffers and tasks for one place of the other end's memory. */
static void place_make(struct rdma_end *end, uint32_t i)
{
	uint64_t at = i * end->stride, half = end->len / 2, own = (uintptr_t)end->memory + at;
	struct doca_buf *src = buf_of(end, end->map, own, true);
	struct doca_buf *dst = buf_of(end, end->remote, end->remote_addr + half + at, false);
	struct doca_rdma_task_write *write;
	struct doca_rdma_task_read *read;
	struct doca_rdma_task_send *send;
	union doca_data data = {.ptr = dst}, none = {.ptr = NULL};

	MUST(doca_rdma_task_write_allocate_init(end->rdma, end->conn, src, dst, data, &write));
	end->writes[i] = doca_rdma_task_write_as_task(write);
	src = buf_of(end, end->remote, end->remote_addr + at, true);
	data.ptr = dst = buf_of(end, end->map, own + half, false);
	MUST(doca_rdma_task_read_allocate_init(end->rdma, end->conn, src, dst, data, &read));
	end->reads[i] = doca_rdma_task_read_as_task(read);
	src = buf_of(end, end->map, own, true);
	MUST(doca_rdma_task_send_allocate_init(end->rdma, end->conn, src, none, &send));
	end->sends[i] = doca_rdma_task_send_as_task(send);
	receive_post(end, i);
}

static void add_make(struct rdma_end *end)
{
	struct doca_buf *dst = buf_of(end, end->remote, end->remote_addr, false);
	struct doca_buf *result = buf_of(end, end->map, (uintptr_t)end->in, false);
	union doca_data data = {.ptr = result};
	struct doca_rdma_task_atomic_fetch_add *add;

	MUST(doca_rdma_task_atomic_fetch_add_allocate_init(end->rdma, end->conn, dst, result, 1,
							   data, &add));
	end->add = doca_rdma_task_atomic_fetch_add_as_task(add);
}

/* The copy has its own progress engine, as a copying program need not have the RDMA context. */
static void copy_make(struct rdma_end *end)
{
	union doca_data none = {.ptr = NULL};
	struct doca_dma_task_memcpy *task;
	struct doca_dma *dma;

	MUST(doca_pe_create(&end->copy_pe));
	MUST(doca_dma_create(end->dev, &dma));
	MUST(doca_dma_task_memcpy_set_conf(dma, on_copy, on_copy, 1));
	device_ctx_start(doca_dma_as_ctx(dma), end->copy_pe, end);
	end->copy_dst = buf_of(end, end->map, (uintptr_t)end->in, false);
	MUST(doca_dma_task_memcpy_alloc_init(dma, buf_of(end, end->remote, end->remote_addr, true),
					     end->copy_dst, none, &task));
	end->copy = doca_dma_task_memcpy_as_task(task);
}

static void tasks_make(struct rdma_end *end, enum rdma_pattern pattern)
{
	end->writes = bench_alloc(end->n_slots, sizeof(struct doca_task *));
	end->reads = bench_alloc(end->n_slots, sizeof(struct doca_task *));
	end->sends = bench_alloc(end->n_slots, sizeof(struct doca_task *));
	for (uint32_t i = 0; i < end->n_slots; i++)
		place_make(end, i);
	if (pattern == RDMA_ADD_ONE)
		add_make(end);
	if (pattern == RDMA_COPY_ONE)
		copy_make(end);
}

/* A completed read shows that the connection is there, because no event reports it. */
static bool connected_poll(struct bench *b)
{
	const struct rdma_end *end = b->state;

	doca_pe_progress(end->pe);
	return end->n_done > 0;
}

/* Returns NULL, or what a side lacks to measure verbs. Writes the name of the RDMA device. */
static const char *why_not(struct bench *b, char ibdev[64])
{
	static char mine[256], other[256];
	const char *why = NULL;
	struct doca_dev *dev = dev_open(true, ibdev);

	if (dev == NULL)
		snprintf(mine, sizeof(mine),
			 "no device of side %s is bound to an RDMA device of the machine",
			 bench_our_side());
	else if ((why = raw_verbs_why_not(ibdev)) != NULL)
		snprintf(mine, sizeof(mine), "%s of side %s: %s", ibdev, bench_our_side(), why);
	if (dev != NULL)
		doca_dev_close(dev);
	peer_swap(b, mine, strlen(mine) + 1, other, sizeof(other));
	return mine[0] != '\0' ? mine : other[0] != '\0' ? other : NULL;
}

static const char *rdma_setup(struct bench *b)
{
	struct rdma_end *end = b->state = bench_alloc(1, sizeof(*end));
	enum rdma_pattern pattern = (enum rdma_pattern)(b->row->kind & PATTERN);
	struct {
		uint64_t memory;
		int pid;
	} mine = {.pid = getpid()}, other;
	const char *why = NULL;
	char ibdev[64];

	end->is_verbs = b->row->kind & ON_DEVICE;
	if (end->is_verbs && (why = why_not(b, ibdev)) != NULL)
		return why;
	end->size = (uint32_t)b->size;
	end->n_slots = b->depth > 1 ? (uint32_t)b->depth
				    : (b->size < STREAM_SIZE ? N_SLOTS : N_SLOTS_LONG);
	end->stride = ALIGN_UP((size_t)end->size, 64);
	end->len = 2 * end->stride * end->n_slots;
	end->dev = dev_open(end->is_verbs, ibdev);
	if (end->dev == NULL)
		bench_die("rdma: no device of side %s can do RDMA between processes",
			  bench_our_side());
	end->memory = device_memory_new(b->row->memory, end->len);
	end->in = end->memory + end->len / 2;
	memset(end->memory, 0, end->len);
	end->map = device_map_new(end->dev, end->memory, end->len, RIGHTS);
	end->inventory = device_inventory_new(6 * end->n_slots + 4);
	context_open(end);
	ends_connect(b, end);
	tasks_make(end, pattern);
	MUST(doca_task_submit(end->reads[0]));
	peer_meet(b, connected_poll, READY_LIMIT_S, "no connection is there");
	reference_setup(b, RAW_RING_ONE_BY_ONE);
	mine.memory = (uintptr_t)end->in;
	peer_swap(b, &mine, sizeof(mine), &other, sizeof(other));
	b->peer_memory = other.memory;
	b->peer_pid = other.pid;
	b->n_places = 1;
	if (end->is_verbs)
		raw_verbs_open(b, ibdev, end->n_slots);
	return NULL;
}

/* --- loops --- */

static inline void one(struct rdma_end *end, struct doca_task *task, struct doca_pe *pe)
{
	uint64_t before = end->n_done;

	bench_check(doca_task_submit(task), "submit an RDMA task");
	while (end->n_done == before)
		doca_pe_progress(pe);
}

static void run_one_by_one(struct rdma_end *end, struct doca_task *task, uint64_t n,
			   struct laps *laps)
{
	for (; n > 0; n--) {
		laps_mark(laps);
		one(end, task, end->pe);
	}
}

static void run_copies(struct rdma_end *end, uint64_t n, struct laps *laps)
{
	for (; n > 0; n--) {
		laps_mark(laps);
		doca_buf_reset_data_len(end->copy_dst);
		one(end, end->copy, end->copy_pe);
	}
}

static void run_depth(struct rdma_end *end, struct doca_task **tasks, uint64_t n)
{
	uint64_t first = end->n_done, n_submitted = 0;

	/* Tasks complete in order. */
	while (end->n_done - first < n) {
		if (n_submitted < n && n_submitted - (end->n_done - first) < end->n_slots)
			bench_check(doca_task_submit(tasks[n_submitted++ % end->n_slots]),
				    "submit an RDMA task");
		else
			doca_pe_progress(end->pe);
	}
}

static void wait_for_byte(const struct rdma_end *end, uint8_t mark)
{
	const volatile uint8_t *last = end->in + end->size - 1;

	while (*last != mark)
		;
}

static void write_ping(struct rdma_end *end, bool is_active, uint64_t n, struct laps *laps)
{
	for (; n > 0; n--) {
		uint8_t mark = (uint8_t)++end->n_pings;

		laps_mark(laps);
		if (!is_active)
			wait_for_byte(end, mark);
		end->memory[end->size - 1] = mark;
		one(end, end->writes[0], end->pe);
		if (is_active)
			wait_for_byte(end, mark);
	}
}

static void send_ping(struct rdma_end *end, bool is_active, uint64_t n, struct laps *laps)
{
	uint64_t sent = end->n_sent, received = end->n_received;
	uint32_t slot = 0;

	for (; n > 0; n--) {
		laps_mark(laps);
		received++;
		while (!is_active && end->n_received < received)
			doca_pe_progress(end->pe);
		/* The reply may come before the completion of the message that it answers. */
		while (sent - end->n_sent >= end->n_slots)
			doca_pe_progress(end->pe);
		bench_check(doca_task_submit(end->sends[slot]), "submit an RDMA task");
		slot = slot + 1 == end->n_slots ? 0 : slot + 1;
		sent++;
		while (is_active && end->n_received < received)
			doca_pe_progress(end->pe);
	}
	while (end->n_sent < sent)
		doca_pe_progress(end->pe);
}

static void rdma_run(struct bench *b, uint64_t n)
{
	struct rdma_end *end = b->state;

	switch ((enum rdma_pattern)(b->row->kind & PATTERN)) {
	case RDMA_WRITE_PING:
		write_ping(end, !b->is_peer, n / 2, b->laps);
		break;
	case RDMA_SEND_PING:
		send_ping(end, !b->is_peer, n / 2, b->laps);
		break;
	case RDMA_WRITE_ONE:
		run_one_by_one(end, end->writes[0], n, b->laps);
		break;
	case RDMA_READ_ONE:
		run_one_by_one(end, end->reads[0], n, b->laps);
		break;
	case RDMA_ADD_ONE:
		run_one_by_one(end, end->add, n, b->laps);
		break;
	case RDMA_COPY_ONE:
		run_copies(end, n, b->laps);
		break;
	case RDMA_WRITE_DEPTH:
		run_depth(end, end->writes, n);
		break;
	case RDMA_READ_DEPTH:
		run_depth(end, end->reads, n);
		break;
	}
	laps_mark(b->laps);
}

static void raw_run(struct bench *b, uint64_t n)
{
	raw_verbs_run(b, (enum rdma_pattern)(b->row->kind & PATTERN), n / b->row->multiple);
}

/* A store that the other process acknowledges: flag and acknowledgement are one word each. */
static void store_run(struct bench *b, uint64_t n)
{
	struct peer_shared *shared = b->peer->shared;

	for (uint64_t i = 1; i <= n; i++) {
		memcpy(shared->there.slots, b->message, b->size);
		atomic_store_explicit(&shared->ball, i, memory_order_release);
		while (atomic_load_explicit(&shared->word, memory_order_acquire) != (uint32_t)i)
			;
	}
}

static void store_acknowledge(struct bench *b, uint64_t n)
{
	struct peer_shared *shared = b->peer->shared;

	for (uint64_t i = 1; i <= n; i++) {
		while (atomic_load_explicit(&shared->ball, memory_order_acquire) != i)
			;
		atomic_store_explicit(&shared->word, (uint32_t)i, memory_order_release);
	}
}

/*
 * On a device the time is spent in the kernel or the card, so the distance between the cores has no
 * effect; in an emulated machine the canary could not classify it anyway. Latencies are medians, as
 * those of perftest are.
 */
#define VERBS(name, pattern, more)                                                      \
	.test = "rdma", .variant = name, .transport = "verbs", .memory = TRANSPORT_PVM, \
	.kind = (pattern) | ON_DEVICE, .reference = "raw verbs", .setup = rdma_setup,   \
	.run = rdma_run, .reference_run = raw_run, .flags = ROW_PEER | ROW_BYTES | (more)
#define LATENCY ROW_LAPS | ROW_MEDIAN
#define PING    .multiple = 2, .ops_of_lap = 2, .serve = rdma_run, .reference_serve = raw_run
#define SOFT(other)                                                               \
	.test = "rdma", .reference = other, .setup = rdma_setup, .run = rdma_run, \
	.flags = ROW_PEER | ROW_BYTES | ROW_NEAR | ROW_LAPS

static const struct bench_row rows[] = {
	{VERBS("write lat.", RDMA_WRITE_PING, LATENCY), PING, .points = {{64, 1, 0}}},
	{VERBS("read lat.", RDMA_READ_ONE, LATENCY), .multiple = 1, .points = {{64, 1, 0}}},
	{VERBS("send lat.", RDMA_SEND_PING, LATENCY), PING, .points = {{64, 1, 0}}},
	{VERBS("add lat.", RDMA_ADD_ONE, LATENCY), .multiple = 1, .points = {{8, 1, 0}}},
	{VERBS("dma lat.", RDMA_COPY_ONE, LATENCY), .multiple = 1, .points = {{64, 1, 0}}},
	{VERBS("write bw.", RDMA_WRITE_DEPTH, ROW_DEPTHS), .multiple = 1,
	 .points = {{STREAM_SIZE, 32, 0}}},
	{VERBS("read bw.", RDMA_READ_DEPTH, ROW_DEPTHS), .multiple = 1,
	 .points = {{STREAM_SIZE, 32, 0}}},
	{SOFT("acked store"), .variant = "write", .transport = "soft shm", .memory = TRANSPORT_SHM,
	 .kind = RDMA_WRITE_ONE, .multiple = 1, .points = {{64, 1, 1.5}},
	 .reference_run = store_run, .reference_serve = store_acknowledge},
	{SOFT("raw ring"), .variant = "send lat.", .transport = "soft shm", .memory = TRANSPORT_SHM,
	 .kind = RDMA_SEND_PING, .multiple = 2, .ops_of_lap = 2, .points = {{64, 1, 1.35}},
	 .serve = rdma_run, .reference_run = ring_ping, .reference_serve = ring_echo},
	{SOFT("memcpy"), .variant = "write", .transport = "soft shm", .memory = TRANSPORT_SHM,
	 .kind = RDMA_WRITE_ONE, .multiple = 1, .points = {{LONG_SIZE, 1, 1.053}},
	 .reference_run = reference_memcpy},
	{SOFT("vm_writev"), .variant = "write", .transport = "soft pvm", .memory = TRANSPORT_PVM,
	 .kind = RDMA_WRITE_ONE, .multiple = 1, .points = {{LONG_SIZE, 1, 1.053}},
	 .reference_run = reference_writev},
};

BENCH_TABLE(bench_rdma, rows);
