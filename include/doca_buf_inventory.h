/*
 * Inventory: a fixed number of buffer descriptors, taken and given back without allocating.
 *
 * Order: create, start, take buffers, give them back with doca_buf_dec_refcount
 * (up to 2.2 doca_buf_refcount_rm), stop, destroy. The
 * inventory holds descriptors only; the memory belongs to memory maps.
 *
 * An inventory that was not started is started by the first call that needs it started, which then
 * warns once. Up to 2.2 a buffer may be taken before the first start of its map, once the range is
 * set, with a warning as well; a job needs the map started. DOCOCORED_STRICT=1 in the environment
 * refuses both with DOCA_ERROR_BAD_STATE.
 *
 * Threads: one thread at a time per inventory, with the buffers that came from it.
 */
#ifndef DOCA_BUF_INVENTORY_H_
#define DOCA_BUF_INVENTORY_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
#include <doca_buf.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf_inventory; /* inventory */
struct doca_buf;
struct doca_mmap;

/**
 * Stops an inventory if need be and frees it.
 * @param inventory inventory
 * States: any, with all buffers given back.
 * Threads: one at a time per inventory and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_IN_USE: buffers are still out; drop them first. Up to 2.2 this is NOT_PERMITTED.
 * Since 1.3. Source: DOCA Core guide, buffer inventory.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/**
 * Makes buffers available. A started inventory stays as it is.
 * @param inventory inventory
 * States: any.
 * Threads: one at a time per inventory and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 1.3. Source: DOCA Core guide, buffer inventory.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);

/**
 * Makes buffers unavailable again; those that are out stay valid.
 * @param inventory inventory
 * States: any.
 * Threads: one at a time per inventory and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 1.3. Source: DOCA Core guide, buffer inventory.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/**
 * Takes a second descriptor of the same memory: region and window are copied, of a list those of
 * every element. No byte of the memory is.
 * @param inventory inventory
 * @param src_buf head of a list, or a single buffer, of any inventory; unchanged
 * @param dst_buf receives the copy, with one reference
 * States: started, the source's map too. No allocation.
 * Threads: one at a time per inventory and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the inventory or the source's map is not started.
 * - DOCA_ERROR_NOT_PERMITTED: src_buf is inside a list; give its head.
 * - DOCA_ERROR_NO_MEMORY: no free descriptor; give buffers back, expand the inventory, or make a
 *   larger one.
 * Since 1.3. Source: DOCA Core guide, buffer inventory.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
						    const struct doca_buf *src_buf,
						    struct doca_buf **dst_buf);

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <doca_buf_inventory_workq.h>
#else
#include <doca_buf_inventory_task.h>
#endif

#endif
