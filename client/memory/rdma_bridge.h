/*
 * Programs that use rdma-core themselves: devices opened from a protection domain and the other way
 * round, and the keys by which a device knows memory. Only the provider of keys knows what a
 * protection domain is (client/memory/mem_key.h); to others it is an address. What every
 * generation's calls are made of; `what` begins the sentence. Threads: any.
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
/* generations: MMAP_* of those whose buffers the call takes. */
doca_error_t bridge_get_buf_key(const struct doca_buf *buf, struct doca_dev *dev,
				unsigned generations, uint32_t *key_out, const char *what);

#endif
