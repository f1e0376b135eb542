/*
 * Buffer pool: equal pieces of one memory map. The start writes everything of a buffer that does
 * not change, so that taking a buffer only resets its data section and its reference count. When a
 * memory map stops, its pools become unavailable (client/memory/buf_freelist.h). Threads: one at a
 * time per pool; pools of several threads may share a memory map.
 */
#include "client/memory/buf_pool.h"

#include <stdlib.h>

#include "client/base/error.h"
#include "client/memory/buf_freelist.h"
#include "client/memory/quarantine.h"
#include "util/str.h"

struct doca_buf_pool {
	struct buf_freelist freelist; /* must be first: buffers point to it */
	struct buf_slab slab;
	size_t element_size;
	size_t alignment;
	union doca_data user_data;
	uint16_t api; /* the generation that created it */
};

static doca_error_t pool_check(const struct doca_buf_pool *pool, const char *what)
{
	if (likely(pool != NULL))
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE, "buf pool %s: pool is NULL", what);
}

static doca_error_t pool_check_out(const struct doca_buf_pool *pool, const void *out,
				   const char *what)
{
	if (pool != NULL && out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf pool %s: the result is NULL", what);
	return pool_check(pool, what);
}

/* Returns SUCCESS if no buffer is taken. */
static doca_error_t pool_check_unused(const struct doca_buf_pool *pool, const char *what)
{
	size_t n_out = pool->freelist.n_elements - pool->freelist.n_free;

	if (n_out == 0)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_IN_USE,
			 "buf pool %s: %zu of %u %s %s still in use; release them with "
			 "doca_buf_dec_refcount",
			 what, n_out, pool->freelist.n_elements,
			 plural(pool->freelist.n_elements, "buffer", "buffers"),
			 plural(n_out, "is", "are"));
}

doca_error_t buf_pool_new(uint16_t api, size_t num_elements, size_t element_size,
			  const struct doca_mmap *mmap, struct doca_buf_pool **pool_out)
{
	struct doca_buf_pool *pool;
	void *bufs = NULL;

	if (pool_out == NULL || mmap == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf pool create: %s is NULL",
				 mmap == NULL ? "mmap" : "the result");
	if (api == API_TASK && mmap->api != API_TASK)
		return api_refuse("buf pool create", "mmap", mmap->api);
	if (num_elements == 0 || num_elements > UINT32_MAX || element_size == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf pool create: %s",
				 num_elements == 0   ? "0 elements; ask for at least 1"
				 : element_size == 0 ? "elements of 0 bytes; ask for at least 1"
						     : "more than 4294967295 elements");
	pool = calloc(1, sizeof(*pool));
	if (pool != NULL)
		pool->freelist.stack = malloc(num_elements * sizeof(*pool->freelist.stack));
	if (pool == NULL || pool->freelist.stack == NULL ||
	    posix_memalign(&bufs, 64, num_elements * sizeof(struct doca_buf)) != 0) {
		if (pool != NULL)
			free(pool->freelist.stack);
		free(pool);
		return error_set(DOCA_ERROR_NO_MEMORY, "buf pool create: out of memory for %zu %s",
				 num_elements, plural(num_elements, "element", "elements"));
	}
	pool->slab.bufs = bufs;
	pool->slab.n = (uint32_t)num_elements;
	pool->freelist.slabs = &pool->slab;
	pool->freelist.n_elements = (uint32_t)num_elements;
	pool->freelist.n_free = num_elements;
	pool->freelist.floor = SIZE_MAX;
	pool->freelist.is_pool = true;
	/* The cast is safe: a buffer's pointer is not const, but the pool never writes to the
	 * memory map. */
	pool->freelist.mmap = (struct doca_mmap *)(uintptr_t)mmap;
	pool->element_size = element_size;
	pool->alignment = 1;
	pool->api = api;
	buf_freelist_add(&pool->freelist);
	*pool_out = pool;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
				  const struct doca_mmap *mmap, struct doca_buf_pool **pool_out)
{
	return buf_pool_new(API_TASK, num_elements, element_size, mmap, pool_out);
}

doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *pool)
{
	doca_error_t result = pool_check(pool, "destroy");

	if (result == DOCA_SUCCESS)
		result = pool_check_unused(pool, "destroy");
	if (result != DOCA_SUCCESS)
		return result;
	buf_freelist_remove(&pool->freelist);
	quarantine_free(pool->slab.bufs, (size_t)pool->slab.n * sizeof(*pool->slab.bufs));
	free(pool->freelist.stack);
	free(pool);
	return DOCA_SUCCESS;
}
API_INTERNAL(buf_pool_delete, doca_buf_pool_destroy);

/* Computes the address of the first element and the distance between two elements. */
static doca_error_t pool_layout(const struct doca_buf_pool *pool, uint8_t **first_out,
				size_t *stride_out)
{
	const struct doca_mmap *mmap = pool->freelist.mmap;
	size_t n = pool->freelist.n_elements, lead, stride, all;
	size_t mask = pool->alignment - 1;

	lead = -mmap->base & mask;
	if (!__builtin_add_overflow(pool->element_size, mask, &stride)) {
		stride &= ~mask;
		/* The last element needs no padding up to the alignment. */
		if (!__builtin_mul_overflow(n - 1, stride, &all) &&
		    !__builtin_add_overflow(all, lead, &all) &&
		    !__builtin_add_overflow(all, pool->element_size, &all) && all <= mmap->span) {
			*first_out = (uint8_t *)(mmap->base + lead);
			*stride_out = stride;
			return DOCA_SUCCESS;
		}
	}
	return error_set(DOCA_ERROR_INITIALIZATION,
			 "buf pool start: %zu %s of %zu bytes, aligned to %zu, %s not fit the "
			 "mmap's %zu bytes; use a larger range or fewer elements",
			 n, plural(n, "element", "elements"), pool->element_size, pool->alignment,
			 plural(n, "does", "do"), mmap->span);
}

doca_error_t buf_pool_fits(const struct doca_buf_pool *pool)
{
	uint8_t *first;
	size_t stride;

	return pool_layout(pool, &first, &stride);
}

doca_error_t doca_buf_pool_start(struct doca_buf_pool *pool)
{
	doca_error_t result = pool_check(pool, "start");
	uint8_t *head = NULL;
	size_t i, stride = 0;

	if (result != DOCA_SUCCESS || pool->freelist.started)
		return result;
	if (pool->freelist.mmap->base == UINTPTR_MAX)
		return error_set(
			DOCA_ERROR_BAD_STATE,
			"buf pool start: the mmap is not started; call doca_mmap_start first");
	result = pool_layout(pool, &head, &stride);
	if (result != DOCA_SUCCESS)
		return result;
	/* The stack is filled from the end, so that the element at the lowest address is taken
	 * first. */
	buf_freelists_lock();
	for (i = 0; i < pool->freelist.n_elements; i++, head += stride) {
		pool->slab.bufs[i] = (struct doca_buf){.head = head,
						       .len = pool->element_size,
						       .data = head,
						       .mmap = pool->freelist.mmap,
						       .freelist = &pool->freelist};
		pool->freelist.stack[pool->freelist.n_elements - 1 - i] = &pool->slab.bufs[i];
	}
	pool->freelist.floor = 0;
	pool->freelist.started = true;
	buf_freelists_unlock();
	return DOCA_SUCCESS;
}
API_INTERNAL(buf_pool_start, doca_buf_pool_start);

doca_error_t doca_buf_pool_stop(struct doca_buf_pool *pool)
{
	doca_error_t result = pool_check(pool, "stop");

	if (result == DOCA_SUCCESS)
		result = pool_check_unused(pool, "stop");
	if (result != DOCA_SUCCESS)
		return result;
	buf_freelists_lock();
	pool->freelist.floor = SIZE_MAX;
	pool->freelist.started = false;
	buf_freelists_unlock();
	return DOCA_SUCCESS;
}
API_INTERNAL(buf_pool_stop, doca_buf_pool_stop);

static __attribute__((noinline)) doca_error_t pool_alloc_fails(struct doca_buf_pool *pool,
							       struct doca_buf **buf_out)
{
	doca_error_t result = pool_check_out(pool, buf_out, "alloc");

	if (result != DOCA_SUCCESS)
		return result;
	if (!pool->freelist.started)
		return error_set(
			DOCA_ERROR_BAD_STATE,
			"buf pool alloc: the pool is not started; call doca_buf_pool_start");
	if (pool->freelist.floor != 0)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "buf pool alloc: the mmap is not started; call doca_mmap_start");
	return error_hint(pool->api == API_TASK ? DOCA_ERROR_EMPTY : DOCA_ERROR_NO_MEMORY,
			  "buf pool alloc: all buffers of the pool are in use; release some or "
			  "create a larger pool");
}

doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *pool, struct doca_buf **buf_out)
{
	struct doca_buf *buf;
	size_t top;

	if (unlikely(pool == NULL))
		return pool_alloc_fails(pool, buf_out);
	top = pool->freelist.n_free;
	if (unlikely(top <= pool->freelist.floor))
		return pool_alloc_fails(pool, buf_out);
	if (unlikely(buf_out == NULL))
		return pool_alloc_fails(pool, buf_out);
	buf = buf_freelist_pop(&pool->freelist, top);
	buf->data = buf->head;
	buf->data_len = 0;
	buf_set_state(buf, 1);
	*buf_out = buf;
	return DOCA_SUCCESS;
}

API_INTERNAL(buf_pool_allocate, doca_buf_pool_buf_alloc);

void buf_pool_set_user_data(struct doca_buf_pool *pool, union doca_data user_data)
{
	pool->user_data = user_data;
}

doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *pool, union doca_data user_data)
{
	doca_error_t result = pool_check(pool, "set user data");

	if (result != DOCA_SUCCESS)
		return result;
	pool->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *pool, size_t alignment)
{
	doca_error_t result = pool_check(pool, "set alignment");

	if (result != DOCA_SUCCESS)
		return result;
	if (alignment == 0 || (alignment & (alignment - 1)) != 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "buf pool set alignment: %zu is no power of two", alignment);
	if (pool->freelist.started)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "buf pool set alignment: the pool is started; stop it first");
	pool->alignment = alignment;
	return DOCA_SUCCESS;
}
API_INTERNAL(buf_pool_set_alignment, doca_buf_pool_set_element_alignment);

doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *pool, uint32_t *num_out)
{
	doca_error_t result = pool_check_out(pool, num_out, "elements");

	if (result == DOCA_SUCCESS)
		*num_out = pool->freelist.n_elements;
	return result;
}
API_INTERNAL(buf_pool_n_elements, doca_buf_pool_get_num_elements);

doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *pool,
						 uint32_t *num_out)
{
	doca_error_t result = pool_check_out(pool, num_out, "free elements");

	if (result == DOCA_SUCCESS)
		*num_out = (uint32_t)pool->freelist.n_free;
	return result;
}
API_INTERNAL(buf_pool_n_free, doca_buf_pool_get_num_free_elements);

doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *pool,
					 union doca_data *user_data_out)
{
	doca_error_t result = pool_check_out(pool, user_data_out, "user data");

	if (result == DOCA_SUCCESS)
		*user_data_out = pool->user_data;
	return result;
}
API_INTERNAL(buf_pool_user_data, doca_buf_pool_get_user_data);

doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *pool,
						 size_t *alignment_out)
{
	doca_error_t result = pool_check_out(pool, alignment_out, "alignment");

	if (result == DOCA_SUCCESS)
		*alignment_out = pool->alignment;
	return result;
}
