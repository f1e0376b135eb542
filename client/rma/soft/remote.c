/*
 * Soft queue pairs: one-sided requests. They are executed in the import's memory, which is mapped
 * or accessed through its transport. The bounds are those of the export; the rights are those of
 * the export and of the other end's domain. Threads: those of the domain.
 */
#include <errno.h>
#include <string.h>

#include <doca_types.h>

#include "client/base/error.h"
#include "client/memory/mmap.h"
#include "client/memory/sync_cell.h"
#include "client/rma/soft/domain.h"

static uint32_t right_of(enum rdma_op op)
{
	if (op == RDMA_READ)
		return DOCA_ACCESS_FLAG_RDMA_READ;
	if (op == RDMA_WRITE || op == RDMA_WRITE_IMM)
		return DOCA_ACCESS_FLAG_RDMA_WRITE;
	return DOCA_ACCESS_FLAG_RDMA_ATOMIC;
}

static doca_error_t refuse(const char *how)
{
	return error_set(DOCA_ERROR_IO_FAILED, "rdma: remote access error: %s", how);
}

/* --- atomics --- */

static uint64_t atomic_run(_Atomic uint64_t *at, const struct rdma_wr *wr)
{
	uint64_t before = wr->compare;

	if (wr->op == RDMA_FETCH_ADD)
		return atomic_fetch_add(at, wr->value);
	/* Returns the previous value, whether the swap happened or not. */
	atomic_compare_exchange_strong(at, &before, wr->value);
	return before;
}

/* --- sync events --- */

static doca_error_t event_run(struct sync_import *event, const struct rdma_wr *wr)
{
	struct sync_cell *cell = &event->cell;
	uint8_t bytes[sizeof(uint64_t)];
	uint64_t value;
	size_t at = 0;

	if (event->is_remote)
		return refuse("the sync event is on another machine");
	if (!sync_cell_is_alive(cell))
		return refuse("the sync event was stopped, or its process has ended");
	if (wr->op != RDMA_READ && !cell->is_writable)
		return refuse("the sync event was exported to be read only");
	if (wr->op == RDMA_WRITE || wr->op == RDMA_WRITE_IMM) {
		for (uint32_t i = 0; i < wr->n_sges; at += wr->sges[i++].len)
			memcpy(bytes + at, wr->sges[i].addr, wr->sges[i].len);
		memcpy(&value, bytes, sizeof(value));
		sync_cell_set(cell, value);
		return DOCA_SUCCESS;
	}
	if (wr->op == RDMA_READ) {
		value = sync_cell_get(cell);
	} else if (wr->op == RDMA_FETCH_ADD) {
		value = sync_cell_add(cell, wr->value);
	} else {
		value = atomic_run(cell->value, wr);
		sync_cell_wake_sleepers(cell);
	}
	memcpy(bytes, &value, sizeof(value));
	for (uint32_t i = 0; i < wr->n_sges; at += wr->sges[i++].len)
		memcpy(wr->sges[i].addr, bytes + at, wr->sges[i].len);
	return DOCA_SUCCESS;
}

/* --- memory --- */

static inline const char *memory_wrong(const struct soft_qp *qp, const struct rdma_wr *wr)
{
	const struct doca_mmap *mmap = wr->remote_mmap;
	uint32_t right = right_of(wr->op);
	uint64_t at = wr->remote_addr - mmap->base;

	if (unlikely(!mmap->from_export))
		return "the remote memory is no import";
	if (unlikely(!wr->is_copy && !(mmap->permissions & right)))
		return "the mmap was exported without the right to that";
	if (unlikely(!(qp->permissions & right)))
		return "the other end's context does not permit that; see "
		       "doca_rdma_set_permissions";
	if (unlikely(at > mmap->span || wr->len > mmap->span - at))
		return "the range leaves the memory that was exported";
	if (unlikely(!mmap_is_alive(mmap)))
		return "the mmap was stopped, or its process has ended";
	return NULL;
}

static inline void copy_direct(const struct rdma_wr *wr, uint8_t *remote)
{
	for (uint32_t i = 0; i < wr->n_sges; i++) {
		const struct rdma_sge *sge = &wr->sges[i];

		if (wr->op == RDMA_READ)
			memmove(sge->addr, remote, sge->len);
		else
			memmove(remote, sge->addr, sge->len);
		remote += sge->len;
	}
}

static doca_error_t copy_by_kernel(const struct rdma_wr *wr)
{
	/* The cast is safe: the transport's calls do not change the description of the memory. */
	struct transport_region *region = (struct transport_region *)&wr->remote_mmap->region;
	struct iovec local[SOFT_MAX_SGES];
	struct iovec remote = {.iov_base = (void *)(uintptr_t)wr->remote_addr, .iov_len = wr->len};
	ssize_t r;

	if (wr->len == 0)
		return DOCA_SUCCESS;
	for (uint32_t i = 0; i < wr->n_sges; i++)
		local[i] = (struct iovec){.iov_base = wr->sges[i].addr, .iov_len = wr->sges[i].len};
	r = wr->op == RDMA_READ ? region->ops->readv(region, local, wr->n_sges, &remote, 1)
				: region->ops->writev(region, local, wr->n_sges, &remote, 1);
	if (r == (ssize_t)wr->len)
		return DOCA_SUCCESS;
	if (r == -ESRCH)
		return refuse("the process that exported the memory has ended");
	return refuse("part of the range is not mapped in the process that exported it, or is not "
		      "for us");
}

doca_error_t soft_remote(struct soft_qp *qp, struct rdma_wr *wr)
{
	const struct doca_mmap *mmap = wr->remote_mmap;
	const char *wrong;
	uint8_t *at;

	if (unlikely(mmap == NULL)) {
		if (!(qp->permissions & right_of(wr->op)))
			return refuse("the other end's context does not permit that; see "
				      "doca_rdma_set_permissions");
		return wr->remote_event == NULL ? DOCA_SUCCESS : event_run(wr->remote_event, wr);
	}
	wrong = memory_wrong(qp, wr);
	if (unlikely(wrong != NULL))
		return refuse(wrong);
	if (unlikely(!mmap->direct)) {
		if (wr->op == RDMA_CMP_SWP || wr->op == RDMA_FETCH_ADD)
			return refuse("atomics need memory that both processes have mapped: let "
				      "the exporter allocate it with dococ_mem_alloc");
		return copy_by_kernel(wr);
	}
	at = (uint8_t *)(uintptr_t)wr->remote_addr + mmap->delta;
	if (wr->op == RDMA_CMP_SWP || wr->op == RDMA_FETCH_ADD) {
		uint64_t before;

		if ((uintptr_t)at % sizeof(uint64_t) != 0)
			return refuse("the memory is not aligned to 8 bytes");
		before = atomic_run((_Atomic uint64_t *)(void *)at, wr);
		memcpy(wr->sges[0].addr, &before, sizeof(before));
		return DOCA_SUCCESS;
	}
	copy_direct(wr, at);
	/* A message that follows must not become visible earlier. */
	atomic_thread_fence(memory_order_release);
	return DOCA_SUCCESS;
}
