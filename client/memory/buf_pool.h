/*
 * Pool: what the calls of 2.2 and those of 2.5 and later share. A pool of 2.2 is one of ours that
 * knows its version.
 */
#ifndef CLIENT_MEMORY_BUF_POOL_H
#define CLIENT_MEMORY_BUF_POOL_H

#include <doca_buf_pool.h>

#include "client/base/generation.h"

/* Not started, of a version. */
doca_error_t buf_pool_new(uint16_t api, size_t n_elements, size_t element_size,
			  const struct doca_mmap *mmap, struct doca_buf_pool **pool_out);
void buf_pool_set_user_data(struct doca_buf_pool *pool, union doca_data user_data);
/* Of a pool that is not started: its elements, at the alignment, lie within the started mmap; or
 * INITIALIZATION with a sentence. */
doca_error_t buf_pool_fits(const struct doca_buf_pool *pool);
/* What the public functions do, as <doca_buf_pool.h> describes them. */
doca_error_t buf_pool_take(struct doca_buf_pool *pool, struct doca_buf **buf_out);
doca_error_t buf_pool_delete(struct doca_buf_pool *pool);
doca_error_t buf_pool_start(struct doca_buf_pool *pool);
doca_error_t buf_pool_stop(struct doca_buf_pool *pool);
doca_error_t buf_pool_set_alignment(struct doca_buf_pool *pool, size_t alignment);
doca_error_t buf_pool_n_elements(const struct doca_buf_pool *pool, uint32_t *n_out);
doca_error_t buf_pool_n_free(const struct doca_buf_pool *pool, uint32_t *n_out);
doca_error_t buf_pool_user_data(const struct doca_buf_pool *pool, union doca_data *user_data_out);

#endif
