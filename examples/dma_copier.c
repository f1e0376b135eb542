/* Chunked DMA copies; dma_copier.h has the contract. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_pe.h>

#include "common.h"
#include "dma_copier.h"

enum { N_SLOTS = 16 };

/*
 * A task with its two buffers. The buffers span the whole job; their data windows move from chunk
 * to chunk.
 */
struct slot {
	struct copier *copier;
	struct doca_dma_task_memcpy *task;
	struct doca_buf *src, *dst;
};

struct copier {
	struct doca_pe *pe;
	struct doca_dma *dma;
	bool is_started;
	struct doca_buf_inventory *inventory;
	size_t chunk;
	struct slot slots[N_SLOTS];
	/* The current job. */
	struct copier_job job;
	size_t next;
	size_t n_tasks;
	size_t n_inflight;
	doca_error_t result;
};

static void copier_fail(struct copier *c, doca_error_t result)
{
	if (c->result == DOCA_SUCCESS)
		c->result = result;
}

/* Submits the next chunk, if there is one and nothing has failed. */
static void slot_submit_next(struct slot *s)
{
	struct copier *c = s->copier;
	size_t len = c->job.len - c->next;
	doca_error_t result;

	if (len == 0 || c->result != DOCA_SUCCESS)
		return;
	if (len > c->chunk)
		len = c->chunk;
	result = doca_buf_set_data(s->src, c->job.src + c->next, len);
	if (result == DOCA_SUCCESS)
		result = doca_buf_set_data(s->dst, c->job.dst + c->next, 0);
	if (result == DOCA_SUCCESS)
		result = doca_task_submit(doca_dma_task_memcpy_as_task(s->task));
	if (result != DOCA_SUCCESS) {
		copier_fail(c, result);
		return;
	}
	c->next += len;
	c->n_tasks++;
	c->n_inflight++;
}

static void on_success(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		       union doca_data ctx_user_data)
{
	struct slot *s = task_user_data.ptr;

	(void)task;
	(void)ctx_user_data;
	s->copier->n_inflight--;
	slot_submit_next(s);
}

static void on_error(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		     union doca_data ctx_user_data)
{
	struct slot *s = task_user_data.ptr;

	(void)ctx_user_data;
	s->copier->n_inflight--;
	copier_fail(s->copier, doca_task_get_status(doca_dma_task_memcpy_as_task(task)));
}

static doca_error_t slot_open(struct copier *c, struct slot *s)
{
	union doca_data user_data = {.ptr = s};
	doca_error_t result;

	s->copier = c;
	result = doca_buf_inventory_buf_get_by_addr(c->inventory, c->job.src_mmap, c->job.src,
						    c->job.len, &s->src);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_addr(c->inventory, c->job.dst_mmap,
							    c->job.dst, c->job.len, &s->dst);
	if (result == DOCA_SUCCESS)
		result = doca_dma_task_memcpy_alloc_init(c->dma, s->src, s->dst, user_data,
							 &s->task);
	return result;
}

static void slot_close(struct slot *s)
{
	if (s->task != NULL)
		doca_task_free(doca_dma_task_memcpy_as_task(s->task));
	if (s->dst != NULL)
		doca_buf_dec_refcount(s->dst, NULL);
	if (s->src != NULL)
		doca_buf_dec_refcount(s->src, NULL);
	*s = (struct slot){.task = NULL};
}

doca_error_t copier_new(struct doca_dev *dev, size_t chunk_max, struct copier **copier_out)
{
	struct copier *c = calloc(1, sizeof(*c));
	uint64_t device_max;
	doca_error_t result;

	if (c == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(dev), &device_max);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_create(2 * N_SLOTS, &c->inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_start(c->inventory);
	if (result == DOCA_SUCCESS)
		result = doca_pe_create(&c->pe);
	if (result == DOCA_SUCCESS)
		result = doca_dma_create(dev, &c->dma);
	if (result == DOCA_SUCCESS)
		result = doca_pe_connect_ctx(c->pe, doca_dma_as_ctx(c->dma));
	if (result == DOCA_SUCCESS)
		result = doca_dma_task_memcpy_set_conf(c->dma, on_success, on_error, N_SLOTS);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(doca_dma_as_ctx(c->dma));
	if (result != DOCA_SUCCESS) {
		copier_free(c);
		return result;
	}
	c->is_started = true;
	c->chunk = chunk_max < device_max ? chunk_max : (size_t)device_max;
	*copier_out = c;
	return DOCA_SUCCESS;
}

void copier_free(struct copier *c)
{
	if (c == NULL)
		return;
	if (c->is_started)
		doca_ctx_stop(doca_dma_as_ctx(c->dma));
	if (c->dma != NULL)
		doca_dma_destroy(c->dma);
	if (c->pe != NULL)
		doca_pe_destroy(c->pe);
	if (c->inventory != NULL)
		doca_buf_inventory_destroy(c->inventory);
	free(c);
}

doca_error_t copier_run(struct copier *c, const struct copier_job *job, int timeout_s,
			size_t *n_tasks_out)
{
	uint64_t deadline_ns = example_now_ns() + (uint64_t)timeout_s * 1000000000u;
	size_t i;

	c->job = *job;
	c->next = c->n_tasks = c->n_inflight = 0;
	c->result = DOCA_SUCCESS;
	for (i = 0; i < N_SLOTS && c->next < job->len && c->result == DOCA_SUCCESS; i++) {
		doca_error_t result = slot_open(c, &c->slots[i]);

		if (result == DOCA_SUCCESS)
			slot_submit_next(&c->slots[i]);
		else
			copier_fail(c, result);
	}
	while (c->n_inflight > 0) {
		/*
		 * After the deadline no new task is submitted. A task in flight always completes.
		 */
		if (doca_pe_progress(c->pe) == 0 && example_now_ns() > deadline_ns)
			copier_fail(c, DOCA_ERROR_TIME_OUT);
	}
	for (i = 0; i < N_SLOTS; i++)
		slot_close(&c->slots[i]);
	if (c->result != DOCA_SUCCESS)
		return c->result;
	*n_tasks_out = c->n_tasks;
	return DOCA_SUCCESS;
}
