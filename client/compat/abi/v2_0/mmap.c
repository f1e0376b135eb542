/* Memory maps, as called by programs of 2.0 to 2.2. */
#include <doca_mmap.h>

#include "client/base/generation.h"
#include "client/compat/mmap.h"

doca_error_t doca_mmap_create(const union doca_data *user_data, struct doca_mmap **mmap)
{
	return compat_mmap_create_ranged(user_data, mmap);
}

doca_error_t doca_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev)
{
	return compat_mmap_dev_add(mmap, dev);
}
API_PLAIN(doca_mmap_dev_add, 2_0);

doca_error_t doca_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev)
{
	return compat_mmap_dev_rm(mmap, dev);
}
API_PLAIN(doca_mmap_dev_rm, 2_0);

doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, size_t offset,
					   size_t len)
{
	return compat_mmap_set_dmabuf(mmap, dmabuf_fd, offset, len);
}
