/* Copier in the style of DOCA 1.3, see old_copier.h. */
#include "old_copier.h"

#include <stdio.h>
#include <string.h>

#include <doca_error.h>

#define QUEUE_DEPTH 4
#define PAGE_SIZE   4096

bool succeeded(doca_error_t result, const char *what)
{
	if (result == DOCA_SUCCESS)
		return true;
	fprintf(stderr, "%s: %s\n", what, doca_get_error_string(result));
	return false;
}

static bool device_open(struct doca_dev **dev)
{
	struct doca_devinfo **list;
	uint32_t n_devs;
	bool ok;

	if (!succeeded(doca_devinfo_list_create(&list, &n_devs), "list of devices"))
		return false;
	ok = n_devs > 0 && succeeded(doca_dev_open(list[0], dev), "device");
	return succeeded(doca_devinfo_list_destroy(list), "end of the list") && ok;
}

bool copier_open(struct copier *copier)
{
	memset(copier, 0, sizeof(*copier));
	if (!device_open(&copier->dev) ||
	    !succeeded(doca_buf_inventory_create("buffers", 2, DOCA_BUF_EXTENSION_NONE,
						 &copier->inventory),
		       "inventory") ||
	    !succeeded(doca_buf_inventory_start(copier->inventory), "start of the inventory") ||
	    !succeeded(doca_dma_create(&copier->dma), "dma"))
		return false;
	copier->ctx = doca_dma_as_ctx(copier->dma);
	return succeeded(doca_ctx_dev_add(copier->ctx, copier->dev), "device of the context") &&
	       succeeded(doca_ctx_start(copier->ctx), "start of the context") &&
	       succeeded(doca_workq_create(QUEUE_DEPTH, &copier->workq), "work queue") &&
	       succeeded(doca_ctx_workq_add(copier->ctx, copier->workq), "queue of the context");
}

void copier_close(struct copier *copier)
{
	succeeded(doca_ctx_workq_rm(copier->ctx, copier->workq), "removal of the queue");
	succeeded(doca_ctx_stop(copier->ctx), "stop of the context");
	succeeded(doca_ctx_dev_rm(copier->ctx, copier->dev), "removal of the device");
	succeeded(doca_workq_destroy(copier->workq), "end of the queue");
	succeeded(doca_dma_destroy(copier->dma), "end of the dma");
	succeeded(doca_buf_inventory_destroy(copier->inventory), "end of the inventory");
	succeeded(doca_dev_close(copier->dev), "end of the device");
}

/* In DOCA 1.3 a map is started before it gets devices and memory. */
struct doca_mmap *map_open(struct copier *copier, const char *name, uint32_t n_chunks)
{
	struct doca_mmap *mmap;

	if (!succeeded(doca_mmap_create(name, &mmap), "map"))
		return NULL;
	if (succeeded(doca_mmap_property_set(mmap, DOCA_MMAP_MAX_NUM_CHUNKS,
					     (const uint8_t *)&n_chunks, sizeof(n_chunks)),
		      "number of chunks") &&
	    succeeded(doca_mmap_start(mmap), "start of the map") &&
	    succeeded(doca_mmap_dev_add(mmap, copier->dev), "device of the map"))
		return mmap;
	doca_mmap_destroy(mmap);
	return NULL;
}

bool map_add(struct doca_mmap *mmap, char *memory, size_t size)
{
	return succeeded(doca_mmap_populate(mmap, memory, size, PAGE_SIZE, NULL, NULL),
			 "memory of the map");
}

static bool copy_run(struct copier *copier, struct doca_buf *dst, struct doca_buf *src, size_t size)
{
	struct doca_dma_job_memcpy job = {
		.base = {.type = DOCA_DMA_JOB_MEMCPY,
			 .flags = DOCA_JOB_FLAGS_NONE,
			 .ctx = copier->ctx},
		.dst_buff = dst,
		.src_buff = src,
		.num_bytes_to_copy = size,
	};
	struct doca_event event;
	doca_error_t result;

	if (!succeeded(doca_workq_submit(copier->workq, &job.base), "copy"))
		return false;
	do
		result = doca_workq_progress_retrieve(copier->workq, &event,
						      DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
	while (result == DOCA_ERROR_AGAIN);
	return succeeded(result, "event of the copy");
}

bool copier_copy(struct copier *copier, struct doca_mmap *to_map, char *to,
		 struct doca_mmap *from_map, char *from, size_t size)
{
	struct doca_buf *src, *dst;
	bool ok;

	if (!succeeded(
		    doca_buf_inventory_buf_by_addr(copier->inventory, from_map, from, size, &src),
		    "source"))
		return false;
	if (!succeeded(doca_buf_inventory_buf_by_addr(copier->inventory, to_map, to, size, &dst),
		       "destination")) {
		doca_buf_refcount_rm(src, NULL);
		return false;
	}
	ok = copy_run(copier, dst, src, size);
	return succeeded(doca_buf_refcount_rm(src, NULL), "end of the source") &
	       succeeded(doca_buf_refcount_rm(dst, NULL), "end of the destination") & ok;
}
