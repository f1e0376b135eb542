/* See bench/dma/set.h. */
#include "bench/dma/set.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include <doca_ctx.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"

#define HOT_BYTES  (256u << 10) /* total of sources and destinations, unless one pair is larger */
#define COLD_BYTES (72u << 20)  /* on each side */
/* Small pairs have a gap between them, so that neighbours cannot be merged to a longer range. */
#define GAP_BELOW 4096u
#define GAP       64u

struct dma_layout dma_layout_of(size_t size, size_t depth, bool is_cold)
{
	struct dma_layout l = {.size = size, .depth = depth, .is_cold = is_cold};

	l.stride = ALIGN_UP(size, 64) + (size < GAP_BELOW ? GAP : 0);
	l.n_pairs = is_cold ? COLD_BYTES / l.stride + 1 : MIN(depth, HOT_BYTES / (2 * l.stride));
	l.n_pairs = MAX(l.n_pairs, 1);
	l.len = ALIGN_UP(l.n_pairs * l.stride, 4096);
	return l;
}

static void on_done(struct doca_dma_task_memcpy *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct dma_set *set = ctx_data.ptr;

	(void)task;
	(void)task_data;
	set->n_done++;
}

static void on_failed(struct doca_dma_task_memcpy *task, union doca_data task_data,
		      union doca_data ctx_data)
{
	struct dma_set *set = ctx_data.ptr;

	(void)task_data;
	set->n_done++;
	set->n_failed++;
	bench_check(doca_task_get_status(doca_dma_task_memcpy_as_task(task)), "copy");
}

static void run_hot(struct dma_set *set, uint64_t n)
{
	size_t depth = set->layout->depth, i;
	uint64_t target = set->n_done;

	for (; n > 0; n -= depth) {
		target += depth;
		for (i = 0; i < depth; i++) {
			doca_buf_reset_data_len(set->dst_bufs[i]);
			set->n_failed += doca_task_submit(doca_dma_task_memcpy_as_task(
						 set->tasks[i])) != DOCA_SUCCESS;
		}
		while (set->n_done < target)
			doca_pe_progress(set->pe);
	}
}

static void run_cold(struct dma_set *set, uint64_t n)
{
	size_t depth = set->layout->depth, next = set->next, i;
	uint64_t target = set->n_done;

	for (; n > 0; n -= depth) {
		target += depth;
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

void dma_run(void *arg, uint64_t n)
{
	struct dma_set *set = arg;

	if (set->layout->is_cold)
		run_cold(set, n);
	else
		run_hot(set, n);
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

void dma_run_floor(void *arg, uint64_t n)
{
	struct dma_set *set = arg;
	struct floor *f = &set->floor;
	size_t depth = set->layout->depth, next = set->next, i;

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

void dma_run_memcpy(void *arg, uint64_t n)
{
	struct dma_set *set = arg;
	const struct dma_layout *l = set->layout;
	size_t next = set->next;

	for (; n > 0; n--) {
		uint8_t *dst = set->dst + next * l->stride;

		MEASURE_ESCAPE(dst);
		memcpy(dst, set->src + next * l->stride, l->size);
		next = next + 1 == l->n_pairs ? 0 : next + 1;
	}
	set->next = next;
}

void dma_run_readv(void *arg, uint64_t n)
{
	struct dma_set *set = arg;
	const struct dma_layout *l = set->layout;
	size_t next = set->next;

	for (; n > 0; n--) {
		struct iovec local = {set->dst + next * l->stride, l->size};
		struct iovec remote = {(void *)(uintptr_t)(set->src_addr + next * l->stride),
				       l->size};

		if (process_vm_readv(set->pid, &local, 1, &remote, 1, 0) != (ssize_t)l->size)
			bench_die("process_vm_readv: %m");
		next = next + 1 == l->n_pairs ? 0 : next + 1;
	}
	set->next = next;
}

static void floor_prepare(struct dma_set *set)
{
	const struct dma_layout *l = set->layout;
	struct floor *f = &set->floor;
	size_t n = 1, i;

	while (n < l->depth)
		n *= 2;
	f->mask = (uint32_t)(n - 1);
	f->queue = bench_alloc(n, sizeof(struct floor_task *));
	f->tasks = bench_alloc(set->n_bufs, sizeof(*f->tasks));
	f->submit = floor_submit;
	for (i = 0; i < set->n_bufs; i++) {
		size_t at = i % l->n_pairs * l->stride;

		f->tasks[i] = (struct floor_task){set->dst + at, set->src + at, l->size,
						  floor_on_done};
	}
}

static void bufs_prepare(struct dma_set *set)
{
	const struct dma_layout *l = set->layout;
	size_t i;

	bench_check(doca_buf_inventory_create(2 * set->n_bufs, &set->inventory),
		    "create an inventory");
	bench_check(doca_buf_inventory_start(set->inventory), "start the inventory");
	set->src_bufs = bench_alloc(set->n_bufs, sizeof(struct doca_buf *));
	set->dst_bufs = bench_alloc(set->n_bufs, sizeof(struct doca_buf *));
	for (i = 0; i < set->n_bufs; i++) {
		size_t at = i % l->n_pairs * l->stride;
		void *src = (void *)(uintptr_t)(set->src_addr + at);

		bench_check(doca_buf_inventory_buf_get_by_data(set->inventory, set->src_map, src,
							       l->size, &set->src_bufs[i]),
			    "get a source buffer");
		bench_check(doca_buf_inventory_buf_get_by_addr(set->inventory, set->dst_map,
							       set->dst + at, l->size,
							       &set->dst_bufs[i]),
			    "get a destination buffer");
	}
}

static void engine_prepare(struct dma_set *set, struct doca_dev *dev)
{
	union doca_data data = {.ptr = set};
	struct doca_ctx *ctx;
	size_t i;

	bench_check(doca_pe_create(&set->pe), "create a progress engine");
	bench_check(doca_dma_create(dev, &set->dma), "create a DMA engine");
	ctx = doca_dma_as_ctx(set->dma);
	bench_check(doca_pe_connect_ctx(set->pe, ctx), "connect the DMA engine");
	bench_check(doca_dma_task_memcpy_set_conf(set->dma, on_done, on_failed,
						  (uint32_t)set->layout->depth),
		    "configure the tasks");
	bench_check(doca_ctx_set_user_data(ctx, data), "set the user data");
	bench_check(doca_ctx_start(ctx), "start the DMA engine");
	set->tasks = bench_alloc(set->layout->depth, sizeof(struct doca_dma_task_memcpy *));
	for (i = 0; i < set->layout->depth; i++)
		bench_check(doca_dma_task_memcpy_alloc_init(set->dma, set->src_bufs[i],
							    set->dst_bufs[i], data, &set->tasks[i]),
			    "allocate a task");
}

struct dma_set *dma_set_new(struct doca_dev *dev, const struct dma_layout *layout, void *src,
			    struct doca_mmap *src_map, uint64_t src_addr, void *dst)
{
	struct dma_set *set = bench_alloc(1, sizeof(*set));

	set->layout = layout;
	set->src = src;
	set->src_addr = src_addr;
	set->dst = dst;
	set->owns_src_map = src_map == NULL;
	set->src_map = src_map == NULL ? device_map_new(dev, src, layout->len) : src_map;
	set->dst_map = device_map_new(dev, dst, layout->len);
	set->n_bufs = layout->is_cold ? MAX(layout->n_pairs, layout->depth) : layout->depth;
	bufs_prepare(set);
	engine_prepare(set, dev);
	if (src != NULL)
		floor_prepare(set);
	return set;
}

void dma_set_delete(struct dma_set *set)
{
	size_t i;

	for (i = 0; i < set->layout->depth; i++)
		doca_task_free(doca_dma_task_memcpy_as_task(set->tasks[i]));
	doca_ctx_stop(doca_dma_as_ctx(set->dma));
	bench_check(doca_dma_destroy(set->dma), "destroy the DMA engine");
	bench_check(doca_pe_destroy(set->pe), "destroy the progress engine");
	for (i = 0; i < set->n_bufs; i++) {
		doca_buf_dec_refcount(set->src_bufs[i], NULL);
		doca_buf_dec_refcount(set->dst_bufs[i], NULL);
	}
	bench_check(doca_buf_inventory_destroy(set->inventory), "destroy the inventory");
	doca_mmap_destroy(set->dst_map);
	if (set->owns_src_map)
		doca_mmap_destroy(set->src_map);
	free(set->tasks);
	free(set->src_bufs);
	free(set->dst_bufs);
	free(set->floor.queue);
	free(set->floor.tasks);
	free(set);
}

void dma_set_verify(struct dma_set *set, size_t pattern_offset)
{
	const struct dma_layout *l = set->layout;
	size_t n = set->n_bufs, pair, i;

	memset(set->dst, 0, l->len);
	dma_run(set, (n + l->depth - 1) / l->depth * l->depth);
	for (pair = 0; pair < l->n_pairs; pair++) {
		for (i = 0; i < l->size; i++) {
			size_t at = pair * l->stride + i;

			if (set->dst[at] != device_pattern(pattern_offset + at))
				bench_die("dma: a copy differs from its source at byte %zu of pair "
					  "%zu",
					  i, pair);
		}
	}
}
