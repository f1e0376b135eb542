/* Memory maps, as called by programs of 1.3 and 1.4; the functions from start on also by those of
 * 1.5. */
#include <doca_mmap.h>

#include "client/base/generation.h"
#include "client/compat/mmap.h"

doca_error_t doca_mmap_create(const char *name, struct doca_mmap **mmap)
{
	return compat_mmap_create_chunked(API_1_3, name, NULL, mmap);
}

doca_error_t doca_mmap_create_from_export(const char *name, const uint8_t *export_desc,
					  size_t export_desc_len, struct doca_dev *dev,
					  struct doca_mmap **mmap)
{
	return compat_mmap_import(API_1_3, name, NULL, export_desc, export_desc_len, dev, mmap);
}

doca_error_t doca_mmap_start(struct doca_mmap *mmap)
{
	return compat_mmap_start(mmap);
}

doca_error_t doca_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev)
{
	return compat_mmap_dev_add_started(mmap, dev);
}

doca_error_t doca_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev)
{
	return compat_mmap_dev_rm_started(mmap, dev);
}
