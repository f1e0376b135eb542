/* Creation of memory maps, as called by programs of 1.5. */
#include <doca_mmap.h>

#include "client/base/generation.h"
#include "client/compat/mmap.h"

doca_error_t doca_mmap_create(const union doca_data *user_data, struct doca_mmap **mmap)
{
	return compat_mmap_create_chunked(API_1_5, NULL, user_data, mmap);
}

doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
					  size_t export_desc_len, struct doca_dev *dev,
					  struct doca_mmap **mmap)
{
	return compat_mmap_import(API_1_5, NULL, user_data, export_desc, export_desc_len, dev,
				  mmap);
}
