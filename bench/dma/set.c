/* See bench/dma/set.h. */
#include "bench/dma/set.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "bench/base/measure.h"

#define HOT_BYTES  (256u << 10) /* total of sources and destinations, unless one pair is larger */
#define COLD_BYTES (72u << 20)  /* on each side */
/* Small pairs have a gap between them, so that neighbours cannot be merged to a longer range. */
#define GAP_BELOW 4096u
#define GAP       64u

static void on_done(struct doca_dma_task_memcpy *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct dma_set *set = ctx_data.ptr;

	(void)task, (void)task_data;
	set->n_done++;
}

static void on_failed(struct doca_dma_task_memcpy *task, union doca_data task_data,
		      union doca_data ctx_data)
{
	(void)task_data, (void)ctx_data;
	bench_check(doca_task_get_status(doca_dma_task_memcpy_as_task(task)), "copy");
}

static void run_hot(struct dma_set *set, uint64_t n, struct laps *laps)
{
	size_t depth = set->depth, i;
	uint64_t target = set->n_done;

	for (; n > 0; n -= depth) {
		target += depth;
		laps_mark(laps);
		for (i = 0; i < depth; i++) {
			doca_buf_reset_data_len(set->dst_bufs[i]);
			set->n_failed += doca_task_submit(doca_dma_task_memcpy_as_task(
						 set->tasks[i])) != DOCA_SUCCESS;
		}
		while (set->n_done < target)
			doca_pe_progress(set->pe);
	}
}

static void run_cold(struct dma_set *set, uint64_t n, struct laps *laps)
{
	size_t depth = set->depth, next = set->next, i;
	uint64_t target = set->n_done;

	for (; n > 0; n -= depth) {
		target += depth;
		laps_mark(laps);
		for (i = 0; i < depth; i++) {
			struct doca_dma_task_memcpy *task = set->tasks[i];

			doca_dma_task_memcpy_set_src(task, set->src_bufs[next]);
			doca_dma_task_memcpy_set_dst(task, set->dst_bufs[next]);
			doca_buf_reset_data_len(set->dst_bufs[next]);
			next = next + 1 == set->n_bufs ? 0 : next + 1;
			set->n_failed += doca_task_submit(doca_dma_task_memcpy_as_task(task)) !=
					 DOCA_SUCCESS;
		}
		while (set->n_done < target)
			doca_pe_progress(set->pe);
	}
	set->next = next;
}

void dma_set_run(struct dma_set *set, uint64_t n, struct laps *laps)
{
	if (set->is_cold)
		run_cold(set, n, laps);
	else
		run_hot(set, n, laps);
	laps_mark(laps);
	if (set->n_failed > 0)
		bench_die("dma: %llu tasks failed", (unsigned long long)set->n_failed);
}

static void floor_submit(struct floor *floor, struct floor_task *task)
{
	floor->queue[floor->tail++ & floor->mask] = task;
}

static void floor_on_done(struct floor_task *task, uint64_t *n_done)
{
	(void)task;
	(*n_done)++;
}

void dma_set_run_floor(struct dma_set *set, uint64_t n)
{
	struct floor *f = &set->floor;
	size_t depth = set->depth, next = set->next, i;

	for (; n > 0; n -= depth) {
		for (i = 0; i < depth; i++) {
			f->submit(f, &f->tasks[next]);
			next = next + 1 == set->n_bufs ? 0 : next + 1;
		}
		while (f->head != f->tail) {
			struct floor_task *task = f->queue[f->head++ & f->mask];

			memcpy(task->dst, task->src, task->len);
			task->on_done(task, &f->n_done);
		}
	}
	set->next = next;
}

void dma_set_run_memcpy(struct dma_set *set, uint64_t n)
{
	size_t next = set->next;

	for (; n > 0; n--) {
		uint8_t *dst = set->dst + next * set->stride;

		MEASURE_ESCAPE(dst);
		memcpy(dst, set->src + next * set->stride, set->size);
		next = next + 1 == set->n_pairs ? 0 : next + 1;
	}
	set->next = next;
}

void dma_set_run_readv(struct dma_set *set, uint64_t n)
{
	size_t next = set->next;

	for (; n > 0; n--) {
		struct iovec local = {set->dst + next * set->stride, set->size};
		struct iovec remote = {(void *)(uintptr_t)(set->src_addr + next * set->stride),
				       set->size};

		if (process_vm_readv(set->pid, &local, 1, &remote, 1, 0) != (ssize_t)set->size)
			bench_die("process_vm_readv: %m");
		next = next + 1 == set->n_pairs ? 0 : next + 1;
	}
	set->next = next;
}

struct doca_dev *dma_dev_open(void)
{
	return device_open(doca_dma_cap_task_memcpy_is_supported, "open a device with DMA");
}

/* Chooses the places of the pairs in memory. */
static struct dma_set *set_new(const struct bench *b)
{
	struct dma_set *set = bench_alloc(1, sizeof(*set));

	set->size = b->size;
	set->depth = b->depth;
	set->is_cold = b->row->flags & ROW_COLD;
	set->stride = ALIGN_UP(set->size, 64) + (set->size < GAP_BELOW ? GAP : 0);
	set->n_pairs = set->is_cold ? COLD_BYTES / set->stride + 1
				    : MIN(set->depth, HOT_BYTES / (2 * set->stride));
	set->n_pairs = MAX(set->n_pairs, 1);
	set->len = ALIGN_UP(set->n_pairs * set->stride, 4096);
	set->n_bufs = set->is_cold ? MAX(set->n_pairs, set->depth) : set->depth;
	return set;
}

size_t dma_set_len(const struct bench *b)
{
	struct dma_set *set = set_new(b);
	size_t len = set->len;

	free(set);
	return len;
}

static void floor_prepare(struct dma_set *set)
{
	struct floor *f = &set->floor;
	size_t n = 1, i;

	while (n < set->depth)
		n *= 2;
	f->mask = (uint32_t)(n - 1);
	f->queue = bench_alloc(n, sizeof(struct floor_task *));
	f->tasks = bench_alloc(set->n_bufs, sizeof(*f->tasks));
	f->submit = floor_submit;
	for (i = 0; i < set->n_bufs; i++) {
		size_t at = i % set->n_pairs * set->stride;

		f->tasks[i] = (struct floor_task){set->dst + at, set->src + at, set->size,
						  floor_on_done};
	}
}

static void objects_make(struct dma_set *set, struct doca_dev *dev)
{
	union doca_data none = {.u64 = 0};
	size_t i;

	set->dst_map = device_map_new(dev, set->dst, set->len, DEVICE_RIGHTS);
	set->inventory = device_inventory_new(2 * set->n_bufs);
	set->src_bufs = bench_alloc(set->n_bufs, sizeof(struct doca_buf *));
	set->dst_bufs = bench_alloc(set->n_bufs, sizeof(struct doca_buf *));
	for (i = 0; i < set->n_bufs; i++) {
		size_t at = i % set->n_pairs * set->stride;

		set->src_bufs[i] = device_buf_new(set->inventory, set->src_map, set->src_addr + at,
						  set->size, true);
		set->dst_bufs[i] = device_buf_new(set->inventory, set->dst_map,
						  (uintptr_t)set->dst + at, set->size, false);
	}
	MUST(doca_pe_create(&set->pe));
	MUST(doca_dma_create(dev, &set->dma));
	MUST(doca_dma_task_memcpy_set_conf(set->dma, on_done, on_failed, (uint32_t)set->depth));
	device_ctx_start(doca_dma_as_ctx(set->dma), set->pe, set);
	set->tasks = bench_alloc(set->depth, sizeof(struct doca_dma_task_memcpy *));
	for (i = 0; i < set->depth; i++)
		MUST(doca_dma_task_memcpy_alloc_init(set->dma, set->src_bufs[i], set->dst_bufs[i],
						     none, &set->tasks[i]));
}

struct dma_set *dma_set_local_new(const struct bench *b, struct doca_dev *dev,
				  enum bench_transport memory, uint8_t *dst)
{
	struct dma_set *set = set_new(b);

	set->src = device_memory_new(memory, set->len);
	set->src_addr = (uintptr_t)set->src;
	set->dst = dst == NULL ? device_memory_new(TRANSPORT_LOCAL, set->len) : dst;
	set->src_map = device_map_new(dev, set->src, set->len, DEVICE_RIGHTS);
	objects_make(set, dev);
	floor_prepare(set);
	return set;
}

struct dma_set *dma_set_remote_new(const struct bench *b, struct doca_dev *dev,
				   struct doca_mmap *src_map, uint64_t src_addr)
{
	struct dma_set *set = set_new(b);

	set->src_addr = src_addr;
	set->dst = device_memory_new(TRANSPORT_LOCAL, set->len);
	set->src_map = src_map;
	objects_make(set, dev);
	return set;
}

void dma_set_verify(struct dma_set *set)
{
	size_t n = set->n_bufs, pair, i;

	memset(set->dst, 0, set->len);
	dma_set_run(set, (n + set->depth - 1) / set->depth * set->depth, NULL);
	for (pair = 0; pair < set->n_pairs; pair++) {
		for (i = 0; i < set->size; i++) {
			size_t at = pair * set->stride + i;

			if (set->dst[at] != device_pattern(at))
				bench_die("dma: a copy differs from its source at byte %zu of pair "
					  "%zu",
					  i, pair);
		}
	}
}
