/*
 * Inventory, up to 2.2. Included by doca_buf_inventory.h, whose comment has the rules for states,
 * errors and threads.
 */
#ifndef DOCA_BUF_INVENTORY_WORKQ_H_
#define DOCA_BUF_INVENTORY_WORKQ_H_

#include <doca_buf_inventory.h>
/* Declares enum doca_buf_extension and the release of buffers. */
#include <doca_buf.h>
/* Programs of 1.3 rely on it. */
#include <doca_mmap.h>

#ifdef __cplusplus
extern "C" {
#endif

#if DOCA_API_BETWEEN(103, 104)
/*
 * Properties of an inventory, which can only be read. The SDK's names and numbers are not public;
 * this project chose these.
 */
enum doca_buf_inventory_property {
	DOCA_BUF_INVENTORY_NAME = 0,              /* string with its NUL, as given to create */
	DOCA_BUF_INVENTORY_NUM_ELEMENTS = 1,      /* uint32_t */
	DOCA_BUF_INVENTORY_NUM_FREE_ELEMENTS = 2, /* uint32_t */
	DOCA_BUF_INVENTORY_EXTENSIONS = 3         /* uint32_t, a set of enum doca_buf_extension */
};

/**
 * Sets a property of an inventory. There is no property that can be set.
 * @param inventory inventory
 * @param property property
 * @param value new value
 * @param size size of the value in bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the property is unknown.
 * - DOCA_ERROR_NOT_PERMITTED: the property is read-only; it is an argument of
 *   doca_buf_inventory_create().
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_property_set(struct doca_buf_inventory *inventory,
							 enum doca_buf_inventory_property property,
							 const uint8_t *value, uint32_t size);

/**
 * Gets a property of an inventory.
 * @param inventory inventory
 * @param property property
 * @param value receives the value; written in spite of its const type
 * @param size size of value in bytes: that of the property's type; for a string at least its length
 *   with NUL
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the property is unknown, or the size does not match it.
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_property_get(struct doca_buf_inventory *inventory,
							 enum doca_buf_inventory_property property,
							 const uint8_t *value, uint32_t size);
#endif

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(1, 5)
/**
 * Creates an inventory, not started. This call allocates all of its memory.
 * @param name name, copied; may be NULL
 * @param num_elements number of buffer descriptors, at least 1
 * @param extensions set of enum doca_buf_extension
 * @param inventory receives the inventory; release it with doca_buf_inventory_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: num_elements is 0, or an extension is unknown.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many descriptors; create a smaller inventory.
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_create(const char *name, size_t num_elements,
						   uint32_t extensions,
						   struct doca_buf_inventory **inventory)
	DOCA_BIND(doca_buf_inventory_create, 1_3);

/**
 * Acquires a buffer of a region, which lies in one chunk. Its data window is empty and at the start
 * of the region.
 * @param inventory inventory
 * @param mmap started map that contains the memory; must outlive the buffer
 * @param addr start of the region
 * @param len length of the region in bytes
 * @param buf receives the buffer; release it with doca_buf_refcount_rm
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the region is outside the map, or in no single chunk of it.
 * - DOCA_ERROR_NO_MEMORY: no free descriptor; release buffers, or make a larger inventory.
 * - DOCA_ERROR_BAD_STATE: the inventory or the map is not started, or one of them was created by a
 *   version of another generation.
 * Since 1.3.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_by_addr(struct doca_buf_inventory *inventory,
							struct doca_mmap *mmap, char *addr,
							size_t len, struct doca_buf **buf);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5) && DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 0)
/**
 * Creates an inventory, not started. This call allocates all of its memory.
 * @param user_data user data of the inventory, copied; NULL for 0
 * @param num_elements number of buffer descriptors, at least 1
 * @param extensions set of enum doca_buf_extension; without LINKED_LIST no buffer is chained
 * @param buf_inventory receives the inventory; release it with doca_buf_inventory_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: num_elements is 0, or an extension is unknown.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many descriptors; create a smaller inventory.
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_create(const union doca_data *user_data,
						   size_t num_elements, uint32_t extensions,
						   struct doca_buf_inventory **buf_inventory)
	DOCA_BIND(doca_buf_inventory_create, 1_5);
#endif

#if DOCA_API_WORKQ && DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 0)
/**
 * Creates an inventory, not started. This call allocates all of its memory.
 * @param user_data user data of the inventory, copied; NULL for 0
 * @param num_elements number of buffer descriptors, at least 1
 * @param extensions DOCA_BUF_EXTENSION_NONE; all buffers may be chained
 * @param buf_inventory receives the inventory; release it with doca_buf_inventory_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: num_elements is 0, or an extension is unknown.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many descriptors; create a smaller inventory.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_create(const union doca_data *user_data,
						   size_t num_elements, uint32_t extensions,
						   struct doca_buf_inventory **buf_inventory)
	DOCA_BIND(doca_buf_inventory_create, 2_0);
#endif

#if DOCA_API_BETWEEN(105, 204)
/*
 * Acquisition of buffers, from 1.5 on. In 1.5 the region must be inside one chunk of the map. Maps
 * and inventories of 1.5 and before belong to another generation than those of 2.0 and later. The
 * calls refuse a map or an inventory of the other generation.
 */

/**
 * Acquires a buffer with a given region and data window.
 * @param inventory inventory
 * @param mmap started map that contains the memory; must outlive the buffer
 * @param addr start of the region
 * @param len length of the region in bytes
 * @param data start of the data window, inside the region
 * @param data_len length of the data window in bytes
 * @param buf receives the buffer; release it with doca_buf_refcount_rm
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the region is outside the map, or the window outside the region.
 * - DOCA_ERROR_NO_MEMORY: no free descriptor; release buffers, or make a larger inventory.
 * - DOCA_ERROR_BAD_STATE: the inventory or the map is not started, or one of them was created by a
 *   version of another generation. An imported map of 2.0 or later suits every version from 2.0 on.
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_by_args(struct doca_buf_inventory *inventory,
							struct doca_mmap *mmap, void *addr,
							size_t len, void *data, size_t data_len,
							struct doca_buf **buf);

/**
 * Acquires a buffer whose data window is empty and at the start of the region: a destination.
 * @param inventory inventory
 * @param mmap started map that contains the memory; must outlive the buffer
 * @param addr start of the region
 * @param len length of the region in bytes
 * @param buf receives the buffer; release it with doca_buf_refcount_rm
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the region is outside the map.
 * - DOCA_ERROR_NO_MEMORY: no free descriptor; release buffers, or make a larger inventory.
 * - DOCA_ERROR_BAD_STATE: the inventory or the map is not started, or one of them was created by a
 *   version of another generation. An imported map of 2.0 or later suits every version from 2.0 on.
 * Since 1.5 in this form, until 2.2.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_by_addr(struct doca_buf_inventory *inventory,
							struct doca_mmap *mmap, void *addr,
							size_t len, struct doca_buf **buf);

/**
 * Acquires a buffer whose data window is the whole region: a source.
 * @param inventory inventory
 * @param mmap started map that contains the memory; must outlive the buffer
 * @param data start of the region and of the window
 * @param data_len length of both in bytes
 * @param buf receives the buffer; release it with doca_buf_refcount_rm
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the region is outside the map.
 * - DOCA_ERROR_NO_MEMORY: no free descriptor; release buffers, or make a larger inventory.
 * - DOCA_ERROR_BAD_STATE: the inventory or the map is not started, or one of them was created by a
 *   version of another generation. An imported map of 2.0 or later suits every version from 2.0 on.
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_by_data(struct doca_buf_inventory *inventory,
							struct doca_mmap *mmap, void *data,
							size_t data_len, struct doca_buf **buf);
#endif

#if DOCA_API_WORKQ && DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5)
/**
 * Gets the number of descriptors of an inventory.
 * @param inventory inventory
 * @param num_of_elements receives the number
 * @return DOCA_SUCCESS
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_get_num_elements(struct doca_buf_inventory *inventory,
							     uint32_t *num_of_elements);

/**
 * Gets the number of free descriptors.
 * @param inventory inventory
 * @param num_of_free_elements receives the number
 * @return DOCA_SUCCESS
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_get_num_free_elements(
	struct doca_buf_inventory *inventory, uint32_t *num_of_free_elements);

/**
 * Gets the user data of an inventory.
 * @param inventory inventory
 * @param user_data receives the value; 0 if none was given
 * @return DOCA_SUCCESS
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_get_user_data(struct doca_buf_inventory *inventory,
							  union doca_data *user_data);
#endif

/* Calls of later versions. */
DOCA_ELSEWHERE(doca_buf_inventory_buf_get_by_addr,
	       "from 2.5 on; up to 2.2 doca_buf_inventory_buf_by_addr");
DOCA_ELSEWHERE(doca_buf_inventory_buf_get_by_args,
	       "from 2.5 on; 1.5 to 2.2 doca_buf_inventory_buf_by_args");
DOCA_ELSEWHERE(doca_buf_inventory_buf_get_by_data,
	       "from 2.5 on; 1.5 to 2.2 doca_buf_inventory_buf_by_data");

#ifdef __cplusplus
}
#endif

#endif
