/*
 * The host exports memory with a text; the DPU reads it, checks it, and writes another one, which
 * the host then finds. Buffers, jobs and tasks with the functions of the version.
 */
#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#if !DOCA_API_WORKQ
#include <doca_pe.h>
#endif

#include "tests/integration/dma/matrix/cell.h"

#define SIZE           65536
#define MAX_DESCRIPTOR 1024

static void fill(uint8_t *memory, unsigned seed)
{
	for (size_t i = 0; i < SIZE; i++)
		memory[i] = (uint8_t)(i * 131 + seed);
}

static bool is_filled(const uint8_t *memory, unsigned seed)
{
	for (size_t i = 0; i < SIZE; i++)
		if (memory[i] != (uint8_t)(i * 131 + seed))
			return false;
	return true;
}

/* --- maps --- */

/* Creates a started map of the range, which the other side may read and write. */
static struct doca_mmap *map(struct doca_dev *dev, uint8_t *memory)
{
	struct doca_mmap *mmap;

#if DOCA_USE_VERSION < 105
	CELL_OK(doca_mmap_create("cell", &mmap));
	CELL_OK(doca_mmap_start(mmap));
	CELL_OK(doca_mmap_dev_add(mmap, dev));
	CELL_OK(doca_mmap_populate(mmap, (char *)memory, SIZE, 4096, NULL, NULL));
#elif DOCA_USE_VERSION < 200
	CELL_OK(doca_mmap_create(NULL, &mmap));
	CELL_OK(doca_mmap_start(mmap));
	CELL_OK(doca_mmap_dev_add(mmap, dev));
	CELL_OK(doca_mmap_populate(mmap, memory, SIZE, 4096, NULL, NULL));
#elif DOCA_API_WORKQ
	CELL_OK(doca_mmap_create(NULL, &mmap));
	CELL_OK(doca_mmap_set_memrange(mmap, memory, SIZE));
	CELL_OK(doca_mmap_set_permissions(mmap, DOCA_ACCESS_LOCAL_READ_WRITE |
							DOCA_ACCESS_DPU_READ_WRITE));
	CELL_OK(doca_mmap_dev_add(mmap, dev));
	CELL_OK(doca_mmap_start(mmap));
#else
	CELL_OK(doca_mmap_create(&mmap));
	CELL_OK(doca_mmap_set_memrange(mmap, memory, SIZE));
	CELL_OK(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
							DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	CELL_OK(doca_mmap_add_dev(mmap, dev));
	CELL_OK(doca_mmap_start(mmap));
#endif
	return mmap;
}

static void send_export(int sock, struct doca_mmap *mmap, struct doca_dev *dev)
{
	size_t len;
#if DOCA_USE_VERSION < 105
	uint8_t *descriptor;

	CELL_OK(doca_mmap_export(mmap, dev, &descriptor, &len));
#elif DOCA_USE_VERSION < 200
	void *descriptor;

	CELL_OK(doca_mmap_export(mmap, dev, &descriptor, &len));
#elif DOCA_API_WORKQ
	const void *descriptor;

	CELL_OK(doca_mmap_export_dpu(mmap, dev, &descriptor, &len));
#else
	const void *descriptor;

	CELL_OK(doca_mmap_export_pci(mmap, dev, &descriptor, &len));
#endif
	cell_send(sock, descriptor, len);
#if DOCA_USE_VERSION < 200
	free(descriptor);
#endif
}

static struct doca_mmap *import(struct doca_dev *dev, const uint8_t *descriptor, size_t len)
{
	struct doca_mmap *mmap;

#if DOCA_USE_VERSION < 105
	CELL_OK(doca_mmap_create_from_export("cell", descriptor, len, dev, &mmap));
#else
	CELL_OK(doca_mmap_create_from_export(NULL, descriptor, len, dev, &mmap));
#endif
	return mmap;
}

static struct doca_buf *buf_of(struct doca_buf_inventory *inventory, struct doca_mmap *mmap,
			       void *at, bool is_source)
{
	struct doca_buf *buf;

#if DOCA_USE_VERSION < 105
	(void)is_source; /* a buffer has no data section in this version */
	CELL_OK(doca_buf_inventory_buf_by_addr(inventory, mmap, at, SIZE, &buf));
#elif DOCA_API_WORKQ
	CELL_OK(doca_buf_inventory_buf_by_addr(inventory, mmap, at, SIZE, &buf));
	if (is_source)
		CELL_OK(doca_buf_set_data(buf, at, SIZE));
#else
	if (is_source)
		CELL_OK(doca_buf_inventory_buf_get_by_data(inventory, mmap, at, SIZE, &buf));
	else
		CELL_OK(doca_buf_inventory_buf_get_by_addr(inventory, mmap, at, SIZE, &buf));
#endif
	return buf;
}

static void buf_end(struct doca_buf *buf)
{
#if DOCA_API_WORKQ
	CELL_OK(doca_buf_refcount_rm(buf, NULL));
#else
	CELL_OK(doca_buf_dec_refcount(buf, NULL));
#endif
}

static struct doca_buf_inventory *inventory_open(void)
{
	struct doca_buf_inventory *inventory;

#if DOCA_USE_VERSION < 105
	CELL_OK(doca_buf_inventory_create("cell", 2, DOCA_BUF_EXTENSION_NONE, &inventory));
#elif DOCA_API_WORKQ
	CELL_OK(doca_buf_inventory_create(NULL, 2, DOCA_BUF_EXTENSION_NONE, &inventory));
#else
	CELL_OK(doca_buf_inventory_create(2, &inventory));
#endif
	CELL_OK(doca_buf_inventory_start(inventory));
	return inventory;
}

/* --- copies --- */

#if DOCA_API_WORKQ
struct copier {
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_workq *workq;
	struct doca_dev *dev;
};

static void copier_open(struct copier *copier, struct doca_dev *dev)
{
	copier->dev = dev;
	CELL_OK(doca_dma_create(&copier->dma));
	copier->ctx = doca_dma_as_ctx(copier->dma);
	CELL_OK(doca_ctx_dev_add(copier->ctx, dev));
	CELL_OK(doca_ctx_start(copier->ctx));
	CELL_OK(doca_workq_create(8, &copier->workq));
	CELL_OK(doca_ctx_workq_add(copier->ctx, copier->workq));
}

static void copier_close(struct copier *copier)
{
	CELL_OK(doca_ctx_workq_rm(copier->ctx, copier->workq));
	CELL_OK(doca_ctx_stop(copier->ctx));
	CELL_OK(doca_ctx_dev_rm(copier->ctx, copier->dev));
	CELL_OK(doca_workq_destroy(copier->workq));
	CELL_OK(doca_dma_destroy(copier->dma));
}

static void copy(struct copier *copier, struct doca_buf *dst, const struct doca_buf *src)
{
	struct doca_dma_job_memcpy job = {
		.base = {.type = DOCA_DMA_JOB_MEMCPY,
			 .flags = DOCA_JOB_FLAGS_NONE,
			 .ctx = copier->ctx,
			 .user_data = {.u64 = 42}},
		.dst_buff = dst,
		.src_buff = src,
	};
	struct doca_event event;
	doca_error_t result;

#if DOCA_USE_VERSION < 105
	job.num_bytes_to_copy = SIZE;
#endif
	CELL_OK(doca_workq_submit(copier->workq, &job.base));
	do
		result = doca_workq_progress_retrieve(copier->workq, &event,
						      DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
	while (result == DOCA_ERROR_AGAIN);
	CELL_OK(result);
	CELL_EXPECT(event.result.u64 == DOCA_SUCCESS && event.user_data.u64 == 42 &&
		    event.type == DOCA_DMA_JOB_MEMCPY);
}
#else
struct copier {
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_pe *pe;
	int n_ok;
};

static void copied(struct doca_dma_task_memcpy *task, union doca_data task_data,
		   union doca_data ctx_data)
{
	(void)task_data;
	((struct copier *)ctx_data.ptr)->n_ok++;
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void not_copied(struct doca_dma_task_memcpy *task, union doca_data task_data,
		       union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	CELL_OK(doca_task_get_status(doca_dma_task_memcpy_as_task(task)));
}

static void copier_open(struct copier *copier, struct doca_dev *dev)
{
	union doca_data data = {.ptr = copier};

	copier->n_ok = 0;
	CELL_OK(doca_pe_create(&copier->pe));
	CELL_OK(doca_dma_create(dev, &copier->dma));
	copier->ctx = doca_dma_as_ctx(copier->dma);
	CELL_OK(doca_ctx_set_user_data(copier->ctx, data));
	CELL_OK(doca_dma_task_memcpy_set_conf(copier->dma, copied, not_copied, 1));
	CELL_OK(doca_pe_connect_ctx(copier->pe, copier->ctx));
	CELL_OK(doca_ctx_start(copier->ctx));
}

static void copier_close(struct copier *copier)
{
	CELL_OK(doca_ctx_stop(copier->ctx));
	CELL_OK(doca_dma_destroy(copier->dma));
	CELL_OK(doca_pe_destroy(copier->pe));
}

static void copy(struct copier *copier, struct doca_buf *dst, const struct doca_buf *src)
{
	union doca_data data = {.u64 = 42};
	struct doca_dma_task_memcpy *task;

	CELL_OK(doca_dma_task_memcpy_alloc_init(copier->dma, src, dst, data, &task));
	CELL_OK(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	for (int n = copier->n_ok; copier->n_ok == n;)
		(void)doca_pe_progress(copier->pe);
}
#endif

/* --- the halves --- */

void cell_dma_host(int sock)
{
	struct doca_dev *dev = cell_dev_open(false);
	uint8_t *memory = malloc(SIZE);
	uint64_t at = (uintptr_t)memory;
	struct doca_mmap *mmap;
	char done;

	CELL_EXPECT(memory != NULL);
	fill(memory, 1);
	mmap = map(dev, memory);
	send_export(sock, mmap, dev);
	cell_send(sock, &at, sizeof(at));
	CELL_EXPECT(cell_recv(sock, &done, sizeof(done)) == 1);
	CELL_EXPECT(is_filled(memory, 2));
	CELL_OK(doca_mmap_destroy(mmap));
	CELL_OK(doca_dev_close(dev));
	free(memory);
}

void cell_dma_dpu(int sock)
{
	struct doca_dev *dev = cell_dev_open(true);
	uint8_t *memory = calloc(1, SIZE), descriptor[MAX_DESCRIPTOR];
	struct doca_buf_inventory *inventory = inventory_open();
	struct doca_mmap *local, *remote;
	struct doca_buf *here, *there;
	struct copier copier;
	size_t len;
	uint64_t at;

	CELL_EXPECT(memory != NULL);
	len = cell_recv(sock, descriptor, sizeof(descriptor));
	CELL_EXPECT(cell_recv(sock, &at, sizeof(at)) == sizeof(at));
	local = map(dev, memory);
	remote = import(dev, descriptor, len);
	copier_open(&copier, dev);

	there = buf_of(inventory, remote, (void *)(uintptr_t)at, true);
	here = buf_of(inventory, local, memory, false);
	copy(&copier, here, there);
	CELL_EXPECT(is_filled(memory, 1));
	buf_end(here);
	buf_end(there);

	fill(memory, 2);
	there = buf_of(inventory, remote, (void *)(uintptr_t)at, false);
	here = buf_of(inventory, local, memory, true);
	copy(&copier, there, here);
	buf_end(here);
	buf_end(there);

	cell_send(sock, "d", 1);
	copier_close(&copier);
	CELL_OK(doca_buf_inventory_destroy(inventory));
	CELL_OK(doca_mmap_destroy(remote));
	CELL_OK(doca_mmap_destroy(local));
	CELL_OK(doca_dev_close(dev));
	free(memory);
}
