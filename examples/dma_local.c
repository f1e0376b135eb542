/*
 * The smallest DMA program: one process, one device, one copy from one buffer to another, polled.
 * Shows the order of creation: device, memory map, inventory, engine, context, task. One thread.
 *
 *   dma_local [--size BYTES] [--pci-addr ADDRESS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_mmap.h>

#include "common.h"

struct options {
	char pci[EXAMPLE_TEXT_LEN];
	int size;
};

struct local {
	struct doca_dev *dev;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_buf *src, *dst;
	char *memory;
	bool is_done;
	doca_error_t result;
};

static doca_error_t set_pci(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->pci, value);
}

static doca_error_t set_size(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->size, value, 1, 1 << 30);
}

static const struct example_param params[] = {
	{"p", "pci-addr", "<address>", "device to use", DOCA_ARGP_TYPE_STRING, set_pci, false},
	{"s", "size", "<bytes>", "bytes to copy", DOCA_ARGP_TYPE_INT, set_size, false},
};

static void on_success(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		       union doca_data ctx_user_data)
{
	struct local *l = ctx_user_data.ptr;

	(void)task_user_data;
	l->result = DOCA_SUCCESS;
	l->is_done = true;
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void on_error(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		     union doca_data ctx_user_data)
{
	struct local *l = ctx_user_data.ptr;

	(void)task_user_data;
	l->result = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
	l->is_done = true;
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

/* One map covers source and destination; each is half of the memory. */
static doca_error_t memory_prepare(struct local *l, size_t size)
{
	doca_error_t result;
	size_t i;

	l->memory = malloc(2 * size);
	if (l->memory == NULL)
		return DOCA_ERROR_NO_MEMORY;
	for (i = 0; i < size; i++)
		l->memory[i] = (char)(i * 31 + 7);
	memset(l->memory + size, 0, size);

	result = doca_mmap_create(&l->mmap);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_mmap_set_memrange(l->mmap, l->memory, 2 * size);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(l->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(l->mmap, l->dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(l->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_create(2, &l->inventory);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_buf_inventory_start(l->inventory);
	/* The source's data window is the data. The destination's is empty; the copy fills it. */
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_data(l->inventory, l->mmap, l->memory, size,
							    &l->src);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_addr(l->inventory, l->mmap, l->memory + size,
							    size, &l->dst);
	return result;
}

static doca_error_t dma_prepare(struct local *l)
{
	union doca_data user_data = {.ptr = l};
	struct doca_ctx *ctx;
	doca_error_t result;

	result = doca_pe_create(&l->pe);
	if (result == DOCA_SUCCESS)
		result = doca_dma_create(l->dev, &l->dma);
	if (result != DOCA_SUCCESS)
		return result;
	ctx = doca_dma_as_ctx(l->dma);
	result = doca_pe_connect_ctx(l->pe, ctx);
	if (result == DOCA_SUCCESS)
		result = doca_dma_task_memcpy_set_conf(l->dma, on_success, on_error, 1);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(ctx, user_data);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	return result;
}

static doca_error_t copy_run(struct local *l)
{
	union doca_data none = {.u64 = 0};
	struct doca_dma_task_memcpy *task;
	doca_error_t result;

	result = doca_dma_task_memcpy_alloc_init(l->dma, l->src, l->dst, none, &task);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
	if (result != DOCA_SUCCESS) {
		doca_task_free(doca_dma_task_memcpy_as_task(task));
		return result;
	}
	while (!l->is_done)
		doca_pe_progress(l->pe);
	return l->result;
}

/* Destroys everything that exists, in the reverse order of creation. */
static void local_close(struct local *l)
{
	if (l->dma != NULL) {
		doca_ctx_stop(doca_dma_as_ctx(l->dma));
		doca_dma_destroy(l->dma);
	}
	if (l->pe != NULL)
		doca_pe_destroy(l->pe);
	if (l->src != NULL)
		doca_buf_dec_refcount(l->src, NULL);
	if (l->dst != NULL)
		doca_buf_dec_refcount(l->dst, NULL);
	if (l->inventory != NULL)
		doca_buf_inventory_destroy(l->inventory);
	if (l->mmap != NULL)
		doca_mmap_destroy(l->mmap);
	if (l->dev != NULL)
		doca_dev_close(l->dev);
	free(l->memory);
}

int main(int argc, char **argv)
{
	struct options options = {.size = 1 << 20};
	struct local l = {.dev = NULL};
	doca_error_t result;
	size_t size, copied = 0;

	result = example_params_read("dma_local", &options, params,
				     sizeof(params) / sizeof(params[0]), argc, argv);
	if (result != DOCA_SUCCESS)
		return EXIT_FAILURE;
	size = (size_t)options.size;
	result = example_dev_open(options.pci, example_dev_can_copy, &l.dev);
	if (result != DOCA_SUCCESS)
		return EXIT_FAILURE;
	result = memory_prepare(&l, size);
	if (result == DOCA_SUCCESS)
		result = dma_prepare(&l);
	if (result == DOCA_SUCCESS)
		result = copy_run(&l);
	if (result == DOCA_SUCCESS)
		result = doca_buf_get_data_len(l.dst, &copied);
	if (result != DOCA_SUCCESS) {
		example_failed("copy", result);
	} else if (copied != size || memcmp(l.memory, l.memory + size, size) != 0) {
		fprintf(stderr, "the copy differs from its source\n");
		result = DOCA_ERROR_UNEXPECTED;
	} else {
		printf("OK copied %zu bytes\n", copied);
	}
	local_close(&l);
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
