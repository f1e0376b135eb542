/*
 * Interoperation with programs that use rdma-core themselves: opening a device from a protection
 * domain, the opposite direction, and the keys by which a device knows memory. Only the provider of
 * keys interprets a protection domain (client/memory/mem_key.h); to all other code it is an
 * address. The public calls of every generation use these functions; `what` begins the error
 * sentence. Threads: any.
 */
#ifndef CLIENT_MEMORY_RDMA_BRIDGE_H
#define CLIENT_MEMORY_RDMA_BRIDGE_H

#include <stdint.h>

#include <doca_error.h>

struct doca_buf;
struct doca_dev;
struct doca_mmap;
struct ibv_pd;

doca_error_t bridge_open_dev(struct ibv_pd *pd, struct doca_dev **dev_out, const char *what);
doca_error_t bridge_get_pd(const struct doca_dev *dev, struct ibv_pd **pd_out, const char *what);
/* generations: MMAP_* bits of the buffers that the call accepts. */
doca_error_t bridge_get_buf_key(const struct doca_buf *buf, struct doca_dev *dev,
				unsigned generations, uint32_t *key_out, const char *what);

#endif
