/* Interoperation with rdma-core under the functions' names up to 2.2. Threads: any. */
#include <doca_rdma_bridge.h>

#include "client/memory/mmap.h"
#include "client/memory/rdma_bridge.h"

doca_error_t doca_dev_get_pd(const struct doca_dev *dev, struct ibv_pd **pd)
{
	return bridge_get_pd(dev, pd, "dev get pd");
}

doca_error_t doca_dev_open_from_pd(struct ibv_pd *pd, struct doca_dev **dev)
{
	return bridge_open_dev(pd, dev, "dev open from pd");
}

doca_error_t doca_buf_get_mkey(const struct doca_buf *buf, struct doca_dev *dev, uint32_t *mkey)
{
	return bridge_get_buf_key(buf, dev, MMAP_WORKQ, mkey, "buf get mkey");
}
