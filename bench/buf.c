/*
 * buf: acquiring and releasing a buffer of an inventory, and one of a pool, compared with malloc()
 * and free() of 64 bytes; also the pool compared with the inventory. depth is the number of buffers
 * held at once. With one buffer, two calls into a shared library are most of the time, so one row
 * shows the time of two empty calls. Another row acquires without releasing. Each thread has its
 * own inventory, pool and map.
 */
#include <stdlib.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_buf_pool.h>
#include <doca_dma.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"
#include "bench/base/report.h"
#include "bench/bench.h"

#define BUF_LEN     64u
#define ALLOC_BATCH 256u

struct buf_set {
	struct doca_buf_inventory *inventory;
	struct doca_buf_pool *pool;
	struct doca_mmap *map;
	uint8_t *memory;
	struct doca_buf **bufs;
	void **blocks;
	uint64_t depth, n_failed;
	uint64_t aside; /* in ticks */
};

static void buf_run_one(void *arg, uint64_t n)
{
	struct buf_set *s = arg;
	uint64_t n_failed = 0;
	struct doca_buf *buf;

	for (; n > 0; n--) {
		n_failed += doca_buf_inventory_buf_get_by_addr(s->inventory, s->map, s->memory,
							       BUF_LEN, &buf) != DOCA_SUCCESS;
		doca_buf_dec_refcount(buf, NULL);
	}
	s->n_failed += n_failed;
}

static void pool_run_one(void *arg, uint64_t n)
{
	struct buf_set *s = arg;
	uint64_t n_failed = 0;
	struct doca_buf *buf;

	for (; n > 0; n--) {
		n_failed += doca_buf_pool_buf_alloc(s->pool, &buf) != DOCA_SUCCESS;
		doca_buf_dec_refcount(buf, NULL);
	}
	s->n_failed += n_failed;
}

/* Measures the calls that pool_run_one() makes, without their work. */
static void two_calls_run(void *arg, uint64_t n)
{
	struct buf_set *s = arg;
	uint64_t n_failed = 0;
	struct doca_buf *buf;
	size_t len;

	n_failed += doca_buf_pool_buf_alloc(s->pool, &buf) != DOCA_SUCCESS;
	for (; n > 0; n--) {
		n_failed += doca_buf_get_len(buf, &len) != DOCA_SUCCESS;
		doca_buf_get_data_len(buf, &len);
	}
	doca_buf_dec_refcount(buf, NULL);
	s->n_failed += n_failed;
}

/* Returns how many acquisitions failed. */
static inline uint64_t buf_acquire_all(struct buf_set *s)
{
	uint64_t i, depth = s->depth, n_failed = 0;

	for (i = 0; i < depth; i++)
		n_failed += doca_buf_inventory_buf_get_by_addr(s->inventory, s->map, s->memory,
							       BUF_LEN,
							       &s->bufs[i]) != DOCA_SUCCESS;
	return n_failed;
}

static inline uint64_t pool_acquire_all(struct buf_set *s)
{
	uint64_t i, depth = s->depth, n_failed = 0;

	for (i = 0; i < depth; i++)
		n_failed += doca_buf_pool_buf_alloc(s->pool, &s->bufs[i]) != DOCA_SUCCESS;
	return n_failed;
}

static inline void release_all(struct buf_set *s)
{
	uint64_t i, depth = s->depth;

	for (i = 0; i < depth; i++)
		doca_buf_dec_refcount(s->bufs[i], NULL);
}

static void release_untimed(struct buf_set *s)
{
	uint64_t start_ticks = measure_ticks();

	release_all(s);
	s->aside += measure_ticks() - start_ticks;
}

static void buf_alloc_run(void *arg, uint64_t n)
{
	struct buf_set *s = arg;
	uint64_t depth = s->depth, n_failed = 0;

	for (; n > 0; n -= depth) {
		n_failed += buf_acquire_all(s);
		release_untimed(s);
	}
	s->n_failed += n_failed;
}

static void pool_alloc_run(void *arg, uint64_t n)
{
	struct buf_set *s = arg;
	uint64_t depth = s->depth, n_failed = 0;

	for (; n > 0; n -= depth) {
		n_failed += pool_acquire_all(s);
		release_untimed(s);
	}
	s->n_failed += n_failed;
}

static void malloc_run_one(void *arg, uint64_t n)
{
	(void)arg;
	for (; n > 0; n--) {
		void *p = malloc(BUF_LEN);

		MEASURE_ESCAPE(p);
		free(p);
	}
}

static void buf_run(void *arg, uint64_t n)
{
	struct buf_set *s = arg;
	uint64_t depth = s->depth, n_failed = 0;

	for (; n > 0; n -= depth) {
		n_failed += buf_acquire_all(s);
		release_all(s);
	}
	s->n_failed += n_failed;
}

static void pool_run(void *arg, uint64_t n)
{
	struct buf_set *s = arg;
	uint64_t depth = s->depth, n_failed = 0;

	for (; n > 0; n -= depth) {
		n_failed += pool_acquire_all(s);
		release_all(s);
	}
	s->n_failed += n_failed;
}

static void malloc_run(void *arg, uint64_t n)
{
	struct buf_set *s = arg;
	uint64_t i, depth = s->depth;

	for (; n > 0; n -= depth) {
		for (i = 0; i < depth; i++) {
			void *p = malloc(BUF_LEN);

			MEASURE_ESCAPE(p);
			s->blocks[i] = p;
		}
		for (i = 0; i < depth; i++)
			free(s->blocks[i]);
	}
}

static struct buf_set *buf_set_new(struct doca_dev *dev, uint64_t depth)
{
	struct buf_set *s = bench_alloc(1, sizeof(*s));

	s->depth = depth;
	s->bufs = bench_alloc(depth, sizeof(*s->bufs));
	s->blocks = bench_alloc(depth, sizeof(*s->blocks));
	s->memory = device_memory_new(TRANSPORT_LOCAL, depth * BUF_LEN);
	s->map = device_map_new(dev, s->memory, depth * BUF_LEN);
	bench_check(doca_buf_inventory_create(depth, &s->inventory), "create an inventory");
	bench_check(doca_buf_inventory_start(s->inventory), "start the inventory");
	bench_check(doca_buf_pool_create(depth, BUF_LEN, s->map, &s->pool), "create a pool");
	bench_check(doca_buf_pool_start(s->pool), "start the pool");
	return s;
}

static void buf_set_delete(struct buf_set *s)
{
	doca_buf_inventory_destroy(s->inventory);
	doca_buf_pool_destroy(s->pool);
	doca_mmap_destroy(s->map);
	device_memory_free(TRANSPORT_LOCAL, s->memory, s->depth * BUF_LEN);
	free(s->bufs);
	free(s->blocks);
	free(s);
}

struct contest {
	const char *ours, *reference;
	void (*run_one)(void *arg, uint64_t n);
	void (*run)(void *arg, uint64_t n);
	void (*reference_run_one)(void *arg, uint64_t n);
	void (*reference_run)(void *arg, uint64_t n);
};

static const struct contest contests[] = {
	{"get+release", "malloc+free", buf_run_one, buf_run, malloc_run_one, malloc_run},
	{"pool", "malloc+free", pool_run_one, pool_run, malloc_run_one, malloc_run},
	{"pool", "inventory", pool_run_one, pool_run, buf_run_one, buf_run},
};
static const struct contest calls_contest = {
	.ours = "pool",
	.reference = "two calls",
	.run_one = pool_run_one,
	.reference_run_one = two_calls_run,
};
static const struct contest alloc_contest = {
	.ours = "pool alloc",
	.reference = "inventory get",
	.run = pool_alloc_run,
	.reference_run = buf_alloc_run,
};

static void buf_measure(struct bench *bench, struct doca_dev *dev, const struct contest *contest,
			uint64_t depth, unsigned n_threads)
{
	struct measure_plan plan = report_plan(bench, depth, n_threads);
	struct work ours = {.run = depth == 1 ? contest->run_one : contest->run};
	struct work reference = {.run = depth == 1 ? contest->reference_run_one
						   : contest->reference_run};
	struct report_row row = {.test = "buf",
				 .variant = contest->ours,
				 .transport = "local",
				 .size = BUF_LEN,
				 .depth = depth,
				 .n_threads = n_threads,
				 .reference = contest->reference};
	unsigned i;

	for (i = 0; i < n_threads; i++)
		ours.args[i] = reference.args[i] = buf_set_new(dev, depth);
	if (contest == &alloc_contest)
		ours.aside = reference.aside = &((struct buf_set *)ours.args[0])->aside;
	report_measure(bench->report, &row, &plan, &ours, &reference);
	for (i = 0; i < n_threads; i++) {
		struct buf_set *s = ours.args[i];

		if (s->n_failed > 0)
			bench_die("buf: the inventory or pool ran empty");
		buf_set_delete(s);
	}
}

void bench_buf(struct bench *bench)
{
	static const struct bench_list ones = {{1}, 1}, some = {{1, 32}, 2};
	const struct bench_list *depths = &bench->options->depths, *threads;
	struct doca_dev *dev = device_open(doca_dma_cap_task_memcpy_is_supported, "open a device");
	size_t c, d, t;

	if (depths->n == 0)
		depths = &some;
	threads = bench->options->threads.n == 0 ? &ones : &bench->options->threads;
	for (c = 0; c < ARRAY_LEN(contests); c++) {
		for (d = 0; d < depths->n; d++) {
			for (t = 0; t < threads->n; t++)
				buf_measure(bench, dev, &contests[c], depths->values[d],
					    (unsigned)threads->values[t]);
		}
	}
	buf_measure(bench, dev, &calls_contest, 1, 1);
	buf_measure(bench, dev, &alloc_contest, ALLOC_BATCH, 1);
	doca_dev_close(dev);
}
