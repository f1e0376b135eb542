/* Creation of inventories, as called by programs of 2.0 to 2.2, and of arrays, as called by
 * programs of 2.0 to 2.6. */
#include <doca_buf_array.h>
#include <doca_buf_inventory.h>

#include "client/base/generation.h"
#include "client/compat/buf.h"

doca_error_t doca_buf_inventory_create(const union doca_data *user_data, size_t num_elements,
				       uint32_t extensions, struct doca_buf_inventory **inventory)
{
	return compat_inventory_create(API_2_0, NULL, user_data, num_elements, extensions,
				       inventory);
}

doca_error_t doca_buf_arr_create(struct doca_mmap *mmap, struct doca_buf_arr **buf_arr)
{
	return compat_buf_array_create(mmap, buf_arr);
}

doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, size_t size, uint32_t num_elem,
				     uint32_t start_offset)
{
	return compat_buf_array_set_params(buf_arr, size, num_elem, start_offset);
}
