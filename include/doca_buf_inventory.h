/*
 * Inventory: a fixed number of buffer descriptors, which are acquired and released without
 * allocation. The memory itself belongs to memory maps.
 *
 * Use it in this order: create it, start it, acquire buffers, release them with
 * doca_buf_dec_refcount() (up to 2.2 doca_buf_refcount_rm()), stop it, destroy it.
 *
 * An inventory that was not started is started by the first call that requires it, with one
 * warning. Up to 2.2 a buffer may be acquired before the first start of its map, once the range is
 * set, with a warning, too; a job requires the map to be started. With DOCOCORED_STRICT=1 in the
 * environment both fail with DOCA_ERROR_BAD_STATE.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: the object was created by a call of another generation; see doca_api.h.
 *
 * Threads: one thread at a time per inventory, with the buffers that were acquired from it.
 *
 * Reference: DOCA Core guide, buffer inventory.
 *
 * Example: start an inventory of 64 buffers, and acquire the first one for len bytes of data.
 *
 *     #include <doca_buf.h>
 *
 *     doca_error_t first_buffer(struct doca_mmap *map, void *data, size_t len,
 *                               struct doca_buf_inventory **inventory, struct doca_buf **buf)
 *     {
 *         doca_error_t result = doca_buf_inventory_create(64, inventory);
 *
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         if ((result = doca_buf_inventory_start(*inventory)) != DOCA_SUCCESS ||
 *             (result = doca_buf_inventory_buf_get_by_data(*inventory, map, data, len, buf)) !=
 *                 DOCA_SUCCESS)
 *             doca_buf_inventory_destroy(*inventory);
 *         return result;
 *     }
 */
#ifndef DOCA_BUF_INVENTORY_H_
#define DOCA_BUF_INVENTORY_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#include <doca_buf.h>
#include <doca_dev.h>
#include <doca_mmap.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf_inventory; /* inventory */
struct doca_buf;
struct doca_mmap;

/**
 * Destroys an inventory. Stops it first if it is started.
 * @param inventory inventory
 * States: any; all buffers released.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: buffers are still in use; release them first. Up to 2.2 this is
 *   DOCA_ERROR_NOT_PERMITTED.
 * Since 1.3.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/**
 * Makes buffers available. Has no effect on a started inventory.
 * @param inventory inventory
 * @return DOCA_SUCCESS
 * Since 1.3.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);

/**
 * Makes buffers unavailable again; buffers that are in use stay valid.
 * @param inventory inventory
 * @return DOCA_SUCCESS
 * Since 1.3.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/**
 * Acquires a second descriptor of the same memory. The region and the data window are copied, those
 * of every element if it is a list. The memory is not copied.
 * @param inventory inventory
 * @param src_buf head of a list, or a single buffer, of any inventory; unchanged
 * @param dst_buf receives the copy, with one reference
 * States: inventory and the source's map started. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the inventory or the source's map is not started.
 * - DOCA_ERROR_NOT_PERMITTED: src_buf is inside a list; pass its head.
 * - DOCA_ERROR_NO_MEMORY: no free descriptor; release buffers, expand the inventory, or make a
 *   larger one.
 * Since 1.3.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
						    const struct doca_buf *src_buf,
						    struct doca_buf **dst_buf);

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <dococ/buf_inventory_workq.h>
#else
#include <dococ/buf_inventory_task.h>
#endif

#endif
