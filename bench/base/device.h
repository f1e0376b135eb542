/*
 * Opens devices and creates memory maps before a measurement. On failure, ends the process. Main
 * thread.
 */
#ifndef BENCH_BASE_DEVICE_H
#define BENCH_BASE_DEVICE_H

#include <stddef.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include "bench/bench.h"

typedef doca_error_t (*device_cap_t)(const struct doca_devinfo *info);

#define DEVICE_RIGHTS (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE)

/* Opens the first device with this capability. */
struct doca_dev *device_open(device_cap_t cap, const char *what);
/* Opens the first representor of the device. */
struct doca_dev_rep *device_rep_open(struct doca_dev *dev);

/*
 * Allocates memory for a transport: sharable for shm, private otherwise. Filled with the pattern.
 */
void *device_memory_new(enum bench_transport transport, size_t len);
/* Creates and starts a map; with DEVICE_RIGHTS it can be exported. */
struct doca_mmap *device_map_new(struct doca_dev *dev, void *addr, size_t len, uint32_t rights);
struct doca_buf_inventory *device_inventory_new(size_t n);
struct doca_buf *device_buf_new(struct doca_buf_inventory *inventory, struct doca_mmap *map,
				uint64_t addr, size_t len, bool has_data);
/* Connects a context to an engine and starts it; it may be starting still. */
void device_ctx_start(struct doca_ctx *ctx, struct doca_pe *pe, void *user_data);

/* Returns the pattern's byte at this offset. */
static inline uint8_t device_pattern(size_t offset)
{
	return (uint8_t)(offset * 31 + offset / 251 + 7);
}

#endif
