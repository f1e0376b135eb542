/* Buffer pools of 2.0 to 2.2. They are objects of client/memory/buf_pool.c that record their
 * generation. Threads: one at a time per pool and its buffers. */
#include <doca_bufpool.h>

#include <dococ/buf_workq.h>

#include "client/base/error.h"
#include "client/memory/buf_pool.h"
#include "client/memory/mmap.h"

static struct doca_buf_pool *pool_of(const struct doca_bufpool *bufpool)
{
	return (struct doca_buf_pool *)(uintptr_t)bufpool;
}

static doca_error_t create_check(const struct doca_mmap *mmap, struct doca_bufpool **bufpool_out,
				 uint32_t extensions, size_t alignment)
{
	if (mmap == NULL || bufpool_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf pool create: %s is NULL",
				 mmap == NULL ? "mmap" : "the result");
	/* From 2.0 on, one call creates imports for all generations. */
	if (mmap->api < API_2_0 && (mmap->api != API_TASK || !mmap->from_export))
		return api_refuse("buf pool create", "mmap", mmap->api);
	if (extensions != DOCA_BUF_EXTENSION_NONE)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "buf pool create: extensions %#x; pools have no extensions",
				 extensions);
	if (alignment == 0 || (alignment & (alignment - 1)) != 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "buf pool create: an alignment of %zu is no power of two",
				 alignment);
	if (mmap->base == UINTPTR_MAX)
		return error_set(
			DOCA_ERROR_BAD_STATE,
			"buf pool create: the mmap is not started; call doca_mmap_start first");
	return DOCA_SUCCESS;
}

doca_error_t doca_bufpool_create(const union doca_data *user_data, size_t num_elements,
				 uint32_t extensions, size_t element_size, size_t element_alignment,
				 const struct doca_mmap *mmap, struct doca_bufpool **bufpool_out)
{
	struct doca_buf_pool *pool;
	doca_error_t result = create_check(mmap, bufpool_out, extensions, element_alignment);

	if (result == DOCA_SUCCESS)
		result = buf_pool_new(API_2_0, num_elements, element_size, mmap, &pool);
	if (result != DOCA_SUCCESS)
		return result;
	if (user_data != NULL)
		buf_pool_set_user_data(pool, *user_data);
	buf_pool_set_alignment(pool, element_alignment);
	/* All parameters are known, so errors are reported here rather than at start. */
	if (buf_pool_fits(pool) != DOCA_SUCCESS) {
		buf_pool_delete(pool);
		return DOCA_ERROR_INVALID_VALUE;
	}
	*bufpool_out = (struct doca_bufpool *)pool;
	return DOCA_SUCCESS;
}

doca_error_t doca_bufpool_destroy(struct doca_bufpool *bufpool)
{
	return buf_pool_delete(pool_of(bufpool));
}

doca_error_t doca_bufpool_start(struct doca_bufpool *bufpool)
{
	return buf_pool_start(pool_of(bufpool));
}

doca_error_t doca_bufpool_stop(struct doca_bufpool *bufpool)
{
	return buf_pool_stop(pool_of(bufpool));
}

doca_error_t doca_bufpool_buf_alloc(struct doca_bufpool *bufpool, struct doca_buf **buf_out)
{
	return buf_pool_allocate(pool_of(bufpool), buf_out);
}

doca_error_t doca_bufpool_get_num_elements(const struct doca_bufpool *bufpool, uint32_t *num_out)
{
	return buf_pool_n_elements(pool_of(bufpool), num_out);
}

doca_error_t doca_bufpool_get_num_free_elements(const struct doca_bufpool *bufpool,
						uint32_t *num_out)
{
	return buf_pool_n_free(pool_of(bufpool), num_out);
}

doca_error_t doca_bufpool_get_user_data(const struct doca_bufpool *bufpool,
					union doca_data *user_data_out)
{
	return buf_pool_user_data(pool_of(bufpool), user_data_out);
}
