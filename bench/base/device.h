/*
 * Opens devices and creates memory maps before a measurement. On failure, ends the process. Main
 * thread.
 */
#ifndef BENCH_BASE_DEVICE_H
#define BENCH_BASE_DEVICE_H

#include <stddef.h>

#include <doca_dev.h>
#include <doca_mmap.h>

#include "bench/bench.h"

typedef doca_error_t (*device_cap_t)(const struct doca_devinfo *info);

/* Opens the first device with this capability; release it with doca_dev_close(). */
struct doca_dev *device_open(device_cap_t cap, const char *what);
/* Opens the first representor of the device; release it with doca_dev_rep_close(). */
struct doca_dev_rep *device_rep_open(struct doca_dev *dev);

/*
 * Allocates memory for a transport: sharable for shm, private otherwise. Filled with the pattern.
 */
void *device_memory_new(enum bench_transport transport, size_t len);
void device_memory_free(enum bench_transport transport, void *addr, size_t len);
/* Creates and starts a map that can be exported. */
struct doca_mmap *device_map_new(struct doca_dev *dev, void *addr, size_t len);

/* Returns the pattern's byte at this offset. */
static inline uint8_t device_pattern(size_t offset)
{
	return (uint8_t)(offset * 31 + offset / 251 + 7);
}

#endif
