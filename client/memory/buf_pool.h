/* Buffer pool: functions that the calls of 2.2 and those of 2.5 and later share. Both use the same
 * object, which records its generation. */
#ifndef CLIENT_MEMORY_BUF_POOL_H
#define CLIENT_MEMORY_BUF_POOL_H

#include <doca_buf_pool.h>

#include "client/base/generation.h"

/* Creates a stopped pool of the given generation. */
doca_error_t buf_pool_new(uint16_t api, size_t n_elements, size_t element_size,
			  const struct doca_mmap *mmap, struct doca_buf_pool **pool_out);
void buf_pool_set_user_data(struct doca_buf_pool *pool, union doca_data user_data);
/* For a stopped pool: checks that its elements, at their alignment, lie within the started memory
 * map. Otherwise returns INITIALIZATION and records an error sentence. */
doca_error_t buf_pool_fits(const struct doca_buf_pool *pool);
/* The implementations of the public functions that <doca_buf_pool.h> describes. */
doca_error_t buf_pool_allocate(struct doca_buf_pool *pool, struct doca_buf **buf_out);
doca_error_t buf_pool_delete(struct doca_buf_pool *pool);
doca_error_t buf_pool_start(struct doca_buf_pool *pool);
doca_error_t buf_pool_stop(struct doca_buf_pool *pool);
doca_error_t buf_pool_set_alignment(struct doca_buf_pool *pool, size_t alignment);
doca_error_t buf_pool_n_elements(const struct doca_buf_pool *pool, uint32_t *n_out);
doca_error_t buf_pool_n_free(const struct doca_buf_pool *pool, uint32_t *n_out);
doca_error_t buf_pool_user_data(const struct doca_buf_pool *pool, union doca_data *user_data_out);

#endif
