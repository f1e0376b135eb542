/*
 * Fixture of the DMA engine's tests: an engine on a simulated device, lists of buffers that are cut
 * at random from a range, and a model of the result of a copy.
 */
#ifndef TESTS_UNIT_CLIENT_DMA_FIXTURE_H
#define TESTS_UNIT_CLIENT_DMA_FIXTURE_H

#include <doca_dma.h>

#include "tests/unit/client/fixture.h"

struct copier {
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	uint32_t n_ok, n_failed;
	doca_error_t status;
	void (*on_done)(struct copier *copier, struct doca_task *task);
};

static void copier_done(struct doca_dma_task_memcpy *memcpy_task, union doca_data user_data,
			union doca_data ctx_user_data)
{
	struct copier *copier = ctx_user_data.ptr;
	struct doca_task *task = doca_dma_task_memcpy_as_task(memcpy_task);

	(void)user_data;
	copier->status = doca_task_get_status(task);
	if (copier->status == DOCA_SUCCESS)
		copier->n_ok++;
	else
		copier->n_failed++;
	if (copier->on_done != NULL)
		copier->on_done(copier, task);
	doca_task_free(task);
}

static inline void copier_init(struct copier *copier, struct doca_pe *pe, uint32_t n_tasks)
{
	*copier = (struct copier){.pe = pe};
	ck_ok(doca_dma_create(&unit_dev, &copier->dma));
	copier->ctx = doca_dma_as_ctx(copier->dma);
	ck_ok(doca_dma_task_memcpy_set_conf(copier->dma, copier_done, copier_done, n_tasks));
	ck_ok(doca_ctx_set_user_data(copier->ctx, (union doca_data){.ptr = copier}));
	ck_ok(doca_pe_connect_ctx(pe, copier->ctx));
	ck_ok(doca_ctx_start(copier->ctx));
}

static inline void copier_deinit(struct copier *copier)
{
	doca_error_t result = doca_ctx_stop(copier->ctx);

	if (result == DOCA_ERROR_IN_PROGRESS)
		unit_progress(copier->pe);
	else
		ck_ok(result);
	ck_ok(doca_dma_destroy(copier->dma));
}

static inline struct doca_task *copier_task(struct copier *copier, const struct doca_buf *src,
					    struct doca_buf *dst)
{
	struct doca_dma_task_memcpy *task;

	ck_ok(doca_dma_task_memcpy_alloc_init(copier->dma, src, dst, (union doca_data){.u64 = 0},
					      &task));
	ck_assert_ptr_eq(doca_dma_task_memcpy_get_src(task), src);
	ck_assert_ptr_eq(doca_dma_task_memcpy_get_dst(task), dst);
	return doca_dma_task_memcpy_as_task(task);
}

static inline void copier_submit(struct copier *copier, const struct doca_buf *src,
				 struct doca_buf *dst)
{
	ck_ok(doca_task_submit(copier_task(copier, src, dst)));
}

/* Executes one copy. Restarts the context if the copy stopped it. */
static inline doca_error_t copier_copy(struct copier *copier, const struct doca_buf *src,
				       struct doca_buf *dst)
{
	copier_submit(copier, src, dst);
	unit_progress(copier->pe);
	if (unit_state(copier->ctx) == IDLE)
		ck_ok(doca_ctx_start(copier->ctx));
	return copier->status;
}

/* Creates a buffer whose region begins at `addr`, with `lead` bytes before the data. */
static inline struct doca_buf *unit_buf(struct doca_buf_inventory *inventory,
					struct doca_mmap *mmap, uint8_t *addr, size_t len,
					size_t lead, size_t data_len)
{
	struct doca_buf *buf;

	ck_ok(doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, len, addr + lead, data_len,
						 &buf));
	return buf;
}

static inline struct doca_buf *unit_chain(struct doca_buf *list, struct doca_buf *buf)
{
	if (list == NULL)
		return buf;
	ck_ok(doca_buf_chain_list(list, buf));
	return list;
}

static inline void unit_put(struct doca_buf *buf)
{
	ck_ok(doca_buf_dec_refcount(buf, NULL));
}

static inline size_t unit_data_len(const struct doca_buf *list)
{
	const struct doca_buf *pos;
	size_t n = 0;

	BUF_FOR_EACH(pos, list) n += pos->data_len;
	return n;
}

static inline void unit_fill(uint8_t *at, size_t len, uint64_t seed)
{
	for (size_t i = 0; i < len; i += sizeof(uint64_t)) {
		uint64_t value = unit_random(&seed);

		memcpy(at + i, &value, MIN(sizeof(value), len - i));
	}
}

/* The model: copies byte by byte. `where` translates the buffers' addresses. */
typedef uint8_t *(*unit_where)(const struct doca_buf *buf, uint8_t *addr);

static inline void unit_model(const struct doca_buf *src, const struct doca_buf *dst,
			      unit_where where, uint8_t *shadow, const uint8_t *shadow_of)
{
	size_t dst_at = 0;

	for (; src != NULL; src = src->next) {
		for (size_t i = 0; i < src->data_len; i++) {
			while (dst_at == buf_tail_room(dst)) {
				dst = dst->next;
				dst_at = 0;
			}
			shadow[where(dst, dst->data + dst->data_len + dst_at) - shadow_of] =
				*where(src, src->data + i);
			dst_at++;
		}
	}
}

#endif
