/*
 * buf: acquiring and releasing a buffer of an inventory, and one of a pool, compared with malloc()
 * and free() of 64 bytes; also the pool compared with the inventory. depth is the number of buffers
 * held at once. With one buffer, two calls into a shared library are most of the time, so one row
 * shows the time of two empty calls. Another row acquires without releasing. Each thread has its
 * own inventory, pool and map.
 */
#include <stdlib.h>

#include <doca_buf_pool.h>
#include <doca_dma.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"

#define BUF_LEN     64u
#define ALLOC_BATCH 256u

struct buf_set {
	struct doca_buf_inventory *inventory;
	struct doca_buf_pool *pool;
	struct doca_mmap *map;
	uint8_t *memory;
	struct doca_buf **bufs;
	void **blocks;
};

static void failures_check(uint64_t n_failed)
{
	if (n_failed > 0)
		bench_die("buf: the inventory or pool ran empty");
}

/* Return how many acquisitions failed. */
static inline uint64_t buf_acquire(struct buf_set *s, size_t i)
{
	return doca_buf_inventory_buf_get_by_addr(s->inventory, s->map, s->memory, BUF_LEN,
						  &s->bufs[i]) != DOCA_SUCCESS;
}

static inline uint64_t pool_acquire(struct buf_set *s, size_t i)
{
	return doca_buf_pool_buf_alloc(s->pool, &s->bufs[i]) != DOCA_SUCCESS;
}

static inline void release_all(struct buf_set *s, size_t depth)
{
	for (size_t i = 0; i < depth; i++)
		doca_buf_dec_refcount(s->bufs[i], NULL);
}

static inline void release_aside(struct bench *b)
{
	uint64_t start_ticks = measure_ticks();

	release_all(b->state, ALLOC_BATCH);
	b->aside_ticks += measure_ticks() - start_ticks;
}

static void buf_run(struct bench *b, uint64_t n)
{
	struct buf_set *s = b->state;
	uint64_t depth = b->depth, n_failed = 0, i;
	struct doca_buf *buf;

	for (; depth == 1 && n > 0; n--) {
		n_failed += doca_buf_inventory_buf_get_by_addr(s->inventory, s->map, s->memory,
							       BUF_LEN, &buf) != DOCA_SUCCESS;
		doca_buf_dec_refcount(buf, NULL);
	}
	for (; n > 0; n -= depth) {
		for (i = 0; i < depth; i++)
			n_failed += buf_acquire(s, i);
		release_all(s, depth);
	}
	failures_check(n_failed);
}

static void pool_run(struct bench *b, uint64_t n)
{
	struct buf_set *s = b->state;
	uint64_t depth = b->depth, n_failed = 0, i;
	struct doca_buf *buf;

	for (; depth == 1 && n > 0; n--) {
		n_failed += doca_buf_pool_buf_alloc(s->pool, &buf) != DOCA_SUCCESS;
		doca_buf_dec_refcount(buf, NULL);
	}
	for (; n > 0; n -= depth) {
		for (i = 0; i < depth; i++)
			n_failed += pool_acquire(s, i);
		release_all(s, depth);
	}
	failures_check(n_failed);
}

/* Measures the calls that pool_run() makes with one buffer, without their work. */
static void two_calls_run(struct bench *b, uint64_t n)
{
	struct buf_set *s = b->state;
	uint64_t n_failed = pool_acquire(s, 0);
	struct doca_buf *buf = s->bufs[0];
	size_t len;

	for (; n > 0; n--) {
		n_failed += doca_buf_get_len(buf, &len) != DOCA_SUCCESS;
		doca_buf_get_data_len(buf, &len);
	}
	doca_buf_dec_refcount(buf, NULL);
	failures_check(n_failed);
}

static void buf_alloc_run(struct bench *b, uint64_t n)
{
	struct buf_set *s = b->state;
	uint64_t n_failed = 0, i;

	for (; n > 0; n -= ALLOC_BATCH) {
		for (i = 0; i < ALLOC_BATCH; i++)
			n_failed += buf_acquire(s, i);
		release_aside(b);
	}
	failures_check(n_failed);
}

static void pool_alloc_run(struct bench *b, uint64_t n)
{
	struct buf_set *s = b->state;
	uint64_t n_failed = 0, i;

	for (; n > 0; n -= ALLOC_BATCH) {
		for (i = 0; i < ALLOC_BATCH; i++)
			n_failed += pool_acquire(s, i);
		release_aside(b);
	}
	failures_check(n_failed);
}

static void malloc_run(struct bench *b, uint64_t n)
{
	struct buf_set *s = b->state;
	uint64_t i, depth = b->depth;
	void *p;

	for (; depth == 1 && n > 0; n--) {
		p = malloc(BUF_LEN);
		MEASURE_ESCAPE(p);
		free(p);
	}
	for (; n > 0; n -= depth) {
		for (i = 0; i < depth; i++) {
			p = malloc(BUF_LEN);
			MEASURE_ESCAPE(p);
			s->blocks[i] = p;
		}
		for (i = 0; i < depth; i++)
			free(s->blocks[i]);
	}
}

static const char *buf_setup(struct bench *b)
{
	struct doca_dev *dev = device_open(doca_dma_cap_task_memcpy_is_supported, "open a device");
	struct buf_set *s = b->state = bench_alloc(1, sizeof(*s));

	s->bufs = bench_alloc(b->depth, sizeof(struct doca_buf *));
	s->blocks = bench_alloc(b->depth, sizeof(*s->blocks));
	s->memory = device_memory_new(TRANSPORT_LOCAL, b->depth * BUF_LEN);
	s->map = device_map_new(dev, s->memory, b->depth * BUF_LEN, DEVICE_RIGHTS);
	s->inventory = device_inventory_new(b->depth);
	MUST(doca_buf_pool_create(b->depth, BUF_LEN, s->map, &s->pool));
	MUST(doca_buf_pool_start(s->pool));
	return NULL;
}

#define BUF(ours, other) \
	.test = "buf", .transport = "local", .variant = ours, .reference = other, .setup = buf_setup

static const struct bench_row rows[] = {
	{BUF("get+release", "malloc+free"), .flags = ROW_DEPTHS | ROW_THREADS,
	 .points = {{BUF_LEN, 1, 0.6}, {BUF_LEN, 32, 0.6}}, .run = buf_run,
	 .reference_run = malloc_run},
	{BUF("pool", "malloc+free"), .flags = ROW_DEPTHS | ROW_THREADS,
	 .points = {{BUF_LEN, 1, 0}, {BUF_LEN, 32, 0}}, .run = pool_run,
	 .reference_run = malloc_run},
	{BUF("pool", "inventory"), .flags = ROW_DEPTHS | ROW_THREADS,
	 .points = {{BUF_LEN, 1, 0.9}, {BUF_LEN, 32, 0.9}}, .run = pool_run,
	 .reference_run = buf_run},
	{BUF("pool", "two calls"), .points = {{BUF_LEN, 1, 0}}, .run = pool_run,
	 .reference_run = two_calls_run},
	{BUF("pool alloc", "inventory get"), .points = {{BUF_LEN, ALLOC_BATCH, 0.9}},
	 .run = pool_alloc_run, .reference_run = buf_alloc_run},
};

BENCH_TABLE(bench_buf, rows);
