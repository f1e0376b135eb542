/*
 * Inventory, from 2.5 on; included by doca_buf_inventory.h.
 *
 * Threads: one thread at a time per inventory, with the buffers that came from it.
 */
#ifndef DOCA_BUF_INVENTORY_TASK_H_
#define DOCA_BUF_INVENTORY_TASK_H_

#include <doca_buf_inventory.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes an inventory, not started. All of its memory is taken here.
 * @param num_elements number of buffer descriptors, at least 1
 * @param inventory receives the inventory; give it back with doca_buf_inventory_destroy
 * Threads: one at a time per inventory and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL or num_elements is 0.
 * - DOCA_ERROR_NO_MEMORY: no memory for that many.
 * Since 2.5. Source: DOCA Core guide, buffer inventory.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_create(size_t num_elements,
						   struct doca_buf_inventory **inventory)
	DOCA_BIND(doca_buf_inventory_create, 2_5);

/**
 * Takes a buffer with a given region and data window.
 * @param inventory inventory
 * @param mmap started map that the memory is in; must outlive the buffer
 * @param addr start of the region
 * @param len bytes of the region
 * @param data start of the data window, inside the region
 * @param data_len bytes of the data window
 * @param buf receives the buffer, with one reference; give it back with doca_buf_dec_refcount
 * States: started, map too. No allocation.
 * Threads: one at a time per inventory and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the region is outside the map, or the window
 *   outside the region.
 * - DOCA_ERROR_NO_MEMORY: no free descriptor; give buffers back, expand the inventory, or make a
 *   larger one.
 * - DOCA_ERROR_BAD_STATE: the inventory or the map is not started, or was made for 2.2 or earlier.
 * Since 2.5. Source: DOCA Core guide, buffer inventory.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
							    struct doca_mmap *mmap, void *addr,
							    size_t len, void *data, size_t data_len,
							    struct doca_buf **buf);

/**
 * Takes a buffer whose data window is empty and at the start of the region: a destination.
 * @param inventory inventory
 * @param mmap started map that the memory is in; must outlive the buffer
 * @param addr start of the region
 * @param len bytes of the region
 * @param buf receives the buffer, with one reference; give it back with doca_buf_dec_refcount
 * States: started, map too. No allocation.
 * Threads: one at a time per inventory and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: no free descriptor; give buffers back, expand the inventory, or make a
 *   larger one.
 * - DOCA_ERROR_INVALID_VALUE: as for doca_buf_inventory_buf_get_by_args.
 * - DOCA_ERROR_BAD_STATE: the inventory or the map is not started, or was made for 2.2 or earlier.
 * Since 2.5. Source: DOCA Core guide, buffer inventory.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory *inventory,
							    struct doca_mmap *mmap, void *addr,
							    size_t len, struct doca_buf **buf);

/**
 * Takes a buffer whose data window is the whole region: a source.
 * @param inventory inventory
 * @param mmap started map that the memory is in; must outlive the buffer
 * @param data start of the region and of the window
 * @param data_len bytes of both
 * @param buf receives the buffer, with one reference; give it back with doca_buf_dec_refcount
 * States: started, map too. No allocation.
 * Threads: one at a time per inventory and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: no free descriptor; give buffers back, expand the inventory, or make a
 *   larger one.
 * - DOCA_ERROR_INVALID_VALUE: as for doca_buf_inventory_buf_get_by_args.
 * - DOCA_ERROR_BAD_STATE: the inventory or the map is not started, or was made for 2.2 or earlier.
 * Since 2.5. Source: DOCA Core guide, buffer inventory.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory *inventory,
							    struct doca_mmap *mmap, void *data,
							    size_t data_len, struct doca_buf **buf);

/**
 * Keeps a word of the program's own with an inventory.
 * @param inventory inventory
 * @param user_data not interpreted
 * States: any; the guide's sentence about started inventories is not enforced by devices either.
 * Threads: one at a time per inventory and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL.
 * Since 2.5. Source: DOCA Core guide, buffer inventory.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
							  union doca_data user_data);

/**
 * Number of descriptors of an inventory.
 * @param inventory inventory
 * @param num_of_elements receives the number
 * Threads: one at a time per inventory and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, buffer inventory.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_get_num_elements(
	const struct doca_buf_inventory *inventory, uint32_t *num_of_elements);

/**
 * Number of descriptors that are not taken.
 * @param inventory inventory
 * @param num_of_free_elements receives the number
 * Threads: one at a time per inventory and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, buffer inventory.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_get_num_free_elements(
	const struct doca_buf_inventory *inventory, uint32_t *num_of_free_elements);

/**
 * Word kept with an inventory.
 * @param inventory inventory
 * @param user_data receives it; 0 if none was set
 * Threads: one at a time per inventory and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, buffer inventory.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_get_user_data(
	const struct doca_buf_inventory *inventory, union doca_data *user_data);

/**
 * Adds descriptors to an inventory; buffers that are out stay where they are.
 * @param inventory inventory
 * @param num_elements how many more
 * States: started. Allocates.
 * Threads: one at a time per inventory and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL or num_elements is 0.
 * - DOCA_ERROR_BAD_STATE: the inventory is not started.
 * - DOCA_ERROR_NO_MEMORY: no memory for that many.
 * Since 2.7. Source: DOCA Core guide, buffer inventory.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory,
						   uint32_t num_elements);

/**
 * Points a buffer at other memory of the same map, with an empty data window, and saves giving it
 * back and taking another.
 * @param buf single buffer with one reference, not given to a submitted task
 * @param addr start of the new region, in the same map
 * @param len bytes of the region
 * States: any.
 * Threads: one at a time per inventory and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf is NULL or the region is outside the map.
 * Since 3.2. Source: DOCA Core guide, buffer inventory.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_reuse_by_addr(struct doca_buf *buf, void *addr,
							      size_t len);

/**
 * Points a buffer at other memory of the same map, with all of it as the data window.
 * @param buf single buffer with one reference, not given to a submitted task
 * @param data start of the new region and window, in the same map
 * @param data_len bytes of both
 * States: any.
 * Threads: one at a time per inventory and its buffers.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf is NULL or the region is outside the map.
 * Since 3.2. Source: DOCA Core guide, buffer inventory.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_reuse_by_data(struct doca_buf *buf, void *data,
							      size_t data_len);

/* Of earlier versions. */
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
