/*
 * Inventory, from 2.5 on. Included by doca_buf_inventory.h, whose comment has the rules for states,
 * errors and threads.
 */
#ifndef DOCA_BUF_INVENTORY_TASK_H_
#define DOCA_BUF_INVENTORY_TASK_H_

#include <doca_buf_inventory.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Creates an inventory, not started. This call allocates all of its memory.
 * @param num_elements number of buffer descriptors, at least 1
 * @param inventory receives the inventory; release it with doca_buf_inventory_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: num_elements is 0.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many descriptors; create a smaller inventory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_create(size_t num_elements,
						   struct doca_buf_inventory **inventory)
	DOCA_BIND(doca_buf_inventory_create, 2_5);

/**
 * Acquires a buffer with a given region and data window.
 * @param inventory inventory
 * @param mmap started map that contains the memory; must outlive the buffer
 * @param addr start of the region
 * @param len length of the region in bytes
 * @param data start of the data window, inside the region
 * @param data_len length of the data window in bytes
 * @param buf receives the buffer, with one reference; release it with doca_buf_dec_refcount
 * States: inventory and map started. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the region is outside the map, or the window outside the region.
 * - DOCA_ERROR_NO_MEMORY: no free descriptor; release buffers, expand the inventory, or make a
 *   larger one.
 * - DOCA_ERROR_BAD_STATE: the inventory or the map is not started, or was created for 2.2 or
 *   earlier.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
							    struct doca_mmap *mmap, void *addr,
							    size_t len, void *data, size_t data_len,
							    struct doca_buf **buf);

/**
 * Acquires a buffer whose data window is empty and at the start of the region: a destination.
 * @param inventory inventory
 * @param mmap started map that contains the memory; must outlive the buffer
 * @param addr start of the region
 * @param len length of the region in bytes
 * @param buf receives the buffer, with one reference; release it with doca_buf_dec_refcount
 * States: inventory and map started. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: no free descriptor; release buffers, expand the inventory, or make a
 *   larger one.
 * - DOCA_ERROR_INVALID_VALUE: as for doca_buf_inventory_buf_get_by_args.
 * - DOCA_ERROR_BAD_STATE: the inventory or the map is not started, or was created for 2.2 or
 *   earlier.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory *inventory,
							    struct doca_mmap *mmap, void *addr,
							    size_t len, struct doca_buf **buf);

/**
 * Acquires a buffer whose data window is the whole region: a source.
 * @param inventory inventory
 * @param mmap started map that contains the memory; must outlive the buffer
 * @param data start of the region and of the window
 * @param data_len length of both in bytes
 * @param buf receives the buffer, with one reference; release it with doca_buf_dec_refcount
 * States: inventory and map started. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: no free descriptor; release buffers, expand the inventory, or make a
 *   larger one.
 * - DOCA_ERROR_INVALID_VALUE: as for doca_buf_inventory_buf_get_by_args.
 * - DOCA_ERROR_BAD_STATE: the inventory or the map is not started, or was created for 2.2 or
 *   earlier.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory *inventory,
							    struct doca_mmap *mmap, void *data,
							    size_t data_len, struct doca_buf **buf);

/**
 * Sets the user data of an inventory.
 * @param inventory inventory
 * @param user_data any value; the library never interprets it
 * States: any. (The guide restricts the call to started inventories, but real cards do not enforce
 *   that either.)
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
							  union doca_data user_data);

/**
 * Gets the number of descriptors of an inventory.
 * @param inventory inventory
 * @param num_of_elements receives the number
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_get_num_elements(
	const struct doca_buf_inventory *inventory, uint32_t *num_of_elements);

/**
 * Gets the number of free descriptors.
 * @param inventory inventory
 * @param num_of_free_elements receives the number
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_get_num_free_elements(
	const struct doca_buf_inventory *inventory, uint32_t *num_of_free_elements);

/**
 * Gets the user data of an inventory.
 * @param inventory inventory
 * @param user_data receives the value; 0 if none was set
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_get_user_data(
	const struct doca_buf_inventory *inventory, union doca_data *user_data);

/**
 * Adds descriptors to an inventory. Buffers that are in use do not move.
 * @param inventory inventory
 * @param num_elements number of descriptors to add, at least 1
 * States: started. Allocates memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: num_elements is 0.
 * - DOCA_ERROR_BAD_STATE: the inventory is not started.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many descriptors; add fewer.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory,
						   uint32_t num_elements);

/**
 * Makes a buffer refer to other memory of the same map, with an empty data window. This replaces
 * releasing the buffer and acquiring another one.
 * @param buf single buffer with one reference; no submitted task uses it
 * @param addr start of the new region, in the same map
 * @param len length of the region in bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the region is outside the map, or the buffer belongs to a pool.
 * Since 3.2.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_reuse_by_addr(struct doca_buf *buf, void *addr,
							      size_t len);

/**
 * Makes a buffer refer to other memory of the same map, with all of it as the data window. This
 * replaces releasing the buffer and acquiring another one.
 * @param buf single buffer with one reference; no submitted task uses it
 * @param data start of the new region and window, in the same map
 * @param data_len length of both in bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the region is outside the map, or the buffer belongs to a pool.
 * Since 3.2.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_reuse_by_data(struct doca_buf *buf, void *data,
							      size_t data_len);

/* Calls of earlier versions. */
DOCA_ELSEWHERE(doca_buf_inventory_buf_by_addr,
	       "up to 2.2; from 2.5 on doca_buf_inventory_buf_get_by_addr");
DOCA_ELSEWHERE(doca_buf_inventory_buf_by_args,
	       "up to 2.2; from 2.5 on doca_buf_inventory_buf_get_by_args");
DOCA_ELSEWHERE(doca_buf_inventory_buf_by_data,
	       "up to 2.2; from 2.5 on doca_buf_inventory_buf_get_by_data");

#ifdef __cplusplus
}
#endif

#endif
