/*
 * Short forms of what tests of the current interface do all the time: make a started map, copy with
 * a DMA context and wait for the result. Every function fails the running test when a step does not
 * succeed. Threads: none.
 */
#ifndef TESTS_LIB_USE_H
#define TESTS_LIB_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <dococ.h>

#include "tests/lib/assert.h"
#include "tests/lib/expect.h"
#include "util/util.h"

/* A started map of one device. */
struct doca_mmap *use_mmap(struct doca_dev *dev, void *addr, size_t len, uint32_t permissions);
/* Imports while daemons are restarted. They answer for one another for some seconds: on a machine
 * where a start takes longer they say that one may import again, and that is done. */
struct doca_mmap *use_import_patiently(const void *desc, size_t len, struct doca_dev *dev);
/* Stopped if started, and destroyed. */
void use_mmap_end(struct doca_mmap *mmap);
/* One progress engine with one DMA context and an inventory. */
struct use_dma {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_buf_inventory *inventory;
	/* Filled by the callbacks. */
	unsigned n_ok, n_failed;
	doca_error_t status; /* of the last task that completed */
	bool keep_tasks;     /* the callbacks do not free them */
	bool shares_pe;      /* it is another's */
};

/* Started. The default callbacks count, keep the status, free the task. */
void use_dma_open(struct use_dma *use, struct doca_dev *dev, uint32_t n_tasks);
/* The same, on an engine that is there. */
void use_dma_open_on(struct use_dma *use, struct doca_dev *dev, struct doca_pe *pe,
		     uint32_t n_tasks);
/* Stops, progresses until idle, destroys all. */
void use_dma_close(struct use_dma *use);
/* Progresses until that many tasks have completed since open. */
void use_dma_await(struct use_dma *use, unsigned n_completed);
/* Starts it, which its peer or a daemon has a part in: it is STARTING. On a busy machine a daemon
 * may be back later than its clients are kept waiting for it: then that is tried again. */
void use_ctx_begin(struct doca_ctx *ctx);
/* Progresses until the context is in the state. */
void use_ctx_await(struct doca_pe *pe, struct doca_ctx *ctx, enum doca_ctx_states state);
struct doca_buf *use_src(struct use_dma *use, struct doca_mmap *mmap, void *addr, size_t len);
struct doca_buf *use_dst(struct use_dma *use, struct doca_mmap *mmap, void *addr, size_t len);
void use_buf_end(struct doca_buf *buf);
struct doca_task *use_task(struct use_dma *use, const struct doca_buf *src, struct doca_buf *dst);
/* One copy, to the end. Returns the task's status. The context restarts if the failure stopped it.
 */
doca_error_t use_copy(struct use_dma *use, struct doca_mmap *src, void *from, struct doca_mmap *dst,
		      void *to, size_t len);

void use_dma_ok_cb(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		   union doca_data ctx_user_data);
void use_dma_err_cb(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		    union doca_data ctx_user_data);

#endif
