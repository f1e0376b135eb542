/* Buffers and inventories, as called by programs of 1.5. */
#include <doca_buf.h>
#include <doca_buf_inventory.h>

#include "client/base/generation.h"
#include "client/compat/buf.h"

doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
{
	return compat_buf_set_data(buf, data, data_len);
}

doca_error_t doca_buf_inventory_create(const union doca_data *user_data, size_t num_elements,
				       uint32_t extensions, struct doca_buf_inventory **inventory)
{
	return compat_inventory_create(API_1_5, NULL, user_data, num_elements, extensions,
				       inventory);
}
