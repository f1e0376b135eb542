/*
 * Pool of 2.0 to 2.2: buffers of one size, cut from one memory map. From 2.5 on the same is in
 * doca_buf_pool.h.
 *
 * Order: start the map, create, start, take buffers, give them back with doca_buf_refcount_rm,
 * stop, destroy. The map outlives the pool.
 *
 * Threads: one thread at a time per pool, with the buffers that came from it.
 */
#ifndef DOCA_BUFPOOL_H_
#define DOCA_BUFPOOL_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if !DOCA_API_BETWEEN(200, 204)
#error "doca_bufpool.h is there from 2.0 to 2.2: set DOCA_USE_VERSION to one of those, or from 2.5 on include doca_buf_pool.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_bufpool; /* pool */
struct doca_buf;
struct doca_mmap;

/**
 * Makes a pool, not started. All of its memory is taken here; that of the elements is the map's.
 * @param user_data word kept with the pool, copied; or NULL for 0
 * @param num_elements number of buffers, at least 1
 * @param extensions DOCA_BUF_EXTENSION_NONE
 * @param element_size bytes of each, at least 1
 * @param element_alignment bytes, a power of two, that each element begins at a multiple of
 * @param mmap started map that the elements lie in, from its start on; stays the caller's
 * @param bufpool receives the pool; give it back with doca_bufpool_destroy
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap or bufpool is NULL, a number is 0 or too large, an extension is
 *   unknown, the alignment is no power of two, or the elements do not fit the map.
 * - DOCA_ERROR_NO_MEMORY: no memory for that many.
 * - DOCA_ERROR_BAD_STATE: the map is not started, or of another generation.
 * Since 2.0, until 2.2. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_bufpool_create(const union doca_data *user_data, size_t num_elements,
					     uint32_t extensions, size_t element_size,
					     size_t element_alignment, const struct doca_mmap *mmap,
					     struct doca_bufpool **bufpool);

/**
 * Stops a pool if need be and frees it.
 * @param bufpool pool
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: bufpool is NULL.
 * - DOCA_ERROR_IN_USE: buffers are still out; drop them first.
 * Since 2.0, until 2.2. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_bufpool_destroy(struct doca_bufpool *bufpool);

/**
 * Cuts the map into the pool's elements and makes them available. A started pool stays as it is.
 * @param bufpool pool
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: bufpool is NULL.
 * - DOCA_ERROR_BAD_STATE: the map was stopped; start it.
 * Since 2.0, until 2.2. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_bufpool_start(struct doca_bufpool *bufpool);

/**
 * Makes buffers unavailable again. The pool may be started again.
 * @param bufpool pool
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: bufpool is NULL.
 * - DOCA_ERROR_IN_USE: buffers are still out; drop them first.
 * Since 2.0, until 2.2. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_bufpool_stop(struct doca_bufpool *bufpool);

/**
 * Takes a buffer: its region is one element, its data window is empty and at the region's start.
 * @param bufpool pool
 * @param buf receives the buffer; give it back with doca_buf_refcount_rm
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the pool or its map is not started.
 * - DOCA_ERROR_NO_MEMORY: all buffers are out; give some back, or make a larger pool.
 * Since 2.0, until 2.2. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_bufpool_buf_alloc(struct doca_bufpool *bufpool,
						struct doca_buf **buf);

/**
 * Number of buffers of a pool.
 * @param bufpool pool
 * @param num_of_elements receives the number
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.0, until 2.2. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_bufpool_get_num_elements(const struct doca_bufpool *bufpool,
						       uint32_t *num_of_elements);

/**
 * Number of buffers that are not taken.
 * @param bufpool pool
 * @param num_of_free_elements receives the number
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.0, until 2.2. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_bufpool_get_num_free_elements(const struct doca_bufpool *bufpool,
							    uint32_t *num_of_free_elements);

/**
 * Word kept with a pool.
 * @param bufpool pool
 * @param user_data receives it; 0 if none was given
 * Threads: one at a time per pool and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.0, until 2.2. Source: DOCA Core guide, buffer pool.
 */
DOCA_STABLE doca_error_t doca_bufpool_get_user_data(const struct doca_bufpool *bufpool,
						    union doca_data *user_data);

#ifdef __cplusplus
}
#endif

#endif
