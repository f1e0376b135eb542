/*
 * Pool of 2.0 to 2.2: buffers of one size, which are parts of one memory map. From 2.5 on,
 * doca_buf_pool.h has the pools.
 *
 * Use it in this order: start the map, create the pool, start it, acquire buffers, release them
 * with doca_buf_refcount_rm(), stop it, destroy it. The map must outlive the pool.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 *
 * Threads: one thread at a time per pool, with the buffers that were acquired from it.
 *
 * Reference: DOCA Core guide, buffer pool.
 *
 * Example: a pool of 64 buffers of 4 KiB, aligned to 64 bytes, and an empty buffer from it.
 *
 *     doca_error_t start_pool(const struct doca_mmap *map, struct doca_bufpool **pool,
 *                             struct doca_buf **buf)
 *     {
 *         doca_error_t result = doca_bufpool_create(NULL, 64, DOCA_BUF_EXTENSION_NONE, 4096, 64,
 *                                                   map, pool);
 *
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         if ((result = doca_bufpool_start(*pool)) != DOCA_SUCCESS ||
 *             (result = doca_bufpool_buf_alloc(*pool, buf)) != DOCA_SUCCESS)
 *             doca_bufpool_destroy(*pool);
 *         return result;
 *     }
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
 * Creates a pool, not started. This call allocates all memory of the pool; the elements themselves
 * are in the memory map.
 * @param user_data user data of the pool, copied; NULL for 0
 * @param num_elements number of buffers, at least 1
 * @param extensions DOCA_BUF_EXTENSION_NONE
 * @param element_size size of each element in bytes, at least 1
 * @param element_alignment alignment of each element in bytes, a power of two
 * @param mmap started map that contains the elements, from its start on; owned by the program
 * @param bufpool receives the pool; release it with doca_bufpool_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a number is 0 or too large, an extension is unknown, the alignment is
 *   not a power of two, or the elements do not fit in the map.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many elements; create a smaller pool.
 * - DOCA_ERROR_BAD_STATE: the map is not started, or was created by a version of another
 *   generation.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_bufpool_create(const union doca_data *user_data, size_t num_elements,
					     uint32_t extensions, size_t element_size,
					     size_t element_alignment, const struct doca_mmap *mmap,
					     struct doca_bufpool **bufpool);

/**
 * Destroys a pool. Stops it first if it is started.
 * @param bufpool pool
 * States: any; all buffers released.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: buffers are still in use; release them first.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_bufpool_destroy(struct doca_bufpool *bufpool);

/**
 * Divides the map into the pool's elements and makes buffers available. Has no effect on a started
 * pool.
 * @param bufpool pool
 * States: any; the map is started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the map was stopped after the creation of the pool; start it.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_bufpool_start(struct doca_bufpool *bufpool);

/**
 * Makes buffers unavailable again. The pool may be started again.
 * @param bufpool pool
 * States: any; all buffers released.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: buffers are still in use; release them first.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_bufpool_stop(struct doca_bufpool *bufpool);

/**
 * Acquires a buffer. Its region is one element, and its data window is empty and at the start of
 * the region. The content of the memory is unchanged.
 * @param bufpool pool
 * @param buf receives the buffer; release it with doca_buf_refcount_rm
 * States: pool and map started. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the pool or its map is not started.
 * - DOCA_ERROR_NO_MEMORY: all buffers are in use; release some, or make a larger pool.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_bufpool_buf_alloc(struct doca_bufpool *bufpool,
						struct doca_buf **buf);

/**
 * Gets the number of buffers of a pool.
 * @param bufpool pool
 * @param num_of_elements receives the number
 * @return DOCA_SUCCESS
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_bufpool_get_num_elements(const struct doca_bufpool *bufpool,
						       uint32_t *num_of_elements);

/**
 * Gets the number of free buffers.
 * @param bufpool pool
 * @param num_of_free_elements receives the number
 * @return DOCA_SUCCESS
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_bufpool_get_num_free_elements(const struct doca_bufpool *bufpool,
							    uint32_t *num_of_free_elements);

/**
 * Gets the user data of a pool.
 * @param bufpool pool
 * @param user_data receives the value; 0 if none was given
 * @return DOCA_SUCCESS
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_bufpool_get_user_data(const struct doca_bufpool *bufpool,
						    union doca_data *user_data);

#ifdef __cplusplus
}
#endif

#endif
