/* Creation of inventories, as called by programs of 1.3 and 1.4. */
#include <doca_buf_inventory.h>

#include "client/base/generation.h"
#include "client/compat/buf.h"

doca_error_t doca_buf_inventory_create(const char *name, size_t num_elements, uint32_t extensions,
				       struct doca_buf_inventory **inventory)
{
	return compat_inventory_create(API_1_3, name, NULL, num_elements, extensions, inventory);
}
