/*
 * Objects of one thread of the dma test: an engine with its tasks, and pairs of source and
 * destination. Hot: few pairs, used repeatedly. Cold: more than any cache holds, used in order. The
 * raw references use the same addresses in the same order.
 *
 * Threads: each set belongs to one.
 */
#ifndef BENCH_DMA_SET_H
#define BENCH_DMA_SET_H

#include <doca_dma.h>

#include "bench/base/device.h"

struct floor_task {
	void *dst;
	const void *src;
	size_t len;
	void (*on_done)(struct floor_task *task, uint64_t *n_done);
};

/* A queue of copies with the least that any queue needs. */
struct floor {
	struct floor_task *tasks;
	struct floor_task **queue;
	uint32_t head, tail, mask;
	uint64_t n_done;
	void (*submit)(struct floor *floor, struct floor_task *task);
};

struct dma_set {
	size_t size, depth, stride, n_pairs, len; /* len: bytes of all pairs, on each side */
	bool is_cold;
	/* src: this process's address; NULL if the source is in another process. */
	uint8_t *src, *dst;
	uint64_t src_addr; /* the source's address in the map */
	struct doca_mmap *src_map, *dst_map;
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

struct doca_dev *dma_dev_open(void);
/* Bytes of all sources of a row's set. */
size_t dma_set_len(const struct bench *b);
/* Copies from own memory of this kind; dst NULL: to own memory, too. */
struct dma_set *dma_set_local_new(const struct bench *b, struct doca_dev *dev,
				  enum bench_transport memory, uint8_t *dst);
/* Copies from another process's memory. */
struct dma_set *dma_set_remote_new(const struct bench *b, struct doca_dev *dev,
				   struct doca_mmap *src_map, uint64_t src_addr);
/* Copies every pair once and compares. */
void dma_set_verify(struct dma_set *set);

/* n copies by tasks; depth of them are in flight. */
void dma_set_run(struct dma_set *set, uint64_t n, struct laps *laps);
/* The references: a minimal queue, memcpy() alone, and a system call for each copy. */
void dma_set_run_floor(struct dma_set *set, uint64_t n);
void dma_set_run_memcpy(struct dma_set *set, uint64_t n);
void dma_set_run_readv(struct dma_set *set, uint64_t n);

#endif
