/*
 * Pool: buffers of one size, which are parts of one memory map. Acquiring a buffer is cheaper
 * than with an inventory, because the start of the pool has determined its address.
 *
 * Use it in this order: create it, set the alignment if needed, start it, acquire buffers, release
 * them with doca_buf_dec_refcount(), stop it, destroy it. Start the map before the pool. It must
 * outlive the pool.
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
 * Example: a pool of 64 buffers of 4 KiB, and an empty buffer from it.
 *
 *     #include <doca_mmap.h>
 *
 *     doca_error_t start_pool(const struct doca_mmap *map, struct doca_buf_pool **pool,
 *                             struct doca_buf **buf)
 *     {
 *         doca_error_t result = doca_buf_pool_create(64, 4096, map, pool);
 *
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         if ((result = doca_buf_pool_set_element_alignment(*pool, 64)) != DOCA_SUCCESS ||
 *             (result = doca_buf_pool_start(*pool)) != DOCA_SUCCESS ||
 *             (result = doca_buf_pool_buf_alloc(*pool, buf)) != DOCA_SUCCESS)
 *             doca_buf_pool_destroy(*pool);
 *         return result;
 *     }
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
 * Creates a pool, not started. This call allocates all memory of the pool; the elements themselves
 * are in the memory map.
 * @param num_elements number of buffers, 1 to 4294967295
 * @param element_size size of each element in bytes, at least 1
 * @param mmap map that contains the elements, from its start on; owned by the program, must outlive
 *   the pool's use, and need not be started yet
 * @param buf_pool receives the pool; release it with doca_buf_pool_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: num_elements or element_size is 0 or too large.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many elements; create a smaller pool.
 * - DOCA_ERROR_BAD_STATE: the map was created for 2.2 or earlier.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
					      const struct doca_mmap *mmap,
					      struct doca_buf_pool **buf_pool);

/**
 * Destroys a pool. Stops it first if it is started.
 * @param buf_pool pool
 * States: any; all buffers released.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: buffers are still in use; release them first.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool);

/**
 * Divides the map into the pool's elements and makes buffers available. Has no effect on a started
 * pool.
 * @param buf_pool pool
 * States: any; the map is started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INITIALIZATION: the elements with their alignment do not fit in the map; use a
 *   larger map, or fewer or smaller elements.
 * - DOCA_ERROR_BAD_STATE: the map is not started; call doca_mmap_start() first.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool);

/**
 * Makes buffers unavailable again. The pool may be started again.
 * @param buf_pool pool
 * States: any; all buffers released.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: buffers are still in use; release them first.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool);

/**
 * Acquires a buffer. Its region is one element, and its data window is empty and at the start of
 * the region. The content of the memory is unchanged.
 * @param buf_pool pool
 * @param buf receives the buffer, with one reference; release it with doca_buf_dec_refcount
 * States: pool and map started. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the pool or its map is not started.
 * - DOCA_ERROR_EMPTY: all buffers are in use; release some, or make a larger pool.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool,
						 struct doca_buf **buf);

/**
 * Sets the user data of a pool.
 * @param buf_pool pool
 * @param user_data any value; the library never interprets it
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool,
						     union doca_data user_data);

/**
 * Sets the alignment of the elements. The distance of two elements is the element size, rounded up
 * to a multiple of the alignment. The default is 1.
 * @param buf_pool pool
 * @param element_alignment bytes, a power of two
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: element_alignment is not a power of two.
 * - DOCA_ERROR_BAD_STATE: the pool is started; stop it first.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
							     size_t element_alignment);

/**
 * Gets the number of buffers of a pool.
 * @param buf_pool pool
 * @param num_of_elements receives the number
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
							uint32_t *num_of_elements);

/**
 * Gets the number of free buffers.
 * @param buf_pool pool
 * @param num_of_free_elements receives the number
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
							     uint32_t *num_of_free_elements);

/**
 * Gets the user data of a pool.
 * @param buf_pool pool
 * @param user_data receives the value; 0 if none was set
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
						     union doca_data *user_data);

/**
 * Gets the alignment of a pool's elements.
 * @param buf_pool pool
 * @param element_alignment receives the number of bytes
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
							     size_t *element_alignment);

#ifdef __cplusplus
}
#endif

#endif
