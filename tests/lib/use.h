/*
 * Short functions for tests of the current interface: create a started map, copy with a DMA context
 * and wait for the result. Every function fails the running test if a step fails. Creates no
 * threads.
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

/* Creates and starts a map of one device. */
struct doca_mmap *use_mmap(struct doca_dev *dev, void *addr, size_t len, uint32_t permissions);
/*
 * Imports while daemons restart. A daemon waits some seconds for the other one. On a machine where
 * a restart takes longer it returns an error that permits another import, which this function then
 * makes.
 */
struct doca_mmap *use_import_retry(const void *desc, size_t len, struct doca_dev *dev);
/* Stops the map if it is started, and destroys it. */
void use_mmap_end(struct doca_mmap *mmap);
/* A progress engine with one DMA context and an inventory. */
struct use_dma {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_buf_inventory *inventory;
	/* Written by the callbacks. */
	unsigned n_ok, n_failed;
	doca_error_t status; /* of the last completed task */
	bool keep_tasks;     /* the callbacks do not free tasks */
	bool shares_pe;      /* the engine belongs to another object */
};

/* Creates and starts it. The default callbacks count, store the status, and free the task. */
void use_dma_open(struct use_dma *use, struct doca_dev *dev, uint32_t n_tasks);
/* Like use_dma_open(), on an existing engine. */
void use_dma_open_on(struct use_dma *use, struct doca_dev *dev, struct doca_pe *pe,
		     uint32_t n_tasks);
/* Stops, progresses until idle, and destroys everything. */
void use_dma_close(struct use_dma *use);
/* Progresses until this many tasks have completed since open. */
void use_dma_await(struct use_dma *use, unsigned n_completed);
/*
 * Starts a context whose start depends on a peer or a daemon: it is STARTING afterwards. On a busy
 * machine a daemon may return later than its clients wait; then the start is repeated.
 */
void use_ctx_begin(struct doca_ctx *ctx);
/* Progresses until the context has the state. */
void use_ctx_await(struct doca_pe *pe, struct doca_ctx *ctx, enum doca_ctx_states state);
struct doca_buf *use_src(struct use_dma *use, struct doca_mmap *mmap, void *addr, size_t len);
struct doca_buf *use_dst(struct use_dma *use, struct doca_mmap *mmap, void *addr, size_t len);
void use_buf_end(struct doca_buf *buf);
struct doca_task *use_task(struct use_dma *use, const struct doca_buf *src, struct doca_buf *dst);
/*
 * Executes one copy and returns the task's status. Restarts the context if the failure stopped it.
 */
doca_error_t use_copy(struct use_dma *use, struct doca_mmap *src, void *from, struct doca_mmap *dst,
		      void *to, size_t len);

void use_dma_ok_cb(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		   union doca_data ctx_user_data);
void use_dma_err_cb(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		    union doca_data ctx_user_data);

#endif
