/*
 * Objects of one thread of the dma test: an engine with its tasks, and pairs of source and
 * destination. Hot: few pairs, used repeatedly. Cold: more than any cache holds, used in order. The
 * raw references use the same addresses in the same order.
 *
 * Threads: each set belongs to one.
 */
#ifndef BENCH_DMA_SET_H
#define BENCH_DMA_SET_H

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dma.h>
#include <doca_pe.h>

#include "bench/bench.h"

/* Placement of the pairs in memory. */
struct dma_layout {
	size_t size, stride, n_pairs, len; /* len: bytes of all pairs of one thread, on each side */
	size_t depth;
	bool is_cold;
};

struct floor_task {
	void *dst;
	const void *src;
	size_t len;
	void (*on_done)(struct floor_task *task, uint64_t *n_done);
};

struct floor {
	struct floor_task *tasks;
	struct floor_task **queue;
	uint32_t head, tail, mask;
	uint64_t n_done;
	void (*submit)(struct floor *floor, struct floor_task *task);
};

struct dma_set {
	const struct dma_layout *layout;
	/* Src: this process's address; NULL if the source is in another process. */
	uint8_t *src, *dst;
	uint64_t src_addr; /* the source's address in the map */
	struct doca_mmap *src_map, *dst_map;
	bool owns_src_map;
	struct doca_buf_inventory *inventory;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_dma_task_memcpy **tasks;
	struct doca_buf **src_bufs, **dst_bufs;
	size_t n_bufs, next;
	uint64_t n_done, n_failed;
	struct floor floor;
	int pid; /* process that owns the source, for process_vm_readv() */
};

struct dma_layout dma_layout_of(size_t size, size_t depth, bool is_cold);

/* src_map NULL: a map of src is created. dev and the memory stay the caller's. */
struct dma_set *dma_set_new(struct doca_dev *dev, const struct dma_layout *layout, void *src,
			    struct doca_mmap *src_map, uint64_t src_addr, void *dst);
void dma_set_delete(struct dma_set *set);
/* Copies every pair once and compares. pattern_offset: pattern offset of the first source byte. */
void dma_set_verify(struct dma_set *set, size_t pattern_offset);

/* Work functions, see measure.h; arg is a dma_set. */
void dma_run(void *arg, uint64_t n);
void dma_run_floor(void *arg, uint64_t n);
void dma_run_memcpy(void *arg, uint64_t n);
void dma_run_readv(void *arg, uint64_t n);

#endif
