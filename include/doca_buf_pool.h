/*
 * Pool: buffers of one size, cut from one memory map when the pool starts. Taking one costs less
 * than taking one from an inventory, because its place in memory was decided before.
 *
 * Order: create, set the alignment if need be, start, take buffers, give them back with
 * doca_buf_dec_refcount, stop, destroy. The map is started before the pool and outlives it.
 *
 * Threads: one thread at a time per pool, with the buffers that came from it.
 */
#ifndef DOCA_BUF_POOL_H_
#define DOCA_BUF_POOL_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if DOCA_API_WORKQ
#error "doca_buf_pool.h is there from 2.5 on: set DOCA_USE_VERSION to that or later; 2.0 to 2.2 have doca_bufpool.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf_pool; /* pool */
struct doca_buf;
struct doca_mmap;

/**
 * Makes a pool, not started. All of its memory is taken here; that of the elements is the map's.
 * @param num_elements number of buffers, 1 to 4294967295
 * @param element_size bytes of each, at least 1
 * @param mmap map that the elements lie in, from its start on; stays the caller's, must outlive the
 * pool's use, and need not be started yet
 * @param buf_pool receives the pool; give it back with doca_buf_pool_destroy
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap or buf_pool is NULL, or num_elements or element_size is 0 or too
 *   large.
 * - DOCA_ERROR_NO_MEMORY: no memory for that many.
 * Since 2.5. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
					      const struct doca_mmap *mmap,
					      struct doca_buf_pool **buf_pool);

/**
 * Stops a pool if need be and frees it.
 * @param buf_pool pool
 * States: any, with all buffers given back.
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL.
 * - DOCA_ERROR_IN_USE: buffers are still out; drop them first.
 * Since 2.5. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool);

/**
 * Cuts the map into the pool's elements and makes them available. A started pool stays as it is.
 * @param buf_pool pool
 * States: any; the map is started.
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL.
 * - DOCA_ERROR_INITIALIZATION: the elements, each at its alignment, do not fit the map; use a
 *   larger one, or fewer or smaller elements.
 * - DOCA_ERROR_BAD_STATE: the map is not started, call doca_mmap_start; or it was made for 2.2 or
 *   earlier.
 * Since 2.5. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool);

/**
 * Makes buffers unavailable again. The pool may be started again.
 * @param buf_pool pool
 * States: any, with all buffers given back.
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL.
 * - DOCA_ERROR_IN_USE: buffers are still out; drop them first.
 * Since 2.5. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool);

/**
 * Takes a buffer: its region is one element, its data window is empty and at the region's start.
 * What the memory held stays in it.
 * @param buf_pool pool
 * @param buf receives the buffer, with one reference; give it back with doca_buf_dec_refcount
 * States: started, the map too. No allocation.
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the pool or its map is not started.
 * - DOCA_ERROR_EMPTY: all buffers are out; give some back, or make a larger pool.
 * Since 2.5. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool,
						 struct doca_buf **buf);

/**
 * Keeps a word of the program's own with a pool.
 * @param buf_pool pool
 * @param user_data not interpreted
 * States: any, as with an inventory.
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL.
 * Since 2.5. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool,
						     union doca_data user_data);

/**
 * Has each element begin at a multiple of a number of bytes. Elements then lie as many bytes apart
 * as the size rounded up to that multiple. 1 if never set.
 * @param buf_pool pool
 * @param element_alignment bytes, a power of two
 * States: not started.
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL or element_alignment is no power of two.
 * - DOCA_ERROR_BAD_STATE: the pool is started; stop it first.
 * Since 2.5. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
							     size_t element_alignment);

/**
 * Number of buffers of a pool.
 * @param buf_pool pool
 * @param num_of_elements receives the number
 * States: any.
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
							uint32_t *num_of_elements);

/**
 * Number of buffers that are not taken.
 * @param buf_pool pool
 * @param num_of_free_elements receives the number
 * States: any.
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
							     uint32_t *num_of_free_elements);

/**
 * Word kept with a pool.
 * @param buf_pool pool
 * @param user_data receives it; 0 if none was set
 * States: any.
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
						     union doca_data *user_data);

/**
 * Alignment of a pool's elements.
 * @param buf_pool pool
 * @param element_alignment receives the bytes
 * States: any.
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
							     size_t *element_alignment);

#ifdef __cplusplus
}
#endif

#endif
